"""Free prototypes: the gradient, growth like sqrt(log t), margins that settle, and the trap."""

import math

import numpy as np
import pytest

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.theory import (
    equitable,
    kkt_residual,
    margin_loss,
    margins,
    max_margin,
    neighbor_counts,
    prototype_loss,
)
from concolor.theory.dynamics import _Problem

TRIPARTITE = neighbor_counts(family("multipartite:1x2x3"), np.repeat([0, 1, 2], [1, 2, 3]))
TURAN = neighbor_counts(family("turan:8x4"), np.repeat(np.arange(4), 2))
CYCLE = neighbor_counts(family("cycle:8"), np.arange(8) % 2)
PATH = neighbor_counts(  # the quotient is a path: its ends need not be orthogonal
    Graph.from_edges(3, [(0, 1), (1, 2)]), [0, 1, 2]
)


def start(seed, k, d):
    return np.random.default_rng(seed).normal(size=(k, d)) / 2


def slow_loss(counts, w, tau):
    r, total = equitable(counts), 0.0
    for i, size in enumerate(counts.sizes):
        others = [j for j in range(counts.k) if j != i]
        gamma = sum(r[i, j] * math.exp(-(w[i] @ w[i] - abs(w[i] @ w[j])) / tau) for j in others)
        total -= size / counts.n / (1 + gamma)
    return total


@pytest.mark.parametrize("counts", [TRIPARTITE, TURAN, CYCLE], ids=["tripartite", "turan", "cycle"])
def test_loss_and_gradient_match_the_formula(counts):
    w = start(0, counts.k, 3)
    assert margin_loss(counts, w, 0.3) == pytest.approx(slow_loss(counts, w, 0.3), abs=1e-14)
    gradient = _Problem.of(counts, 0.3).gradient(w)
    for i, a in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[i, a] = 1e-6
        slope = (slow_loss(counts, w + step, 0.3) - slow_loss(counts, w - step, 0.3)) / 2e-6
        assert gradient[i, a] == pytest.approx(slope, abs=1e-8)


def test_on_the_sphere_it_is_the_prototype_loss():
    w = start(1, 3, 4)
    q = w / np.linalg.norm(w, axis=1, keepdims=True)
    assert margin_loss(TRIPARTITE, q, 0.3) == pytest.approx(prototype_loss(TRIPARTITE, q, 0.3))


def test_margins_are_two_homogeneous():
    w, pairs = start(2, 3, 4), np.array([[0, 1], [1, 0], [2, 1]])
    np.testing.assert_allclose(margins(3 * w, pairs), 9 * margins(w, pairs))


