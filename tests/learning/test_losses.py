"""The losses against slow loops that spell the formulas out."""

import itertools
import math

import pytest
import torch
from torch.nn.functional import normalize

from concolor.learning import losses
from concolor.learning.losses import (
    contrastive,
    contrastive_reference,
    line_conflict,
    lower_bound,
    soft_conflict,
    weighted_conflict,
)

FORMS = list(itertools.product([False, True], ["ratio", "log"]))


def instance(seed, n=14, d=5, k=3, p=0.3, dtype=torch.double):
    """Unit rows, both directions of the edges, a proper coloring; the last node is isolated."""
    rng = torch.Generator().manual_seed(seed)
    colors = torch.randint(0, k, (n,), generator=rng)
    pairs = [
        (u, v)
        for u, v in itertools.combinations(range(n - 1), 2)
        if colors[u] != colors[v] and torch.rand((), generator=rng) < p
    ]
    edge_index = torch.tensor(pairs + [(v, u) for u, v in pairs], dtype=torch.long).reshape(-1, 2).T
    z = normalize(torch.randn(n, d, generator=rng, dtype=dtype), dim=1)
    return z, edge_index, colors


def slow_contrastive(z, edge_index, colors, tau, absolute, form):
    n, total = len(z), torch.zeros((), dtype=z.dtype)
    neighbors = [edge_index[1, edge_index[0] == v].tolist() for v in range(n)]

    def e(v, w):
        score = z[v] @ z[w]
        return torch.exp((score.abs() if absolute else score) / tau)

    for v in range(n):
        same = [w for w in range(n) if colors[w] == colors[v]]
        for w in same:
            ratio = e(v, w) / (e(v, w) + sum(e(v, u) for u in neighbors[v]))
            total = total + (-ratio.log() if form == "log" else -ratio) / len(same) / n
    return total


