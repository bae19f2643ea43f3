"""Families drawn by a seed; the same seed gives the same graph."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray
from concolor.graph.families.fixed import grid
from concolor.graph.families.parts import (
    distinct,
    limit,
    pairs,
    require,
    require_nodes_and_probability,
)


def er(n: int, p: float, *, seed: int = 0) -> Graph:
    """Erdős-Rényi: every pair is an edge with probability ``p``, in time of the edges it gets."""
    name = f"er:{n}x{p:.12g}"
    require_nodes_and_probability(name, n, p)
    return Graph.from_edges(n, _random_pairs(n, p, _generator(seed)), name=name)


def er_pieces(n: int, p: float, *, seed: int = 0) -> tuple[int, str, Iterator[IntArray]]:
    """Nodes, name, and the same edges in pieces ``[c, 2]``, for more than memory holds."""
    name = f"er:{n}x{p:.12g}"
    require(n >= 1, name, "at least 1 node is needed")
    require(0 <= p <= 1, name, "the probability must be 0..1")
    return n, name, random_pieces(n, p, _generator(seed))


def planted(n: int, k: int, p: float, *, seed: int = 0) -> Graph:
    """Hidden coloring: ``k`` balanced random classes, every pair across them an edge with ``p``.

    So χ <= k, and χ itself is not known.
    """
    name = f"planted:{n}x{k}x{p:.12g}"
    require_nodes_and_probability(name, n, p)
    require(1 <= k <= n, name, "the number of classes must be 1..N")
    rng = _generator(seed)
    classes = rng.permutation(n) % k
    edges = _random_pairs(n, p, rng)
    across = classes[edges[:, 0]] != classes[edges[:, 1]]
    return Graph.from_edges(n, edges[across], name=name)


def geometric(n: int, radius: float, *, seed: int = 0) -> Graph:
    """Uniform points in the unit square, adjacent when at most ``radius`` apart."""
    from scipy.spatial import cKDTree

    name = f"geometric:{n}x{radius:.12g}"
    require(n >= 1, name, "at least 1 node is needed")
    require(0 <= radius <= 2, name, "the radius must be 0..2, the points lie in the unit square")
    limit(name, n, n * (n - 1) / 2 * min(math.pi * radius**2, 1))
    points = _generator(seed).random((n, 2))
    return Graph.from_edges(
        n, cKDTree(points).query_pairs(radius, output_type="ndarray"), name=name
    )


def chords(rows: int, cols: int, m: int, *, seed: int = 0) -> Graph:
    """A grid with ``m`` more edges, its chords, between squares that chance draws."""
    name = f"chords:{rows}x{cols}x{m}"
    require(min(rows, cols, m + 1) >= 1, name, "ROWSxCOLSxM with at least 1 row and 1 column")
    n, sides = rows * cols, 2 * rows * cols - rows - cols
    limit(name, n, sides + m)
    require(2 * m <= n * (n - 1) // 2 - sides, name, "M at most half of the pairs that are free")
    rng, base = _generator(seed), grid(rows, cols).edges
    known, free = np.sort(base[:, 0] * n + base[:, 1]), np.empty(0, np.int64)
    while len(free) < m:
        u, v = rng.integers(n, size=(2, m + m // 8 + 16))
        codes = (np.minimum(u, v) * n + np.maximum(u, v))[u != v]
        free = np.unique(np.concatenate([free, codes]))
        place = np.searchsorted(known, free).clip(max=len(known) - 1)
        free = free[known[place] != free] if len(known) else free
    chosen = rng.choice(free, m, replace=False)
    return Graph.from_edges(n, np.r_[base, np.stack(np.divmod(chosen, n), axis=1)], name=name)


def barabasi(n: int, m: int, *, seed: int = 0) -> Graph:
    """Barabási-Albert: nodes come one by one and join ``m`` old ones, chosen by their degree."""
    import rustworkx as rx

    name = f"barabasi:{n}x{m}"
    require(1 <= m < n, name, "NxM with 1 <= M < N is needed")
    limit(name, n, n * m)
    grown = rx.barabasi_albert_graph(n, m, seed=_draw(seed))
    return Graph.from_edges(n, np.array(grown.edge_list()), name=name)


def watts(n: int, k: int, p: float, *, seed: int = 0) -> Graph:
    """Watts-Strogatz: a ring with the ``k`` nearest as neighbors, each edge rewired with ``p``."""
    import networkx as nx

    name = f"watts:{n}x{k}x{p:.12g}"
    require(2 <= k < n and k % 2 == 0, name, "NxKxP with an even K, 2 <= K < N, is needed")
    require(0 <= p <= 1, name, "the probability must be 0..1")
    limit(name, n, n * k // 2)
    rewired = nx.watts_strogatz_graph(n, k, p, seed=_draw(seed))
    return Graph.from_edges(n, np.array(rewired.edges), name=name)


def regular(n: int, d: int, *, seed: int = 0) -> Graph:
    """Random graph in which every node has ``d`` neighbors."""
    import networkx as nx

    name = f"regular:{n}x{d}"
    require(0 <= d < n and n * d % 2 == 0, name, "NxD with 0 <= D < N and an even N D is needed")
    limit(name, n, n * d // 2)
    drawn = nx.random_regular_graph(d, n, seed=_draw(seed))
    return Graph.from_edges(n, np.array(drawn.edges, np.int64).reshape(-1, 2), name=name)


def exam(courses: int, students: int, *, seed: int = 0) -> Graph:
    """Exam timetable: two courses are adjacent when some student takes both.

    Courses come in programs of about ten. A student is in one of them and takes two to five
    courses, four of five from the own program and the others from anywhere.
    """
    name = f"exam:{courses}x{students}"
    require(courses >= 1 and students >= 0, name, "at least 1 course is needed")
    limit(name, courses, 10 * students)
    rng = _generator(seed)
    programs = max(courses // 10, 1)
    own = rng.integers(programs, size=(students, 1))  # courses c with c % programs = own
    inside = own + programs * rng.integers((courses - 1 - own) // programs + 1, size=(students, 5))
    taken = np.where(
        rng.random((students, 5)) < 0.8, inside, rng.integers(courses, size=(students, 5))
    )
    few = rng.integers(2, 6, size=students)
    edges = [taken[few > b][:, [a, b]] for a, b in combinations(range(5), 2)]
    return Graph.from_edges(courses, distinct(np.concatenate(edges), courses), name=name)


def clubs(n: int, m: int, *, seed: int = 0) -> Graph:
    """People and clubs: ``m`` clubs of ``n`` people, adjacent when they are in one of them.

    Many clubs have two or three members, few have fifty, and some people are in many: both sizes
    fall by a power law, as in networks of authors, so the graph is sparse and full of cliques.
    """
    name = f"clubs:{n}x{m}"
    require(n >= 2 and m >= 0, name, "at least 2 people are needed")
    limit(name, n, 12 * m)
    rng = _generator(seed)
    sizes = np.minimum(2 + rng.pareto(1.8, m), min(50, n)).astype(np.int64)
    members = (n * rng.random(sizes.sum()) ** 2).astype(np.int64)
    begin, edges = np.cumsum(sizes) - sizes, [np.empty((0, 2), np.int64)]
    for size in np.unique(sizes).tolist():
        people = members[begin[sizes == size][:, None] + np.arange(size)]  # [clubs, size]
        i, j = np.triu_indices(size, 1)
        edges.append(pairs(people[:, i], people[:, j]))
    return Graph.from_edges(n, distinct(np.concatenate(edges), n), name=name)


def interval(n: int, load: float, *, seed: int = 0) -> Graph:
    """Live ranges, as in register allocation: ``n`` intervals, adjacent when they overlap.

    They begin uniformly in [0, 1) and are exponentially long, so that about ``load`` are alive at
    a time. Interval graphs are perfect: χ is the largest number that are, found by a sweep.
    """
    name = f"interval:{n}x{load:.12g}"
    require(n >= 1, name, "at least 1 interval is needed")
    require(0 <= load <= n, name, "the load must be 0..N")
    limit(name, n, n * load)
    rng = _generator(seed)
    begin = rng.random(n)
    end = begin + rng.exponential(load / n, n)
    order = np.argsort(begin)
    before = np.searchsorted(begin[order], end[order])  # how many begin before each of them ends
    later = np.maximum(before - np.arange(n) - 1, 0)  # of which so many begin later than itself
    first = np.repeat(np.arange(n), later)
    step = np.arange(later.sum()) - np.repeat(np.cumsum(later) - later, later)
    alive = np.arange(1, n + 1) - np.searchsorted(np.sort(end), begin[order], side="right")
    edges = pairs(order[first], order[first + 1 + step])
    return Graph.from_edges(n, edges, name=name, chi=max(int(alive.max()), 1))


def _generator(seed: int) -> np.random.Generator:
    if seed < 0:
        raise InputError(f"the seed must be a whole number >= 0, got {seed}")
    return np.random.default_rng(seed)


def _draw(seed: int) -> int:
    """A seed for generators of other libraries, which want it below ``2^32``."""
    return int(_generator(seed).integers(2**32))


def _random_pairs(n: int, p: float, rng: np.random.Generator) -> IntArray:
    """Each pair ``u < v`` with probability ``p``: ``[m, 2]``."""
    return np.concatenate([np.empty((0, 2), np.int64), *random_pieces(n, p, rng)])


def random_pieces(
    n: int, p: float, rng: np.random.Generator, size: int = 1 << 22
) -> Iterator[IntArray]:
    """The same in pieces of at most ``size`` pairs; how large they are changes nothing.

    The gaps between chosen pairs are geometric, so we skip from one to the next in time ``O(m)``.
    """
    total, place = n * (n - 1) // 2, -1
    while p > 0 and total and place < total:
        gaps = np.minimum(rng.geometric(p, size=_drawn(total - place, p, size)), total + 1)
        places = place + np.cumsum(gaps)
        place = int(places[-1])
        yield _pair_of(places[places < total])


def _drawn(left: int, p: float, size: int) -> int:
    """Gaps to draw at once: nearly always enough for what is left, if that is few."""
    expected = left * p
    return min(int(expected + 4 * math.sqrt(expected)) + 4, size)


def _pair_of(index: IntArray) -> IntArray:
    """The pair ``u < v`` at ``index = v(v-1)/2 + u``: ``[m] -> [m, 2]``."""
    v = ((1 + np.sqrt(1 + 8.0 * index)) / 2).astype(np.int64)
    v -= v * (v - 1) // 2 > index  # beyond 2^53 the root may round up to the next whole number
    return pairs(index - v * (v - 1) // 2, v)
