"""What the exact solver proves in a minute, beside CP-SAT and gcol, and which SAT solver it asks.

    CONCOLOR_DATA=... python benchmarks/exact.py      # writes exact.jsonl and exact.md here

Finished cells of exact.jsonl are kept; delete a line to measure it anew. All time is CPU time of
one thread, since others use the machine. Each cell is a process of its own: gcol cannot be given a
time limit, so the operating system ends it, and OR-Tools cannot be loaded beside HiGHS.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gcol
from pysat.solvers import Solver

import concolor as cc
from concolor.goal import Clock, Goal, Task
from concolor.graph.datasets import dataset
from concolor.solvers import SOLVERS
from concolor.solvers.clique import largest_cliques
from concolor.solvers.fractional import fractional_bounds
from concolor.solvers.greedy import dsatur
from concolor.solvers.local_search import warm_up
from concolor.solvers.sat import clauses
from measure import keep

HERE = Path(__file__).parent
CELLS = HERE / "exact.jsonl"
DATA = Path(os.environ.get("CONCOLOR_DATA", "."))
LIMIT, ASKED = 60.0, 20.0  # CPU seconds for a graph, and for a fraction or a question
GRAPHS = (
    *("er:70x0.5", "er:70x0.5, seed 1", "er:70x0.5, seed 2", "er:125x0.1", "er:125x0.9"),
    *("dimacs/DSJC125.5", "dimacs/DSJC125.9", "dimacs/r125.1c", "color/myciel5", "color/myciel6"),
    *("color/queen8_8", "color/queen9_9", "color/queen10_10", "color/queen11_11"),
    *("color/mug100_1", "color/school1"),
)
QUESTIONS = (  # is there a coloring with so many colors?
    *(("myciel:5", 5), ("queen:7", 7), ("queen:8", 8), ("queen:9", 9), ("queen:9", 10)),
    *(("kneser:7x2", 4), ("er:60x0.5", 9)),
)


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
    """Without the chromatic number that a family may know."""
    if "/" in name:
        return cc.read(DATA / f"{name}.col").but(chi=None)
    spec, _, seed = name.partition(", seed ")
    return cc.family(spec, seed=int(seed or 0)).but(chi=None)


def by_concolor(g: cc.Graph, limit: float) -> tuple[int, int]:
    found = SOLVERS["exact"].run(Task(g, Goal.of(g), 0, CpuClock(limit)))
    assert found.coloring.is_proper
    return found.lower, found.coloring.k


def by_cp_sat(g: cc.Graph, limit: float) -> tuple[int, int]:
    """Colors in use come first, a clique is fixed, and DSATUR's coloring is the hint."""
    from ortools.sat.python import cp_model  # would keep HiGHS from being loaded

    hint = dsatur(g)
    model, k = cp_model.CpModel(), hint.k
    x = [[model.new_bool_var("") for _ in range(k)] for _ in range(g.n)]
    used = [model.new_bool_var("") for _ in range(k)]
    for v, row in enumerate(x):
        model.add_exactly_one(row)
        model.add_hint(row[int(hint.colors[v])], True)
    for c in range(k):
        for u, v in g.edges.tolist():
            model.add_bool_or(~x[u][c], ~x[v][c])
        for v in range(g.n):
            model.add_implication(x[v][c], used[c])
        if c:
            model.add_implication(used[c], used[c - 1])
    for c, v in enumerate(largest_cliques(g, most=1)[0]):
        model.add(x[v][c] == 1)
    model.minimize(sum(used))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    watch = threading.Thread(target=_stop, args=(solver, limit), daemon=True)
    watch.start()
    status = solver.solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return round(solver.best_objective_bound), round(solver.objective_value) if found else k


def _stop(solver: Any, limit: float) -> None:
    end = time.process_time() + limit
    while time.process_time() < end:
        time.sleep(0.05)
    solver.stop_search()


def by_gcol(g: cc.Graph, limit: float) -> tuple[int, int]:
    """Its backtracking from DSATUR's coloring; it answers at the end, or never."""
    twin, end = cc.to_networkx(g), int(time.process_time() + limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (end, end))
    k = max(gcol.node_coloring(twin, strategy="dsatur", opt_alg=1).values()) + 1
    return k, k


WAYS: dict[str, Callable[[cc.Graph, float], tuple[int, int]]] = {
    "concolor": by_concolor,
    "CP-SAT": by_cp_sat,
    "gcol": by_gcol,
}


def cells() -> list[dict[str, object]]:
    return [json.loads(line) for line in CELLS.read_text().splitlines()] if CELLS.exists() else []


def known(**key: object) -> dict[str, object] | None:
    return next((cell for cell in cells() if key.items() <= cell.items()), None)


def record(**cell: object) -> None:
    print(json.dumps(cell), flush=True)
    with CELLS.open("a") as file:
        file.write(json.dumps(cell) + "\n")


def measure(name: str, way: str) -> None:
    """One way on one graph, in a process of its own."""
    if known(table="chi", graph=name, way=way, limit=LIMIT):
        return
    command = [sys.executable, __file__, "--cell", name, way]
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    lines = ended.stdout.decode().splitlines()
    result = json.loads(lines[-1]) if lines else {"lower": None, "k": None, "seconds": LIMIT}
    record(table="chi", graph=name, way=way, limit=LIMIT, **result)


def cell(name: str, way: str) -> None:
    g = graph(name)
    warm_up()
    began = time.process_time()
    lower, k = WAYS[way](g, LIMIT)
    print(json.dumps({"lower": lower, "k": k, "seconds": round(time.process_time() - began, 2)}))


