import pytest
import torch

from concolor.encoders import Sizes, build
from concolor.errors import InputError

X = torch.randn(6, 5, generator=torch.Generator().manual_seed(0))
EDGES = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 0, 3, 4], [1, 0, 2, 1, 3, 2, 0, 3, 4, 3]])  # 5 alone


def recurrent(**sizes):
    torch.manual_seed(0)
    return build("gated_rnn", Sizes(in_channels=5, hidden=8, **sizes))


def count_steps(encoder):
    """How often the layer is called, call by call of the encoder."""
    calls = []
    encoder.layer.register_forward_hook(lambda *_: calls.append(None))

    def steps():
        calls.clear()
        encoder(X, EDGES)
        return len(calls)

    return steps


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_it_is_gated_gcn_with_all_layers_alike(steps):
    once = recurrent(steps=steps, dropout=0.0).eval()
    twin = build("gated_gcn", Sizes(in_channels=5, hidden=8, layers=steps)).eval()
    twin.project.load_state_dict(once.project.state_dict())
    for layer in twin.layers:
        layer.load_state_dict(once.layer.state_dict())

    torch.testing.assert_close(once(X, EDGES), twin(X, EDGES))


def test_steps_cost_no_parameters():
    counts = {
        sum(p.numel() for p in recurrent(layers=layers, steps=steps).parameters())
        for layers, steps in ((1, None), (16, None), (16, 64))
    }
    assert counts == {5 * 8 + 8 + 4 * (8 * 8 + 8) + 2 * 8}


@pytest.mark.slow
@pytest.mark.parametrize(("layers", "drawn"), [(16, range(8, 17)), (5, range(3, 6)), (1, [1])])
def test_training_draws_the_steps_and_never_leaves_the_interval(layers, drawn):
    steps = count_steps(recurrent(layers=layers, steps=40).train())
    assert {steps() for _ in range(200)} == set(drawn)


def test_the_seed_of_a_step_decides_how_many_there_are():
    steps = count_steps(recurrent(layers=16).train())

    def sequence(seed):
        torch.manual_seed(seed)
        return [steps() for _ in range(8)]

    assert sequence(1) == sequence(1)
    assert sequence(1) != sequence(2)


def test_after_training_the_steps_are_fixed_and_nothing_is_drawn():
    encoder = recurrent(layers=16, steps=40).eval()
    assert {count_steps(encoder)() for _ in range(5)} == {40}
    assert count_steps(recurrent(layers=7).eval())() == 7
    torch.manual_seed(0)
    before = torch.get_rng_state()
    assert torch.equal(encoder(X, EDGES), encoder(X, EDGES))
    assert torch.equal(before, torch.get_rng_state())


def test_a_node_sees_as_far_as_there_are_steps():
    path = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 4], [1, 0, 2, 1, 3, 2, 4, 3]])
    other = X.clone()
    other[0] += 1
    for steps in (1, 2, 3):
        encoder = recurrent(steps=steps).eval()
        changed = (encoder(X, path) != encoder(other, path)).any(dim=1).tolist()
        assert changed == [v <= steps for v in range(5)] + [False]


def test_no_steps_are_refused():
    with pytest.raises(InputError, match="steps must be at least 1, or None, got 0"):
        Sizes(in_channels=5, steps=0)


@pytest.mark.slow
def test_a_run_in_comes_before_half_of_the_calls():
    steps = count_steps(recurrent(layers=1, run_in=3).train())
    drawn = [steps() for _ in range(400)]
    assert set(drawn) == {1, 2, 3, 4}
    assert 120 < drawn.count(1) < 280
    assert count_steps(recurrent(layers=5, run_in=3).eval())() == 5


def test_no_gradient_goes_through_the_run_in():
    encoder = recurrent(layers=1, run_in=2, dropout=0.0).train()
    learned = set()
    for seed in range(20):
        torch.manual_seed(seed)
        encoder.zero_grad()
        encoder(X, EDGES)[:, 0].sum().backward()
        reached = encoder.project.weight.grad is not None
        reached = reached and bool(encoder.project.weight.grad.abs().sum())
        assert bool(encoder.layer.conv.own.weight.grad.abs().sum())
        learned.add(reached)
    assert learned == {True, False}  # the projection learns in the calls without one


def test_a_negative_run_in_is_refused():
    with pytest.raises(InputError, match="run_in must be at least 0, got -1"):
        Sizes(in_channels=5, run_in=-1)
