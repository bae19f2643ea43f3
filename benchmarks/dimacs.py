"""Every search on hard graphs, beside the goals that were set and what others report.

    CONCOLOR_DATA=... python benchmarks/dimacs.py                 # writes dimacs.jsonl and .md
    CONCOLOR_DATA=... python benchmarks/dimacs.py --methods tabucol --seconds 30 --seeds 0 1

A run ends at the lowest k of its graph's goals, and its line says when it came to each k, so that
one run answers for every shorter time. Finished lines of dimacs.jsonl are kept; delete one to
measure it anew. All time is CPU time of one thread, since others use the machine; two cores do in a
second what one thread does in two.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import concolor as cc
from concolor.goal import Clock, Goal, Progress, Task
from concolor.solvers import SOLVERS
from concolor.solvers.greedy import dsatur, rlf
from concolor.solvers.local_search import warm_up

HERE = Path(__file__).parent
CELLS = HERE / "dimacs.jsonl"
DATA = Path(os.environ.get("CONCOLOR_DATA", "."))
CORES = 2  # that the seconds of the goals are meant for
METHODS = ["tabucol", "weighted", "partialcol", "memetic", "portfolio"]
TOLD = " told k"  # after a method: it searched with the lowest k of the goals from the beginning
ABLE = [*METHODS, "exact", "partialcol" + TOLD]  # that may reach a goal where the default does not
DEFAULT = "portfolio"  # the method of solve and color, which the goals are for
BESIDE = 10.0  # seconds after which the methods are compared


@dataclass(frozen=True)
class Aim:
    """So many colors in so many seconds, with every seed or with one of them."""

    k: int
    seconds: float
    once: bool = False

    def __str__(self) -> str:
        return f"{self.k} once" if self.once else f"{self.k} in {self.seconds:g} s"

    def is_met(self, run: dict) -> bool:
        return colors_after(run, CORES * self.seconds) <= self.k


AIMS = {
    "DSJC125.5": [Aim(17, 60)],
    "DSJC250.5": [Aim(28, 60)],
    "DSJC500.1": [Aim(12, 60)],
    "DSJC500.5": [Aim(49, 60), Aim(48, 600)],
    "DSJC1000.1": [Aim(21, 10), Aim(20, 600, once=True)],
    "flat300_28_0": [Aim(30, 60), Aim(28, 600, once=True)],
    "le450_5a": [Aim(5, 60)],
    "le450_15c": [Aim(15, 60)],
    "le450_25c": [Aim(26, 10), Aim(25, 600, once=True)],
    "qg.order30": [Aim(30, 60)],
    "r125.1c": [Aim(46, 60)],
    "r250.5": [Aim(65, 60)],
    "wap05a": [Aim(50, 60)],
    "wap06a": [Aim(40, 60)],
    "queen11_11": [Aim(11, 600, once=True)],
}


@dataclass(frozen=True)
class CpuClock(Clock):
    """The time of this process instead of that on the wall."""

    started: float = field(default_factory=time.process_time)

    @property
    def seconds(self) -> float:
        return time.process_time() - self.started

    def share(self, part: float) -> CpuClock:
        return CpuClock(None if self.limit is None else part * self.left)


def graph(name: str) -> cc.Graph:
    folder = "color" if name.startswith("queen") else "dimacs"
    return cc.read(DATA / folder / f"{name}.col").but(name=name)


def greedy(name: str) -> None:
    """Colors of the two starts, and the clique that proves what it proves."""
    if cells(table="greedy", graph=name):
        return
    g = graph(name)
    task = Task(g, Goal.of(g))
    record(table="greedy", graph=name, dsatur=dsatur(g).k, rlf=rlf(g).k, lower=task.chi_lower)


def search(name: str, method: str, seed: int, seconds: float) -> None:
    """One method from the graph alone, until the limit or the lowest k of the goals."""
    limit, until = CORES * seconds, min(aim.k for aim in AIMS[name])
    done = cells(table="run", graph=name, method=method, seed=seed)
    if any(run["limit"] >= limit or run["k"] <= until for run in done):
        return
    g, reached = graph(name), {}

    def note(now: Progress) -> None:
        if now.best.is_proper:
            reached.setdefault(now.best.k, round(now.seconds, 2))

    began, clock = time.perf_counter(), CpuClock(limit)
    goal, solver = Goal.of(g), SOLVERS[method.removesuffix(TOLD)]
    if method.endswith(TOLD):
        goal = Goal.of(g, k=until)
    task = Task(g, goal, seed, clock, None, note, at_least=until)
    options = {"threads": 1} if "threads" in solver.options else {}
    found = solver.run(task, **options).coloring
    if not found.is_proper:  # told k, and not found
        found = dsatur(g)
    reached.setdefault(found.k, round(clock.seconds, 2))
    record(
        table="run",
        graph=name,
        method=method,
        seed=seed,
        limit=limit,
        k=found.k,
        reached=reached,
        cpu=round(clock.seconds, 2),
        wall=round(time.perf_counter() - began, 2),
    )


def colors_after(run: dict, seconds: float) -> float:
    """The k that a run had by then, in CPU seconds of its thread."""
    return min((int(k) for k, at in run["reached"].items() if at <= seconds), default=np.inf)


def cells(**like: object) -> list[dict]:
    lines = CELLS.read_text().splitlines() if CELLS.exists() else []
    found = [json.loads(line) for line in lines]
    return [cell for cell in found if all(cell.get(key) == like[key] for key in like)]


def runs(name: str, method: str) -> list[dict]:
    """The longest run of each seed."""
    by_seed = {}
    for run in sorted(cells(table="run", graph=name, method=method), key=lambda run: run["limit"]):
        by_seed[run["seed"]] = run
    return [by_seed[seed] for seed in sorted(by_seed)]


def record(**cell: object) -> None:
    with open(CELLS, "a") as file:
        file.write(json.dumps({**cell, "version": cc.__version__}) + "\n")
    print(json.dumps(cell), flush=True)


def report() -> str:
    """The page, from what is in dimacs.jsonl."""
    lines = [
        "# Hard graphs",
        "",
        f"Written by `benchmarks/dimacs.py`: concolor {cc.__version__}, one thread. Goals are for "
        f"{CORES} cores. All measured seconds are CPU seconds of the one thread, since others used "
        f"the machine; a goal of s seconds has {CORES} s of them. A run ends at the lowest k of "
        "its goals. Best known and reference are reported by others (CONCOLOR_DATA/dimacs): "
        "HEAD in an hour, the others in two, best of 20 runs.",
        "",
        f"## The goals, and `{DEFAULT}`, the default",
        "",
        "Best k and mean in the time of the goal, over the seeds; how many of them reached it; "
        "the median CPU seconds of those that did. A goal is reached with every seed, or with one "
        "of them where it says `once`. Where no seed of it did, methods that did follow; one that "
        "was told k searched with the lowest k of the goals from the beginning.",
        "",
        *_goals(),
        "",
        f"## The searches after {CORES * BESIDE:g} CPU seconds",
        "",
        "Best k, the mean over the seeds, and the median CPU seconds to the best.",
        "",
        *_searches(),
    ]
    return "\n".join(lines) + "\n"


def _goals() -> list[str]:
    rows = _header("graph", "goal", "k (mean)", "seeds", "CPU seconds", "reached")
    for name, aims in AIMS.items():
        found = runs(name, DEFAULT)
        for aim in aims if found else []:
            ks = [colors_after(run, CORES * aim.seconds) for run in found]
            met = [run for run in found if aim.is_met(run)]
            at = [min(at for k, at in run["reached"].items() if int(k) <= aim.k) for run in met]
            shown = f"{min(ks)} ({np.mean(ks):.1f})", f"{len(met)} of {len(found)}"
            seconds = f"{np.median(at):.1f}" if at else ""
            rows.append(
                _row([name, aim, *shown, seconds, _verdict(aim, found) + _others(name, aim)])
            )
    return rows


def _verdict(aim: Aim, found: list[dict]) -> str:
    """Whether a goal is reached; where runs had less time than it allows, how much that was."""
    missed = [run["limit"] for run in found if not aim.is_met(run)]
    if len(missed) < len(found) if aim.once else not missed:
        return "yes"
    given = max(missed) if aim.once else min(missed)
    return "no" if given >= CORES * aim.seconds else f"not in {given:g} CPU seconds"


def _others(name: str, aim: Aim) -> str:
    """The other methods that came as far with some seed, where the default did not."""
    if any(map(aim.is_met, runs(name, DEFAULT))):
        return ""
    able = [method for method in ABLE if any(map(aim.is_met, runs(name, method)))]
    return f"; but {' and '.join(able)}" if able else ""


def _searches() -> list[str]:
    rows = _header("graph", "best known", "clique", "DSATUR", "RLF", *METHODS, "reference")
    for name in AIMS:
        for start in cells(table="greedy", graph=name):
            by = [_cell(runs(name, method)) for method in METHODS]
            others = [_best_known(name), start["lower"], start["dsatur"], start["rlf"]]
            rows.append(_row([name, *others, *by, _reference(name)]))
    return rows


def _cell(found: list[dict]) -> str:
    limit = CORES * BESIDE
    if not found:
        return ""
    ks = [int(colors_after(run, limit)) for run in found]
    at = [run["reached"][str(k)] for run, k in zip(found, ks, strict=True) if k == min(ks)]
    mean = f" ({np.mean(ks):.1f} of {len(ks)})" if len(ks) > 1 else ""
    return f"{min(ks)}{mean}, {np.median(at):.1f} s"


def _header(*names: str) -> list[str]:
    return [_row(list(names)), "|---" * len(names) + "|"]


def _row(items: list[object]) -> str:
    return "| " + " | ".join(map(str, items)) + " |"


def _best_known(name: str) -> str:
    for folder in ("dimacs", "color"):
        for row in _table(DATA / folder / "known.csv"):
            if row["name"] == name:
                return row["chi_upper"]
    return ""


def _reference(name: str) -> str:
    for row in _table(DATA / "dimacs" / "reference.csv"):
        if row["graph"] == name:
            columns = ("head_1h_best", "tabucol_2h_best", "partialcol_2h_best", "tabuedges_2h_best")
            shown = (row[column] for column in columns)
            return "HEAD {}, TabuCol {}, PartialCol {}, TabuEdges {}".format(*shown)
    return ""


def _table(path: Path) -> list[dict[str, str]]:
    with open(path) as file:
        return list(csv.DictReader(file))


def main() -> None:
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--graphs", nargs="+", choices=AIMS, default=list(AIMS))
    parser.add_argument("--methods", nargs="+", choices=ABLE, default=[DEFAULT])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--seconds", type=float, help="on two cores; default: those of the goals")
    asked = parser.parse_args()
    warm_up()
    for seed in asked.seeds:
        for name in asked.graphs:
            greedy(name)
            for method in asked.methods:
                longest = max(aim.seconds for aim in AIMS[name])
                search(name, method, seed, asked.seconds or longest)
    CELLS.with_suffix(".md").write_text(report())


if __name__ == "__main__":
    main()
