"""DIMACS ``.col``: comments ``c``, one line ``p edge n m``, then ``e u v`` with nodes 1..n.

Files in the wild are careless, so the edge count of the p line is not believed, doubled edges and
loops are removed (and counted by the graph), blank lines and node lines (``n d v x``) are skipped.
Names stand in comments: ``c name 1 Valjean``.
"""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats.scan import (
    NAMING,
    Bytes,
    Line,
    checked_node,
    checked_size,
    commented_names,
    name_comments,
    numbered_lines,
    set_aside,
    shown,
    table,
    whole,
)


def parse(data: bytes) -> Graph:
    """The graph of a DIMACS file."""
    body, aside = set_aside(data, _is_no_edge)
    n, declared, indented = _problem(aside)
    pairs = _pairs(body + indented)
    if pairs is None or (pairs.size and not 1 <= pairs.min() <= pairs.max() <= n):
        _blame(data, n)
    if len(pairs) < declared and not data.endswith(b"\n"):
        raise FormatError(
            f"stops after {len(pairs)} of {declared} edges without ending its last line: truncated?"
            " If it is whole, end it with a newline",
            line=data.count(b"\n") + 1,
        )
    pairs -= 1  # our own array, and large
    return Graph.from_edges(n, pairs, names=commented_names(aside, n), first=1)


def _is_no_edge(first: Bytes, second: Bytes) -> NDArray[np.bool_]:
    no_edge: NDArray[np.bool_] = (first != ord("e")) | (second > ord(" "))
    return no_edge


def _problem(lines: list[Line]) -> tuple[int, int, bytes]:
    """From all lines that do not begin with ``e``: n, the declared m, and indented edge lines."""
    problem: tuple[int, int] | None = None
    indented = []
    for number, line in lines:
        kind, *fields = line.split() or [b"c"]
        if kind == b"p" and problem is None:
            problem = _sizes(fields, number)
        elif kind == b"p":
            raise FormatError("a second p line, but a file holds one graph: split it", line=number)
        elif kind == b"e":
            indented.append(line.lstrip() + b"\n")
        elif not kind.startswith(b"c") and kind not in (b"n", b"d", b"v", b"x"):
            raise FormatError(f"expected a line c, p, e or n, got {shown(line)}", line=number)
    if problem is None:
        raise FormatError(
            f"no line 'p edge NODES EDGES': is this DIMACS? Else name the format: {NAMING}"
        )
    return *problem, b"".join(indented)


def _pairs(body: bytes) -> IntArray | None:
    """The ends of the edges ``[m, 2]`` from 1; None unless every line is ``e NODE NODE``."""
    pairs = table(body.translate(bytes.maketrans(b"e", b" ")), 2)
    only_heads = pairs is not None and body.count(b"e") == len(pairs)  # every line begins with one
    return pairs if only_heads else None


def _sizes(fields: list[bytes], line: int) -> tuple[int, int]:
    if len(fields) != 3 or fields[0] not in (b"edge", b"edges", b"col"):
        given = shown(b" ".join([b"p", *fields]))
        raise FormatError(f"expected 'p edge NODES EDGES', got {given}", line=line)
    n = whole(fields[1], "the number of nodes", line)
    return checked_size(n, line), whole(fields[2], "the number of edges", line)


def _blame(data: bytes, n: int) -> NoReturn:
    for number, line in numbered_lines(data):
        if line.lstrip().startswith(b"e"):
            match = re.fullmatch(rb"[ \t]*e[ \t]+(\d+)[ \t]+(\d+)[ \t]*", line)
            if match is None:
                raise FormatError(f"expected 'e NODE NODE', got {shown(line)}", line=number)
            for token in match.groups():
                checked_node(token, n, number)
    raise FormatError("the edge lines cannot be read")


def render(graph: Graph) -> bytes:
    """The graph as a DIMACS file; features are not written."""
    edges = "e %d %d\n" * graph.m % tuple((graph.edges + 1).ravel().tolist())
    names = name_comments(graph, "c")
    return f"{names}p edge {graph.n} {graph.m}\n{edges}".encode()
