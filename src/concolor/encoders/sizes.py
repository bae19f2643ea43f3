"""``Sizes``: how wide and deep an encoder is."""

from __future__ import annotations

from dataclasses import dataclass

from concolor.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The numbers every encoder is built from; the defaults are the paper's.

    Attributes:
        in_channels: Features per node, ``f``.
        hidden: Channels of every layer and of the embedding, ``d``.
        layers: Number of layers; of a recurrent encoder, the most steps in training.
        heads: Attention heads, where there is attention; they divide ``hidden``.
        dropout: Probability of dropping a channel, where there is dropout.
        expander_degree: Extra neighbors per node in exphormer; even, 0 for none.
        steps: Of a recurrent encoder, the steps after training; None for ``layers``.
        run_in: Of a recurrent encoder, the most steps in training before those that learn.
    """

    in_channels: int
    hidden: int = 128
    layers: int = 2
    heads: int = 4
    dropout: float = 0.1
    expander_degree: int = 4
    steps: int | None = None
    run_in: int = 0

    def __post_init__(self) -> None:
        for name in ("in_channels", "hidden", "layers", "heads"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.steps is not None and self.steps < 1:
            raise InputError(f"steps must be at least 1, or None, got {self.steps}")
        if self.run_in < 0:
            raise InputError(f"run_in must be at least 0, got {self.run_in}")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout must be in [0, 1), got {self.dropout}")
        if self.expander_degree < 0 or self.expander_degree % 2:
            raise InputError(
                f"expander_degree must be even and >= 0, got {self.expander_degree}: "
                "each cycle through the nodes gives every node two neighbors"
            )

    @property
    def head_channels(self) -> int:
        """Channels of one attention head, ``hidden / heads``."""
        if self.hidden % self.heads:
            raise InputError(
                f"hidden={self.hidden} is not a multiple of heads={self.heads}; "
                "choose heads that divide hidden"
            )
        return self.hidden // self.heads
