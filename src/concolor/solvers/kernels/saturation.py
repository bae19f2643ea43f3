"""DSATUR on large graphs, in linear time: nodes wait in lines, not in a heap.

A heap moves every node that changes past ``log n`` others, each a place in memory of its own. Here
it goes to the end of the line of those that are like it, and all that is asked of a node lies side
by side, in 16 bytes where 32 colors are enough. A file of its own beside
:mod:`~concolor.solvers.kernels.greedy`: it does the same, but for ties.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled, prefetch

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]

BITS = 32  # colors of a word
LINE, BEFORE, AFTER = 0, 1, 2  # what follows the words of a node; the line is -1 once it is colored
FIRST, LAST = 0, 1  # of a line


@compiled
def saturation_in_lines(
    indptr: Ints,
    indices: Ints,
    scores: NDArray[np.float32],
    nodes: Rows,
    lines: Rows,
    is_line: Ints,
    shift: int,
) -> bool:
    """As :func:`~concolor.solvers.kernels.greedy.saturation`; of equal nodes the one that waits
    longest is next: ``O(n k + m)``, but for a scan of the degrees, 64 at a time.

    Nodes with s closed colors and d neighbors without a color wait in line ``(s << shift) + d``. A
    neighbor less is noticed when a node is first in its line: then it goes to its right one. So
    only a color more moves a node while it waits.

    Args:
        scores: ``[n, k]``; ``[n, 0]`` for plain DSATUR.
        nodes: ``[n, w + 3]``; w words of closed colors, the line where a node belongs or -1 for
            those with a preset color, and those before and after it in the line where it waits. At
            the end the color is in the first word of all others, and every line is -1.
        lines: ``[levels << shift, 2]``, all -1: first and last node of every line.
        is_line: ``[levels, words]`` zeros; bit d of level s will say that somebody waits there.

    Returns:
        Whether ``w`` was wide enough for all colors; nothing is of use where not.
    """
    (n, k), w = scores.shape, nodes.shape[1] - 3
    top, left = 0, 0
    for v in range(n):
        line = nodes[v, w + LINE]
        if line >= 0:
            top, left = max(top, line >> shift), left + 1
            join(nodes, lines, is_line, shift, v, line, w)
    while left > 0:
        free = highest(is_line, top)
        if free < 0:
            top -= 1
            continue
        line = (top << shift) + free
        v = int(lines[line, FIRST])
        leave(nodes, lines, is_line, shift, v, w)
        if nodes[v, w + LINE] != line:
            join(nodes, lines, is_line, shift, v, nodes[v, w + LINE], w)
            continue
        for e in range(indptr[v], indptr[v + 1]):  # they are elsewhere in memory, each of them
            prefetch(nodes, indices[e])
        following = lines[line, FIRST]
        if following >= 0:
            prefetch(indices, indptr[following])
            prefetch(nodes, following)
        c = chosen(scores, nodes, v, k, w)
        if c == BITS * w:
            return False
        nodes[v, 0], nodes[v, w + LINE] = c, -1
        left -= 1
        word, bit = c // BITS, np.int32(1) << np.int32(c % BITS)
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if nodes[u, w + LINE] < 0:
                continue
            nodes[u, w + LINE] -= 1
            if not nodes[u, word] & bit:
                nodes[u, word] |= bit
                nodes[u, w + LINE] += 1 << shift
                leave(nodes, lines, is_line, shift, u, w)
                join(nodes, lines, is_line, shift, u, nodes[u, w + LINE], w)
                top = max(top, nodes[u, w + LINE] >> shift)
    return True


@partial(compiled, inline=True)
def join(nodes: Rows, lines: Rows, is_line: Ints, shift: int, v: int, line: int, w: int) -> None:
    """Put v at the end of a line; beside nobody is ``-1 - line``."""
    last = lines[line, LAST]
    nodes[v, w + BEFORE], nodes[v, w + AFTER] = -1 - line, -1 - line
    if last >= 0:
        nodes[v, w + BEFORE], nodes[last, w + AFTER] = last, v
    else:
        lines[line, FIRST] = v
        free = line & ((1 << shift) - 1)
        is_line[line >> shift, free >> 6] |= np.int64(1) << (free & 63)
    lines[line, LAST] = v


@partial(compiled, inline=True)
def leave(nodes: Rows, lines: Rows, is_line: Ints, shift: int, v: int, w: int) -> None:
    """Take v out of its line."""
    before, after = nodes[v, w + BEFORE], nodes[v, w + AFTER]
    if before >= 0:
        nodes[before, w + AFTER] = after
    else:
        lines[-1 - before, FIRST] = max(after, -1)
    if after >= 0:
        nodes[after, w + BEFORE] = before
    else:
        lines[-1 - after, LAST] = max(before, -1)
    if before < 0 and after < 0:
        free = (-1 - before) & ((1 << shift) - 1)
        is_line[(-1 - before) >> shift, free >> 6] &= ~(np.int64(1) << (free & 63))


@partial(compiled, inline=True)
def highest(is_line: Ints, level: int) -> int:
    """The highest bit of a level that is set, -1 where there is none."""
    i = is_line.shape[1] - 1
    while i >= 0 and is_line[level, i] == 0:
        i -= 1
    bit = 63 if i >= 0 else -1
    while bit > 0 and not (is_line[level, i] >> bit) & 1:
        bit -= 1
    return 64 * i + bit if i >= 0 else -1


@partial(compiled, inline=True)
def chosen(scores: NDArray[np.float32], nodes: Rows, v: int, k: int, w: int) -> int:
    """The free color that v scores highest of the first k, or the first free one beyond them."""
    best = -1
    for c in range(k):
        is_free = not (nodes[v, c // BITS] >> (c % BITS)) & 1
        if is_free and (best < 0 or scores[v, c] > scores[v, best]):
            best = c
    if best < 0:
        best = k
        while best < BITS * w and (nodes[v, best // BITS] >> (best % BITS)) & 1:
            best += 1
    return best


@compiled
def prepare(
    indptr: Ints, indices: Ints, colors: Ints, ban_ptr: Ints, bans: Ints, nodes: Rows, shift: int
) -> None:
    """Fill ``nodes [n, w + 3]``, zeros, by what is preset and banned."""
    w = nodes.shape[1] - 3
    for v in range(len(colors)):
        for b in range(ban_ptr[v], ban_ptr[v + 1]):
            shut(nodes, v, bans[b], w, shift)
        for e in range(indptr[v], indptr[v + 1]):
            c = colors[indices[e]]
            if c < 0:
                nodes[v, w + LINE] += 1
            else:
                shut(nodes, v, c, w, shift)
        if colors[v] >= 0:
            nodes[v, w + LINE] = -1


@partial(compiled, inline=True)
def shut(nodes: Rows, v: int, c: int, w: int, shift: int) -> None:
    """Close color c to v and count it, once."""
    bit = np.int32(1) << np.int32(c % BITS)
    if not nodes[v, c // BITS] & bit:
        nodes[v, c // BITS] |= bit
        nodes[v, w + LINE] += 1 << shift
