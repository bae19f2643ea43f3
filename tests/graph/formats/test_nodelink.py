import json

import networkx as nx
import pytest

from concolor.errors import Doubt, FormatError, InputError
from concolor.graph.formats import from_networkx
from concolor.graph.formats.nodelink import parse, render

SHUFFLED = nx.Graph([(3, 1), (0, 2)])


@pytest.mark.filterwarnings("ignore:weights:concolor.errors.Doubt")  # of Les Misérables
@pytest.mark.parametrize("key", ["edges", "links"])
@pytest.mark.parametrize(
    "graph",
    [nx.petersen_graph(), nx.les_miserables_graph(), nx.MultiGraph([(0, 1), (1, 0)]), SHUFFLED],
)
def test_what_networkx_writes(graph, key):
    content = json.dumps(nx.node_link_data(graph, edges=key))
    ours, theirs = parse(content.encode()), from_networkx(graph)
    if graph is SHUFFLED:  # whole numbers that fill 0..n-1 are the node numbers in a file
        theirs = theirs.subgraph([theirs.node(v) for v in range(4)])
    assert ours == theirs


def test_ids_that_are_not_text_go_by_their_json():
    content = json.dumps(nx.node_link_data(nx.grid_2d_graph(1, 2), edges="edges"))
    assert parse(content.encode()).names == ("[0, 0]", "[0, 1]")


def test_weights_that_differ_are_ignored_with_a_doubt():
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, 2.5, "weight")
    assert parse(json.dumps(nx.node_link_data(graph, edges="edges")).encode()).m == 2
    graph.edges[0, 1]["weight"] = 2
    with pytest.warns(Doubt, match="weights of edges are ignored"):
        assert parse(json.dumps(nx.node_link_data(graph, edges="edges")).encode()).m == 2


def test_loops_alone_are_a_doubt_and_an_empty_list_of_edges_is_not():
    assert parse(b'{"nodes": [{"id": 0}, {"id": 1}], "edges": []}').n == 2
    with pytest.warns(Doubt, match="no edge at all: all are loops"):
        parse(b'{"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 0}]}')


def test_networkx_reads_what_we_write():
    graph = nx.les_miserables_graph()
    back = nx.node_link_graph(json.loads(render(from_networkx(graph))), edges="edges")
    assert nx.utils.graphs_equal(nx.Graph(back.edges), nx.Graph(graph.edges))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"directed": true, "nodes": [], "edges": []}', "directed"),
        ("[1, 2]", 'expected {"nodes"'),
        ('{"nodes": {}, "edges": []}', "expected a list of nodes, got dict"),
        ('{"nodes": []}', "expected a list of edges, got NoneType"),
        ('{"nodes": [{"name": 1}], "edges": []}', 'node 0 must be an object with "id"'),
        (
            '{"nodes": [{"id": 0}], "edges": [{"source": 0}]}',
            'edge 0 must be an object with "target"',
        ),
        (
            '{"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 1}]}',
            "'1', which is not a node",
        ),
        ('{"nodes": [{"id": 1}, {"id": "1"}], "edges": []}', "'1' is there twice"),
        ("[" * 100_000, "not JSON"),
        ("\ud800", "not JSON"),
    ],
)
def test_mistakes_are_named(content, message):
    with pytest.raises(InputError) as caught:
        parse(content.encode("utf-8", "surrogatepass"))
    assert message in str(caught.value)


def test_broken_json_is_named_with_its_line():
    with pytest.raises(FormatError, match="not JSON") as caught:
        parse(b'{"nodes":\n[}')
    assert caught.value.line == 2
