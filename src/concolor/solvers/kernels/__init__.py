"""The compiled loops. Only the solvers that run them import this package, since it imports numba.

The machine code is cached on disk after the first call ever. Numba watches the file of a function
but not the files of what it calls, so no file here calls compiled code of another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile on first use, keep the machine code on disk, and let other threads run meanwhile."""
    return cast(F, njit(cache=True, nogil=True)(function))
