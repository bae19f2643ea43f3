import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import Doubt, FormatError
from concolor.graph.core import Graph
from concolor.graph.formats import from_scipy
from concolor.graph.formats.mtx import parse, render

BANNER = b"%%MatrixMarket matrix coordinate "


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:no edge at all:concolor.errors.Doubt")  # a diagonal matrix
@given(st.integers(0, 9), st.sampled_from([float, int, complex, bool]), st.integers(0, 999))
@settings(deadline=None)
def test_what_scipy_writes_is_what_from_scipy_gives(n, dtype, seed):
    rng = np.random.default_rng(seed)
    dense = rng.integers(-2, 3, (n, n)) * rng.integers(0, 2, (n, n))
    matrix = sp.coo_array(dense.astype(dtype) * (dtype(1) if dtype is not float else 0.37))
    file = io.BytesIO()
    kind = {"field": "pattern", "symmetry": "general"} if dtype is bool else {}
    scipy.io.mmwrite(file, matrix, **kind)
    assert parse(file.getvalue()) == from_scipy(matrix)


def test_scipy_reads_what_we_write():
    graph = Graph.from_edges(5, [(0, 1), (3, 1)], names=list("abcde"))
    matrix = scipy.io.mmread(io.BytesIO(render(graph)))
    assert (matrix != graph.adjacency()).nnz == 0


@pytest.mark.parametrize("kind", [b"real", b"integer", b"complex"])
def test_what_is_written_down_is_an_edge_whatever_its_value(kind):
    rows = [b"1 2 0", b"2 3 -1", b"3 2 4", b"1 1 1"]
    content = b"".join(row + b" 0" * (kind == b"complex") + b"\n" for row in rows)
    graph = parse(BANNER + kind + b" general\n% hi\n\n3 3 4\n" + content)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert (graph.loops, graph.duplicates) == (1, 0)


def test_a_diagonal_alone_is_a_doubt_and_no_entries_are_not():
    assert parse(BANNER + b"pattern general\n2 2 0\n").n == 2
    with pytest.warns(Doubt, match="no edge at all: every entry is on the diagonal"):
        assert parse(BANNER + b"pattern general\n2 2 2\n1 1\n2 2\n").loops == 2


@pytest.mark.parametrize(
    ("symmetry", "copies"), [("general", 1), ("symmetric", 2), ("skew-symmetric", 2)]
)
def test_the_other_triangle_is_a_copy_only_where_one_is_stored(symmetry, copies):
    graph = parse(BANNER + f"pattern {symmetry}\n3 3 3\n2 1\n1 2\n2 1\n".encode())
    assert (graph.edges.tolist(), graph.duplicates) == ([[0, 1]], copies)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"1 1 0\n", 1, "expected '%%MatrixMarket"),
        (b"%%MatrixMarket matrix array real general\n1 1\n0\n", 1, "coordinate"),
        (BANNER + b"pattern general\n", 1, "expected 'ROWS COLUMNS ENTRIES'"),
        (BANNER + b"pattern general\n2 3 0\n", 2, "square matrix, got 2 x 3"),
        (BANNER + b"pattern general\n-2 -2 0\n", 2, "got '-2'"),
        (BANNER + b"pattern general\n99999999999 99999999999 0\n", 2, "the limit is"),
        (BANNER + b"pattern general\n2 2 2\n1 2\n", 2, "2 entries declared, found 1"),
        (BANNER + b"pattern general\n2 2 1\n1 3\n", 3, "node 3 is out of range"),
        (BANNER + b"pattern general\n2 2 1\n1 2 5\n", 3, "expected 2 numbers"),
        (BANNER + b"real general\n2 2 1\n1 2\n", 3, "expected 3 numbers"),
        (BANNER + b"real general\n2 2 2\n1 1 1\n1 2 nan\n", 4, "finite number, got 'nan'"),
        (BANNER + b"real general\n2 2 1\n1 2 1e999\n", 3, "finite number, got '1e999'"),
        (BANNER + b"real general\n2 2 1\n1.5 2 1\n", 3, "a node must be a whole number"),
    ],
)
def test_mistakes_are_named_with_their_line(content, line, message):
    with pytest.raises(FormatError) as caught:
        parse(content)
    assert message in str(caught.value)
    assert caught.value.line == line
