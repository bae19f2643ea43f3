"""The compiled loops. Only the solvers that run them import this package, since it imports numba.

The machine code is cached on disk after the first call ever. Numba watches the file of a function
but not the files of what it calls, so no file here calls compiled code of another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile on first use, keep the machine code on disk, and let other threads run meanwhile."""
    try:
        return cast(F, njit(cache=True, nogil=True)(function))
    except RuntimeError:  # no place on this machine where numba may write
        return cast(F, njit(nogil=True)(function))


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
