from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import InputError, Interrupted
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.pareto import pareto
from limits import ended_by


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 10))
    node = st.integers(0, max(n - 1, 0))
    return Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=40)) if n else [])


@pytest.mark.slow
@given(graphs())
@settings(deadline=None, max_examples=40)
def test_falls_from_all_edges_to_none_and_never_rises(graph):
    curve = pareto(graph, time_limit=0.05)
    conflicts = [coloring.conflicts for coloring in curve.values()]

    assert list(curve) == list(range(1, len(curve) + 1))
    assert conflicts[0] == graph.m and conflicts[-1] == 0
    assert all(a > b for a, b in pairwise(conflicts))
    assert all(coloring.k <= k for k, coloring in curve.items())


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["complete:7", "turan:13x4", "petersen", "queen:5x5", "myciel:4"])
def test_ends_at_the_chromatic_number_of_small_graphs(spec):
    graph = family(spec)
    assert max(pareto(graph, time_limit=5)) == graph.chi


def test_complete_graphs_lose_what_they_must():
    curve = pareto(family("complete:6"))
    assert [coloring.conflicts for coloring in curve.values()] == [15, 6, 3, 2, 1, 0]


@pytest.mark.slow
def test_deleting_the_conflicting_edges_makes_the_graph_colorable():
    graph = family("queen:6x6")
    coloring = pareto(graph, k_max=5, time_limit=2)[5]
    lost = set(map(tuple, coloring.conflicting_edges.tolist()))
    rest = [edge for edge in graph.edges.tolist() if tuple(edge) not in lost]
    assert len(rest) == graph.m - coloring.conflicts
    colors = coloring.colors
    assert all(colors[u] != colors[v] for u, v in rest)


@pytest.mark.slow
def test_k_max_is_the_end_and_the_seed_decides():
    graph = family("queen:6x6")
    one, two = (pareto(graph, k_max=4, seed=3) for _ in range(2))
    assert list(one) == [1, 2, 3, 4]
    assert all(one[k].colors.tolist() == two[k].colors.tolist() for k in one)
    with pytest.raises(InputError, match="k_max"):
        pareto(graph, k_max=0)


@pytest.mark.slow
def test_the_time_limit_is_for_all_k_together():
    with ended_by(1):
        curve = pareto(family("er:300x0.3").but(chi=None), time_limit=1)
    assert curve[max(curve)].is_proper


@pytest.mark.slow
def test_an_interrupt_keeps_what_is_done():
    def interrupt(progress):
        if progress.k == 5:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stop:
        pareto(family("queen:8x8"), progress=interrupt)
    curve = stop.value.best
    assert list(curve) == [1, 2, 3, 4, 5]
    assert all(coloring.k <= k for k, coloring in curve.items())


def brute(graph, k, preset, forbidden):
    """The fewest conflicts of all colorings in 0..k-1 that keep the rules; None without any."""
    fine = [
        [c for c in range(k) if preset.get(v, c) == c and c not in forbidden.get(v, ())]
        for v in range(graph.n)
    ]
    edges = graph.edges.tolist()
    return min((sum(c[u] == c[v] for u, v in edges) for c in product(*fine)), default=None)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_the_curve_under_rules_is_that_of_all_colorings(seed):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(6, rng.integers(0, 6, (14, 2)), names="abcdef")
    first, *_ = rng.permutation(6).tolist()
    preset = {first: int(rng.integers(3))}
    forbidden = {v: set(rng.integers(0, 4, 2).tolist()) for v in rng.permutation(6)[:3].tolist()}
    forbidden.pop(first, None)
    named = {graph.node_names[v]: colors for v, colors in forbidden.items()}

    curve = pareto(graph, preset=preset, forbidden=named, seed=seed)

    slow = {k: brute(graph, k, preset, forbidden) for k in range(1, 8)}
    possible = [k for k in slow if slow[k] is not None]
    end = next(k for k in possible if slow[k] == 0)
    assert {k: c.conflicts for k, c in curve.items()} == {
        k: slow[k] for k in range(possible[0], end + 1)
    }
    for k, coloring in curve.items():
        assert coloring.colors.max() < k and coloring.colors[first] == preset[first]
        assert all(coloring.colors[v] not in colors for v, colors in forbidden.items())


def test_rules_that_no_k_up_to_the_limit_allows_are_refused():
    graph = family("petersen")
    with pytest.raises(InputError, match=r"color 4 is out of range 0\.\.2"):
        pareto(graph, k_max=3, preset={0: 4})
    with pytest.raises(InputError, match=r"all colors 0\.\.1 are forbidden for node 7"):
        pareto(graph, k_max=2, forbidden={"7": [0, 1]})
    with pytest.raises(InputError, match="adjacent"):
        pareto(family("complete:3"), preset={0: 1, 1: 1})
    assert list(pareto(graph, k_max=5, preset={0: 4})) == [5]
