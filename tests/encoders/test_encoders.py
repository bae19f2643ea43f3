"""What every encoder promises, for every name in the registry."""

import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from concolor.encoders import ENCODERS, Encoder, Sizes, build, encoder_of
from concolor.errors import InputError, UnknownName

SMALL = Sizes(in_channels=7, hidden=16, heads=4)
PARAMETERS = {  # of the paper, for 1433 inputs
    "gcn": 200064,
    "res_gcn": 217088,
    "gat": 200576,
    "gin": 250114,
    "gated_gcn": 316160,
    "sage": 399872,
    "unitary_mp": 249602,
    "gps": 482048,
    "graph_vit": 580352,
    "exphormer": 316160,
}
LOOSE = {"exphormer": {"key.bias"}}  # softmax does not see what all keys share: zero gradient

Graph = tuple[Tensor, Tensor]  # x [n, f], edge_index [2, 2m]


def encoder(name: str, sizes: Sizes = SMALL, seed: int = 0) -> torch.nn.Module:
    torch.manual_seed(seed)
    return build(name, sizes).eval()


def graph(n: int, edges: list[tuple[int, int]], seed: int = 0) -> Graph:
    x = torch.randn(n, 7, generator=torch.Generator().manual_seed(seed))
    one_way = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T
    return x, torch.cat([one_way, one_way.flip(0)], dim=1)


def joined(graphs: list[Graph]) -> tuple[Tensor, Tensor, Tensor]:
    sizes = torch.tensor([len(x) for x, _ in graphs])
    starts = sizes.cumsum(0) - sizes
    shifted = [edges + start for (_, edges), start in zip(graphs, starts, strict=True)]
    batch = torch.arange(len(graphs)).repeat_interleave(sizes)
    return torch.cat([x for x, _ in graphs]), torch.cat(shifted, dim=1), batch


WHEEL = graph(6, [(0, v) for v in range(1, 6)] + [(v, v % 5 + 1) for v in range(1, 6)])
PENDANT = graph(9, [(0, 1), (1, 2), (2, 0), (2, 3), (5, 6), (6, 7), (3, 6)], seed=1)  # 4, 8 alone
EDGELESS = graph(4, [], seed=2)
SINGLE = graph(1, [], seed=3)
ALL = [WHEEL, SINGLE, PENDANT, EDGELESS]


def is_unit(z: Tensor) -> bool:
    return torch.allclose(z.norm(dim=1), torch.ones(len(z), dtype=z.dtype), atol=1e-5)


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_those_of_the_paper(name):
    made = build(name, Sizes(in_channels=1433))
    assert sum(p.numel() for p in made.parameters()) == PARAMETERS[name]


def test_the_matched_encoder_is_as_large_as_the_gated_one():
    sizes = Sizes(in_channels=1433)
    matched = sum(p.numel() for p in build("res_gcn_param_matched", sizes).parameters())
    assert matched == pytest.approx(PARAMETERS["gated_gcn"], rel=0.002)


@pytest.mark.slow
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("name", ENCODERS)
def test_rows_are_unit(name, layers):
    sizes = Sizes(in_channels=7, hidden=16, layers=layers)
    for x, edge_index in ALL:
        z = encoder(name, sizes)(x, edge_index)
        assert z.shape == (len(x), 16)
        assert is_unit(z)


@pytest.mark.parametrize("name", ENCODERS)
def test_relabeling_the_nodes_moves_the_rows(name):
    made = encoder(name, Sizes(in_channels=7, hidden=16, expander_degree=0))
    x, edge_index = PENDANT
    order = torch.tensor([3, 8, 0, 5, 1, 7, 2, 4, 6])

    moved = made(x[order], order.argsort()[edge_index])

    torch.testing.assert_close(moved, made(x, edge_index)[order], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ENCODERS)
def test_a_batch_gives_what_each_graph_gives_alone(name):
    made = encoder(name)
    alone = torch.cat([made(x, edge_index) for x, edge_index in ALL])

    torch.testing.assert_close(made(*joined(ALL)), alone, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ENCODERS)
def test_one_graph_in_a_batch_never_sees_another(name):
    made = encoder(name)
    other = (PENDANT[0] * 9 - 4, PENDANT[1])

    before = made(*joined([WHEEL, PENDANT, EDGELESS]))
    after = made(*joined([WHEEL, other, EDGELESS]))

    changed = (before != after).any(dim=1)
    assert not changed[:6].any()
    assert changed[6:15].any()
    assert not changed[15:].any()


@pytest.mark.parametrize("name", ENCODERS)
def test_gradients_reach_all_parameters(name):
    made = encoder(name)  # without dropout, and batch norm keeps the biases before it
    z = made(*joined(ALL))
    (z * torch.randn(z.shape, generator=torch.Generator().manual_seed(0))).sum().backward()

    still = {key for key, p in made.named_parameters() if p.grad is None or p.grad.norm() < 1e-6}

    assert all(any(key.endswith(end) for end in LOOSE.get(name, ())) for key in still), still


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_training_is_finite_on_isolated_nodes_and_zero_features(name, scale):
    made = encoder(name).train()
    for x, edge_index, batch in (joined(ALL), joined([SINGLE]), joined([EDGELESS, WHEEL])):
        made.zero_grad()
        z = made(scale * x, edge_index, batch)
        z[:, 1].sum().backward()
        assert is_unit(z)
        assert all(p.grad.isfinite().all() for p in made.parameters() if p.grad is not None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODERS)
