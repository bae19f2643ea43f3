"""MatrixMarket ``.mtx``: a square sparse matrix A, read as the pattern of A or its transpose.

Coordinate matrices only. An entry that is written down counts, whatever its value, also 0; only
NaN and infinity are refused, as they are no MatrixMarket. Where weights are asked for, values are
the weights. Diagonal entries are loops (removed and counted by the graph). Names stand in comments:
``% name 1 Valjean``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats.scan import (
    ASIDE,
    FREE,
    NODE,
    PAIR,
    How,
    Line,
    Say,
    begins_with,
    checked_finite,
    checked_node,
    checked_size,
    commented_names,
    first_line,
    lines_begun,
    name_comments,
    numbered_lines,
    set_aside,
    shown,
    table,
    warn,
    weighted_table,
    whole,
)
from concolor.graph.weights import Numbers, written
from concolor.memory import Room


@dataclass(frozen=True, eq=False)
class Entries:
    """What a file lists, before it is taken for a graph or for a matrix.

    Attributes:
        shape: Rows and columns.
        places: Row and column of each entry ``[e, 2]``, counted from 0.
        both_triangles: All entries are listed; the symmetric kinds list one triangle.
        comments: The lines that begin with ``%``.
        values: ``[e, 1]``, or ``[e, 2]`` where they are complex, or ``[e, 0]`` of a pattern.
    """

    shape: tuple[int, int]
    places: IntArray
    both_triangles: bool
    comments: list[Line]
    values: Numbers


def parse(data: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
    """The graph of a MatrixMarket file."""
    found = listed(data, square="a graph", room=room)
    n, _ = found.shape
    names = commented_names(found.comments, n)
    weights = None
    if how is not None:
        if found.values.shape[1] != 1:
            raise FormatError("weights need the values of a real or integer matrix", line=1)
        weights = found.values[:, 0]
    graph = Graph.from_edges(
        n,
        found.places,
        names=names,
        first=1,
        weights=weights,
        repeated=how or "sum",
        arcs=found.both_triangles,
    )
    if len(found.places) and not graph.m:
        say("no edge at all: every entry is on the diagonal; declare 0 entries to say so")
    return graph


def listed(data: bytes, *, square: str | None = None, room: Room = FREE) -> Entries:
    """The entries of a MatrixMarket file; ``square`` is who cannot use another matrix."""
    columns, symmetry = banner(data.partition(b"\n")[0])
    both_triangles, marks = symmetry == "general", b"%\n"
    aside_lines = lines_begun(data, marks)
    entries = data.count(b"\n") - aside_lines
    room.take(2 * len(data) + ASIDE * aside_lines + (PAIR + 16 * (columns - 2)) * entries)
    body, aside = set_aside(data, begins_with(marks))
    line, sizes = first_line(data)
    needs = square if both_triangles else square or f"a {symmetry} matrix"
    *shape, declared = sizes_of(sizes, line, needs)
    room.take(NODE * sum(shape))
    parts = _parts(body.lstrip().partition(b"\n")[2], columns)
    places = None if parts is None else parts[0]
    if parts is None or places is None or (len(places) and not _are_within(places, shape)):
        _blame(data, line, shape, columns, ("node", "node") if square else ("row", "column"))
    if len(places) != declared:
        raise FormatError(
            f"{declared} entries declared, found {len(places)}: truncated?", line=line
        )
    return Entries((shape[0], shape[1]), places - 1, both_triangles, aside, parts[1])


def banner(line: bytes) -> tuple[int, str]:
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


def sizes_of(text: bytes, line: int, needs_square: str | None) -> list[int]:
    """Rows, columns and entries."""
    fields = text.split()
    if len(fields) != 3:
        raise FormatError(f"expected 'ROWS COLUMNS ENTRIES', got {shown(text)}", line=line)
    rows, columns, entries = (whole(field, "a size", line) for field in fields)
    if needs_square and rows != columns:
        raise FormatError(
            f"{needs_square} needs a square matrix, got {rows} x {columns}", line=line
        )
    return [checked_size(rows, line), checked_size(columns, line), entries]


def _parts(body: bytes, columns: int) -> tuple[IntArray, Numbers] | None:
    """Row and column of each entry ``[e, 2]``, and values; None where a line is not an entry."""
    if columns > 2:
        return weighted_table(body, columns)
    places = table(body, 2)
    return None if places is None else (places, np.empty((len(places), 0)))


def _are_within(places: IntArray, shape: Sequence[int]) -> bool:
    return bool((places >= 1).all() and (places <= shape).all())


def _blame(
    data: bytes, header: int, shape: Sequence[int], columns: int, words: Sequence[str]
) -> NoReturn:
    for number, line in numbered_lines(data):
        tokens = line.split()
        if number <= header or not tokens or line[:1] == b"%":
            continue
        if len(tokens) != columns:
            raise FormatError(f"expected {columns} numbers, got {shown(line)}", line=number)
        for token, size, what in zip(tokens, shape, words, strict=False):
            checked_node(token, size, number, what=what)
        for token in tokens[2:]:
            checked_finite(token.decode("utf-8", "replace"), number)
    raise FormatError("the entries cannot be read")


def render(graph: Graph) -> bytes:
    """The graph as a symmetric matrix, a pattern or of weights; features are not written."""
    kind, lower = "pattern", (graph.edges[:, ::-1] + 1).ravel().tolist()
    entries = "%d %d\n" * graph.m % tuple(lower)
    if graph.weights is not None:
        lines = zip(entries.splitlines(), written(graph.weights), strict=True)
        kind, entries = "real", "".join(f"{line} {weight}\n" for line, weight in lines)
    names = name_comments(graph, "%")
    head = f"%%MatrixMarket matrix coordinate {kind} symmetric\n{names}"
    return f"{head}{graph.n} {graph.n} {graph.m}\n{entries}".encode()
