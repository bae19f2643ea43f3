import math

import pytest
import torch

from asked import coloring_of
from concolor.errors import UnknownName
from concolor.graph.families import family
from concolor.solvers import pi_gnn as home
from concolor.solvers.pi_gnn import GCN, PATIENCE, SAGE, VARIANTS, Patience

pi_gnn = coloring_of(home.pi_gnn)

CPU = torch.device("cpu")


def dense(graph):
    return torch.tensor(graph.adjacency().toarray(), dtype=torch.float32)


def test_gcn_is_its_formula():
    graph = family("wheel:7")
    torch.manual_seed(0)
    network = GCN(graph, 4, CPU).eval()
    scale = dense(graph).sum(dim=1).rsqrt()
    hat = scale[:, None] * dense(graph) * scale
    first, second = network.first, network.second

    hidden = (hat @ network.x @ first.weight.T + first.bias).relu()
    expected = hat @ hidden @ second.weight.T + second.bias

    torch.testing.assert_close(network(), expected)


def test_sage_is_its_formula():
    graph = family("wheel:7")
    torch.manual_seed(0)
    network = SAGE(graph, 4, CPU).eval()
    mean = dense(graph) / dense(graph).sum(dim=1, keepdim=True)

    def layer(h, number):
        return network.own[number](h) + mean @ h @ network.near[number].weight.T

    torch.testing.assert_close(network(), layer(layer(network.x, 0).relu(), 1))


@pytest.mark.parametrize("variant", VARIANTS)
def test_dropout_stays_on(variant):
    torch.manual_seed(0)
    network = VARIANTS[variant](family("queen:5"), 5, CPU)
    assert not torch.equal(network(), network())


@pytest.mark.slow
def test_a_long_odd_cycle_is_colored_in_seconds():
    assert pi_gnn(family("cycle:7001"), k=3, time_limit=30).is_proper


def test_patience_waits_for_the_loss_to_leave_its_plateau():
    faithful, guarded = Patience(), Patience(plateau=95.0)
    flat = [100.0] * (PATIENCE + 1)
    assert [faithful(loss) for loss in flat].index(True) == PATIENCE
    assert not any(guarded(loss) for loss in flat)
    below = [50.0] * (PATIENCE + 1)
    assert [guarded(loss) for loss in below].index(True) == PATIENCE


def test_patience_begins_anew_with_every_gain():
    rule = Patience(patience=3, tolerance=1.0)
    assert [rule(loss) for loss in (9, 9, 9, 7, 6.5, 6.5, 6.5)] == [*[False] * 6, True]
    assert rule.lowest == 7 and rule.plateau == math.inf


@pytest.mark.slow
def test_the_published_rule_goes_on_without_conflicts():
    steps = {}
    for faithful in (False, True):
        seen = []
        graph = family("cycle:12")
        found = pi_gnn(graph, k=3, faithful=faithful, progress=seen.append, time_limit=5)
        assert found.is_proper
        steps[faithful] = seen[-1].steps
    assert steps[True] > PATIENCE > steps[False]


def test_an_unknown_variant_is_refused():
    with pytest.raises(UnknownName, match="sage"):
        pi_gnn(family("petersen"), variant="sag")


def test_the_order_of_the_draws_is_that_of_the_stored_results():
    graph = family("wheel:7")
    torch.manual_seed(3)
    network = GCN(graph, 4, CPU)
    torch.manual_seed(3)
    x, first, second = torch.randn(graph.n, 64), torch.nn.Linear(64, 64), torch.nn.Linear(64, 4)
    for layer, mine in ((first, network.first), (second, network.second)):
        torch.nn.init.xavier_uniform_(layer.weight)
        assert torch.equal(layer.weight, mine.weight) and not mine.bias.any()
    assert torch.equal(x, network.x)
