"""``answers``: from graphs to colorings with a model, stage by stage; ``color`` in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concolor.colorer import Colorer
from concolor.coloring import Coloring
from concolor.decoding.guided import TRIES, guided
from concolor.errors import InputError, Interrupted
from concolor.goal import Clock, Solution, Task
from concolor.graph.core import Graph
from concolor.graph.families.fixed import cycle
from concolor.learning.model import batches
from concolor.models import DEFAULT, load
from concolor.rules import Forbidden, Preset
from concolor.solvers.descent import lower_bound
from concolor.solvers.greedy import dsatur
from concolor.solvers.local_search import PATIENCE, tabucol, warm_up
from concolor.sweeps import K_MAX, Sweep

RAW_MONO = 0.05  # what the raw method may leave where a proper coloring is asked for
SMALL = 2000  # nodes for which there is time for several draws, and for all tries of guided


@dataclass(frozen=True, eq=False)
class Answer:
    """A coloring and how it came about.

    Attributes:
        solution: The coloring, and what is proved about better ones.
        raw: What the model alone gave for the same goal, before any search.
        sweep: The decoding of the embedding with 1, 2, ... colors.
        z: The embedding ``[n, d]`` behind it.
        seconds: By stage: embed, decode, polish.
    """

    solution: Solution
    raw: Coloring
    sweep: Sweep
    z: NDArray[np.float32]
    seconds: Mapping[str, float]

    @property
    def coloring(self) -> Coloring:
        """The answer."""
        return self.solution.coloring

    @property
    def hit(self) -> bool:
        """Whether the goal was reached."""
        return self.solution.hit


def answers(
    graphs: Sequence[Graph],
    model: Colorer | str | Path = DEFAULT,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    polish: bool = True,
    seed: int = 0,
    time_limit: float | None = None,
    draws: int = 4,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
) -> Iterator[Answer]:
    """Embed graphs batch by batch, then decode and polish one after the other.

    All arguments are checked at once; the work is done as the answers are asked for.

    Args:
        graphs: What to color.
        model: The name of a shipped model, a file that ``Colorer.save`` wrote, or a ``Colorer``.
        k: At most this many colors, fewest conflicts.
        max_mono: Fewest colors with at most this fraction of monochromatic edges. Neither of the
            two: fewest colors without conflicts.
        polish: Search on from what the model gives; without, that is the answer.
        seed: Decides random features, clusterings and the search.
        time_limit: Seconds for each graph after its embedding. Decoding begins nothing new once
            half of them are over; the polish uses the rest to the end, unless a bound is met.
            Default: all of the decoding, and a polish until a million moves bring nothing, but no
            longer than two seconds.
        draws: Of the random features, where a model reads such and the graph is not large; the
            best is kept.
        preset: Colors that nodes must have, as in :func:`concolor.solvers.solve`.
        forbidden: Colors that nodes must not have.

    Raises:
        Interrupted: On Ctrl-C, with the answer for the present graph as far as it came; a plain
            KeyboardInterrupt before there is one.
    """
    if not polish and (preset is not None or forbidden is not None):
        raise InputError("the raw method knows no preset and forbidden colors: let it polish")
    if draws < 1:
        raise InputError(f"draws must be at least 1, got {draws}")
    tasks = []
    for graph in graphs:
        if not isinstance(graph, Graph):
            kind = f"{type(graph).__module__}.{type(graph).__name__}"
            raise InputError(
                f"expected a concolor Graph, got {kind}: read files by concolor.read, and convert "
                "others by from_networkx, from_scipy or from_pyg"
            )
        task = Task.of(
            graph,
            k=k,
            max_mono=max_mono,
            preset=preset,
            forbidden=forbidden,
            seed=seed,
            time_limit=time_limit,
        )
        tasks.append(task)
    colorer = model if isinstance(model, Colorer) else load(model)
    return _answers(colorer, tasks, polish, draws)


def _answers(colorer: Colorer, tasks: Iterable[Task], polish: bool, draws: int) -> Iterator[Answer]:
    """The answers, with the embeddings of one batch in memory at a time."""
    for batch in batches(tasks, lambda task: task.graph.n):
        began = perf_counter()
        embedded = _embedded(colorer, [task.graph for task in batch], batch[0].seed, draws)
        seconds = {"embed": (perf_counter() - began) / len(batch)}
        if batch[0].clock.limit is not None:
            _warm_up(colorer)
        for task, drawn in zip(batch, embedded, strict=True):
            timed = task.but(clock=Clock(task.clock.limit))
            decoded = _decoded(colorer, timed, drawn)
            seconds["decode"] = timed.clock.seconds
            if decoded.is_interrupted:  # a search without time still keeps the rules
                timed = timed.but(clock=Clock(0.0))
            answer = _answer(timed, decoded, seconds, polish)
            if decoded.is_interrupted:
                raise Interrupted(answer)
            yield answer


def _answer(task: Task, decoded: _Decoded, seconds: Mapping[str, float], polish: bool) -> Answer:
    """Polish what was decoded, or take it as it is."""
    began = perf_counter()

    def answer(solution: Solution) -> Answer:
        spent = {"polish": perf_counter() - began} if polish else {}
        return Answer(solution, decoded.raw, decoded.sweep, decoded.z, {**seconds, **spent})

    goal, graph = task.goal, task.graph
    if not polish:
        return answer(task.solution(decoded.raw, goal.bound(lower_bound(graph))))
    free = task.clock.limit is None
    clock = Clock(2.0 if free else task.clock.left)
    start = goal.better(decoded.raw, dsatur(graph))
    try:
        return answer(
            tabucol(task.but(clock=clock, start=start), patience=PATIENCE if free else None)
        )
    except Interrupted as stop:
        raise Interrupted(answer(stop.best)) from stop


def _embedded(
    colorer: Colorer, graphs: Sequence[Graph], seed: int, draws: int
) -> list[list[NDArray[np.float32]]]:
    """For each graph its embeddings, one for each draw of the features; large graphs get one."""
    found = [[z] for z in colorer.embed_many(graphs, seed=seed)]
    if colorer.model.features.is_stochastic:
        small = [place for place, graph in enumerate(graphs) if graph.n <= SMALL]
        for draw in range(1, draws):
            again = colorer.embed_many([graphs[place] for place in small], seed=seed + draw)
            for place, z in zip(small, again, strict=True):
                found[place].append(z)
    return found


class _Decoded(NamedTuple):
    """What the model alone gives: the best sweep of all draws, its embedding, and the answer."""

    sweep: Sweep
    z: NDArray[np.float32]
    raw: Coloring
    is_interrupted: bool  # by Ctrl-C: there would have been more


def _decoded(colorer: Colorer, task: Task, drawn: Sequence[NDArray[np.float32]]) -> _Decoded:
    """Sweep draw by draw; where a proper coloring is asked for, follow the embeddings to one."""
    graph, goal, clock = task.graph, task.goal, task.clock.share(0.5)
    is_proper, is_said = goal.k is None and goal.budget == 0, goal.max_mono is not None
    allowed = RAW_MONO if is_proper and not is_said else goal.max_mono or 0.0
    found: list[tuple[Sweep, NDArray[np.float32]]] = []
    proper, is_interrupted = None, False
    try:
        for z in drawn:
            sweep = colorer.sweep(
                graph,
                z=z,
                max_mono=allowed,
                k_max=goal.k or K_MAX,
                seed=task.seed,
                time_limit=clock.left,
            )
            found.append((sweep, z))
            if sweep.is_cut:
                break
        if is_proper:
            tries = max(TRIES * SMALL // max(graph.n, SMALL), len(drawn))
            z = np.stack(drawn)
            proper = guided(graph, z, tries=tries, seed=task.seed, time_limit=clock.left)
    except KeyboardInterrupt as stop:
        best_so_far = stop.best if isinstance(stop, Interrupted) else None
        if isinstance(best_so_far, Sweep):
            found.append((best_so_far, z))
        elif isinstance(best_so_far, Coloring):
            proper = best_so_far
        if not found:
            raise
        is_interrupted = True
    best, z = min(found, key=lambda pair: _rank(pair[0]))
    return _Decoded(best, z, best.best if proper is None else proper, is_interrupted)


def _rank(sweep: Sweep) -> tuple[bool, bool, int, int]:
    """Smaller is better: few colors, or few conflicts where the rule is missed, best to the end."""
    if sweep.hit():
        return False, False, sweep.k_star(), sweep.best.conflicts
    return True, sweep.is_cut, sweep.best.conflicts, sweep.k_star()


def _warm_up(colorer: Colorer) -> None:
    """Load and compile what the stages need, before a clock runs, on a graph that takes no time."""
    graph, z = cycle(5), np.eye(5, dtype=np.float32)
    colorer.sweep(graph, z=z, k_max=2)
    guided(graph, z, tries=1)
    warm_up()


def color(
    graph: Graph,
    *,
    model: Colorer | str | Path = DEFAULT,
    k: int | None = None,
    max_mono: float | None = None,
    polish: bool = True,
    seed: int = 0,
    time_limit: float | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
) -> Coloring:
    """Color a graph: a proper coloring with the fewest colors found, or what ``k`` or
    ``max_mono`` ask for.

    The arguments are those of :func:`answers`, which also tells how an answer came about.

    Raises:
        Interrupted: On Ctrl-C, with the best coloring so far.

    >>> from concolor.graph.families import family
    >>> color(family("petersen"))
    Coloring('petersen', k=3, conflicts=0)
    """
    try:
        (found,) = answers(
            [graph],
            model,
            k=k,
            max_mono=max_mono,
            polish=polish,
            seed=seed,
            time_limit=time_limit,
            preset=preset,
            forbidden=forbidden,
        )
    except Interrupted as stop:
        raise Interrupted(stop.best.coloring) from stop
    return found.coloring
