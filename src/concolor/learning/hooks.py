"""Training hooks: what they are told at the end of an epoch, and one that writes event files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from concolor.errors import MissingExtra
from concolor.learning.validation import Validation


@dataclass(frozen=True)
class TrainingEpoch:
    """What a hook is told at the end of an epoch.

    Attributes:
        epoch: So many are done.
        epochs: Of so many.
        step: Optimizer steps taken.
        loss: Its mean over the epoch.
        parts: What that is the sum of: ``contrastive``, ``lines``, ``soft``.
        bound: What the loss cannot go below.
        lr: The learning rate of the last step.
        seconds: Spent in training.
        validation: How the model does on held-out graphs, where there are some and it is time.
    """

    epoch: int
    epochs: int
    step: int
    loss: float
    parts: Mapping[str, float]
    bound: float
    lr: float
    seconds: float
    validation: Validation | None


Hook: TypeAlias = Callable[[TrainingEpoch], bool | None]


class TensorBoard:
    """Loss, its parts and bound, learning rate and validation figures, for `tensorboard --logdir`.

    Nothing is written before the first epoch ends, so that of several processes only the one whose
    hook is called writes. A training that is resumed goes on with its curves.

    Args:
        folder: Where the event files go; each training should have one of its own.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        _writer()  # an error now, not after the first epoch
        self._open: Any = None

    def __call__(self, at: TrainingEpoch) -> None:
        """One point of every curve."""
        if self._open is None:
            self._open = _writer()(str(self.folder), purge_step=at.epoch)
        named = {f"parts/{name}": value for name, value in at.parts.items()}
        if at.validation is not None:
            named |= {f"validation/{name}": v for name, v in asdict(at.validation).items()}
        for name, value in ({"loss": at.loss, "bound": at.bound, "lr": at.lr} | named).items():
            self._open.add_scalar(name, value, at.epoch)
        self._open.flush()

    def close(self) -> None:
        """Close the file; what was written is there in any case."""
        if self._open is not None:
            self._open.close()


def _writer() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("tensorboard"):
            raise
        raise MissingExtra(
            "event files need tensorboard, which is missing: pip install 'concolor[tensorboard]'"
        ) from None
    return SummaryWriter
