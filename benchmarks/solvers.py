"""TabuCol beside gcol's, and what it reaches on the COLOR graphs.

    CONCOLOR_DATA=... python benchmarks/solvers.py     # writes solvers.jsonl and solvers.md here

Finished cells of solvers.jsonl are kept; delete a line to measure it anew. gcol is needed for the
comparison only (``pip install gcol``).
"""

from __future__ import annotations

import csv
import json
import os
import platform
import random
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from statistics import median

import gcol

import concolor as cc
from concolor.goal import Progress
from concolor.solvers import solve

HERE = Path(__file__).parent
CELLS = HERE / "solvers.jsonl"
SEED = 0
RANDOM, SPARSE = "er:1000x0.05", "er:10000x0.001"
PEERS = [*(f"queen:{side}x{side}" for side in range(8, 17)), RANDOM, SPARSE]
WALL = 20.0  # seconds for each of the two
COLOR_WALL = 30.0  # seconds for each COLOR graph
RUNS = 3
EXPECTED = {  # proper colors within WALL
    "queen:8x8": 9,
    "queen:10x10": 11,
    "queen:11x11": 12,
    "queen:13x13": 14,
    "queen:16x16": 18,
}
AT_CHI = {"queen:11x11": 7, "queen:13x13": 10}  # conflicts with k = chi colors, at most
TOLERANT = [  # fewest colors with at most 5 percent of the edges in conflict: 5 seconds each
    *("david", "homer", "myciel7", "queen8_8", "queen11_11", "queen13_13", "queen16_16"),
]
TOLERANT_EXPECTED = [5, 6, 4, 7, 8, 9, 10]
GREEDY = ["largest-first", "smallest-last", "dsatur", "rlf"]
GREEDY_ON = ["queen:16x16", RANDOM, SPARSE, "geometric:5000x0.05", "barabasi:100000x5"]


def moves() -> None:
    """Moves a CPU second of both, all the way down from DSATUR, runs alternating."""
    graph = cc.family(RANDOM)
    twin, limit = cc.to_networkx(graph), 20_000
    for run in range(RUNS):
        if known("moves", RANDOM, run):
            continue
        random.seed(run)
        begun = time.process_time()
        gcol.node_coloring(twin, opt_alg=2, it_limit=0)
        ready = time.process_time()
        gcol.node_coloring(twin, opt_alg=2, it_limit=limit)
        theirs = limit / (time.process_time() - ready - (ready - begun))

        seen: list[Progress] = []
        begun = time.process_time()
        solve(graph, "tabucol", seed=run, time_limit=5, progress=seen.append)
        ours = seen[-1].steps / (time.process_time() - begun)
        record("moves", RANDOM, run, ours=round(ours), gcol=round(theirs))


def peers() -> None:
    """gcol first, with as many iterations as it makes in about WALL seconds; then ours, with the
    time that took, but no more than WALL."""
    for spec in PEERS:
        if known("peers", spec, SEED):
            continue
        graph = cc.family(spec)
        colors, taken = gcol_for(graph, WALL)
        begun = time.perf_counter()
        coloring = solve(graph, "tabucol", seed=SEED, time_limit=min(taken, WALL)).coloring
        spent = time.perf_counter() - begun
        assert coloring.is_proper
        numbers = {"gcol": colors, "gcol_seconds": round(taken, 2), "seconds": round(spent, 2)}
        record("peers", spec, SEED, k=coloring.k, chi=graph.chi, **numbers)


def gcol_for(graph: cc.Graph, seconds: float) -> tuple[int, float]:
    """Colors of gcol's TabuCol from DSATUR and the seconds it took, about as many as asked for."""
    twin, limit, taken = cc.to_networkx(graph), 500, 0.0
    while True:
        random.seed(SEED)
        begun = time.perf_counter()
        colors = max(gcol.node_coloring(twin, opt_alg=2, it_limit=limit).values()) + 1
        before, taken = taken, time.perf_counter() - begun
        settled = colors == graph.chi or taken < 1.2 * before  # more iterations change nothing
        if taken > 0.7 * seconds or settled:
            return colors, taken
        limit = int(limit * min(max(seconds / taken, 1.5), 8))


def at_chi() -> None:
    """Fewest conflicts with as many colors as the chromatic number."""
    for spec in AT_CHI:
        if not known("at_chi", spec, SEED):
            graph = cc.family(spec)
            coloring = solve(graph, "tabucol", k=graph.chi, seed=SEED, time_limit=WALL).coloring
            record("at_chi", spec, SEED, k=graph.chi, conflicts=coloring.conflicts)


def color() -> None:
    """Every COLOR graph; the search ends when the known chromatic number is reached."""
    for graph in color_graphs():
        if known("color", graph.name, SEED):
            continue
        begun = time.perf_counter()
        coloring = solve(graph, "tabucol", seed=SEED, time_limit=COLOR_WALL).coloring
        spent = round(time.perf_counter() - begun, 3)
        assert coloring.is_proper
        record("color", graph.name, SEED, k=coloring.k, chi=graph.chi, seconds=spent)


def tolerant() -> None:
    """Fewest colors with at most 5 percent of the edges in conflict."""
    for graph in color_graphs():
        if graph.name in TOLERANT and not known("tolerant", graph.name, SEED):
            coloring = solve(graph, "tabucol", max_mono=0.05, seed=SEED, time_limit=5).coloring
            record("tolerant", graph.name, SEED, k=coloring.k, mono=round(coloring.mono, 4))


