"""Peak memory of commands on dense and large graphs, beside m and n * k.

    python benchmarks/memory.py [--seconds 5] [--most 9] [--folder FOLDER]

Every command is a process of its own on a graph in a file, with a time limit and no more than
``most`` GiB of address space. *peak* is its resident memory, start-up and reading included;
*before* is that of a process that only reads the graph. ``memory.jsonl`` and ``memory.md`` are
written in the folder, by default that of this file.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import ended, keep

GRAPHS = ("er:5000x0.5", "complete:5000", "bipartite:1x1000000", "er:300000x0.00003")
COMMANDS = {
    "color": ["color"],
    "solve": ["solve"],
    "solve exact": ["solve", "--method", "exact"],
    "pareto": ["pareto"],
    "certify": ["certify"],
    "train": ["train", "-o", "{model}"],
}
MAKE = "import sys, concolor as cc; cc.write(cc.family(sys.argv[1]), sys.argv[2])"
READ = "import sys, concolor.cli, concolor as cc; g = cc.read(sys.argv[1]); print(g.n, g.m)"
Row = dict[str, Any]


def measured(folder: Path, seconds: float, most: float) -> Iterator[Row]:
    for name in GRAPHS:
        path = folder / "graph.npz"
        ended(["-c", MAKE, name, str(path)])
        read = ended(["-c", READ, str(path)])
        n, m = map(int, read.output.split())
        for command, words in COMMANDS.items():
            asked = [word.format(model=folder / "m.safetensors") for word in words]
            run = ["-m", "concolor", *asked, str(path), "--time-limit", f"{seconds:g}"]
            done = ended([*run, "--json", "--quiet"], after=60 + 3 * seconds, most=most)
            row = {"graph": name, "n": n, "m": m, "command": command, "before": read.peak}
            row |= {"peak": done.peak, "cpu": done.cpu, "code": done.code}
            yield row | {"k": colors(done.output), "said": said(done.errors)}


def colors(output: str) -> int | None:
    """The colors in an answer, where there is one."""
    try:
        found = json.loads(output)
    except ValueError:
        return None
    if "curve" in found:
        return int(found["curve"][-1]["k"])
    k = found.get("k", found.get("upper"))
    return None if k is None else int(k)


def said(errors: str) -> str:
    """The last line of what was said, where something was refused."""
    return errors.strip().splitlines()[-1] if errors.strip() else ""


def rendered(row: Row) -> str:
    k = row["k"]
    product = "-" if k is None else f"{row['n'] * k:,}"
    peak, before = f"{row['peak']:.2f}", f"{row['before']:.2f}"
    cells = [row["graph"], f"{row['m']:,}", row["command"], str(k or "-"), product, before, peak]
    return f"| {' | '.join(cells)} | {row['code']} | {row['said']} |"


def report(rows: Iterator[Row], file: Path) -> Iterator[str]:
    yield from (
        "# Peak memory",
        "",
        "Written by `benchmarks/memory.py`, which says what is measured. GiB.",
        "",
        "| graph | m | command | k | n * k | before | peak | exit code | said |",
        "|---|---|---|---|---|---|---|---|---|",
    )
    with file.open("w") as lines:
        for row in rows:
            lines.write(json.dumps(row) + "\n")
            yield rendered(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="time limit of each command")
    parser.add_argument("--most", type=float, default=9.0, help="GiB of address space")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent, help="of the output")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(Path(folder), args.seconds, args.most)
        keep(report(rows, args.folder / "memory.jsonl"), args.folder / "memory.md")


if __name__ == "__main__":
    main()
