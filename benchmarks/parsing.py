"""How fast ``read`` is beside an honest line-by-line loop that builds the same Graph.

    python benchmarks/parsing.py [--nodes 100000] [--edges 1000000] [--runs 5]

Both sides read the same file in alternating runs of one process; the table of medians is printed
and written to ``parsing.md`` beside this file.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import concolor
from concolor import Graph, read, write


def loop_dimacs(path: Path) -> Graph:
    n, edges = 0, []
    with open(path) as file:
        for line in file:
            if line.startswith("e"):
                _, u, v = line.split()
                edges.append((int(u) - 1, int(v) - 1))
            elif line.startswith("p"):
                n = int(line.split()[2])
    return Graph.from_edges(n, edges)


def loop_edges(path: Path) -> Graph:
    edges, singles = [], [-1]
    with open(path) as file:
        for line in file:
            if line.startswith("#"):
                continue
            tokens = line.split()
            if len(tokens) == 2:
                edges.append((int(tokens[0]), int(tokens[1])))
            else:
                singles.append(int(tokens[0]))
    return Graph.from_edges(1 + max(max(map(max, edges)), max(singles)), edges)


def loop_metis(path: Path) -> Graph:
    edges = []
    with open(path) as file:
        n = int(next(file).split()[0])
        for node, line in enumerate(file):
            edges.extend((node, int(token) - 1) for token in line.split())
    return Graph.from_edges(n, edges)


def loop_mtx(path: Path) -> Graph:
    n, edges = None, []
    with open(path) as file:
        for line in file:
            if line.startswith("%"):
                continue
            if n is None:
                n = int(line.split()[0])
            else:
                u, v = line.split()
                edges.append((int(u) - 1, int(v) - 1))
    return Graph.from_edges(n or 0, edges)


LOOPS: dict[str, Callable[[Path], Graph]] = {
    "dimacs": loop_dimacs,
    "edges": loop_edges,
    "metis": loop_metis,
    "mtx": loop_mtx,
}


def seconds(make: Callable[[Path], Graph], path: Path) -> tuple[float, Graph]:
    start = time.process_time()  # not the clock on the wall: others may use this machine
    graph = make(path)
    return time.process_time() - start, graph


def compare(graph: Graph, name: str, folder: Path, runs: int) -> tuple[float, float, float]:
    """Medians of ``read`` and of the loop in seconds, and the size of the file in MB."""
    path = folder / f"graph.{name}"
    write(graph, path, format=name)
    fast, slow = [], []
    for _ in range(runs):
        for times, make in ((fast, lambda p: read(p, format=name)), (slow, LOOPS[name])):
            taken, result = seconds(make, path)
            assert result == graph, f"{name}: another graph came back"
            times.append(taken)
    return statistics.median(fast), statistics.median(slow), path.stat().st_size / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    ends = np.random.default_rng(0).integers(0, args.nodes, (args.edges, 2))
    graph = Graph.from_edges(args.nodes, ends)
    rows = [
        f"Median CPU seconds of {args.runs} alternating runs, n = {graph.n}, m = {graph.m}; "
        f"concolor {concolor.__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, {platform.machine()}.",
        "",
        "| format | file MB | read | line-by-line loop | ratio |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name in LOOPS:
            fast, slow, size = compare(graph, name, Path(folder), args.runs)
            rows.append(f"| {name} | {size:.1f} | {fast:.3f} | {slow:.3f} | {slow / fast:.1f} |")
    text = "\n".join(rows) + "\n"
    print(text, end="")
    Path(__file__).with_suffix(".md").write_text(f"# Reading graph files\n\n{text}")


if __name__ == "__main__":
    main()
