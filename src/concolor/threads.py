"""How many threads work, and that those with nothing to do wait quietly.

Threads of OpenMP and of linear algebra spin while they wait. Beside a busy neighbor that makes two
of them many times slower than one, so small work gets one thread, and large work threads of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

SMALL = 1 << 26  # multiplications up to which one thread is faster than several


def wait_quietly() -> None:
    """Let the threads of torch sleep soon while they wait, if it is not loaded yet.

    Not at once, which would cost up to half of the speed where there is no busy neighbor
    (benchmarks/busy.md). What the user says in the environment is respected.
    """
    said = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
    if "torch" not in sys.modules and not any(name in os.environ for name in said):
        os.environ["GOMP_SPINCOUNT"] = "1000"


def worth(work: int) -> int:
    """Threads that so many multiplications are worth: 1, or as many as there are cores.

    The environment variable OMP_NUM_THREADS may say that there are fewer.
    """
    if work < SMALL:
        return 1
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    said = os.environ.get("OMP_NUM_THREADS", "")
    return min(int(said) if said.isdecimal() and int(said) else 64, there or 1)


def two_cores() -> int:
    """2 where there are two cores, or 1: for searches in pairs."""
    return min(2, worth(SMALL))


def one_blas_thread() -> AbstractContextManager[Any]:
    """Inside, products of matrices take one thread."""
    limited: AbstractContextManager[Any] = _blas().limit(limits=1, user_api="blas")
    return limited


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Inside, torch takes at most so many threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(min(count, before))
    try:
        yield
    finally:
        torch.set_num_threads(before)
