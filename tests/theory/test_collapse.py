"""The collapse report against what is known of embeddings that were built to order."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates import measure
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.theory import attains_bound, collapse, neighbor_counts, quotient
from concolor.theory.sphere import normalized


def test_a_collapsed_orthogonal_embedding_reports_zeros(instance):
    graph, colors, _ = instance(0)
    signs = np.random.default_rng(0).choice([-1, 1], size=(graph.n, 1))
    frame = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    report = collapse(graph, 3 * colors, signs * frame[colors])
    assert report.delta < 1e-12 and report.eps < 1e-12 and report.orthonormal_delta < 1e-7
    np.testing.assert_allclose(report.gram, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.abs((report.prototypes * frame[:3]).sum(1)), 1)
    assert report.colors.tolist() == [0, 3, 6] and report.spread.shape == (3,)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_distances_cosines_and_spread_match_the_definitions(instance, seed):
    graph, colors, z = instance(seed)
    report = collapse(graph, colors, z)
    for v in range(graph.n):
        q = report.prototypes[colors[v]]
        near = min(np.linalg.norm(z[v] - q), np.linalg.norm(z[v] + q))
        assert report.distances[v] == pytest.approx(near)
    assert report.eps == pytest.approx(max(abs(z[u] @ z[v]) for u, v in graph.edges))
    assert report.eps == pytest.approx(attains_bound(z, graph, colors).across)
    for i in range(3):
        assert report.spread[i] == report.distances[colors == i].max()
        # no other line is nearer in the sum of squared cosines
        other = normalized(np.random.default_rng(seed).normal(size=(50, 5)))
        best = ((z[colors == i] @ report.prototypes[i]) ** 2).sum()
        assert ((z[colors == i] @ other.T) ** 2).sum(0).max() <= best + 1e-12


def test_signs_do_not_matter_and_rotations_turn_the_prototypes(instance):
    graph, colors, z = instance(5)
    signs = np.random.default_rng(0).choice([-1, 1], size=(graph.n, 1))
    frame = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    one, other = collapse(graph, colors, z), collapse(graph, colors, signs * z @ frame)
    np.testing.assert_allclose(one.distances, other.distances, atol=1e-7)
    np.testing.assert_allclose(one.edge_cosines, other.edge_cosines, atol=1e-12)
    np.testing.assert_allclose(np.abs(one.gram), np.abs(other.gram), atol=1e-10)
    assert one.orthonormal_delta == pytest.approx(other.orthonormal_delta)


def test_the_orthonormal_delta_is_the_angle_left_to_a_frame():
    """Lines at 80 degrees: the nearest right-angled frame is 5 degrees from each."""
    angle = np.radians(80)
    z = np.array([[1, 0], [np.cos(angle), np.sin(angle)]])
    report = collapse(family("path:2"), [0, 1], z)
    assert report.delta < 1e-12
    assert report.orthonormal_delta == pytest.approx(2 * np.sin(np.radians(2.5)))
    assert report.eps == pytest.approx(np.cos(angle))
    assert collapse(family("complete:3"), [0, 1, 2], z[[0, 1, 1]]).orthonormal_delta is None


@pytest.mark.parametrize("seed", range(5))
def test_the_orthonormal_delta_is_that_of_the_certificate(instance, seed):
    graph, colors, z = instance(seed)
    geometry = measure(z, z[0], graph, Coloring(graph, colors))
    report = collapse(graph, colors, z)
    assert report.orthonormal_delta == geometry.delta
    assert report.orthonormal_delta != pytest.approx(report.delta)
    assert report.eps == pytest.approx(geometry.eps)


def test_the_quotient_has_an_edge_where_an_edge_joins_two_colors(instance):
    graph, colors, z = instance(2, k=5, p=0.1)
    found = collapse(graph, colors + 2, z).quotient
    pairs = {tuple(sorted((colors[u], colors[v]))) for u, v in graph.edges}
    assert {tuple(edge) for edge in found.edges.tolist()} == pairs
    assert found.names == tuple("23456")
    assert found == quotient(graph, colors + 2)
    positive = neighbor_counts(graph, colors)
    assert (positive.by_pair(positive.count) > 0).sum() == 2 * found.m


def test_conflicts_are_allowed_and_counted(instance):
    graph, _, z = instance(3)
    colors = np.arange(graph.n) % 2
    report = collapse(graph, colors, z)
    conflicts = Coloring(graph, colors).conflicts
    assert conflicts > 0
    assert report.quotient.loops == conflicts


def test_single_precision_and_a_graph_without_edges_are_fine(instance):
    graph, colors, z = instance(4)
    exact, single = collapse(graph, colors, z), collapse(graph, colors, z.astype(np.float32))
    assert single.delta == pytest.approx(exact.delta, abs=1e-5)
    report = collapse(Graph.from_edges(2, []), [0, 0], [[1, 0], [1, 0]])
    assert report.eps == 0 and report.delta < 1e-12 and report.quotient.m == 0


def test_what_is_no_embedding_is_refused(instance):
    graph, colors, z = instance(4)
    with pytest.raises(InputError, match="row 0 has 0"):
        collapse(graph, colors, 0 * z)
    with pytest.raises(InputError, match="row 0 has nan"):
        collapse(graph, colors, np.nan * z)
    with pytest.raises(InputError, match="no nodes"):
        collapse(Graph.from_edges(0, []), [], np.empty((0, 3)))


@pytest.mark.slow
def test_the_theory_without_losses_loads_no_torch():
    program = (
        "import sys, numpy as np\n"
        "from concolor.graph.families import family\n"
        "from concolor import theory\n"
        "g, c = family('cycle:4'), np.arange(4) % 2\n"
        "counts = theory.neighbor_counts(g, c)\n"
        "theory.stationarity(counts, np.eye(2), 0.3)\n"
        "theory.max_margin(counts, np.eye(2), 0.3, steps=10, samples=2)\n"
        "theory.collapse(g, c, np.eye(2)[c]), theory.attains_bound(np.eye(2)[c], g, c)\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
