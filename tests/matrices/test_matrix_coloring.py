import json

import numpy as np
import pytest
import scipy.sparse as sp

from concolor.errors import FormatError, InputError
from concolor.matrices import KINDS, MatrixColoring, Pattern, color_matrix
from small_patterns import CASES


def example(kind, seed=0):
    """A sparse matrix of whole numbers that suits the kind."""
    rng = np.random.default_rng(seed)
    matrix = np.rint(sp.random_array((30, 30), density=0.08, rng=rng).toarray() * 50)
    if KINDS[kind].is_symmetric:
        matrix = matrix + matrix.T + np.eye(30)
    return sp.csr_array(matrix if KINDS[kind].is_symmetric else matrix[:, :24])


@pytest.mark.parametrize(("kind", "method"), CASES)
def test_products_are_few_and_hold_all(kind, method):
    matrix = example(kind)
    c = color_matrix(matrix, kind, method=method, time_limit=0)
    products = c.compress(matrix)
    parts = products if kind == "bidirectional" else [products]
    assert sum(min(part.shape) for part in parts) == c.k < 24
    again = c.decompress(products)
    assert (again != matrix).nnz == 0 and again.nnz == matrix.nnz
    assert (c.decompress(c.compress(matrix.toarray())) != matrix).nnz == 0


@pytest.mark.parametrize(("kind", "method"), CASES)
def test_complex_products_give_complex_entries(kind, method):
    matrix = example(kind) * (1 + 2j)
    c = color_matrix(matrix, kind, method=method, time_limit=0)
    assert (c.decompress(c.compress(matrix)) != matrix).nnz == 0


@pytest.mark.parametrize(("kind", "method"), CASES)
def test_entries_are_read_from_a_product_of_their_own_lines(kind, method):
    matrix = example(kind)
    c = color_matrix(matrix, kind, method=method, time_limit=0)
    symmetric = KINDS[kind].is_symmetric
    assert len(c.read_from) == c.pattern.nnz
    for i, j, product in zip(c.pattern.rows, c.pattern.indices, c.read_from, strict=True):
        columns = [] if c.column_colors is None else [c.column_colors[j]]
        columns += [c.column_colors[i]] if symmetric else []
        rows = [] if c.row_colors is None else [c.column_k + c.row_colors[i]]
        assert product in columns + rows


def test_the_usual_method_is_that_of_the_kind():
    for kind in KINDS:
        c = color_matrix(example(kind), kind, time_limit=0)
        colors = {"column_colors": c.column_colors, "row_colors": c.row_colors}
        assert MatrixColoring(c.pattern, kind, **colors).method == KINDS[kind].methods[0]
    assert color_matrix(np.eye(2)).compress([[1, 0], [0, 2]]).tolist() == [[1], [2]]


def test_seeds_are_one_where_the_color_is():
    c = color_matrix(example("bidirectional"), "bidirectional", time_limit=0)
    for seeds, colors in ((c.seeds, c.column_colors), (c.row_seeds, c.row_colors)):
        assert (seeds.sum(axis=1) == (colors >= 0)).all()
        assert all(seeds[line, color] == 1 for line, color in enumerate(colors) if color >= 0)


@pytest.mark.parametrize(("kind", "method"), CASES)
def test_what_is_saved_is_loaded(tmp_path, kind, method):
    matrix, file = example(kind), tmp_path / "c.json"
    c = color_matrix(matrix, kind, method=method, time_limit=0)
    c.save(file)
    again = MatrixColoring.load(matrix, file)
    assert (again.kind, again.method, again.k, again.is_valid) == (kind, method, c.k, True)
    assert (again.decompress(c.compress(matrix)) != matrix).nnz == 0
    assert again.lower == 0 and not again.is_proved


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "diagonal"}, "unknown kind of matrix coloring"),
        ({"column_colors": [0]}, r"\(1,\) colors for 24 columns"),
        ({"column_colors": "x"}, "a list of whole numbers, got 'x'"),
        ({"column_colors": [True] * 24}, "a list of whole numbers"),
        ({"column_colors": [2**70] * 24}, "a list of whole numbers"),
        ({"column_colors": [-2] * 24}, "whole numbers"),
        ({"column_colors": None}, "has column_colors, and no others"),
        ({"row_colors": [0] * 30}, "has column_colors, and no others"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, change, message):
    matrix, file = example("column"), tmp_path / "c.json"
    file.write_text(json.dumps({**color_matrix(matrix, time_limit=0).to_dict(), **change}))
    with pytest.raises(FormatError, match=message):
        MatrixColoring.load(matrix, file)


def test_colorings_are_saved_as_json_only(tmp_path):
    with pytest.raises(InputError, match=r"saved as \.json"):
        color_matrix(np.eye(2), time_limit=0).save(tmp_path / "c.sol")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.compress(np.ones((2, 2))), r"a matrix of \(2, 2\) for"),
        (lambda c: c.decompress(np.ones((30, 99))), r"got \(30, 99\)"),
        (lambda c: c.decompress(np.ones(30)), r"got \(30,\)"),
    ],
)
def test_products_of_another_shape_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call(color_matrix(example("column"), time_limit=0))


def test_a_pair_is_asked_for_where_there_are_two_sides():
    c = color_matrix(example("bidirectional"), "bidirectional", time_limit=0)
    with pytest.raises(InputError, match="and"):
        c.decompress([np.ones((30, 1))])


def test_colors_that_are_none_are_refused():
    pattern = Pattern.of(np.eye(2))
    with pytest.raises(InputError, match="whole numbers"):
        MatrixColoring(pattern, "column", column_colors=np.array([0.5, 1]))
    with pytest.raises(InputError, match="whole numbers"):
        MatrixColoring(pattern, "column", column_colors=np.array([-2, 1]))
