"""The stages of an answer where edges have weights: k colors with little of it in conflict."""

from __future__ import annotations

import numpy as np

from concolor.answer.course import Course
from concolor.answer.stages import Asked, Open, compared, greedy, learned
from concolor.errors import let_through
from concolor.goal import Clock
from concolor.graph.core import IntArray
from concolor.solvers.maxsat import is_small
from concolor.solvers.weights import BRIEF, PATIENCE, Lightest, can_prove
from concolor.threads import one_blas_thread


def weighed(course: Course, open_model: Open, asked: Asked, bounds_first: bool) -> None:
    """Greedy colorings, a brief search and a proof for small graphs; then clusters of the model,
    which sees the graph without weights, are starts like others."""
    greedy(course)
    let_through()
    if course.clock.is_over:
        return
    with course.stage("bounds"):
        search = Lightest(course.task.but(progress=course.progress))
        course.bound(search.lower)
        if course.best is not None:
            search.offer(course.best.colors)
    stages = _Stages(course, search)
    stages.begin()
    stages.search(course.share(0.1, 0.2), BRIEF)
    stages.prove(course.share(0.1, 0.3))
    if course.clock.is_over or (course.is_settled and bounds_first):
        return
    draws = learned(course, open_model, asked)
    compared(course)
    for draw in draws:
        clusters = draw.at(min(search.k, course.graph.n)).astype(np.int64)
        stages.follow(clusters, course.share(0.2, 0.5))
    free = course.clock.limit is None
    is_last = not is_small(search.noise, search.k)
    stages.search(course.share(1 if is_last else 0.75, 2.0), PATIENCE if free else 2**62)
    stages.prove(course.share(1, 1.0))


class _Stages:
    """What the search finds in each stage, given to the course, on Ctrl-C too."""

    def __init__(self, course: Course, search: Lightest) -> None:
        self.course, self.lightest = course, search

    def begin(self) -> None:
        with self.course.stage("search"):
            try:
                self.lightest.begin()
            finally:
                self._give_back("cheapest")

    def search(self, clock: Clock, patience: int) -> None:
        with self.course.stage("search"):
            try:
                assert self.lightest.best is not None
                self.lightest.search([self.lightest.best.colors], clock, patience=patience)
            finally:
                self._give_back(self.course.start)

    def follow(self, clusters: IntArray, clock: Clock) -> None:
        with self.course.stage("repair"), one_blas_thread():
            try:
                start = self.lightest.fitted(clusters)
                self.lightest.search([start], clock, patience=BRIEF)
            finally:
                self._give_back("clusters")

    def prove(self, clock: Clock) -> None:
        if self.lightest.is_proved or clock.left < 0.01:
            return
        if not can_prove():
            self.course.left_out.append("a proof (python-sat is not installed)")
            return
        with self.course.stage("exact"):
            try:
                self.lightest.prove(clock)
            finally:
                self._give_back("exact")

    def _give_back(self, start: str) -> None:
        if self.lightest.best is not None:
            self.course.offer(self.lightest.best, start)
            self.course.bound(self.lightest.lower)
