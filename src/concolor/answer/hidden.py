"""The stage of an answer that looks for hidden colorings: embed, cluster, believe, repair.

In large sparse graphs a coloring with few colors may be hidden that no local search comes near.
Clusters of a model that reads eigenvectors lean to it; belief propagation, which begins with that
lean, or with none, makes it out; a short tabu search removes what conflicts are left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concolor.answer.course import Course
from concolor.answer.part import Reduced
from concolor.coloring import count_conflicts
from concolor.decoding.cluster import line_means, sphere_means
from concolor.decoding.distance import unit
from concolor.features.spectral import lowest_vectors
from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.models import embedder
from concolor.solvers.belief import believed
from concolor.solvers.descent import attempt
from concolor.solvers.local_search import tabu
from concolor.threads import one_blas_thread

MOST = 10  # colors up to which something hidden is looked for
SMALL = 500  # nodes up to which a brief search finds what is hidden
MESSAGES = 200_000_000  # numbers, the most that belief propagation is given


def revealed(course: Course, part: Reduced) -> None:
    """Starts that see a coloring that was hidden, each given a short search."""
    graph, best, goal = part.task.graph, part.search.best, course.goal
    most = MOST if best is None else min(MOST, best.k - 1)
    ks = [goal.k] if goal.k else range(max(course.lower, 2), most + 1)
    ks = [k for k in ks if 2 <= k <= MOST and 2 * graph.m * k <= MESSAGES and graph.n > SMALL]
    about = 1e-7 * (graph.n + graph.m) * (MOST + 4)  # seconds
    if not ks or not course.fits(about, "starts for hidden colorings", 0.1):
        return
    with course.stage("hidden"), one_blas_thread():
        clock = course.share(0.3, 2.0)
        seen = _by_model(graph, ks, clock.share(0.5), course.task.seed)
        near = [k for k in ks if k in seen and _is_near(graph, seen[k], k)]
        for k in near:
            if _is_found(course, part, k, clock, "hidden", seen[k]):
                return  # nothing is hidden below: the model would lean to it
        for name, sure, order in (
            ("belief", False, near or ks),
            ("belief", True, near or ks[::-1]),
        ):
            if any([_is_found(course, part, k, clock, name, sure=sure) for k in order]):
                return
        for k in near or ks[::-1]:
            vectors = lowest_vectors(graph, k - 1)[1]
            hint = sphere_means(unit(vectors), course.task.seed)(k).clusters.astype(np.int64)
            _is_found(course, part, k, clock, "spectral", hint)


def _is_found(
    course: Course,
    part: Reduced,
    k: int,
    clock: Clock,
    name: str,
    hint: IntArray | None = None,
    *,
    sure: bool = True,
) -> bool:
    """Look for a coloring with k colors, unless there is one already or no time is left."""
    graph, search, goal = part.task.graph, part.search, course.goal
    is_needed = search.best is None or goal.k or k < search.best_k
    if clock.is_over or search.is_proved or not is_needed:
        return False
    share, seed = clock.share(0.3), course.task.seed
    colors = believed(graph, k, hint=hint, sure=sure, seed=seed, clock=share)
    if not _is_near(graph, colors, k):
        return False
    try:
        attempt(part.within(clock.share(0.3)), colors, tabu(100_000 + 10 * graph.n))
    finally:
        part.give_back(name)
    return search.best is not None and search.best_k <= k and goal.is_reached(search.best)


def _by_model(graph: Graph, ks: Sequence[int], clock: Clock, seed: int) -> dict[int, IntArray]:
    """Clusters ``[n]`` of the model ``hidden`` for each k; none where there is no time for it."""
    model = embedder("hidden")
    z = None if model is None else model.embed_within(graph, seed=seed, clock=clock)
    if z is None:
        return {}
    cluster = line_means(z, seed)
    return {k: cluster(k).clusters.astype(np.int64) for k in ks}


def _is_near(graph: Graph, colors: IntArray, k: int) -> bool:
    """Whether the colors leave a quarter of the conflicts of chance, or less: promising."""
    return 4 * k * count_conflicts(graph, colors) <= graph.m
