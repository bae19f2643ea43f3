"""Numbers on edges: what a conflict costs, or how far apart two frequencies must be."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concolor.errors import InputError, pick

if TYPE_CHECKING:
    from concolor.graph.core import Graph

Numbers: TypeAlias = NDArray[np.float64]

MERGES: dict[str, np.ufunc] = {"sum": np.add, "max": np.maximum}  # what copies weigh together


def weigh(
    n: int,
    pairs: NDArray[np.int64],
    weights: ArrayLike,
    *,
    repeated: str = "sum",
    arcs: bool = False,
    names: Sequence[Hashable] | None = None,
    first: int = 0,
) -> Numbers:
    """The weights ``[m]`` of the edges that pairs ``[p, 2]`` of n nodes make, in their order.

    Args:
        weights: One for each pair, a finite number above 0; that of a loop does not count.
        repeated: Copies of an edge weigh the ``sum`` of all, or the ``max``.
        arcs: The two directions of an edge are no copies, and must weigh the same.
        names, first: How errors call the nodes.

    >>> weigh(3, np.array([[1, 2], [0, 1], [1, 0]]), [5, 1, 2], repeated="max").tolist()
    [2.0, 5.0]
    """
    merge = pick(MERGES, repeated, "way to count copies")
    given = _finite(weights, len(pairs))
    u, v = pairs.T
    keys = np.minimum(u, v) * n + np.maximum(u, v)  # ascending in the order of edges

    def refuse(key: int, what: str) -> InputError:
        ends = [str(names[v]) if names is not None else str(v + first) for v in divmod(key, n)]
        return InputError(f"the edge of {ends[0]} and {ends[1]} {what}")

    wrong = np.flatnonzero((u != v) & ~(np.isfinite(given) & (given > 0)))
    if len(wrong):
        raise refuse(
            int(keys[wrong[0]]),
            f"has weight {given[wrong[0]]:g}: weights are finite numbers above 0; leave out an "
            "edge that costs nothing",
        )
    ways = (u < v, u > v) if arcs else (u != v,)
    parts = [_merged(keys[way], given[way], merge) for way in ways]
    keys, values = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    found, place, which = np.unique(keys, return_index=True, return_inverse=True)
    uneven = np.flatnonzero(values != values[place][which])
    if len(uneven):
        one, other = values[place[which[uneven[0]]]], values[uneven[0]]
        raise refuse(
            int(found[which[uneven[0]]]),
            f"weighs {one:g} in one direction and {other:g} in the other: give both the same",
        )
    result: Numbers = values[place]
    result.setflags(write=False)
    return result


def _finite(weights: ArrayLike, count: int) -> Numbers:
    given = np.asarray(weights)
    if given.shape != (count,) or (given.size and given.dtype.kind not in "iuf"):
        raise InputError(
            f"weights must be one number for each of {count} edges, got {given.dtype} {given.shape}"
        )
    return given.astype(np.float64)


def _merged(
    keys: NDArray[np.int64], values: Numbers, merge: np.ufunc
) -> tuple[NDArray[np.int64], Numbers]:
    """Each key once, ascending, and what its copies weigh together."""
    order = np.argsort(keys, kind="stable")
    found, first = np.unique(keys[order], return_index=True)
    return found, merge.reduceat(values[order], first) if len(first) else values[order]


def matched(graph: Graph, other: Graph) -> Numbers:
    """The weights of another graph on the edges ``[m]`` of this one, nodes found by their texts."""
    known = {name: place for place, name in enumerate(other.node_names)}
    weights = other.weights if other.weights is not None else np.ones(other.m)
    heavy = dict(zip(map(tuple, other.edges.tolist()), weights.tolist(), strict=True))
    found, names = [], graph.node_names
    for u, v in graph.edges.tolist():
        a, b = sorted((known.get(names[u], -1), known.get(names[v], -1)))
        if (a, b) not in heavy:
            raise InputError(
                f"{other.name} has no weight for the edge of {names[u]} and {names[v]} in "
                f"{graph.name}"
            )
        found.append(heavy[a, b])
    return np.array(found)


def are_same(one: Numbers | None, other: Numbers | None) -> bool:
    """The same numbers, or none in both."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def plain(number: float) -> float:
    """A whole number as such, so that it is printed as one.

    >>> plain(3.0), plain(0.5)
    (3, 0.5)
    """
    return int(number) if number.is_integer() else number


def exact_sum(weights: Numbers) -> float:
    """The sum, rounded once; whole numbers, which add up without rounding, are added at once.

    >>> exact_sum(np.array([0.1] * 10)), exact_sum(np.array([2.0, 3.0]))
    (1.0, 5.0)
    """
    total = float(weights.sum())
    if total < 2.0**53 and (np.rint(weights) == weights).all():
        return total
    return math.fsum(weights)


def written(weights: Numbers) -> list[str]:
    """The shortest texts that are read back as these numbers."""
    return [str(plain(weight)) for weight in weights.tolist()]
