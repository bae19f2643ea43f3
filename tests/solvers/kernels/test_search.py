"""What the compiled moves keep in step, recounted from nothing."""

from inspect import getsource

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import count_conflicts
from concolor.goal import Task
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.structure import arrange
from concolor.solvers.kernels import partial as partial_kernels
from concolor.solvers.kernels import search as search_kernels
from concolor.solvers.kernels.partial import (
    LONGER,
    STILL,
    TENURE,
    WINDOW,
    lay_bare,
    partial_search,
)
from concolor.solvers.kernels.search import (
    BARE,
    BEGUN,
    BEST,
    CONFLICTS,
    FORBIDDEN,
    IMPROVED,
    LATE,
    LISTED,
    MOVES,
    OWN,
    WEIGHT,
    Weights,
    discrete_search,
    draw,
    move,
    tabu_search,
    weighted_search,
)
from concolor.solvers.local_search import begin_part
from concolor.solvers.search import Search

UNSAID = np.iinfo(np.int64).max


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 14))
    node = st.integers(0, n - 1)
    return Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=60)))


def a_state(graph, k, *, seed=0, forbidden=None):
    """All nodes colored as they come, the rest of the state filled in."""
    search = Search(Task.of(graph, k=k, forbidden=forbidden, seed=seed))
    return search._state(np.arange(k), np.full(graph.n, -1), search.draws[0])


def check(graph, state):
    n, k = state.table.shape
    table = np.zeros((n, k), int)
    for v in range(n):
        for u in graph.neighbors(v):
            table[v, state.colors[u]] += 1
    assert (state.table % FORBIDDEN).tolist() == table.tolist()
    assert state.counts[CONFLICTS] == count_conflicts(graph, state.colors)
    listed = state.listed[: state.counts[LISTED]]
    assert sorted(listed) == [v for v in range(n) if table[v, state.colors[v]] > 0]
    assert all(state.place[v] == i for i, v in enumerate(listed))
    assert (np.delete(state.place, listed) == -1).all()
    assert state.counts[BEST] == count_conflicts(graph, state.best)


def weights_of(graph, state):
    """All of weight 1."""
    state.counts[WEIGHT] = state.counts[CONFLICTS]
    search = Search(Task.of(graph))
    return Weights(np.ones(len(search.twin), np.int32), search.twin)


def check_weights(graph, state, weights):
    """The table and the list, recounted with the weights; conflicts without."""
    n, width = state.table.shape
    rows, table = np.repeat(np.arange(n), graph.degrees), np.zeros((n, width), int)
    np.add.at(table, (rows, state.colors[graph.indices]), weights.edges)
    assert (state.table % FORBIDDEN).tolist() == table.tolist()
    inside = state.colors[rows] == state.colors[graph.indices]
    assert state.counts[CONFLICTS] == inside.sum() / 2
    assert state.counts[WEIGHT] == weights.edges[inside].sum() / 2
    listed = state.listed[: state.counts[LISTED]]
    assert sorted(listed) == np.unique(rows[inside]).tolist()
    assert (state.place[listed] == np.arange(len(listed))).all()
    assert weights.edges.min(initial=1) >= 1
    assert weights.edges.tolist() == weights.edges[weights.twin].tolist()
    assert state.counts[BEST] == count_conflicts(graph, state.best)


def worths_of(graph):
    """All alike, and by degree."""
    return np.ones(graph.n, np.int32), np.maximum(graph.degrees, 1).astype(np.int32)


def a_part(graph, worth, k, *, seed=0, forbidden=None, matrix=True):
    """A state, and what a partial search keeps beside it, with the graph as a matrix or without."""
    search = Search(Task.of(graph, k=k, forbidden=forbidden, seed=seed))
    search.matrix = graph.adjacency().astype(np.int8).toarray()[: graph.n if matrix else 0]
    state = search._state(np.arange(k), np.full(graph.n, -1), search.draws[0])
    part = begin_part(search, state, worth)
    lay_bare(state, part)
    return state, part


