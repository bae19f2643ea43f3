import pytest
import torch

from concolor.encoders.gated_gcn import GatedConv

EDGES = torch.tensor([[0, 1, 2, 1, 3, 0], [1, 2, 0, 0, 1, 2]])  # node 3 hears nobody, 4 is alone


def slow_gated(conv, h, *, mean):
    """The formula, one edge after another."""
    rows = []
    for v in range(len(h)):
        total, degree = torch.zeros(h.size(1)), 0
        for u, w in EDGES.T.tolist():
            if w == v:
                message = conv.message(h[u])
                if conv.gate_source is not None:
                    message = message * torch.sigmoid(
                        conv.gate_source(h[u]) + conv.gate_target(h[v])
                    )
                total, degree = total + message, degree + 1
        rows.append(conv.own(h[v]) + (total / max(1, degree) if mean else total))
    return torch.stack(rows)


@pytest.mark.parametrize("gate", [6, 1, 0])
@pytest.mark.parametrize("mean", [True, False])
@pytest.mark.parametrize("together", [1, 4, 8192])
def test_messages_are_gated_by_the_formula(gate, mean, together, monkeypatch):
    monkeypatch.setitem(GatedConv.forward.__globals__, "EDGES", together)
    torch.manual_seed(0)
    conv, h = GatedConv(6, gate=gate, mean=mean), torch.randn(5, 6)

    torch.testing.assert_close(conv(h, EDGES), slow_gated(conv, h, mean=mean))


@pytest.mark.parametrize("gate", [3, 1, 0])
@pytest.mark.parametrize("together", [4, 8192])
def test_gradients_are_those_of_the_formula(gate, together, monkeypatch):
    monkeypatch.setitem(GatedConv.forward.__globals__, "EDGES", together)
    torch.manual_seed(0)
    conv = GatedConv(3, gate=gate).double()
    h = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(lambda h: conv(h, EDGES), h)
