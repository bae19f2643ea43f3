"""``answers``: from graphs to colorings with a model, stage by stage; ``color`` in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.coloring import Coloring
from concolor.decoding.guided import TRIES, guided
from concolor.errors import InputError, Interrupted
from concolor.goal import Clock, Solution, Task
from concolor.graph.core import Graph
from concolor.graph.families.fixed import cycle
from concolor.learning.grouping import batches
from concolor.models import DEFAULT, load, located
from concolor.rules import Forbidden, Preset
from concolor.solvers.greedy import dsatur, saturated
from concolor.solvers.local_search import PATIENCE, tabucol, warm_up
from concolor.sweeps import K_MAX, Sweep

if TYPE_CHECKING:
    from concolor.colorer import Colorer  # imports torch

ModelChoice: TypeAlias = "Colorer | str | Path | Callable[[], Colorer]"
RAW_MONO = 0.05  # what the raw method may leave where a proper coloring is asked for
SMALL = 2000  # nodes for which there is time for several draws, and for all tries of guided


@dataclass(frozen=True, eq=False)
class Answer:
    """A coloring and how it came about.

    Where bounds settled the graph before the model was needed, ``raw``, ``sweep`` and ``z`` are
    None.

    Attributes:
        solution: The coloring, and what is proved about better ones.
        seconds: By stage: bounds, embed, decode, polish.
        raw: What the model alone gave for the same goal, before any search.
        sweep: The decoding of the embedding with 1, 2, ... colors.
        z: The embedding ``[n, d]`` behind it.
    """

    solution: Solution
    seconds: Mapping[str, float]
    raw: Coloring | None = None
    sweep: Sweep | None = None
    z: NDArray[np.float32] | None = None

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
    model: ModelChoice = DEFAULT,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    polish: bool = True,
    bounds_first: bool = True,
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
        model: The name of a shipped model, a file that ``Colorer.save`` wrote, a ``Colorer``, or a
            function that makes one when it is needed.
        k: At most this many colors, fewest conflicts.
        max_mono: Fewest colors with at most this fraction of monochromatic edges. Neither of the
            two: fewest colors without conflicts.
        polish: Search on from what the model gives; without, that is the answer.
        bounds_first: Where DSATUR's coloring reaches the goal and a clique proves it optimal, that
            is the answer, and no model is loaded; where the model alone is asked for, never.
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
        raise InputError("the model alone cannot keep preset and forbidden colors: let it polish")
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
    if isinstance(model, (str, Path)):
        located(model)  # refuses what is no model before one is needed
    return _answers(model, tasks, polish, bounds_first and polish, draws)


def _answers(
    model: ModelChoice, tasks: Iterable[Task], polish: bool, bounds_first: bool, draws: int
) -> Iterator[Answer]:
    """The answers, with the embeddings of one batch in memory at a time."""
    colorer = cache(lambda: _loaded(model))  # when the first graph needs it
    for batch in batches(tasks, lambda task: task.graph.n):
        settled = [_settled(task) if bounds_first else None for task in batch]
        hard = [task for task, answer in zip(batch, settled, strict=True) if answer is None]
        embedded = _embedded(colorer, hard, draws)
        for task, answer in zip(batch, settled, strict=True):
            yield answer or _learned(colorer(), task, *next(embedded), polish)


def _loaded(model: ModelChoice) -> Colorer:
    if isinstance(model, (str, Path)):
        return load(model)
    return model() if callable(model) else model


def _settled(task: Task) -> Answer | None:
    """DSATUR's coloring where it is proved optimal, which needs no model."""
    timed = task.but(clock=Clock())
    coloring = Coloring(task.graph, saturated(task.graph, task.goal.rules))
    if not task.goal.has_room(coloring.colors):
        return None
    found = timed.solution(coloring)
    return Answer(found, {"bounds": found.seconds}) if found.is_proved else None


def _learned(
    colorer: Colorer,
    task: Task,
    drawn: Sequence[NDArray[np.float32]],
    seconds: Mapping[str, float],
    polish: bool,
) -> Answer:
    """Decode the embeddings of a graph, then polish."""
    timed = task.but(clock=Clock(task.clock.limit))
    decoded = _decoded(colorer, timed, drawn)
    spent = {**seconds, "decode": timed.clock.seconds}
    if not decoded.is_interrupted:
        return _answer(timed, decoded, spent, polish)
    # a search without time still keeps the rules
    raise Interrupted(_answer(timed.but(clock=Clock(0.0)), decoded, spent, polish))


def _answer(task: Task, decoded: _Decoded, seconds: Mapping[str, float], polish: bool) -> Answer:
    """Polish what was decoded, or take it as it is."""
    began = perf_counter()

    def answer(solution: Solution) -> Answer:
        spent = {"polish": perf_counter() - began} if polish else {}
        return Answer(solution, {**seconds, **spent}, decoded.raw, decoded.sweep, decoded.z)

    goal, graph = task.goal, task.graph
    if not polish:
        return answer(task.solution(decoded.raw))
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
    model: Callable[[], Colorer], tasks: Sequence[Task], draws: int
) -> Iterator[tuple[list[NDArray[np.float32]], dict[str, float]]]:
    """For each graph its embeddings, one for each draw of the features, and what they took.

    All are made when the first is asked for, in one batch; large graphs get one draw.
    """
    colorer = model()
    began = perf_counter()
    graphs, seed = [task.graph for task in tasks], tasks[0].seed
    found = [[z] for z in colorer.embed_many(graphs, seed=seed)]
    if colorer.model.features.is_stochastic:
        small = [place for place, graph in enumerate(graphs) if graph.n <= SMALL]
        for draw in range(1, draws):
            again = colorer.embed_many([graphs[place] for place in small], seed=seed + draw)
            for place, z in zip(small, again, strict=True):
                found[place].append(z)
    seconds = {"embed": (perf_counter() - began) / len(tasks)}
    if tasks[0].clock.limit is not None:
        _warm_up(colorer)
    for drawn in found:
        yield drawn, seconds


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
    model: ModelChoice = DEFAULT,
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