def check_part(graph, state, part):
    """Classes without conflicts, what is around all nodes, the list and the classes recounted, and
    a best one of all nodes."""
    (n, width), worth = state.table.shape, part.worth
    rows, table = np.repeat(np.arange(n), graph.degrees), np.zeros((n, width), int)
    has = state.colors[graph.indices] >= 0
    there = graph.indices[has]
    np.add.at(table, (rows[has], state.colors[there]), worth[there])
    assert (part.around.T % FORBIDDEN).tolist() == table.tolist()
    assert not (has & (state.colors[rows] == state.colors[graph.indices])).any()
    listed = state.listed[: state.counts[LISTED]]
    assert sorted(listed) == np.flatnonzero(state.colors < 0).tolist()
    assert (state.table[listed] == part.around.T[listed]).all()
    for c in range(width):
        members = members_of(part, c)
        assert sorted(members) == np.flatnonzero(state.colors == c).tolist()
        assert [part.before[v] for v in members] == [-1, *members][: len(members)]
    assert state.counts[BARE] <= state.counts[WEIGHT] == worth[listed].sum()
    assert state.best.min(initial=0) >= 0
    assert state.counts[BEST] == count_conflicts(graph, state.best)


def members_of(part, c):
    """The nodes of a class as they are listed."""
    members, v = [], part.first[c]
    while v >= 0:
        members.append(int(v))
        v = part.after[v]
    return members


def gains(state):
    own = state.table[np.arange(len(state.colors)), state.colors]
    return (own - state.table.min(axis=1)).astype(np.int64)


@pytest.mark.slow
@given(graphs(), st.integers(1, 5), st.data())
@settings(deadline=None)
def test_the_table_and_the_list_are_right_after_any_moves(graph, k, data):
    state = a_state(graph, k)
    check(graph, state)
    for _ in range(data.draw(st.integers(0, 30))):
        node, to = data.draw(st.integers(0, graph.n - 1)), data.draw(st.integers(0, k - 1))
        if to != state.colors[node]:
            move(state, node, to)
    state.counts[BEST] = count_conflicts(graph, state.best)
    check(graph, state)


@pytest.mark.parametrize("spec", ["queen:8x8", "er:200x0.1", "myciel:5", "geometric:200x0.15"])
@pytest.mark.parametrize("k", [2, 6])
def test_everything_is_right_after_many_moves_of_the_searches(spec, k):
    graph = family(spec)
    state = a_state(graph, k, forbidden={0: [0], 7: [1]})
    for _ in range(5):
        tabu_search(state, 0, UNSAID, 500_000)
        check(graph, state)
        assert (state.table[[0, 7], state.colors[[0, 7]]] < FORBIDDEN).all()
    state = a_state(graph, k, seed=1)
    gain = gains(state)
    while discrete_search(state, 0, 200, gain, *arrange(gain)):
        check(graph, state)
        assert gain.tolist() == gains(state).tolist()
    check(graph, state)


@pytest.mark.slow
@given(graphs(), st.integers(1, 5))
@settings(deadline=None)
def test_discrete_color_ends_where_no_single_move_helps(graph, k):
    state = a_state(graph, k)
    gain = gains(state)
    before = state.counts[CONFLICTS]
    assert not discrete_search(state, 0, UNSAID, gain, *arrange(gain))
    assert state.counts[CONFLICTS] <= before
    assert (gains(state) == 0).all() or state.counts[CONFLICTS] == 0


def test_discrete_color_takes_a_node_of_largest_gain():
    """The hub gains 6, each leaf 1."""
    star = Graph.from_edges(7, [(0, v) for v in range(1, 7)])
    for seed in range(10):
        search = Search(Task.of(star, k=2, seed=seed))
        state = search._state(np.arange(2), np.zeros(7, int), search.draws[0])
        gain = gains(state)
        discrete_search(state, 0, UNSAID, gain, *arrange(gain))
        assert state.counts[MOVES] == 1 and state.colors.tolist() == [1, 0, 0, 0, 0, 0, 0]


