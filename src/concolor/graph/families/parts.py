"""What the builders share: checks of what was asked, and lists of edges."""

from __future__ import annotations

import numpy as np

from concolor.errors import InputError
from concolor.graph.core import IntArray


def require(ok: bool, name: str, rule: str) -> None:
    if not ok:
        raise InputError(f"{name}: {rule}; write for example {_example(name)!r}")


def require_nodes_and_probability(name: str, n: int, p: float) -> None:
    require(n >= 1, name, "at least 1 node is needed")
    require(0 <= p <= 1, name, "the probability must be 0..1")
    limit(name, n, n * (n - 1) / 2 * p)


def limit(name: str, nodes: float, edges: float) -> None:
    """Refuse what would not fit, before anything is allocated."""
    most = 100_000_000  # building takes about 110 bytes an edge
    if max(nodes, edges) > most:
        raise InputError(
            f"{name} is too large: about {max(nodes, edges):.3g} nodes or edges, the limit is "
            f"{most:,}; ask for a smaller one, for example {_example(name)!r}"
        )


def _example(name: str) -> str:
    from concolor.graph.families import FAMILIES  # which imports the builders

    return FAMILIES[name.partition(":")[0]].example


def ring(n: int) -> IntArray:
    v = np.arange(n)
    return pairs(v, (v + 1) % n)


def pairs(u: IntArray, v: IntArray) -> IntArray:
    """Two arrays of one shape, element by element: ``[size, 2]``."""
    return np.stack([u.ravel(), v.ravel()], axis=1)


def product(u: IntArray, v: IntArray) -> IntArray:
    """Every element of ``u`` with every element of ``v``: ``[|u| |v|, 2]``."""
    return pairs(np.repeat(u, len(v)), np.tile(v, len(u)))


def distinct(edges: IntArray, n: int) -> IntArray:
    """The edges ``[m, 2]`` without loops, and each only once."""
    low, high = edges.min(axis=1), edges.max(axis=1)
    codes = np.unique((low * n + high)[low < high])
    return np.stack(np.divmod(codes, n), axis=1)
