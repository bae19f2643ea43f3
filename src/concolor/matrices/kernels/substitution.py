"""Unknowns that stand in two equations at most, found one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]
Places = NDArray[np.int32]
Numbers = NDArray[Any]  # real or complex


@compiled
def numbered(row_ptr: Ints, row_idx: Places, colors: Ints) -> tuple[Ints, Ints, Ints]:
    """Number the sums of entries that share a row and the color of their columns, row by row.

    Args:
        colors: ``[n]``, -1 for a column in no sum.

    Returns:
        The sum of every entry ``[nnz]``, -1 for none; the row and the color of every sum.
    """
    sums = np.empty(len(row_idx), np.int64)
    rows, shades = np.empty(len(row_idx), np.int64), np.empty(len(row_idx), np.int64)
    k = colors.max() + 1 if len(colors) else 0
    last = np.full(k, -1, np.int64)  # of each color, its newest sum
    count = 0
    for i in range(len(row_ptr) - 1):
        first = count
        for e in range(row_ptr[i], row_ptr[i + 1]):
            c = colors[row_idx[e]]
            if c < 0:
                sums[e] = -1
                continue
            if last[c] < first:
                last[c] = count
                rows[count], shades[count] = i, c
                count += 1
            sums[e] = last[c]
    return sums, rows[:count], shades[:count]


@compiled
def eliminated(one: Ints, other: Ints, equations: int) -> tuple[Ints, Ints]:
    """An order in which each equation holds one unknown that is not known yet.

    Unknown u is in the equations ``one[u]`` and ``other[u]``, -1 for none. An equation needs only
    to know how many unknowns it has left, and their exclusive or, which is the last one.

    Returns:
        The unknowns in order, and for each the equation that gives it; as many as can be found.
    """
    left = np.zeros(equations, np.int64)
    last = np.zeros(equations, np.int64)
    for u in range(len(one)):
        for q in (one[u], other[u]):
            if q >= 0:
                left[q] += 1
                last[q] ^= u
    unknowns, by = np.empty(len(one), np.int64), np.empty(len(one), np.int64)
    ready = np.empty(equations, np.int64)
    done, count = 0, 0
    for q in range(equations):
        if left[q] == 1:
            ready[count] = q
            count += 1
    while count > 0:
        count -= 1
        q = ready[count]
        if left[q] != 1:
            continue
        u = last[q]
        unknowns[done], by[done] = u, q
        done += 1
        for p in (one[u], other[u]):
            if p >= 0:
                left[p] -= 1
                last[p] ^= u
                if left[p] == 1:
                    ready[count] = p
                    count += 1
    return unknowns[:done], by[:done]


@compiled
def substituted(one: Ints, other: Ints, unknowns: Ints, by: Ints, sums: Numbers) -> Numbers:
    """The unknowns from the sums of the equations; ``sums`` is used up."""
    values = np.zeros(len(one), sums.dtype)
    for place in range(len(unknowns)):
        u, q = unknowns[place], by[place]
        values[u] = sums[q]
        p = other[u] if one[u] == q else one[u]
        if p >= 0:
            sums[p] -= values[u]
    return values
