"""JSON node-link: ``{"nodes": [{"id": ...}], "edges": [{"source": ..., "target": ...}]}``.

What networkx's ``node_link_data`` makes; older versions say ``links`` for ``edges``. Ids that are
whole numbers and fill 0..n-1 are the node numbers; other ids are names, in the order of the file
(an id that is not text goes by its JSON: ``[0, 1]``). Weights of edges (``"weight": ...``) are
ignored, unless asked for, with a doubt where they differ.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats.scan import FREE, How, Say, asked_weights, warn
from concolor.graph.weights import Numbers, plain
from concolor.memory import Room

OBJECT, VALUE = 230, 40  # bytes of memory for an object or a list, and for another value, about


def parse(data: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
    """The graph of a node-link file."""
    room.check(OBJECT * (data.count(b"{") + data.count(b"[")) + VALUE * data.count(b","))
    content = _loaded(data)
    if not isinstance(content, dict) or "nodes" not in content:
        raise FormatError('expected {"nodes": [...], "edges": [...]}: is this node-link JSON?')
    if content.get("directed", False):
        raise FormatError(
            "the graph is directed: coloring needs an undirected one; "
            'if every edge goes both ways, say "directed": false'
        )
    ids = _values(content["nodes"], "node", "id")
    links = content.get("edges", content.get("links"))
    ends = [_values(links, "edge", end) for end in ("source", "target")]
    more: dict[str, Any] = {"weights": _weights(links or [], how, say), "repeated": how or "sum"}
    names = list(map(_name, ids))
    if all(type(node) is int for node in ids) and sorted(ids) == list(range(len(ids))):
        pairs = _pairs(ends, dict(zip(names, ids, strict=True)))
        graph = Graph.from_edges(len(ids), pairs, **more)
    else:
        places = {name: i for i, name in enumerate(names)}
        graph = Graph.from_edges(len(ids), _pairs(ends, places), names=names, **more)
    if links and not graph.m:
        say("no edge at all: all are loops; give an empty list of edges to say so")
    return graph


def _weights(links: list[dict[str, Any]], how: How, say: Say) -> Numbers | None:
    if how is None:
        texts = [_name(link["weight"]) for link in links if "weight" in link]
        return asked_weights(np.array(texts), 0, how, say)
    for i, link in enumerate(links):
        weight = link.get("weight")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise FormatError(f'edge {i} needs a number as "weight", got {_name(weight)[:60]}')
    return np.array([float(link["weight"]) for link in links])


def _loaded(data: bytes) -> Any:
    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from None


def _values(items: Any, kind: str, key: str) -> list[Any]:
    """The value of ``key`` in each of a list of objects."""
    if not isinstance(items, list):
        raise FormatError(f"expected a list of {kind}s, got {type(items).__name__}")
    for i, item in enumerate(items):
        if not isinstance(item, dict) or key not in item:
            raise FormatError(f'{kind} {i} must be an object with "{key}", got {_name(item)[:60]}')
    return [item[key] for item in items]


def _name(node: Any) -> str:
    return node if isinstance(node, str) else json.dumps(node)


def _pairs(ends: list[list[Any]], places: dict[str, int]) -> IntArray:
    names = [list(map(_name, column)) for column in ends]
    for column in names:
        for i, name in enumerate(column):
            if name not in places:
                raise FormatError(f"edge {i} has an end {name[:60]!r}, which is not a node")
    return np.array([[places[name] for name in column] for column in names], np.int64).T


def render(graph: Graph) -> bytes:
    """The graph as networkx's ``node_link_data``; features are not written."""
    ids = range(graph.n) if graph.names is None else graph.node_names
    content: dict[str, Any] = {
        "directed": False,
        "multigraph": False,
        "graph": {"name": graph.name},
        "nodes": [{"id": node} for node in ids],
        "edges": [{"source": ids[u], "target": ids[v]} for u, v in graph.edges.tolist()],
    }
    if graph.weights is not None:
        for edge, weight in zip(content["edges"], graph.weights.tolist(), strict=True):
            edge["weight"] = plain(weight)
    return (json.dumps(content) + "\n").encode()
