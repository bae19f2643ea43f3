import pytest
import torch
from torch import nn

from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import Residual, mean_of_messages, sum_of_messages, to_sphere


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_rows_are_scaled_to_the_sphere(scale):
    z = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(to_sphere(scale * z), z / z.norm(dim=1, keepdim=True))


def test_a_zero_row_goes_to_the_pole_without_gradient():
    z = torch.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    unit = to_sphere(z)
    (unit * torch.tensor([[5.0, 7.0], [1.0, 2.0]])).sum().backward()

    torch.testing.assert_close(unit, torch.tensor([[1.0, 0.0], [0.6, 0.8]]))
    assert not z.grad[0].any()
    torch.testing.assert_close(z.grad[1] @ z[1], torch.tensor(0.0), atol=1e-6, rtol=0)


def test_nan_is_not_hidden():
    assert to_sphere(torch.tensor([[float("nan"), 1.0]])).isnan().any()


def test_messages_meet_at_their_targets():
    messages, target = torch.tensor([[1.0], [2.0], [6.0]]), torch.tensor([0, 2, 2])

    assert sum_of_messages(messages, target, 4).flatten().tolist() == [1, 0, 8, 0]
    assert mean_of_messages(messages, target, 4).flatten().tolist() == [1, 0, 4, 0]


@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize("norm", [True, False])
def test_the_residual_update_is_its_formula(skip, norm):
    class Negate(nn.Module):
        def forward(self, h, edge_index):
            return -h

    h = torch.tensor([[1.0, -2.0, 4.0]])
    expected = torch.tensor([[0.0, 2.0, 0.0]]) + (h if skip else 0)
    if norm:
        expected = nn.functional.layer_norm(expected, (3,))

    layer = Residual(Negate(), Sizes(in_channels=1, hidden=3), skip=skip, norm=norm).eval()

    torch.testing.assert_close(layer(h, torch.empty(2, 0, dtype=torch.long)), expected)
