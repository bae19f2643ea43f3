from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.pareto import pareto
from limits import ended_by


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 10))
    node = st.integers(0, max(n - 1, 0))
    return Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=40)) if n else [])


@given(graphs())
@settings(deadline=None, max_examples=40)
def test_falls_from_all_edges_to_none_and_never_rises(graph):
    curve = pareto(graph, time_limit=0.05)
    conflicts = [coloring.conflicts for coloring in curve.values()]

    assert list(curve) == list(range(1, len(curve) + 1))
    assert conflicts[0] == graph.m and conflicts[-1] == 0
    assert all(a > b for a, b in pairwise(conflicts))
    assert all(coloring.k <= k for k, coloring in curve.items())


@pytest.mark.parametrize("spec", ["complete:7", "turan:13x4", "petersen", "queen:5x5", "myciel:4"])
def test_ends_at_the_chromatic_number_of_small_graphs(spec):
    graph = family(spec)
    assert max(pareto(graph, time_limit=5)) == graph.chi


def test_complete_graphs_lose_what_they_must():
    curve = pareto(family("complete:6"))
    assert [coloring.conflicts for coloring in curve.values()] == [15, 6, 3, 2, 1, 0]


def test_deleting_the_conflicting_edges_makes_the_graph_colorable():
    graph = family("queen:6x6")
    coloring = pareto(graph, k_max=5, time_limit=2)[5]
    lost = set(map(tuple, coloring.conflicting_edges.tolist()))
    rest = [edge for edge in graph.edges.tolist() if tuple(edge) not in lost]
    assert len(rest) == graph.m - coloring.conflicts
    colors = coloring.colors
    assert all(colors[u] != colors[v] for u, v in rest)


def test_k_max_is_the_end_and_the_seed_decides():
    graph = family("queen:6x6")
    one, two = (pareto(graph, k_max=4, seed=3) for _ in range(2))
    assert list(one) == [1, 2, 3, 4]
    assert all(one[k].colors.tolist() == two[k].colors.tolist() for k in one)
    with pytest.raises(InputError, match="k_max"):
        pareto(graph, k_max=0)


def test_the_time_limit_is_for_all_k_together():
    with ended_by(1):
        curve = pareto(family("er:300x0.3").but(chi=None), time_limit=1)
    assert curve[max(curve)].is_proper


def test_an_interrupt_keeps_what_is_done():
    def interrupt(progress):
        if progress.k == 5:
            raise KeyboardInterrupt

    curve = pareto(family("queen:8x8"), progress=interrupt)
    assert list(curve) == [1, 2, 3, 4, 5]
