from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates.clique import is_clique
from concolor.goal import Clock
from concolor.graph.cliques import larger_cliques, largest_clique, quick_clique
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.formats import to_networkx
from concolor.graph.structure import core_numbers


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    p=st.sampled_from([0.1, 0.3, 0.6, 0.9]),
    n=st.sampled_from([1, 25, 90]),
)
@settings(max_examples=60, deadline=None)
def test_finds_what_networkx_finds(seed, p, n):
    graph = family(f"er:{n if p < 0.9 else min(n, 40)}x{p}", seed=seed)
    found = largest_clique(graph)
    assert is_clique(graph, found)
    assert len(found) == max(map(len, nx.find_cliques(to_networkx(graph))))


def test_core_numbers_match_networkx():
    graph = family("barabasi:300x4")
    twin = nx.core_number(to_networkx(graph))
    assert core_numbers(graph).tolist() == [twin[v] for v in range(graph.n)]


def test_graphs_that_are_hardly_there():
    assert largest_clique(Graph.from_edges(0, [])) == ()
    assert len(largest_clique(Graph.from_edges(3, []))) == 1
    assert len(largest_clique(Graph.from_edges(2000, []))) == 1
    assert len(largest_clique(Graph.from_edges(2000, [[5, 9]]))) == 2


def test_a_clique_hidden_in_a_large_graph_is_found():
    sparse = family("er:5000x0.001", seed=1)
    hidden = np.random.default_rng(0).permutation(5000)[:9]
    pairs = np.array(list(combinations(hidden.tolist(), 2)))
    graph = Graph.from_edges(5000, np.concatenate([sparse.edges, pairs]))
    assert set(hidden.tolist()) <= set(largest_clique(graph))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "least"), [("queen:8", 8), ("er:2000x0.01", 3), ("er:3000x0.01", 3), ("er:500x0.5", 8)]
)
def test_an_ended_clock_still_gives_a_clique_that_no_node_extends(spec, least):
    graph = family(spec)
    found = largest_clique(graph, clock=Clock(0.0))
    assert is_clique(graph, found) and len(found) >= least
    assert not any(is_clique(graph, (*found, v)) for v in range(graph.n))


class Asked(Clock):
    """Never over; counts how often it is asked, which only branch and bound does."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "times", [])

    @property
    def is_over(self):
        self.times.append(self.seconds)
        return False


def test_the_search_ends_where_a_coloring_shows_that_no_clique_is_larger():
    graph, clock = family("planted:60x5x0.8", seed=1), Asked()
    assert len(largest_clique(graph, enough=5, clock=clock)) == 5
    assert len(clock.times) == 0
    largest_clique(graph, clock=clock)
    assert len(clock.times) > 0


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["multipartite:400x400x400", "turan:1100x20", "complete:300"])
def test_no_clique_is_searched_where_a_grown_one_meets_the_coloring(spec):
    graph, clock = family(spec), Asked()
    assert [len(found) for found in larger_cliques(graph, enough=graph.chi, clock=clock)] == [
        graph.chi
    ]
    assert len(clock.times) == 0


@pytest.mark.slow
def test_every_clique_on_the_way_is_larger_than_the_one_before():
    graph = family("er:1500x0.05", seed=2)
    sizes = [len(found) for found in larger_cliques(graph) if is_clique(graph, found)]
    assert sizes == sorted(set(sizes)) and len(sizes) > 1


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_relabeling_the_nodes_leaves_the_size(seed):
    graph = family("er:60x0.4", seed=seed)
    order = np.random.default_rng(seed).permutation(graph.n)
    other = Graph.from_edges(graph.n, order[graph.edges])
    assert len(largest_clique(other)) == len(largest_clique(graph))


def test_a_bound_at_once_is_a_clique_of_what_little_work_allows():
    graph = family("er:300x0.5", seed=1)
    assert 7 <= len(quick_clique(graph)) <= len(largest_clique(graph))
    (grown,) = larger_cliques(graph, work=0)
    assert is_clique(graph, grown)
