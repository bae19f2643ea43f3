"""DIMACS ``.col``: comments ``c``, one line ``p edge n m``, then ``e u v`` with nodes 1..n.

Files in the wild are careless, so the edge count of the p line is not believed, doubled edges and
loops are removed (and counted by the graph), blank lines and node lines (``n d v x``) are skipped.
Names stand in comments: ``c name 1 Valjean``.

* A line ``f v c1 c2 ...`` lists the colors that node v may have, from 1 in the file as nodes are;
  they are the :attr:`~concolor.graph.core.Graph.lists` of the graph, from 0.
* Weights (``e u v w``), and the distances of ``p band``, are ignored with a doubt unless they are
  asked for; its demands always are.
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
    IGNORED,
    MIXED,
    NAMING,
    NODE,
    PAIR,
    WALKED,
    Bytes,
    How,
    Line,
    Say,
    asked_weights,
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
from concolor.graph.weights import Numbers, written
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


def parse(data: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
    """The graph of a DIMACS file."""
    lines = sum(data.count(b"\ne" + blank) for blank in (b" ", b"\t"))
    room.take(2 * len(data) + PAIR * lines + ASIDE * (data.count(b"\n") - lines))
    body, aside = set_aside(data, is_no_edge)
    head = head_of(aside)
    room.take(NODE * head.n)
    n, (pairs, weights) = head.n, edges(body + head.indented, data, room)
    first = 0 if pairs.size and pairs.min() == 0 and pairs.max() < n else 1
    if pairs.size and not first <= pairs.min() <= pairs.max() < n + first:
        _blame(data, n)
    check_end(len(pairs), head, data)
    pairs -= first  # our own array, and large
    names, lists = commented_names(aside, n, first), _lists(head.lists, n, first)
    taken = None if how is None else asked_weights(weights, len(pairs), how, say)
    graph = Graph.from_edges(
        n, pairs, names=names, first=first, lists=lists, weights=taken, repeated=how or "sum"
    )
    for doubt in doubts(head, first, bool(weights.size), graph.m, asked=how is not None):
        say(doubt)
    return graph


def is_no_edge(first: Bytes, second: Bytes) -> NDArray[np.bool_]:
    """For :func:`set_aside`: the lines that do not begin with ``e``."""
    no_edge: NDArray[np.bool_] = (first != ord("e")) | (second > ord(" "))
    return no_edge


def head_of(lines: list[Line]) -> _Head:
    """What those lines say."""
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


def check_end(count: int, head: _Head, text: bytes, line: int = 1) -> None:
    """Refuse a file that ends in the middle of a line, after fewer edges than it declares.

    ``text`` is the end of the file, and ``line`` the number of its first line.
    """
    if count < head.declared and not text.endswith(b"\n"):
        raise FormatError(
            f"stops after {count} of {head.declared} edges without ending its last line: "
            "truncated? If it is whole, end it with a newline",
            line=line + text.count(b"\n"),
        )


def _problem(fields: list[bytes], line: int) -> tuple[bytes, int, int]:
    """The kind of problem, the number of nodes, and that of edges."""
    if len(fields) != 3 or fields[0] not in (b"edge", b"edges", b"col", b"band"):
        given = shown(b" ".join([b"p", *fields]))
        raise FormatError(f"expected 'p edge NODES EDGES', got {given}", line=line)
    n = whole(fields[1], "the number of nodes", line)
    return fields[0], checked_size(n, line), whole(fields[2], "the number of edges", line)


def edges(body: bytes, data: bytes, room: Room = FREE) -> tuple[IntArray, Numbers]:
    """The ends of the edges ``[m, 2]`` as they stand there, and the weights of those with one."""
    blank = body.translate(bytes.maketrans(b"e", b" "))
    heads = body.count(b"e")  # every line begins with one
    pairs = table(blank, 2)
    if pairs is not None and heads == len(pairs):
        return pairs, np.empty(0)
    room.check((MIXED - PAIR) * heads)
    parts = weighted_table(blank, 3)
    if parts is not None and heads == len(parts[0]):
        return parts[0], parts[1][:, 0]
    room.check(WALKED * body.count(b"\n"))
    rows = list(_rows(data))
    ends = [[whole(end, "a node", row.line) for end in row.ends] for row in rows]
    weights = [float(row.weight) for row in rows if row.weight]
    return np.array(ends, np.int64).reshape(-1, 2), np.array(weights)


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


def doubts(
    head: _Head, first: int, weighted: bool, m: int, *, asked: bool = False
) -> Iterator[str]:
    """What is guessed or ignored in a file with ``m`` edges; weights are not, where ``asked``."""
    if first == 0:
        yield (
            f"an edge names node 0 and none names node {head.n}, so nodes are taken to be counted "
            "from 0; count them from 1, as DIMACS does, to say otherwise"
        )
    if asked:
        if head.kind == b"band" and head.demands:
            yield "the demands of 'p band' are ignored: each node gets one color"
    elif head.kind == b"band":
        what = "distances and demands" if head.demands else "distances"
        yield (
            f"'p band' asks for a distance between colors, but {what} are ignored: the ends of an "
            "edge only get different colors; write 'p edge' and 'e NODE NODE' to say so"
        )
    elif weighted:
        yield f"{IGNORED}, or write 'e NODE NODE'"
    if head.n and not m and head.declared:
        yield f"no edge at all where {head.declared} are declared; declare 0 to say so"


def render(graph: Graph) -> bytes:
    """The graph as a DIMACS file; features are not written.

    Lists stand before the edges, so that a file that is cut off does not lose them unnoticed.
    """
    edges = "e %d %d\n" * graph.m % tuple((graph.edges + 1).ravel().tolist())
    if graph.weights is not None:
        lines = zip(edges.splitlines(), written(graph.weights), strict=True)
        edges = "".join(f"{line} {weight}\n" for line, weight in lines)
    lists = "".join(
        f"f {node + 1} {' '.join(str(color + 1) for color in colors)}\n"
        for node, colors in (graph.lists or {}).items()
    )
    names = name_comments(graph, "c")
    return f"{names}p edge {graph.n} {graph.m}\n{lists}{edges}".encode()
