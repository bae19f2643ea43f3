"""``Interference``: what edges cost where two colors are too near, and the search for little of it.

Weighted conflicts and frequencies that must be apart are one problem: edge uv costs its weight
where ``|c(u) - c(v)| < reach``. The first has a reach of 1 everywhere, the second mostly a weight
of 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import by_degree, on_arcs
from concolor.graph.weights import Numbers, exact_sum
from concolor.rules import Rules
from concolor.solvers.kernels import interference as kernels
from concolor.solvers.kernels.interference import BEST, MOVES, Noise

BITS = 58  # of the largest cost that a search adds up
WORK = 10_000_000  # entries of the table between two looks at the clock: some 20 milliseconds
ENTRIES = 50_000_000  # of a table, at most: 800 MB, since there are two of them
PASSES = 100  # over all nodes, where there is no table
ORDER = 1e-7  # seconds for every node and edge to find who is disturbed most, about
PACKED = 1e-8  # seconds for every node and edge that such a bound takes, about
DENSE = 1500  # nodes up to which a bound may use a square of numbers
LINE = 16  # more numbers than a line of the cache holds, or threads would slow each other down

Keep = Callable[[IntArray], None]  # takes colors [n] that are cheaper than those before


@dataclass(frozen=True, eq=False)
class Interference:
    """What a coloring of a graph costs.

    Attributes:
        graph: Who may disturb whom.
        weights: The cost of each edge ``[m]``, above 0.
        reach: Colors that are less than this apart disturb each other ``[m]``, at least 1.
    """

    graph: Graph
    weights: Numbers
    reach: IntArray

    def disturbed(self, colors: IntArray) -> NDArray[np.bool_]:
        """Which edges cost something: ``[m]``."""
        u, v = self.graph.edges.T
        return np.asarray(np.abs(colors[u] - colors[v]) < self.reach)

    def cost(self, colors: IntArray) -> float:
        """The weight of these edges, rounded once."""
        return exact_sum(self.weights[self.disturbed(colors)])

    @cached_property
    def _shift(self) -> int:
        """A unit is ``2^-shift``: 1 where weights are whole, else by 58 bits of their sum."""
        total = float(self.weights.sum())
        is_whole = total < 2.0**53 and bool((np.rint(self.weights) == self.weights).all())
        return 0 if is_whole else BITS - math.frexp(total)[1]

    @cached_property
    def units(self) -> IntArray:
        """The weights as whole numbers ``[m]``, in which a search adds up without rounding."""
        scaled = np.ldexp(self.weights, self._shift)
        np.rint(scaled, out=scaled)
        return np.maximum(scaled, 1, out=scaled).astype(np.int64)

    def value(self, units: int) -> float:
        """So many units as a weight; no more than that, where weights had to be rounded."""
        return math.ldexp(max(units - (self.graph.m if self._shift else 0), 0), -self._shift)

    @cached_property
    def near(self) -> tuple[IntArray, NDArray[np.int32], NDArray[np.int32]]:
        """As the loops want it: ``indptr [n + 1]``, ``indices`` and reach ``[2m]``."""
        graph = self.graph
        reach = on_arcs(graph, self.reach.astype(np.int32))
        return graph.indptr.copy(), graph.indices.astype(np.int32), reach

    @cached_property
    def arcs(self) -> tuple[IntArray, NDArray[np.int32], IntArray, NDArray[np.int32]]:
        """The same with units ``[2m]`` before the reach."""
        indptr, indices, reach = self.near
        return indptr, indices, on_arcs(self.graph, self.units), reach

    def seconds(self, k: int) -> float:
        """How long a look at k colors of every node and at what each edge reaches takes, about."""
        each = float(2 * self.reach.mean() - 1) if self.graph.m else 0.0
        return 4e-9 * self.graph.n * k + 1e-8 * self.graph.m * min(each, k)

    @cached_property
    def order(self) -> IntArray:
        """The nodes, those first that may be disturbed most."""
        each, n = self.units.astype(np.float64) * self.reach, self.graph.n
        most = sum(np.bincount(ends, each, n) for ends in self.graph.edges.T)
        return np.argsort(-most, kind="stable")

    def order_in(self, clock: Clock) -> IntArray:
        """The same, or the nodes by falling degree where there is no time to add up."""
        fits = clock.fits(ORDER * (self.graph.n + self.graph.m))
        return self.order if fits else by_degree(self.graph)

    def forced(self, k: int, clock: Clock) -> int:
        """Units that no k-coloring avoids, by cliques: see :func:`~kernels.packed`.

        A reach beyond the own color only adds to that. 0 for large graphs, too, and where it would
        take more than a fifth of the time that is left.
        """
        graph = self.graph
        if graph.n > DENSE or graph.m <= k or not clock.fits(PACKED * graph.m * graph.n, 0.2):
            return 0
        u, v = graph.edges.T
        residue = np.zeros((graph.n, graph.n), np.int64)
        residue[u, v] = residue[v, u] = self.units
        order = np.argsort(-self.units, kind="stable")
        return int(kernels.packed(residue, (u * graph.n + v)[order], min(k, graph.n)))


def allowed_colors(rules: Rules, k: int) -> NDArray[np.bool_]:
    """The colors that nodes may have: ``[n, k]``, or one row where all may have all."""
    return np.ones((1, k), bool) if rules.are_none else rules.allow(np.arange(k))


def placed(
    noise: Interference, colors: IntArray, allowed: NDArray[np.bool_], clock: Clock
) -> IntArray:
    """Each node without a color (-1) in its cheapest one, then every node, until none gains.

    It needs no table, so it is for any size.
    """
    seconds = noise.seconds(allowed.shape[1])
    now, order = colors.astype(np.int32), noise.order_in(clock)
    kernels.place_cheaply(*noise.arcs, now, order[now[order] < 0], allowed)
    for _ in range(PASSES):
        if not clock.fits(seconds, 1.0):
            break
        if not kernels.place_cheaply(*noise.arcs, now, order, allowed):
            break
    return now.astype(np.int64)


def quieten(
    noise: Interference,
    starts: Sequence[IntArray],
    allowed: NDArray[np.bool_],
    keep: Keep,
    *,
    seed: int,
    clock: Clock,
    patience: int,
    target: int = 0,
    tell: Callable[[int], None] | None = None,
) -> None:
    """Tabu search from each of several starts at once, shaken where it does not get further.

    All run one slice after the other, and wait for each other in between, so that the result does
    not depend on how fast they are. Where a table would be too large, or not filled in time, there
    is no search.

    Args:
        starts: Colors ``[n]``, -1 for nodes that have none; all but the first wait for the clock.
        allowed: As :func:`allowed_colors` gives them.
        keep: Given what is cheaper than all before, on Ctrl-C too.
        patience: Moves without improvement that end it.
        target: Units to stop at.
        tell: Given the number of moves now and then.
    """
    firsts: list[IntArray] = []
    for colors in starts:
        if not firsts or not clock.is_over:
            firsts.append(placed(noise, colors, allowed, clock))
            keep(firsts[-1])
    k, seconds = allowed.shape[1], len(firsts) * noise.seconds(allowed.shape[1])
    if noise.graph.n * k > ENTRIES or not noise.graph.m or not clock.fits(5 * seconds, 1.0):
        return
    rng = np.random.default_rng(seed)
    searches = [_noise(noise, colors, allowed, rng) for colors in firsts]
    each = map if len(searches) == 1 else ThreadPoolExecutor(len(searches)).map
    more = True
    try:
        while more and not clock.is_over and min(int(s.counts[BEST]) for s in searches) > target:
            more = any(list(each(lambda s: kernels.tabu(s, target, patience, WORK), searches)))
            keep(_leader(searches))
            if tell is not None:
                tell(sum(int(s.counts[MOVES]) for s in searches))
    finally:  # on Ctrl-C too
        keep(_leader(searches))


def _leader(searches: Sequence[Noise]) -> IntArray:
    return min(searches, key=lambda s: int(s.counts[BEST])).best.astype(np.int64)


def _noise(
    noise: Interference,
    colors: IntArray,
    allowed: NDArray[np.bool_],
    rng: np.random.Generator,
) -> Noise:
    n, k = noise.graph.n, allowed.shape[1]
    table = np.zeros((n, k), np.int64)
    table[np.broadcast_to(~allowed, table.shape)] = kernels.FORBIDDEN
    state = Noise(
        *noise.arcs,
        colors=colors.astype(np.int32),
        table=table,
        free_at=np.zeros((n, k), np.int64),
        listed=np.empty(n, np.int32),
        place=np.empty(n, np.int32),
        best=np.empty(n, np.int32),
        counts=np.zeros(LINE, np.int64),
        rng=rng.integers(1, 2**64, LINE, np.uint64),
    )
    kernels.fill(state)
    return state


@cache
def warm_up() -> None:
    """Compile, or load what was compiled, before a clock starts."""
    graph = Graph.from_edges(3, [(0, 1), (0, 2), (1, 2)])
    noise = Interference(graph, np.ones(3), np.ones(3, np.int64))
    noise.forced(2, Clock())
    none, bans = np.full(3, -1), (np.empty(0, np.int64), np.zeros(4, np.int64))
    kernels.first_fit(*noise.near, none.copy(), *bans, noise.order)
    closed = np.zeros((3, 1), np.uint64)
    kernels.saturated_fit(*noise.near, none.copy(), *bans, noise.order, closed)
    for allowed in (np.ones((1, 2), bool), np.ones((3, 2), bool)):
        quieten(
            noise,
            [np.full(3, -1)],
            allowed,
            lambda colors: None,
            seed=0,
            clock=Clock(),
            patience=2,
        )
