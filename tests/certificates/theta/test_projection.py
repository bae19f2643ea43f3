import numpy as np
import pytest

from concolor.certificates.theta.pairs import Pairs
from concolor.certificates.theta.projection import _corrected, _solution
from concolor.goal import Clock
from concolor.graph.families import family


class Looks(Clock):
    """Over at the given look, and from then on."""

    def __init__(self, count):
        super().__init__(1.0)
        object.__setattr__(self, "looks", iter(range(1, 10**6)))
        object.__setattr__(self, "count", count)

    @property
    def is_over(self):
        return next(self.looks) >= self.count


def squares(n, seed=0):
    rows = np.random.default_rng(seed).normal(size=(n, n)).astype(np.float32)
    return rows @ rows.T + np.eye(n, dtype=np.float32)


def test_the_solution_solves():
    matrix, target = squares(12), np.ones(12, np.float32)
    x = _solution(lambda q: matrix @ q, target, Clock())
    assert x.dtype == np.float32
    assert np.linalg.norm(matrix @ x - target) <= 0.1 * np.linalg.norm(target)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_solution_ends_with_the_clock_and_keeps_what_it_has(count):
    matrix, target, products = squares(60), np.ones(60, np.float32), []

    def times(q):
        products.append(q)
        return matrix @ q

    x = _solution(times, target, Looks(count))
    assert len(products) == count
    assert x.any()
    error = [y @ matrix @ y / 2 - y @ target for y in (x, np.zeros_like(x))]
    assert error[0] < error[1]


def test_newton_meets_the_conditions_from_nearby():
    """The five vectors of the pentagon lie in a plane, at level √5 - 1; some more make room."""
    graph, rng, level = family("cycle:5"), np.random.default_rng(0), 5**0.5 - 1
    y = 0.01 * rng.normal(size=(5, 6))
    angles = np.arange(5) * 4 * np.pi / 5
    y[:, :2] += np.sqrt(level * 1.02) * np.c_[np.cos(angles), np.sin(angles)]
    found = _corrected(
        y.astype(np.float32), level * 1.02, Pairs(graph), enough=1.02 * 5**0.5, clock=Clock()
    )
    misses = np.array([1 + found[u] @ found[v] for u, v in graph.edges])
    lengths = np.einsum("ij,ij->i", found, found)
    bound = max(
        1 + lengths[i] + np.abs(misses[(graph.edges == i).any(axis=1)]).sum() for i in range(5)
    )
    assert bound <= 1.02 * 5**0.5


def test_once_time_is_over_no_step_is_made():
    y = np.ones((5, 3), np.float32)
    found = _corrected(y, 1.0, Pairs(family("cycle:5")), enough=0.0, clock=Clock(0.0))
    assert found is y
