"""GraphML: one flat undirected graph; node ids are the names, in document order.

Ids that are exactly 0, 1, ..., n-1 in this order are plain numbers. Attributes of nodes and edges
are not read, but for the ``weight`` of edges where it is asked for; else it is ignored, with a
doubt where it differs. Document types (and with them
entities) are refused, as they can grow without bound.
"""

from __future__ import annotations

from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from concolor.errors import FormatError
from concolor.graph.core import Graph
from concolor.graph.formats.scan import FREE, WALKED, How, Say, asked_weights, checked_finite, warn
from concolor.graph.weights import Numbers, written
from concolor.memory import Room

_DIRECTED = (
    "is directed: coloring needs an undirected graph; save it as one, or say directed='false'"
)


def parse(data: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
    """The graph of a GraphML file."""
    room.check(WALKED * (data.count(b"<") - data.count(b"</")))
    document = _Document()
    try:
        document.parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, str(error.code))
        raise FormatError(f"not well-formed XML: {reason}", line=error.lineno) from None
    except FormatError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that Python does not know
        raise FormatError(f"cannot be decoded: {error}", line=1) from None
    graph = document.graph(how, say)
    if graph.n and not graph.m and document.promised != "0":
        say("no <edge> between two nodes at all; write <graph parse.edges='0'> to say so")
    return graph


class _Document:
    """What the XML parser meets on its way: nodes, edges with their lines, weights."""

    def __init__(self) -> None:
        self.nodes: dict[str, int] = {}
        self.edges: list[tuple[str, str, int]] = []
        self.weights: dict[int, list[str]] = {}  # by the place of the edge, in parts of a long text
        self.in_edge = False
        self.keys: set[str | None] = set()  # of the attribute "weight" of edges, one for each type
        self.graphs, self.promised = 0, ""
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start

    def _refuse(self, message: str) -> FormatError:
        return FormatError(message, line=self.parser.CurrentLineNumber)

    def _doctype(self, *_: object) -> None:
        raise self._refuse("a document type is refused: delete the line <!DOCTYPE ...>")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        tag = element.rpartition(" ")[2]
        self.in_edge = tag == "edge" or (tag == "data" and self.in_edge)
        if tag == "graph":
            self._graph(attributes)
        elif tag == "node":
            self._node(self._attribute(attributes, tag, "id"))
        elif tag == "edge":
            self._edge(attributes)
        elif tag == "key":
            self._key(attributes)
        elif self.in_edge and attributes.get("key") in self.keys:
            self.weights[len(self.edges) - 1] = []
            self.parser.CharacterDataHandler, self.parser.EndElementHandler = self._text, self._end
        elif tag == "hyperedge":
            raise self._refuse("hyperedges cannot be colored: give edges between two nodes")

    def _text(self, text: str) -> None:
        self.weights[len(self.edges) - 1].append(text)

    def _end(self, element: str) -> None:
        self.parser.CharacterDataHandler = self.parser.EndElementHandler = None

    def _key(self, attributes: dict[str, str]) -> None:
        of_edges = attributes.get("for", "all") in ("edge", "all")
        if of_edges and attributes.get("attr.name") == "weight":
            self.keys.add(attributes.get("id"))

    def _graph(self, attributes: dict[str, str]) -> None:
        self.graphs += 1
        if self.graphs > 1:
            raise self._refuse("a second <graph>, but a file holds one flat graph: split it")
        if attributes.get("edgedefault", "undirected") != "undirected":
            raise self._refuse(f"the graph {_DIRECTED}")
        self.promised = attributes.get("parse.edges", "")

    def _node(self, name: str) -> None:
        if name in self.nodes:
            raise self._refuse(f"node {name!r} is there twice")
        self.nodes[name] = len(self.nodes)

    def _edge(self, attributes: dict[str, str]) -> None:
        if attributes.get("directed", "false") not in ("false", "0"):
            raise self._refuse(f"an edge {_DIRECTED}")
        ends = [self._attribute(attributes, "edge", end) for end in ("source", "target")]
        self.edges.append((ends[0], ends[1], self.parser.CurrentLineNumber))

    def _attribute(self, attributes: dict[str, str], tag: str, name: str) -> str:
        if name not in attributes:
            raise self._refuse(f"a <{tag}> without {name}")
        return attributes[name]

    def _weights(self, how: How, say: Say) -> Numbers | None:
        texts = ["".join(self.weights.get(place, [])) for place in range(len(self.edges))]
        if how is None:
            return asked_weights(np.array([text for text in texts if text]), 0, how, say)
        lines = [line for *_, line in self.edges]
        pairs = zip(texts, lines, strict=True)
        return np.array([checked_finite(text.strip(), line) for text, line in pairs], np.float64)

    def graph(self, how: How, say: Say) -> Graph:
        if not self.graphs:
            raise FormatError("no <graph> in it: is this GraphML?")
        for *ends, line in self.edges:
            for end in ends:
                if end not in self.nodes:
                    raise FormatError(f"an edge of {end!r}, which is not a node", line=line)
        pairs = [(self.nodes[u], self.nodes[v]) for u, v, _ in self.edges]
        return Graph.from_edges(
            len(self.nodes),
            np.array(pairs, np.int64),
            names=list(self.nodes),
            weights=self._weights(how, say),
            repeated=how or "sum",
        )


_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    "{key}"
    '  <graph edgedefault="undirected" parse.nodes="{n}" parse.edges="{m}">\n'
)
_KEY = '  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n'
_TAIL = "  </graph>\n</graphml>\n"


def render(graph: Graph) -> bytes:
    """The graph as GraphML; features are not written."""
    numbers = map(str, range(graph.n))
    ids = list(map(quoteattr, numbers if graph.names is None else graph.node_names))
    nodes = "".join(f"    <node id={node}/>\n" for node in ids)
    pairs = graph.edges.tolist()
    ends, key = [f"<edge source={ids[u]} target={ids[v]}" for u, v in pairs], ""
    if graph.weights is not None:
        weights, key = written(graph.weights), _KEY
        values = (f'<data key="weight">{weight}</data></edge>' for weight in weights)
        ends = [f"{end}>{value}" for end, value in zip(ends, values, strict=True)]
    else:
        ends = [f"{end}/>" for end in ends]
    edges = "".join(f"    {end}\n" for end in ends)
    return f"{_HEAD.format(n=graph.n, m=graph.m, key=key)}{nodes}{edges}{_TAIL}".encode()
