"""DSATUR on large graphs, in linear time: nodes wait in lines, not in a heap.

A heap moves every node that changes past ``log n`` others, each a place in memory of its own. Here
it goes to the end of the line of those that are like it, and what is asked of a node lies side by
side. A file of its own beside :mod:`~concolor.solvers.kernels.greedy`: it does the same, but for
ties.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled, prefetch

Ints = NDArray[np.int64]
Small = NDArray[np.int32]

CLOSED = np.int64(1) << 32  # in the last column of a state: one closed color
FREE = CLOSED - 1  # ... and the bits that count neighbors without a color; -1 for a colored node
FIRST, LAST = 0, 1  # of a line
BEFORE, AFTER = 0, 1  # of a node in its line; below 0 the end of line -1 - l


@compiled
def saturation_in_lines(
    indptr: Ints,
    indices: Ints,
    scores: NDArray[np.float32],
    colors: Ints,
    state: Ints,
    lines: Small,
    links: Small,
    is_line: Ints,
) -> bool:
    """As :func:`~concolor.solvers.kernels.greedy.saturation`; of equal nodes the one that waits
    longest is next: ``O(n k + m)``, but for a scan of the degrees, 64 at a time.

    Nodes with s closed colors and d neighbors without a color wait in line ``s * width + d``. A
    neighbor less is noticed when a node is first in its line: then it goes to its right one. So
    only a color more moves a node while it waits.

    Args:
        scores: ``[n, k]``; ``[n, 0]`` for plain DSATUR.
        colors: ``[n]``, the preset ones or -1, filled in place.
        state: ``[n, w + 1]``; w words of closed colors, then ``CLOSED`` times their number plus the
            neighbors without a color.
        lines: ``[levels * width, 2]``, all -1: first and last node of every line.
        links: ``[n, 2]``; the nodes before and after in the line.
        is_line: ``[levels, words]`` zeros; bit d of level s will say that somebody waits there.

    Returns:
        Whether ``w`` was wide enough for all colors; nothing is of use where not.
    """
    (n, k), w = scores.shape, state.shape[1] - 1
    width, top, left = len(lines) // len(is_line), 0, 0
    for v in range(n):
        if colors[v] >= 0:
            state[v, w] = -1
            continue
        top, left = max(top, state[v, w] >> 32), left + 1
        join(lines, links, is_line, width, v, state[v, w])
    while left > 0:
        free = highest(is_line, top)
        if free < 0:
            top -= 1
            continue
        v = int(lines[top * width + free, FIRST])
        leave(lines, links, is_line, width, v)
        if state[v, w] & FREE != free:
            join(lines, links, is_line, width, v, state[v, w])
            continue
        for e in range(indptr[v], indptr[v + 1]):  # they are elsewhere in memory, each of them
            prefetch(state, indices[e])
            prefetch(links, indices[e])
        following = lines[top * width + free, FIRST]
        if following >= 0:
            prefetch(indptr, following)
            prefetch(state, following)
        c = chosen(scores, state, v, k, w)
        if c == 64 * w:
            return False
        colors[v], state[v, w] = c, -1
        left -= 1
        word, bit = c >> 6, np.int64(1) << (c & 63)
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if state[u, w] < 0:
                continue
            state[u, w] -= 1
            if not state[u, word] & bit:
                state[u, word] |= bit
                state[u, w] += CLOSED
                leave(lines, links, is_line, width, u)
                join(lines, links, is_line, width, u, state[u, w])
                top = max(top, state[u, w] >> 32)
    return True


@partial(compiled, inline=True)
def join(lines: Small, links: Small, is_line: Ints, width: int, v: int, key: int) -> None:
    """Put v at the end of the line that its key names."""
    closed, free = key >> 32, key & FREE
    line = closed * width + free
    last = lines[line, LAST]
    links[v, BEFORE], links[v, AFTER] = -1 - line, -1 - line
    if last >= 0:
        links[v, BEFORE], links[last, AFTER] = last, v
    else:
        lines[line, FIRST] = v
        is_line[closed, free >> 6] |= np.int64(1) << (free & 63)
    lines[line, LAST] = v


@partial(compiled, inline=True)
def leave(lines: Small, links: Small, is_line: Ints, width: int, v: int) -> None:
    """Take v out of its line."""
    before, after = links[v, BEFORE], links[v, AFTER]
    if before >= 0:
        links[before, AFTER] = after
    else:
        lines[-1 - before, FIRST] = max(after, -1)
    if after >= 0:
        links[after, BEFORE] = before
    else:
        lines[-1 - after, LAST] = max(before, -1)
    if before < 0 and after < 0:
        closed, free = (-1 - before) // width, (-1 - before) % width
        is_line[closed, free >> 6] &= ~(np.int64(1) << (free & 63))


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
def chosen(scores: NDArray[np.float32], state: Ints, v: int, k: int, w: int) -> int:
    """The free color that v scores highest of the first k, or the first free one beyond them."""
    best = -1
    for c in range(k):
        is_free = not (state[v, c >> 6] >> (c & 63)) & 1
        if is_free and (best < 0 or scores[v, c] > scores[v, best]):
            best = c
    if best < 0:
        best = k
        while best < 64 * w and (state[v, best >> 6] >> (best & 63)) & 1:
            best += 1
    return best


@compiled
def prepare(
    indptr: Ints, indices: Ints, colors: Ints, ban_ptr: Ints, bans: Ints, state: Ints
) -> None:
    """Fill ``state [n, w + 1]``, zeros, by what is preset and banned."""
    w = state.shape[1] - 1
    for v in range(len(colors)):
        for b in range(ban_ptr[v], ban_ptr[v + 1]):
            shut(state, v, bans[b], w)
        for e in range(indptr[v], indptr[v + 1]):
            c = colors[indices[e]]
            if c < 0:
                state[v, w] += 1
            else:
                shut(state, v, c, w)


@compiled
def shut(state: Ints, v: int, c: int, w: int) -> None:
    """Close color c to v and count it, once."""
    bit = np.int64(1) << (c & 63)
    if not state[v, c >> 6] & bit:
        state[v, c >> 6] |= bit
        state[v, w] += CLOSED
