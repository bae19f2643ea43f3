"""``color_matrix`` as a whole: valid by definition, bounds that hold, the matrix recovered."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.errors import InputError, UnknownName
from concolor.goal import Clock
from concolor.matrices import KINDS, ORDERS, MatrixColoring, Pattern, color_matrix
from concolor.matrices.search import Search, Try
from limits import FakeTime, press
from slow_matrices import fewest, is_coloring
from small_patterns import CASES, SYMMETRIC, patterns, with_values


def drawn(data, kind, **options):
    return data.draw(patterns(symmetric=KINDS[kind].is_symmetric, **options))


@pytest.mark.parametrize(("kind", "method"), CASES)
def test_a_color_for_every_line_is_seen_to_be_valid_without_a_look_at_the_entries(
    monkeypatch, kind, method
):
    there = Pattern.of(np.ones((4, 4)))
    c = color_matrix(there, kind, method=method, time_limit=0)
    sides = {f"{side}_colors": np.arange(4) for side in KINDS[kind].sides}
    one_each = MatrixColoring(there, kind, method, **sides)
    assert one_each._sums.is_solved(direct=method == "direct")
    monkeypatch.setattr(MatrixColoring, "_sums", None)
    assert one_each.is_valid and c.k <= one_each.k


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "method"), CASES)
@given(st.data())
@settings(deadline=None, max_examples=50)
def test_every_order_colors_by_the_definition_and_recovers_the_matrix(kind, method, data):
    there = drawn(data, kind, full=True)
    order = data.draw(st.sampled_from([*ORDERS, None]))
    c = color_matrix(there, kind, method=method, order=order, time_limit=0)
    assert c.is_valid and c.k >= c.lower
    assert is_coloring(there, kind, method, c.column_colors, c.row_colors)
    matrix = with_values(there, symmetric=KINDS[kind].is_symmetric)
    again = c.decompress(c.compress(matrix))
    assert (again.toarray() == matrix).all()
    assert again.nnz == np.count_nonzero(there)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "method"), SYMMETRIC)
@given(st.data())
@settings(deadline=None, max_examples=50)
def test_a_diagonal_with_holes_needs_no_more_and_is_recovered(kind, method, data):
    there = drawn(data, kind)
    c = color_matrix(there, kind, time_limit=0)
    matrix = with_values(there, symmetric=True)
    assert (c.decompress(c.compress(matrix)).toarray() == matrix).all()
    order = np.arange(len(there))
    full = Pattern.of(np.maximum(there, np.eye(len(there), dtype=int)))
    (first, *_), (beside, *_) = (
        KINDS[kind].problems(pattern, kind == "star") for pattern in (c.pattern, full)
    )
    assert first.fit(order).max() <= beside.fit(order).max()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "method"), CASES)
@given(st.data())
@settings(deadline=None, max_examples=80)
def test_any_colors_are_judged_as_the_definition_does(kind, method, data):
    there = drawn(data, kind, most=5, full=True)
    m, n = there.shape
    least = -1 if kind == "bidirectional" else 0
    parts = {
        f"{side}_colors": data.draw(
            st.lists(st.integers(least, 3), min_size=size, max_size=size).map(np.array)
        )
        for side, size in (("column", n), ("row", m))
        if side in KINDS[kind].sides
    }
    c = MatrixColoring(Pattern.of(there), kind, method, **parts)
    assert c.is_valid == is_coloring(there, kind, method, c.column_colors, c.row_colors)
    matrix = with_values(there, symmetric=KINDS[kind].is_symmetric)
    if c.is_valid:
        assert (c.decompress(c.compress(matrix)).toarray() == matrix).all()
    else:
        with pytest.raises(InputError, match="does not allow recovery"):
            c.decompress(c.compress(matrix))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "method"), CASES)
@given(st.data())
@settings(deadline=None, max_examples=25)
def test_no_coloring_has_fewer_colors_than_the_bound(kind, method, data):
    most = 3 if kind == "bidirectional" else 5
    there = drawn(data, kind, most=most)
    pattern = Pattern.of(there)

    def is_valid(columns, rows):
        return MatrixColoring(pattern, kind, method, columns, rows).is_valid

    optimum = fewest(there, kind, method, is_valid)
    c = color_matrix(there, kind, method=method, time_limit=None)
    assert c.lower <= optimum <= c.k
    assert not c.is_proved or c.k == optimum


def grid(side, diagonals=False):
    """The pattern of a 5-point or 9-point Laplacian on a square."""
    line = sp.diags_array([np.ones(side - 1), np.ones(side), np.ones(side - 1)], offsets=[-1, 0, 1])
    one = sp.eye_array(side)
    return sp.kron(line, line) if diagonals else sp.kron(line, one) + sp.kron(one, line)


@pytest.mark.parametrize(
    ("kind", "matrix", "k"),
    [
        ("column", sp.diags_array(np.ones((5, 40)), offsets=range(-2, 3), shape=(40, 40)), 5),
        ("column", grid(12), 5),
        ("row", grid(12), 5),
        ("column", grid(12, diagonals=True), 9),
        ("star", sp.eye_array(7), 1),
        ("star", np.ones((6, 6)), 6),
        ("acyclic", np.ones((6, 6)), 6),
        ("bidirectional", np.ones((4, 9)), 4),
        ("column", np.zeros((3, 4)), 1),
        ("bidirectional", np.zeros((3, 4)), 0),
        ("acyclic", sp.diags_array(np.ones((3, 50)), offsets=[-1, 0, 1], shape=(50, 50)), 2),
    ],
)
def test_known_numbers_are_found_and_proved(kind, matrix, k):
    c = color_matrix(matrix, kind, time_limit=None)
    assert (c.k, c.lower, c.is_proved) == (k, k, True)


def test_the_star_number_of_a_grid_is_5():
    """Fertin, Raspaud and Reed (2004): 5 from 4 x 4 on; counting proves 4."""
    c = color_matrix(grid(12), "star", time_limit=None)
    assert (c.lower, c.k) == (4, 5)


@pytest.mark.parametrize(
    ("graph", "star", "acyclic"),
    [
        (nx.cycle_graph(5), 4, 3),
        (nx.cycle_graph(9), 3, 3),
        (nx.complete_bipartite_graph(3, 7), 4, 4),
        (nx.complete_graph(5), 5, 5),
        (nx.balanced_tree(2, 3), 3, 2),
        (nx.star_graph(8), 2, 2),
        (nx.path_graph(3), 2, 2),
    ],
)
def test_graphs_with_known_star_and_acyclic_numbers(graph, star, acyclic):
    """Fertin, Raspaud and Reed (2004); K_{m,n} has min(m, n) + 1 of both, trees at most 3 and 2."""
    matrix = nx.to_numpy_array(graph) + np.eye(len(graph))
    assert color_matrix(matrix, "star", time_limit=None).k == star
    assert color_matrix(matrix, "acyclic", time_limit=None).k == acyclic


def test_the_acyclic_number_of_a_grid_is_3():
    """Diagonals in turn; counting proves it, the passes find 4 at least."""
    rows, columns = np.divmod(np.arange(144), 12)
    c = MatrixColoring(Pattern.of(grid(12)), "acyclic", "substitution", (rows + columns) % 3)
    assert c.is_valid and c.k == 3
    found = color_matrix(grid(12), "acyclic", time_limit=None)
    assert found.lower == 3 and found.k in (3, 4)


def test_a_matrix_with_a_dense_row_and_column_needs_three_products_in_both_directions():
    n = 60
    arrow = sp.lil_array((n, n))
    arrow[0], arrow[:, [0]] = 1, 1
    arrow.setdiag(1)
    found = {kind: color_matrix(arrow, kind) for kind in KINDS}
    assert {kind: (c.k, c.is_proved) for kind, c in found.items()} == {
        "column": (n, True),
        "row": (n, True),
        "star": (2, True),
        "acyclic": (2, True),
        "bidirectional": (3, True),
    }


def test_a_star_coloring_needs_no_more_than_a_column_coloring():
    nine = grid(12, diagonals=True)
    assert color_matrix(nine, "star", time_limit=None).k <= color_matrix(nine).k == 9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_both_directions_are_never_worse_than_one(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((60, 40)) < 10.0 ** rng.uniform(-2, -0.5, (60, 1))
    both = color_matrix(matrix, "bidirectional", time_limit=None)
    one = [color_matrix(matrix, kind, order="smallest-last").k for kind in ("column", "row")]
    assert both.k <= min(one)


def test_the_search_finds_fewer_colors_than_the_greedy_passes():
    rng = np.random.default_rng(1)
    matrix = sp.random_array((120, 100), density=0.04, rng=rng)
    passes = [color_matrix(matrix, order=order).k for order in ORDERS]
    c = color_matrix(matrix, time_limit=None)
    assert c.is_valid and c.order == "search" and c.k < min(passes)


def test_without_a_graph_of_columns_passes_are_iterated(monkeypatch):
    monkeypatch.setattr("concolor.matrices.column.PAIRS", 0)
    matrix = sp.random_array((120, 100), density=0.04, rng=np.random.default_rng(1))
    passes = [color_matrix(matrix, order=order).k for order in ORDERS]
    c = color_matrix(matrix, time_limit=None)
    assert c.is_valid and c.k <= min(passes)
    assert color_matrix(matrix, time_limit=None).column_colors.tolist() == c.column_colors.tolist()


def test_time_that_is_over_leaves_one_pass():
    c = color_matrix(grid(12), "star", time_limit=0)
    assert c.is_valid and c.order == next(iter(ORDERS))


@pytest.mark.parametrize("kind", KINDS)
def test_where_no_pass_fits_every_line_has_a_color_of_its_own(monkeypatch, kind):
    monkeypatch.setattr("concolor.matrices.orders.ENTRY", 1.0)  # seconds an entry
    c = color_matrix(grid(12), kind, time_limit=10)
    assert c.is_valid and (c.k, c.order, c.lower) == (144, "one each", 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pass_that_takes_too_long_is_not_begun(monkeypatch, kind):
    for place in ("column.pass_seconds", "star.pass_seconds", "bicolored.Bicolored.seconds"):
        short = (lambda pattern: 20.0) if "pass" in place else property(lambda self: 20.0)
        monkeypatch.setattr(f"concolor.matrices.{place}", short)
    c = color_matrix(grid(12), kind, time_limit=10)
    assert c.is_valid and c.order == "one each" and c.lower > 1


def test_ctrl_c_carries_the_best_so_far(monkeypatch):
    press(monkeypatch, Search, "improve", lambda *_: True)
    with pytest.raises(cc.Interrupted) as stop:
        color_matrix(grid(12), "star", time_limit=None)
    assert stop.value.best.is_valid and stop.value.best.kind == "star"


def test_ctrl_c_before_anything_is_plain(monkeypatch):
    press(monkeypatch, Search, "greedy", lambda *_: True)
    with pytest.raises(KeyboardInterrupt) as stop:
        color_matrix(grid(12), time_limit=None)
    assert not isinstance(stop.value, cc.Interrupted)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"kind": "columns"}, "did you mean 'column'"),
        (
            {"kind": "star", "method": "substitution"},
            "for direct, not 'substitution'; substitution",
        ),
        ({"kind": "acyclic", "method": "direct"}, "for substitution, not 'direct'"),
        ({"method": "magic"}, "for direct, not 'magic'"),
        ({"order": "random"}, "unknown order 'random'"),
        ({"time_limit": -1}, "time_limit must be seconds >= 0"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_what_cannot_be_done_is_refused(words, message):
    with pytest.raises(InputError, match=message):
        color_matrix(np.eye(3), **words)
    assert issubclass(UnknownName, InputError)


def test_star_and_acyclic_need_a_symmetric_pattern():
    with pytest.raises(InputError, match=r"\(0, 1\) is there and \(1, 0\) is not"):
        color_matrix([[1, 1], [0, 1]], "star")
    with pytest.raises(InputError, match="square, matrix is 2 x 3"):
        color_matrix(np.ones((2, 3)), "acyclic")


@pytest.mark.parametrize("kind", ["column", "star"])
@pytest.mark.parametrize(("estimated", "begun"), [(6.0, 0), (1.0, 2)])
def test_a_pass_is_begun_only_if_it_fits(monkeypatch, kind, estimated, begun):
    """It takes 2 seconds, of 5; the first is estimated, the next is known from the one before."""
    (problem, *_) = KINDS[kind].problems(Pattern.of(sp.csr_array(np.tri(9) + np.tri(9).T)), True)
    time, passes = FakeTime(monkeypatch, 1e-6), []

    def slow(run):
        def taking_time(*words):
            passes.append(words)
            time.now += 2
            return run(*words)

        return taking_time

    colors = problem.fit(np.arange(9))
    if problem.passes is None:
        problem = replace(problem, fit=slow(problem.fit), deeper=None)
    else:
        painted = slow(type(problem.passes).painted)
        monkeypatch.setattr(type(problem.passes), "painted", painted)
    found = Try(replace(problem, seconds=estimated), colors, "")
    Search(0, Clock(5.0), [found]).improve(0)
    assert len(passes) == begun
