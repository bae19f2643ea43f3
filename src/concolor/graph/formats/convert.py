"""Graphs in the memory of others: networkx, SciPy, PyTorch Geometric."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.errors import InputError, needing_torch
from concolor.graph.core import Graph
from concolor.graph.structure import on_arcs
from concolor.graph.weights import plain

if TYPE_CHECKING:
    import networkx as nx
    from torch_geometric.data import Data

GraphLike: TypeAlias = "Graph | nx.Graph | sp.sparray | sp.spmatrix | Data"


def as_graph(given: GraphLike) -> Graph:
    """The graph itself, or that of a networkx graph, a SciPy sparse matrix or a PyG ``Data``.

    >>> import networkx as nx
    >>> as_graph(nx.path_graph("ab")).names
    ('a', 'b')
    """
    if isinstance(given, Graph):
        return given
    if sp.issparse(given):
        return from_scipy(given)
    if hasattr(given, "is_directed") and hasattr(given, "adj"):
        return from_networkx(given)
    if hasattr(given, "edge_index") and hasattr(given, "num_nodes"):
        return from_pyg(given)
    kind = f"{type(given).__module__}.{type(given).__name__}"
    raise InputError(
        "expected a Graph, a networkx graph, a SciPy sparse matrix or a PyG Data, "
        f"got {kind}: read files by concolor.read, and convert dense arrays by from_scipy"
    )


def from_networkx(graph: nx.Graph, *, weights: str | None = None) -> Graph:
    """The graph of an undirected networkx (multi)graph.

    Nodes are numbered in the order in which networkx lists them, so that ``zip(graph, colors)``
    pairs them rightly, and they are the names of our graph (None where they are 0, 1, ..., n-1 in
    this order).

    Args:
        graph: An undirected graph; parallel edges are one, and their weights add up.
        weights: The attribute of edges that holds them, such as ``"weight"``; by default all edges
            count the same.

    >>> import networkx as nx
    >>> from_networkx(nx.grid_2d_graph(1, 3)).names
    ((0, 0), (0, 1), (0, 2))
    """
    if graph.is_directed():
        raise InputError(
            "the networkx graph is directed: coloring needs an undirected one, "
            "give graph.to_undirected()"
        )
    nodes, near = list(graph), [neighbors for _, neighbors in graph.adjacency()]
    n = len(nodes)
    counts = np.fromiter(map(len, near), np.int64, n)
    heads: Iterable[Hashable] = chain.from_iterable(near)
    if nodes != list(range(n)):
        heads = map({node: place for place, node in enumerate(nodes)}.__getitem__, heads)
    arcs = np.repeat(np.arange(n), counts), np.fromiter(heads, np.int64, counts.sum())
    found = Graph.from_edges(
        n,
        np.stack(arcs, axis=1),
        name=str(graph.name or "graph"),
        names=nodes,
        weights=None if weights is None else _attribute(graph, weights),
        arcs=True,
    )
    if not graph.is_multigraph():
        return found
    loops = sum(len(around[node]) for node, around in graph.adjacency() if node in around)
    return found.but(loops=loops, duplicates=graph.number_of_edges() - loops - found.m)


def _attribute(graph: nx.Graph, name: str) -> list[float]:
    """A number of each edge, in both directions and in networkx's order."""
    found = []
    for u, around in graph.adjacency():
        for v, data in around.items():
            copies = list(data.values()) if graph.is_multigraph() else [data]
            values = [copy.get(name) for copy in copies]
            if not all(isinstance(value, (int, float, np.number)) for value in values):
                raise InputError(
                    f"the edge of {u} and {v} needs a number as {name!r}, got {values[0]!r}"
                )
            found.append(float(sum(values)))
    return found


