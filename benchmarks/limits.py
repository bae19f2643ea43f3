"""Time limits: seconds asked for and seconds taken, by command and by size of the graph.

    python benchmarks/limits.py [--only color] [--graph er:3000x0.5] [--most 10000] [--rounds 3]
        [--folder FOLDER] [--cpu]

Every run is a process of its own on a graph in a file. Of its seconds on the wall those of another
process are taken away, which does all that comes before the clock can start: it reads the same
file in the same way, and gives the same command no time at all for Petersen's graph, so that it
loads its modules and its compiled code. What is left is *taken*. A limit is kept where no more is
taken than a tenth above it and half a second.
*refused*: exit code 2, what is asked needs more memory than the budget. Medians of the rounds; one
round where more than 5 seconds are asked or the graph has more than 10,000 nodes. A limit that was
not kept is asked once more, since others may have used the machine; the second time counts, and the
page says so.

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
LONG, LARGEST = 60.0, 1_000_000  # one more limit of `color` for the largest
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
    "matrix": ["matrix"],
    "matrix --kind star": ["matrix", "--kind", "star"],
}
BEFORE = "import sys; file = sys.argv.pop(1); {}; from concolor.cli import main; main()"
READS = {  # by the word of a command that decides how it reads
    "star": "from concolor.matrices import Pattern; Pattern.read(file).adjacency",
    "matrix": "from concolor.matrices import Pattern; Pattern.read(file)",
    "frequencies": "import concolor as cc; cc.read(file, weights='max')",
    "--weights": "import concolor as cc; cc.read(file, weights=True)",
    "": "import concolor as cc; cc.read(file)",
}
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
    for command in commands:
        is_long = GRAPHS[name] == LARGEST and command.startswith("color")
        for asked in (*LIMITS, LONG) if is_long else LIMITS:
            yield name, command, asked


def stored(name: str, folder: Path) -> Path:
    """The file of a graph, with pairs two channels apart; to make it is not timed. Beside it the
    graph as a matrix, a coloring that was proper before every tenth node changed, and a color for
    its first node."""
    path, graph = folder / f"{name.replace(':', '_')}.npz", cc.family(name)
    cc.write(graph.but(weights=np.full(graph.m, 2.0)), path)
    cc.write(graph, path.with_suffix(".mtx"))
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


def read_by(command: str, path: Path) -> Path:
    """The file of the graph that the command reads."""
    return path.with_suffix(".mtx") if command.startswith("matrix") else path


def words_of(command: str, path: Path, asked: float) -> list[str]:
    """The command on the graph in a file, as one types it."""
    suffixes = {"near": ".json", "model": ".safetensors", "preset": ".preset"}
    beside = {name: path.with_suffix(suffix) for name, suffix in suffixes.items()}
    words = [word.format(**beside) for word in COMMANDS[command]]
    return [*words, str(read_by(command, path)), "--time-limit", f"{asked:g}", "--json", "--quiet"]


def start_up(command: str, path: Path, least: Path, *, cpu: bool) -> float:
    """Seconds of all that comes before the clock, ``least`` being the file of Petersen's graph."""
    words = [str(read_by(command, path)), *words_of(command, least, 0)]
    read = next(how for word, how in READS.items() if word in command)
    return timed(["-c", BEFORE.format(read), *words], cpu=cpu)[0]


def measured(command: str, path: Path, asked: float, before: float, rounds: int, cpu: bool) -> Row:
    words = [*(["-c", BY_CPU] if cpu else ["-m", "concolor"]), *words_of(command, path, asked)]
    walls, found = [], {}
    for _ in range(rounds):
        wall, code, output = timed(words, end=3 * asked + 120, cpu=cpu)
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
    file: Path, commands: list[str], names: list[str], rounds: int, folder: Path, *, cpu: bool
) -> None:
    least = stored("petersen", folder)
    for command in commands:
        start_up(command, least, least, cpu=cpu)  # compiled, and in the cache of the disk
    for name in names:
        missing = [cell for cell in cells(name, commands) if cell not in known(file)]
        if not missing:
            continue
        path, once, before = stored(name, folder), GRAPHS[name] > 10_000, dict[str, float]()
        for _, command, asked in missing:
            if command not in before:
                times = range(1 if once else rounds)
                before[command] = median(start_up(command, path, least, cpu=cpu) for _ in times)
            again = 1 if once or asked > 5 else rounds
            row = {"graph": name, "command": command, "asked": asked}
            row |= measured(command, path, asked, before[command], again, cpu)
            if is_late(row):
                before[command] = start_up(command, path, least, cpu=cpu)
                row |= measured(command, path, asked, before[command], again, cpu) | {"late": 1}
            with file.open("a") as lines:
                lines.write(json.dumps(row) + "\n")
            print(rendered(row), flush=True)


def taken(row: Row) -> float:
    return max(float(row["wall"] - row["before"]), 0)


def is_late(row: Row) -> bool:
    return "failed" not in row and taken(row) > 1.1 * row["asked"] + 0.5


def rendered(row: Row) -> str:
    kept = row.get(
        "failed", "no" if is_late(row) else "at the second try" * row.get("late", 0) or "yes"
    )
    cells = [row["graph"], row["command"], f"{row['asked']:g}", f"{taken(row):.2f}", kept]
    return f"| {' | '.join(cells)} | {row.get('k', '-')} |"


def report(file: Path) -> Iterator[str]:
    found = known(file)
    rows = [found[cell] for name in GRAPHS for cell in cells(name) if cell in found]
    kept = sum("failed" not in row and not is_late(row) for row in rows)
    again = sum("failed" not in row and not is_late(row) and "late" in row for row in rows)
    refused = sum(row.get("failed") == "refused" for row in rows)
    yield from (
        "# Time limits",
        "",
        "Written by `benchmarks/limits.py`, which says what *taken* is: seconds after start-up and "
        "reading. *kept*: at most a tenth and half a second over.",
        "",
        f"{kept} of {len(rows)} limits are kept, {again} of them at the second try, and {refused} "
        "refused.",
        "",
        "| graph | command | asked, s | taken, s | kept | k |",
        "|---|---|---|---|---|---|",
        *map(rendered, rows),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=COMMANDS, help="this command")
    parser.add_argument("--graph", action="append", choices=GRAPHS, help="this graph")
    parser.add_argument("--most", type=int, default=LARGEST, help="nodes of the largest graph")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent, help="of the output")
    parser.add_argument("--cpu", action="store_true", help="CPU seconds, not those on the wall")
    args = parser.parse_args()
    file = args.folder / ("limits-cpu.jsonl" if args.cpu else "limits.jsonl")
    names = [name for name in args.graph or GRAPHS if GRAPHS[name] <= args.most]
    with tempfile.TemporaryDirectory() as graphs:
        run(file, args.only or list(COMMANDS), names, args.rounds, Path(graphs), cpu=args.cpu)
    keep(report(file), file.with_suffix(".md"))


if __name__ == "__main__":
    main()
