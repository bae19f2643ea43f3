"""The graph has changed a little: colors for it that differ from the old ones in few nodes.

A timetable that people know, frequencies that are on the air: what must not change need not. Colors
keep their names, and nodes that are new may have any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concolor.coloring import Coloring
from concolor.errors import InputError, interruptible
from concolor.goal import Goal, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import csr
from concolor.rules import Forbidden, Preset, Rules
from concolor.solvers.descent import repaired
from concolor.solvers.greedy import solve_dsatur
from concolor.solvers.kernels import recolor as kernels
from concolor.solvers.local_search import PATIENCE, tabucol
from concolor.solvers.local_search import warm_up as warm_up_search
from concolor.solvers.reduction import induced

if TYPE_CHECKING:
    from concolor.graph.formats.convert import GraphLike

CLAUSES = 300_000  # of a formula up to which the fewest changes are asked of the exact solver
BRIEF = PATIENCE // 20  # moves without improvement for a part that may change


@dataclass(frozen=True, eq=False)
class Recoloring:
    """A coloring beside the one before.

    Attributes:
        coloring: The new one.
        old: The old colors ``[n]``, -1 for nodes that had none.
        lower: Changes that every proper coloring with so many colors has; more than there are
            nodes where there is proved to be none.
    """

    coloring: Coloring
    old: IntArray
    lower: int

    @property
    def changed(self) -> IntArray:
        """The nodes whose color is not the old one, ascending."""
        return np.flatnonzero((self.old >= 0) & (self.old != self.coloring.colors))

    @property
    def changes(self) -> int:
        """How many nodes changed their color; those that had none do not count."""
        return len(self.changed)

    @property
    def is_proved(self) -> bool:
        """Proper, and with the fewest changes that so many colors allow."""
        return self.coloring.is_proper and self.changes == self.lower

    @property
    def is_impossible(self) -> bool:
        """Proved: no proper coloring has so few colors, however many change."""
        return self.lower > len(self.old)


def recolor(
    graph: GraphLike,
    old: Coloring | Mapping[Any, int] | ArrayLike,
    *,
    k: int | None = None,
    max_changes: int | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Recoloring:
    """Color a graph near an old coloring: a proper coloring with few changes.

    Args:
        graph: What to color.
        old: The colors before: of another graph, whose nodes are found by name; by node; or an
            array ``[n]`` with -1 for nodes that had none.
        k: At most so many colors. Default: as many as before, or more where that is impossible.
        max_changes: Fewest colors with no more changes than this, instead of fewest changes.
        preset: Colors that nodes must have, as in :func:`concolor.solvers.solve`.
        forbidden: Colors that nodes must not have.
        seed: Decides the search.
        time_limit: In seconds; then the best so far.

    Raises:
        Interrupted: On Ctrl-C, with the recoloring so far.

    >>> from concolor.graph.families import family
    >>> found = recolor(family("cycle:5"), [0, 1, 0, 1, 0])
    >>> found.coloring.colors.tolist(), found.changes, found.is_proved
    ([2, 1, 0, 1, 0], 1, True)
    """
    if max_changes is not None and max_changes < 0:
        raise InputError(f"max_changes must be at least 0, got {max_changes}")
    warm_up()
    task = Task.of(graph, k=k, preset=preset, forbidden=forbidden, seed=seed, time_limit=time_limit)
    before = old_colors(task.graph, old)
    best: list[Recoloring] = []
    with interruptible(lambda: best[-1] if best else None):
        _descend(task, before, max_changes, best)
    return best[-1]


def old_colors(graph: Graph, old: Coloring | Mapping[Any, int] | ArrayLike) -> IntArray:
    """The old colors ``[n]`` of the nodes of a graph, -1 for those that have none."""
    if isinstance(old, Coloring):
        old = old.by_node() if old.graph.names is not None else old.colors
    if isinstance(old, Mapping):
        nodes = range(graph.n) if graph.names is None else graph.names
        given = np.array([old.get(node, -1) for node in nodes])
    else:
        given = np.asarray(old)
        if given.ndim != 1 or len(given) > graph.n:
            raise InputError(
                f"old colors {given.shape} for the {graph.n} nodes of {graph.name}: where nodes "
                "were removed, give them by name"
            )
    if given.size and given.dtype.kind not in "iu":
        raise InputError(f"old colors must be whole numbers, got {given.dtype}")
    found = np.full(graph.n, -1)
    found[: len(given)] = given.clip(min=-1)
    return found


def _descend(task: Task, old: IntArray, max_changes: int | None, best: list[Recoloring]) -> None:
    """Fill ``best``, the last of which is the answer so far."""
    used, rules = len(np.unique(old[old >= 0])), task.goal.rules
    best.append(Recoloring(_first(task, old), old, 0))  # so that there always is one
    if task.clock.is_over:
        return
    k = task.goal.k or max(used, task.chi_lower, len(rules.preset_colors), 1)
    found = _near(task, old, k)
    while not (task.goal.k or found.coloring.is_proper or task.clock.is_over):
        k += 1
        found = _near(task, old, k)
    if found.coloring.is_proper or task.goal.k:
        best.append(found)
    while max_changes is not None and best[-1].coloring.k > task.chi_lower:
        fewer = _near(task, old, best[-1].coloring.k - 1)
        if not fewer.coloring.is_proper or fewer.changes > max_changes or task.clock.is_over:
            return
        best.append(fewer)


def _first(task: Task, old: IntArray) -> Coloring:
    """Old colors that are in no conflict, and first fit; DSATUR where that needs more than k."""
    rules, k = task.goal.rules, task.goal.k
    colors = repaired(task.graph, rules, np.where(rules.accept(old), old, -1))
    if k is None or colors.max(initial=-1) < k:
        return Coloring(task.graph, colors)
    return solve_dsatur(task).coloring


def _near(task: Task, old: IntArray, k: int) -> Recoloring:
    """At most k colors with few changes; not proper where none was found."""
    change = _Change(task, old, k)
    change.repair()
    change.go_back()
    change.ask()
    return Recoloring(Coloring(task.graph, change.names), old, change.lower)


class _Change:
    """Old colors on the way to new ones.

    Attributes:
        palette: The names of k colors: those that most nodes had, and new ones where there is room.
        old, now: Places in the palette ``[n]``, -1 for none.
        allowed: ``[n, k]``, what the rules say.
        may_stay: ``[n]``, the old color is still there and allowed.
        must: How many nodes had a color that is not.
        lower: Changes that are certainly needed.
    """

    def __init__(self, task: Task, old: IntArray, k: int) -> None:
        self.task, self.graph, rules = task, task.graph, task.goal.rules
        self.palette = _palette(old, k, rules.preset_colors, task.goal.k)
        place = np.searchsorted(self.palette, old).clip(max=k - 1)
        self.old = np.where(self.palette[place] == old, place, -1)
        self.allowed = rules.allow(self.palette)
        self.may_stay = (self.old >= 0) & self.allowed[np.arange(self.graph.n), self.old]
        self.must = int(np.count_nonzero((old >= 0) & ~self.may_stay))
        self.now = np.where(self.may_stay, self.old, -1)
        self.lower = self.must + kernels.matched(*csr(self.graph), self.now)

    @property
    def names(self) -> IntArray:
        """The colors by name ``[n]``."""
        return self.palette[self.now]

    def repair(self) -> None:
        """Free the nodes that must change, and more around them until they find colors."""
        free = self.now < 0
        kernels.uncover(*csr(self.graph), self.now, free)
        while True:
            now = self._colored(free)
            bad = np.flatnonzero(kernels.troubled(*csr(self.graph), now, free))
            if not len(bad) or self.task.clock.is_over or free.all():
                self.now = now
                return
            before = np.count_nonzero(free)
            kernels.make_way(*csr(self.graph), self.now, free, bad, self.allowed)
            if np.count_nonzero(free) == before:
                free[np.concatenate([self.graph.neighbors(v) for v in bad.tolist()])] = True
            if np.count_nonzero(free) == before:
                free[:] = True

    def _colored(self, free: NDArray[np.bool_]) -> IntArray:
        """The old colors, and for free nodes the best that a brief search finds."""
        nodes = np.flatnonzero(free)
        if not len(nodes):
            return self.now
        open_to = self.allowed[nodes]
        kernels.close(*csr(self.graph), self.now, free, nodes, open_to)
        some = open_to.any(axis=1)
        now = self.now.copy()
        now[nodes[~some]] = self.allowed[nodes[~some]].argmax(axis=1)  # in conflict, to be seen
        nodes, open_to = nodes[some], open_to[some]
        if len(nodes):
            part = induced(self.graph, nodes)
            start = np.where(self.old[nodes] >= 0, self.old[nodes], open_to.argmax(axis=1))
            goal, clock = (
                Goal(Rules.closing(~open_to), k=len(self.palette)),
                self.task.clock.share(0.5),
            )
            task = Task(part, goal, self.task.seed, clock, Coloring(part, start))
            now[nodes] = tabucol(task, patience=BRIEF).coloring.colors
        return now

    def go_back(self) -> None:
        """Let every node that may have its old color again take it."""
        kernels.go_back(*csr(self.graph), self.old, self.may_stay, self.now)

    def ask(self) -> None:
        """Fewer and fewer changes of the exact solver, on a small graph, until there are none."""
        from concolor.solvers.sat import asked_once, kept

        graph, k, clock = self.graph, len(self.palette), self.task.clock
        if graph.m * k + graph.n * k * k + graph.n**2 > CLAUSES:
            return
        old = np.where(self.may_stay, self.old, -1)  # the others change, and are counted
        while self._changes(self.now) > self.lower and not clock.is_over:
            most = self._changes(self.now) - 1
            few = partial(kept, old, k, most - self.must)
            answer = asked_once(graph, k, few, clock, allowed=self.allowed, named=True)
            if answer is False:
                self.lower = most + 1
            if not isinstance(answer, np.ndarray):
                return
            self.now = answer

    def _changes(self, now: IntArray) -> int:
        if Coloring(self.graph, now).conflicts:
            return self.graph.n + 1
        return self.must + int(np.count_nonzero(self.may_stay & (now != self.old)))


@cache
def warm_up() -> None:
    """Compile, or load what was compiled, before a clock starts: a triangle and a node apart."""
    warm_up_search()
    graph = Graph.from_edges(4, [(0, 1), (0, 2), (1, 2)])
    change = _Change(Task.of(graph), np.zeros(4, np.int64), 2)
    change.repair()
    change.go_back()


def _palette(old: IntArray, k: int, preset: IntArray, most: int | None) -> IntArray:
    """The names of k colors, ascending: preset ones, those of the largest old classes, new ones."""
    names, sizes = np.unique(old[old >= 0], return_counts=True)
    if most is not None:  # then names are 0..k-1
        names, sizes = names[names < most], sizes[names < most]
    ranked = names[np.argsort(-sizes, kind="stable")]
    others = np.arange(k + (old.max(initial=-1) + 1) + len(preset))
    wanted = list(dict.fromkeys([*preset.tolist(), *ranked.tolist(), *others.tolist()]))
    return np.sort(np.array(wanted[:k], np.int64))
