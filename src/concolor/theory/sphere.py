"""Rows on the unit sphere: the check at the door, tangents, and projected subgradient descent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concolor.errors import InputError

Floats: TypeAlias = NDArray[np.float64]

LENGTH_TOLERANCE = 1e-3  # float32 and half precision pass, a forgotten normalization does not


def checked_unit_rows(z: ArrayLike, rows: int, what: str) -> Floats:
    """``z [rows, d]`` in float64 with rounding errors of its lengths removed; others are refused.

    >>> checked_unit_rows([[0.6, 0.8]], 2, "an embedding of 2 nodes")
    Traceback (most recent call last):
    ...
    concolor.errors.InputError: an embedding of 2 nodes must have shape [2, d], got (1, 2)
    """
    z = np.asarray(z, np.float64)
    if z.ndim != 2 or len(z) != rows:
        raise InputError(f"{what} must have shape [{rows}, d], got {z.shape}")
    length = np.linalg.norm(z, axis=1, keepdims=True)
    wrong = ~(np.abs(length - 1) <= LENGTH_TOLERANCE)  # NaN is wrong too
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"{what} must have rows of length 1, row {row} has {length[row, 0]:.4g}; normalize it"
        )
    return np.asarray(z / length)


def normalized(z: Floats) -> Floats:
    """Rows divided by their lengths, which must not be 0."""
    return np.asarray(z / np.linalg.norm(z, axis=-1, keepdims=True))


def tangent(z: Floats, g: Floats) -> Floats:
    """``g_v - <g_v, z_v> z_v``: what of ``g [n, d]`` is tangent to the spheres at ``z [n, d]``."""
    return np.asarray(g - np.einsum("nd,nd->n", g, z)[:, None] * z)


def descend(
    z: Floats, subgradient: Callable[[Floats], Floats], steps: Iterable[float | Floats]
) -> Iterator[Floats]:
    """Projected subgradient descent: ``z <- (z - step P g(z)) / |z - step P g(z)|``, row by row.

    Args:
        z: Start ``[n, d]``, unit rows.
        subgradient: ``z`` -> a Clarke subgradient ``[n, d]``; its radial part is dropped here.
        steps: One number a step, or one for every row, ``[n, 1]``.

    Yields:
        The rows after each step.
    """
    for step in steps:
        z = normalized(z - step * tangent(z, subgradient(z)))
        yield z


def positive(tau: float) -> float:
    """The temperature, refused unless it is a positive number."""
    if not 0 < tau < np.inf:
        raise InputError(f"tau must be a positive number, got {tau}")
    return float(tau)
