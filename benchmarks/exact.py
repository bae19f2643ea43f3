"""What the exact solver proves in a minute, and which SAT solver does it.

    OMP_NUM_THREADS=1 python benchmarks/exact.py [--limit 60] [--peer-limit 20]

Needs ``CONCOLOR_DATA`` for the Cora subgraphs and the COLOR files, and python-sat and OR-Tools. The
tables are printed and written to ``exact.md`` beside this file. Seconds are CPU seconds of one
process; limits are seconds on the wall, so a busy machine gives unproved graphs less than that.
"""

from __future__ import annotations

import argparse
import os
import platform
import threading
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from ortools.sat.python import cp_model
from pysat.solvers import Solver

import concolor
from concolor import Graph, family, read
from concolor.goal import Solution
from concolor.graph.datasets import dataset
from concolor.solvers import solve
from concolor.solvers.clique import largest_cliques
from concolor.solvers.local_search import warm_up
from concolor.solvers.sat import clauses
from measure import keep

FAMILIES = (
    *("myciel:4", "myciel:5", "myciel:6"),
    *("queen:5", "queen:6", "queen:7", "queen:8", "queen:9", "queen:10", "queen:11", "queen:8x12"),
    *("kneser:7x2", "kneser:9x3", "er:70x0.5"),
)
FILES = (
    *("huck", "jean", "anna", "david", "homer"),
    *("mug88_1", "mug88_25", "mug100_1", "mug100_25"),
    *("games120", "miles250", "miles500", "miles750", "miles1000", "miles1500"),
    *("mulsol.i.1", "zeroin.i.1", "fpsol2.i.1", "inithx.i.1", "school1", "school1_nsh"),
)
QUESTIONS = (  # the hard ones of the table above: is there a coloring with so many colors?
    *(("myciel:5", 5), ("queen:7", 7), ("queen:8", 8), ("queen:9", 9), ("queen:9", 10)),
    *(("kneser:7x2", 4), ("er:60x0.5", 9)),
)


def proved(graph: Graph, limit: float) -> tuple[Solution, float]:
    start = time.process_time()
    return solve(graph.but(chi=None), "exact", time_limit=limit), time.process_time() - start


def graphs() -> Iterator[Graph]:
    yield from map(family, FAMILIES)
    for name in FILES:
        yield read(Path(os.environ["CONCOLOR_DATA"]) / "color" / f"{name}.col")


def bounds(limit: float) -> Iterator[str]:
    yield "| graph | n | m | clique | lower | colors | proved | CPU seconds |"
    yield "|---|---|---|---|---|---|---|---|"
    for graph in graphs():
        found, taken = proved(graph, limit)
        clique = len(largest_cliques(graph, most=1)[0])
        yield (
            f"| {graph.name} | {graph.n} | {graph.m} | {clique} | {found.lower} "
            f"| {found.coloring.k} | {'yes' if found.is_proved else 'no'} | {taken:.2f} |"
        )


def subgraphs(limit: float) -> str:
    results = [proved(graph, limit) for graph in dataset("cora-subgraphs").splits["heldout"]]
    count = sum(found.is_proved for found, _ in results)
    slowest = max(taken for _, taken in results)
    return f"Cora test subgraphs: {count} of {len(results)} proved, {slowest:.3f} s at most."


def by_pysat(name: str, graph: Graph, k: int, limit: float) -> str:
    solver = Solver(name=name)
    for block in clauses(graph, k, largest_cliques(graph)):
        solver.append_formula(block)
    timer = threading.Timer(limit, solver.interrupt)
    timer.start()
    answer = solver.solve_limited(expect_interrupt=True)
    timer.cancel()
    return {True: "yes", False: "no", None: "-"}[answer]


def by_cp_sat(graph: Graph, k: int, limit: float) -> str:
    model = cp_model.CpModel()
    literals = [model.new_bool_var("") for _ in range(2 * graph.n * k)]
    for block in clauses(graph, k, largest_cliques(graph)):
        for clause in block:
            model.add_bool_or([literals[x - 1] if x > 0 else ~literals[-x - 1] for x in clause])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    answer = solver.solve(model)
    return {cp_model.OPTIMAL: "yes", cp_model.INFEASIBLE: "no"}.get(answer, "-")


def peers(limit: float) -> Iterator[str]:
    names = ("minisat22", "glucose4", "maplechrono", "CP-SAT")
    yield f"| graph, k | colorable | {' | '.join(names)} |"
    yield "|---|---|---|---|---|---|"
    for spec, k in QUESTIONS:
        graph, cells, answers = family(spec), [], set()
        for name in names:
            start = time.process_time()
            cp = name == "CP-SAT"
            answer = by_cp_sat(graph, k, limit) if cp else by_pysat(name, graph, k, limit)
            taken = time.process_time() - start
            cells.append(f"{taken:.2f}" if answer != "-" else f"> {limit:g}")
            answers |= {answer} - {"-"}
        assert len(answers) <= 1, f"{spec}, {k}: the solvers contradict each other"
        yield f"| {graph.name}, {k} | {''.join(answers) or '?'} | {' | '.join(cells)} |"


def report(args: argparse.Namespace) -> Iterator[str]:
    versions = ", ".join(f"{name} {version(name)}" for name in ("python-sat", "ortools"))
    yield "# Exact coloring"
    yield ""
    yield (
        f"concolor {concolor.__version__}, {versions}, Python {platform.python_version()}, "
        f"{platform.machine()}, one core. Time limit {args.limit:g} s a graph."
    )
    yield ""
    yield subgraphs(args.limit)
    yield ""
    yield from bounds(args.limit)
    yield ""
    yield "## The same clauses, different solvers"
    yield ""
    yield (
        "CPU seconds to build the formula and to answer whether the graph is k-colorable; "
        f"{args.peer_limit:g} s at most. CaDiCaL is left out: python-sat cannot interrupt it."
    )
    yield ""
    yield from peers(args.peer_limit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--peer-limit", type=float, default=20)
    args = parser.parse_args()
    warm_up()
    keep(report(args), Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    main()
