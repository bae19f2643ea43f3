import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.decoding import guided, unguided
from concolor.decoding.guided import _fewest
from concolor.errors import InputError
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur


@pytest.fixture(scope="module", autouse=True)
def warm():
    """Compile, or load what was compiled, before any test looks at a clock."""
    unguided(family("path:3"))


@st.composite
def graphs(draw, most=12):
    n = draw(st.integers(0, most))
    pairs = [(u, v) for v in range(n) for u in range(v)]
    return Graph.from_edges(n, draw(st.lists(st.sampled_from(pairs))) if pairs else [])


def points(n, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def partition(colors):
    return {frozenset(np.flatnonzero(colors == c).tolist()) for c in np.unique(colors)}


@pytest.mark.slow
@given(graphs(), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
@settings(deadline=None)
def test_colorings_are_proper_whatever_the_embedding(graph, tries, draws, seed):
    z = np.stack([points(graph.n, seed=seed + draw) for draw in range(draws)])
    for found in (guided(graph, z, tries=tries, seed=seed), unguided(graph, tries=tries)):
        assert found.is_proper
        assert found.k <= graph.n
        assert set(found.colors) == set(range(found.k))


@pytest.mark.parametrize("z", [np.zeros((7, 3)), np.ones((7, 3)), np.eye(7)[:, :1]])
def test_embeddings_that_say_nothing_are_colored_all_the_same(z):
    assert guided(family("cycle:7"), z).k == 3


def planted(seed=0, n=40, k=4, noise=0.3):
    """A graph, its hidden classes, and an embedding that knows them up to signs and noise."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(n) % k
    pairs = np.array([(u, v) for v in range(n) for u in range(v)])
    across = classes[pairs[:, 0]] != classes[pairs[:, 1]]
    graph = Graph.from_edges(n, pairs[across & (rng.random(len(pairs)) < 0.5)])
    z = np.eye(8)[classes] + noise * rng.normal(size=(n, 8)) / np.sqrt(8)
    return graph, classes, z * rng.choice([-1, 1], (n, 1))


@pytest.mark.parametrize("seed", range(5))
def test_an_embedding_that_knows_the_classes_gives_them_under_any_labels(seed):
    graph, classes, z = planted(seed)
    order = np.random.default_rng(seed).permutation(graph.n)  # new node i was order[i]
    moved = Graph.from_edges(graph.n, np.argsort(order)[graph.edges])

    assert partition(guided(graph, z).colors) == partition(classes)
    assert partition(guided(moved, z[order]).colors) == partition(classes[order])


@pytest.mark.slow
def test_it_finds_what_dsatur_and_chance_miss():
    cases = [planted(seed, n=120, k=8, noise=0.6) for seed in range(4)]
    assert [guided(graph, z, tries=16).k for graph, _, z in cases] == [8] * 4
    assert min(dsatur(graph).k for graph, _, _ in cases) > 8
    assert min(unguided(graph, tries=16).k for graph, _, _ in cases) > 8


@pytest.mark.slow
@given(graphs(), st.integers(0, 99))
@settings(deadline=None)
def test_signs_and_lengths_of_the_rows_do_not_matter(graph, seed):
    z, rng = points(graph.n, seed=seed), np.random.default_rng(seed)
    scaled = z * rng.choice([-4, -1, 1, 2], (graph.n, 1))  # powers of two: nothing is rounded
    assert guided(graph, z).colors.tolist() == guided(graph, scaled).colors.tolist()


@pytest.mark.slow
def test_the_seed_decides_and_more_tries_never_need_more_colors():
    graph, z = family("er:60x0.4", seed=3), points(60, seed=1)
    for color in (lambda **how: guided(graph, z, **how), lambda **how: unguided(graph, **how)):
        assert color(seed=5).colors.tolist() == color(seed=5).colors.tolist()
        ks = [color(tries=tries).k for tries in (1, 4, 16)]
        assert ks == sorted(ks, reverse=True)
        assert ks[-1] < ks[0]


@pytest.mark.slow
def test_draws_take_turns():
    graph, _, z = planted(1, n=120, k=8, noise=0.6)
    useless = points(120, d=8, seed=2)
    assert guided(graph, np.stack([useless, useless, z]), tries=2).k > 8
    assert guided(graph, np.stack([useless, useless, z]), tries=60).k == 8


def test_without_time_there_is_one_try():
    graph, turns = family("myciel:4"), []

    def scores(turn, k):
        turns.append(turn)
        return np.ones((graph.n, k), np.float32)

    assert _fewest(graph, scores, 50, Clock(0)).is_proper and turns == [0]
    assert _fewest(graph, scores, 50, Clock()).is_proper and turns == [0, *range(50)]


def test_it_ends_where_a_clique_proves_it_best():
    turns = []

    def scores(turn, k):
        turns.append((turn, k))
        return np.ones((8, k), np.float32)

    assert _fewest(family("wheel:8"), scores, 50, Clock()).k == 4
    assert turns == [(0, 3), *((turn, 3) for turn in range(1, 50))]  # 4 is best, and not proved
    turns.clear()
    assert _fewest(family("bipartite:4x4"), scores, 50, Clock()).k == 2
    assert turns == [(0, 2)]
    turns.clear()
    assert _fewest(family("complete:8"), scores, 50, Clock()).k == 8
    assert turns == []  # one color each is as good as it gets


def test_bad_input_is_refused():
    square = family("cycle:4")
    with pytest.raises(InputError, match=r"shape \[n=4, d\] or \[draws, n, d\], got \(3, 2\)"):
        guided(square, np.zeros((3, 2)))
    with pytest.raises(InputError, match=r"got \(4,\)"):
        guided(square, np.zeros(4))
    with pytest.raises(InputError, match=r"got \(0, 4, 2\)"):
        guided(square, np.zeros((0, 4, 2)))
    with pytest.raises(InputError, match="finite"):
        guided(square, np.full((4, 2), np.nan))
    for color in (lambda: guided(square, np.eye(4), tries=0), lambda: unguided(square, tries=0)):
        with pytest.raises(InputError, match="tries must be at least 1, got 0"):
            color()


def test_it_returns_a_coloring_of_its_graph():
    graph = family("queen:5x5")
    found = guided(graph, points(25))
    assert isinstance(found, Coloring)
    assert found.graph is graph
