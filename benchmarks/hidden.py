"""Hidden colorings: who finds them, and how soon.

    python benchmarks/hidden.py [--only WAY ...]

Graphs of ``hidden_graphs.py``, of other seeds than those of the training. k is given, and all that
it takes from the graph to a k-coloring as good as the hidden one counts. Ways:

TabuCol: tabu search from DSATUR's coloring.
exact: the SAT solver; it ends early where its formula for fewer conflicts is too large.
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
from contextlib import nullcontext, suppress
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
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
from measure import keep

FILE = Path(__file__).with_suffix(".jsonl")
LIMIT, BRIEF, FREE_LIMIT = 60.0, 5.0, 30.0  # seconds
FIRST = 900  # seed of the graphs


class Case(NamedTuple):
    kind: str
    n: int
    k: int
    ratio: float  # d / (k - 1)^2


PLAIN = [Case("plain", *rest) for rest in product((5000, 20_000), (3, 4, 5, 6), (1.25, 1.1))]
OTHERS = [Case(kind, 5000, k, 1.25) for kind in KINDS[1:] for k in (4, 6)]
EDGE = [Case("plain", 5000, k, r) for k in (3, 4, 5, 6) for r in (0.9, 0.95, 1.0, 1.05, 1.1)]


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


def colored(asked: Asked) -> Found:
    return cc.color(asked.graph, k=asked.k, time_limit=asked.limit).conflicts, None


def staged(model: bool, asked: Asked) -> Found:
    """The stage of ``color`` for hidden colorings by itself, which is not told k."""
    course = Course(Task.of(asked.graph, time_limit=asked.limit))
    greedy(course)
    without = nullcontext() if model else patch("concolor.answer.hidden._by_model", lambda *_: {})
    with without:
        revealed(course, Reduced(course))
    found = course.best
    assert found is not None
    return 0 if found.k <= asked.k else found.k - asked.k, None


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


class Way(NamedTuple):
    run: Callable[[Asked], Found]
    seeds: int = 1  # of a case; more for those that end soon
    most: int = 20_000  # nodes
    ks: tuple[int, ...] = (3, 4, 5, 6)


BY_GENERAL, BY_HIDDEN = partial(by_model, "general"), partial(by_model, "hidden")
WAYS = {
    "TabuCol": Way(partial(found_from, "tabucol", None)),
    "exact": Way(partial(found_from, "exact", None), most=5000, ks=(4,)),
    "general": Way(partial(found_from, "tabucol", BY_GENERAL), most=5000, ks=(4,)),
    "spectral": Way(partial(found_from, "tabucol", by_eigenvectors)),
    "hidden": Way(partial(found_from, "tabucol", BY_HIDDEN)),
    "belief": Way(partial(found_from, "belief", None), seeds=2),
    "spectral + belief": Way(partial(found_from, "belief", by_eigenvectors)),
    "hidden + belief": Way(partial(found_from, "belief", BY_HIDDEN), seeds=2),
    "color": Way(colored),
}
ONCE = {
    "belief, once": Way(partial(found_once, None), seeds=6),
    "spectral + belief, once": Way(partial(found_once, by_eigenvectors), seeds=6),
    "hidden + belief, once": Way(partial(found_once, BY_HIDDEN), seeds=6),
}
FREE = {
    "with the model": Way(partial(staged, True), seeds=3),
    "without": Way(partial(staged, False), seeds=3),
}
EVERY = WAYS | ONCE | FREE
SEEN = [case for case in PLAIN + OTHERS if case.kind != "noisy"]  # a proper coloring is asked for
AT_THE_EDGE = ("spectral", "hidden", "belief", "spectral + belief", "hidden + belief")


def run(only: list[str]) -> None:
    concolor.goal.perf_counter = time.process_time
    asked = [*product(PLAIN + OTHERS, WAYS, [LIMIT]), *product(EDGE, AT_THE_EDGE, [BRIEF])]
    asked += [*product(EDGE, ONCE, [BRIEF]), *product(SEEN, FREE, [FREE_LIMIT])]
    done = {(Case(*row["case"]), row["way"], row["limit"], row["seed"]) for row in rows()}
    warm, _ = hidden(600, 4, 12, 1)
    for way in only:
        EVERY[way].run(Asked(warm, 4, 0, 0.1))  # loads what there is to load
    for case, way, limit in asked:
        how = EVERY[way]
        most = 2 if limit == BRIEF and way in WAYS else how.seeds
        is_asked = way in only and case.n <= how.most and case.k in how.ks
        for seed in range(most if is_asked else 0):
            if (case, way, limit, seed) in done:
                continue
            degree = case.ratio * (case.k - 1) ** 2
            graph, classes = hidden(case.n, case.k, degree, FIRST + seed, case.kind)
            enough = cc.Coloring(graph, classes).conflicts
            begun = time.process_time()
            left, raw = how.run(Asked(graph, case.k, enough, limit))
            row = {"case": case, "way": way, "limit": limit, "seed": seed, "left": left}
            row |= {"hidden": enough, "raw": raw}
            row["seconds"] = round(time.process_time() - begun, 3)
            with FILE.open("a") as lines:
                lines.write(json.dumps(row) + "\n")


def rows() -> list[dict]:
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def report() -> Iterator[str]:
    yield "# Hidden colorings"
    yield ""
    yield (
        "Written by `benchmarks/hidden.py`, which says what the ways are: k-colorings as good as "
        f"the hidden one that were found within {LIMIT:g} s, of how many graphs, and the median "
        "seconds of those found; in brackets the conflicts that clusters leave by themselves, in "
        "per cent of the edges. d is the mean degree. Seconds and limits are CPU seconds of one "
        "thread. None of the graphs was trained on. A dash: not run."
    )
    yield ""
    yield "## Equal classes, random edges"
    yield ""
    yield from _table(PLAIN, tuple(WAYS), LIMIT)
    yield ""
    yield "## Other kinds (`hidden_graphs.py` says what they are)"
    yield ""
    yield from _table(OTHERS, tuple(WAYS), LIMIT)
    yield ""
    yield f"## How near to (k - 1)^2: {BRIEF:g} s a graph"
    yield ""
    yield from _table(EDGE, AT_THE_EDGE, BRIEF)
    yield ""
    yield "## What a hint is worth: one try"
    yield ""
    yield "In brackets the conflicts that the messages leave."
    yield ""
    yield from _table(EDGE, tuple(ONCE), BRIEF)
    yield ""
    yield "## Where k is not given: the stage of `color`, with the model `hidden` and without"
    yield ""
    yield (
        "How often the hidden k was found, and the median seconds of that, greedy colorings "
        "included. The model says which k to try first; without it they are tried in turn."
    )
    yield ""
    yield from _table(SEEN, tuple(FREE), FREE_LIMIT)


def _table(cases: list[Case], ways: tuple[str, ...], limit: float) -> Iterator[str]:
    found = [row for row in rows() if Case(*row["case"]) in cases and row["limit"] == limit]
    yield f"| kind | n | k | d / (k-1)^2 | {' | '.join(ways)} |"
    yield "|---|---|---|---|" + "---|" * len(ways)
    for case in cases:
        same = [row for row in found if Case(*row["case"]) == case]
        cells = [_cell([row for row in same if row["way"] == way]) for way in ways]
        yield f"| {' | '.join(map(str, case))} | {' | '.join(cells)} |"
    by_way = [[_is_solved(row) for row in found if row["way"] == way] for way in ways]
    yield f"| all | | | | {' | '.join(f'{sum(way)} of {len(way)}' for way in by_way)} |"


def _is_solved(row: dict) -> bool:
    return row["left"] <= row["hidden"]


def _cell(same: list[dict]) -> str:
    if not same:
        return "-"
    solved = [row["seconds"] for row in same if _is_solved(row)]
    text = f"{len(solved)} of {len(same)}" + (f", {median(solved):.2g} s" if solved else "")
    raw = [100 * row["raw"] for row in same if row["raw"] is not None]
    return text + (f" ({median(raw):.1f})" if raw else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=EVERY, default=list(EVERY))
    run(parser.parse_args().only)
    keep(report(), FILE.with_suffix(".md"))


if __name__ == "__main__":
    main()
