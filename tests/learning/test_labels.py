import numpy as np
import pytest

from concolor.coloring import Coloring
from concolor.errors import InputError, UnknownName
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.learning import labels
from concolor.learning.labels import LABELERS, label


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


def test_optimal_labels_are_refused_where_nothing_proves_them(monkeypatch):
    monkeypatch.setattr(labels, "PROOF_SECONDS", 0.0)
    with pytest.raises(InputError, match="no proof"):
        label([family("queen:8x8")], "optimal")


def test_labelers_are_named():
    assert set(LABELERS) == {"dsatur", "optimal"}
    with pytest.raises(UnknownName, match="dsatur"):
        label([family("cycle:4")], "dsature")
