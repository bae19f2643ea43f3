"""What a notebook shows."""

import base64
import re
from xml.etree import ElementTree

import pytest

import concolor as cc


def shown(thing):
    """The picture as SVG, or None, and the texts of the rows."""
    page = ElementTree.fromstring(thing._repr_html_())
    image = page.find("img")
    picture = None
    if image is not None:
        kind, _, code = image.get("src").partition(",")
        assert kind == "data:image/svg+xml;base64" and image.get("alt")
        picture = ElementTree.fromstring(base64.b64decode(code))
    return picture, ["".join(row.itertext()) for row in page.iter("tr")]


def test_a_graph_is_drawn_without_colors():
    picture, rows = shown(cc.Graph.from_edges(3, [(0, 1), (1, 2), (1, 1)], names=["a", "<b>", "c"]))
    assert "conflicts" not in ElementTree.tostring(picture, encoding="unicode")
    assert rows == [
        "graphgraph",
        "nodes, edges3, 2",
        "degrees1 to 2, 1.33 in the mean",
        "nameda, <b>, c",
        "removed1 loops, 0 copies of edges",
    ]


def test_a_large_graph_has_facts_only_and_an_empty_one_too():
    assert shown(cc.family("er:3000x0.01"))[0] is None
    assert shown(cc.Graph.from_edges(0, []))[1] == ["graphgraph", "nodes, edges0, 0"]


def test_a_coloring_says_whether_it_is_proper():
    graph = cc.family("cycle:5")
    assert "conflicts0, proper" in shown(cc.dsatur(graph))[1]
    picture, rows = shown(cc.Coloring(graph, [0, 1, 0, 1, 0]))
    assert "conflicts1" in rows and "classes2 to 3 nodes" in rows
    assert "with 1 conflicts" in picture.get("aria-label")


@pytest.mark.parametrize(("k", "row"), [(None, "fewest colors3, proved"), (2, "fewest conflicts")])
def test_a_solution_says_what_is_proved(k, row):
    assert any(text.startswith(row) for text in shown(cc.solve(cc.family("cycle:5"), k=k))[1])


def test_a_certificate_shows_its_bracket_and_what_each_side_proves():
    rows = shown(cc.certify(cc.family("petersen")))[1]
    assert "χ3, proved" in rows
    assert any("χ ≤ 3: a proper coloring has 3 colors." in row for row in rows)


def test_an_answer_shows_the_model_beside_chance():
    (answer,) = cc.answers([cc.family("queen:6x6")], bounds_first=False)
    rows = shown(answer)[1]
    for name in ("began as", "time", "DSATUR", "model general alone", "chance, by the same rule"):
        assert any(row.startswith(name) for row in rows), name
    (brief,) = cc.answers([cc.family("petersen")])
    assert not any(row.startswith("model") for row in shown(brief)[1])


def test_a_sweep_shows_its_curve():
    (answer,) = cc.answers([cc.family("queen:6x6")], polish=False, max_mono=0.05)
    picture, rows = shown(answer.sweep)
    assert picture is not None
    assert f"k{answer.sweep.k_star()}" in rows
    assert any(re.match(r"rule at most 0\.05|ruleat most 0\.05", row) for row in rows)
