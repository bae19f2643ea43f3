import numpy as np
import pytest
import scipy.sparse as sp

from concolor.certificates import elimination
from concolor.certificates.elimination import eliminate, sparse_order
from concolor.graph.families import family

SPECS = ["cycle:30", "grid:6x7", "er:40x0.1", "barabasi:50x2", "complete:8"]


def definite(spec):
    """A positive definite matrix on the edges of a graph, with weights of both signs."""
    graph = family(spec)
    u, v = graph.edges.T
    weights = np.random.default_rng(0).normal(size=graph.m)
    half = sp.coo_array((weights, (u, v)), shape=(graph.n, graph.n))
    return (half + half.T + sp.diags_array(0.1 + abs(half + half.T).sum(axis=1))).tocsr()


def slow_work(matrix, order):
    """Eliminate on sets of neighbors, and count."""
    place = {int(v): i for i, v in enumerate(order)}
    later = [
        {place[int(j)] for j in matrix.indices[matrix.indptr[v] : matrix.indptr[v + 1]]}
        for v in order
    ]
    total = 0
    for i, ends in enumerate(later):
        ends = {j for j in ends if j > i}
        total += (1 + len(ends)) ** 2
        for j in ends:
            later[j] |= ends - {j}
    return total


@pytest.mark.parametrize("spec", SPECS)
def test_the_factors_give_the_matrix_and_its_inverse(spec):
    matrix = definite(spec)
    found = eliminate(matrix, 1e9)
    assert found is not None
    product = found.lower @ sp.diags_array(found.pivots) @ found.lower.T
    moved = matrix[found.order][:, found.order]
    np.testing.assert_allclose(product.toarray(), moved.toarray(), atol=1e-12)
    b = np.random.default_rng(1).normal(size=matrix.shape[0])
    np.testing.assert_allclose(matrix @ found.solve(b), b, atol=1e-10)


@pytest.mark.parametrize("spec", SPECS)
def test_the_work_is_counted_exactly_and_beforehand(spec):
    matrix = definite(spec)
    order = sparse_order(matrix, 1e9)
    assert sorted(order) == list(range(matrix.shape[0]))
    work = slow_work(matrix, order)
    assert sparse_order(matrix, work) is not None
    assert sparse_order(matrix, work - 1) is None and eliminate(matrix, work - 1) is None


def test_trees_do_not_fill_up():
    assert sparse_order(family("path:3000").adjacency(), 4 * 3000) is not None


def test_what_is_not_positive_definite_is_refused():
    assert eliminate((definite("cycle:30") - 5 * sp.eye_array(30)).tocsr(), 1e9) is None
    assert eliminate(sp.csr_array(np.ones((2, 2))), 1e9) is None


def test_too_many_edges_are_not_even_ordered(monkeypatch):
    monkeypatch.setattr(elimination, "EDGES", 29)
    assert sparse_order(definite("cycle:30"), 1e9) is None
