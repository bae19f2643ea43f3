"""GraphML: one flat undirected graph; node ids are the names, in document order.

Ids that are exactly 0, 1, ..., n-1 in this order are plain numbers. Attributes of nodes and edges
are not read. Document types (and with them entities) are refused, as they can grow without bound.
"""

from __future__ import annotations

from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from concolor.errors import FormatError
from concolor.graph.core import Graph

_DIRECTED = (
    "is directed: coloring needs an undirected graph; save it as one, or say directed='false'"
)


def parse(data: bytes) -> Graph:
    """The graph of a GraphML file."""
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
    return document.graph()


class _Document:
    """What the XML parser meets on its way: nodes, and edges with their lines."""

    def __init__(self) -> None:
        self.nodes: dict[str, int] = {}
        self.edges: list[tuple[str, str, int]] = []
        self.graphs = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start

    def _refuse(self, message: str) -> FormatError:
        return FormatError(message, line=self.parser.CurrentLineNumber)

    def _doctype(self, *_: object) -> None:
        raise self._refuse("a document type is refused: delete the line <!DOCTYPE ...>")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        tag = element.rpartition(" ")[2]
        if tag == "graph":
            self._graph(attributes)
        elif tag == "node":
            self._node(self._attribute(attributes, tag, "id"))
        elif tag == "edge":
            self._edge(attributes)
        elif tag == "hyperedge":
            raise self._refuse("hyperedges cannot be colored: give edges between two nodes")

    def _graph(self, attributes: dict[str, str]) -> None:
        self.graphs += 1
        if self.graphs > 1:
            raise self._refuse("a second <graph>, but a file holds one flat graph: split it")
        if attributes.get("edgedefault", "undirected") != "undirected":
            raise self._refuse(f"the graph {_DIRECTED}")

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

    def graph(self) -> Graph:
        if not self.graphs:
            raise FormatError("no <graph> in it: is this GraphML?")
        for *ends, line in self.edges:
            for end in ends:
                if end not in self.nodes:
                    raise FormatError(f"an edge of {end!r}, which is not a node", line=line)
        pairs = [(self.nodes[u], self.nodes[v]) for u, v, _ in self.edges]
        return Graph.from_edges(len(self.nodes), np.array(pairs, np.int64), names=list(self.nodes))


_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '  <graph edgedefault="undirected">\n'
)
_TAIL = "  </graph>\n</graphml>\n"


def render(graph: Graph) -> bytes:
    """The graph as GraphML; features are not written."""
    numbers = map(str, range(graph.n))
    ids = list(map(quoteattr, numbers if graph.names is None else graph.node_names))
    nodes = "".join(f"    <node id={node}/>\n" for node in ids)
    pairs = graph.edges.tolist()
    edges = "".join(f"    <edge source={ids[u]} target={ids[v]}/>\n" for u, v in pairs)
    return f"{_HEAD}{nodes}{edges}{_TAIL}".encode()
