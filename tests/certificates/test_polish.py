import importlib
import math

import numpy as np
import pytest

from concolor.certificates import multipliers, projection
from concolor.certificates.clique import largest_clique
from concolor.certificates.polish import polish
from concolor.certificates.sdp import exact_theta
from concolor.certificates.spectral import hoffman, hoffman_safe
from concolor.certificates.theta import (
    best_handle,
    handle_bound,
    handle_bound_safe,
    prototypes,
    unit_rows,
)
from concolor.errors import ConcolorError, InputError
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur

module = importlib.import_module("concolor.certificates.polish")  # the function hides it

THETA = {
    "cycle:5": math.sqrt(5),
    "petersen": 2.5,
    "myciel:3": 2.4,
    "myciel:4": 2.5294,
    "kneser:7x2": 3.5,
    "queen:5x5": 5.0,
    "queen:6x6": 6.0416,
}


@pytest.mark.parametrize("spec", THETA)
@pytest.mark.parametrize("projected", [0, 1000])
def test_both_methods_come_within_one_percent_of_theta(spec, projected, monkeypatch):
    monkeypatch.setattr(module, "PROJECTED", projected)
    graph, theta = family(spec), THETA[spec]
    found = polish(*prototypes(dsatur(graph)), graph)
    assert theta * 0.99 <= found.lower <= theta + 1e-4
    assert theta - 1e-4 <= found.upper <= theta * 1.01
    assert hoffman_safe(graph, found.weights) == pytest.approx(found.lower, rel=1e-9)
    assert handle_bound_safe(found.z, found.r, graph) == pytest.approx(found.upper, rel=1e-9)


@pytest.mark.parametrize("d", [3, 90])
def test_any_embedding_can_be_polished(d):
    graph = family("er:40x0.2")
    z = unit_rows(np.random.default_rng(0).normal(size=(40, d)), graph)
    r = best_handle(z, graph)
    found = polish(z, r, graph, gap=0.01)
    assert found.upper == pytest.approx(handle_bound(found.z, found.r, graph))
    assert found.lower == pytest.approx(hoffman(graph, found.weights))
    assert found.lower <= found.upper <= found.lower * 1.01
    np.testing.assert_allclose(np.linalg.norm(found.z, axis=1), 1)


@pytest.mark.parametrize("spec", ["er:100x0.3", "planted:120x5x0.2", "watts:100x6x0.3"])
@pytest.mark.parametrize("gap", [0.01, 0.001])
def test_random_graphs_are_bracketed_as_closely_as_asked(spec, gap):
    graph = family(spec)
    known = np.isin(graph.edges, largest_clique(graph)).all(axis=1).astype(float)
    found = polish(*prototypes(dsatur(graph)), graph, weights=known, gap=gap)
    assert found.lower <= found.upper <= found.lower * (1 + gap)
    assert found.upper <= handle_bound_safe(found.z, found.r, graph)
    assert hoffman_safe(graph, found.weights) <= found.lower + 1e-9


def test_weights_of_a_clique_prove_as_much_as_the_clique():
    graph = family("wheel:6")
    known = np.isin(graph.edges, largest_clique(graph)).all(axis=1).astype(float)
    z, r = prototypes(dsatur(graph))
    assert polish(z, r, graph, weights=known, clock=Clock(0.0)).lower >= 3 - 1e-12
    assert polish(*prototypes(dsatur(family("complete:4"))), family("complete:4")).upper == 4


def test_nothing_gets_worse_when_time_is_over():
    graph = family("queen:5x5")
    z, r = prototypes(dsatur(graph))
    found = polish(z, r, graph, clock=Clock(0.0))
    assert found.upper <= handle_bound(z, r, graph) * (1 + 1e-15)
    assert found.lower >= hoffman(graph, np.ones(graph.m))


def test_once_time_is_over_no_step_is_made(monkeypatch):
    graph = family("queen:5x5")
    monkeypatch.setattr(projection, "by_projection", None)
    polish(*prototypes(dsatur(graph)), graph, clock=Clock(0.0))
    rest = np.ones(3, np.float32)
    assert not projection._conjugate_gradients(None, rest, Clock(0.0)).any()


def test_the_last_weights_are_few_where_time_is_over(monkeypatch):
    """Each of them takes a spectrum."""
    graph, tried = family("queen:5x5"), []

    def noted(graph, on_edges, on_nodes, floors):
        tried.append(floors)
        return np.ones(graph.m)

    monkeypatch.setattr(multipliers, "from_multipliers", noted)
    start = polish(*prototypes(dsatur(graph)), graph, clock=Clock(0.0))
    rng = np.random.default_rng(0)
    list(multipliers.by_multipliers(start, graph, rng=rng, clock=Clock(0.0)))
    assert tried == [multipliers.LAST_FLOORS]


@pytest.mark.parametrize(("z", "r"), [(3.0, 1.0), (1.0, 10.0), (0.1, 0.2)])
def test_lengths_do_not_count(z, r):
    graph = family("cycle:5")
    rows, handle = prototypes(dsatur(graph))
    found = polish(z * rows, r * handle, graph)
    assert found.lower <= math.sqrt(5) * (1 + 1e-12) and math.sqrt(5) <= found.upper
    assert polish(z * rows, r * handle, graph, clock=Clock(0.0)).upper == pytest.approx(3)


def test_wrong_beginnings_are_refused():
    graph = family("cycle:5")
    z, r = prototypes(dsatur(graph))
    for wrong in ((z[:4], r), (z, r[:2]), (z * np.nan, r), (z, r * np.nan), (z, 0 * r)):
        with pytest.raises(InputError):
            polish(*wrong, graph)
    with pytest.raises(InputError, match="weights must have shape"):
        polish(z, r, graph, weights=np.ones(3))


def test_the_same_seed_polishes_the_same_way():
    graph = family("er:20x0.3")
    start = prototypes(dsatur(graph))
    one, two = polish(*start, graph, seed=3), polish(*start, graph, seed=3)
    np.testing.assert_array_equal(one.z, two.z)
    np.testing.assert_array_equal(one.weights, two.weights)


def test_a_graph_without_edges_is_left_as_it_is():
    graph = Graph.from_edges(2, [])
    assert polish(*prototypes(dsatur(graph)), graph).upper == 1


def test_exact_theta_names_its_extra_where_cvxpy_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cvxpy", None)
    with pytest.raises(ConcolorError, match=r"concolor\[sdp\]"):
        exact_theta(family("cycle:5"))


@pytest.mark.parametrize("spec", ["cycle:5", "petersen", "myciel:4", "queen:6x6"])
def test_exact_theta(spec):
    pytest.importorskip("cvxpy", reason="cvxpy is not installed (extra sdp)")
    assert exact_theta(family(spec)) == pytest.approx(THETA[spec], abs=1e-3)
