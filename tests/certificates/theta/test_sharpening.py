import math
from itertools import pairwise

import numpy as np
import pytest

from concolor.certificates.spectral import hoffman, hoffman_safe
from concolor.certificates.theta.bounds import handle_bound, handle_bound_safe
from concolor.certificates.theta.handle import best_handle
from concolor.certificates.theta.sharpening import sharpen, sharper_sides
from concolor.certificates.theta.vectors import prototypes, unit_rows
from concolor.errors import InputError
from concolor.goal import Clock
from concolor.graph.cliques import largest_clique
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur

THETA = {
    "cycle:5": math.sqrt(5),
    "petersen": 2.5,
    "myciel:3": 2.4,
    "myciel:4": 2.5294,
    "kneser:7x2": 3.5,
    "queen:5x5": 5.0,
    "queen:6x6": 6.0416,
}


@pytest.mark.slow
@pytest.mark.parametrize("spec", THETA)
@pytest.mark.parametrize("projected", [0, 1000])
def test_both_methods_come_within_one_percent_of_theta(spec, projected):
    graph, theta = family(spec), THETA[spec]
    found = sharpen(*prototypes(dsatur(graph)), graph, projected=projected)
    assert theta * 0.99 <= found.lower <= theta + 1e-4
    assert theta - 1e-4 <= found.upper <= theta * 1.01
    assert hoffman_safe(graph, found.weights) == pytest.approx(found.lower, rel=1e-9)
    assert handle_bound_safe(found.z, found.r, graph) == pytest.approx(found.upper, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("d", [3, 90])
def test_any_embedding_can_be_sharpened(d):
    graph = family("er:40x0.2")
    z = unit_rows(np.random.default_rng(0).normal(size=(40, d)), graph)
    r = best_handle(z, graph)
    found = sharpen(z, r, graph, gap=0.01)
    assert found.upper == pytest.approx(handle_bound(found.z, found.r, graph))
    assert found.lower == pytest.approx(hoffman(graph, found.weights))
    assert found.lower <= found.upper <= found.lower * 1.01
    np.testing.assert_allclose(np.linalg.norm(found.z, axis=1), 1)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["er:100x0.3", "planted:120x5x0.2", "watts:100x6x0.3"])
@pytest.mark.parametrize("gap", [0.01, 0.001])
def test_random_graphs_are_bracketed_as_closely_as_asked(spec, gap):
    graph = family(spec)
    known = np.isin(graph.edges, largest_clique(graph)).all(axis=1).astype(float)
    found = sharpen(*prototypes(dsatur(graph)), graph, weights=known, gap=gap)
    assert found.lower <= found.upper <= found.lower * (1 + gap)
    assert found.upper <= handle_bound_safe(found.z, found.r, graph)
    assert hoffman_safe(graph, found.weights) <= found.lower + 1e-9


def test_weights_of_a_clique_prove_as_much_as_the_clique():
    graph = family("wheel:6")
    known = np.isin(graph.edges, largest_clique(graph)).all(axis=1).astype(float)
    z, r = prototypes(dsatur(graph))
    assert sharpen(z, r, graph, weights=known, clock=Clock(0.0)).lower >= 3 - 1e-12
    assert sharpen(*prototypes(dsatur(family("complete:4"))), family("complete:4")).upper == 4


def test_nothing_gets_worse_when_time_is_over():
    graph = family("queen:5x5")
    z, r = prototypes(dsatur(graph))
    found = sharpen(z, r, graph, clock=Clock(0.0))
    assert found.upper <= handle_bound(z, r, graph) * (1 + 1e-15)
    assert found.lower >= hoffman(graph, np.ones(graph.m))


def test_once_time_is_over_no_step_is_made():
    graph = family("queen:5x5")
    start = sharpen(*prototypes(dsatur(graph)), graph, clock=Clock(0.0))
    (only,) = sharper_sides(start, graph, clock=Clock(0.0))
    assert only is start
    assert len(list(sharper_sides(start, graph, clock=Clock()))) > 1


@pytest.mark.slow
def test_every_step_is_at_least_as_sharp_as_the_one_before():
    graph = family("er:40x0.2")
    start = sharpen(*prototypes(dsatur(graph)), graph, clock=Clock(0.0))
    steps = list(sharper_sides(start, graph, clock=Clock()))
    for before, after in pairwise(steps):
        assert before.lower <= after.lower <= after.upper <= before.upper
    assert steps[-1].upper <= 1.001 * steps[-1].lower


@pytest.mark.parametrize(("z", "r"), [(3.0, 1.0), (1.0, 10.0), (0.1, 0.2)])
def test_lengths_do_not_count(z, r):
    graph = family("cycle:5")
    rows, handle = prototypes(dsatur(graph))
    found = sharpen(z * rows, r * handle, graph)
    assert found.lower <= math.sqrt(5) * (1 + 1e-12) and math.sqrt(5) <= found.upper
    assert sharpen(z * rows, r * handle, graph, clock=Clock(0.0)).upper == pytest.approx(3)


def test_wrong_beginnings_are_refused():
    graph = family("cycle:5")
    z, r = prototypes(dsatur(graph))
    for wrong in ((z[:4], r), (z, r[:2]), (z * np.nan, r), (z, r * np.nan), (z, 0 * r)):
        with pytest.raises(InputError):
            sharpen(*wrong, graph)
    with pytest.raises(InputError, match="weights must have shape"):
        sharpen(z, r, graph, weights=np.ones(3))


@pytest.mark.slow
def test_the_same_seed_sharpens_the_same_way():
    graph = family("er:20x0.3")
    start = prototypes(dsatur(graph))
    one, two = sharpen(*start, graph, seed=3), sharpen(*start, graph, seed=3)
    np.testing.assert_array_equal(one.z, two.z)
    np.testing.assert_array_equal(one.weights, two.weights)


def test_a_graph_without_edges_is_left_as_it_is():
    graph = Graph.from_edges(2, [])
    assert sharpen(*prototypes(dsatur(graph)), graph).upper == 1
