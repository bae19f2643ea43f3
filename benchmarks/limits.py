"""Time limits: seconds asked for and seconds taken, by command and by size of the graph.

    python benchmarks/limits.py [--only color] [--most 10000] [--rounds 3] [--folder FOLDER] [--cpu]

Every run is a process of its own on a graph in a file. Of its seconds on the wall those of another
process are taken away, which does all that comes before the clock can start: it loads the command
line, reads the same file, and runs DSATUR on Petersen's graph, so that compiled code is loaded,
too. What is left is *taken*. Torch is not part of what is taken away: whoever asks for a second
does not want to wait for it. Only `train` is nothing without: there the other process trains on
Petersen's graph. A limit is kept where no more is taken than a tenth above it and half a second.
*refused*: exit code 2, what is asked needs more memory than the budget. Medians of the rounds; one
round where more than 5 seconds are asked or the graph has more than 10,000 nodes.

On a machine that others use, ``--cpu`` measures CPU seconds instead, and lets the clock of the
command count these, too: what several threads take adds up, so that it is more than on the wall.
Its rows are in ``limits-cpu.jsonl``.

A process that takes three times its limit and two minutes is ended, and that is its row. Rows are
appended to ``limits.jsonl`` in the folder, by default that of this file, and not measured again:
delete a line to do so. ``limits.md`` is written from all rows that are there.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import concolor as cc
from concolor.graph.structure import by_degree
from concolor.solvers.speculative import speculative
from measure import ended, keep

Row = dict[str, Any]

SPARSE = (100, 1_000, 10_000, 100_000, 1_000_000)  # mean degree 10
DENSE = (100, 300, 1_000, 3_000, 6_300)  # density 0.5: up to ten million edges
LIMITS = (0.1, 1.0, 5.0)
COMPLETE = (3_000,)
LONG, LARGEST = 60.0, 1_000_000  # one more limit for the largest
COMMANDS = {
    "color": ["color"],
    "solve": ["solve", "--method", "tabucol"],
    "solve exact": ["solve", "--method", "exact"],
    "pareto": ["pareto"],
    "certify": ["certify"],
    "color --certify": ["color", "--certify"],
    "color --balanced": ["color", "--balanced"],
    "solve portfolio": ["solve"],
    "solve memetic": ["solve", "--method", "memetic"],
    "solve belief": ["solve", "--method", "belief"],
    "solve rlf": ["solve", "--method", "rlf"],
    "recolor": ["recolor", "--near", "{near}"],
    "frequencies": ["frequencies"],
    "solve --preset": ["solve", "--preset", "{preset}"],
    "solve --weights": ["solve", "--weights", "-k", "9"],
    "color --weights": ["color", "--weights", "-k", "9"],
    "train": ["train", "-o", "{model}"],
}
BEFORE = (
    "import sys, concolor.cli, concolor as cc; "
    "cc.dsatur(cc.family('petersen')); cc.read(sys.argv[1])"
)
TRAINED = f"{BEFORE}; cc.Colorer(cc.Recipe(hidden=8, epochs=1)).fit([cc.family('petersen')])"

BY_CPU = (
    "import time, concolor.goal as goal; goal.perf_counter = time.process_time; "
    "from concolor.cli import main; main()"
)
GRAPHS = {  # families, and their sizes
    **{f"er:{n}x{10 / n:g}": n for n in SPARSE},
    **{f"er:{n}x0.5": n for n in DENSE},
    **{f"complete:{n}": n for n in COMPLETE},
}


def cells(name: str, commands: Iterable[str] = COMMANDS) -> Iterator[tuple[str, str, float]]:
    """What is measured of a graph: its name, the command, the limit."""
    limits = (*LIMITS, LONG) if GRAPHS[name] == LARGEST else LIMITS
    return ((name, command, asked) for command in commands for asked in limits)


def stored(name: str, folder: Path) -> Path:
    """The file of a graph, with pairs two channels apart; to make it is not timed. Beside it a
    coloring that was proper before every tenth node changed, and a color for its first node."""
    path, graph = folder / f"{name.replace(':', '_')}.npz", cc.family(name)
    cc.write(graph.but(weights=np.full(graph.m, 2.0)), path)
    colors = speculative(graph, by_degree(graph))
    colors[::10] = 0
    cc.Coloring(graph, colors).save(path.with_suffix(".json"))
    path.with_suffix(".preset").write_text('{"0": 3}')
    return path


def timed(
    words: list[str], end: float | None = None, *, cpu: bool = False
) -> tuple[float, int | None, str]:
    """Seconds of a process, its exit code, None if it was ended, and its output."""
    done = ended(words, after=end, most=12.0)
    return done.cpu if cpu else done.wall, done.code, done.output


def colors(command: str, output: str) -> int:
    """The colors that a command needed for a proper coloring, or proved to be enough."""
    found = json.loads(output)
    if command == "pareto":
        return int(found["curve"][-1]["k"])
    return int(found[{"certify": "upper", "frequencies": "channels"}.get(command, "k")])


def measured(command: str, path: Path, asked: float, before: float, rounds: int, cpu: bool) -> Row:
    run = ["-c", BY_CPU] if cpu else ["-m", "concolor"]
    suffixes = {"near": ".json", "model": ".safetensors", "preset": ".preset"}
    beside = {name: path.with_suffix(suffix) for name, suffix in suffixes.items()}
    asks = [word.format(**beside) for word in COMMANDS[command]]
    words = [*run, *asks, str(path), "--time-limit", f"{asked:g}"]
    walls, found = [], {}
    for _ in range(rounds):
        wall, code, output = timed([*words, "--json", "--quiet"], end=3 * asked + 120, cpu=cpu)
        if code not in (0, 1):
            ended = {None: "ended by us", 2: "refused"}.get(code, f"exit code {code}")
            return {"wall": wall, "before": before, "failed": ended}
        walls.append(wall)
        found = {} if command == "train" else {"k": colors(command, output)}
    return {"wall": median(walls), "before": before, **found}


def known(file: Path) -> dict[tuple[str, str, float], Row]:
    lines = file.read_text().splitlines() if file.exists() else []
    rows = map(json.loads, lines)
    return {(row["graph"], row["command"], row["asked"]): row for row in rows}


def run(
    file: Path, commands: list[str], most: int, rounds: int, folder: Path, *, cpu: bool
) -> None:
    for name, n in GRAPHS.items():
        missing = [cell for cell in cells(name, commands) if cell not in known(file)]
        if n > most or not missing:
            continue
        path, once = stored(name, folder), n > 10_000
        timed(["-c", BEFORE, str(path)])  # compiled, and in the cache of the disk
        times = 1 if once else rounds
        starts = {
            start: median(timed(["-c", start, str(path)], cpu=cpu)[0] for _ in range(times))
            for start in (BEFORE, TRAINED)
        }
        for _, command, asked in missing:
            before = starts[TRAINED if command == "train" else BEFORE]
            times = 1 if once or asked > 5 else rounds
            row = {"graph": name, "command": command, "asked": asked}
            row |= measured(command, path, asked, before, times, cpu)
            with file.open("a") as lines:
                lines.write(json.dumps(row) + "\n")
            print(rendered(row), flush=True)


def rendered(row: Row) -> str:
    taken = max(row["wall"] - row["before"], 0)
    kept = row.get("failed", "yes" if taken <= 1.1 * row["asked"] + 0.5 else "no")
    cells = [row["graph"], row["command"], f"{row['asked']:g}", f"{taken:.2f}", kept]
    return f"| {' | '.join(cells)} | {row.get('k', '-')} |"


def report(file: Path) -> Iterator[str]:
    found = known(file)
    rows = [found[cell] for name in GRAPHS for cell in cells(name) if cell in found]
    kept = sum("| yes |" in rendered(row) for row in rows)
    refused = sum(row.get("failed") == "refused" for row in rows)
    yield from (
        "# Time limits",
        "",
        "Written by `benchmarks/limits.py`, which says what *taken* is: seconds after start-up and "
        "reading. *kept*: at most a tenth and half a second over.",
        "",
        f"{kept} of {len(rows)} limits are kept, and {refused} refused.",
        "",
        "| graph | command | asked, s | taken, s | kept | k |",
        "|---|---|---|---|---|---|",
        *map(rendered, rows),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=COMMANDS, help="this command")
    parser.add_argument("--most", type=int, default=LARGEST, help="nodes of the largest graph")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent, help="of the output")
    parser.add_argument("--cpu", action="store_true", help="CPU seconds, not those on the wall")
    args = parser.parse_args()
    file = args.folder / ("limits-cpu.jsonl" if args.cpu else "limits.jsonl")
    with tempfile.TemporaryDirectory() as graphs:
        run(file, args.only or list(COMMANDS), args.most, args.rounds, Path(graphs), cpu=args.cpu)
    keep(report(file), file.with_suffix(".md"))


if __name__ == "__main__":
    main()
