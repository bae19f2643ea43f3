"""The compiled loop of :mod:`concolor.solvers.belief`, which imports it on first use."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Floats = NDArray[np.float32]

FLOOR = 1e-3  # what a neighbor's certainty leaves of a color: none is ever ruled out for good
AT_ONCE = 16  # factors between two scalings: FLOOR^16 is far from what a double can hold


@partial(compiled, fastmath=["reassoc", "contract", "arcp", "nsz"])
def pass_messages(
    indptr: NDArray[np.int64],
    twin: NDArray[np.int32],
    messages: Floats,
    beliefs: Floats,
    order: NDArray[np.int64],
    pull: float,
) -> float:
    r"""Every node in that order hears its neighbors and tells them, once; the mean change.

    With :math:`\psi_{u \to v}(c)` in ``messages [2m, k]`` at the arc from u to v,

    .. math::
        b_v(c) \propto b_v(c)^{\text{pull}} \prod_{u \in N(v)} (1 - \psi_{u \to v}(c)), \qquad
        \psi_{v \to u}(c) \propto b_v(c) / (1 - \psi_{u \to v}(c))

    where no factor is below ``FLOOR``, and ``twin [2m]`` says where the arc back stands.
    ``beliefs [n, k]`` and ``messages`` change in place.
    """
    k = messages.shape[1]
    product = np.empty(k, np.float64)
    change = 0.0
    for v in order:
        first, last = indptr[v], indptr[v + 1]
        for c in range(k):
            product[c] = beliefs[v, c] ** pull if pull > 0 else 1.0
        for e in range(first, last):
            heard = messages[twin[e]]
            for c in range(k):
                product[c] *= max(1.0 - heard[c], FLOOR)
            if (e - first) % AT_ONCE == AT_ONCE - 1:
                product /= product.max()
        product /= product.sum()
        for c in range(k):
            change += abs(product[c] - beliefs[v, c])
            beliefs[v, c] = product[c]
        for e in range(first, last):
            heard, told = messages[twin[e]], messages[e]
            total = 0.0
            for c in range(k):
                share = product[c] / max(1.0 - heard[c], FLOOR)
                told[c] = share
                total += share
            for c in range(k):
                told[c] /= total
    return change / max(len(order), 1)