def test_the_seed_decides_the_parameters(name):
    first, again, other = (encoder(name, seed=seed)(*WHEEL) for seed in (0, 0, 1))

    assert torch.equal(first, again)
    assert not torch.allclose(first, other)


@pytest.mark.parametrize("name", ENCODERS)
def test_double_precision_gives_the_same(name):
    x, edge_index, batch = joined(ALL)
    made = encoder(name)
    single = made(x, edge_index, batch)

    double = made.double()(x.double(), edge_index, batch)

    assert double.dtype == torch.float64
    torch.testing.assert_close(double.float(), single, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("name", ENCODERS)
def test_inference_without_gradients_gives_the_same(name):
    made = encoder(name)
    with torch.no_grad():
        quiet = made(*joined(ALL))
    torch.testing.assert_close(quiet, made(*joined(ALL)), atol=1e-5, rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODERS)
def test_what_is_saved_can_be_loaded(name):
    made, other = encoder(name), encoder(name, seed=1)
    other.load_state_dict(made.state_dict())
    torch.testing.assert_close(other(*WHEEL), made(*WHEEL))


def test_encoders_that_see_beyond_their_neighbors_say_so():
    wide = {name for name in ENCODERS if encoder_of(name).beyond_neighbors}
    assert {name for name in ENCODERS if name.startswith("gps")} <= wide
    assert wide >= {"graph_vit", "exphormer"}
    assert wide.isdisjoint({"gcn", "gat", "gated_gcn", "unitary_mp"})


@pytest.mark.parametrize("name", ENCODERS)
def test_encoders_with_heads_say_so(name):
    uneven = Sizes(in_channels=7, hidden=10, heads=4)
    if not encoder_of(name).heads:
        assert build(name, uneven)(*WHEEL).shape == (6, 10)
        return
    with pytest.raises(InputError, match="hidden=10 is not a multiple of heads=4"):
        build(name, uneven)


def doubled(sizes):
    """gated_gcn with twice the layers.

    More lines do not belong to the list.
    """
    return build("gated_gcn", replace(sizes, layers=2 * sizes.layers))


def test_an_encoder_may_be_a_function_an_entry_or_put_into_the_registry(monkeypatch):
    monkeypatch.setitem(ENCODERS, "doubled", doubled)
    entry = Encoder("gated_gcn, twice as deep", doubled, beyond_neighbors=True)
    assert encoder_of(entry) is entry
    assert (
        encoder_of("doubled").doc == encoder_of(doubled).doc == "gated_gcn with twice the layers."
    )
    assert not encoder_of(doubled).beyond_neighbors
    for choice in ("doubled", doubled, entry):
        torch.manual_seed(0)
        assert len(build(choice, SMALL).layers) == 2 * SMALL.layers
    with pytest.raises(InputError, match=r"name or a function of yours or Encoder\(...\), got 3"):
        encoder_of(3)


@pytest.mark.slow
def test_names_and_lines_on_them_load_no_torch_and_gated_encoders_no_pyg():
    program = (
        "import sys\n"
        "from concolor.encoders import ENCODERS, Sizes, build, encoder_of\n"
        "assert all(encoder_of(name).doc for name in ENCODERS)\n"
        "assert 'torch' not in sys.modules\n"
        "from concolor.learning.model import Network\n"
        "from concolor.learning.train import train\n"
        "from concolor.learning.recipe import Recipe\n"
        "plain = [n for n in ENCODERS if n.startswith(('gated', 'unitary'))]\n"
        "for name in plain: Network(Recipe(encoder=name, signnet=True, pipeline='v2'), 3, 2)\n"
        "assert len(plain) > 7 and 'torch_geometric' not in sys.modules\n"
        "build('gcn', Sizes(in_channels=3))\n"
        "assert 'torch_geometric' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_wrong_names_and_sizes_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'gated_gcn'"):
        build("gatedgcn", SMALL)
    with pytest.raises(InputError, match="layers must be at least 1, got 0"):
        Sizes(in_channels=7, layers=0)
    with pytest.raises(InputError, match=r"dropout must be in \[0, 1\), got 1.0"):
        Sizes(in_channels=7, dropout=1.0)
    with pytest.raises(InputError, match="even and >= 0, got 3"):
        Sizes(in_channels=7, expander_degree=3)
    for name in ("gat", "gps", "gps_gat", "graph_vit", "exphormer"):
        with pytest.raises(InputError, match="hidden=10 is not a multiple of heads=4"):
            build(name, Sizes(in_channels=7, hidden=10))
    assert build("gated_gcn", Sizes(in_channels=7, hidden=10))(*WHEEL).shape == (6, 10)


@pytest.mark.parametrize("name", ["gat", "gcn"])
def test_a_node_does_not_attend_to_itself(name):
    one = encoder(name, Sizes(in_channels=3, hidden=8, layers=1))
    x, edge_index = torch.randn(3, 3), torch.tensor([[0, 1], [1, 0]])
    moved = x.clone()
    moved[0] += 1
    before, after = one(x, edge_index), one(moved, edge_index)
    torch.testing.assert_close(after[0], before[0])  # its neighbor is all it sees
    assert not torch.allclose(after[1], before[1])
