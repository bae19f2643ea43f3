"""One table of everybody: concolor, gcol, networkx, rustworkx, igraph and OR-Tools on known graphs.

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/league.py    # writes league.jsonl and .md
    CONCOLOR_DATA=... python benchmarks/league.py --methods tabucol --graphs queen8_8

A row of the league is a function in ``league_methods.PROPER`` (or ``RAW``), a graph a name in
``GRAPHS``. Each cell is a process of its own, which the operating system ends at its limit of CPU
seconds: not everybody takes one. Finished lines of league.jsonl are kept; delete one to measure it
anew.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import os
import platform
import resource
import signal
import time
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest.mock import patch

from numpy.typing import ArrayLike

import concolor as cc
from league_methods import PROPER, RAW, Method
from league_page import page
from measure import Cells

CELLS = Cells(Path(__file__).with_suffix(".jsonl"))
TABLES = {"proper": (PROPER, 20.0), "raw": (RAW, 5.0)}  # CPU seconds of a cell
GRACE = 2.0  # seconds more for who ends by himself, and is late
FIRST = "queen:6x6"  # colored first, so that libraries and compiled code are loaded
PEERS = ("gcol", "igraph", "networkx", "ortools", "rustworkx")
GRAPHS = {  # by the folder of CONCOLOR_DATA
    "dimacs": (
        *("DSJC125.5", "DSJC125.9", "DSJC250.5", "DSJC500.1", "DSJC500.5", "DSJC1000.1"),
        *("flat300_28_0", "le450_5a", "le450_15c", "le450_25c", "qg.order30", "r125.1c"),
        *("r250.5", "wap05a", "wap06a"),
    ),
    "color": (
        *("queen8_8", "queen11_11", "queen13_13", "queen16_16", "myciel7", "mug100_25", "games120"),
        *("homer", "miles1000", "school1", "fpsol2.i.1"),
    ),
}
FOLDERS = {name: folder for folder, names in GRAPHS.items() for name in names}


def data() -> Path:
    return Path(os.environ["CONCOLOR_DATA"])


def graph(name: str) -> cc.Graph:
    """Without the chromatic number: nobody is told."""
    return cc.read(data() / FOLDERS[name] / f"{name}.col").but(name=name, chi=None)


def describe(name: str) -> None:
    """Sizes, the best bounds known, and what others report."""
    if CELLS.like(table="graph", graph=name):
        return
    known = next(row for row in _rows(FOLDERS[name], "known") if row["name"] == name)
    numbers = {key: int(known[key]) for key in ("n", "m", "chi_lower", "chi_upper")}
    reports = [row for row in _rows("dimacs", "reference") if row["graph"] == name]
    best = {key: int(row[key]) for row in reports for key in row if key.endswith("_best")}
    CELLS.record(table="graph", graph=name, **numbers, reference=best)


def _rows(folder: str, file: str) -> list[dict[str, str]]:
    with open(data() / folder / f"{file}.csv") as lines:
        return list(csv.DictReader(lines))


def measure(table: str, name: str, method: str) -> None:
    """One cell, unless it is there."""
    methods, limit = TABLES[table]
    if CELLS.like(table=table, graph=name, method=method, limit=limit):
        return
    (about,) = CELLS.like(table="graph", graph=name)
    enough = about["chi_upper"] if about["chi_lower"] == about["chi_upper"] else 0
    found = cell(methods[method], graph(name), limit, enough if table == "proper" else 0)
    versions = {peer: version(peer) for peer in ("concolor", *PEERS)}
    with_ = {**versions, "python": platform.python_version(), "machine": platform.machine()}
    CELLS.record(table=table, graph=name, method=method, limit=limit, **found, **{"with": with_})


def cell(run: Method, g: cc.Graph, limit: float, enough: int = 0) -> dict[str, Any]:
    """What a method last told, in a process of its own; ``k`` is None where it told nothing.

    Args:
        enough: Colors with which it may end, since fewer are proved to be impossible.
    """
    fork = multiprocessing.get_context("fork")  # knows a method wherever it was written
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_work, args=(run, g, limit, enough, theirs))
    process.start()
    theirs.close()
    found: dict[str, Any] = {"k": None, "conflicts": None, "seconds": None}
    try:
        while True:
            found = ours.recv()
    except EOFError:
        process.join()
    if process.exitcode not in (0, -signal.SIGXCPU, -signal.SIGKILL):
        raise SystemExit(f"{g.name}: the method failed, see above")
    return {**found, "ended": process.exitcode == 0}


def _work(run: Method, g: cc.Graph, limit: float, enough: int, pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with patch("concolor.goal.perf_counter", time.process_time):
        run(cc.family(FIRST).but(chi=None), 1.0, lambda colors: None)
        began, best = time.process_time(), math.inf
        end = math.ceil(began + limit + GRACE)
        resource.setrlimit(resource.RLIMIT_CPU, (end, end + 1))

        def tell(colors: ArrayLike) -> None:
            nonlocal best
            at, found = time.process_time() - began, cc.Coloring(g, colors)
            if found.k < best:
                best = found.k
                pipe.send({"k": found.k, "conflicts": found.conflicts, "seconds": round(at, 4)})
            if found.k <= enough and found.is_proper:
                os._exit(0)

        run(g, limit, tell)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", choices=FOLDERS, default=[*FOLDERS])
    parser.add_argument("--methods", nargs="+", choices=[*PROPER, *RAW], default=[*PROPER, *RAW])
    asked = parser.parse_args()
    for name in asked.graphs:
        describe(name)
        for table, (methods, _) in TABLES.items():
            for method in (method for method in methods if method in asked.methods):
                measure(table, name, method)
    CELLS.file.with_suffix(".md").write_text(page(CELLS))


if __name__ == "__main__":
    main()
