"""Where tensors live: the torch device that a name stands for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from concolor.errors import InputError

if TYPE_CHECKING:
    import torch


def choose_device(name: str) -> torch.device:
    """The torch device for ``auto``, ``cpu``, ``cuda`` or ``mps``, if this machine has it."""
    import torch

    there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if name == "auto":
        return torch.device(next(kind for kind, usable in there.items() if usable))
    if not there.get(name.split(":")[0], False):
        usable = ", ".join(kind for kind, yes in there.items() if yes)
        raise InputError(f"device {name!r} is not usable here; usable: auto, {usable}")
    return torch.device(name)


@contextmanager
def torch_threads(count: int | None) -> Iterator[None]:
    """Inside, torch uses so many threads; None leaves it alone.

    Small work is faster in one: the others would wait in circles for it.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
