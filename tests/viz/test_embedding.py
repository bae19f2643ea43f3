"""The sphere and the heat map show the nodes, the prototypes and their inner products."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur
from concolor.theory import collapse
from concolor.viz import embedding, gram_map, sphere
from concolor.viz.palette import luminance
from concolor.viz.picture import Boxes, Image, Lines, Marks, Text
from viz.samples import near_prototypes


def test_every_node_is_a_point_and_every_color_a_line_through_the_center():
    coloring = dsatur(family("queen:5x5"))
    picture = sphere(coloring, near_prototypes(coloring, 30))
    (points,) = (item for item in picture.items if isinstance(item, Marks))
    names = [int(title.partition(" ")[0]) for title in points.titles]
    assert sorted(names) == list(range(25))
    lines = [i for i in picture.items if isinstance(i, Lines) and i.kind == "prototype"]
    assert len(lines) == coloring.k
    for line in lines:
        np.testing.assert_allclose(line.points.mean(axis=(0, 1)), picture.width / 2)
    assert {t.text for t in picture.items if isinstance(t, Text)} == set(
        map(str, range(coloring.k))
    )
    ET.fromstring(picture.svg())


def test_collapsed_nodes_lie_on_the_line_of_their_color():
    coloring = dsatur(family("queen:6x6"))
    z = near_prototypes(coloring, 30, noise=0.0)
    picture = sphere(coloring, z)
    (points,) = (item for item in picture.items if isinstance(item, Marks))
    lines = [i for i in picture.items if isinstance(i, Lines) and i.kind == "prototype"]
    for at, title in zip(points.at, points.titles, strict=True):
        ((start, end),) = lines[int(title.rpartition(" ")[2])].points
        along, off = end - start, at - start
        assert abs(along[0] * off[1] - along[1] * off[0]) < 1e-6 * (1 + along @ along)


def test_of_many_nodes_some_are_drawn_at_random():
    coloring = dsatur(family("cycle:50"))
    z = near_prototypes(coloring, 8)
    picture, again = (sphere(coloring, z, seed=1, most=10) for _ in range(2))
    (points,) = (item for item in picture.items if isinstance(item, Marks))
    assert len(points.at) == 10 and picture.label.startswith("10 of 50 nodes")
    assert picture.svg() == again.svg() != sphere(coloring, z, seed=2, most=10).svg()


def test_an_embedding_of_another_size_is_refused():
    with pytest.raises(InputError, match=r"must have shape \[5, d\], got \(4, 3\)"):
        sphere(dsatur(family("cycle:5")), np.eye(4)[:, :3])


@pytest.mark.parametrize("k", [1, 5, 25, 45])
def test_the_heat_map_is_darker_where_lines_are_more_parallel(k):
    graph = Graph.from_edges(k + 1, [])
    rng = np.random.default_rng(0)
    z = rng.normal(size=(k + 1, 6))
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    found = collapse(graph, np.minimum(np.arange(k + 1), k - 1), z)
    picture = gram_map(found)
    expected = np.abs(found.gram).ravel()
    if k <= embedding.CELLS:
        cells = next(item for item in picture.items if isinstance(item, Boxes))
        values = [float(title.rpartition(" ")[2]) for title in cells.titles]
        np.testing.assert_allclose(values, expected, atol=5e-4)
        light = [luminance(fill) for fill in cells.fills]
    else:
        (image,) = (item for item in picture.items if isinstance(item, Image))
        light = image.pixels[..., 0].ravel() / 255
    order = np.argsort(expected)
    assert (np.diff(np.array(light)[order]) <= 1e-2).all()
    ET.fromstring(picture.svg())


def test_few_colors_have_their_numbers_in_the_cells():
    coloring = Coloring(family("path:3"), [4, 1, 4])
    picture = gram_map(collapse(coloring.graph, coloring.colors, [[1, 0], [0.6, 0.8], [-1, 0]]))
    numbers = [
        t.text for t in picture.items if isinstance(t, Text) and re.match(r"\d\.\d\d", t.text)
    ]
    assert numbers == ["1.00", "0.60", "0.60", "1.00"]
    assert "colors 1 and 4: 0.600" in picture.svg()
