"""Families without chance. χ is set wherever the construction proves it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np

from concolor.graph.core import Graph, IntArray
from concolor.graph.families.parts import limit, pairs, product, require, ring


def cycle(n: int) -> Graph:
    """``v ~ v + 1 mod n``; χ is 2 for even n, 3 for odd n."""
    name = f"cycle:{n}"
    require(n >= 3, name, "a cycle needs at least 3 nodes")
    limit(name, n, n)
    return Graph.from_edges(n, ring(n), name=name, chi=2 + n % 2)


def path(n: int) -> Graph:
    """``v ~ v + 1``; χ = 2."""
    name = f"path:{n}"
    require(n >= 1, name, "a path needs at least 1 node")
    limit(name, n, n)
    return Graph.from_edges(n, ring(n)[:-1], name=name, chi=min(n, 2))


def complete(n: int) -> Graph:
    """Every pair is an edge; χ = n."""
    name = f"complete:{n}"
    require(n >= 1, name, "at least 1 node is needed")
    limit(name, n, n * (n - 1) // 2)
    return _joined([1] * n, name)


def bipartite(a: int, b: int) -> Graph:
    """Complete bipartite: the first ``a`` nodes against the other ``b``; χ = 2."""
    return _joined([a, b], f"bipartite:{a}x{b}")


def multipartite(*parts: int) -> Graph:
    """Complete multipartite: an edge for every pair of nodes in different parts; χ = #parts."""
    return _joined(parts, "multipartite:" + "x".join(map(str, parts)))


