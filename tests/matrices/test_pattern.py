import gzip
import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import FormatError, InputError
from concolor.matrices.pattern import Pattern
from small_patterns import patterns

BANNER = "%%MatrixMarket matrix coordinate "


def places(pattern):
    return set(zip(pattern.rows.tolist(), pattern.indices.tolist(), strict=True))


@given(patterns())
@settings(deadline=None)
def test_a_pattern_is_where_entries_are(there):
    pattern = Pattern.of(there)
    assert places(pattern) == set(map(tuple, np.argwhere(there).tolist()))
    assert pattern.shape == there.shape and pattern.nnz == there.sum()
    assert (pattern.degrees == there.sum(axis=1)).all()
    assert places(pattern.transposed) == {(j, i) for i, j in places(pattern)}
    assert places(pattern.transposed.transposed) == places(pattern)
    assert pattern.matrix(np.arange(pattern.nnz) + 1).nnz == pattern.nnz
    assert pattern.bipartite.m == pattern.nnz


def test_what_is_stored_counts_whatever_its_value():
    rows, columns = [0, 0, 1, 1], [0, 1, 1, 1]
    matrix = sp.coo_array(([0.0, np.nan, 2.0, -2.0], (rows, columns)), shape=(2, 2))
    assert places(Pattern.of(matrix)) == {(0, 0), (0, 1), (1, 1)}
    assert places(Pattern.of(np.array([[0, np.nan], [0.0, 1]]))) == {(0, 1), (1, 1)}


def test_the_graph_of_a_symmetric_pattern_has_no_loops():
    pattern = Pattern.of([[1, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert pattern.adjacency.edges.tolist() == [[0, 1], [1, 2]]
    assert pattern.has_diagonal.tolist() == [True, False, False]
    assert places(pattern.with_diagonal) == places(pattern) | {(1, 1), (2, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@given(st.integers(1, 7), st.integers(0, 999))
@settings(deadline=None, max_examples=20)
def test_what_scipy_writes_is_read(tmp_path_factory, symmetry, n, seed):
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 2, (n, n + (symmetry == "general") * seed % 3)) * 2.5
    if symmetry != "general":
        dense = np.triu(dense, 1)
        dense = dense - dense.T if symmetry == "skew-symmetric" else dense + dense.T
    content = io.BytesIO()
    scipy.io.mmwrite(content, sp.coo_array(dense), symmetry=symmetry)
    file = tmp_path_factory.mktemp("mtx") / "some.matrix.mtx.gz"
    file.write_bytes(gzip.compress(content.getvalue()))
    pattern = Pattern.read(file)
    assert places(pattern) == places(Pattern.of(dense)) and pattern.shape == dense.shape
    assert pattern.name == "some.matrix"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("1 2\n", ":1: expected '%%MatrixMarket"),
        (BANNER + "pattern general\n2 3 2\n1 1\n", ":2: 2 entries declared, found 1"),
        (BANNER + "pattern general\n2 3 1\n3 1\n", ":3: row 3 is out of range: rows are 1..2"),
        (BANNER + "pattern general\n2 3 1\n1 4\n", ":3: column 4 is out of range: columns are"),
        (BANNER + "real general\n2 3 1\n1 2 x\n", ":3: a weight must be a finite number"),
        (BANNER + "real symmetric\n2 3 1\n1 2 1\n", ":2: a symmetric matrix needs a square"),
    ],
)
def test_mistakes_of_files_are_named_with_their_line(tmp_path, text, message):
    file = tmp_path / "bad.mtx"
    file.write_text(text)
    with pytest.raises(FormatError) as caught:
        Pattern.of(file)
    assert message in str(caught.value) and str(file) in str(caught.value)


def test_a_file_that_is_not_there_and_a_folder_are_named(tmp_path):
    with pytest.raises(FormatError, match=r"none\.mtx: cannot be read"):
        Pattern.of(str(tmp_path / "none.mtx"))
    with pytest.raises(FormatError, match="a folder, expected a file"):
        Pattern.of(tmp_path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2], r"got shape \(2,\)"),
        ([[1], [1, 2]], "expected a matrix, got list"),
        ([["a"]], "expected a sparse matrix, an array of numbers or the path"),
        (None, "got NoneType"),
        (sp.coo_array((1, 60_000_000)), "the limit is"),
    ],
)
def test_what_is_no_matrix_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        Pattern.of(given)
