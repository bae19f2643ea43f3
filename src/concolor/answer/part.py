"""``Reduced``: the part of the graph that decides the goal, and the search on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from concolor.answer.course import Course
from concolor.goal import Clock, Task
from concolor.graph.core import IntArray
from concolor.rules import Rules
from concolor.solvers.reduction import Reduction
from concolor.solvers.search import Search


class Reduced:
    """The part of the graph that decides the goal, and the search on it.

    What is proved to be colorable in any case is taken away and colored last, see
    :class:`~concolor.solvers.reduction.Reduction`: what is left is often small. Where colors have
    rules it is the whole graph.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        graph, goal, level = course.graph, course.goal, course.goal.k or max(int(course.lower), 1)
        task = course.task.but(progress=course.progress, at_least=course.chi_lower)
        self.reduction: Reduction | None = None
        if goal.rules.are_none:
            proper = goal.k is None and not goal.budget
            clock = course.clock
            found = Reduction(graph, level, goal.rules, dominated=proper, clock=clock)
            course.removed = found.counts
            if 10 * len(found.nodes) < 9 * graph.n:
                self.reduction, part = found, found.graph
                task = task.but(graph=part, goal=replace(goal, rules=Rules.of(part)))
        self.search = Search(task)
        if course.best is not None:
            self.search.offer(self.inside(course.best.colors))
        self.give_back(course.start)

    @property
    def task(self) -> Task:
        """What is asked of the part."""
        return self.search.task

    def inside(self, colors: NDArray[np.integer]) -> IntArray:
        """The colors of the part ``[n']``."""
        part = colors if self.reduction is None else colors[self.reduction.nodes]
        return np.asarray(part, np.int64)

    def give_back(self, start: str) -> None:
        """Offer the best of the part, extended to the whole graph."""
        if self.search.best is None:
            return
        colors = self.search.best.colors
        if self.reduction is not None:
            colors = self.reduction.lifted(colors)
        self.course.offer(colors, start)

    def within(self, clock: Clock) -> Search:
        """The search, to end when the clock says so."""
        self.search.task = self.search.task.but(clock=clock)
        return self.search
