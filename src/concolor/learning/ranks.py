"""``Ranks``: the processes that train one model together, as torchrun started them.

Each holds all weights and computes some graphs of every step. What must be the same at all of them
is decided in one place: by the first, or by what all say. No torch here until it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from concolor.device import choose_device
from concolor.errors import ConcolorError, InputError

if TYPE_CHECKING:
    import torch

T = TypeVar("T")
PATIENCE = timedelta(days=1)  # the others may be busy with labels; torchrun sees those that died


@dataclass(frozen=True)
class Ranks:
    """This process among those that train together; alone, unless told otherwise.

    Attributes:
        rank: Which one it is. The first, 0, writes and prints.
        world: How many there are.
        local: Which one it is on its machine.
    """

    rank: int = 0
    world: int = 1
    local: int = 0

    @classmethod
    def here(cls) -> Ranks:
        """What torchrun says in the environment; alone where it did not start this process."""
        if "TORCHELASTIC_RUN_ID" not in os.environ:
            return cls()
        return cls(*(int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")))

    @property
    def is_first(self) -> bool:
        """Whether this is the one that writes and prints."""
        return self.rank == 0

    @property
    def are_many(self) -> bool:
        """Whether there is another."""
        return self.world > 1

    def share(self, count: int) -> slice:
        """The part of so many things that is this rank's; parts differ by one at most.

        >>> [Ranks(rank, 2).share(5) for rank in range(2)]
        [slice(0, 2, None), slice(2, 5, None)]
        """
        return slice(count * self.rank // self.world, count * (self.rank + 1) // self.world)

    def device(self, name: str, *, amp: bool = False) -> torch.device:
        """The device for a name; of the GPUs of a machine every rank has one of its own.

        Args:
            amp: Whether it must be one for mixed precision.
        """
        where = choose_device(name)
        if amp and where.type != "cuda":
            raise InputError(
                f"mixed precision (amp) needs a GPU with CUDA, the device {name!r} is "
                f"{where.type} here: leave it out"
            )
        if not self.are_many or where.type == "cpu":
            return where
        import torch

        if where.type == "mps" and name == "auto":
            return torch.device("cpu")
        if where.type != "cuda" or where.index is not None:
            raise InputError(
                f"device {name!r} cannot be that of {self.world} processes: give cpu, or cuda, "
                "which gives each a GPU of its own"
            )
        if self.local >= torch.cuda.device_count():
            raise InputError(
                f"process {self.local + 1} on this machine has no GPU of its own, there are "
                f"{torch.cuda.device_count()}: lower --nproc-per-node, or give the device cpu"
            )
        return torch.device("cuda", self.local)

    def first(self, call: Callable[[], T]) -> T:
        """What a call gives at the first rank, at all of them; so with an error of ours."""
        if not self.are_many:
            return call()
        import torch.distributed as dist

        told = [_outcome(call) if self.is_first else None]
        dist.broadcast_object_list(told)
        found: T = _opened(told[0])
        return found

    def each(self, call: Callable[[], T]) -> list[T]:
        """What a call gives at every rank, at all of them; so with an error of ours at one."""
        if not self.are_many:
            return [call()]
        import torch.distributed as dist

        told: list[Any] = [None] * self.world
        dist.all_gather_object(told, _outcome(call))
        return [_opened(outcome) for outcome in told]

    def total(self, value: float) -> float:
        """The sum of the values of all ranks."""
        return self._reduced(value, "SUM")

    def most(self, value: int) -> int:
        """The largest value of all ranks."""
        return int(self._reduced(value, "MAX"))

    def _reduced(self, value: float, how: str) -> float:
        if not self.are_many:
            return value
        import torch
        import torch.distributed as dist

        found = torch.tensor(value, dtype=torch.float64)
        dist.all_reduce(found, getattr(dist.ReduceOp, how))
        return found.item()


ALONE = Ranks()


@contextmanager
def together(device: str = "auto") -> Iterator[Ranks]:
    """Inside, the processes of torchrun can train together; a process of its own is alone.

    At the end each waits for the others: as soon as one has left with an exit code that is not 0,
    torchrun ends those that are still writing.

    >>> with together() as ranks:
    ...     ranks.world
    1
    """
    ranks = Ranks.here()
    if not ranks.are_many:
        yield ranks
        return
    # unused weights are looked for in each step, and none need be there: no word about that
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    import torch
    import torch.distributed as dist

    where = ranks.device(device)
    if where.type == "cuda":
        torch.cuda.set_device(where)
    dist.init_process_group(
        "cpu:gloo,cuda:nccl" if where.type == "cuda" else "gloo", timeout=PATIENCE
    )
    try:
        yield ranks
        ranks.most(0)
    except RuntimeError as error:
        if not (isinstance(error, dist.DistError) or "gloo" in str(error)):
            raise
        raise ConcolorError(
            f"of {ranks.world} processes that train together another one ended: look for what it "
            "said; --resume goes on from the last checkpoint"
        ) from error
    finally:
        dist.destroy_process_group()


def _outcome(call: Callable[[], T]) -> tuple[T | None, ConcolorError | None]:
    try:
        return call(), None
    except ConcolorError as error:
        return None, error


def _opened(outcome: Any) -> Any:
    value, error = outcome
    if error is not None:
        raise error
    return value
