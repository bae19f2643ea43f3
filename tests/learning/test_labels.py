import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import InputError, Interrupted, UnknownName
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.learning.labels import LABELERS, follow, label, optimal
from concolor.solvers.greedy import dsatur


def test_dsatur_labels_are_proper_and_contiguous():
    graphs = [family("queen:6x6"), family("cycle:9")]
    for graph, colors in zip(graphs, label(graphs), strict=True):
        assert Coloring(graph, colors).is_proper
        assert set(colors) == set(range(colors.max() + 1))


def test_given_colorings_are_taken_and_made_contiguous():
    square = family("cycle:4")
    (colors,) = label([square], [[7, 3, 7, 3]])
    assert colors.tolist() == [1, 0, 1, 0]
    (same,) = label([square], [Coloring(square, np.array([7, 3, 7, 3]))])
    assert same.tolist() == colors.tolist()


def test_an_improper_coloring_is_refused_with_its_first_bad_edge():
    path = Graph.from_edges(3, [(0, 1), (1, 2)], name="way", names=["a", "b", "c"])
    with pytest.raises(InputError, match=r"way are not proper: edge \(b, c\) has color 1"):
        label([path], [[0, 1, 1]])


def test_labels_of_another_graph_or_count_are_refused():
    with pytest.raises(InputError, match="2 label colorings for 1 graphs"):
        label([family("cycle:4")], [[0, 1, 0, 1]] * 2)
    with pytest.raises(InputError, match="color"):
        label([family("cycle:4")], [Coloring(family("path:4"), np.array([0, 1, 0, 1]))])
    with pytest.raises(InputError):
        label([family("cycle:4")], [[0, 1, 0]])


def test_a_function_may_label():
    (colors,) = label([family("path:3")], lambda g: Coloring(g, np.array([0, 1, 0])))
    assert colors.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "spec", ["cycle:8", "cycle:9", "path:5", "petersen", "complete:6", "queen:6x6"]
)
def test_optimal_labels_use_chi_colors(spec):
    graph = family(spec)
    (colors,) = label([graph], "optimal")
    assert colors.max() + 1 == graph.chi


@pytest.mark.slow
def test_tabucol_labels_repeat_and_need_fewer_colors_than_dsatur():
    graphs = [family("queen:7x7"), family("er:80x0.3", seed=1), family("exam:80x300")]
    labels, again = label(graphs, "tabucol"), label(graphs, "tabucol")
    for graph, colors, twin, greedy in zip(graphs, labels, again, label(graphs), strict=True):
        assert Coloring(graph, colors).is_proper
        assert np.array_equal(colors, twin)
        assert colors.max() < greedy.max()


@pytest.mark.parametrize("absolute", [True, False])
def test_labels_that_follow_are_the_clusters_with_the_last_color_where_it_is_needed(absolute):
    graph, rng = family("cycle:13"), np.random.default_rng(0)
    classes = np.arange(13) % 2  # both ends of the edge 12, 0 have color 0
    signs = rng.choice([-1, 1], (13, 1)) if absolute else 1
    z = np.float32(np.eye(4)[classes] * signs)

    found = follow(graph, np.arange(13) % 3 + (np.arange(13) == 12), z, absolute=absolute)

    assert Coloring(graph, found).is_proper
    assert sorted(np.bincount(found)) == [1, 6, 6]
    lonely = np.flatnonzero(found == np.bincount(found).argmin())
    assert lonely in (0, 12)


def test_labels_that_follow_use_no_more_colors_than_the_label():
    graph, z = family("cycle:12"), np.float32(np.eye(3)[np.arange(12) % 3])
    found = follow(graph, np.arange(12) % 2, z)
    assert set(found) == {0, 1}
    assert Coloring(graph, found).is_proper


def test_a_label_stays_where_nothing_is_found_near_the_embedding():
    graph = family("queen:7x7")
    (colors,) = label([graph], "optimal")
    z = np.random.default_rng(0).normal(size=(49, 8)).astype(np.float32)
    assert follow(graph, colors, z, patience=1) is colors


@pytest.mark.slow
@given(st.integers(2, 25), st.integers(0, 50))
@settings(deadline=None)
def test_labels_that_follow_are_proper_and_repeat(n, seed):
    graph = family(f"er:{n}x0.3", seed=seed)
    (colors,) = label([graph])
    z = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    found = follow(graph, colors, z, seed=seed)
    assert Coloring(graph, found).is_proper
    assert 0 <= found.min() <= found.max() <= colors.max()
    assert np.array_equal(found, follow(graph, colors, z, seed=seed))


@pytest.mark.slow
def test_relaxed_labels_have_few_conflicts_and_fewer_colors():
    graphs = [family("queen:7x7"), family("er:80x0.3", seed=1), family("interval:60x6")]
    for graph, few, proper in zip(
        graphs, label(graphs, "relaxed"), label(graphs, "tabucol"), strict=True
    ):
        assert 0 < Coloring(graph, few).mono <= 0.05
        assert few.max() < proper.max()
        assert set(few) == set(range(few.max() + 1))
        (fewer,) = label([graph], "relaxed3")
        assert Coloring(graph, fewer).mono <= 0.03 and few.max() <= fewer.max() <= proper.max()


@pytest.mark.slow
def test_labels_that_follow_a_relaxed_one_have_no_more_colors_and_conflicts():
    graph = family("er:60x0.3", seed=2)
    (colors,) = label([graph], "relaxed")
    moved = 0
    for seed in range(5):
        z = np.random.default_rng(seed).normal(size=(60, 8)).astype(np.float32)
        found = follow(graph, colors, z, seed=seed)
        moved += not np.array_equal(found, colors)
        assert found.max() <= colors.max()
        assert Coloring(graph, found).conflicts <= Coloring(graph, colors).conflicts
    assert moved


def test_optimal_labels_are_refused_where_nothing_proves_them():
    with pytest.raises(InputError, match="no proof"):
        optimal(family("queen:8x8"), time_limit=0.0)


def test_ctrl_c_in_a_solver_is_no_label(monkeypatch):
    def interrupted(given, **options):
        raise Interrupted(dsatur(graph))

    monkeypatch.setattr("concolor.solvers.local_search.tabucol", interrupted)
    graph = family("cycle:5")
    for search in (
        lambda: label([graph], "tabucol"),
        lambda: label([graph], interrupted),
        lambda: follow(graph, np.arange(5) % 3, np.eye(5, dtype=np.float32)),
    ):
        with pytest.raises(KeyboardInterrupt) as stop:
            search()
        assert not isinstance(stop.value, Interrupted)


def test_a_function_may_give_an_array_and_is_held_to_the_graph():
    path = family("path:3")
    (colors,) = label([path], lambda g: [4, 2, 4])
    assert colors.tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="color cycle:4"):
        label([path], lambda g: dsatur(family("cycle:4")))
    with pytest.raises(InputError, match="not proper"):
        label([path], lambda g: [0, 0, 1])


def test_labelers_are_named():
    assert set(LABELERS) == {"dsatur", "tabucol", "optimal", "relaxed", "relaxed3"}
    with pytest.raises(UnknownName, match="dsatur"):
        label([family("cycle:4")], "dsature")
