"""Graphs by name: ``family("queen:8x12")``; one builder a family, the table at the bottom.

The chromatic number is set wherever the construction proves it. Random families take a seed, and
the same seed gives the same graph.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, repeat

import numpy as np

from concolor.errors import InputError, pick
from concolor.graph.core import Graph, IntArray

MAX_SIZE = 100_000_000  # nodes or edges; building takes about 110 bytes an edge


@dataclass(frozen=True)
class Family:
    """An entry of :data:`FAMILIES`: how to build it, how to write it, what it is."""

    build: Callable[..., Graph]
    example: str
    doc: str


def family(spec: str, *, seed: int = 0) -> Graph:
    """The graph that ``spec`` names: ``"name:arg"``, numbers separated by ``x``, ``:`` or ``,``.

    >>> family("queen:8x12"), family("queen:8").name, family("wheel:12").chi
    (Graph('queen:8x12', n=96, m=1368), 'queen:8x8', 4)
    """
    name, _, rest = spec.strip().lower().partition(":")
    entry = pick(FAMILIES, name, "family")
    signature = inspect.signature(entry.build, eval_str=True)
    kinds = [float if p.annotation is float else int for p in signature.parameters.values()]
    texts = re.split("[x,:]", rest) if rest else []
    try:
        numbers = list(map(_number, texts, chain(kinds, repeat(int))))
        signature.bind(*numbers)
    except (ValueError, TypeError) as error:
        count = f"{len(texts)} numbers do not fit {name!r}"
        problem = error if isinstance(error, ValueError) else count
        raise InputError(f"{spec!r}: {problem}; write for example {entry.example!r}") from None
    seeded = {"seed": seed} if "seed" in signature.parameters else {}
    return entry.build(*numbers, **seeded)


def cycle(n: int) -> Graph:
    """``v ~ v + 1 mod n``; χ is 2 for even n, 3 for odd n."""
    name = f"cycle:{n}"
    _require(n >= 3, name, "a cycle needs at least 3 nodes")
    _limit(name, n, n)
    return Graph.from_edges(n, _ring(n), name=name, chi=2 + n % 2)


def path(n: int) -> Graph:
    """``v ~ v + 1``; χ = 2."""
    name = f"path:{n}"
    _require(n >= 1, name, "a path needs at least 1 node")
    _limit(name, n, n)
    return Graph.from_edges(n, _ring(n)[:-1], name=name, chi=min(n, 2))


def complete(n: int) -> Graph:
    """Every pair is an edge; χ = n."""
    name = f"complete:{n}"
    _require(n >= 1, name, "at least 1 node is needed")
    _limit(name, n, n * (n - 1) // 2)
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
    _require(1 <= r <= n, name, "the number of parts must be 1..N")
    _limit(name, n, n * n * (r - 1) // (2 * r))
    small, larger = divmod(n, r)
    return _joined([small] * (r - larger) + [small + 1] * larger, name)


def _joined(parts: Sequence[int], name: str) -> Graph:
    """Nodes part by part, each joined to all nodes of the later parts."""
    _require(min(parts, default=0) >= 1, name, "every part needs at least 1 node")
    n = sum(parts)
    _limit(name, n, (n * n - sum(part * part for part in parts)) // 2)
    ends = np.cumsum(parts)
    edges = [
        _product(np.arange(end - part, end), np.arange(end, n))
        for part, end in zip(parts, ends, strict=True)
    ]
    return Graph.from_edges(n, np.concatenate(edges), name=name, chi=len(parts))


def wheel(n: int) -> Graph:
    """Hub 0 joined to the cycle ``1..n-1``, n nodes in total; χ is 3 for odd n, 4 for even n."""
    name = f"wheel:{n}"
    _require(n >= 4, name, "a wheel needs at least 4 nodes")
    _limit(name, n, 2 * n)
    rim = _ring(n - 1) + 1
    spokes = _product(np.zeros(1, np.int64), np.arange(1, n))
    return Graph.from_edges(n, np.r_[spokes, rim], name=name, chi=4 - n % 2)


def petersen() -> Graph:
    """Outer cycle ``0..4``, inner pentagram ``5..9``, five spokes; χ = 3."""
    v = np.arange(5)
    star = _pairs(v + 5, (v + 2) % 5 + 5)
    return Graph.from_edges(10, np.r_[_ring(5), _pairs(v, v + 5), star], name="petersen", chi=3)


def icosahedral() -> Graph:
    """Pole 0, upper ring ``1..5``, lower ring ``6..10``, pole 11; χ = 4."""
    upper, lower = np.arange(1, 6), np.arange(6, 11)
    sides = np.r_[_pairs(upper, lower), _pairs(upper, np.roll(lower, 1))]
    poles = np.r_[_pairs(np.zeros(5, np.int64), upper), _pairs(lower, np.full(5, 11))]
    edges = np.r_[poles, _ring(5) + 1, _ring(5) + 6, sides]
    return Graph.from_edges(12, edges, name="icosahedral", chi=4)


def kneser(n: int, k: int) -> Graph:
    """The ``k``-subsets of ``0..n-1`` in lexicographic order, disjoint ones adjacent.

    χ = n - 2k + 2 for n >= 2k (Lovász 1978), and 1 below, where there are no edges.
    """
    name = f"kneser:{n}x{k}"
    _require(1 <= k <= n <= 1000, name, "NxK with 1 <= K <= N <= 1000 is needed")
    nodes = math.comb(n, k)
    _limit(name, nodes * k, nodes * math.comb(n - k, k) * k // 2)
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
    return Graph.from_edges(nodes, _pairs(u, v), name=name, chi=chi)


def myciel(n: int) -> Graph:
    """``n - 1`` Mycielski steps from a single edge, numbered as the DIMACS files; χ = n + 1.

    A step takes nodes ``v`` to ``v``, copies ``v' ~ N(v)`` and one hub joined to all copies; no
    triangle ever appears. ``myciel:2`` is the 5-cycle.
    """
    name = f"myciel:{n}"
    _require(n >= 1, name, "numbers start at 1, a single edge")
    _limit(name, 3 * 2 ** min(n - 1, 64), 4 * 3 ** min(n - 1, 64))
    nodes, edges = 2, np.array([[0, 1]])
    for _ in range(n - 1):
        u, v = edges.T
        copies = np.arange(nodes, 2 * nodes)
        hub = np.full(nodes, 2 * nodes)
        edges = np.r_[edges, _pairs(u, v + nodes), _pairs(v, u + nodes), _pairs(copies, hub)]
        nodes = 2 * nodes + 1
    return Graph.from_edges(nodes, edges, name=name, chi=n + 1)


def queen(rows: int, cols: int | None = None) -> Graph:
    """Squares of a board, row by row as in the DIMACS files; adjacent when a queen goes from one to
    the other. χ where it is known, see :func:`_queen_chi`."""
    cols = rows if cols is None else cols
    name = f"queen:{rows}x{cols}"
    _require(min(rows, cols) >= 1, name, "the board needs at least 1 row and 1 column")
    _limit(name, rows * cols, rows * cols * (rows + cols + 2 * min(rows, cols)) // 2)
    cell = np.arange(rows * cols).reshape(rows, cols)
    edges = [np.empty((0, 2), np.int64)]
    for step in range(1, max(rows, cols)):
        edges += [
            _pairs(cell[:, :-step], cell[:, step:]),
            _pairs(cell[:-step], cell[step:]),
            _pairs(cell[:-step, :-step], cell[step:, step:]),
            _pairs(cell[:-step, step:], cell[step:, :-step]),
        ]
    chi = _queen_chi(min(rows, cols), max(rows, cols))
    return Graph.from_edges(rows * cols, np.concatenate(edges), name=name, chi=chi)


def grid(rows: int, cols: int) -> Graph:
    """Squares of a board, row by row; adjacent when they share a side; χ = 2."""
    name = f"grid:{rows}x{cols}"
    _require(min(rows, cols) >= 1, name, "the grid needs at least 1 row and 1 column")
    _limit(name, rows * cols, 2 * rows * cols)
    cell = np.arange(rows * cols).reshape(rows, cols)
    edges = np.r_[_pairs(cell[:, :-1], cell[:, 1:]), _pairs(cell[:-1], cell[1:])]
    return Graph.from_edges(rows * cols, edges, name=name, chi=min(rows * cols, 2))


def torus(rows: int, cols: int) -> Graph:
    """A grid whose last row and column touch the first; χ is 2 where both are even, else 3."""
    name = f"torus:{rows}x{cols}"
    _require(min(rows, cols) >= 3, name, "a torus needs at least 3 rows and 3 columns")
    _limit(name, rows * cols, 2 * rows * cols)
    cell = np.arange(rows * cols).reshape(rows, cols)
    edges = np.r_[_pairs(cell, np.roll(cell, -1, axis=1)), _pairs(cell, np.roll(cell, -1, axis=0))]
    return Graph.from_edges(rows * cols, edges, name=name, chi=2 + max(rows % 2, cols % 2))


def hypercube(d: int) -> Graph:
    """The numbers below ``2^d``, adjacent when they differ in one bit; χ = 2."""
    name = f"hypercube:{d}"
    _require(d >= 0, name, "the dimension must be 0 or more")
    n = 2 ** min(d, 64)
    _limit(name, n, n * d // 2)
    v = np.arange(n)
    edges = [np.empty((0, 2), np.int64)]
    edges += [_pairs(v, v ^ (1 << bit))[v & (1 << bit) == 0] for bit in range(d)]
    return Graph.from_edges(n, np.concatenate(edges), name=name, chi=min(n, 2))


def er(n: int, p: float, *, seed: int = 0) -> Graph:
    """Erdős-Rényi: every pair is an edge with probability ``p``, in time of the edges it gets."""
    name = f"er:{n}x{p:.12g}"
    _require_nodes_and_probability(name, n, p)
    return Graph.from_edges(n, _random_pairs(n, p, _generator(seed)), name=name)


def planted(n: int, k: int, p: float, *, seed: int = 0) -> Graph:
    """Hidden coloring: ``k`` balanced random classes, every pair across them an edge with ``p``.

    So χ <= k, and χ itself is not known.
    """
    name = f"planted:{n}x{k}x{p:.12g}"
    _require_nodes_and_probability(name, n, p)
    _require(1 <= k <= n, name, "the number of classes must be 1..N")
    rng = _generator(seed)
    classes = rng.permutation(n) % k
    edges = _random_pairs(n, p, rng)
    across = classes[edges[:, 0]] != classes[edges[:, 1]]
    return Graph.from_edges(n, edges[across], name=name)


def geometric(n: int, radius: float, *, seed: int = 0) -> Graph:
    """Uniform points in the unit square, adjacent when at most ``radius`` apart."""
    from scipy.spatial import cKDTree

    name = f"geometric:{n}x{radius:.12g}"
    _require(n >= 1, name, "at least 1 node is needed")
    _require(0 <= radius <= 2, name, "the radius must be 0..2, the points lie in the unit square")
    _limit(name, n, n * (n - 1) / 2 * min(math.pi * radius**2, 1))
    points = _generator(seed).random((n, 2))
    return Graph.from_edges(
        n, cKDTree(points).query_pairs(radius, output_type="ndarray"), name=name
    )


def barabasi(n: int, m: int, *, seed: int = 0) -> Graph:
    """Barabási-Albert: nodes come one by one and join ``m`` old ones, chosen by their degree."""
    import rustworkx as rx

    name = f"barabasi:{n}x{m}"
    _require(1 <= m < n, name, "NxM with 1 <= M < N is needed")
    _limit(name, n, n * m)
    grown = rx.barabasi_albert_graph(n, m, seed=_draw(seed))
    return Graph.from_edges(n, np.array(grown.edge_list()), name=name)


def watts(n: int, k: int, p: float, *, seed: int = 0) -> Graph:
    """Watts-Strogatz: a ring with the ``k`` nearest as neighbors, each edge rewired with ``p``."""
    import networkx as nx

    name = f"watts:{n}x{k}x{p:.12g}"
    _require(2 <= k < n and k % 2 == 0, name, "NxKxP with an even K, 2 <= K < N, is needed")
    _require(0 <= p <= 1, name, "the probability must be 0..1")
    _limit(name, n, n * k // 2)
    rewired = nx.watts_strogatz_graph(n, k, p, seed=_draw(seed))
    return Graph.from_edges(n, np.array(rewired.edges), name=name)


def regular(n: int, d: int, *, seed: int = 0) -> Graph:
    """Random graph in which every node has ``d`` neighbors."""
    import networkx as nx

    name = f"regular:{n}x{d}"
    _require(0 <= d < n and n * d % 2 == 0, name, "NxD with 0 <= D < N and an even N D is needed")
    _limit(name, n, n * d // 2)
    drawn = nx.random_regular_graph(d, n, seed=_draw(seed))
    return Graph.from_edges(n, np.array(drawn.edges, np.int64).reshape(-1, 2), name=name)


def exam(courses: int, students: int, *, seed: int = 0) -> Graph:
    """Exam timetable: two courses are adjacent when some student takes both.

    Courses come in programs of about ten. A student is in one of them and takes two to five
    courses, four of five from the own program and the others from anywhere.
    """
    name = f"exam:{courses}x{students}"
    _require(courses >= 1 and students >= 0, name, "at least 1 course is needed")
    _limit(name, courses, 10 * students)
    rng = _generator(seed)
    programs = max(courses // 10, 1)
    own = rng.integers(programs, size=(students, 1))  # courses c with c % programs = own
    inside = own + programs * rng.integers((courses - 1 - own) // programs + 1, size=(students, 5))
    taken = np.where(
        rng.random((students, 5)) < 0.8, inside, rng.integers(courses, size=(students, 5))
    )
    few = rng.integers(2, 6, size=students)
    edges = [taken[few > b][:, [a, b]] for a, b in combinations(range(5), 2)]
    return Graph.from_edges(courses, _distinct(np.concatenate(edges), courses), name=name)


def interval(n: int, load: float, *, seed: int = 0) -> Graph:
    """Live ranges, as in register allocation: ``n`` intervals, adjacent when they overlap.

    They begin uniformly in [0, 1) and are exponentially long, so that about ``load`` are alive at
    a time. Interval graphs are perfect: χ is the largest number that are, found by a sweep.
    """
    name = f"interval:{n}x{load:.12g}"
    _require(n >= 1, name, "at least 1 interval is needed")
    _require(0 <= load <= n, name, "the load must be 0..N")
    _limit(name, n, n * load)
    rng = _generator(seed)
    begin = rng.random(n)
    end = begin + rng.exponential(load / n, n)
    order = np.argsort(begin)
    before = np.searchsorted(begin[order], end[order])  # how many begin before each of them ends
    later = np.maximum(before - np.arange(n) - 1, 0)  # of which so many begin later than itself
    first = np.repeat(np.arange(n), later)
    step = np.arange(later.sum()) - np.repeat(np.cumsum(later) - later, later)
    alive = np.arange(1, n + 1) - np.searchsorted(np.sort(end), begin[order], side="right")
    edges = _pairs(order[first], order[first + 1 + step])
    return Graph.from_edges(n, edges, name=name, chi=max(int(alive.max()), 1))


def _distinct(edges: IntArray, n: int) -> IntArray:
    """The edges ``[m, 2]`` without loops, and each only once."""
    low, high = edges.min(axis=1), edges.max(axis=1)
    codes = np.unique((low * n + high)[low < high])
    return np.stack(np.divmod(codes, n), axis=1)


def _number(text: str, kind: type[int] | type[float]) -> int | float:
    try:
        value = kind(text)
    except ValueError:
        noun = "a whole number" if kind is int else "a number"
        raise ValueError(f"{text!r} is not {noun}") from None
    if abs(value) > 1e15:
        raise ValueError(f"{text!r} is too large")
    return value


def _require(ok: bool, name: str, rule: str) -> None:
    if not ok:
        raise InputError(f"{name}: {rule}; write for example {_example(name)!r}")


def _require_nodes_and_probability(name: str, n: int, p: float) -> None:
    _require(n >= 1, name, "at least 1 node is needed")
    _require(0 <= p <= 1, name, "the probability must be 0..1")
    _limit(name, n, n * (n - 1) / 2 * p)


def _limit(name: str, nodes: float, edges: float) -> None:
    """Refuse what would not fit, before anything is allocated."""
    if max(nodes, edges) > MAX_SIZE:
        raise InputError(
            f"{name} is too large: about {max(nodes, edges):.3g} nodes or edges, the limit is "
            f"{MAX_SIZE:,}; ask for a smaller one, for example {_example(name)!r}"
        )


def _example(name: str) -> str:
    return FAMILIES[name.partition(":")[0]].example


def _generator(seed: int) -> np.random.Generator:
    if seed < 0:
        raise InputError(f"the seed must be a whole number >= 0, got {seed}")
    return np.random.default_rng(seed)


def _draw(seed: int) -> int:
    """A seed for generators of other libraries, which want it below ``2^32``."""
    return int(_generator(seed).integers(2**32))


def _ring(n: int) -> IntArray:
    v = np.arange(n)
    return _pairs(v, (v + 1) % n)


def _pairs(u: IntArray, v: IntArray) -> IntArray:
    """Two arrays of one shape, element by element: ``[size, 2]``."""
    return np.stack([u.ravel(), v.ravel()], axis=1)


def _product(u: IntArray, v: IntArray) -> IntArray:
    """Every element of ``u`` with every element of ``v``: ``[|u| |v|, 2]``."""
    return _pairs(np.repeat(u, len(v)), np.tile(v, len(u)))


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


def _random_pairs(n: int, p: float, rng: np.random.Generator) -> IntArray:
    """Each pair ``u < v`` with probability ``p``: ``[m, 2]``.

    The gaps between chosen pairs are geometric, so we skip from one to the next in time ``O(m)``.
    """
    total = n * (n - 1) // 2
    if p == 0 or total == 0:
        return np.empty((0, 2), np.int64)
    place = np.array([-1])
    chosen = [place[:0]]
    while place[-1] < total:
        expected = (total - place[-1]) * p
        gaps = rng.geometric(p, size=int(expected + 4 * math.sqrt(expected)) + 4)
        place = place[-1] + np.cumsum(np.minimum(gaps, total + 1))
        chosen.append(place)
    index = np.concatenate(chosen)
    return _pair_of(index[index < total])


def _pair_of(index: IntArray) -> IntArray:
    """The pair ``u < v`` at ``index = v(v-1)/2 + u``: ``[m] -> [m, 2]``."""
    v = ((1 + np.sqrt(1 + 8.0 * index)) / 2).astype(np.int64)
    v -= v * (v - 1) // 2 > index  # beyond 2^53 the root may round up to the next whole number
    return _pairs(index - v * (v - 1) // 2, v)


FAMILIES: dict[str, Family] = {
    "cycle": Family(cycle, "cycle:31", "cycle on N nodes"),
    "path": Family(path, "path:10", "path on N nodes"),
    "complete": Family(complete, "complete:8", "complete graph on N nodes"),
    "bipartite": Family(bipartite, "bipartite:4x8", "complete bipartite graph, parts A and B"),
    "multipartite": Family(multipartite, "multipartite:2x3x4", "complete multipartite graph"),
    "turan": Family(turan, "turan:13x4", "complete R-partite graph on N nodes, equal parts"),
    "wheel": Family(wheel, "wheel:12", "hub and cycle, N nodes in total"),
    "petersen": Family(petersen, "petersen", "the Petersen graph"),
    "icosahedral": Family(icosahedral, "icosahedral", "the graph of the icosahedron"),
    "kneser": Family(kneser, "kneser:7x2", "K-subsets of N things, disjoint ones adjacent"),
    "myciel": Family(myciel, "myciel:5", "Mycielski graph, numbered as in DIMACS"),
    "queen": Family(queen, "queen:8x12", "moves of a queen on a board of A rows and B columns"),
    "grid": Family(grid, "grid:10x20", "squares of a board that share a side"),
    "torus": Family(torus, "torus:9x10", "grid with its borders joined"),
    "hypercube": Family(hypercube, "hypercube:5", "hypercube of dimension D"),
    "er": Family(er, "er:100x0.1", "random: each pair of N nodes with probability P"),
    "planted": Family(planted, "planted:100x4x0.2", "random: N nodes, K hidden classes, P across"),
    "geometric": Family(geometric, "geometric:500x0.08", "random: N points closer than R"),
    "barabasi": Family(barabasi, "barabasi:500x3", "random: N nodes, each joins M by degree"),
    "watts": Family(watts, "watts:200x6x0.1", "random: ring of K nearest, rewired with P"),
    "regular": Family(regular, "regular:100x6", "random: N nodes with D neighbors each"),
    "exam": Family(exam, "exam:80x300", "random: N courses, adjacent when one of S takes both"),
    "interval": Family(interval, "interval:100x8", "random: N live ranges, about L at a time"),
}