def turan(n: int, r: int) -> Graph:
    """Complete ``r``-partite on ``n`` nodes, parts equal up to one, small ones first; χ = r."""
    name = f"turan:{n}x{r}"
    require(1 <= r <= n, name, "the number of parts must be 1..N")
    limit(name, n, n * n * (r - 1) // (2 * r))
    small, larger = divmod(n, r)
    return _joined([small] * (r - larger) + [small + 1] * larger, name)


def _joined(parts: Sequence[int], name: str) -> Graph:
    """Nodes part by part, each joined to all nodes of the later parts."""
    require(min(parts, default=0) >= 1, name, "every part needs at least 1 node")
    n = sum(parts)
    limit(name, n, (n * n - sum(part * part for part in parts)) // 2)
    ends = np.cumsum(parts)
    edges = [
        product(np.arange(end - part, end), np.arange(end, n))
        for part, end in zip(parts, ends, strict=True)
    ]
    return Graph.from_edges(n, np.concatenate(edges), name=name, chi=len(parts))


def wheel(n: int) -> Graph:
    """Hub 0 joined to the cycle ``1..n-1``, n nodes in total; χ is 3 for odd n, 4 for even n."""
    name = f"wheel:{n}"
    require(n >= 4, name, "a wheel needs at least 4 nodes")
    limit(name, n, 2 * n)
    rim = ring(n - 1) + 1
    spokes = product(np.zeros(1, np.int64), np.arange(1, n))
    return Graph.from_edges(n, np.r_[spokes, rim], name=name, chi=4 - n % 2)


def petersen() -> Graph:
    """Outer cycle ``0..4``, inner pentagram ``5..9``, five spokes; χ = 3."""
    v = np.arange(5)
    star = pairs(v + 5, (v + 2) % 5 + 5)
    return Graph.from_edges(10, np.r_[ring(5), pairs(v, v + 5), star], name="petersen", chi=3)


def icosahedral() -> Graph:
    """Pole 0, upper ring ``1..5``, lower ring ``6..10``, pole 11; χ = 4."""
    upper, lower = np.arange(1, 6), np.arange(6, 11)
    sides = np.r_[pairs(upper, lower), pairs(upper, np.roll(lower, 1))]
    poles = np.r_[pairs(np.zeros(5, np.int64), upper), pairs(lower, np.full(5, 11))]
    edges = np.r_[poles, ring(5) + 1, ring(5) + 6, sides]
    return Graph.from_edges(12, edges, name="icosahedral", chi=4)


def kneser(n: int, k: int) -> Graph:
    """The ``k``-subsets of ``0..n-1`` in lexicographic order, disjoint ones adjacent.

    χ = n - 2k + 2 for n >= 2k (Lovász 1978), and 1 below, where there are no edges.
    """
    name = f"kneser:{n}x{k}"
    require(1 <= k <= n <= 1000, name, "NxK with 1 <= K <= N <= 1000 is needed")
    nodes = math.comb(n, k)
    limit(name, nodes * k, nodes * math.comb(n - k, k) * k // 2)
    chi = max(n - 2 * k + 2, 1)
    if n < 2 * k:
        return Graph.from_edges(nodes, [], name=name, chi=chi)
    # every edge is a 2k-subset cut in two
    wholes, halves = _subsets(n, 2 * k), _subsets(2 * k, k)  # [C(n, 2k), 2k], [C(2k, k), k]
    halves = halves[: len(halves) // 2]  # the first ones hold the smallest element
    rests = np.ones((len(halves), 2 * k), bool)
    np.put_along_axis(rests, halves, False, axis=1)
    others = np.nonzero(rests)[1].reshape(halves.shape)
    u, v = (_rank(wholes[:, half].reshape(-1, k), n) for half in (halves, others))
    return Graph.from_edges(nodes, pairs(u, v), name=name, chi=chi)


def myciel(n: int) -> Graph:
    """``n - 1`` Mycielski steps from a single edge, numbered as the DIMACS files; χ = n + 1.

    A step takes nodes ``v`` to ``v``, copies ``v' ~ N(v)`` and one hub joined to all copies; no
    triangle ever appears. ``myciel:2`` is the 5-cycle.
    """
    name = f"myciel:{n}"
    require(n >= 1, name, "numbers start at 1, a single edge")
    limit(name, 3 * 2 ** min(n - 1, 64), 4 * 3 ** min(n - 1, 64))
    nodes, edges = 2, np.array([[0, 1]])
    for _ in range(n - 1):
        u, v = edges.T
        copies = np.arange(nodes, 2 * nodes)
        hub = np.full(nodes, 2 * nodes)
        edges = np.r_[edges, pairs(u, v + nodes), pairs(v, u + nodes), pairs(copies, hub)]
        nodes = 2 * nodes + 1
    return Graph.from_edges(nodes, edges, name=name, chi=n + 1)


def queen(rows: int, cols: int | None = None) -> Graph:
    """Squares of a board, row by row as in the DIMACS files; adjacent when a queen goes from one to
    the other. χ where it is known, see :func:`_queen_chi`."""
    cols = rows if cols is None else cols
    name = f"queen:{rows}x{cols}"
    require(min(rows, cols) >= 1, name, "the board needs at least 1 row and 1 column")
    limit(name, rows * cols, rows * cols * (rows + cols + 2 * min(rows, cols)) // 2)
    cell = np.arange(rows * cols).reshape(rows, cols)
    edges = [np.empty((0, 2), np.int64)]
    for step in range(1, max(rows, cols)):
        edges += [
            pairs(cell[:, :-step], cell[:, step:]),
            pairs(cell[:-step], cell[step:]),
            pairs(cell[:-step, :-step], cell[step:, step:]),
            pairs(cell[:-step, step:], cell[step:, :-step]),
        ]
    chi = _queen_chi(min(rows, cols), max(rows, cols))
    return Graph.from_edges(rows * cols, np.concatenate(edges), name=name, chi=chi)


def grid(rows: int, cols: int) -> Graph:
    """Squares of a board, row by row; adjacent when they share a side; χ = 2."""
    name = f"grid:{rows}x{cols}"
    require(min(rows, cols) >= 1, name, "the grid needs at least 1 row and 1 column")
    limit(name, rows * cols, 2 * rows * cols)
    cell = np.arange(rows * cols).reshape(rows, cols)
    edges = np.r_[pairs(cell[:, :-1], cell[:, 1:]), pairs(cell[:-1], cell[1:])]
    return Graph.from_edges(rows * cols, edges, name=name, chi=min(rows * cols, 2))


def torus(rows: int, cols: int) -> Graph:
    """A grid whose last row and column touch the first; χ is 2 where both are even, else 3."""
    name = f"torus:{rows}x{cols}"
    require(min(rows, cols) >= 3, name, "a torus needs at least 3 rows and 3 columns")
    limit(name, rows * cols, 2 * rows * cols)
    cell = np.arange(rows * cols).reshape(rows, cols)
    edges = np.r_[pairs(cell, np.roll(cell, -1, axis=1)), pairs(cell, np.roll(cell, -1, axis=0))]
    return Graph.from_edges(rows * cols, edges, name=name, chi=2 + max(rows % 2, cols % 2))


def hypercube(d: int) -> Graph:
    """The numbers below ``2^d``, adjacent when they differ in one bit; χ = 2."""
    name = f"hypercube:{d}"
    require(d >= 0, name, "the dimension must be 0 or more")
    n = 2 ** min(d, 64)
    limit(name, n, n * d // 2)
    v = np.arange(n)
    edges = [np.empty((0, 2), np.int64)]
    edges += [pairs(v, v ^ (1 << bit))[v & (1 << bit) == 0] for bit in range(d)]
    return Graph.from_edges(n, np.concatenate(edges), name=name, chi=min(n, 2))


def _subsets(n: int, k: int) -> IntArray:
    """All ``k``-subsets of ``0..n-1``, ascending, in lexicographic order: ``[C(n, k), k]``."""
    count = math.comb(n, k)
    flat = np.fromiter(chain.from_iterable(combinations(range(n), k)), np.int64, count * k)
    return flat.reshape(count, k)


def _rank(subsets: IntArray, n: int) -> IntArray:
    r"""Place of each ascending subset ``[s, k]`` in lexicographic order.

    .. math:: \binom{n}{k} - 1 - \sum_{i < k} \binom{n - 1 - c_i}{k - i}
    """
    k = subsets.shape[1]
    choose = np.array([[math.comb(a, b) for b in range(k + 1)] for a in range(n)])  # [n, k + 1]
    after = choose[n - 1 - subsets, k - np.arange(k)].sum(axis=1)
    rank: IntArray = math.comb(n, k) - 1 - after
    return rank


def _queen_chi(short: int, long: int) -> int | None:
    """χ of the queen graph of a ``short x long`` board, or None where it is open or uncertain.

    The long side is a clique and the board is part of the square one, so χ = ``long`` wherever the
    square needs no more; so for every n prime to 6, by the coloring ``col - 2 row mod n``.
    """
    # OEIS A088202 for n <= 26; 28 and 32 by Vasquez, "On the queen graph coloring problem" (2006)
    hard = {2: 4, 3: 5, 4: 5, 6: 7, 8: 9, 9: 10, 10: 11}
    attained = {12, 14, 15, 16, 18, 20, 21, 22, 24, 26, 28, 32}
    if short == 1 or long in attained or math.gcd(long, 6) == 1:
        return long
    return hard.get(long) if short == long else None
