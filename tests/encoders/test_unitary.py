import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.encoders.unitary import UnitaryConv, cayley

EDGES = torch.tensor([[0, 1, 2, 1, 3], [1, 2, 0, 0, 1]])


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(d=st.integers(1, 12), scale=st.floats(0, 1e3), seed=st.integers(0, 2**31))
def test_the_cayley_map_is_orthogonal_for_any_matrix(d, scale, seed):
    generator = torch.Generator().manual_seed(seed)
    a = scale * torch.randn(d, d, dtype=torch.float64, generator=generator)
    q, eye = cayley(a), torch.eye(d, dtype=torch.float64)

    torch.testing.assert_close(q @ q.T, eye, atol=1e-8, rtol=0)
    torch.testing.assert_close(q @ (eye + a - a.T), eye - a + a.T, atol=1e-7 * (1 + scale), rtol=0)


def test_the_cayley_map_starts_at_the_identity_and_moves():
    a = torch.zeros(4, 4, requires_grad=True)
    q = cayley(a)
    q[0, 1].backward()

    torch.testing.assert_close(q, torch.eye(4))
    assert a.grad[0, 1] == -2 and a.grad[1, 0] == 2


def test_the_layer_mixes_by_the_formula():
    torch.manual_seed(0)
    conv, h = UnitaryConv(6), torch.randn(5, 6)
    torch.nn.init.constant_(conv.mix, 0.7)
    beta = torch.tensor(0.7).sigmoid()
    own, message = cayley(conv.own), cayley(conv.message)

    rows = []
    for v in range(5):
        heard = [message @ h[u] for u, w in EDGES.T.tolist() if w == v]
        mean = sum(heard, torch.zeros(6)) / max(1, len(heard))
        rows.append(beta * (own @ h[v]) + (1 - beta) * mean)

    torch.testing.assert_close(conv(h, EDGES), torch.stack(rows), atol=1e-5, rtol=1e-4)


def test_rotations_keep_lengths():
    torch.manual_seed(0)
    conv, h = UnitaryConv(8), torch.randn(5, 8)
    torch.nn.init.constant_(conv.mix, 30.0)  # beta = 1: only the node itself

    torch.testing.assert_close(conv(h, EDGES).norm(dim=1), h.norm(dim=1))
