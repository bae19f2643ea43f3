r"""Belief propagation: what every node would say of its color if the graph were a tree.

Node v tells its neighbor u how likely it takes each color, as far as all others but u know:

.. math:: \psi_{v \to u}(c) \propto \prod_{w \in N(v) \setminus u} (1 - \psi_{w \to v}(c))

Where k classes are hidden in a sparse random graph of mean degree above :math:`(k - 1)^2`, messages
that begin nearly alike drift to the hidden coloring, and no method is known that finds it at much
lower degrees (Decelle, Krzakala, Moore and Zdeborová 2011). A hint says where to drift. Where the
messages settle short of a coloring, or never, every node is pulled more and more to what it
believes, until it is sure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from concolor.coloring import count_conflicts
from concolor.goal import Clock, Solution, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import twins
from concolor.solvers.descent import attempt, ended, go_down, stay
from concolor.solvers.greedy import begun
from concolor.solvers.kernels.belief import pass_messages
from concolor.solvers.local_search import patience_of, tabu
from concolor.solvers.search import Search

WEAK = 0.05  # how far the first messages follow the hint; strong ones never come to an agreement
ROUNDS, SURE = 100, 300  # of messages alone; of those with a pull
PULL = 0.002  # a round takes so much of what the pull lacks of 1
SETTLED = 1e-3  # mean change of a belief
LOOK = 10  # rounds between two counts of conflicts
BRIEF = 100_000  # moves of tabu search that remove what conflicts are left
FIRST = 4e-8  # seconds for every number of the messages to make them and pass them once, about
TRIES = 8  # where no time limit says how many


def belief(task: Task) -> Solution:
    """Belief propagation, then tabu search from there: strong where a coloring is hidden.

    It is tried again with other random numbers where it fails: so often, or with a time limit in
    half of the time; the rest belongs to tabu search from the best. A start is the hint of every
    other try. Where k is not given, it goes down from DSATUR's number of colors as long as that
    succeeds.

    >>> from concolor.graph.families import family
    >>> belief(Task.of(family("planted:400x4x0.06"))).coloring.k
    4
    """
    search = Search(task)
    return ended(search, lambda: _descend(search))


def _descend(search: Search) -> None:
    task, goal = search.task, search.goal
    attempt(search, begun(task), stay)
    search.task = task.but(clock=task.clock.share(0.5))
    if goal.k is not None:
        _tried(search, goal.k)
    else:
        while search.best_k > 1 and _tried(search, search.best_k - 1):
            pass
    search.task = task
    go_down(search, tabu(patience_of(task)))


def _tried(search: Search, k: int) -> bool:
    """Look for a coloring with k colors; is there one?"""
    task, graph, clock = search.task, search.graph, search.task.clock
    hint = None if task.start is None else task.start.colors
    numbers = (graph.n + 2 * graph.m) * k
    for turn in range(TRIES if clock.limit is None else 2**62):
        if search.is_proved or clock.is_over or not clock.fits(FIRST * numbers, 1.0):
            break
        lean = None if turn % 2 else hint
        attempt(
            search,
            believed(graph, k, hint=lean, seed=task.seed + turn, clock=clock),
            tabu(BRIEF),
        )
        assert search.best is not None
        if search.best_k <= k and search.goal.is_reached(search.best):
            return True
    return False


def believed(
    graph: Graph,
    k: int,
    *,
    hint: NDArray[np.integer] | None = None,
    sure: bool = True,
    seed: int = 0,
    clock: Clock | None = None,
) -> IntArray:
    """Colors ``[n]`` in 0..k-1 that the nodes believe in, those with the fewest conflicts.

    Args:
        hint: Colors ``[n]``, to which the first messages lean a little; of those from k on nothing
            is made. Default: a random lean.
        sure: Pull nodes to what they believe in the end; else take what the messages alone say.
        seed: Draws the order of the nodes and the random lean.
        clock: When it is over, what is believed by then is returned.
    """
    clock, talk = clock or Clock(), Talk(graph, k, hint, seed)
    if talk.goes_on([0.0] * ROUNDS, clock) and sure:
        talk.goes_on([1 - (1 - PULL) ** turn for turn in range(1, SURE + 1)], clock)
    return talk.best


class Talk:
    """Messages under way, and the coloring with the fewest conflicts that was believed so far."""

    def __init__(self, graph: Graph, k: int, hint: NDArray[np.integer] | None, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.graph, self.order = graph, rng.permutation(graph.n)
        self.indptr, self.twin = graph.indptr.copy(), twins(graph)
        self.beliefs = np.full((graph.n, k), 1 / k, np.float32)
        self.messages = _first_messages(graph, k, hint, rng)
        self.best, self.conflicts = np.zeros(graph.n, np.int64), graph.m + 1

    def goes_on(self, pulls: Sequence[float], clock: Clock) -> bool:
        """A round for each of the pulls, or until nothing changes, or no further one fits; is there
        anything left to do?"""
        for turn, pull in enumerate(pulls, 1):
            began = clock.seconds
            change = pass_messages(
                self.indptr, self.twin, self.messages, self.beliefs, self.order, pull
            )
            is_last = change < SETTLED or turn == len(pulls) or clock.left < clock.seconds - began
            if is_last or turn % LOOK == 0:
                self._look()
            if is_last or self.conflicts == 0:
                break
        return self.conflicts > 0 and not clock.is_over

    def _look(self) -> None:
        colors = self.beliefs.argmax(axis=1)
        conflicts = count_conflicts(self.graph, colors)
        if conflicts < self.conflicts:
            self.best, self.conflicts = colors, conflicts


def _first_messages(
    graph: Graph, k: int, hint: NDArray[np.integer] | None, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Nearly alike for all colors: ``[2m, k]``, rows of sum 1."""
    if hint is None:
        lean = rng.random((len(graph.indices), k), dtype=np.float32)
        lean = 1 + WEAK * lean
        return np.asarray(lean / lean.sum(axis=1, keepdims=True))
    named = np.flatnonzero(hint < k)
    told = np.full((graph.n, k), 1 / k, np.float32)
    told[named] *= 1 - WEAK
    told[named, hint[named]] += WEAK
    return np.repeat(told, graph.degrees, axis=0)
