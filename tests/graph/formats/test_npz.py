import io
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.formats import read
from concolor.graph.formats.npz import parse, render

DATA = os.environ.get("CONCOLOR_DATA")
EDGES = np.array([[0, 1], [1, 2]])
X = np.array([[0, 1.5], [2, 0], [0, 0]], np.float32)


def packed(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("x", [X, sp.csr_array(X)])
def test_features_survive_dense_and_sparse(x):
    graph = parse(render(Graph.from_edges(3, EDGES, x=x)))
    assert sp.issparse(graph.x) == sp.issparse(x)
    np.testing.assert_array_equal(sp.csr_array(graph.x).toarray(), X)


def test_the_planetoid_layout():
    x = sp.csr_array(X)
    parts = {"x_data": x.data, "x_indices": x.indices, "x_indptr": x.indptr, "x_shape": x.shape}
    graph = parse(packed(edge_index=EDGES.T.astype(np.int32), y=np.zeros(3), **parts))
    assert graph == Graph.from_edges(3, EDGES)
    both = np.r_[EDGES, EDGES[:, ::-1]]
    copies = [
        parse(packed(n=3, **given)).duplicates
        for given in ({"edge_index": both.T}, {"edges": both})
    ]
    assert copies == [0, 2]
    np.testing.assert_array_equal(graph.x.toarray(), X)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"n": 3}, "needs 'edges'"),
        ({"edges": EDGES}, "needs 'n'"),
        ({"n": 2, "edges": EDGES}, "node 2 is out of range"),
        ({"n": -1, "edges": EDGES}, "the limit is"),
        ({"n": 10**15, "edges": EDGES}, "the limit is"),
        ({"n": 3.0, "edges": EDGES}, "'n' must be one whole number"),
        ({"n": [3, 3], "edges": EDGES}, "'n' must be one whole number"),
        ({"n": 3, "edges": EDGES * 1.0}, "edges must be whole numbers"),
        ({"n": 3, "edges": np.arange(6)}, "edges must be whole numbers of shape"),
        ({"n": 3, "edges": EDGES, "names": ["a", "b"]}, "2 node names for 3 nodes"),
        ({"n": 3, "edges": EDGES, "names": [1, 2, 3]}, "names must be text"),
        ({"n": 3, "edges": EDGES, "names": np.array(["a", None, 3], object)}, "pickle"),
        ({"n": 3, "edges": EDGES, "lists": [[0, 1, 2]]}, r"lists must be whole numbers \[l, 2\]"),
        ({"n": 3, "edges": EDGES, "lists": [[0.0, 1.0]]}, "lists must be whole numbers"),
        ({"n": 3, "edges": EDGES, "lists": [[3, 0]]}, "node 3 is out of range"),
        ({"n": 3, "edges": EDGES, "lists": [[0, -1]]}, "node 0 has color -1"),
        ({"n": 3, "edges": EDGES, "x": X * np.nan}, "finite"),
        ({"n": 3, "edges": EDGES, "x": np.full((3, 1), 1e300)}, "finite"),
        ({"n": 3, "edges": EDGES, "x": X * 1j}, "features must be numbers"),
        ({"n": 3, "edges": EDGES, "x": X[:2]}, "features must have shape"),
        (
            {
                "edges": EDGES,
                "x_data": [1.0],
                "x_indices": [9],
                "x_indptr": [0, 1],
                "x_shape": [1, 2],
            },
            "do not make a matrix",
        ),
    ],
)
def test_mistakes_are_named(arrays, message):
    with pytest.raises(InputError, match=message):
        parse(packed(**arrays))


@pytest.mark.skipif(DATA is None, reason="CONCOLOR_DATA is not set")
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("cora", (2708, 5278, 1433)),
        ("citeseer", (3327, 4552, 3703)),
        ("pubmed", (19717, 44324, 500)),
    ],
)
def test_the_planetoid_files(name, sizes):
    graph = read(Path(DATA) / "planetoid" / f"{name}.npz")
    assert (graph.n, graph.m, graph.x.shape[1]) == sizes
