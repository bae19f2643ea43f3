"""How long a cold ``concolor`` takes, beside the import of torch, side by side in one run.

    python benchmarks/startup.py [--rounds 5] [--before SRC]

Every command is a process of its own; the table has medians of seconds on the wall. ``--before``
names the ``src`` folder of another checkout, whose times stand in a column of their own. The table
is printed and written to ``startup.md`` beside this file.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from measure import keep

COMMANDS = {
    "list models": ["-m", "concolor", "list", "models"],
    "info petersen": ["-m", "concolor", "info", "petersen"],
    "solve petersen": ["-m", "concolor", "solve", "petersen", "--quiet"],
    "color petersen (settled by bounds)": ["-m", "concolor", "color", "petersen", "--quiet"],
    "color queen:6x6 --no-polish (the model)": [
        *("-m", "concolor", "color", "queen:6x6", "--no-polish", "--quiet")
    ],
    "color er:200x0.05 (not settled by bounds)": [
        *("-m", "concolor", "color", "er:200x0.05", "--quiet")
    ],
    "train --help": ["-m", "concolor", "train", "--help"],
    "import torch": ["-c", "import torch"],
    "import torch_geometric": ["-c", "import torch_geometric.nn"],
}


def taken(words: list[str], source: str | None) -> float:
    """Seconds of one process, which finds the package in ``source``, or where it is installed."""
    begun = time.perf_counter()
    space = os.environ if source is None else {**os.environ, "PYTHONPATH": source}
    subprocess.run([sys.executable, *words], env=space, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def rows(rounds: int, before: str | None) -> Iterator[str]:
    sources = [None] if before is None else [None, before]
    yield "| command | seconds |" + (" before | ratio |" if before else "")
    yield "|---|---|" + ("---|---|" if before else "")
    for name, words in COMMANDS.items():
        for source in sources:
            taken(words, source)  # compiled, and in the cache of the disk
        times = [[taken(words, source) for source in sources] for _ in range(rounds)]
        middle = [median(column) for column in zip(*times, strict=True)]
        cells = [f"{seconds:.2f}" for seconds in middle]
        cells += [f"{middle[0] / middle[1]:.2f}"] if before else []
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--before", help="the src folder of another checkout")
    args = parser.parse_args()
    text = [
        "# Cold start",
        "",
        f"`python benchmarks/startup.py`: medians of {args.rounds} processes each, taken in turn."
        + (" *before* is another checkout, in the same run." if args.before else ""),
        "",
        *rows(args.rounds, args.before),
    ]
    keep(text, Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    main()
