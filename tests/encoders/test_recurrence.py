"""The compiled recurrent encoder beside the one in torch."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor import threads
from concolor.encoders import Sizes, build
from concolor.encoders.recurrence import Recurrence
from concolor.errors import ModelError
from concolor.goal import Clock

NAMES = ("queen:5x5", "er:300:0.05", "path:6", "wheel:7", "complete:5")


def both(*, features=8, hidden=12, layers=4, steps=6, seed=0):
    """A gated_rnn with random weights in torch, and the same compiled."""
    torch.manual_seed(seed)
    sizes = Sizes(in_channels=features, hidden=hidden, layers=layers, steps=steps, dropout=0.0)
    encoder = build("gated_rnn", sizes).eval()
    with torch.no_grad():
        for weight in encoder.parameters():  # fresh norms and biases are 1 and 0
            weight += 0.3 * torch.randn_like(weight)
    weights = {name: value.numpy() for name, value in encoder.state_dict().items()}
    return encoder, Recurrence.of(weights, layers=layers, steps=steps)


def drawn(graph, features=8, seed=1):
    return np.random.default_rng(seed).standard_normal((graph.n, features), np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_encoder_in_torch(name):
    graph = cc.family(name)
    encoder, compiled = both()
    x = drawn(graph)
    with torch.inference_mode():
        expected = encoder(torch.tensor(x), torch.tensor(graph.edge_index)).numpy()
    np.testing.assert_allclose(compiled.embed(graph, x), expected, atol=2e-5)


def test_isolated_nodes_and_no_nodes_at_all():
    encoder, compiled = both()
    lonely = cc.Graph.from_edges(3, [(0, 1)])
    x = drawn(lonely)
    with torch.inference_mode():
        expected = encoder(torch.tensor(x), torch.tensor(lonely.edge_index)).numpy()
    np.testing.assert_allclose(compiled.embed(lonely, x), expected, atol=2e-5)
    assert compiled.embed(cc.Graph.from_edges(0, []), x[:0]).shape == (0, 12)


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(9)), st.integers(0, 99))
def test_relabeling_the_nodes_relabels_the_embedding(order, seed):
    graph, order = cc.family("er:9:0.4", seed=seed), np.array(order)
    _, compiled = both()
    x = drawn(graph)
    moved = compiled.embed(graph.subgraph(order), x[order])
    np.testing.assert_allclose(moved, compiled.embed(graph, x)[order], atol=1e-4)


def test_the_number_of_threads_does_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(threads, "SMALL", 0)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    graph = cc.family("er:700:0.02")
    _, compiled = both()
    x = drawn(graph)
    one = compiled.embed(graph, x, threads=1)
    np.testing.assert_array_equal(compiled.embed(graph, x, threads=2), one)


def ticking(monkeypatch, seconds):
    """A clock that goes on by so many seconds whenever it is looked at."""
    now = iter(np.arange(0, 1e6, seconds))
    monkeypatch.setattr("concolor.goal.perf_counter", lambda: float(next(now)))


def test_a_clock_ends_the_steps_and_too_few_of_them_are_none(monkeypatch):
    graph = cc.family("queen:5x5")
    _, compiled = both(layers=4, steps=1000)  # at least two steps in training
    x = drawn(graph)
    ticking(monkeypatch, 1.0)
    found = compiled.embed(graph, x, clock=Clock(100))
    assert found.shape == (25, 12)
    assert compiled.embed(graph, x, clock=Clock(0)) is None
    assert compiled.embed(graph, x, clock=Clock(5)) is None  # a step looks at it five times


def test_other_weights_are_refused():
    with pytest.raises(ModelError, match="not the weights of a gated_rnn"):
        Recurrence.of({"project.weight": np.ones((3, 2))}, layers=2, steps=2)


@pytest.mark.slow
def test_the_shipped_model_is_compiled_and_agrees_with_torch_step_by_step():
    from concolor.models import load

    model = load().model
    graph = cc.family("queen:6x6")
    few = Recurrence(**{**vars(model.compiled.recurrence), "steps": 8})
    x, encoder = model.features(graph, 3), model.network.encoder
    encoder.steps, steps = 8, encoder.steps
    try:
        with torch.inference_mode():
            expected = model.network(torch.tensor(x), torch.tensor(graph.edge_index)).numpy()
    finally:
        encoder.steps = steps
    np.testing.assert_allclose(few.embed(graph, x), expected, atol=1e-4)
