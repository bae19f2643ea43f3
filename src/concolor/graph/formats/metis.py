"""METIS ``.graph``: a header ``n m [fmt [ncon]]``, then line i lists the neighbors of node i.

Nodes are 1..n. ``fmt`` is up to three digits 0/1: node sizes, node weights (``ncon`` of them), edge
weights; all weights are skipped, but for those of edges where they are asked for; else a doubt says
so where they differ. ``%`` begins a comment, and names stand in comments: ``% name 1 Valjean``.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NoReturn

import numpy as np

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats.scan import (
    ASIDE,
    FREE,
    MIXED,
    NODE,
    How,
    Say,
    asked_weights,
    begins_with,
    checked_node,
    checked_size,
    commented_names,
    first_line,
    lines_begun,
    name_comments,
    numbered_lines,
    ragged,
    set_aside,
    shown,
    warn,
    whole,
)
from concolor.graph.structure import on_arcs
from concolor.memory import Room


def parse(data: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
    """The graph of a METIS file."""
    line, header = first_line(data)
    n, m, skip, stride = _header(header, line)
    room.take(2 * len(data) + ASIDE * lines_begun(data, b"%") + NODE * (n + data.count(b"\n")))
    body, comments = set_aside(data, begins_with(b"%"))
    room.check(MIXED * (len(body) - len(body.translate(None, b" \t\n"))) // 2)
    rows = ragged(body.lstrip().partition(b"\n")[2])
    if rows is None:
        _blame(data, line, n, skip, stride)
    tokens, _, counts = rows
    if len(counts) < n or counts[n:].any():
        raise FormatError(
            f"expected a line for each of {n} nodes, found {len(counts)} lines: truncated?",
            line=line,
        )
    entries = _entries(tokens, counts[:n], skip, stride)
    if entries is None or ((entries[:, 1] < 1) | (entries[:, 1] > n)).any():
        _blame(data, line, n, skip, stride)
    if len(entries) != 2 * m:
        raise FormatError(
            f"{m} edges need {2 * m} neighbors, found {len(entries)}: truncated? "
            "Every edge is listed at both of its ends",
            line=line,
        )
    weights = asked_weights(entries[:, 2:], len(entries), how, say)
    pairs, names = entries[:, :2] - (0, 1), commented_names(comments, n)
    graph = Graph.from_edges(
        n, pairs, names=names, first=1, weights=weights, repeated=how or "sum", arcs=True
    )
    if m and not graph.m:
        say("no edge at all: every node is its own neighbor only; write 'NODES 0' to say so")
    return graph


_HEADER = re.compile(
    rb"\s*(?P<n>\S+)\s+(?P<m>\S+)(?:\s+(?P<fmt>[01]{1,3})(?:\s+(?P<ncon>\S+))?)?\s*"
)


def _header(header: bytes, line: int) -> tuple[int, int, int, int]:
    """n, m, how many numbers to skip at the start of a line, how many a neighbor takes."""
    match = _HEADER.fullmatch(header)
    if match is None:
        raise FormatError(f"expected 'NODES EDGES [FMT [NCON]]', got {shown(header)}", line=line)
    n = checked_size(whole(match["n"], "the number of nodes", line), line)
    m = whole(match["m"], "the number of edges", line)
    sizes, weights, edge_weights = map(int, (match["fmt"] or b"").decode().rjust(3, "0"))
    constraints = whole(match["ncon"] or b"1", "NCON", line)
    return n, m, sizes + weights * constraints, 1 + edge_weights


def _entries(tokens: IntArray, counts: IntArray, skip: int, stride: int) -> IntArray | None:
    """Node (from 0), neighbor (from 1), and a weight if there is one ``[p, 1 + stride]``.

    None where a line is too short.
    """
    if (counts < skip).any() or ((counts - skip) % stride).any():
        return None
    if skip:
        place = np.arange(len(tokens)) - np.repeat(np.cumsum(counts) - counts, counts)
        tokens = tokens[place >= skip]
    nodes = np.repeat(np.arange(len(counts)), (counts - skip) // stride)
    return np.column_stack([nodes, tokens.reshape(-1, stride)])


def _blame(data: bytes, header: int, n: int, skip: int, stride: int) -> NoReturn:
    for number, line in numbered_lines(data):
        if number <= header or line[:1] == b"%":
            continue
        tokens = line.split()
        for token in tokens:
            whole(token, "a node or weight", number)
        if len(tokens) < skip or (len(tokens) - skip) % stride:
            given = f"got {len(tokens)} numbers"
            raise FormatError(
                f"{skip} weights, then {stride} numbers a neighbor; {given}", line=number
            )
        for token in tokens[skip::stride]:
            checked_node(token, n, number)
    raise FormatError("the neighbor lines cannot be read")


def has_whole_weights(graph: Graph) -> bool:
    """Only whole weights can be written."""
    return graph.weights is not None and bool((graph.weights % 1 == 0).all())


def render(graph: Graph) -> bytes:
    """The graph as a METIS file; features are not written, and only whole weights."""
    words, fmt = list(map(str, (graph.indices + 1).tolist())), ""
    if graph.weights is not None and has_whole_weights(graph):
        weights = map(int, on_arcs(graph, graph.weights).tolist())
        words = [f"{word} {weight}" for word, weight in zip(words, weights, strict=True)]
        fmt = " 001"
    bounds = graph.indptr.tolist()
    rows = (" ".join(words[a:b]) + "\n" for a, b in pairwise(bounds))
    names = name_comments(graph, "%")
    return f"{names}{graph.n} {graph.m}{fmt}\n{''.join(rows)}".encode()
