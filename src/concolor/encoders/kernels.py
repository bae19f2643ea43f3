"""The compiled loops of :mod:`concolor.encoders.recurrence` and :mod:`concolor.encoders.light`.

Only what runs them imports this file.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Floats = NDArray[np.float32]
ROWS = 128  # nodes that are mapped at a time: they stay in the cache, and one thread maps them


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
    for a in range(first, last, ROWS):
        b = min(a + ROWS, last)
        np.dot(h[a:b], keep, mapped[: b - a])
        for v in range(a, b):
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