def greedy() -> None:
    """Colors and CPU milliseconds of the greedy methods."""
    for spec in GREEDY_ON:
        graph = cc.family(spec)
        for method in GREEDY:
            if known("greedy", f"{spec} {method}", SEED):
                continue
            solve(cc.family("path:2"), method)  # compiled
            begun = time.process_time()
            coloring = solve(graph, method).coloring
            spent = round(1000 * (time.process_time() - begun), 1)
            record("greedy", f"{spec} {method}", SEED, k=coloring.k, milliseconds=spent)


def color_graphs() -> Iterator[cc.Graph]:
    """The COLOR graphs with their chromatic numbers, by name."""
    folder = Path(os.environ["CONCOLOR_DATA"]) / "color"
    with open(folder / "known.csv") as file:
        for row in csv.DictReader(file):
            chi = int(row["chi_upper"]) if row["chi_lower"] == row["chi_upper"] else None
            yield cc.read(folder / f"{row['name']}.col").but(name=row["name"], chi=chi)


def cells() -> list[dict]:
    return [json.loads(line) for line in CELLS.read_text().splitlines()] if CELLS.exists() else []


def known(table: str, row: str, seed: int) -> bool:
    return any((c["table"], c["row"], c["seed"]) == (table, row, seed) for c in cells())


def record(table: str, row: str, seed: int, **numbers: float | None) -> None:
    versions = {"concolor": cc.__version__, "gcol": version("gcol"), "machine": platform.machine()}
    cell = {"table": table, "row": row, "seed": seed, **numbers, "with": versions}
    with open(CELLS, "a") as file:
        file.write(json.dumps(cell) + "\n")
    print(json.dumps(cell), flush=True)


def report() -> str:
    by = {
        name: [c for c in cells() if c["table"] == name] for name in {c["table"] for c in cells()}
    }
    ours, theirs = (median(c[side] for c in by["moves"]) for side in ("ours", "gcol"))
    reached = [c for c in by["color"] if c["k"] == c["chi"]]
    missed = [c for c in by["color"] if c["k"] != c["chi"]]
    lines = [
        "# Solvers",
        "",
        f"Written by `benchmarks/solvers.py`: concolor {cc.__version__}, gcol {version('gcol')}, "
        f"Python {platform.python_version()}, {platform.machine()}, one thread, a machine of two "
        "cores that others use too. Seconds are on the wall unless they are called CPU.",
        "",
        "## Speed",
        "",
        f"TabuCol on {RANDOM}, from DSATUR down: {ours:,.0f} moves a CPU second, gcol's "
        f"{theirs:,.0f}, ratio **{ours / theirs:.0f}** (medians of {RUNS} alternating runs).",
        "",
        "## Proper colorings in the same time",
        "",
        "gcol's TabuCol gets as many iterations as take about 20 s, fewer where they reach χ; ours "
        "the same time, 20 s at most, and ends early at the known χ.",
        "",
        "| graph | χ | ours | s | gcol | s | expected |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {c['row']} | {c['chi'] or ''} | {c['k']} | {c['seconds']} | {c['gcol']} "
            f"| {c['gcol_seconds']} | {EXPECTED.get(c['row'], '')} |"
            for c in by["peers"]
        ),
        "",
        "## Conflicts with χ colors, 20 s",
        "",
        "| graph | k | conflicts | expected at most |",
        "|---|---|---|---|",
        *(
            f"| {c['row']} | {c['k']} | {c['conflicts']} | {AT_CHI[c['row']]} |"
            for c in by["at_chi"]
        ),
        "",
        "## COLOR graphs, 30 s each",
        "",
        f"χ reached on **{len(reached)} of {len(by['color'])}**, in "
        f"{max(c['seconds'] for c in reached)} s at most. Missed: "
        + ", ".join(f"{c['row']} by {c['k'] - c['chi']}" for c in missed)
        + ".",
        "",
        "| graph | χ | colors | s |",
        "|---|---|---|---|",
        *(f"| {c['row']} | {c['chi']} | {c['k']} | {c['seconds']} |" for c in by["color"]),
        "",
        "## Fewest colors with at most 5 percent of the edges in conflict, 5 s",
        "",
        "| graph | k | mono | expected |",
        "|---|---|---|---|",
        *(
            f"| {c['row']} | {c['k']} | {c['mono']} "
            f"| {dict(zip(TOLERANT, TOLERANT_EXPECTED, strict=True))[c['row']]} |"
            for c in by["tolerant"]
        ),
        "",
        "## Greedy",
        "",
        "Colors, and CPU milliseconds.",
        "",
        "| graph | " + " | ".join(GREEDY) + " |",
        "|---" * (len(GREEDY) + 1) + "|",
        *(
            f"| {spec} | "
            + " | ".join(
                f"{c['k']}, {c['milliseconds']}"
                for method in GREEDY
                for c in by["greedy"]
                if c["row"] == f"{spec} {method}"
            )
            + " |"
            for spec in GREEDY_ON
        ),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    solve(cc.family("queen:5x5"), k=4, time_limit=0.1)  # compiled and loaded
    for measure in (moves, greedy, at_chi, tolerant, color, peers):
        measure()
    CELLS.with_suffix(".md").write_text(report())


if __name__ == "__main__":
    main()
