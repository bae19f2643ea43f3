"""The light recurrent encoder: its formula, and the compiled one beside the one in torch."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor import threads
from concolor.encoders import Sizes, build, light
from concolor.encoders.light import LightRecurrence
from concolor.encoders.light_rnn import AlikeConv
from concolor.errors import ModelError
from concolor.goal import Clock

NAMES = ("queen:5x5", "er:300:0.05", "path:6", "wheel:7", "complete:5")


def both(*, features=8, hidden=12, layers=4, steps=6, seed=0):
    """A light_rnn with random weights in torch, and the same compiled."""
    torch.manual_seed(seed)
    sizes = Sizes(in_channels=features, hidden=hidden, layers=layers, steps=steps, dropout=0.0)
    encoder = build("light_rnn", sizes).eval()
    with torch.no_grad():
        for weight in encoder.parameters():  # fresh norms and biases are 1 and 0
            weight += 0.1 * torch.randn_like(weight)
    weights = {name: value.numpy() for name, value in encoder.state_dict().items()}
    return encoder, LightRecurrence.of(weights, layers=layers, steps=steps)


def drawn(graph, features=8, seed=1):
    return np.random.default_rng(seed).standard_normal((graph.n, features), np.float32)


def in_torch(encoder, graph, x):
    with torch.inference_mode():
        return encoder(torch.tensor(x), torch.tensor(graph.edge_index)).numpy()


def test_the_layer_is_its_formula_node_by_node():
    torch.manual_seed(0)
    conv, graph = AlikeConv(6), cc.family("wheel:7")
    with torch.no_grad():
        conv.alike += 0.3
        conv.plain += 0.5
        h = torch.randn(graph.n, 6)
        s, own = conv.message(h), conv.own(h)
        rows = []
        for v in range(graph.n):
            near = graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
            told = [(conv.alike * (s[u] @ s[v]) + conv.plain) * s[u] for u in near]
            rows.append(own[v] + sum(told) / len(near))
        found = conv(h, torch.tensor(graph.edge_index))
    torch.testing.assert_close(found, torch.stack(rows))


@pytest.mark.parametrize("name", [*NAMES, "er:40:0.02"])
@pytest.mark.parametrize("shuffled", [False, True], ids=["sorted", "in any order"])
def test_compiled_slopes_are_those_of_the_formula(name, shuffled):
    torch.manual_seed(0)
    graph, conv = cc.family(name), AlikeConv(6)
    edges = torch.tensor(graph.edge_index)
    if shuffled:
        edges = edges[:, torch.randperm(edges.size(1))]
    h, toward = torch.randn(graph.n, 6, requires_grad=True), torch.randn(graph.n, 6)
    inputs = (h, *conv.parameters())
    with torch.no_grad():
        conv.alike += 0.3
        conv.plain += 0.5
    found = conv(h, edges)
    formula = conv.own(h) + conv.seen(conv.message(h), edges)
    torch.testing.assert_close(found, formula)
    slopes, expected = (torch.autograd.grad((y * toward).sum(), inputs) for y in (found, formula))
    torch.testing.assert_close(slopes, expected, rtol=1e-4, atol=1e-4)


def test_neighbors_on_orthogonal_lines_do_not_push():
    conv = AlikeConv(4)
    with torch.no_grad():
        conv.own.weight.zero_(), conv.own.bias.zero_()
        conv.message.weight.copy_(torch.eye(4)), conv.message.bias.zero_()
    edges = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
    apart = conv(torch.eye(4)[:3], edges)
    torch.testing.assert_close(apart, torch.zeros(3, 4))
    assert conv(torch.ones(3, 4), edges).abs().min() > 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("brief", [True, False], ids=["in one call", "step by step"])
def test_it_is_the_encoder_in_torch(name, brief, monkeypatch):
    monkeypatch.setattr(light, "BRIEF", 1.0 if brief else 0.0)
    graph = cc.family(name)
    encoder, compiled = both()
    x = drawn(graph)
    np.testing.assert_allclose(compiled.embed(graph, x), in_torch(encoder, graph, x), atol=2e-5)


def test_isolated_nodes_and_no_nodes_at_all():
    encoder, compiled = both()
    lonely = cc.Graph.from_edges(3, [(0, 1)])
    x = drawn(lonely)
    np.testing.assert_allclose(compiled.embed(lonely, x), in_torch(encoder, lonely, x), atol=2e-5)
    empty = cc.Graph.from_edges(0, [])
    assert compiled.embed(empty, x[:0]).shape == (0, 12)
    assert compiled.embed_many([], []) == []


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(9)), st.integers(0, 99))
def test_relabeling_the_nodes_relabels_the_embedding(order, seed):
    graph, order = cc.family("er:9:0.4", seed=seed), np.array(order)
    _, compiled = both()
    x = drawn(graph)
    moved = compiled.embed(graph.subgraph(order), x[order])
    np.testing.assert_allclose(moved, compiled.embed(graph, x)[order], atol=1e-4)


def test_many_graphs_side_by_side_are_those_one_by_one():
    graphs = [cc.family(name) for name in (*NAMES, "path:1", "queen:12x12")]
    graphs.insert(2, cc.Graph.from_edges(0, []))
    _, compiled = both()
    xs = [drawn(graph, seed=place) for place, graph in enumerate(graphs)]
    found = compiled.embed_many(graphs, xs)
    for graph, x, z in zip(graphs, xs, found, strict=True):
        np.testing.assert_allclose(z, compiled.embed(graph, x), atol=1e-5)


def test_the_number_of_threads_does_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(threads, "SMALL", 0)
    monkeypatch.setattr(light, "BRIEF", 0.0)
    monkeypatch.setattr(light, "BLOCK", 128)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    graph = cc.family("er:700:0.02")
    _, compiled = both()
    x = drawn(graph)
    one = compiled.embed(graph, x, threads=1)
    np.testing.assert_array_equal(compiled.embed(graph, x, threads=2), one)


def test_a_clock_ends_the_steps_and_too_few_of_them_are_none(monkeypatch):
    monkeypatch.setattr(light, "BRIEF", 0.0)
    graph = cc.family("queen:5x5")
    _, compiled = both(layers=4, steps=1000)  # at least two steps in training
    now = iter(np.arange(0, 1e6, 1.0))  # a second goes by whenever one looks at the clock
    monkeypatch.setattr("concolor.goal.perf_counter", lambda: float(next(now)))
    steps = []
    found = compiled.embed(
        graph, drawn(graph), clock=Clock(100), progress=lambda *s: steps.append(s)
    )
    assert found.shape == (25, 12)
    assert 2 <= len(steps) < 100 and steps[0] == (1, 1000)
    assert compiled.embed(graph, drawn(graph), clock=Clock(0)) is None
    assert compiled.embed(graph, drawn(graph), clock=Clock(5)) is None  # a step looks five times


@pytest.mark.parametrize("wrong", ["layer.conv.own.weight", "layer.norm.weight", None])
def test_other_weights_are_refused(wrong):
    encoder, _ = both()
    weights = {name: value.numpy() for name, value in encoder.state_dict().items()}
    if wrong is None:
        del weights["layer.conv.plain"]
    else:
        weights[wrong] = weights[wrong][:5]
    with pytest.raises(ModelError, match="not the weights of a light_rnn"):
        LightRecurrence.of(weights, layers=2, steps=2)
