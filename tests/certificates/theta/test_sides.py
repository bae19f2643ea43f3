import numpy as np
import pytest

from concolor.certificates.spectral import hoffman
from concolor.certificates.theta.bounds import handle_bound
from concolor.certificates.theta.sides import Sides
from concolor.graph.families import family


def sides(upper, lower):
    graph = family("cycle:5")
    return graph, Sides(np.eye(5), np.full(5, 5**-0.5), upper, np.ones(5), lower)


def pentagon(graph):
    """Vectors that attain √5: one after the other, four fifths of a turn further."""
    angles = np.arange(5) * 4 * np.pi / 5
    return np.sqrt(5**0.5 - 1) * np.c_[np.cos(angles), np.sin(angles)]


def test_better_vectors_are_taken_with_their_bound():
    graph, known = sides(upper=3.0, lower=2.0)
    found = known.or_vectors(pentagon(graph), graph)
    assert found.upper == handle_bound(found.z, found.r, graph) == pytest.approx(5**0.5)
    assert found.lower == 2 and found.weights is known.weights
    np.testing.assert_allclose(np.linalg.norm(found.z, axis=1), 1)
    np.testing.assert_allclose(found.z @ found.r, 5**-0.25)


def test_better_weights_are_taken_with_their_bound():
    graph, known = sides(upper=3.0, lower=2.0)
    found = known.or_weights(np.full(5, 2.0), graph)
    assert found.lower == hoffman(graph, found.weights) == pytest.approx(5**0.5)
    assert found.upper == 3 and found.z is known.z


def test_what_shows_no_more_changes_nothing():
    graph, known = sides(upper=2.2, lower=2.3)
    assert known.or_vectors(pentagon(graph), graph) is known
    assert known.or_weights(np.ones(5), graph) is known