@pytest.mark.slow
def test_slices_make_the_same_moves_as_one_run():
    graph = family("queen:9x9")
    whole, sliced = a_state(graph, 9), a_state(graph, 9)
    tabu_search(whole, 0, UNSAID, 20_000_000)
    while sliced.counts[MOVES] < whole.counts[MOVES]:
        tabu_search(sliced, 0, UNSAID, 1)  # one move
    assert whole.counts.tolist() == sliced.counts.tolist()
    assert whole.colors.tolist() == sliced.colors.tolist()
    assert whole.best.tolist() == sliced.best.tolist()


def test_tabu_search_gives_up_after_its_patience_and_where_there_is_no_move():
    graph = family("complete:6")
    state = a_state(graph, 3)
    assert not tabu_search(state, 0, 1000, UNSAID)
    assert state.counts[BEST] == 3 and 1000 <= state.counts[MOVES] < 1100
    assert not tabu_search(a_state(graph, 1), 0, UNSAID, UNSAID)  # there is only one color


def test_tabu_search_stops_at_the_target():
    state = a_state(family("queen:8x8"), 5)
    first = int(state.counts[BEST])
    assert not tabu_search(state, first - 1, UNSAID, UNSAID)
    assert state.counts[BEST] < first
    assert state.counts[BEST] == count_conflicts(family("queen:8x8"), state.best)


def test_every_move_is_the_best_that_is_not_tabu_and_makes_coming_back_tabu():
    graph = family("queen:6x6")
    state = a_state(graph, 5)
    for now in range(300):
        colors, table, free_at = state.colors.copy(), state.table.copy(), state.free_at.copy()
        conflicts, best = state.counts[CONFLICTS], state.counts[BEST]
        tabu_search(state, 0, UNSAID, 1)
        (v,) = np.flatnonzero(colors != state.colors)

        own = table[np.arange(graph.n), colors][:, None]
        change = (table - own).astype(float)
        change[np.arange(graph.n), colors] = np.inf
        change[own[:, 0] == 0] = np.inf  # only nodes in conflict move
        change[(free_at > now) & (conflicts + change >= best)] = np.inf
        assert change[v, state.colors[v]] == change.min()
        tenure = state.free_at[v, colors[v]] - now - 1 - int(0.6 * state.counts[CONFLICTS])
        assert 0 <= tenure < 10


def test_random_numbers_are_even_and_in_range():
    rng = np.array([88172645463325252], np.uint64)
    drawn = np.bincount([draw(rng, 10) for _ in range(20_000)], minlength=10)
    assert len(drawn) == 10
    assert abs(drawn - 2000).max() < 200


@pytest.mark.slow
@given(
    st.integers(0, 30).flatmap(
        lambda n: st.lists(st.integers(0, max(n - 1, 0)), min_size=n, max_size=n)
    )
)
def test_arrange_sorts_and_knows_where_each_value_begins(values):
    values = np.array(values, np.int64)
    order, where, first = arrange(values)
    assert values[order].tolist() == sorted(values.tolist())
    assert where[order].tolist() == list(range(len(values)))
    assert first.tolist() == [int((values < value).sum()) for value in range(len(values) + 1)]


@pytest.mark.parametrize("spec", ["queen:8x8", "er:200x0.1", "myciel:5", "geometric:200x0.15"])
@pytest.mark.parametrize("k", [2, 6, 9])
def test_weights_and_all_that_depends_on_them_are_right_after_many_moves(spec, k):
    graph = family(spec)
    state = a_state(graph, k, forbidden={0: [0], 7: [1]})
    weights = weights_of(graph, state)
    for _ in range(5):
        weighted_search(state, weights, 0, UNSAID, 300_000)
        check_weights(graph, state, weights)
        assert (state.table[[0, 7], state.colors[[0, 7]]] < FORBIDDEN).all()
    assert weights.edges.max() > 1 or state.counts[BEST] == 0