@pytest.mark.slow
@pytest.mark.parametrize(("absolute", "form"), FORMS)
@pytest.mark.parametrize("block", [1 << 18, 12])  # one block for all pairs, or many small ones
@pytest.mark.parametrize("seed", range(3))
def test_value_and_gradient_match_the_formula(absolute, form, block, seed, monkeypatch):
    monkeypatch.setattr(losses, "BLOCK", block)
    monkeypatch.setattr(losses, "EDGES", 7)
    z, edge_index, colors = instance(seed)
    z.requires_grad_()

    fast = contrastive(z, edge_index, colors, 0.3, absolute=absolute, form=form)
    slow = slow_contrastive(z, edge_index, colors, 0.3, absolute, form)

    assert fast.item() == pytest.approx(slow.item(), abs=1e-10)
    (fast_grad,) = torch.autograd.grad(fast, z)
    (slow_grad,) = torch.autograd.grad(slow, z)
    torch.testing.assert_close(fast_grad, slow_grad, atol=1e-10, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize(("absolute", "form"), FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_the_reference_matches_the_formula(absolute, form, seed):
    z, edge_index, colors = instance(seed)
    z.requires_grad_()
    plain = contrastive_reference(z, edge_index, colors, 0.3, absolute=absolute, form=form)
    slow = slow_contrastive(z, edge_index, colors, 0.3, absolute, form)
    assert plain.item() == pytest.approx(slow.item(), abs=1e-12)
    (plain_grad,), (slow_grad,) = (torch.autograd.grad(loss, z) for loss in (plain, slow))
    torch.testing.assert_close(plain_grad, slow_grad, atol=1e-12, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize(("absolute", "form"), FORMS)
@pytest.mark.parametrize("tau", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("sizes", [(40,), (6, 31, 1, 14)])
def test_value_and_gradient_match_the_reference(absolute, form, tau, sizes, monkeypatch):
    monkeypatch.setattr(losses, "BLOCK", 60)
    monkeypatch.setattr(losses, "EDGES", 11)
    z, edge_index, colors, batch = stacked([instance(n, n=n, p=0.4) for n in sizes])
    z.requires_grad_()

    fast, plain = (
        loss(z, edge_index, colors, tau, absolute=absolute, form=form, batch=batch)
        for loss in (contrastive, contrastive_reference)
    )

    assert fast.item() == pytest.approx(plain.item(), rel=1e-9)
    (fast_grad,), (plain_grad,) = (torch.autograd.grad(loss, z) for loss in (fast, plain))
    torch.testing.assert_close(fast_grad, plain_grad, atol=1e-10, rtol=1e-9)
    assert plain_grad.abs().max() > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(("absolute", "form"), FORMS)
def test_gradient_matches_finite_differences(absolute, form):
    z, edge_index, colors = instance(5, n=9)
    z.requires_grad_()
    assert torch.autograd.gradcheck(
        lambda z: contrastive(z, edge_index, colors, 0.4, absolute=absolute, form=form), (z,)
    )


@pytest.mark.parametrize(("absolute", "form"), FORMS)
def test_a_batch_is_the_mean_of_its_graphs(absolute, form):
    parts = [instance(seed, n=n) for seed, n in enumerate((6, 14, 9))]
    z, edge_index, colors, batch = stacked(parts)
    together = contrastive(
        z, edge_index, colors, 0.2, absolute=absolute, form=form, batch=batch
    ).item()
    alone = [contrastive(*part, 0.2, absolute=absolute, form=form).item() for part in parts]
    assert together == pytest.approx(sum(alone) / 3, abs=1e-12)


def test_the_soft_losses_of_a_batch_are_the_means_of_their_graphs():
    parts = [instance(seed, n=n) for seed, n in enumerate((6, 14, 9))]
    z, edge_index, _, batch = stacked(parts)
    for loss in (soft_conflict, weighted_conflict):
        together = loss(z, edge_index, batch=batch).item()
        alone = [loss(z, edge_index).item() for z, edge_index, _ in parts]
        assert together == pytest.approx(sum(alone) / 3, rel=1e-12)


def stacked(parts):
    sizes = [len(z) for z, _, _ in parts]
    offsets = [sum(sizes[:i]) for i in range(len(sizes))]
    return (
        torch.cat([z for z, _, _ in parts]),
        torch.cat([e + o for (_, e, _), o in zip(parts, offsets, strict=True)], dim=1),
        torch.cat([c for _, _, c in parts]),
        torch.repeat_interleave(torch.arange(len(parts)), torch.tensor(sizes)),
    )


def test_positives_do_not_leak_into_another_graph():
    parts = [instance(seed) for seed in range(2)]
    z, edge_index, colors, batch = stacked(parts)
    z.requires_grad_()
    first = contrastive(z, edge_index, colors, 0.2, absolute=True, batch=batch)
    (before,) = torch.autograd.grad(first, z)
    moved = torch.cat([z[:14].detach(), parts[1][0].flip(0)]).requires_grad_()
    second = contrastive(moved, edge_index, colors, 0.2, absolute=True, batch=batch)
    (after,) = torch.autograd.grad(second, moved)
    torch.testing.assert_close(before[:14], after[:14], atol=0, rtol=0)
    assert not torch.allclose(before[14:], after[14:])


def test_the_absolute_loss_sees_lines_not_vectors():
    z, edge_index, colors = instance(3)
    signs = torch.tensor([1.0, -1.0] * 7, dtype=z.dtype).unsqueeze(1)
    turned = (signs * z) @ torch.linalg.qr(instance(9, n=5)[0])[0]
    value = contrastive(z, edge_index, colors, 0.2, absolute=True).item()
    assert contrastive(turned, edge_index, colors, 0.2, absolute=True).item() == pytest.approx(
        value
    )
    assert contrastive(signs * z, edge_index, colors, 0.2).item() != pytest.approx(
        contrastive(z, edge_index, colors, 0.2).item()
    )


def test_relabeling_nodes_and_colors_changes_nothing():
    z, edge_index, colors = instance(4)
    order = torch.randperm(14, generator=torch.Generator().manual_seed(1))
    place = order.argsort()
    value = contrastive(z, edge_index, colors, 0.2).item()
    moved = contrastive(z[order], place[edge_index], 7 - 2 * colors[order], 0.2).item()
    assert moved == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("absolute", "form"), FORMS)
@pytest.mark.parametrize("tau", [0.02, 0.05, 1.0])
def test_float32_is_stable_for_small_tau(absolute, form, tau):
    z, edge_index, colors = instance(6, n=40, d=8)
    exact = contrastive(z, edge_index, colors, tau, absolute=absolute, form=form).item()
    single = z.float().requires_grad_()
    loss = contrastive(single, edge_index, colors, tau, absolute=absolute, form=form)
    loss.backward()
    assert loss.item() == pytest.approx(exact, rel=1e-4, abs=1e-6)
    assert single.grad.isfinite().all()


def test_orthonormal_prototypes_attain_the_bound_and_nothing_goes_below():
    for seed, (form, tau) in enumerate(itertools.product(["ratio", "log"], [0.1, 0.5])):
        z, edge_index, colors = instance(seed)
        batch = torch.zeros(14, dtype=torch.long)
        bound = lower_bound(edge_index, batch, tau, absolute=True, form=form)
        prototypes = torch.eye(5, dtype=torch.double)[colors]
        best = contrastive(prototypes, edge_index, colors, tau, absolute=True, form=form).item()
        assert best == pytest.approx(bound, abs=1e-12)
        assert contrastive(z, edge_index, colors, tau, absolute=True, form=form).item() > bound
        signed = lower_bound(edge_index, batch, tau, form=form)
        assert contrastive(prototypes, edge_index, colors, tau, form=form).item() > signed


def test_the_bound_is_the_papers():
    _, edge_index, _ = instance(2)
    degrees = torch.bincount(edge_index[0], minlength=14).tolist()
    e = math.exp(1 / 0.3)
    slow = sum(-e / (e + degree) for degree in degrees) / 14
    bound = lower_bound(edge_index, torch.zeros(14, dtype=torch.long), 0.3, absolute=True)
    assert bound == pytest.approx(slow, abs=1e-12)


def test_soft_conflict_matches_the_formula():
    logits, edge_index, _ = instance(8, d=4)
    p, tau_soft = 2.5, 1.25
    probability = (logits / tau_soft).softmax(-1)
    degree = torch.bincount(edge_index[0], minlength=14).double()
    edges = [(u, v) for u, v in edge_index.T.tolist() if u < v]
    slow = sum(
        ((degree[u] + 1) ** p + (degree[v] + 1) ** p) / 2 * (probability[u] @ probability[v])
        for u, v in edges
    ) / len(edges)
    fast = soft_conflict(logits, edge_index, degree_power=p, tau_soft=tau_soft)
    assert fast.item() == pytest.approx(slow.item(), rel=1e-12)


def test_mean_weights_divide_by_their_mean_in_each_graph():
    logits, edge_index, _ = instance(8, d=4)
    degree = torch.bincount(edge_index[0], minlength=14).double()
    p = 2.5
    u, v = edge_index[:, edge_index[0] < edge_index[1]]
    mean = (((degree[u] + 1) ** p + (degree[v] + 1) ** p) / 2).mean()
    raw, divided = (
        soft_conflict(logits, edge_index, degree_power=p, weights=weights)
        for weights in ("raw", "mean")
    )
    assert divided.item() == pytest.approx(raw.item() / mean.item(), rel=1e-12)
    same = torch.zeros_like(logits)
    same[:, 0] = 1e9  # all nodes of one color
    assert soft_conflict(same, edge_index, weights="mean").item() == pytest.approx(1)
    two = torch.cat([edge_index, edge_index + 14], dim=1)
    batch = torch.arange(2).repeat_interleave(14)
    both = soft_conflict(torch.cat([logits, same]), two, weights="mean", batch=batch)
    alone = soft_conflict(logits, edge_index, weights="mean")
    assert both.item() == pytest.approx((alone.item() + 1) / 2)


def test_a_class_in_several_blocks_gives_what_one_block_gives(monkeypatch):
    z, edge_index, colors = instance(3, n=40, d=5)
    found = []
    for block in (1 << 18, 16, 9):
        monkeypatch.setattr("concolor.learning.losses.BLOCK", block)
        point = z.clone().requires_grad_()
        loss = contrastive(point, edge_index, colors, 0.3, absolute=True)
        loss.backward()
        found.append(torch.cat([loss.detach().reshape(1), point.grad.flatten()]))
    torch.testing.assert_close(found[1], found[0])
    torch.testing.assert_close(found[2], found[0])


def test_weighted_conflict_matches_the_matrix_formula():
    logits, edge_index, _ = instance(8, d=4)
    adjacency = torch.zeros(14, 14, dtype=torch.double)
    adjacency[edge_index[0], edge_index[1]] = 1
    degree = adjacency.sum(1).diag()
    probability = (logits / 0.7).softmax(-1)
    slow = (
        0.5
        * ((torch.linalg.matrix_power(degree, 3) @ adjacency) * (probability @ probability.T)).sum()
    )
    fast = weighted_conflict(logits, edge_index, degree_power=3, tau_soft=0.7)
    assert fast.item() == pytest.approx(slow.item(), rel=1e-12)


def test_soft_losses_have_checked_gradients():
    logits, edge_index, _ = instance(8, n=8, d=3)
    logits.requires_grad_()
    assert torch.autograd.gradcheck(lambda x: soft_conflict(x, edge_index), (logits,))
    assert torch.autograd.gradcheck(lambda x: weighted_conflict(x, edge_index), (logits,))


def test_a_graph_without_edges_is_at_its_bound():
    z, _, colors = instance(1)
    none = torch.empty((2, 0), dtype=torch.long)
    assert contrastive(z, none, colors, 0.2).item() == pytest.approx(-1)
    assert soft_conflict(z, none).item() == 0


def slow_line_conflict(z, edge_index, colors):
    """The leading directions by singular vectors, the lean of every node by loops."""
    k = int(colors.max()) + 1
    lines = [torch.linalg.svd(z[colors == c].detach())[2][0] for c in range(k)]

    def lean(v):
        weights = [torch.exp((z[v] @ line) ** 2 / 0.15) for line in lines]
        return [weight / sum(weights) for weight in weights]

    pairs = list(zip(*edge_index.tolist(), strict=True))
    return (
        k * sum(p * q for v, w in pairs for p, q in zip(lean(v), lean(w), strict=True)) / len(pairs)
    )


@pytest.mark.parametrize("seed", range(3))
def test_line_conflicts_match_the_formula_and_do_not_see_signs(seed):
    z, edge_index, colors = instance(seed)
    fast = line_conflict(z, edge_index, colors)
    torch.testing.assert_close(fast, slow_line_conflict(z, edge_index, colors))
    signs = 1 - 2.0 * (torch.arange(len(z)) % 2).unsqueeze(1).double()
    torch.testing.assert_close(line_conflict(z * signs, edge_index, colors), fast)


def test_line_conflicts_of_a_batch_are_the_mean_of_its_graphs():
    first, second = instance(1, k=4), instance(2, n=9, k=2)
    z, colors = torch.cat([first[0], second[0]]), torch.cat([first[2], second[2]])
    edge_index = torch.cat([first[1], second[1] + len(first[0])], dim=1)
    batch = torch.arange(2).repeat_interleave(torch.tensor([len(first[0]), len(second[0])]))
    alone = [line_conflict(*part) for part in (first, second)]
    together = line_conflict(z, edge_index, colors, batch=batch)
    torch.testing.assert_close(together, sum(alone) / 2)


def test_line_conflicts_are_1_by_chance_and_hardly_any_on_orthogonal_lines():
    _, edge_index, colors = instance(0)
    same = torch.ones(len(colors), 5, dtype=torch.double) / 5**0.5
    assert line_conflict(same, edge_index, colors).item() == pytest.approx(1)
    apart = torch.eye(5, dtype=torch.double)[colors]
    assert line_conflict(apart, edge_index, colors).item() < 0.02


def test_the_slope_of_line_conflicts_takes_a_stray_row_to_the_line_that_fits():
    edge_index = torch.tensor([[0, 1], [1, 0]])
    colors = torch.tensor([0, 1, 0, 1])
    z = torch.tensor([[1.0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=torch.double)
    z = normalize(z + 0.05, dim=1).requires_grad_()
    line_conflict(z, edge_index, colors).backward()
    assert z.grad[1, 0] > 0 > z.grad[1, 1]  # away from the line of its neighbor


def test_line_conflicts_of_no_edges_are_none():
    z, _, colors = instance(0)
    assert line_conflict(z, torch.empty(2, 0, dtype=torch.long), colors).item() == 0
