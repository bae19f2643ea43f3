from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.rules import Rules
from concolor.solvers import SOLVERS, solve

ROOMS = Graph.from_edges(3, [(0, 1), (1, 2)], names=["math", "art", "music"])


def test_a_preset_that_contradicts_an_edge_is_refused_with_that_edge():
    with pytest.raises(InputError, match=r"math and art are adjacent .* preset to color 2"):
        Rules.of(ROOMS, {0: 2, 1: 2})
    with pytest.raises(InputError, match="art and music"):
        Rules.of(ROOMS, [-1, 0, 0])


def test_a_preset_that_is_forbidden_and_a_node_without_colors_are_refused():
    with pytest.raises(InputError, match="color 1 is preset and forbidden for node art"):
        Rules.of(ROOMS, {1: 1}, {1: [0, 1]})
    with pytest.raises(InputError, match=r"all colors 0\.\.1 are forbidden for node music"):
        Rules.of(ROOMS, None, {2: [0, 1, 7]}, k=2)


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
        ({"gym": 0}, None, None, "preset: .* no node named 'gym'"),
        (None, {"gym": []}, None, "forbidden: .* no node named 'gym'"),
        ({0.0: 1}, None, None, "whole number or a name"),
        ({0: [1, 2]}, None, None, r"one color for node 0, got \[1, 2\]"),
        ({0: "red"}, None, None, "one color for node 0, got 'red'"),
        (None, {0: [10**9]}, None, "1000000000"),
        (None, {0: [[1], 2]}, None, "lists among them"),
    ],
)
def test_what_is_no_node_or_no_color_is_refused(preset, forbidden, k, word):
    with pytest.raises(InputError, match=word):
        Rules.of(ROOMS, preset, forbidden, k=k)


@pytest.mark.parametrize(
    ("preset", "forbidden", "counts", "words"),
    [
        (None, None, None, ""),
        ({"math": 1}, None, {"preset": 1, "forbidden": 0}, "1 preset"),
        (None, {0: [1, 2]}, {"preset": 0, "forbidden": 1}, "1 with forbidden colors"),
        (
            [2, -1, 0],
            {0: [1], 1: [0]},
            {"preset": 2, "forbidden": 2},
            "2 preset, 2 with forbidden colors",
        ),
    ],
)
def test_rules_say_how_many_nodes_they_are_about(preset, forbidden, counts, words):
    rules = Rules.of(ROOMS, preset, forbidden)
    assert (rules.counts, rules.describe()) == (counts, words)


def test_mapping_and_array_mean_the_same():
    one, two = Rules.of(ROOMS, {1: 4}), Rules.of(ROOMS, np.array([-1, 4, -1]))
    assert one.preset.tolist() == two.preset.tolist() == [-1, 4, -1]


def test_nothing_given_is_nothing_asked():
    assert Rules.of(ROOMS).are_none
    assert Rules.of(ROOMS, {}, {}).are_none
    assert Rules.of(ROOMS, [-1, -1, -1], {0: []}).are_none
    assert Rules.of(ROOMS, None, {0: [5]}, k=3).are_none  # there is no color 5
    assert Rules.of(family("path:1"), {0: 0}).are_none is False


@pytest.mark.slow
@given(st.data())
def test_allow_and_accept_say_what_was_given(data):
    n = data.draw(st.integers(1, 6))
    graph, color = Graph.from_edges(n, []), st.integers(0, 5)
    preset = data.draw(st.dictionaries(st.integers(0, n - 1), color))
    forbidden = data.draw(st.dictionaries(st.integers(0, n - 1), st.sets(color, max_size=5)))
    forbidden = {v: colors - {preset.get(v)} for v, colors in forbidden.items()}
    rules = Rules.of(graph, preset, forbidden)
    palette = np.array(sorted(data.draw(st.sets(color, min_size=1))))
    colors = np.array(data.draw(st.lists(st.integers(-1, 5), min_size=n, max_size=n)))

    def fine(v, c):
        return c not in forbidden.get(v, ()) and preset.get(v, c) == c

    assert rules.allow(palette).tolist() == [[fine(v, c) for c in palette] for v in range(n)]
    assert rules.accept(colors).tolist() == [fine(v, c) for v, c in enumerate(colors)]


