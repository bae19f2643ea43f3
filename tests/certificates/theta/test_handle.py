import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates.theta import handle
from concolor.certificates.theta.bounds import handle_bound, handle_bound_safe
from concolor.certificates.theta.handle import best_handle
from concolor.certificates.theta.vectors import unit_rows
from concolor.goal import Clock
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur


@pytest.mark.parametrize("spec", ["cycle:5", "petersen", "queen:4x4", "wheel:6", "er:20x0.3"])
def test_the_best_handle_beats_the_obvious_ones(spec, near_prototypes):
    graph = family(spec)
    z, r = near_prototypes(graph, noise=0.2)
    found = best_handle(z, graph, coloring=dsatur(graph))
    assert np.linalg.norm(found) == pytest.approx(1)
    rng = np.random.default_rng(1)
    rivals = [r, *(row / np.linalg.norm(row) for row in rng.normal(size=(200, z.shape[1])))]
    best = min(handle_bound(z, rival, graph) for rival in rivals)
    assert handle_bound(z, found, graph) <= best * (1 + 1e-3)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_no_vectors_show_less_than_theta(seed):
    graph = family("cycle:5")
    z = unit_rows(np.random.default_rng(seed).normal(size=(5, 3)), graph)
    assert handle_bound_safe(z, best_handle(z, graph), graph) >= 5**0.5


def test_an_ended_clock_still_gives_a_handle(monkeypatch, near_prototypes):
    monkeypatch.setattr(handle, "minimize", None)
    graph = family("petersen")
    z, r = near_prototypes(graph)
    found = best_handle(z, graph, coloring=dsatur(graph), clock=Clock(0.0))
    assert handle_bound(z, found, graph) <= 1.1 * handle_bound(z, r, graph)


def test_the_slope_is_the_derivative_of_the_smoothed_bound(near_prototypes):
    z, r = near_prototypes(family("petersen"))
    heights, step = np.random.default_rng(0).random(10), 1e-6
    _, slope = handle._smoothed(r, z, heights, 16.0)
    for axis, along in zip(np.eye(len(r)), slope, strict=True):
        ends = [handle._smoothed(r + move * axis, z, heights, 16.0)[0] for move in (step, -step)]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(along, rel=1e-4, abs=1e-6)
