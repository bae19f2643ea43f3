"""First fit by two threads: proper, within one more than the largest degree, whoever is faster."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.structure import by_degree
from concolor.rules import Rules
from concolor.solvers.greedy import fitted
from concolor.solvers.speculative import speculative


def slow_twin(graph, order, block):
    """Round by round: each half sees earlier rounds and itself, the second half gives way."""
    colors, waiting, left = {}, [], order.tolist()
    while left or waiting:
        fresh = max(block - len(waiting), 0)
        nodes, left = waiting + left[:fresh], left[fresh:]
        half = (len(nodes) + 1) // 2
        known, guesses = dict(colors), []
        for side in (nodes[:half], nodes[half:]):
            own = dict(known)
            for v in side:
                taken = {own.get(u) for u in graph.neighbors(v).tolist()}
                own[v] = next(c for c in range(graph.n) if c not in taken)
            guesses.append({v: own[v] for v in side})
        first, second = guesses
        clash = {
            v for v in second if any(first.get(u) == second[v] for u in graph.neighbors(v).tolist())
        }
        colors |= first | {v: c for v, c in second.items() if v not in clash}
        waiting = [v for v in nodes if v in clash]
    return [colors[v] for v in range(graph.n)]


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), p=st.sampled_from([0.05, 0.3, 0.9]), block=st.integers(1, 50))
@settings(max_examples=60, deadline=None)
def test_it_is_the_slow_twin_with_one_thread_and_with_two(seed, p, block):
    graph = family(f"er:40x{p}", seed=seed)
    order = np.random.default_rng(seed).permutation(graph.n)
    expected = slow_twin(graph, order, block)
    for threads in (1, 2):
        found = speculative(graph, order, threads=threads, block=block)
        assert found.tolist() == expected
    assert Coloring(graph, found).is_proper and found.max() <= graph.degrees.max(initial=0)


@pytest.mark.slow
def test_many_rounds_by_threads_give_what_one_thread_gives():
    graph = family("er:30000x0.0004", seed=3)
    order = by_degree(graph)
    one, two, again = (speculative(graph, order, threads=threads) for threads in (1, 2, 2))
    assert one.tolist() == two.tolist() == again.tolist()
    assert Coloring(graph, one).is_proper
    assert one.max() <= fitted(graph, order, Rules.of(graph)).max() + 2


@pytest.mark.parametrize("block", [1, 2])
def test_a_block_of_one_node_is_plain_first_fit(block):
    graph = family("queen:5x5")
    order = by_degree(graph)
    found = speculative(graph, order, block=block)
    if block == 1:
        assert found.tolist() == fitted(graph, order, Rules.of(graph)).tolist()
    assert Coloring(graph, found).is_proper


def test_graphs_that_are_hardly_there():
    for n in (0, 1, 3):
        assert speculative(Graph.from_edges(n, []), np.arange(n)).tolist() == [0] * n
