"""``answers``: from graphs to colorings with a model, stage by stage; ``color`` in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concolor.colorer import Colorer
from concolor.coloring import Coloring
from concolor.decoding.guided import TRIES, guided
from concolor.errors import InputError
from concolor.goal import Clock, Goal
from concolor.graph.core import Graph
from concolor.graph.families.fixed import cycle
from concolor.models import DEFAULT, load
from concolor.rules import Forbidden, Preset
from concolor.solvers.greedy import dsatur
from concolor.solvers.local_search import PATIENCE, tabucol, warm_up
from concolor.sweep import K_MAX, Sweep

SECONDS = 2.0  # for the polish of a graph at most, where nothing else is said
RAW_MONO = 0.05  # what the raw method may leave where a proper coloring is asked for
DRAWS = 4  # of the random features, where a model reads such; the best is kept
SMALL = 2000  # nodes for which there is time for several draws, and for all tries of guided


@dataclass(frozen=True, eq=False)
class Answer:
    """A coloring and how it came about.

    Attributes:
        coloring: The answer.
        raw: What the model alone gave for the same wish, before any search.
        sweep: The decoding of the embedding with 1, 2, ... colors.
        z: The embedding ``[n, d]`` behind it.
        hit: Whether the wish was reached.
        seconds: By stage: embed, decode, polish.
    """

    coloring: Coloring
    raw: Coloring
    sweep: Sweep
    z: NDArray[np.float32]
    hit: bool
    seconds: Mapping[str, float]


def answers(
    graphs: Sequence[Graph],
    model: Colorer | str | Path = DEFAULT,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    polish: bool = True,
    seed: int = 0,
    time_limit: float | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
) -> Iterator[Answer]:
    """Embed all graphs, then decode and polish one after the other.

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
        preset: Colors that nodes must have, as in :func:`concolor.solvers.solve`.
        forbidden: Colors that nodes must not have.

    Ctrl-C ends the work on the present graph: what was found so far is its answer. Before anything
    was found it is raised.
    """
    if not polish and (preset is not None or forbidden is not None):
        raise InputError("the raw method knows no preset and forbidden colors: let it polish")
    for graph in graphs:
        if not isinstance(graph, Graph):
            kind = type(graph).__name__
            raise InputError(
                f"expected a Graph, got {kind}: read files by concolor.read, and convert others by "
                "from_networkx, from_scipy or from_pyg"
            )
    goals = [Goal.of(graph, k, max_mono) for graph in graphs]
    colorer = model if isinstance(model, Colorer) else load(model)
    started = perf_counter()
    embedded = _embedded(colorer, graphs, seed)
    embedding = (perf_counter() - started) / max(len(graphs), 1)
    if time_limit is not None:
        _warm_up(colorer)
    for graph, goal, drawn in zip(graphs, goals, embedded, strict=True):
        clock = Clock(time_limit)
        half = Clock(None if time_limit is None else time_limit / 2)
        sweep, z, raw, interrupted = _decoded(colorer, graph, drawn, goal, max_mono, seed, half)
        seconds = {"embed": embedding, "decode": clock.seconds}
        best = raw
        if polish:
            started = perf_counter()
            left = SECONDS if time_limit is None else clock.left
            best = tabucol(
                graph,
                k=k,
                max_mono=max_mono,
                seed=seed,
                time_limit=0.0 if interrupted else left,  # without time it still keeps the rules
                patience=PATIENCE if time_limit is None else None,
                start=goal.better(raw, dsatur(graph)),
                preset=preset,
                forbidden=forbidden,
            )
            seconds["polish"] = perf_counter() - started
        yield Answer(best, raw, sweep, z, goal.is_reached(best), seconds)


def _embedded(
    colorer: Colorer, graphs: Sequence[Graph], seed: int
) -> list[list[NDArray[np.float32]]]:
    """For each graph its embeddings, one for each draw of the features; large graphs get one."""
    found = [[z] for z in colorer.embed_many(graphs, seed=seed)]
    if colorer.model.features.is_stochastic:
        small = [place for place, graph in enumerate(graphs) if graph.n <= SMALL]
        for draw in range(1, DRAWS):
            again = colorer.embed_many([graphs[place] for place in small], seed=seed + draw)
            for place, z in zip(small, again, strict=True):
                found[place].append(z)
    return found


class _Decoded(NamedTuple):
    """What the model alone gives: the best sweep of all draws, its embedding, and the answer."""

    sweep: Sweep
    z: NDArray[np.float32]
    raw: Coloring
    interrupted: bool  # by Ctrl-C: there would have been more


def _decoded(
    colorer: Colorer,
    graph: Graph,
    drawn: Sequence[NDArray[np.float32]],
    goal: Goal,
    max_mono: float | None,
    seed: int,
    clock: Clock,
) -> _Decoded:
    """Sweep draw by draw; where a proper coloring is asked for, follow the embeddings to one."""
    allowed = RAW_MONO if goal.k is None and max_mono is None else max_mono or 0.0
    found: list[tuple[Sweep, NDArray[np.float32]]] = []
    proper, interrupted = None, False
    try:
        for z in drawn:
            sweep = colorer.sweep(
                graph,
                z=z,
                max_mono=allowed,
                k_max=goal.k or K_MAX,
                seed=seed,
                time_limit=clock.left,
            )
            found.append((sweep, z))
            if sweep.is_cut:
                break
        if goal.k is None and goal.budget == 0 and not interrupted:
            tries = max(TRIES * SMALL // max(graph.n, SMALL), len(drawn))
            z = np.stack(drawn)
            proper = guided(graph, z, tries=tries, seed=seed, time_limit=clock.left)
    except KeyboardInterrupt:
        if not found:
            raise
        interrupted = True
    best, z = min(found, key=lambda pair: _rank(pair[0]))
    return _Decoded(best, z, best.best if proper is None else proper, interrupted)


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

    >>> from concolor.graph.families import family
    >>> color(family("petersen"))
    Coloring('petersen', k=3, conflicts=0)
    """
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
    return found.coloring