def test_the_twin_of_an_arc_is_the_other_direction():
    graph = family("er:60x0.2")
    twin, rows = Search(Task.of(graph)).twin, np.repeat(np.arange(60), graph.degrees)
    assert rows[twin].tolist() == graph.indices.tolist()
    assert graph.indices[twin].tolist() == rows.tolist()


def test_only_edges_in_conflict_gain_weight_and_only_where_no_move_helps():
    graph = family("queen:6x6")
    state = a_state(graph, 5)
    weights = weights_of(graph, state)
    rows = np.repeat(np.arange(graph.n), graph.degrees)
    for _ in range(200):
        before, table, colors = weights.edges.copy(), state.table.copy(), state.colors.copy()
        free = state.free_at <= state.counts[MOVES]
        weight = state.counts[WEIGHT]
        weighted_search(state, weights, 0, UNSAID, 1)
        own = table[np.arange(graph.n), colors][:, None]
        change = np.where(free | (table - own == -weight), table - own, FORBIDDEN)[own[:, 0] > 0]
        gained = (colors[rows] == colors[graph.indices]) & bool(change.min() >= 0)
        assert (weights.edges - before).tolist() == gained.astype(int).tolist()


def test_slices_of_a_weighted_search_make_the_same_moves_as_one_run():
    graph = family("queen:9x9")
    whole, sliced = a_state(graph, 9), a_state(graph, 9)
    one, two = weights_of(graph, whole), weights_of(graph, sliced)
    weighted_search(whole, one, 0, UNSAID, 2_000_000)
    while sliced.counts[MOVES] < whole.counts[MOVES]:
        weighted_search(sliced, two, 0, UNSAID, 1)  # one move
    assert whole.counts.tolist() == sliced.counts.tolist()
    assert whole.best.tolist() == sliced.best.tolist()
    assert one.edges.tolist() == two.edges.tolist()


def test_the_color_of_a_node_is_marked_and_long_runs_count_from_a_new_beginning():
    graph = family("queen:8x8")
    state = a_state(graph, 7)
    tabu_search(state, 0, UNSAID, 100_000)
    state.counts[MOVES] += LATE
    state.counts[IMPROVED] = state.counts[MOVES]
    tabu_search(state, 0, UNSAID, 100_000)
    assert state.counts[BEGUN] > LATE and state.counts[MOVES] - state.counts[BEGUN] < LATE
    own = state.free_at == OWN
    assert own.sum(axis=1).tolist() == [1] * graph.n
    assert own.argmax(axis=1).tolist() == state.colors.tolist()
    assert state.free_at[~own].max() < state.counts[MOVES] - state.counts[BEGUN] + 200
    check(graph, state)


@pytest.mark.parametrize("spec", ["queen:8x8", "er:200x0.1", "myciel:5", "geometric:200x0.15"])
@pytest.mark.parametrize("k", [2, 6, 9])
@pytest.mark.parametrize("matrix", [True, False])
def test_a_part_is_colored_properly_and_rules_are_kept_after_many_moves(spec, k, matrix):
    graph = family(spec)
    for worth in worths_of(graph):
        state, part = a_part(graph, worth, k, forbidden={0: [0], 7: [1]}, matrix=matrix)
        check_part(graph, state, part)
        first = int(state.counts[BARE])
        for _ in range(5):
            partial_search(state, part, 0, UNSAID, 200_000)
            check_part(graph, state, part)
            assert state.colors[0] != 0 and state.colors[7] != 1
            assert state.best[0] != 0 and state.best[7] != 1
        assert state.counts[BARE] < first or first == 0


