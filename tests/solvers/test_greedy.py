import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import FAMILIES, family
from concolor.graph.structure import core_order, csr
from concolor.rules import Rules
from concolor.solvers.greedy import (
    dsatur,
    greedy,
    independent_sets,
    largest_first,
    rlf,
    saturated,
    smallest_last,
)
from concolor.solvers.kernels.greedy import recursive_largest_first


def in_own_order(graph):
    return greedy(graph, np.arange(graph.n))


def by_independent_sets(graph):
    return Coloring(graph, independent_sets(graph))


GREEDY = [dsatur, largest_first, smallest_last, rlf, in_own_order, by_independent_sets]
RULED = [dsatur, largest_first, smallest_last]


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 14))
    node = st.integers(0, max(n - 1, 0))
    return Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=40)) if n else [])


@pytest.mark.slow
@pytest.mark.parametrize("method", GREEDY)
@given(graph=graphs())
def test_is_proper_contiguous_and_no_more_than_degree_plus_one(method, graph):
    coloring = method(graph)

    assert coloring.is_proper
    assert np.unique(coloring.colors).tolist() == list(range(coloring.k))
    assert coloring.k <= graph.degrees.max(initial=-1) + 1


@pytest.mark.slow
@pytest.mark.parametrize("method", GREEDY)
@given(graph=graphs())
def test_no_node_could_take_a_lower_color(method, graph):
    """Greedy means: below its own color, a node sees every color."""
    colors = method(graph).colors
    for node, color in enumerate(colors):
        assert set(range(color)) <= set(colors[graph.neighbors(node)].tolist())


@pytest.mark.slow
@given(a=st.integers(1, 8), b=st.integers(1, 8), data=st.data())
def test_dsatur_is_exact_on_bipartite_graphs(a, b, data):
    pair = st.tuples(st.integers(0, a - 1), st.integers(a, a + b - 1))
    graph = Graph.from_edges(a + b, data.draw(st.lists(pair, max_size=40)))
    assert dsatur(graph).k == (2 if graph.m else 1)


@pytest.mark.parametrize("spec", [entry.example for entry in FAMILIES.values()])
def test_never_below_the_chromatic_number(spec):
    graph = family(spec)
    for method in GREEDY:
        assert method(graph).is_proper
        assert method(graph).k >= (graph.chi or 1)


@pytest.mark.parametrize(
    "spec", ["complete:9", "cycle:31", "wheel:12", "turan:13x4", "hypercube:6"]
)
def test_dsatur_is_exact_on_easy_graphs(spec):
    graph = family(spec)
    assert dsatur(graph).k == graph.chi


@pytest.mark.parametrize("method", GREEDY)
def test_the_same_graph_gets_the_same_colors(method):
    one, two = (method(family("er:200x0.2", seed=5)).colors for _ in range(2))
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize("method", GREEDY)
def test_graphs_without_edges(method):
    assert method(Graph.from_edges(0, [])).k == 0
    assert method(Graph.from_edges(4, [])).colors.tolist() == [0, 0, 0, 0]


def slow_dsatur(graph, preset, forbidden, scores=None):
    """By sets; ties as the heap below leaves them, which is the order that rustworkx has."""
    colors = dict(preset)
    near = [graph.neighbors(v).tolist() for v in range(graph.n)]

    def taken(v):
        return {colors[u] for u in near[v] if u in colors} | set(forbidden.get(v, ()))

    def key(v):
        return len(taken(v)), sum(u not in colors for u in near[v])

    heap = Heap([v for v in range(graph.n) if v not in colors], key)
    while heap.nodes:
        v = heap.pop()
        wishes = (
            [] if scores is None else sorted(range(scores.shape[1]), key=lambda c: -scores[v, c])
        )
        free = (c for c in [*wishes, *range(graph.n + 300)] if c not in taken(v))
        colors[v] = next(free)
        heap.refresh([u for u in reversed(near[v]) if u not in colors])
    return [colors[v] for v in range(graph.n)]


