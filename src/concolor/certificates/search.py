"""``certify``: the search for bounds of χ and θ, and the proof of what it found."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from concolor.certificates.certificate import MARGIN, Certificate, Vectors
from concolor.certificates.clique import larger_cliques
from concolor.certificates.polish import polishing
from concolor.certificates.polished import Polished
from concolor.certificates.rounding import DENSE, WORK, Array
from concolor.certificates.spectral import ROUGH, hoffman, hoffman_safe
from concolor.certificates.theta import best_handle, measure, prototypes, unit_rows
from concolor.coloring import Coloring
from concolor.errors import InputError, Interrupted
from concolor.goal import Clock, Goal, Task
from concolor.graph.core import Graph
from concolor.graph.families.fixed import cycle
from concolor.rules import Rules
from concolor.solvers.greedy import dsatur, saturated

PACE = 3e7  # products of entries of a sparse factor in a second, at least
VECTOR_PACE = 2e8  # products of entries of vectors in a second, at least
PATIENCE = 200_000  # moves of the tabu search without improvement
COMPILED = 50_000  # edges from which loading compiled code takes less time than doing without


def certify(
    graph: Graph,
    coloring: Coloring | None = None,
    *,
    embedding: ArrayLike | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Certificate:
    """Bound χ and θ of a graph from both sides, with witnesses.

    Args:
        graph: Any graph.
        coloring: A proper coloring to judge; by default one is searched.
        embedding: A model's vectors ``[n, d]``; what they certify as they are is reported apart
            from what polishing makes of them.
        seed: The same seed gives the same certificate, unless time cuts the search.
        time_limit: In seconds, loading of compiled code not counted; the best so far is returned.
            Large witnesses are proved if that can be done in the time that is left.

    Returns:
        All that is proved, also on time-out and on Ctrl-C: the first one ends the search, and what
        it found is proved; a second one ends the proofs.

    >>> from concolor.graph.families import family
    >>> certify(family("cycle:5"))
    Certificate('cycle:5', 3 <= chi <= 3, 2.2360 <= theta <= 2.2382)
    """
    _check(graph, coloring)
    rows = None if embedding is None or graph.n == 0 else unit_rows(np.asarray(embedding), graph)
    if time_limit is not None:
        warm_up()
    search = _Search(graph, coloring, seed, Clock(time_limit))
    with suppress(KeyboardInterrupt):
        search.run(rows)
    with suppress(KeyboardInterrupt):
        search.prove()
    return search.found


class _Search:
    """``found`` is proved at any time, ``polished`` is not yet."""

    def __init__(self, graph: Graph, coloring: Coloring | None, seed: int, clock: Clock) -> None:
        self.graph, self.seed, self.clock = graph, seed, clock
        self.is_given = coloring is not None
        self.found = Certificate(graph, coloring or _greedy(graph), (0,) if graph.n else ())
        self.polished: Polished | None = None

    def run(self, z: Array | None) -> None:
        """Clique, coloring, polish, where each may help; unit rows ``z [n, d]`` are measured."""
        most, clock = self.found.upper, self._share(0.2)
        for clique in larger_cliques(self.graph, enough=most, clock=clock):
            self.found = replace(self.found, clique=clique)
        if not (self.is_given or self.found.is_proved or self.clock.is_over):
            self._recolor()
        if z is not None:
            self._measure(z)
        if not (self.found.is_proved or self.clock.is_over):
            self._polish()

    def prove(self) -> None:
        """Vectors and weights of the polish join the certificate where they add to it."""
        if self.polished is None:
            return
        self._prove_weights(self.polished)
        self._prove_vectors(self.polished)

    def _recolor(self) -> None:
        """Fewer colors by tabu search; what it has when it is interrupted is kept."""
        from concolor.solvers.local_search import tabucol  # imports numba

        goal, start = Goal.of(self.graph), self.found.coloring
        task = Task(self.graph, goal, self.seed, self._share(0.3), start)
        try:
            self.found = replace(self.found, coloring=tabucol(task, patience=PATIENCE).coloring)
        except Interrupted as stop:
            self.found = replace(self.found, coloring=stop.best.coloring)
            raise

    def _measure(self, z: Array) -> None:
        """The embedding with its best handle; no vectors where no handle reaches all of them."""
        graph, coloring = self.graph, self.found.coloring
        r = best_handle(z, graph, coloring=coloring, seed=self.seed, clock=self._share(0.3))
        raw = Vectors.of("embedding", z, r, graph)
        self.found = replace(
            self.found,
            vectors=(raw,) if math.isfinite(raw.bound) else (),
            embedding=measure(z, r, graph, coloring),
        )

    def _polish(self) -> None:
        """From the best vectors and weights that are there; a large graph's weights on its core."""
        graph, clique = self.graph, self.found.clique
        (z, r), upper = prototypes(self.found.coloring), float(self.found.upper)
        for raw in self.found.vectors:
            if raw.bound < upper:
                z, r, upper = raw.z, raw.r, raw.bound
        known = np.asarray(np.isin(graph.edges, clique).all(axis=1), np.float64)
        best = Polished(z, r, upper, known, float(len(clique)))  # both sides as known so far
        best = best.or_weights(np.ones(graph.m), graph)
        for better in polishing(best, graph, seed=self.seed, clock=self._share(0.5)):
            self.polished = best = better
        if graph.n > DENSE:
            self._polish_core(best)

    def _polish_core(self, polished: Polished) -> None:
        """Weights that are zero outside the core, where every node has as many neighbors as the
        clique has nodes, or more: nothing else is needed to show that χ is above that. All zero
        where no proof could follow.
        """
        from concolor.certificates.elimination import sparse_order  # imports numba, as the other
        from concolor.graph.structure import core_numbers

        self.polished = replace(polished, weights=np.zeros(self.graph.m), lower=1.0)
        if self.clock.is_over:
            return
        inside = core_numbers(self.graph) >= len(self.found.clique)
        core = self.graph.subgraph(np.flatnonzero(inside))
        if core.n == 0 or (core.n > DENSE and sparse_order(core.adjacency(), WORK) is None):
            return
        on_core = inside[self.graph.edges].all(axis=1)  # the same edges in the same order
        coloring, plain = Coloring(core, self.found.coloring.colors[inside]), np.ones(core.m)
        start = Polished(*prototypes(coloring), coloring.k, plain, hoffman(core, plain))
        for best in polishing(start, core, seed=self.seed, clock=self._share(0.7)):
            weights = np.zeros(self.graph.m)
            weights[on_core] = best.weights
            self.polished = replace(polished, weights=weights, lower=best.lower)

    def _prove_weights(self, polished: Polished) -> None:
        size = len(self.found.clique)
        error = 2 * ROUGH if self.graph.n > DENSE else 0.0
        if polished.lower <= size * (1 - error):  # a proof is not worth its time
            return
        work = min(WORK, PACE * self._seconds)
        bound = hoffman_safe(self.graph, polished.weights, work=work) * (1 - MARGIN)
        if bound > size:
            self.found = replace(self.found, weights=polished.weights, hoffman=bound)

    def _prove_vectors(self, polished: Polished) -> None:
        z, known = polished.z, self.found.theta_upper
        if polished.upper >= known or self.graph.m * z.shape[1] > VECTOR_PACE * self._seconds:
            return
        made = Vectors.of("polished", z, polished.r, self.graph)
        if made.bound < known:
            self.found = replace(self.found, vectors=(*self.found.vectors, made))

    @property
    def _seconds(self) -> float:
        """For a proof: what is left, and one more."""
        return 1 + self.clock.left

    def _share(self, part: float) -> Clock:
        return Clock(None if self.clock.limit is None else part * self.clock.left)


@cache
def warm_up() -> None:
    """Compile, or load what was compiled, on a graph that takes no time."""
    from concolor.certificates.elimination import sparse_order
    from concolor.certificates.pairs import Pairs
    from concolor.graph.structure import core_numbers
    from concolor.solvers import local_search

    graph = cycle(5)
    local_search.warm_up()
    core_numbers(graph)
    sparse_order(graph.adjacency(), WORK)
    for kind in (np.float32, np.float64):
        rows = np.ones((5, 2), kind)
        Pairs(graph).inner(rows, rows)


def _check(graph: Graph, coloring: Coloring | None) -> None:
    if coloring is None:
        return
    if coloring.graph.digest != graph.digest:
        raise InputError(f"the coloring is of {coloring.graph}, not of {graph}")
    if not coloring.is_proper:
        raise InputError(
            f"the coloring has {coloring.conflicts} monochromatic edges, so it shows nothing about "
            "χ; give a proper one, or none to have one searched"
        )


def _greedy(graph: Graph) -> Coloring:
    """DSATUR, by the loops that are faster here."""
    if graph.m < COMPILED:
        return dsatur(graph)
    return Coloring(graph, saturated(graph, Rules.of(graph)))
