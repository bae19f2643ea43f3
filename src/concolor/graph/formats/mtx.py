"""MatrixMarket ``.mtx``: a square sparse matrix A, read as the pattern of A or its transpose.

Coordinate matrices only. An entry that is written down counts, whatever its value, also 0; only
NaN and infinity are refused, as they are no MatrixMarket. Diagonal entries are loops (removed and
counted by the graph). Names stand in comments: ``% name 1 Valjean``.
"""

from __future__ import annotations

from typing import NoReturn

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats.scan import (
    Say,
    begins_with,
    checked_finite,
    checked_node,
    checked_size,
    commented_names,
    first_line,
    name_comments,
    numbered_lines,
    set_aside,
    shown,
    table,
    warn,
    weighted_table,
    whole,
)


def parse(data: bytes, say: Say = warn) -> Graph:
    """The graph of a MatrixMarket file."""
    columns, symmetry = _banner(data.partition(b"\n")[0])
    body, aside = set_aside(data, begins_with(b"%\n"))
    line, sizes = first_line(data)
    n, declared = _sizes(sizes, line)
    pairs = _places(body.lstrip().partition(b"\n")[2], columns)
    if pairs is None or (pairs.size and not 1 <= pairs.min() <= pairs.max() <= n):
        _blame(data, line, n, columns)
    if len(pairs) != declared:
        raise FormatError(f"{declared} entries declared, found {len(pairs)}: truncated?", line=line)
    names = commented_names(aside, n)
    both_triangles = symmetry == "general"  # the others store one triangle
    graph = Graph.from_edges(n, pairs - 1, names=names, first=1, arcs=both_triangles)
    if declared and not graph.m:
        say("no edge at all: every entry is on the diagonal; declare 0 entries to say so")
    return graph


def _banner(line: bytes) -> tuple[int, str]:
    """Numbers on an entry line and the symmetry, as the first line of the file says."""
    columns = {"pattern": 2, "integer": 3, "real": 3, "complex": 4}
    symmetries = ("general", "symmetric", "skew-symmetric", "hermitian")
    match line.decode("utf-8", "replace").lower().split():
        case ["%%matrixmarket", "matrix", "coordinate", field, symmetry] if (
            field in columns and symmetry in symmetries
        ):
            return columns[field], symmetry
    expected = f"'%%MatrixMarket matrix coordinate {'|'.join(columns)} {'|'.join(symmetries)}'"
    raise FormatError(f"expected {expected}, got {shown(line)}", line=1)


def _sizes(text: bytes, line: int) -> tuple[int, int]:
    fields = text.split()
    if len(fields) != 3:
        raise FormatError(f"expected 'ROWS COLUMNS ENTRIES', got {shown(text)}", line=line)
    rows, columns, entries = (whole(field, "a size", line) for field in fields)
    if rows != columns:
        raise FormatError(f"a graph needs a square matrix, got {rows} x {columns}", line=line)
    return checked_size(rows, line), entries


def _places(body: bytes, columns: int) -> IntArray | None:
    """Row and column of each entry ``[e, 2]``; None where a line is not an entry."""
    if columns == 2:
        return table(body, 2)
    parts = weighted_table(body, columns)
    return None if parts is None else parts[0]


def _blame(data: bytes, header: int, n: int, columns: int) -> NoReturn:
    for number, line in numbered_lines(data):
        tokens = line.split()
        if number <= header or not tokens or line[:1] == b"%":
            continue
        if len(tokens) != columns:
            raise FormatError(f"expected {columns} numbers, got {shown(line)}", line=number)
        for token in tokens[:2]:
            checked_node(token, n, number)
        for token in tokens[2:]:
            checked_finite(token.decode("utf-8", "replace"), number)
    raise FormatError("the entries cannot be read")


def render(graph: Graph) -> bytes:
    """The graph as a symmetric pattern matrix; features are not written."""
    lower = (graph.edges[:, ::-1] + 1).ravel().tolist()
    entries = "%d %d\n" * graph.m % tuple(lower)
    names = name_comments(graph, "%")
    head = f"%%MatrixMarket matrix coordinate pattern symmetric\n{names}"
    return f"{head}{graph.n} {graph.n} {graph.m}\n{entries}".encode()
