import torch

from concolor.encoders.heads import color_head
from concolor.encoders.signnet import SignNet


def test_flipping_any_rows_changes_nothing():
    torch.manual_seed(0)
    head, z = SignNet(16), torch.randn(10, 16)
    flips = torch.randint(0, 2, (10, 1)) * 2 - 1

    assert torch.equal(head(flips * z), head(z))


def test_lines_stay_apart_on_the_sphere():
    torch.manual_seed(0)
    z = SignNet(16)(torch.randn(10, 16))

    torch.testing.assert_close(z.norm(dim=1), torch.ones(10))
    assert torch.pdist(z).min() > 1e-3


def test_the_color_head_gives_a_logit_per_slot():
    head = color_head(128, 5)

    assert sum(p.numel() for p in head.parameters()) == 645
    assert head(torch.randn(3, 128)).shape == (3, 5)
