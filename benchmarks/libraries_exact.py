"""Two library routines beside the hand-written code: conjugate gradients, and counting in clauses.

    OMP_NUM_THREADS=1 python benchmarks/libraries_exact.py

scipy's ``cg`` against a plain loop, inside the search for theta; python-sat's ``ITotalizer``
against ``counter``, inside the exact solver. Each pair in turn in one run, CPU seconds. The lines
are printed and written to ``libraries_exact.md`` beside this file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from pysat.card import ITotalizer

import concolor as cc
from concolor.certificates import prototypes, sharpen
from concolor.certificates.theta import projection
from concolor.goal import Clock
from concolor.solvers import sat, solve
from measure import keep

THETA = ["queen:6x6", "er:60x0.3", "er:150x0.1", "er:300x0.1", "watts:300x10x0.3", "cycle:301"]
CONFLICTS = [("queen:6x6", 5), ("myciel:4", 4), ("myciel:4", 3), ("er:30x0.3", 4), ("er:40x0.2", 3)]
SEEDS = range(5)  # of the random graphs; the time of a SAT solver depends on luck


def plain_cg(times: Callable[[Any], Any], target: Any, clock: Clock) -> Any:
    """The textbook's conjugate gradients (Hestenes and Stiefel 1952)."""
    x, rest, way = np.zeros_like(target), target, target
    square = start = float(target @ target)
    for _ in range(200):
        if square <= 0.01 * start or clock.is_over:
            break
        image = times(way)
        pace = np.float32(square / max(float(way @ image), 1e-30))
        x, rest = x + pace * way, rest - pace * image
        before, square = square, float(rest @ rest)
        way = rest + np.float32(square / before) * way
    return x


def library_counter(literals: Any, most: int) -> Generator[sat.Clauses, None, list[int]]:
    """``counter`` by python-sat."""
    with ITotalizer(literals.tolist(), ubound=most) as total:
        for start in range(0, len(total.cnf.clauses), sat.BLOCK):
            yield total.cnf.clauses[start : start + sat.BLOCK]
        return list(total.rhs)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    found = call()
    return time.process_time() - began, found


def compare_cg() -> Iterator[str]:
    routines = {"plain": plain_cg, "scipy": projection._solution}
    for spec in THETA:
        graph = cc.family(spec)
        seconds: dict[str, list[float]] = {name: [] for name in routines}
        sides = set()
        for _ in range(3):
            for name, routine in routines.items():
                projection._solution = routine
                spent, found = timed(lambda g=graph: sharpen(*prototypes(cc.dsatur(g)), g))
                seconds[name].append(spent)
                sides.add((found.lower, found.upper))
        best = ", ".join(f"{name} {min(times):.3f} s" for name, times in seconds.items())
        yield f"- theta of {spec}: {best}, {'same bounds' if len(sides) == 1 else sides}"


def compare_counters() -> Iterator[str]:
    counters = {"ours": sat.counter, "python-sat": library_counter}
    for m, most in [(300, 12), (1000, 20), (5000, 100), (20_000, 100), (20_000, 200)]:
        text = []
        for name, counter in counters.items():
            literals = np.arange(1, m + 1)
            spent, blocks = timed(lambda c=counter, x=literals, b=most: [len(y) for y in c(x, b)])
            text.append(f"{name} {sum(blocks)} clauses in {spent:.3f} s")
        yield f"- count {m} literals up to {most}: {', '.join(text)}"
    for spec, k in CONFLICTS:
        total: dict[str, float] = dict.fromkeys(counters, 0.0)
        answers: dict[str, list[int]] = {name: [] for name in counters}
        for seed in SEEDS:
            graph = cc.family(spec, seed=seed).but(chi=None)
            for name, counter in counters.items():
                sat.counter = counter
                spent, found = timed(lambda g=graph, k=k: solve(g, "exact", k=k, time_limit=20))
                total[name] += spent
                answers[name].append(found.upper if found.is_proved else -1)
        same = "same answers" if answers["ours"] == answers["python-sat"] else f"{answers}"
        text = [f"{name} {seconds:.2f} s" for name, seconds in total.items()]
        yield f"- {spec} with k={k}, {len(SEEDS)} runs: {', '.join(text)}, {same}"


def main() -> None:
    title = ["# Conjugate gradients and counting in clauses, beside scipy's and python-sat's", ""]
    about = ["`python benchmarks/libraries_exact.py`: CPU seconds, each pair in turn.", ""]
    lines = chain(title, about, compare_cg(), compare_counters())
    keep(lines, Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    main()
