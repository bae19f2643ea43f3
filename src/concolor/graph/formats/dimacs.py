"""DIMACS ``.col``: comments ``c``, one line ``p edge n m``, then ``e u v`` with nodes 1..n.

Files in the wild are careless, so the edge count of the p line is not believed, doubled edges and
loops are removed (and counted by the graph), blank lines and node lines (``n d v x``) are skipped.
Names stand in comments: ``c name 1 Valjean``.

* A line ``f v c1 c2 ...`` lists the colors that node v may have, from 1 in the file as nodes are;
  they are the :attr:`~concolor.graph.core.Graph.lists` of the graph, from 0.
* Weights (``e u v w``), and the distances and demands of ``p band``, are ignored with a doubt.
* Nodes are counted from 0, with a doubt, where an edge names node 0 and none names node n.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray, Lists
from concolor.graph.formats.scan import (
    ASIDE,
    FREE,
    NAMING,
    NODE,
    PAIR,
    WALKED,
    Bytes,
    Line,
    Say,
    checked_finite,
    checked_node,
    checked_size,
    commented_names,
    name_comments,
    numbered_lines,
    set_aside,
    shown,
    table,
    warn,
    weighted_table,
    whole,
)
from concolor.memory import Room


@dataclass(frozen=True)
class _Head:
    """What the lines that do not begin with ``e`` say."""

    kind: bytes  # edge, edges, col or band
    n: int
    declared: int  # edges
    indented: bytes  # edge lines after all
    lists: list[Line]
    demands: bool  # whether there are n lines


def parse(data: bytes, say: Say = warn, room: Room = FREE) -> Graph:
    """The graph of a DIMACS file."""
    edges = sum(data.count(b"\ne" + blank) for blank in (b" ", b"\t"))
    room.take(2 * len(data) + PAIR * edges + ASIDE * (data.count(b"\n") - edges))
    body, aside = set_aside(data, _is_no_edge)
    head = _head(aside)
    room.take(NODE * head.n)
    n, (pairs, weighted) = head.n, _edges(body + head.indented, data, room)
    first = 0 if pairs.size and pairs.min() == 0 and pairs.max() < n else 1
    if pairs.size and not first <= pairs.min() <= pairs.max() < n + first:
        _blame(data, n)
    if len(pairs) < head.declared and not data.endswith(b"\n"):
        raise FormatError(
            f"stops after {len(pairs)} of {head.declared} edges without ending its last line: "
            "truncated? If it is whole, end it with a newline",
            line=data.count(b"\n") + 1,
        )
    pairs -= first  # our own array, and large
    names, lists = commented_names(aside, n, first), _lists(head.lists, n, first)
    graph = Graph.from_edges(n, pairs, names=names, first=first, lists=lists)
    for doubt in _doubts(head, graph, first, weighted):
        say(doubt)
    return graph


def _is_no_edge(first: Bytes, second: Bytes) -> NDArray[np.bool_]:
    no_edge: NDArray[np.bool_] = (first != ord("e")) | (second > ord(" "))
    return no_edge


def _head(lines: list[Line]) -> _Head:
    problem: tuple[bytes, int, int] | None = None
    indented, lists, demands = [], [], False
    for number, line in lines:
        kind, *fields = line.split() or [b"c"]
        if kind == b"p" and problem is None:
            problem = _problem(fields, number)
        elif kind == b"p":
            raise FormatError("a second p line, but a file holds one graph: split it", line=number)
        elif kind == b"e":
            indented.append(line.lstrip() + b"\n")
        elif kind == b"f":
            lists.append((number, line))
        elif kind == b"n":
            demands = True
        elif not kind.startswith(b"c") and kind not in (b"d", b"v", b"x"):
            raise FormatError(f"expected a line c, p, e, f or n, got {shown(line)}", line=number)
    if problem is None:
        raise FormatError(
            f"no line 'p edge NODES EDGES': is this DIMACS? Else name the format: {NAMING}"
        )
    return _Head(*problem, b"".join(indented), lists, demands)


def _problem(fields: list[bytes], line: int) -> tuple[bytes, int, int]:
    """The kind of problem, the number of nodes, and that of edges."""
    if len(fields) != 3 or fields[0] not in (b"edge", b"edges", b"col", b"band"):
        given = shown(b" ".join([b"p", *fields]))
        raise FormatError(f"expected 'p edge NODES EDGES', got {given}", line=line)
    n = whole(fields[1], "the number of nodes", line)
    return fields[0], checked_size(n, line), whole(fields[2], "the number of edges", line)


def _edges(body: bytes, data: bytes, room: Room) -> tuple[IntArray, bool]:
    """The ends of the edges ``[m, 2]`` as they stand there, and whether they have weights."""
    blank = body.translate(bytes.maketrans(b"e", b" "))
    heads = body.count(b"e")  # every line begins with one
    pairs = table(blank, 2)
    if pairs is not None and heads == len(pairs):
        return pairs, False
    parts = weighted_table(blank, 3)
    if parts is not None and heads == len(parts[0]):
        return parts[0], True
    room.check(WALKED * body.count(b"\n"))
    rows = list(_rows(data))
    ends = [[whole(end, "a node", row.line) for end in row.ends] for row in rows]
    return np.array(ends, np.int64).reshape(-1, 2), any(row.weight for row in rows)


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    ends: tuple[bytes, bytes]
    weight: bytes


def _rows(data: bytes) -> Iterator[_Row]:
    """The slow walk over the edge lines, up to the first that is none."""
    for number, line in numbered_lines(data):
        if line.lstrip().startswith(b"e"):
            match = re.fullmatch(rb"[ \t]*e[ \t]+(\d+)[ \t]+(\d+)(?:[ \t]+(\S+))?[ \t]*", line)
            if match is None:
                raise FormatError(f"expected 'e NODE NODE', got {shown(line)}", line=number)
            if match[3] is not None:
                checked_finite(match[3].decode("utf-8", "replace"), number)
            yield _Row(number, (match[1], match[2]), match[3] or b"")


def _blame(data: bytes, n: int) -> NoReturn:
    for row in _rows(data):
        for end in row.ends:
            checked_node(end, n, row.line)
    raise FormatError("the edge lines cannot be read")


def _lists(lines: list[Line], n: int, first: int) -> Lists:
    """The colors that nodes may have, from 0."""
    lists: dict[int, tuple[int, ...]] = {}
    for number, line in lines:
        _, *fields = line.split()
        if len(fields) < 2:
            raise FormatError(f"expected 'f NODE COLOR ...', got {shown(line)}", line=number)
        node = checked_node(fields[0], n, number, first)
        if node - first in lists:
            raise FormatError(f"a second list for node {node}: join the two", line=number)
        colors = [whole(field, "a color", number) for field in fields[1:]]
        if 0 in colors:
            raise FormatError("color 0: lists count colors from 1", line=number)
        lists[node - first] = tuple(color - 1 for color in colors)
    return lists


def _doubts(head: _Head, graph: Graph, first: int, weighted: bool) -> Iterator[str]:
    if first == 0:
        yield (
            f"an edge names node 0 and none names node {head.n}, so nodes are taken to be counted "
            "from 0; count them from 1, as DIMACS does, to say otherwise"
        )
    if head.kind == b"band":
        what = "distances and demands" if head.demands else "distances"
        yield (
            f"'p band' asks for a distance between colors, but {what} are ignored: the ends of an "
            "edge only get different colors; write 'p edge' and 'e NODE NODE' to say so"
        )
    elif weighted:
        yield "weights of edges are ignored: all count the same; write 'e NODE NODE' to say so"
    if graph.n and not graph.m and head.declared:
        yield f"no edge at all where {head.declared} are declared; declare 0 to say so"


def render(graph: Graph) -> bytes:
    """The graph as a DIMACS file; features are not written.

    Lists stand before the edges, so that a file that is cut off does not lose them unnoticed.
    """
    edges = "e %d %d\n" * graph.m % tuple((graph.edges + 1).ravel().tolist())
    lists = "".join(
        f"f {node + 1} {' '.join(str(color + 1) for color in colors)}\n"
        for node, colors in (graph.lists or {}).items()
    )
    names = name_comments(graph, "c")
    return f"{names}p edge {graph.n} {graph.m}\n{lists}{edges}".encode()
