"""The compiled loops of :mod:`concolor.encoders.recurrence`, :mod:`concolor.encoders.light`, and of
:mod:`concolor.encoders.light_rnn` while it learns.

Only what runs them imports this file.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled, prefetch

Floats = NDArray[np.float32]
ROWS = 128  # nodes that are mapped at a time: they stay in the cache, and one thread maps them
FAR = 1 << 20  # numbers that nodes tell, from which on they are not in the cache: 4 MiB
AHEAD = 8  # nodes whose neighbors are then fetched before they are needed
LINE = 16  # numbers in a line of the cache


@partial(compiled, fastmath=["reassoc", "contract", "arcp", "nsz"])
def gated_update(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    maps: Floats,
    h: Floats,
    scale: Floats,
    shift: Floats,
    first: int,
    last: int,
) -> None:
    r"""The new ``h`` of the nodes ``first .. last - 1``, in place.

    With the four maps :math:`o, B, s, A` of every node side by side in ``maps [n, 4c]``, where
    :math:`A = e^{-W_s h}` and :math:`B = e^{-W_t h}`,

    .. math::
        t_v = o_v + \frac{1}{\max(1, \deg v)} \sum_{u \in N(v)} \frac{s_u}{1 + A_u B_v}, \qquad
        h_v \leftarrow \mathrm{LayerNorm}(h_v + \mathrm{ReLU}(t_v))

    """
    c = h.shape[1]
    seen = np.empty(c, np.float32)
    for v in range(first, last):
        seen[:] = 0
        own, gate = maps[v, :c], maps[v, c : 2 * c]
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            sent, open_ = maps[u, 2 * c : 3 * c], maps[u, 3 * c :]
            for j in range(c):
                seen[j] += sent[j] / (np.float32(1) + open_[j] * gate[j])
        share = np.float32(1) / np.float32(max(1, indptr[v + 1] - indptr[v]))
        row = h[v]
        mean = np.float32(0)
        for j in range(c):
            row[j] += max(own[j] + share * seen[j], np.float32(0))
            mean += row[j]
        mean /= np.float32(c)
        spread = np.float32(0)
        for j in range(c):
            row[j] -= mean
            spread += row[j] * row[j]
        unit = np.float32(1) / np.sqrt(spread / np.float32(c) + np.float32(1e-5))
        for j in range(c):
            row[j] = row[j] * unit * scale[j] + shift[j]


@compiled
def light_told(
    h: Floats, told: Floats, tell: Floats, offset: Floats, first: int, last: int
) -> None:
    """What the nodes ``first .. last - 1`` tell: ``told = h tell + offset``, ``[n, c]``."""
    for a in range(first, last, ROWS):
        rows = told[a : min(a + ROWS, last)]
        np.dot(h[a : min(a + ROWS, last)], tell, rows)
        rows += offset


@partial(compiled, fastmath=["reassoc", "contract", "arcp", "nsz"])
def light_update(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    told: Floats,
    h: Floats,
    keep: Floats,
    offset: Floats,
    weights: Floats,
    scale: Floats,
    shift: Floats,
    first: int,
    last: int,
) -> None:
    r"""The new ``h`` of the nodes ``first .. last - 1``, in place.

    With what every node tells, ``told s [n + 1, c]``, and ``weights`` a, b,

    .. math::
        t_v = W_0 h_v + \frac{1}{\max(1, \deg v)}
            \sum_{u \in N(v)} (a \langle s_u, s_v \rangle + b)\, s_u, \qquad
        h_v \leftarrow \mathrm{LayerNorm}(h_v + \mathrm{ReLU}(t_v))

    The last row of ``told`` is 0: it stands in for the neighbors that are missing to a multiple of
    four. Unsigned ``indices`` are never counted from the end, which costs time to find out.
    """
    c, zero, one = h.shape[1], np.float32(0), np.float32(1)
    alike, plain, none = weights[0], weights[1], np.uint32(len(told) - 1)
    mapped, seen = np.empty((ROWS, c), np.float32), np.empty(c, np.float32)
    numbers, is_far = told.reshape(-1), told.size > FAR
    for a in range(first, last, ROWS):
        b = min(a + ROWS, last)
        np.dot(h[a:b], keep, mapped[: b - a])
        for v in range(a, b):
            if is_far and v + AHEAD < last:
                for u in indices[indptr[v + AHEAD] : indptr[v + AHEAD + 1]]:
                    for j in range(0, c, LINE):
                        prefetch(numbers, u * c + j)
            mine, near = told[v], indices[indptr[v] : indptr[v + 1]]
            d = len(near)
            seen[:] = 0
            for e in range(0, d, 4):  # four at a time, to keep the processor busy
                p, q = told[near[e]], told[near[e + 1] if e + 1 < d else none]
                r = told[near[e + 2] if e + 2 < d else none]
                s = told[near[e + 3] if e + 3 < d else none]
                w, x, y, z = zero, zero, zero, zero
                for j in range(c):
                    w += p[j] * mine[j]
                    x += q[j] * mine[j]
                    y += r[j] * mine[j]
                    z += s[j] * mine[j]
                w, x = alike * w + plain, alike * x + plain
                y, z = alike * y + plain, alike * z + plain
                for j in range(c):
                    seen[j] += w * p[j] + x * q[j] + y * r[j] + z * s[j]
            share, mean, square = one / np.float32(max(1, d)), zero, zero
            for j in range(c):
                seen[j] = h[v, j] + max(mapped[v - a, j] + offset[j] + share * seen[j], zero)
                mean += seen[j]
                square += seen[j] * seen[j]
            mean /= np.float32(c)
            spread = max(square / np.float32(c) - mean * mean, zero)
            unit = one / np.sqrt(spread + np.float32(1e-5))
            for j in range(c):
                h[v, j] = (seen[j] - mean) * unit * scale[j] + shift[j]


@compiled
def light_embed(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    starts: NDArray[np.int64],
    h: Floats,
    tell: Floats,
    tell_offset: Floats,
    keep: Floats,
    keep_offset: Floats,
    weights: Floats,
    scale: Floats,
    shift: Floats,
    steps: int,
) -> None:
    """All steps of several graphs side by side, one graph after the other, in place.

    Graph i has the nodes ``starts[i] .. starts[i + 1] - 1``.
    """
    told = np.zeros((len(h) + 1, h.shape[1]), np.float32)
    for i in range(len(starts) - 1):
        a, b = starts[i], starts[i + 1]
        for _ in range(steps):
            light_told(h, told, tell, tell_offset, a, b)
            light_update(indptr, indices, told, h, keep, keep_offset, weights, scale, shift, a, b)


@partial(compiled, fastmath=["reassoc", "contract", "arcp", "nsz"])
def alike_seen(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int64],
    told: Floats,
    weights: Floats,
    seen: Floats,
) -> None:
    r"""Messages weighted by likeness, ``told s [n, c]`` and ``weights`` a, b to ``seen y [n, c]``.

    .. math::
        y_v = \frac{1}{\max(1, \deg v)} \sum_{u \in N(v)} (a \langle s_u, s_v \rangle + b)\, s_u
    """
    n, c = told.shape
    for v in range(n):
        mine, row, near = told[v], seen[v], indices[indptr[v] : indptr[v + 1]]
        row[:] = 0
        for u in near:
            sent, like = told[u], np.float32(0)
            for j in range(c):
                like += sent[j] * mine[j]
            weight = weights[0] * like + weights[1]
            for j in range(c):
                row[j] += weight * sent[j]
        share = np.float32(1) / np.float32(max(1, len(near)))
        for j in range(c):
            row[j] *= share


@partial(compiled, fastmath=["reassoc", "contract", "arcp", "nsz"])
def alike_slopes(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int64],
    told: Floats,
    weights: Floats,
    slope: Floats,
    told_slope: Floats,
    weights_slope: NDArray[np.float64],
) -> None:
    r"""The way back through :func:`alike_seen`: from ``slope [n, c]`` of y to those of s, a and b.

    With :math:`g_v` the slope of :math:`y_v` over :math:`\max(1, \deg v)`, and since every edge has
    both directions,

    .. math::
        \bar s_v = \sum_{u \in N(v)} (a \langle s_u, s_v \rangle + b)\, g_u
            + a (\langle g_u, s_v \rangle + \langle g_v, s_u \rangle)\, s_u, \qquad
        \bar a = \sum_{v, u} \langle s_u, s_v \rangle \langle g_v, s_u \rangle, \quad
        \bar b = \sum_{v, u} \langle g_v, s_u \rangle
    """
    n, c = told.shape
    shared = np.empty_like(slope)
    for v in range(n):
        shared[v] = slope[v] / np.float32(max(1, indptr[v + 1] - indptr[v]))
    for v in range(n):
        mine, own, row = told[v], shared[v], told_slope[v]
        row[:] = 0
        for u in indices[indptr[v] : indptr[v + 1]]:
            sent, theirs = told[u], shared[u]
            like, back, forth = np.float32(0), np.float32(0), np.float32(0)
            for j in range(c):
                like += sent[j] * mine[j]
                back += theirs[j] * mine[j]
                forth += own[j] * sent[j]
            weight, turn = weights[0] * like + weights[1], weights[0] * (back + forth)
            for j in range(c):
                row[j] += weight * theirs[j] + turn * sent[j]
            weights_slope[0] += like * forth
            weights_slope[1] += forth
