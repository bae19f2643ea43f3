import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.constraints import Constraints

ROOMS = Graph.from_edges(3, [(0, 1), (1, 2)], names=["math", "art", "music"])


def test_a_preset_that_contradicts_an_edge_is_refused_with_that_edge():
    with pytest.raises(InputError, match=r"math and art are adjacent .* preset to color 2"):
        Constraints.of(ROOMS, {0: 2, 1: 2})
    with pytest.raises(InputError, match="art and music"):
        Constraints.of(ROOMS, [-1, 0, 0])


def test_a_preset_that_is_forbidden_and_a_node_without_colors_are_refused():
    with pytest.raises(InputError, match="color 1 is preset and forbidden for node art"):
        Constraints.of(ROOMS, {1: 1}, {1: [0, 1]})
    with pytest.raises(InputError, match=r"all colors 0\.\.1 are forbidden for node music"):
        Constraints.of(ROOMS, None, {2: [0, 1, 7]}, k=2)


@pytest.mark.parametrize(
    ("preset", "forbidden", "k", "word"),
    [
        ({3: 0}, None, None, "node 3"),
        ({0: 3}, None, 3, r"color 3 is out of range 0\.\.2"),
        ({0: -1}, None, None, "color -1"),
        ({0: 10**9}, None, None, "1000000000"),
        ([0, 1], None, None, "shape"),
        ([0.5, 1, 1], None, None, "whole"),
        (None, {-1: [0]}, None, "node -1"),
        (None, {0: [-2]}, None, "-2"),
        (None, {0: ["red"]}, None, "whole"),
        (None, {0: [10**9]}, None, "1000000000"),
    ],
)
def test_what_is_no_node_or_no_color_is_refused(preset, forbidden, k, word):
    with pytest.raises(InputError, match=word):
        Constraints.of(ROOMS, preset, forbidden, k=k)


def test_mapping_and_array_mean_the_same():
    one, two = Constraints.of(ROOMS, {1: 4}), Constraints.of(ROOMS, np.array([-1, 4, -1]))
    assert one.preset.tolist() == two.preset.tolist() == [-1, 4, -1]


def test_nothing_given_is_nothing_asked():
    assert Constraints.of(ROOMS).are_none
    assert Constraints.of(ROOMS, {}, {}).are_none
    assert Constraints.of(ROOMS, [-1, -1, -1], {0: []}).are_none
    assert Constraints.of(ROOMS, None, {0: [5]}, k=3).are_none  # there is no color 5
    assert Constraints.of(family("path:1"), {0: 0}).are_none is False


@given(st.data())
def test_allow_and_accept_say_what_was_given(data):
    n = data.draw(st.integers(1, 6))
    graph, color = Graph.from_edges(n, []), st.integers(0, 5)
    preset = data.draw(st.dictionaries(st.integers(0, n - 1), color))
    forbidden = data.draw(st.dictionaries(st.integers(0, n - 1), st.sets(color, max_size=5)))
    forbidden = {v: colors - {preset.get(v)} for v, colors in forbidden.items()}
    rules = Constraints.of(graph, preset, forbidden)
    palette = np.array(sorted(data.draw(st.sets(color, min_size=1))))
    colors = np.array(data.draw(st.lists(st.integers(-1, 5), min_size=n, max_size=n)))

    def fine(v, c):
        return c not in forbidden.get(v, ()) and preset.get(v, c) == c

    assert rules.allow(palette).tolist() == [[fine(v, c) for c in palette] for v in range(n)]
    assert rules.accept(colors).tolist() == [fine(v, c) for v, c in enumerate(colors)]
