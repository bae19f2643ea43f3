"""The colored graph shows every node and every conflict, large graphs as a matrix."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur
from concolor.solvers.null import null
from concolor.viz import colored_graph, sorted_matrix
from concolor.viz import graph as room
from concolor.viz.palette import CONFLICT
from concolor.viz.picture import Boxes, Image, Lines, Marks, Text


def of(picture, kind, name):
    """The only item of that class and kind."""
    (item,) = (i for i in picture.items if isinstance(i, kind) and getattr(i, "kind", "") == name)
    return item


def texts(picture, kind):
    return [item.text for item in picture.items if isinstance(item, Text) and item.kind == kind]


@pytest.mark.parametrize("k", [2, 5])
def test_every_node_and_every_edge_is_there_once(k):
    coloring = null(family("queen:5x6"), k)
    picture = colored_graph(coloring)
    tree = ET.fromstring(picture.svg())
    groups = {e.get("class", "").split()[-1:][0]: e for e in tree.iter() if e.get("class")}
    titles = [mark[0].text for mark in groups["nodes"]]
    assert titles == [
        f"{v} · color {coloring.colors[v]} · degree {coloring.graph.degrees[v]}"
        for v in range(coloring.graph.n)
    ]
    assert groups["conflicts"].get("d").count("M") == coloring.conflicts > 0
    assert groups["edges"].get("d").count("M") == coloring.graph.m - coloring.conflicts
    assert groups["conflicts"].get("stroke-dasharray")
    assert float(groups["conflicts"].get("stroke-width")) > 2 * float(
        groups["edges"].get("stroke-width")
    )


def test_edges_end_in_their_nodes():
    coloring = dsatur(family("petersen"))
    picture = colored_graph(coloring)
    nodes, edges = of(picture, Marks, "nodes"), of(picture, Lines, "edges")
    np.testing.assert_array_equal(edges.points, nodes.at[coloring.graph.edges])


def test_nodes_lie_on_the_sheet_apart_from_each_other():
    picture = colored_graph(dsatur(family("queen:12x12")))
    nodes = of(picture, Marks, "nodes")
    assert nodes.at.min() > nodes.radius
    assert nodes.at.max(axis=0)[0] < picture.width - nodes.radius
    assert nodes.at.max(axis=0)[1] < picture.height - nodes.radius
    gaps = np.linalg.norm(nodes.at[:, None] - nodes.at[None], axis=2) + 999 * np.eye(144)
    assert gaps.min() > 1.6 * nodes.radius


def test_colors_have_one_look_and_small_graphs_their_number():
    coloring = Coloring(family("cycle:4"), [7, 2, 7, 2])
    picture = colored_graph(coloring)
    marks = of(picture, Marks, "nodes")
    looks = list(zip(marks.fills, marks.shapes, strict=True))
    assert looks[0] == looks[2] != looks[1] == looks[3]
    assert texts(picture, "number") == ["7", "2", "7", "2"]
    assert texts(picture, "") == ["2: 2", "7: 2"]


def test_small_graphs_have_the_names_of_their_nodes(monkeypatch):
    names = ["Ann", "Bo", "Cy", "Di"]
    coloring = dsatur(Graph.from_edges(4, family("cycle:4").edges, names=names))
    assert texts(colored_graph(coloring), "name") == names
    monkeypatch.setattr(room, "NAMED", 8)
    assert texts(colored_graph(coloring), "name") == names
    monkeypatch.setattr(room, "NAMED", 7)
    assert texts(colored_graph(coloring), "name") == []


@pytest.mark.parametrize("n", [0, 1, 3])
def test_graphs_without_edges_can_be_drawn(n):
    coloring = dsatur(Graph.from_edges(n, []))
    for picture in (colored_graph(coloring), sorted_matrix(coloring)):
        ET.fromstring(picture.svg())


def test_the_matrix_takes_over_above_the_limits(monkeypatch):
    coloring = null(family("queen:5x5"), 3)
    assert "nodes and edges" in colored_graph(coloring).label
    monkeypatch.setattr(room, "NODES", 24)
    assert colored_graph(coloring).label == sorted_matrix(coloring).label
    monkeypatch.setattr(room, "NODES", 25)
    monkeypatch.setattr(room, "EDGES", coloring.graph.m - 1)
    assert colored_graph(coloring).label == sorted_matrix(coloring).label


def test_the_matrix_is_the_sorted_adjacency_with_conflicts_on_the_diagonal():
    coloring = null(family("er:40:0.2"), 4)
    picture = sorted_matrix(coloring)
    all_edges, conflicts = (item for item in picture.items if isinstance(item, Image))
    order = np.argsort(coloring.colors, kind="stable")
    adjacency = coloring.graph.adjacency().toarray()[order][:, order] > 0
    same = coloring.colors[order][:, None] == coloring.colors[order]
    np.testing.assert_array_equal(all_edges.pixels[..., 3] > 0, adjacency)
    np.testing.assert_array_equal(conflicts.pixels[..., 3] > 0, adjacency & same)
    over, beside = (item for item in picture.items if isinstance(item, Boxes))
    assert over.boxes[:, 2].sum() == pytest.approx(all_edges.box[2])
    assert over.titles == beside.titles == [f"color {c}: 10 nodes" for c in range(4)]
    (rings,) = (i for i in picture.items if isinstance(i, Lines) and i.ink == CONFLICT)
    assert len(rings.points) == 2 * coloring.conflicts


@pytest.mark.slow
def test_a_large_graph_is_small_on_paper():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(20_000, rng.integers(0, 20_000, (60_000, 2)))
    picture = colored_graph(dsatur(graph))
    (pixels, _) = (item.pixels for item in picture.items if isinstance(item, Image))
    assert pixels.shape == (640, 640, 4)
    assert len(picture.svg()) < 500_000


def test_given_positions_keep_their_shape_with_y_up():
    graph = family("cycle:4")
    given = 1e-3 * np.array([[0, 0], [2, 0], [2, 1], [0, 1]])
    nodes = of(colored_graph(dsatur(graph), positions=given), Marks, "nodes")
    across, down = nodes.at[1] - nodes.at[0], nodes.at[0] - nodes.at[3]
    assert across == pytest.approx([room.SIDE - 2 * room.EDGE, 0])
    assert down == pytest.approx([0, across[0] / 2])
    whole = colored_graph(dsatur(graph), positions=[[5, 5], [7, 5], [7, 6], [5, 6]])
    np.testing.assert_allclose(of(whole, Marks, "nodes").at, nodes.at)
    assert of(whole, Lines, "edges").points.shape == (4, 2, 2)


def test_nodes_in_one_place_stay_there():
    nodes = of(colored_graph(dsatur(family("path:3")), positions=np.ones((3, 2))), Marks, "nodes")
    np.testing.assert_allclose(nodes.at, [[room.SIDE / 2, room.EDGE]] * 3)


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        (np.zeros((4, 2)), r"shape \[n=3, 2\], .* got float64 \(4, 2\)"),
        (np.zeros((3, 3)), r"\(3, 3\)"),
        ([["a", "b"]] * 3, "numbers"),
        ([[0, 0], [1, np.nan], [0, 1]], r"finite, got \[1.0, nan\] for node 1"),
    ],
)
def test_bad_positions_are_refused(positions, message, monkeypatch):
    coloring = dsatur(family("path:3"))
    with pytest.raises(InputError, match=message):
        colored_graph(coloring, positions=positions)
    monkeypatch.setattr(room, "NODES", 2)  # where a matrix is drawn, too
    with pytest.raises(InputError, match=message):
        colored_graph(coloring, positions=positions)


def test_large_graphs_are_a_matrix_wherever_their_nodes_are(monkeypatch):
    monkeypatch.setattr(room, "NODES", 2)
    coloring = dsatur(family("path:3"))
    assert colored_graph(coloring, positions=np.eye(3, 2)).label == sorted_matrix(coloring).label
