"""The stages of an answer, in the order in which they are tried.

What costs nothing comes first: greedy colorings and a clique, which settle many graphs. Then a
brief search with a proof, on small ones. Only where that leaves a gap is the model asked: clusters
of its embedding are starts of the search at every promising k. Whatever time remains belongs to
local searches from the best start, and to the exact solver where the graph is small enough for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.answer.course import Course
from concolor.answer.part import Reduced
from concolor.coloring import Coloring
from concolor.decoding.guided import TRIES, guided
from concolor.errors import ConcolorError, Interrupted
from concolor.goal import Clock, Solution
from concolor.graph.cliques import quick_seconds
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import by_degree
from concolor.learning.embedder import Embedder, clusters_of, sweep_of
from concolor.models.spectral import spectral_of
from concolor.rules import Rules
from concolor.solvers.descent import attempt, cut_down, go_down
from concolor.solvers.focused import is_vast, walking
from concolor.solvers.greedy import (
    first_fit_seconds,
    fitted,
    rlf,
    rlf_seconds,
    saturated,
    saturated_seconds,
)
from concolor.solvers.local_search import PATIENCE, tabu
from concolor.solvers.null import null_of
from concolor.solvers.portfolio import InTurns
from concolor.solvers.speculative import speculative
from concolor.sweeps import K_MAX, Sweep
from concolor.threads import one_blas_thread, two_cores

Open: TypeAlias = Callable[[Clock], Embedder | None]  # None: no time to load it

RAW_MONO = 0.05  # what the raw method may leave where a proper coloring is asked for
SMALL = 2000  # nodes for which there is time for several draws, and for all tries of guided
LARGE = 1_000_000  # nodes and ends of edges from which DSATUR takes longer than one may wait
CLAUSES = 500_000  # of a formula that the exact solver is given without being asked for
CONTROL = 2.0  # seconds, the most that eigenvectors are given to stand beside a model
KS = 6  # numbers of colors below the best so far at which clusters are tried


def greedy(course: Course) -> None:
    """Greedy colorings, and a clique that may prove them best."""
    graph, rules, clock = course.graph, course.goal.rules, course.clock
    is_large, about = graph.n + 2 * graph.m > LARGE, saturated_seconds(graph)
    with course.stage("bounds"):
        course.bound_chi(2 if graph.m else min(graph.n, 1))
        if is_large:
            with clock.watching(first_fit_seconds(graph)):
                first = _first_fit(graph, rules)
            k = int(first.max(initial=0)) + 1
            _offer(course, first, "first fit")
            if course.fits(quick_seconds(graph), "a clique"):
                course.bound_at_once()
        if not is_large or (not course.is_settled and course.fits(about, "dsatur")):
            with clock.watching(about):
                colors = saturated(graph, rules)
            k = course.dsatur = len(np.unique(colors))
            _offer(course, colors, "dsatur")
        if not is_large:
            course.bound_at_once()
        if course.is_settled or not rules.are_none or course.best is None:
            return
        if course.fits(rlf_seconds(graph, k), "rlf", 0.05 if is_large else 0.2):
            _offer(course, rlf(graph).colors, "rlf")


def _first_fit(graph: Graph, rules: Rules) -> IntArray:
    """Largest first, on two cores where there are no rules."""
    order = by_degree(graph)
    return speculative(graph, order) if rules.are_none else fitted(graph, order, rules)


def _offer(course: Course, colors: IntArray, start: str) -> None:
    """A proper coloring, or what is left of it where it has more colors than the goal allows."""
    if course.goal.has_room(colors):
        course.offer(colors, start)
    elif course.best is None or not course.clock.is_over:
        proper = Coloring(course.graph, colors)
        course.offer(cut_down(course.task.but(start=proper)).coloring, start)


def brief_search(course: Course, part: Reduced) -> None:
    """Search as long as it takes to see whether the graph is easy."""
    with course.stage("search"):
        search = part.within(course.share(0.1, 0.2))
        search.at_once = two_cores()
        brief = walking if is_vast(search) else tabu
        try:
            go_down(search, brief(2000 + 40 * search.graph.n))
        finally:
            part.give_back(course.start)


def exactly(course: Course, part: Reduced, clock: Clock) -> None:
    """Ask the exact solver for better, or for a proof that there is none, on small graphs."""
    if not _is_small(part) or clock.left < 0.01:
        return
    try:
        from concolor.solvers.exact import exact
        from concolor.solvers.sat import require_sat

        require_sat()
    except ConcolorError:
        course.left_out.append("a proof (python-sat is not installed)")
        return
    with course.stage("exact"):
        task = part.task.but(clock=clock, start=part.search.best)
        found: Solution | None = None
        try:
            found = exact(task, begin=False)
        except Interrupted as stop:
            found = stop.best
            raise
        finally:
            if found is not None:
                part.search.offer(found.coloring.colors)
                part.give_back("exact")
                course.bound(found.lower)


def _is_small(part: Reduced) -> bool:
    """Whether the exact solver is given the graph without being asked for."""
    graph, goal, best = part.task.graph, part.task.goal, part.search.best
    k = goal.k or (1 if best is None else best.k)
    return graph.m * k + graph.n * k * k <= CLAUSES and not goal.budget


@dataclass(frozen=True, eq=False)
class Draw:
    """One draw of the features: the embedding, its sweep, and how to cluster it further."""

    z: NDArray[np.float32]
    sweep: Sweep
    cluster: Callable[[int], NDArray[np.int32]]

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """Smaller is better: few colors, or few conflicts where the rule is missed."""
        sweep = self.sweep
        if sweep.hit():
            return False, False, sweep.k_star(), sweep.best.conflicts
        return True, sweep.is_cut, sweep.best.conflicts, sweep.k_star()

    def at(self, k: int) -> NDArray[np.int32]:
        """The clusters ``[n]`` at k."""
        return self.sweep.colors[k] if k in self.sweep.colors else self.cluster(k)


@dataclass(frozen=True)
class Asked:
    """How the model is to be asked.

    Attributes:
        name: What the answer calls it.
        alone: Its answer is the answer, however long it takes to have one.
        draws: Of random features, where the graph is small.
        threads: At most so many, None for as many as the work is worth.
    """

    name: str = "given"
    alone: bool = False
    draws: int = 4
    threads: int | None = None


def learned(course: Course, open_model: Open, asked: Asked) -> list[Draw]:
    """Embed and decode: the raw answer of the model, and the draws behind it, the best first."""
    clock = course.clock if asked.alone else course.share(0.2, 10.0)
    with course.stage("embed"):
        model = open_model(Clock() if asked.alone else clock)
        drawn = [] if model is None else list(_embedded(course, model, clock, asked))
    if model is None or not drawn:
        course.left_out.append("the model (an embedding does not fit into the time)")
        return []
    proper: Coloring | None = None
    draws: list[Draw] = []
    with course.stage("decode"), one_blas_thread():
        clock = course.share(0.5 if asked.alone else 0.15, np.inf if asked.alone else 5.0)
        try:
            for z in drawn:
                draws.append(_decoded(course, model, z, clock))
                if draws[-1].sweep.is_cut:
                    break
            if _wants_proper(course) and (asked.alone or _has_time_to_follow(course, clock)):
                proper = guided(
                    course.graph,
                    np.stack(drawn),
                    tries=max(TRIES * SMALL // max(course.graph.n, SMALL), len(drawn)),
                    seed=course.task.seed,
                    time_limit=clock.left if asked.alone else min(clock.left, 0.5),
                )
        except KeyboardInterrupt as stop:
            found = stop.best if isinstance(stop, Interrupted) else None
            if isinstance(found, Sweep):
                draws.append(Draw(z, found, lambda k: found.colors[k]))
            elif isinstance(found, Coloring):
                proper = found
            raise
        finally:
            _keep(course, draws, proper, asked)
    return sorted(draws, key=lambda draw: draw.rank)


def _embedded(
    course: Course, model: Embedder, clock: Clock, asked: Asked
) -> Iterator[NDArray[np.float32]]:
    """Embeddings from different draws of the features, as many as fit."""
    several = model.features.is_stochastic and course.graph.n <= SMALL
    took = 0.0
    for draw in range(asked.draws if several else 1):
        if draw and clock.left < took:
            break
        before = clock.seconds
        z = model.embed_within(
            course.graph,
            seed=course.task.seed + draw,
            clock=Clock() if asked.alone and not draw else clock,
            threads=asked.threads,
            progress=lambda step, steps: course.tell(f"embed, step {step} of {steps}"),
        )
        if z is None:
            break
        took = clock.seconds - before
        yield z


def _has_time_to_follow(course: Course, clock: Clock) -> bool:
    """Whether one clustering into as many colors as the best has, which guided needs, fits."""
    assert course.best is not None
    return clock.expected(3e-8 * course.graph.n * course.best.k * 64) < clock.left


def _wants_proper(course: Course) -> bool:
    return course.goal.k is None and course.goal.budget == 0


def _decoded(course: Course, model: Embedder, z: NDArray[np.float32], clock: Clock) -> Draw:
    goal = course.goal
    allowed = goal.max_mono or 0.0
    if _wants_proper(course) and goal.max_mono is None:
        allowed = RAW_MONO
    seed = course.task.seed
    sweep = sweep_of(
        model.recipe,
        course.graph,
        z,
        max_mono=allowed,
        k_max=goal.k or K_MAX,
        seed=seed,
        time_limit=clock.left,
    )
    return Draw(z, sweep, clusters_of(model.recipe, z, seed))


def _keep(course: Course, draws: Sequence[Draw], proper: Coloring | None, asked: Asked) -> None:
    """The raw answer of the model; where the model is alone, it is the answer."""
    if not draws:
        return
    best = min(draws, key=lambda draw: draw.rank)
    course.z, course.sweep, course.model = best.z, best.sweep, asked.name
    course.raw = best.sweep.best if proper is None else proper
    if asked.alone:
        course.offer(course.raw, "model")
    elif proper is not None and course.goal.rules.are_none:
        course.offer(proper, "guided")


def repaired(course: Course, part: Reduced, draws: Sequence[Draw]) -> None:
    """Clusters of each draw at every promising k, given a short search each."""
    with course.stage("repair"), one_blas_thread():
        search = part.within(course.share(0.2, 1.0))
        if course.start == "guided" and course.best is not None:
            search.offer(part.inside(course.best.colors))
        step = tabu(20_000 + 2 * part.task.graph.n)
        for k in _promising(course, draws):
            for draw in draws:
                if search.task.clock.is_over or search.is_proved:
                    return
                if course.goal.k is None and search.best is not None and k >= search.best_k:
                    return
                try:
                    attempt(search, part.inside(draw.at(k)), step)
                finally:
                    part.give_back("clusters")


def _promising(course: Course, draws: Sequence[Draw]) -> Sequence[int]:
    """Numbers of colors, ascending: below the best so far, not below what is proved or hopeless."""
    if course.goal.k is not None:
        return [min(course.goal.k, course.graph.n)]
    assert course.best is not None
    least = min(draw.sweep.k_star() for draw in draws)
    below = range(max(int(course.lower), least, 1), course.best.k)
    return [*below[:1], *below[1:][-KS:]]


def searched(course: Course, part: Reduced) -> None:
    """Search from the best: all kinds in turn for the rest of the time, or, where there is no
    limit, tabu search as long as it brings something."""
    free = course.clock.limit is None
    with course.stage("search"):
        search = part.within(course.share(0.75 if _is_small(part) else 1, 2.0))
        search.at_once = two_cores()
        if course.best is not None:
            search.offer(part.inside(course.best.colors))
        try:
            go_down(search, tabu(PATIENCE) if free else InTurns())
        finally:
            part.give_back(course.start)


def compared(course: Course) -> None:
    """Put the null and the eigenvectors beside what the model gave, by the same rule."""
    if course.sweep is None:
        return
    graph, k, seed = course.graph, course.goal.k, course.task.seed
    max_mono = course.sweep.max_mono
    if course.fits(4e-9 * graph.m * (10 if k else 200), "the null", 0.05):
        with course.stage("null"):
            course.null = null_of(graph, k=k, max_mono=max_mono, seed=seed)
    about = 8e-6 * graph.n + 1e-6 * (graph.m + graph.n * (k or 0))  # seconds
    if course.fits(about, "the eigenvectors alone", 0.1, CONTROL):
        with course.stage("spectral"), one_blas_thread():
            most = min(0.1 * course.clock.left, CONTROL)
            course.spectral = spectral_of(graph, k=k, max_mono=max_mono, seed=seed, time_limit=most)
        if course.spectral is None:
            course.left_out.append(f"the eigenvectors alone (more than {most:.1g} s)")
