import numpy as np
import pytest
import torch

from asked import coloring_of
from concolor.goal import Clock, Task
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers import full_gcn as home
from concolor.solvers.full_gcn import FEATURES, Convolution, Window, full_gcn_sweep, imprint
from concolor.solvers.neural import Run, adamw

full_gcn = coloring_of(home.full_gcn)

CPU = torch.device("cpu")


def run_on(graph):
    return Run(Task.of(graph), "cpu")


def test_the_convolution_is_its_formula_on_orthonormal_features():
    graph = family("wheel:7")
    torch.manual_seed(0)
    network = Convolution(graph, 4, CPU)
    adjacency = torch.tensor(graph.adjacency().toarray(), dtype=torch.float32)
    scale = adjacency.sum(dim=1).rsqrt()

    hat = scale[:, None] * adjacency * scale
    expected = hat @ network.x @ network.layer.weight.T + network.layer.bias

    torch.testing.assert_close(network(), expected)
    torch.testing.assert_close(network.x @ network.x.T, torch.eye(graph.n), atol=1e-5, rtol=0)


def test_large_graphs_get_normal_features():
    torch.manual_seed(0)
    x = Convolution(family("cycle:500"), 3, CPU).x.detach()
    assert x.shape == (500, FEATURES)
    assert abs(float(x.mean())) < 0.02 and abs(float(x.std()) - 1) < 0.02


def test_imprinting_begins_at_the_old_coloring():
    graph = family("cycle:40")
    old = np.arange(40) % 2
    run = run_on(graph)
    with run.randomness(3):
        network = Convolution(graph, 3, CPU)
        imprint(run, Clock(), network, adamw(network.parameters()), old, 2000)
    p = network().softmax(dim=1).detach()
    assert (p[torch.arange(40), torch.tensor(old)] > 0.5).all()
    assert p.argmax(dim=1).tolist() == old.tolist()


def test_isolated_nodes_and_twins_do_not_hold_it_up():
    """Nodes with the same neighbors have the same output, whatever color they should keep."""
    graph = Graph.from_edges(6, [(0, 2), (1, 2), (3, 2)])
    run = run_on(graph)
    with run.randomness(2):
        network = Convolution(graph, 2, CPU)
        imprint(run, Clock(), network, adamw(network.parameters()), np.array([0, 1, 0, 1, 1, 0]), 5)
    assert run.steps == 5
    assert full_gcn(graph, k=2).is_proper


def test_the_window_compares_with_the_loss_of_some_steps_ago():
    losses = [10.0, 5.0, 4.0, 3.9998, 3.9996, 3.9994]
    published = Window(2, 1e-3)
    assert [published(loss) for loss in losses] == [False, False, False, False, True, True]
    large = [1e6 * loss for loss in losses]
    assert not any(map(Window(2, 1e-3), large))
    relative = Window(2, 1e-3, is_relative=True)
    assert [relative(loss) for loss in large] == [False, False, False, False, True, True]


@pytest.mark.slow
def test_max_steps_end_the_descent():
    seen = []
    full_gcn(family("queen:5"), k=3, max_steps=10, progress=seen.append)
    assert seen[-1].steps <= 2 * (10 + 1000)


@pytest.mark.slow
def test_each_kappa_goes_on_from_the_one_before():
    """Conflicts never grow with kappa: the imprinted coloring is the first one seen."""
    curve = full_gcn_sweep(family("queen:6"), k_max=5, max_mono=0.0, max_steps=200).curve
    assert list(curve) == [1, 2, 3, 4, 5]
    assert list(curve.values()) == sorted(curve.values(), reverse=True)


@pytest.mark.slow
def test_the_published_rule_needs_more_steps():
    steps = {}
    for faithful in (False, True):
        seen = []
        full_gcn(family("cycle:5"), k=3, faithful=faithful, progress=seen.append, time_limit=30)
        steps[faithful] = seen[-1].steps
    assert steps[True] > 5000 > steps[False]


def test_the_order_of_the_draws_is_that_of_the_stored_results():
    graph = family("wheel:7")
    torch.manual_seed(3)
    network = Convolution(graph, 4, CPU)
    torch.manual_seed(3)
    x = torch.nn.init.orthogonal_(torch.randn(graph.n, FEATURES))
    layer = torch.nn.Linear(FEATURES, 4)
    torch.nn.init.xavier_uniform_(layer.weight)
    assert torch.equal(x, network.x)
    assert torch.equal(layer.weight, network.layer.weight) and not network.layer.bias.any()
