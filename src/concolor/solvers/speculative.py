"""First fit on two cores: guess, look for clashes, guess again.

The order is cut into blocks, and each block into two halves. Both are colored at the same time, by
threads that know all earlier blocks and their own half, but not the other. Where neighbors in both
got the same color, the one in the second half waits for the next block. Who is faster changes
nothing: the coloring depends on the order and the size of the blocks only, and one core makes the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import InputError, interruptible
from concolor.fleet import WorkersLost
from concolor.goal import Progress, Solution, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import by_degree, csr
from concolor.rules import Rules
from concolor.solvers.blocks import (
    Crew,
    Round,
    class_order,
    color_in_blocks,
    recolor_in_blocks,
)
from concolor.solvers.descent import cut_down
from concolor.solvers.greedy import fitted
from concolor.threads import two_cores

LOSSES = 3  # of workers, that end it
PATIENCE = 6  # recolorings in a row without a color less
BLOCK = 1 << 13  # nodes; fewer mean fewer clashes, and more waiting for the slower half


def speculative(
    graph: Graph, order: IntArray, *, threads: int | None = None, block: int = BLOCK
) -> IntArray:
    """The colors ``[n]`` of first fit, nearly in the given order, by two threads.

    Args:
        graph: Any graph.
        order: All nodes, each once.
        threads: 1 for the same without threads; default: two where there are two cores.
        block: Nodes that are colored between two looks for clashes.

    >>> from concolor.graph.families import family
    >>> speculative(family("path:4"), np.array([0, 3, 1, 2])).tolist()
    [0, 2, 1, 0]
    """
    with ThreadPoolExecutor(2) as pool:
        each = map if (threads or two_cores()) == 1 else pool.map
        return _colored(graph, order, each, block)


def _colored(graph: Graph, order: IntArray, each: Any, block: int) -> IntArray:
    from concolor.solvers.kernels.speculative import SIDE, clash, guess, settle

    indptr, indices = csr(graph)
    colors = np.full(graph.n, -1, np.int32)
    room = int(graph.degrees.max(initial=0)) + 1
    seen = [np.zeros(room + 1, np.int32) for _ in range(2)]
    waiting, done = order[:0], 0
    while done < graph.n or len(waiting):
        fresh = max(block - len(waiting), 0)
        nodes = np.concatenate([waiting, order[done : done + fresh]])
        done = min(done + fresh, graph.n)
        again, half = np.zeros(len(nodes), bool), (len(nodes) + 1) // 2
        sides = ((nodes[:half], SIDE), (nodes[half:], 2 * SIDE))
        guesses = [
            (side, colors, mark, room) for (side, mark), room in zip(sides, seen, strict=True)
        ]
        quarter = (half + len(nodes)) // 2
        parts = slice(half, quarter), slice(quarter, len(nodes))
        list(each(lambda given: guess(indptr, indices, *given), guesses))
        checks = [(nodes[part], colors, again[part]) for part in parts]
        list(each(lambda given: clash(indptr, indices, *given), checks))
        waiting = np.empty(len(nodes), np.int64)
        waiting = waiting[: settle(nodes, colors, again, waiting)]
    return colors.astype(np.int64)


def solve_speculative(
    task: Task,
    *,
    threads: int | None = None,
    workers: int | None = None,
    cluster: str | None = None,
) -> Solution:
    """Greedy on two cores, or in blocks on several processes; then recoloring by classes.

    Recoloring goes on until some turns in a row brought nothing, or until the time is over.

    Args:
        task: What to do; it knows no rules.
        threads: 1 for the same without threads, where there are no workers.
        workers: Processes of this machine, each with a block of nodes.
        cluster: Address of a Dask scheduler, each of whose workers gets a block.

    Raises:
        WorkersLost: Workers were lost three times; after the first two all begins again.

    >>> from concolor.goal import Task
    >>> from concolor.graph.families import family
    >>> solve_speculative(Task.of(family("queen:5x5"))).coloring.is_proper
    True
    """
    from concolor.solvers.crews import dask_workers, local_processes

    if workers is not None and cluster is not None:
        raise InputError(f"give workers or cluster, not both: got {workers} and {cluster!r}")
    graph, seed = task.graph, task.seed
    if cluster is not None:
        return _by_a_crew(task, lambda lost: dask_workers(graph, cluster, seed, lost))
    if workers is not None:
        return _by_a_crew(task, lambda lost: local_processes(graph, workers, seed))
    return improved(task, Alone(graph, threads))


def _by_a_crew(task: Task, crew: Callable[[list[str]], AbstractContextManager[Crew]]) -> Solution:
    """Where a worker is lost, all begins again with those who are there; so many times at most."""
    from concolor.solvers.crews import Lost

    lost: list[str] = []
    while True:
        try:
            with crew(lost) as held:
                return improved(task, Together(held))
        except Lost as loss:
            lost.append(loss.place)
            if len(lost) == LOSSES:
                raise WorkersLost(
                    f"workers were lost {LOSSES} times, the last at {loss.place}: is there memory "
                    f"enough for {task.graph.name}?",
                    [],
                ) from loss


class Alone:
    """In this process: first fit by falling degree on two cores, then in the order of classes."""

    def __init__(self, graph: Graph, threads: int | None = None) -> None:
        self.graph, self.threads = graph, threads
        self.rounds: list[Round] = []

    def first(self) -> IntArray:
        """A proper coloring ``[n]``."""
        return speculative(self.graph, by_degree(self.graph), threads=self.threads)

    def again(self, colors: IntArray, order: Sequence[int]) -> IntArray:
        """The classes in that order take the first free colors: ``[n]``, never more of them."""
        rank = np.empty(
            int(colors.max(initial=0)) + 1, np.int16 if len(order) < 2**15 else np.int64
        )
        rank[list(order)] = np.arange(len(order))
        nodes = np.argsort(rank[colors], kind="stable")  # 16 bits are sorted in time of n
        return fitted(self.graph, nodes, Rules.of(self.graph))


class Together:
    """The same by a crew, block by block."""

    def __init__(self, crew: Crew) -> None:
        self.crew = crew
        self.rounds: list[Round] = []

    def first(self) -> IntArray:
        """A proper coloring ``[n]``."""
        color_in_blocks(self.crew, self.rounds.append)
        return self._colors()

    def again(self, colors: IntArray, order: Sequence[int]) -> IntArray:
        """The classes in that order take the first free colors: ``[n]``, never more of them."""
        recolor_in_blocks(self.crew, order, self.rounds.append)
        return self._colors()

    def _colors(self) -> IntArray:
        return np.concatenate(self.crew.each("result", ())).astype(np.int64)


def improved(task: Task, way: Alone | Together) -> Solution:
    """The first coloring of a way, recolored as long as that pays; the rounds that it took."""
    best: Coloring | None = None

    def solution() -> Solution | None:
        if best is None:
            return None
        fits = task.goal.budget == 0 and task.goal.has_room(best.colors)
        found = task.solution(best) if fits else cut_down(task.but(start=best))
        return replace(found, rounds=tuple(round.to_dict() for round in way.rounds))

    rng, turn, in_vain = np.random.default_rng(task.seed), 0, 0
    with interruptible(solution):
        best = Coloring(task.graph, way.first())
        while in_vain < PATIENCE and not task.clock.is_over and best.k > task.chi_lower:
            sizes = np.bincount(best.colors)
            found = Coloring(task.graph, way.again(best.colors, class_order(sizes, turn, rng)))
            in_vain = 0 if found.k < best.k else in_vain + 1
            best, turn = found, turn + 1
            if task.progress is not None:
                task.progress(Progress(best.k, best.conflicts, turn, task.clock.seconds, best))
    found_all = solution()
    assert found_all is not None
    return found_all