def test_nodes_may_be_named_as_well_as_numbered():
    named = Rules.of(ROOMS, {"art": 4, 2: 1}, {"math": [3, 0], 2: (0,), "music": {5}})
    numbered = Rules.of(ROOMS, {1: 4, 2: 1}, {0: [0, 3], 2: [0, 5]})
    for part in ("preset", "ban_ptr", "bans"):
        assert getattr(named, part).tolist() == getattr(numbered, part).tolist()


def test_whole_numbers_are_numbers_even_where_names_are_numbers():
    crossed = Graph.from_edges(3, [], names=["2", "0", "1"])
    assert Rules.of(crossed, {2: 5}).preset.tolist() == [-1, -1, 5]
    assert Rules.of(crossed, {"2": 5}).preset.tolist() == [5, -1, -1]
    assert Rules.of(crossed, None, {"0": [5]}).ban_ptr.tolist() == [0, 0, 1, 1]


def test_a_node_given_by_number_and_by_name_needs_one_color():
    assert Rules.of(ROOMS, {"art": 1, 1: 1}).preset.tolist() == [-1, 1, -1]
    with pytest.raises(InputError, match=r"node art is given twice, .* colors 1 and 2; keep"):
        Rules.of(ROOMS, {"art": 1, 1: 2})


@pytest.mark.parametrize("method", [name for name in SOLVERS if "preset" in SOLVERS[name].options])
def test_every_solver_with_rules_takes_names(method):
    found = solve(ROOMS, method, k=3, preset={"math": 2}, forbidden={"music": [0, 2], "art": [1]})
    assert found.coloring.colors.tolist() == [2, 0, 1]
    with pytest.raises(InputError, match=r"preset: graph has no node named 'Math'.* 'math'"):
        solve(ROOMS, method, k=3, preset={"Math": 2})


@pytest.mark.slow
@given(st.data())
def test_the_fewest_colors_are_the_first_that_leave_one_for_every_node(data):
    n = data.draw(st.integers(0, 5))
    graph, color, nodes = Graph.from_edges(n, []), st.integers(0, 5), range(n)
    preset = data.draw(st.dictionaries(st.sampled_from(nodes), color)) if n else {}
    forbidden = {v: data.draw(st.sets(color)) - {preset.get(v)} for v in nodes}
    rules = Rules.of(graph, preset, forbidden)
    slow = next(k for k in range(1, 9) if rules.allow(np.arange(k)).any(axis=1).all())
    assert rules.fewest == slow


LISTED = family("cycle:5").but(lists={0: [1], 1: [0, 2], 3: [2, 3]})


def banned(rules, node):
    return rules.bans[rules.ban_ptr[node] : rules.ban_ptr[node + 1]].tolist()


@pytest.mark.parametrize(("k", "top"), [(None, 4), (4, 4), (6, 6)])
def test_a_node_with_a_list_has_no_other_color(k, top):
    rules = Rules.of(LISTED, k=k)
    for node in range(5):
        others = set(range(top)) - set(LISTED.lists.get(node, range(top)))
        assert banned(rules, node) == sorted(others)
    assert rules.preset.tolist() == [1, -1, -1, -1, -1]  # a list of one color


def test_lists_go_with_preset_and_forbidden_colors():
    rules = Rules.of(LISTED, {3: 2}, {1: [2], 2: [0, 9]})
    assert rules.preset.tolist() == [1, -1, -1, 2, -1]
    assert [banned(rules, 1), banned(rules, 2)] == [[1, 2, 3], [0]]


@pytest.mark.parametrize(
    ("preset", "forbidden", "k", "message"),
    [
        ({3: 0}, None, None, "color 0 is preset and forbidden for node 3"),
        ({0: 2}, None, None, "color 2 is preset and forbidden for node 0"),
        (None, {1: [0, 2]}, None, r"all colors 0\.\.3 are forbidden for node 1"),
        (None, None, 2, r"all colors 0\.\.1 are forbidden for node 3; allow one, or raise k"),
        (None, None, 1, "node 0"),
        ({2: 4}, None, None, r"color 4 is out of range 0\.\.3"),
    ],
)
def test_what_lists_do_not_leave_room_for_is_refused(preset, forbidden, k, message):
    with pytest.raises(InputError, match=message):
        Rules.of(LISTED, preset, forbidden, k=k)


def test_neighbors_with_the_same_single_color_are_refused():
    graph = ROOMS.but(lists={0: [1], 1: [1]})
    with pytest.raises(InputError, match="math and art are adjacent and both preset to color 1"):
        Rules.of(graph)


