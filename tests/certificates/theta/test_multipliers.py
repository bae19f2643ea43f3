import numpy as np
import pytest

from concolor.certificates.theta import multipliers
from concolor.certificates.theta.multipliers import by_multipliers
from concolor.certificates.theta.sharpening import sharpen
from concolor.certificates.theta.vectors import prototypes
from concolor.goal import Clock
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur


def test_the_gradient_is_the_derivative_of_the_lagrangian():
    graph, rng = family("petersen"), np.random.default_rng(0)
    state = multipliers._State(graph, rng.normal(size=(10, 3)))
    state.on_edges = rng.normal(size=graph.m)
    point, step = rng.normal(size=31), 1e-6
    _, slope = state._lagrangian(point)
    for axis, along in zip(np.eye(31), slope, strict=True):
        ends = [state._lagrangian(point + move * axis)[0] for move in (step, -step)]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(along, rel=1e-4, abs=1e-6)


def test_the_last_weights_are_few_where_time_is_over(monkeypatch):
    """Each of them takes a spectrum."""
    graph, tried = family("queen:5x5"), []

    def noted(graph, on_edges, on_nodes, floors):
        tried.append(floors)
        return np.ones(graph.m)

    monkeypatch.setattr(multipliers, "from_multipliers", noted)
    start = sharpen(*prototypes(dsatur(graph)), graph, clock=Clock(0.0))
    rng = np.random.default_rng(0)
    assert len(list(by_multipliers(start, graph, rng=rng, clock=Clock(0.0)))) == 1
    assert tried == [multipliers.LAST_FLOORS]