def test_every_node_that_enters_a_class_leaves_the_least_and_those_it_puts_out_are_tabu():
    graph = family("queen:6x6")
    for worth in worths_of(graph):
        state, part = a_part(graph, worth, 6)
        state.counts[TENURE] = 7
        for now in range(300):
            colors, around, free_at = (
                state.colors.copy(),
                part.around.T.copy(),
                state.free_at.copy(),
            )
            change, least = around - worth[:, None], state.counts[BARE] - state.counts[WEIGHT]
            partial_search(state, part, 0, UNSAID, 1)
            bare = colors < 0
            (v,) = np.flatnonzero(bare & (state.colors >= 0))
            to = state.colors[v]
            allowed = np.where((free_at > now) & (change >= least), FORBIDDEN, change)
            assert change[v, to] == allowed[bare].min()
            gone = np.flatnonzero(~bare & (state.colors < 0))
            assert sorted(gone) == [u for u in graph.neighbors(v) if colors[u] == to]
            tenures = state.free_at[gone, to] - now - 1 - 7 - state.counts[LISTED] // 2
            assert all(0 <= tenure < 10 for tenure in tenures)


def test_the_tenure_grows_where_the_number_of_nodes_left_hardly_moves_and_else_shrinks():
    steps = set()
    for spec, k in (("complete:6", 4), ("queen:7x7", 5)):
        graph = family(spec)
        state, part = a_part(graph, worths_of(graph)[0], k)
        left, tenure = [state.counts[LISTED]], 0
        for now in range(1, 4 * WINDOW + 1):
            partial_search(state, part, 0, UNSAID, 1)
            left.append(state.counts[LISTED])
            if now % WINDOW == 0:
                is_still = max(left) - min(left) <= STILL
                tenure = tenure + LONGER if is_still else max(tenure - 1, 0)
                left, steps = left[-1:], steps | {is_still}
            assert state.counts[TENURE] == tenure
    assert steps == {True, False}


def test_slices_of_a_partial_search_make_the_same_moves_as_one_run():
    graph = family("queen:9x9")
    worth = worths_of(graph)[1]
    (whole, one), (sliced, two) = a_part(graph, worth, 9), a_part(graph, worth, 9)
    partial_search(whole, one, 0, UNSAID, 2_000_000)
    while sliced.counts[MOVES] < whole.counts[MOVES]:
        partial_search(sliced, two, 0, UNSAID, 1)  # one move
    assert whole.counts.tolist() == sliced.counts.tolist()
    assert whole.best.tolist() == sliced.best.tolist()


def test_a_partial_search_gives_up_after_its_patience_and_begins_anew_in_time():
    state, part = a_part(family("complete:6"), np.ones(6, np.int32), 3)
    assert not partial_search(state, part, 0, 1000, UNSAID)
    assert state.counts[BARE] == state.counts[BEST] == 3 and state.counts[MOVES] <= 1100
    state.counts[MOVES] += LATE
    state.counts[IMPROVED] = state.counts[MOVES]
    assert not partial_search(state, part, 0, 1000, UNSAID)
    assert state.counts[BEGUN] > LATE and state.counts[MOVES] - state.counts[BEGUN] <= 1100
    assert state.free_at[state.free_at != OWN].max() < 1200


def test_what_stands_in_two_files_is_the_same():
    ours, theirs = vars(partial_kernels), vars(search_kernels)
    both = [name for name in ours if name in theirs and not name.startswith("_")]
    functions = [name for name in both if hasattr(ours[name], "py_func") and name != "compiled"]
    assert {"draw", "least", "lowest_of", "begin_anew"} == set(functions)
    for name in functions:
        assert getsource(ours[name].py_func) == getsource(theirs[name].py_func)
    numbers = [name for name in both if name.isupper()]
    assert len(numbers) == 11 and all(ours[name] == theirs[name] for name in numbers)