def test_a_list_with_a_color_beyond_reason_needs_a_k():
    graph = ROOMS.but(lists={0: [10**6]})
    with pytest.raises(InputError, match=r"lists: color 1000000 is out of range.*give a k above"):
        Rules.of(graph)


@pytest.mark.parametrize(
    "method", [name for name in SOLVERS if "forbidden" in SOLVERS[name].options]
)
def test_solvers_color_from_the_lists(method):
    found = solve(LISTED, method)
    assert found.coloring.is_proper and found.goal.k == 4
    for node, allowed in LISTED.lists.items():
        assert found.coloring.colors[node] in allowed


@st.composite
def ruled(draw, top=5):
    """A graph without edges, its rules, and classes of its nodes that keep the presets."""
    n, color = draw(st.integers(1, 6)), st.integers(0, top - 1)
    colors = np.array(draw(st.lists(color, min_size=n, max_size=n)))
    preset = {v: int(colors[v]) for v in draw(st.sets(st.integers(0, n - 1), max_size=2))}
    banned = draw(st.dictionaries(st.integers(0, n - 1), st.sets(color), max_size=4))
    forbidden = {v: banned[v] - {preset.get(v)} for v in banned}
    return Rules.of(Graph.from_edges(n, []), preset, forbidden), colors


def renamings(rules, colors, top):
    """All other names below ``top`` for the classes, and ``top`` for one without a name."""
    names, member = np.unique(colors, return_inverse=True)
    for new in set(permutations([*range(top), *[top] * len(names)], len(names))):
        yield np.array(new)[member]


@pytest.mark.slow
@given(ruled(), st.none() | st.integers(1, 5))
@settings(deadline=None, max_examples=100)
def test_renumbered_classes_have_the_lowest_names_of_all(given_, k):
    rules, colors = given_
    if k is not None and rules.preset.max() >= k:
        return  # refused at the door
    top = k or 10  # five classes, and five names that may be forbidden
    fixed = set(rules.preset_colors.tolist())
    classes = [colors == c for c in np.unique(colors)]
    allowed = rules.allow(np.arange(top))
    fine = [
        [
            c
            for c in range(top)
            if allowed[has, c].all() and (c in fixed) == (colors[has][0] in fixed)
        ]
        for has in classes
    ]
    found = rules.renumbered(colors, k)
    if found is None:
        assert lowest(fine) is None
        return
    assert rules.accept(found).all()
    assert sorted(int(found[has][0]) for has in classes) == lowest(fine)
    assert all(len(set(found[has].tolist())) == 1 for has in classes)
    assert rules.renumbered(found, k).tolist() == found.tolist()


def lowest(choices):
    """The smallest sum of different numbers, one of each list, ascending; None without such."""
    if not choices:
        return []
    every = (
        (c, lowest([[x for x in other if x != c] for other in choices[1:]])) for c in choices[0]
    )
    return min((sorted([c, *rest]) for c, rest in every if rest is not None), key=sum, default=None)


@pytest.mark.slow
@given(ruled(4), st.data())
@settings(deadline=None, max_examples=60)
def test_adapted_classes_suit_as_many_nodes_as_any_names_would(given_, data):
    rules, colors = given_
    colors = data.draw(st.permutations(colors.tolist())) if data.draw(st.booleans()) else colors
    colors, palette = np.array(colors), np.arange(data.draw(st.integers(1, 4)))
    found = rules.adapted(colors, palette)
    most = max(
        (rules.accept(new) & (new < len(palette))).sum()
        for new in renamings(rules, colors, len(palette))
    )
    assert found.max() < len(palette) and (found >= 0).sum() == most
    kept = found >= 0
    assert rules.accept(found)[kept].all()
    for a, b in zip(*np.nonzero(kept[:, None] & kept), strict=True):
        assert (found[a] == found[b]) == (colors[a] == colors[b])
    assert rules.adapted(found, palette).tolist() == found.tolist()


def test_a_palette_holds_the_preset_colors_and_others_that_no_rule_names():
    rules = Rules.of(ROOMS, {"art": 4}, {"math": [0, 7]})
    assert rules.preset_colors.tolist() == [4]
    assert rules.palette(3).tolist() == [4, 8, 9]
    assert Rules.of(ROOMS).palette(2).tolist() == [0, 1]