def to_networkx(graph: Graph) -> nx.Graph:
    """A ``networkx.Graph`` whose nodes are the names, or the numbers where there are none.

    Weights are the attribute ``weight`` of its edges.
    """
    import networkx as nx

    nodes = range(graph.n) if graph.names is None else graph.names
    result = nx.Graph(name=graph.name)
    result.add_nodes_from(nodes)
    ends = ((nodes[u], nodes[v]) for u, v in graph.edges.tolist())
    if graph.weights is None:
        result.add_edges_from(ends)
    else:
        weights = map(plain, graph.weights.tolist())
        result.add_weighted_edges_from((*e, w) for e, w in zip(ends, weights, strict=True))
    return result


def from_scipy(
    matrix: Any,
    *,
    name: str = "graph",
    names: Iterable[Hashable] | None = None,
    weights: bool = False,
) -> Graph:
    """The pattern of a square matrix ``[n, n]``: an edge uv where ``A_uv`` or ``A_vu`` is there.

    Of a sparse matrix that is what is stored, whatever its value, also 0 or NaN: a Jacobian has its
    pattern wherever it is evaluated. (``matrix.eliminate_zeros()`` drops the zeros first; SciPy
    drops those of ``dia`` matrices, which are filled up with them.) Of a dense array it is what is
    not 0; there NaN and infinity are refused, as they often say that there is no edge.

    The matrix need not be symmetric. ``names`` are those of the nodes, in the order of the rows.
    With ``weights`` its values are the weights of the edges; both of an edge must be the same.

    >>> from_scipy(sp.csr_array([[0, 1], [1, 0]]), names=["math", "art"]).node("art")
    1
    """
    entries = matrix if sp.issparse(matrix) else _dense(matrix)
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise InputError(f"a graph needs a square matrix, got shape {entries.shape}")
    places = sp.csr_array(entries).tocoo()  # an entry that is stored twice counts once
    pairs = np.stack([places.row, places.col], axis=1)
    values = places.data if weights else None
    return Graph.from_edges(
        entries.shape[0], pairs, name=name, names=names, weights=values, arcs=True
    )


def _dense(matrix: Any) -> NDArray[Any]:
    """An array of finite numbers."""
    try:
        array = np.asarray(matrix)
    except ValueError as error:  # rows of different lengths
        raise InputError(f"expected a matrix, got {type(matrix).__name__}: {error}") from None
    if array.dtype.kind not in "biufc":
        raise InputError(f"expected a sparse matrix or numbers, got {type(matrix).__name__}")
    if not np.isfinite(array).all():
        raise InputError("the array holds NaN or infinity: is there an edge or not?")
    return array


def to_scipy(graph: Graph) -> sp.csr_array:
    """The symmetric adjacency matrix ``[n, n]``: of weights, or of 0 and 1 without."""
    matrix = graph.adjacency()
    if graph.weights is not None:
        matrix.data = on_arcs(graph, graph.weights)
    return matrix


def from_pyg(data: Data) -> Graph:
    """The graph of a ``torch_geometric.data.Data``: its edge_index, num_nodes, x (and ``names``).

    An edge may stand in ``edge_index [2, e]`` in one direction or in both.
    """
    edge_index, n = getattr(data, "edge_index", None), getattr(data, "num_nodes", None)
    if edge_index is None or n is None:
        raise InputError(
            f"expected a Data with edge_index and num_nodes, got {type(data).__name__}"
        )
    x = getattr(data, "x", None)
    return Graph.from_edges(
        int(n),
        edge_index.cpu().numpy().T,
        name=str(getattr(data, "name", None) or "graph"),
        names=getattr(data, "names", None),
        x=None if x is None else x.detach().cpu().to_dense().numpy(),
        arcs=True,
    )


def to_pyg(graph: Graph) -> Data:
    """A ``torch_geometric.data.Data`` with both directions of every edge; x is dense float32."""
    with needing_torch():
        import torch
        from torch_geometric.data import Data

    data = Data(edge_index=torch.from_numpy(graph.edge_index.copy()), num_nodes=graph.n)
    data.name = graph.name
    if graph.names is not None:
        data.names = list(graph.names)
    if graph.x is not None:
        dense = graph.x.toarray() if isinstance(graph.x, sp.csr_array) else np.array(graph.x)
        data.x = torch.from_numpy(dense)
    return data
