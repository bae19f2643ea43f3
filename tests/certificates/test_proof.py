import math
from dataclasses import replace

import numpy as np
import pytest

from concolor.certificates.certificate import Certificate
from concolor.certificates.proof import with_embedding, with_vectors, with_weights
from concolor.certificates.spectral import hoffman
from concolor.certificates.theta import prototypes, sharpen
from concolor.certificates.theta.sides import Sides
from concolor.certificates.verify import verify
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur


def begun(spec, clique=(0, 1)):
    graph = family(spec)
    return Certificate(graph, dsatur(graph), clique)


def sides_of(found):
    return sharpen(*prototypes(found.coloring), found.graph)


class Untouched(np.ndarray):
    """Weights or vectors that nothing may be computed with."""

    def __array_ufunc__(self, *_, **__):
        raise AssertionError("not to be used")

    def __array_function__(self, *_, **__):
        raise AssertionError("not to be used")


def test_both_sides_join_where_they_prove_more():
    found = begun("petersen")
    sides = sides_of(found)
    proved = with_vectors(with_weights(found, sides), sides)
    assert proved.weights is sides.weights and proved.lower == 3
    assert [vectors.source for vectors in proved.vectors] == ["sharpened"]
    assert 2.5 * (1 - 1e-6) <= proved.theta_lower <= 2.5 <= proved.theta_upper <= 2.5 * 1.001
    assert verify(found.graph, proved).is_proved


def test_a_clique_is_not_proved_by_weights_again():
    """Where eigenvalues are dense, so that no better weights can be missed."""
    found = begun("queen:8x8", clique=tuple(range(8)))
    weights = np.ones(found.graph.m).view(Untouched)
    assert with_weights(found, Sides(np.eye(64), np.ones(64), 9.0, weights, 8.0)) is found
    with pytest.raises(AssertionError, match="not to be used"):
        with_weights(found, Sides(np.eye(64), np.ones(64), 9.0, weights, 8.01))


def test_vectors_that_show_no_more_are_not_proved():
    found = begun("petersen")
    z, r = prototypes(found.coloring)
    sides = Sides(z.view(Untouched), r, 3.0, np.ones(15), 2.0)
    assert with_vectors(found, sides) is found
    with pytest.raises(AssertionError, match="not to be used"):
        with_vectors(found, replace(sides, upper=2.9))


def test_sides_that_promise_too_much_add_nothing():
    found = begun("petersen")
    z, r = prototypes(found.coloring)
    sides = Sides(z, r, 2.5, np.zeros(15), 2.5)
    assert with_weights(found, sides) is found and with_vectors(found, sides) is found


def test_vectors_are_proved_only_where_time_is_left_for_it():
    found = begun("petersen")
    sides = sides_of(found)
    products = found.graph.m * sides.z.shape[1]
    assert with_vectors(found, sides, seconds=products / 2.1e8) is found
    assert len(with_vectors(found, sides, seconds=products / 1.9e8).vectors) == 1


@pytest.mark.slow
def test_weights_on_large_graphs_are_proved_only_where_time_is_left_for_it():
    found = begun("cycle:2501")
    weights = np.ones(found.graph.m)
    sides = Sides(*prototypes(found.coloring), 3.0, weights, hoffman(found.graph, weights))
    assert with_weights(found, sides, seconds=1e-6) is found
    assert with_weights(found, sides, seconds=10).lower == 3


def test_an_embedding_that_certifies_nothing_is_measured_all_the_same():
    found = with_embedding(begun("path:2"), np.eye(2), np.array([1.0, 0.0]))
    assert found.embedding is not None and found.embedding.sharper == math.inf
    assert found.vectors == () and found.theta_upper == 2
