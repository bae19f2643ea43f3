"""Names beside nodes hide nothing and avoid edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.viz.names import crossings, names_beside
from concolor.viz.picture import text_width

NO_EDGES = np.zeros((0, 2), np.int64)
RADIUS = 10.0


def box(text):
    """Left, top, right and bottom of a name."""
    wide = text_width(text.text, text.size)
    left = text.x - wide * {"start": 0, "middle": 0.5, "end": 1}[text.anchor]
    return left, text.y - text.size / 2, left + wide, text.y + text.size / 2


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(1, 40))
def test_names_hide_neither_marks_nor_names_and_stay_on_the_sheet(seed, n):
    rng = np.random.default_rng(seed)
    places = rng.random((n, 2)) * (400, 300)
    names = ["x" * length for length in rng.integers(1, 12, n)]
    texts = names_beside(names, places, RADIUS, rng.integers(0, n, (2 * n, 2)), sheet=(400, 300))
    boxes = [box(text) for text in texts]
    marks = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places]
    for place, name in enumerate(boxes):
        assert min(name[:2]) >= 0 and name[2] <= 400 and name[3] <= 300
        assert not any(overlap(name, other) for other in marks + boxes[:place])


@pytest.mark.parametrize(
    ("neighbors", "anchor", "below"),
    [
        ([], "start", 0),
        ([(190, 100)], "end", 0),
        ([(190, 100), (10, 100)], "middle", 1),
        ([(190, 100), (10, 100), (100, 190)], "middle", -1),
    ],
)
def test_a_name_goes_where_no_edge_is(neighbors, anchor, below):
    places = np.array([(100.0, 100.0), *neighbors])
    edges = np.array([(0, v) for v in range(1, len(places))] or NO_EDGES).reshape(-1, 2)
    name = names_beside(["me", *"abc"[: len(neighbors)]], places, 10, edges, sheet=(200, 200))[0]
    assert name.text == "me" and name.anchor == anchor
    assert np.sign(name.y - 100) == below


def test_a_name_without_room_is_left_out():
    places = np.array([(30.0, 30.0), (170.0, 30.0)])
    texts = names_beside(["short", "w" * 40], places, 10, NO_EDGES, sheet=(200, 60))
    assert [text.text for text in texts] == ["short"]


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_crossings_are_those_of_many_points_on_the_segments(seed):
    rng = np.random.default_rng(seed)
    start, end = rng.random((2, 20, 2)) * 10
    low = rng.random(2) * 5
    area = np.concatenate([low, low + 1 + rng.random(2) * 4])
    steps = np.linspace(0, 1, 20_001)[:, None, None]
    points = start + steps * (end - start)
    inside = ((points >= area[:2]) & (points <= area[2:])).all(axis=2).any(axis=0).sum()
    close = ((points >= area[:2] - 1e-3) & (points <= area[2:] + 1e-3)).all(axis=2).any(axis=0)
    assert inside <= crossings(area, start, end) <= close.sum()