def describe(name: str) -> None:
    """Sizes, the largest clique and the fractional chromatic number, or a bound of it."""
    if known(table="graph", graph=name):
        return
    g = graph(name)
    clique = len(largest_cliques(g, most=1)[0])
    began = time.process_time()
    bounds = [*fractional_bounds(g, [dsatur(g)], rounded=False, clock=CpuClock(ASKED))]
    seconds = round(time.process_time() - began, 2)
    value = float(bounds[-1].value) if bounds else None
    record(table="graph", graph=name, n=g.n, m=g.m, clique=clique, fraction=value, seconds=seconds)


def ask(spec: str, k: int, name: str) -> None:
    """The same clauses to one SAT solver of python-sat."""
    if known(table="question", graph=spec, k=k, solver=name):
        return
    g, began = cc.family(spec), time.process_time()
    solver = Solver(name=name)
    for block in clauses(g, k, largest_cliques(g)):
        solver.append_formula(block)
    timer = threading.Timer(ASKED, solver.interrupt)
    timer.start()
    answer = solver.solve_limited(expect_interrupt=True)
    timer.cancel()
    seconds = round(time.process_time() - began, 2)
    record(table="question", graph=spec, k=k, solver=name, answer=answer, seconds=seconds)


def subgraphs() -> None:
    if known(table="cora"):
        return
    warm_up()
    seconds, proved = [], 0
    for g in dataset("cora-subgraphs").splits["heldout"]:
        began = time.process_time()
        lower, k = by_concolor(g.but(chi=None), LIMIT)
        proved += lower == k
        seconds.append(time.process_time() - began)
    record(table="cora", graphs=len(seconds), proved=proved, slowest=round(max(seconds), 3))


SAT = ("minisat22", "glucose4", "maplechrono")


def report() -> Iterator[str]:
    names = ("highspy", "python-sat", "ortools", "gcol")
    yield "# Exact coloring"
    yield ""
    yield (
        f"concolor {cc.__version__}, {', '.join(f'{name} {version(name)}' for name in names)}, "
        f"Python {platform.python_version()}, {platform.machine()}, one thread. {LIMIT:g} CPU "
        "seconds a graph. Where the sides do not meet, both are given: what is proved and what was "
        "found. gcol says nothing before it has a proof; - where it has none. *fraction* is the "
        "fractional chromatic number, or a lower bound of it where "
        f"{ASKED:g} s were not enough. An empty cell is not measured yet."
    )
    yield ""
    yield f"| graph | n | m | clique | fraction | s | {' | s | '.join(WAYS)} | s |"
    yield "|---" * (6 + 2 * len(WAYS)) + "|"
    for name in GRAPHS:
        about = known(table="graph", graph=name)
        if about is not None:
            yield f"| {_row(name, about)} |"
    cora = known(table="cora")
    if cora is not None:
        yield ""
        yield (
            f"Cora test subgraphs: {cora['proved']} of {cora['graphs']} proved by concolor, "
            f"{cora['slowest']} s at most."
        )
    yield ""
    yield "## The same clauses, different solvers"
    yield ""
    yield (
        "CPU seconds to build the formula and to answer whether the graph is k-colorable; "
        f"{ASKED:g} s on the wall at most. CaDiCaL is left out: python-sat cannot interrupt it."
    )
    yield ""
    yield f"| graph, k | colorable | {' | '.join(SAT)} |"
    yield "|---" * (2 + len(SAT)) + "|"
    for spec, k in QUESTIONS:
        found = [known(table="question", graph=spec, k=k, solver=name) for name in SAT]
        answers = {cell["answer"] for cell in found if cell} - {None}
        assert len(answers) <= 1, f"{spec}, {k}: the solvers contradict each other"
        word = {True: "yes", False: "no"}.get(next(iter(answers), None), "?")
        times = [_seconds(cell, "answer") for cell in found]
        yield f"| {spec}, {k} | {word} | {' | '.join(times)} |"


def _row(name: str, about: dict[str, object]) -> str:
    fraction = "-" if about["fraction"] is None else f"{about['fraction']:.4f}"
    cells = [Path(name).name, about["n"], about["m"], about["clique"], fraction, about["seconds"]]
    for way in WAYS:
        found = known(table="chi", graph=name, way=way, limit=LIMIT)
        cells += [_sides(found), _seconds(found, "k")]
    return " | ".join(map(str, cells))


def _sides(found: dict[str, object] | None) -> str:
    if found is None:
        return ""
    if found["k"] is None:
        return "-"
    lower, k = found["lower"], found["k"]
    return f"{k}" if lower == k else f"{lower}..{k}"


def _seconds(found: dict[str, object] | None, key: str) -> str:
    if found is None:
        return ""
    return f"{found['seconds']:.2f}" if found[key] is not None else f"> {found['seconds']:g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cell", nargs=2, metavar=("GRAPH", "WAY"), help="measure this one only")
    parser.add_argument("--ways", nargs="+", default=[*WAYS], choices=[*WAYS])
    parser.add_argument("--graphs", nargs="+", default=[*GRAPHS], choices=[*GRAPHS])
    args = parser.parse_args()
    if args.cell:
        cell(*args.cell)
        return
    for name in args.graphs:
        describe(name)
    for way in args.ways:
        for name in args.graphs:
            measure(name, way)
    subgraphs()
    for spec, k in QUESTIONS:
        for solver in SAT:
            ask(spec, k, solver)
    keep(report(), Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    main()