@pytest.mark.slow
def test_log_time_stepping_follows_plain_gradient_descent():
    w = plain = start(3, 2, 2)
    dynamics = max_margin(CYCLE, w, 1.0, step=1e-3, steps=2000, samples=2)
    problem, until, step = _Problem.of(CYCLE, 1.0), math.exp(dynamics.log_time[-1]), 2e-3
    for _ in range(round((until - 1) / step)):
        plain = plain - step * problem.gradient(plain)
    np.testing.assert_allclose(dynamics.w, plain, atol=5e-3)
    assert np.linalg.norm(plain - w) > 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counts", "d", "best"),
    [(TRIPARTITE, 3, 1 / 3), (TURAN, 6, 1 / 4), (CYCLE, 2, 1 / 2)],
    ids=["tripartite", "turan", "cycle"],
)
@pytest.mark.parametrize("seed", range(2))
def test_the_norm_grows_like_sqrt_log_t_and_prototypes_become_orthogonal(counts, d, best, seed):
    dynamics = max_margin(counts, start(seed, counts.k, d), 0.3, steps=5000)
    assert dynamics.separated and dynamics.log_time[-1] > 90
    # equal norms and right angles: the largest possible least margin, 1/k
    assert dynamics.margin[-1] == pytest.approx(best, rel=0.01)  # the error is of order 1/log t
    assert (dynamics.margin <= best + 1e-12).all()
    assert dynamics.growth == pytest.approx(0.3 / best, rel=0.03)
    ratio = dynamics.rho / np.sqrt(np.maximum(dynamics.log_time, 1))
    late = dynamics.log_time > dynamics.log_time[-1] / 2
    assert np.ptp(ratio[late]) < 0.03 * ratio[-1]
    assert (np.diff(dynamics.rho[late]) > 0).all()
    # settled: the last third moves the margins by less than a percent of them
    third = dynamics.mu[-len(dynamics.mu) // 3 :]
    assert np.ptp(third, axis=0).max() < 0.01 * best
    assert kkt_residual(dynamics.w, dynamics.pairs, tol=1e-2) < 1e-6


def test_three_lines_in_the_plane_settle_at_sixty_degrees():
    counts = neighbor_counts(family("turan:6x3"), np.repeat([0, 1, 2], 2))
    dynamics = max_margin(counts, 2 * start(1, 3, 2), 0.3, steps=3000)
    unit = dynamics.w / np.linalg.norm(dynamics.w, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(unit @ unit.T)[np.triu_indices(3, 1)], 0.5, atol=1e-6)
    assert dynamics.margin[-1] == pytest.approx(1 / 6)
    assert kkt_residual(dynamics.w, dynamics.pairs, tol=1e-6) < 1e-6


@pytest.mark.parametrize("factor", [100, 1e4])
def test_margins_far_below_zero_do_not_overflow(factor):
    """Tails of e^1000 and more: the loss is flat there, a number all the same."""
    w = factor * start(0, 3, 3)
    assert margins(w, _Problem.of(TRIPARTITE, 0.3).pairs).min() / 0.3 < -1000
    dynamics = max_margin(TRIPARTITE, w, 0.3, steps=50, samples=2)
    assert np.isfinite(dynamics.w).all() and np.isfinite(dynamics.mu).all()
    assert -1 <= margin_loss(TRIPARTITE, w, 0.3) <= 0


def test_where_tails_fill_the_sum_the_gradient_is_their_limit():
    """Two colors, m_01 = -1 - 1/4, tiny tau: the slope of -1 / (1 + G) tends to e^(m/tau) / tau."""
    w, tau = np.array([[0.5, 0.0], [3.0, 0.0]]), 1e-3
    problem = _Problem.of(CYCLE, tau)
    (low, _), scale = margins(w, problem.pairs), 1250.0
    assert low == -1.25
    # t e^(m/tau) = 1 at log t = 1250; r = 2 neighbors, half of all nodes, dm/dw_0 = 2 w_0 - w_1
    force = 1 / (2 * 2 * tau)
    expected = -force * np.array([[2 * 0.5 - 3.0, 0], [-0.5, 0]])
    np.testing.assert_allclose(problem.gradient(w, log_scale=scale), expected, rtol=1e-9)


@pytest.mark.slow
def test_separability_is_an_assumption_a_prototype_can_be_caught_at_zero():
    """Two large prototypes span the plane; for the third, every way out of 0 begins uphill."""
    w = np.array([[2.0, 0.5], [-0.5, 2.0], [0.1, 0.1]])
    counts = neighbor_counts(family("complete:3"), [0, 1, 2])
    dynamics = max_margin(counts, w, 0.3, steps=1000)
    assert not dynamics.separated
    assert np.linalg.norm(dynamics.w[2]) < 0.1 * np.linalg.norm(dynamics.w[0])
    # with a third dimension it finds the way
    free = max_margin(counts, np.column_stack([w, [0, 0, 0.1]]), 0.3, steps=3000)
    assert free.separated


def test_the_kkt_residual_tells_optima_from_the_rest():
    pairs = np.array([(i, j) for i in range(3) for j in range(3) if i != j])
    angles = np.pi * np.arange(3) / 3
    assert kkt_residual(np.eye(3), pairs, tol=1e-9) < 1e-6
    lines = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert kkt_residual(lines, pairs, tol=1e-9) < 1e-6
    assert kkt_residual(np.diag([1.0, 1.0, 1.2]), pairs, tol=1e-9) > 1e-2
    assert kkt_residual(start(0, 3, 3), pairs, tol=1e-9) > 1e-2


@pytest.mark.parametrize("w", [np.zeros((3, 3)), np.full((3, 3), np.nan), np.ones(3)])
def test_the_kkt_residual_refuses_what_has_no_direction(w):
    with pytest.raises(InputError, match=r"not all 0, with shape \[k, d\]"):
        kkt_residual(w, np.array([[0, 1]]), tol=1e-9)


@pytest.mark.slow
def test_a_path_of_colors_lets_its_ends_be_anything():
    dynamics = max_margin(PATH, start(4, 3, 2), 0.3)
    assert dynamics.pairs.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]
    assert dynamics.margin[-1] == pytest.approx(1 / 3, rel=0.02)


def test_what_the_theorem_does_not_cover_is_refused():
    path = neighbor_counts(family("path:4"), [0, 1, 0, 1])
    with pytest.raises(InputError, match="not equitable"):
        max_margin(path, np.eye(2), 0.3)
    with pytest.raises(InputError, match="no edges"):
        margin_loss(neighbor_counts(Graph.from_edges(2, []), [0, 1]), np.eye(2), 0.3)
    with pytest.raises(InputError, match=r"shape \[2, d\]"):
        max_margin(CYCLE, np.eye(3), 0.3)
    with pytest.raises(InputError, match="step"):
        max_margin(CYCLE, np.eye(2), 0.3, step=2)
