import io

import networkx as nx
import pytest

from concolor.errors import Doubt, FormatError
from concolor.graph.formats import FORMATS, from_networkx, to_networkx
from concolor.graph.formats.graphml import parse, render


@pytest.mark.filterwarnings("ignore:weights:concolor.errors.Doubt")  # of the karate club
@pytest.mark.parametrize(
    "graph", [nx.petersen_graph(), nx.karate_club_graph(), nx.MultiGraph(["ab", "ba"])]
)
def test_what_networkx_writes(graph):
    file = io.BytesIO()
    nx.write_graphml(graph, file)
    assert FORMATS["graphml"].parse(file.getvalue()) == from_networkx(graph)


def test_networkx_reads_what_we_write():
    graph = nx.les_miserables_graph()
    back = nx.read_graphml(io.BytesIO(render(from_networkx(graph))))
    assert nx.utils.graphs_equal(
        nx.Graph(back.edges), nx.Graph(to_networkx(from_networkx(graph)).edges)
    )


def written(graph):
    file = io.BytesIO()
    nx.write_graphml(graph, file)
    return file.getvalue()


def test_weights_that_differ_are_ignored_with_a_doubt():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 5, 1: 6, 2: 7}, "weight")  # not those of edges
    nx.set_edge_attributes(graph, 2.5, "weight")
    nx.set_edge_attributes(graph, {(0, 1): 1, (1, 2): 2}, "length")
    assert parse(written(graph)).m == 2
    graph.edges[0, 1]["weight"] = 2
    with pytest.warns(Doubt, match="weights of edges are ignored"):
        assert parse(written(graph)).m == 2


def test_no_edge_at_all_is_a_doubt_unless_it_is_said():
    content = b'<graphml><graph%s><node id="a"/><edge source="a" target="a"/></graph></graphml>'
    assert parse(content % b' parse.edges="0"').n == 1
    with pytest.warns(Doubt, match="no <edge> between two nodes at all; write <graph parse.edges"):
        assert parse(content % b"").loops == 1


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<graphml>&b;</graphml>'


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b'<graphml>\n<graph edgedefault="directed"/></graphml>', 2, "undirected"),
        (
            b'<graphml><graph><node id="a"/>\n<edge directed="true" source="a" target="a"/>',
            2,
            "undirected",
        ),
        (BOMB, 1, "document type is refused"),
        (b"<graphml><graph>\n<node/></graph></graphml>", 2, "<node> without id"),
        (b'<graphml><graph><node id="a"/>\n<node id="a"/></graph></graphml>', 2, "twice"),
        (
            b'<graphml><graph>\n<edge source="a" target="b"/></graph></graphml>',
            2,
            "'a', which is not a node",
        ),
        (b"<graphml><graph>\n<hyperedge/></graph></graphml>", 2, "hyperedges"),
        (b"<graphml><graph/>\n<graph/></graphml>", 2, "a second <graph>"),
        (b"<graphml><graph>\n", 2, "not well-formed"),
        (b"<html></html>", None, "no <graph>"),
        (b'<?xml version="1.0" encoding="utf-77"?><graphml/>', 1, "encoding"),
    ],
)
def test_mistakes_are_named_with_their_line(content, line, message):
    with pytest.raises(FormatError) as caught:
        parse(content)
    assert message in str(caught.value)
    assert caught.value.line == line
