"""The compiled loop of :mod:`concolor.encoders.recurrence`. Only what runs it imports this file."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Floats = NDArray[np.float32]


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
