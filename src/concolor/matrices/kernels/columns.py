"""Columns that share no row: first fit in an order, and the orders, on the rows themselves.

No graph of columns is built: columns that share rows are met by walking over these rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]
Places = NDArray[np.int32]
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled
def first_fit(
    row_ptr: Ints,
    row_idx: Places,
    col_ptr: Ints,
    col_idx: Places,
    order: Ints,
    dense: Places,
    words: int,
) -> Places:
    """Give each column of the order the first color that no column beside it in a row has: ``[n]``.

    The colors of a sparse row are collected by walking over it; a dense row keeps the set of its
    colors, 64 to a word, and where the set begins to have gaps. So a row of n entries costs O(n)
    in all and not O(n^2).

    Args:
        row_ptr, row_idx: The pattern row by row.
        col_ptr, col_idx: The same column by column.
        order: The columns.
        dense: ``[m]``, a number 0, 1, ... for each dense row and -1 for the others.
        words: Of the set of colors of a dense row; 64 times that is at least n.
    """
    n = len(col_ptr) - 1
    colors = np.full(n, -1, np.int32)
    seen = np.full(n + 1, -1, np.int32)  # the last column to which a color was closed
    sets = np.zeros((dense.max() + 1 if len(dense) else 0, words), np.uint64)
    gap = np.zeros(len(sets), np.int64)  # words before it are full
    for j in order:
        low, has_dense = 0, False
        for e in range(col_ptr[j], col_ptr[j + 1]):
            i = col_idx[e]
            if dense[i] >= 0:
                low, has_dense = max(low, gap[dense[i]]), True
                continue
            for f in range(row_ptr[i], row_ptr[i + 1]):
                c = colors[row_idx[f]]
                if c >= 0:
                    seen[c] = j
        c = 64 * low
        if not has_dense:
            while seen[c] == j:
                c += 1
        else:
            word = FULL
            while True:
                if c & 63 == 0:
                    word = np.uint64(0)
                    for e in range(col_ptr[j], col_ptr[j + 1]):
                        if dense[col_idx[e]] >= 0:
                            word |= sets[dense[col_idx[e]], c >> 6]
                    if word == FULL:
                        c += 64
                        continue
                if not (word >> np.uint64(c & 63)) & np.uint64(1) and seen[c] != j:
                    break
                c += 1
            for e in range(col_ptr[j], col_ptr[j + 1]):
                d = dense[col_idx[e]]
                if d >= 0:
                    sets[d, c >> 6] |= np.uint64(1) << np.uint64(c & 63)
                    while gap[d] < words and sets[d, gap[d]] == FULL:
                        gap[d] += 1
        colors[j] = c
    return colors


@compiled
def peeled(
    row_ptr: Ints,
    row_idx: Places,
    col_ptr: Ints,
    col_idx: Places,
    dense: Places,
    key: Ints,
    first: Ints,
) -> Ints:
    """The columns, each time the one of smallest key; those beside it lose one for every row.

    Dense rows change no key. Columns of equal keys stand in lists, the last that came in first.

    Args:
        key: ``[n]`` numbers >= 0 that no loss makes negative; changed in place.
        first: The columns; of equal keys at the start, the first of them is taken first.
    """
    n = len(col_ptr) - 1
    head = np.full(key.max() + 1 if n else 1, -1, np.int64)
    after, before = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for place in range(n - 1, -1, -1):
        j = first[place]
        after[j] = head[key[j]]
        if after[j] >= 0:
            before[after[j]] = j
        head[key[j]] = j
    order = np.empty(n, np.int64)
    low = 0
    for place in range(n):
        while head[low] < 0:
            low += 1
        j = head[low]
        order[place] = j
        head[low] = after[j]
        if after[j] >= 0:
            before[after[j]] = -1
        key[j] = -1
        for e in range(col_ptr[j], col_ptr[j + 1]):
            i = col_idx[e]
            if dense[i] >= 0:
                continue
            for f in range(row_ptr[i], row_ptr[i + 1]):
                u = row_idx[f]
                if key[u] < 0:
                    continue
                if before[u] >= 0:
                    after[before[u]] = after[u]
                else:
                    head[key[u]] = after[u]
                if after[u] >= 0:
                    before[after[u]] = before[u]
                key[u] -= 1
                low = min(low, key[u])
                before[u], after[u] = -1, head[key[u]]
                if after[u] >= 0:
                    before[after[u]] = u
                head[key[u]] = u
    return order
