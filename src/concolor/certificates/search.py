"""``certify``: the search for bounds of χ and θ, and the proof of what it found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from concolor.certificates.certificate import Certificate
from concolor.certificates.clique import is_clique
from concolor.certificates.proof import with_embedding, with_vectors, with_weights
from concolor.certificates.rounding import DENSE, WORK, Array
from concolor.certificates.spectral import hoffman
from concolor.certificates.theta.handle import best_handle
from concolor.certificates.theta.sharpening import sharper_sides
from concolor.certificates.theta.sides import Sides
from concolor.certificates.theta.vectors import prototypes, unit_rows
from concolor.coloring import Coloring
from concolor.errors import InputError, Interrupted
from concolor.fleet import for_many
from concolor.goal import Clock, Goal, Progress, Task
from concolor.graph.cliques import an_edge, larger_cliques, quick_seconds
from concolor.graph.core import Graph
from concolor.graph.families.fixed import cycle
from concolor.graph.formats.convert import GraphLike, as_graph
from concolor.solvers.cones import cones
from concolor.solvers.greedy import begun
from concolor.threads import one_blas_thread

FRACTIONS = 5.0  # seconds for the fractional bound where no time limit says more
Watch: TypeAlias = Callable[[str, Certificate], None]  # the stage, and what is proved by then


def certify(
    graph: GraphLike,
    coloring: Coloring | None = None,
    *,
    clique: Sequence[int] = (),
    embedding: ArrayLike | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Watch | None = None,
) -> Certificate:
    """Bound χ and θ of a graph from both sides, with witnesses.

    Ctrl-C ends the search, and what it found is proved; a second one ends the proofs, too. Either
    way :class:`~concolor.errors.Interrupted` is raised, with the certificate in ``best``.

    Args:
        graph: Any graph.
        coloring: A proper coloring to judge; by default one is searched.
        clique: One that is known; a larger one is searched.
        embedding: A model's vectors ``[n, d]``; what they certify as they are is reported apart
            from what sharpening makes of them.
        seed: The same seed gives the same certificate, unless time cuts the search.
        time_limit: In seconds, loading of compiled code not counted; the best so far is returned.
            Large witnesses are proved if that can be done in the time that is left.
        progress: Called as each stage begins and after its steps, with the name of the stage
            (``clique``, ``coloring``, ``embedding``, ``sharpening``, ``proof``, ``cones``,
            ``fractions``) and all that is proved by then.

    Returns:
        All that is proved when the sides meet, nothing is left to try, or time is over.

    >>> from concolor.graph.families import family
    >>> certify(family("cycle:5"))
    Certificate('cycle:5', 3 <= chi <= 3, 2.2360 <= theta <= 2.2382)
    """
    graph = as_graph(graph)
    _check(graph, coloring, tuple(clique))
    if graph.lists is not None:
        graph = graph.but(lists=None)  # χ and θ know of no lists
    rows = None if embedding is None or graph.n == 0 else unit_rows(np.asarray(embedding), graph)
    clock, known = started(time_limit), tuple(sorted(clique)) or (0,) * min(graph.n, 1)
    bounding = _Bounding(graph, coloring, known, seed, clock, progress)
    try:
        with one_blas_thread():  # several wait for each other where others use the machine
            try:
                bounding.search(rows)
            finally:  # on Ctrl-C too
                bounding.prove()
    except KeyboardInterrupt as stop:
        raise Interrupted(bounding.found) from stop
    return bounding.found


certify_many = for_many(certify)


def started(time_limit: float | None) -> Clock:
    """A clock that starts once the compiled code is loaded."""
    if time_limit is not None:
        warm_up()
    return Clock(time_limit)


@cache
def warm_up() -> None:
    """Compile, or load what was compiled, on a graph that takes no time."""
    from concolor.certificates.elimination import sparse_order
    from concolor.certificates.theta.pairs import Pairs
    from concolor.solvers import local_search

    graph = cycle(5)
    local_search.warm_up()
    sparse_order(graph.adjacency(), WORK)
    for kind in (np.float32, np.float64):
        rows = np.ones((5, 2), kind)
        Pairs(graph).inner(rows, rows)


def known_sides(found: Certificate) -> Sides:
    """Both sides of θ as the certificate shows them, and equal weights if they show more.

    From above the best vectors or the prototypes of the coloring, from below weights of 1 on the
    clique. Their bounds are known, and are not computed again.
    """
    graph, (z, r), upper = found.graph, prototypes(found.coloring), float(found.upper)
    for raw in found.vectors:
        if raw.bound < upper:
            z, r, upper = raw.z, raw.r, raw.bound
    on_clique = np.asarray(np.isin(graph.edges, found.clique).all(axis=1), np.float64)
    sides = Sides(z, r, upper, on_clique, float(len(found.clique)))
    return sides.or_weights(np.ones(graph.m), graph)


PROOF = 0.2  # seconds for which there is always time, of each side's proof
SPECTRUM = 4e-6  # seconds for each edge, about, that the first look at eigenvalues takes


class _Bounding:
    """The bounds of one graph as they improve: ``found`` is proved at any time, ``sides`` not."""

    def __init__(
        self,
        graph: Graph,
        coloring: Coloring | None,
        clique: tuple[int, ...],
        seed: int,
        clock: Clock,
        watch: Watch | None,
    ) -> None:
        self.graph, self.seed, self.clock, self.watch = graph, seed, clock, watch
        self.is_given = coloring is not None
        first = coloring or Coloring(graph, begun(Task(graph, Goal.of(graph), clock=clock)))
        self.found = Certificate(graph, first, clique)
        self.sides: Sides | None = None

    def search(self, z: Array | None) -> None:
        """Clique, coloring, sides, where each may help; unit rows ``z [n, d]`` are measured."""
        self._tell("clique")
        if not self.found.is_proved and self.clock.fits(quick_seconds(self.graph)):
            self._enlarge()
        elif len(self.found.clique) < 2:
            self.found = replace(self.found, clique=an_edge(self.graph))
        if not (self.is_given or self.found.is_proved or self.clock.is_over):
            self._recolor()
        if z is not None:
            self._measure(z)
        about = self.clock.expected(SPECTRUM * self.graph.m)
        if not self.found.is_proved and about < self.clock.left:
            self._sharpen()
            self.prove()  # as long as there is time for it
        if self._is_open:
            self._look_for_cones()
        if self._is_open:
            self._fractions()

    def _enlarge(self) -> None:
        """Larger cliques than the one that is known."""
        for clique in larger_cliques(
            self.graph, enough=self.found.upper, clock=self.clock.share(0.2)
        ):
            if len(clique) > len(self.found.clique):
                self.found = replace(self.found, clique=clique)
                self._tell("clique")

    def prove(self) -> None:
        """The sides, if they are not proved yet, join the certificate where they add to it."""
        sides, self.sides = self.sides, None
        if sides is None:
            return
        for proved in (with_weights, with_vectors):
            self._tell("proof")
            self.found = proved(self.found, sides, seconds=PROOF + self.clock.left / 2)

    def _recolor(self) -> None:
        """Fewer colors by tabu search; the best so far is kept, on Ctrl-C too."""
        from concolor.solvers.local_search import tabucol  # imports numba

        def keep(progress: Progress) -> None:
            self.found = replace(self.found, coloring=progress.best)
            self._tell("coloring")

        self._tell("coloring")
        goal, start = Goal.of(self.graph), self.found.coloring
        task = Task(self.graph, goal, self.seed, self.clock.share(0.3), start, keep)
        try:
            self.found = replace(self.found, coloring=tabucol(task, patience=200_000).coloring)
        except Interrupted as stop:
            self.found = replace(self.found, coloring=stop.best.coloring)
            raise

    def _measure(self, z: Array) -> None:
        """The embedding with its best handle."""
        self._tell("embedding")
        clock, coloring = self.clock.share(0.3), self.found.coloring
        r = best_handle(z, self.graph, coloring=coloring, seed=self.seed, clock=clock)
        self.found = with_embedding(self.found, z, r)

    def _sharpen(self) -> None:
        """From the best vectors and weights that are there; a large graph's weights on its core."""
        self._tell("sharpening")
        known = known_sides(self.found)
        for sides in sharper_sides(known, self.graph, seed=self.seed, clock=self.clock.share(0.5)):
            self.sides = sides
            self._tell("sharpening")
        if self.graph.n > DENSE:
            self._sharpen_core(sides)

    def _sharpen_core(self, sides: Sides) -> None:
        """Weights that are zero outside the core, where every node has as many neighbors as the
        clique has nodes, or more: nothing else is needed to show that χ is above that. All zero
        where no proof could follow.
        """
        from concolor.certificates.elimination import ORDER, sparse_order  # imports numba
        from concolor.graph.structure import core_numbers

        self.sides = replace(sides, weights=np.zeros(self.graph.m), lower=1.0)
        if self.clock.is_over:
            return
        inside = core_numbers(self.graph) >= len(self.found.clique)
        core = self.graph.subgraph(np.flatnonzero(inside))
        if core.n == 0:
            return
        is_dense = core.n <= DENSE
        if not is_dense and not self.clock.fits(2 * ORDER * core.m):  # here, and for the proof
            return
        if not is_dense and sparse_order(core.adjacency(), WORK) is None:
            return
        on_core = inside[self.graph.edges].all(axis=1)  # the same edges in the same order
        coloring, plain = Coloring(core, self.found.coloring.colors[inside]), np.ones(core.m)
        start = Sides(*prototypes(coloring), coloring.k, plain, hoffman(core, plain))
        for best in sharper_sides(start, core, seed=self.seed, clock=self.clock.share(0.7)):
            weights = np.zeros(self.graph.m)
            weights[on_core] = best.weights
            self.sides = replace(sides, weights=weights, lower=best.lower)
            self._tell("sharpening")

    @property
    def _is_open(self) -> bool:
        """What is proved does not show χ, and there is time."""
        return not (self.found.is_proved or self.clock.is_over)

    def _look_for_cones(self) -> None:
        self._tell("cones")
        found = cones(self.graph, clock=self.clock.share(0.3))
        if len(found) + 1 > self.found.lower:
            self.found = replace(self.found, cones=found)

    def _fractions(self) -> None:
        """Weights of nodes; whole numbers, so that each bound is proved as it comes."""
        from concolor.solvers.fractional import fractional_bounds  # imports numba

        self._tell("fractions")
        known, upper = self.found.lower, self.found.upper
        clock = self.clock.within(FRACTIONS if self.clock.limit is None else self.clock.left)
        colorings = [self.found.coloring]
        for bound in fractional_bounds(
            self.graph, colorings, above=known, enough=upper, clock=clock
        ):
            if bound.lower > self.found.lower:
                self.found = replace(self.found, fractional=bound)
                self._tell("fractions")

    def _tell(self, stage: str) -> None:
        if self.watch is not None:
            self.watch(stage, self.found)


def _check(graph: Graph, coloring: Coloring | None, clique: tuple[int, ...]) -> None:
    if not is_clique(graph, clique):
        raise InputError(f"{list(clique)[:20]} is not a clique of {graph}; give one, or none")
    if coloring is None:
        return
    if coloring.graph.digest != graph.digest:
        raise InputError(f"the coloring is of {coloring.graph}, not of {graph}")
    if not coloring.is_proper:
        raise InputError(
            f"the coloring has {coloring.conflicts} monochromatic edges, so it shows nothing about "
            "χ; give a proper one, or none to have one searched"
        )
