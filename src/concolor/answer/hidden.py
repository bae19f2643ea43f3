"""The stage of an answer that looks for hidden colorings: embed, cluster, believe, repair.

In large sparse graphs a coloring with few colors may be hidden that no local search comes near.
Clusters of a model that reads eigenvectors lean to it; belief propagation, which begins with that
lean, or with none, makes it out; a short tabu search removes what conflicts are left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from concolor.answer.course import Course
from concolor.answer.part import Reduced
from concolor.coloring import count_conflicts
from concolor.decoding.cluster import line_means, sphere_means
from concolor.decoding.distance import unit
from concolor.features.spectral import lowest_vectors, vector_seconds
from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.models import embedder
from concolor.solvers.belief import believed
from concolor.solvers.descent import attempt
from concolor.solvers.local_search import tabu
from concolor.threads import one_blas_thread

MOST = 10  # colors up to which something hidden is looked for
SMALL = 500  # nodes up to which a brief search finds what is hidden
LEANS, NEAR, CLEAR = 2, 4, 40  # times fewer conflicts than chance: a hint, promising, nearly done
MESSAGES = 200_000_000  # numbers, the most that belief propagation is given


def revealed(course: Course, part: Reduced) -> None:
    """Starts that see a coloring that was hidden, each given a short search."""
    graph, best, goal = part.task.graph, part.search.best, course.goal
    most = MOST if best is None else min(MOST, best.k - 1)
    ks = [goal.k] if goal.k else range(max(int(course.lower), 2), most + 1)
    ks = [k for k in ks if 2 <= k <= MOST and 2 * graph.m * k <= MESSAGES and graph.n > SMALL]
    about = 1e-7 * (graph.n + graph.m) * (MOST + 4)  # seconds
    if not ks or not course.fits(about, "starts for hidden colorings", 0.2):
        return
    with course.stage("hidden"), one_blas_thread():
        clock = course.share(0.3, 2.0)
        seen = _by_model(graph, ks, clock.share(0.5), course.task.seed)
        near = [k for k in seen if _beats_chance(graph, seen[k], k, NEAR)]
        if _by_hints(course, part, seen, near, clock):
            return  # nothing else is hidden below: the model would lean to it
        for name, sure, order in (
            ("belief", False, near or ks),
            ("belief", True, near or ks[::-1]),
        ):
            if any([_is_found(course, part, k, clock, name, sure=sure) for k in order]):
                return
        for k in near or ks[::-1]:
            about = clock.expected(vector_seconds(graph, k - 1))
            if about > clock.left or not _is_needed(course, part, k, clock):
                continue
            vectors = lowest_vectors(graph, k - 1)[1]
            hint = sphere_means(unit(vectors), course.task.seed)(k).clusters.astype(np.int64)
            _is_found(course, part, k, clock, "spectral", hint)


def _by_hints(
    course: Course, part: Reduced, hints: Mapping[int, IntArray], near: Sequence[int], clock: Clock
) -> bool:
    """Whether messages that begin with hints, colors by k, end in a coloring; near ones first.

    Where k is right, the messages say so. A k that is too small leaves a search much to do, in
    vain: it gets its turn last, and only where the hint itself was near.
    """
    graph, found = part.task.graph, False
    weak = [k for k in hints if k not in near and _beats_chance(graph, hints[k], k, LEANS)]
    unclear: dict[int, IntArray] = {}
    for k in (*near, *weak):
        colors = _told(course, part, k, clock, hints[k], sure=k in near)
        if colors is None:
            continue
        if _beats_chance(graph, colors, k, CLEAR):
            found = _is_repaired(course, part, k, colors, clock, "hidden")
        elif k in near:
            unclear[k] = colors
        if found:
            break
    for k, colors in unclear.items():
        if _is_needed(course, part, k, clock):
            found |= _is_repaired(course, part, k, colors, clock, "hidden")
    return found


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
    colors = _told(course, part, k, clock, hint, sure=sure)
    return colors is not None and _is_repaired(course, part, k, colors, clock, name)


def _told(
    course: Course,
    part: Reduced,
    k: int,
    clock: Clock,
    hint: IntArray | None,
    *,
    sure: bool,
) -> IntArray | None:
    """What messages say of k colors, None where it is not needed or not promising."""
    if not _is_needed(course, part, k, clock):
        return None
    graph, seed = part.task.graph, course.task.seed
    colors = believed(graph, k, hint=hint, sure=sure, seed=seed, clock=clock.share(0.3))
    return colors if _beats_chance(graph, colors, k, NEAR) else None


def _is_needed(course: Course, part: Reduced, k: int, clock: Clock) -> bool:
    """There is time, and no coloring with k colors yet."""
    search = part.search
    is_new = search.best is None or course.goal.k or k < search.best_k
    return bool(is_new) and not clock.is_over and not search.is_proved


def _is_repaired(
    course: Course, part: Reduced, k: int, colors: IntArray, clock: Clock, name: str
) -> bool:
    """Whether a short search makes a coloring of what the messages say."""
    search = part.within(clock.share(0.3))
    try:
        attempt(search, colors, tabu(100_000 + 10 * part.task.graph.n))
    finally:
        part.give_back(name)
    return search.best is not None and search.best_k <= k and course.goal.is_reached(search.best)


def _by_model(graph: Graph, ks: Sequence[int], clock: Clock, seed: int) -> dict[int, IntArray]:
    """Clusters ``[n]`` of the model ``hidden`` for each k; none where there is no time for it."""
    model = embedder("hidden")
    if model is None:
        return {}
    if clock.expected(vector_seconds(graph, model.features.channels // 2)) > clock.left:
        return {}
    z = model.embed_within(graph, seed=seed, clock=clock)
    if z is None:
        return {}
    cluster = line_means(z, seed)
    return {k: cluster(k).clusters.astype(np.int64) for k in ks}


def _beats_chance(graph: Graph, colors: IntArray, k: int, times: int) -> bool:
    """Whether the colors leave so many times fewer conflicts than random ones would."""
    return times * k * count_conflicts(graph, colors) <= graph.m