class Heap:
    """A binary heap of nodes, the largest key first; keys are looked up once a change is told."""

    def __init__(self, nodes, key):
        self.nodes, self.key, self.keys = [], key, {v: key(v) for v in nodes}
        for v in nodes:
            self.nodes.append(v)
            self.up(len(self.nodes) - 1)

    def swap(self, a, b):
        self.nodes[a], self.nodes[b] = self.nodes[b], self.nodes[a]

    def at(self, place):
        return self.keys[self.nodes[place]]

    def up(self, place):
        while place and self.at((place - 1) // 2) < self.at(place):
            self.swap(place, (place - 1) // 2)
            place = (place - 1) // 2
        return place

    def down(self, place):
        while True:
            children = [c for c in (2 * place + 1, 2 * place + 2) if c < len(self.nodes)]
            best = max(children, key=lambda c: (self.at(c), -c), default=place)
            if self.at(best) <= self.at(place):
                return
            self.swap(place, best)
            place = best

    def pop(self):
        self.swap(0, -1)
        v = self.nodes.pop()
        if self.nodes:
            self.down(0)
        return v

    def refresh(self, nodes):
        for v in nodes:
            self.keys[v] = self.key(v)
            self.down(self.up(self.nodes.index(v)))


def by_rustworkx(graph, strategy):
    twin = rx.PyGraph(multigraph=False)
    twin.add_nodes_from(range(graph.n))
    twin.extend_from_edge_list([(u, v) for u, v in graph.edges.tolist()])
    colors = rx.graph_greedy_color(twin, strategy=strategy)
    return [colors[v] for v in range(graph.n)]


@pytest.mark.slow
@given(graphs())
def test_ties_are_those_of_rustworkx(graph):
    assert dsatur(graph).colors.tolist() == by_rustworkx(graph, rx.ColoringStrategy.Saturation)
    assert largest_first(graph).colors.tolist() == by_rustworkx(graph, rx.ColoringStrategy.Degree)


@pytest.mark.parametrize("spec", ["queen:13x13", "er:300x0.1", "er:80x0.9", "myciel:6", "grid:9x9"])
def test_ties_are_those_of_rustworkx_on_larger_graphs(spec):
    graph = family(spec)
    assert dsatur(graph).colors.tolist() == by_rustworkx(graph, rx.ColoringStrategy.Saturation)


def slow_rlf(graph):
    colors, c = {}, 0
    near = [set(graph.neighbors(v).tolist()) for v in range(graph.n)]
    order = list(range(graph.n))
    while len(colors) < graph.n:
        # ties of degree keep the order of the class before, as a stable sort does
        order = [v for v in order if v not in colors]
        left = set(order)
        degree = {v: len(near[v] & left) for v in left}
        order.sort(key=lambda v: degree[v])
        free, out, v = set(left), set(), order[-1]
        while True:
            colors[v] = c
            free -= {v}
            out |= near[v] & free
            free -= out
            if not free:
                break
            v = min(free, key=lambda v: (-len(near[v] & out), degree[v], order.index(v)))
        c += 1
    return [colors[v] for v in range(graph.n)]


def slow_core_order(graph):
    left, order = set(range(graph.n)), []
    near = [set(graph.neighbors(v).tolist()) for v in range(graph.n)]
    while left:
        order.append(min(len(near[v] & left) for v in left))
        left.remove(next(v for v in sorted(left) if len(near[v] & left) == order[-1]))
    return order


@pytest.mark.slow
@given(graphs())
def test_rlf_matches_its_definition(graph):
    assert rlf(graph).colors.tolist() == slow_rlf(graph)
    for dense in (True, False):  # two ways to find the same nodes
        assert recursive_largest_first(*csr(graph), dense).tolist() == slow_rlf(graph)


@pytest.mark.slow
@given(graphs(), st.data())
def test_dsatur_matches_its_definition_with_preset_and_forbidden_colors(graph, data):
    preset, forbidden = draw_rules(graph, data)
    rules = Rules.of(graph, preset, forbidden)
    assert saturated(graph, rules).tolist() == slow_dsatur(graph, preset, forbidden)


@pytest.mark.slow
@given(graphs(), st.integers(0, 5), st.integers(0, 3))
def test_scores_decide_between_the_colors_that_are_free(graph, k, seed):
    scores = np.random.default_rng(seed).integers(0, 4, (graph.n, k)).astype(np.float32)
    found = saturated(graph, Rules.of(graph), scores)
    assert found.tolist() == slow_dsatur(graph, {}, {}, scores)
    assert Coloring(graph, found).is_proper


@pytest.mark.slow
@given(graphs())
def test_each_node_of_the_core_order_had_the_smallest_degree_when_it_went(graph):
    order, left = core_order(graph)[::-1].tolist(), set(range(graph.n))
    for v in order:
        degree = {u: len(left & set(graph.neighbors(u).tolist())) for u in left}
        assert degree[v] == min(degree.values())
        left.remove(v)


@pytest.mark.slow
@given(graphs())
def test_smallest_last_needs_one_color_more_than_the_degeneracy_at_most(graph):
    degeneracy = max(slow_core_order(graph), default=-1)
    assert smallest_last(graph).k <= degeneracy + 1


@pytest.mark.slow
@given(graphs(), st.data())
def test_greedy_follows_the_order_it_is_given(graph, data):
    order = data.draw(st.permutations(range(graph.n)))
    colors = {}
    for v in order:
        taken = {colors[u] for u in graph.neighbors(v).tolist() if u in colors}
        colors[v] = min(set(range(graph.n)) - taken)
    assert greedy(graph, order).colors.tolist() == [colors[v] for v in range(graph.n)]


def test_an_order_that_is_none_is_refused():
    for wrong in ([0, 1], [0, 1, 1], [1, 2, 3]):
        with pytest.raises(InputError, match="3 nodes of path:3"):
            greedy(family("path:3"), wrong)


def draw_rules(graph, data):
    """Preset colors that no edge contradicts, and forbidden ones beside them."""
    color = st.integers(0, 6)
    drawn = data.draw(st.lists(st.none() | color, min_size=graph.n, max_size=graph.n))
    preset = {}
    for v, c in enumerate(drawn):
        if c is not None and c not in {preset.get(u) for u in graph.neighbors(v).tolist()}:
            preset[v] = c
    banned = data.draw(st.lists(st.sets(color, max_size=4), min_size=graph.n, max_size=graph.n))
    return preset, {v: colors - {preset.get(v)} for v, colors in enumerate(banned)}


@pytest.mark.slow
@pytest.mark.parametrize("method", RULED)
@given(graph=graphs(), data=st.data())
def test_preset_and_forbidden_colors_are_honored(method, graph, data):
    preset, forbidden = draw_rules(graph, data)
    coloring = method(graph, preset=preset, forbidden=forbidden)

    assert coloring.is_proper
    assert all(coloring.colors[v] == c for v, c in preset.items())
    assert all(coloring.colors[v] not in colors for v, colors in forbidden.items())


@pytest.mark.parametrize("method", RULED)
def test_more_than_64_colors_and_high_presets_fit(method):
    graph = family("complete:150")
    preset = {0: 149, 1: 64, 2: 300}
    coloring = method(graph, preset=preset)
    assert coloring.is_proper and coloring.k == 150
    assert coloring.colors[:3].tolist() == [149, 64, 300]
    assert dsatur(graph).k == 150


def test_rlf_colors_ten_thousand_nodes():
    graph = family("er:10000x0.001")
    assert rlf(graph).is_proper


def test_more_colors_than_scores_open_as_they_are_needed():
    graph = family("complete:150")
    scored = saturated(graph, Rules.of(graph), np.ones((150, 70), np.float32))
    assert sorted(scored) == list(range(150))


@given(graphs())
def test_independent_sets_as_written(graph):
    """Of those that may join, the one with fewest neighbors among them joins, lowest first."""
    colors, color = np.full(graph.n, -1), 0
    while (colors < 0).any():
        free = set(np.flatnonzero(colors < 0).tolist())
        while free:
            joins = min(free, key=lambda v: (len(free & set(graph.neighbors(v).tolist())), v))
            colors[joins] = color
            free -= {joins, *graph.neighbors(joins).tolist()}
        color += 1
    np.testing.assert_array_equal(independent_sets(graph), colors)
