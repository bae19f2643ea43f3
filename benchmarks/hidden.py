"""Hidden colorings: who finds them, and how soon.

    python benchmarks/hidden.py [--sections NAME ...] [--only WAY ...]

Graphs of ``hidden_graphs.py``, of other seeds than those of the training. k is given, and all that
it takes from the graph to a k-coloring as good as the hidden one counts. Ways:

TabuCol: tabu search from DSATUR's coloring.
exact: the SAT solver.
belief: belief propagation from a random lean and a brief tabu search, again and again.
spectral: clusters of the k - 1 lowest eigenvectors of the Bethe Hessian, then tabu search.
spectral + belief: the same with these clusters as the hint of every other try.
general, hidden, hidden + belief: the same with clusters of a shipped model.
color: ``cc.color``, which tries several of these and is told k, too.
with the model, without: the stage of ``color`` for hidden colorings, which is not told k.
... once: one try of belief propagation, without its pull, and half a second of tabu search.

Seconds are CPU seconds of one thread, and so are the limits: what else the machine does does not
matter. Rows are appended to ``hidden.jsonl`` as they are done, and not measured again, and
``hidden.md`` is written from them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

import concolor as cc
import concolor.goal
from concolor.answer.course import Course
from concolor.answer.hidden import revealed
from concolor.answer.part import Reduced
from concolor.answer.stages import greedy
from concolor.decoding.cluster import line_means, sphere_means
from concolor.decoding.distance import unit
from concolor.features.spectral import lowest_vectors
from concolor.goal import Task
from concolor.models import embedder
from concolor.solvers.belief import believed
from hidden_graphs import KINDS, hidden
from hidden_page import GOAL, Case, Plan, Section, asked, compared, smallest, summary, table
from measure import keep

FILE = Path(__file__).with_suffix(".jsonl")
LIMIT, BRIEF, FREE_LIMIT = 60.0, 5.0, 30.0  # seconds
FIRST = 900  # seed of the graphs


def by_eigenvectors(graph: cc.Graph, k: int) -> np.ndarray:
    return sphere_means(unit(lowest_vectors(graph, k - 1)[1]), 0)(k).clusters.astype(np.int64)


def by_model(name: str, graph: cc.Graph, k: int) -> np.ndarray:
    z = embedder(name).embed(graph, seed=0)
    return line_means(z, 0)(k).clusters.astype(np.int64)


class Asked(NamedTuple):
    graph: cc.Graph
    k: int
    enough: int  # conflicts, as many as the hidden coloring has
    limit: float


Clusters = Callable[[cc.Graph, int], np.ndarray]
Found = tuple[int, float | None]  # conflicts at the end, and the share of them before the search


class Enough(Exception):
    """As good as what is hidden."""


def found_from(method: str, clusters: Clusters | None, asked: Asked) -> Found:
    """What a method makes of clusters, or of nothing."""
    clock, graph, k = concolor.goal.Clock(asked.limit), asked.graph, asked.k
    start = None if clusters is None else cc.Coloring(graph, clusters(graph, k))
    left = solved(method, asked, clock, start)
    return left, None if start is None else start.mono


def found_once(clusters: Clusters | None, asked: Asked) -> Found:
    """What one try of belief propagation makes of clusters, or of nothing."""
    graph, k = asked.graph, asked.k
    hint = None if clusters is None else clusters(graph, k)
    start = cc.Coloring(graph, believed(graph, k, hint=hint, sure=False))
    return solved("tabucol", asked, concolor.goal.Clock(0.5), start), start.mono


@contextmanager
def followed(is_enough: Callable[[cc.Coloring], bool]) -> Iterator[list[cc.Coloring]]:
    """The best colorings of ``color`` as they come; it ends where one is good enough."""
    offer, bests = Course.offer, []

    def told(course: Course, colors: np.ndarray | cc.Coloring, start: str) -> None:
        offer(course, colors, start)
        bests.append(course.best)
        if is_enough(course.best):
            raise Enough

    with patch.object(Course, "offer", told), suppress(Enough):
        yield bests


def colored(asked: Asked) -> Found:
    """What ``cc.color`` leaves; where no coloring is proper it would go on to the end."""
    with followed(lambda best: best.conflicts <= asked.enough) as bests:
        cc.color(asked.graph, k=asked.k, time_limit=asked.limit)
    return bests[-1].conflicts, None


def staged(model: bool, asked: Asked) -> Found:
    """The stage of ``color`` for hidden colorings by itself, which is not told k."""
    without = nullcontext() if model else patch("concolor.answer.hidden._by_model", lambda *_: {})
    with without, followed(lambda best: best.k <= asked.k) as bests:
        course = Course(Task.of(asked.graph, time_limit=asked.limit))
        greedy(course)
        revealed(course, Reduced(course))
    return max(bests[-1].k - asked.k, 0), None


def solved(method: str, asked: Asked, clock: concolor.goal.Clock, start: cc.Coloring | None) -> int:
    """Conflicts that the method leaves; it ends where these are few enough."""
    fewest = [asked.graph.m + 1 if start is None else start.conflicts]

    def told(now: concolor.goal.Progress) -> None:
        fewest.append(now.best.conflicts)
        if fewest[-1] <= asked.enough:
            raise Enough

    if fewest[0] > asked.enough:
        with suppress(Enough):
            found = cc.solve(
                asked.graph,
                method,
                k=asked.k,
                start=start,
                time_limit=clock.left,
                progress=told,
            )
            fewest.append(found.coloring.conflicts)
    return min(fewest)


Way = Callable[[Asked], Found]
BY_GENERAL, BY_HIDDEN = partial(by_model, "general"), partial(by_model, "hidden")
WAYS: dict[str, Way] = {
    "TabuCol": partial(found_from, "tabucol", None),
    "exact": partial(found_from, "exact", None),
    "general": partial(found_from, "tabucol", BY_GENERAL),
    "spectral": partial(found_from, "tabucol", by_eigenvectors),
    "hidden": partial(found_from, "tabucol", BY_HIDDEN),
    "belief": partial(found_from, "belief", None),
    "spectral + belief": partial(found_from, "belief", by_eigenvectors),
    "hidden + belief": partial(found_from, "belief", BY_HIDDEN),
    "color": colored,
    "belief, once": partial(found_once, None),
    "spectral + belief, once": partial(found_once, by_eigenvectors),
    "hidden + belief, once": partial(found_once, BY_HIDDEN),
    "with the model": partial(staged, True),
    "without": partial(staged, False),
}

PLAIN = [Case("plain", *rest) for rest in product((5000, 20_000), (3, 4, 5, 6), (1.25, 1.1))]
OTHERS = [Case(kind, 5000, k, 1.25) for kind in KINDS[1:] for k in (4, 6)]
EDGE = [Case("plain", 5000, k, r) for k in (3, 4, 5, 6) for r in (0.9, 0.95, 1.0, 1.05, 1.1)]
WINDOW = {3: (1.05, 1.4), 4: (1.0, 1.25), 5: (1.0, 1.2), 6: (1.0, 1.2)}  # where ways differ
HALF = [
    Case("plain", 5000, k, ratio / 100)
    for k, (low, high) in WINDOW.items()
    for ratio in range(round(100 * low), round(100 * high) + 1, 5)
]
BETWEEN = {3: (1.225, 1.275), 4: (1.125, 1.175)}  # both begin in one cell of HALF beside these
SEEN = [case for case in PLAIN + OTHERS if case.kind != "noisy"]  # a proper coloring is asked for

AT_THE_EDGE = ("spectral", "hidden", "belief", "spectral + belief", "hidden + belief")

BRIEFLY = Section(
    "plain",
    f"Equal classes, random edges: {BRIEF:g} s a graph",
    "",
    PLAIN,
    [
        Plan("TabuCol", 3),
        Plan("exact", most=5000),
        Plan("general", most=5000),
        Plan("spectral", 5),
        Plan("hidden", 5),
        Plan("belief", 5),
        Plan("spectral + belief", 5),
        Plan("hidden + belief", 5),
        Plan("color", 3),
    ],
    BRIEF,
)
LONG = Section(
    "long",
    f"The same with {LIMIT:g} s a graph",
    "`color` is left out: it was given the seconds above.",
    PLAIN,
    [
        Plan("TabuCol"),
        Plan("exact", most=5000, ks=(4,)),
        Plan("general", most=5000, ks=(4,)),
        Plan("spectral"),
        Plan("hidden"),
        Plan("belief", 2),
        Plan("spectral + belief"),
        Plan("hidden + belief", 2),
    ],
    LIMIT,
)
OTHER = Section(
    "others",
    f"Other kinds (`hidden_graphs.py` says what they are): {LIMIT:g} s a graph",
    "The time of `color` is that after which it had what is hidden: where noise allows no proper "
    "coloring, it cannot know, and goes on to the end.",
    OTHERS,
    [
        Plan("TabuCol"),
        Plan("exact"),
        Plan("general", ks=(4,)),
        Plan("spectral"),
        Plan("hidden"),
        Plan("belief", 2),
        Plan("spectral + belief"),
        Plan("hidden + belief", 2),
        Plan("color", 2),
    ],
    LIMIT,
)
THRESHOLD = Section(
    "edge",
    f"How near to (k - 1)^2: {BRIEF:g} s a graph",
    "",
    EDGE,
    [Plan(way, 2) for way in AT_THE_EDGE],
    BRIEF,
)
BEGIN = Section(
    "half",
    f"Where ways begin to find half: {BRIEF:g} s a graph",
    "",
    HALF,
    [Plan(way, 10) for way in AT_THE_EDGE],
    BRIEF,
)
FINER = Section(
    "finer",
    f"Where two ways that begin together begin, in smaller steps: {BRIEF:g} s a graph",
    "",
    sorted(
        [case for case in HALF if case.k in BETWEEN]
        + [Case("plain", 5000, k, ratio) for k, ratios in BETWEEN.items() for ratio in ratios]
    ),
    [Plan(way, 10) for way in AT_THE_EDGE[:2]],
    BRIEF,
)
ONCE = Section(
    "once",
    "What a hint is worth: one try",
    "In brackets the conflicts that the messages leave.",
    EDGE,
    [Plan(way, 6) for way in WAYS if "once" in way],
    BRIEF,
)
FREE = Section(
    "free",
    "Where k is not given: the stage of `color`, with the model `hidden` and without",
    "How often the hidden k was found, and the median seconds of that, greedy colorings included. "
    "The model says which k to try first; without it they are tried in turn.",
    SEEN,
    [Plan("with the model", 3), Plan("without", 3)],
    FREE_LIMIT,
)
ALL = (BRIEFLY, LONG, OTHER, THRESHOLD, BEGIN, FINER, ONCE, FREE)
SECTIONS = {section.name: section for section in ALL}


def run(sections: list[str], only: list[str]) -> None:
    concolor.goal.perf_counter = time.process_time
    done = {(row["case"], row["way"], row["limit"], row["seed"]) for row in rows()}
    warm, _ = hidden(600, 4, 12, 1)
    for way in only:
        WAYS[way](Asked(warm, 4, 0, 0.1))  # loads what there is to load
    for section in map(SECTIONS.__getitem__, sections):
        for case, way, seed in asked(section):
            if way in only and (case, way, section.limit, seed) not in done:
                measured(case, way, section.limit, seed)


def measured(case: Case, way: str, limit: float, seed: int) -> None:
    """Append what a way does to a graph."""
    degree = case.ratio * (case.k - 1) ** 2
    graph, classes = hidden(case.n, case.k, degree, FIRST + seed, case.kind)
    enough = cc.Coloring(graph, classes).conflicts
    begun = time.process_time()
    left, raw = WAYS[way](Asked(graph, case.k, enough, limit))
    row = {"case": case, "way": way, "limit": limit, "seed": seed, "left": left}
    row |= {"hidden": enough, "raw": raw}
    row["seconds"] = round(time.process_time() - begun, 3)
    with FILE.open("a") as lines:
        lines.write(json.dumps(row) + "\n")


def rows() -> list[dict]:
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return [row | {"case": Case(*row["case"])} for row in map(json.loads, lines)]


def report() -> Iterator[str]:
    found = rows()
    yield "# Hidden colorings"
    yield ""
    yield (
        "Written by `benchmarks/hidden.py`, which says what the ways are: k-colorings as good as "
        "the hidden one that were found in time, of how many graphs, and the median seconds of "
        "those found; in brackets the conflicts that clusters leave by themselves, in per cent of "
        "the edges. d is the mean degree. Seconds and limits are CPU seconds of one thread. None "
        "of the graphs was trained on. A dash: not run."
    )
    yield ""
    yield "## In short"
    yield ""
    yield (
        f"All graphs of equal classes and random edges below, {BRIEF:g} s each. The last columns: "
        f"the time after which a way was done with {100 * GOAL:g} % of the graphs that it was "
        "given, and what TabuCol had found by then."
    )
    yield ""
    yield from summary(BRIEFLY, found, "TabuCol")
    yield ""
    yield (
        "The smallest d / (k - 1)^2 from which on at least half of ten graphs were solved, "
        f"n = 5000, {BRIEF:g} s a graph, in steps of 0.05; smaller ones than *at most* were not "
        "asked. It is not the smallest d at which any is solved: below it, few colors may be easy "
        "again, as the table *How near to (k - 1)^2* shows."
    )
    yield ""
    yield from smallest(BEGIN, found)
    yield ""
    pairs = [("hidden", "spectral"), ("hidden + belief", "spectral + belief")]
    pairs.append(("hidden + belief", "belief"))
    yield "; ".join(compared(BEGIN, found, *pair) for pair in pairs) + "."
    yield ""
    yield (
        "Where the eigenvectors and the model began in the same cell, k = 3 and 4, cells on both "
        "sides of it were asked about afterwards, so that steps are 0.025 there:"
    )
    yield ""
    yield from smallest(FINER, found)
    yield ""
    yield compared(FINER, found, "hidden", "spectral") + "."
    for section in SECTIONS.values():
        yield ""
        yield from table(section, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=WAYS, default=list(WAYS))
    parser.add_argument("--sections", nargs="*", choices=SECTIONS, default=list(SECTIONS))
    args = parser.parse_args()
    run(args.sections, args.only)
    keep(report(), FILE.with_suffix(".md"))


if __name__ == "__main__":
    main()
