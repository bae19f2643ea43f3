"""``aligned``: an array whose rows touch no more lines of the cache than they must."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

LINE = 64  # bytes of a line of the cache


def aligned(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Zeros that begin with a line of the cache: rows of 32 numbers are two lines then, not three.

    A loop that jumps from row to row waits for every line of them. NumPy begins anywhere.

    >>> aligned((3, 32)).ctypes.data % LINE
    0
    """
    size = math.prod(shape) * np.dtype(np.float32).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin : begin + size].view(np.float32).reshape(shape)
