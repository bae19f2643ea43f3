"""The compiled loops, and ``compiled``, by which all rooms compile theirs.

Only what runs such loops imports this package, since it imports numba. The machine code is cached
on disk after the first call ever. Numba watches the file of a function but not the files of what it
calls, so no file calls compiled code of another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F, *, fastmath: Collection[str] = ()) -> F:
    """Compile on first use, keep the machine code on disk, and let other threads run meanwhile.

    Args:
        fastmath: What the compiler may do to floating point, in the words of LLVM; nothing, unless
            said so: ``@partial(compiled, fastmath=["reassoc"])``.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": set(fastmath)}
    try:
        return cast(F, njit(cache=True, **options)(function))
    except RuntimeError:  # no place on this machine where numba may write
        return cast(F, njit(**options)(function))


def arrange(
    values: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Nodes by rising value, for loops that keep them so while values change by one.

    Args:
        values: ``[n]``, in ``0..n-1``.

    Returns:
        The nodes in order ``[n]``, the place of each node ``[n]``, and where each value begins
        ``[n + 1]``.
    """
    n = len(values)
    order = np.argsort(values, kind="stable")
    where = np.empty(n, np.int64)
    where[order] = np.arange(n)
    return order, where, np.searchsorted(values[order], np.arange(n + 1))
