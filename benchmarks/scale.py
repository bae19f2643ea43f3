"""How time and memory grow: with nodes, edges, colors and graphs, and one graph of ten million
nodes.

    python benchmarks/scale.py [--only n] [--name embed] --graphs FOLDER

Every row is measured in processes of its own and appended to ``scale.jsonl``; what is there is not
measured again: delete a line to do so. ``scale.md`` is written from all rows
(:mod:`scale_page`), and so are the tables of docs/scaling.md. Sections:

- *n*, *m*, *k*, *graphs*: CPU seconds and memory of each stage as one of them grows by three
  decades, and the exponents of a least-squares line through their logarithms
  (:mod:`scale_growth`).
- *improve*: what makes greedy colorings of 100,000 nodes better, block by block or as a whole
  (:mod:`scale_improve`).
- *giant*: ``concolor convert`` and ``concolor solve`` on er:10000000x1e-06 (50 million edges) as a
  user runs them, and the greedy colorings of other libraries with at most 12 GiB of address space
  (:mod:`scale_giant`).

Others use the machine, so CPU seconds count, not those on the wall.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import keep
from scale_giant import GIANTS, color_by
from scale_growth import BY_NODES, STAGES, with_colors, with_edges, with_graphs, with_nodes
from scale_improve import IMPROVE, improve
from scale_page import into_page, report

Row = dict[str, Any]
HERE = Path(__file__).parent
MEASURES: dict[str, tuple[Callable[[str], Row], tuple[str, ...]]] = {
    "n": (with_nodes, BY_NODES),
    "m": (with_edges, tuple(STAGES)),
    "k": (with_colors, ("decode", "tabu start")),
    "graphs": (with_graphs, ("color_many",)),
    "improve": (improve, IMPROVE),
}  # of one row, in a process of its own; and the rows
SECTIONS = {**{section: names for section, (_, names) in MEASURES.items()}, "giant": tuple(GIANTS)}


def known(file: Path) -> dict[tuple[str, str], Row]:
    lines = file.read_text().splitlines() if file.exists() else []
    return {(row["section"], row["name"]): row for row in map(json.loads, lines)}


def run(file: Path, sections: list[str], chosen: list[str], folder: Path) -> None:
    """Measure what is missing."""
    for section in sections:
        for name in SECTIONS[section]:
            if (section, name) in known(file) or (chosen and name not in chosen):
                continue
            row = GIANTS[name](folder) if section == "giant" else apart(section, name)
            if row is None:
                continue
            with file.open("a") as lines:
                lines.write(json.dumps({"section": section, "name": name, **row}) + "\n")
            print(section, name, flush=True)


def apart(section: str, name: str) -> Row | None:
    """A row by a process with one thread; None where it fails, which is told."""
    words = [sys.executable, __file__, "--one", section, "--name", name]
    one = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=one)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    row: Row = json.loads(done.stdout)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="this section")
    parser.add_argument("--name", action="append", default=[], help="this row")
    parser.add_argument("--folder", type=Path, default=HERE, help="of the output")
    parser.add_argument("--graphs", type=Path, help="where the giant graph is kept between runs")
    parser.add_argument("--one", choices=MEASURES, help="measure the named row of it here")
    parser.add_argument("--peer", help="color by another library here")
    args = parser.parse_args()
    if args.one:
        print(json.dumps(MEASURES[args.one][0](args.name[0])))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = (args.graphs or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if args.peer:
            print(json.dumps(color_by(args.peer, folder)))
            return
        file = args.folder / "scale.jsonl"
        run(file, args.only or list(SECTIONS), args.name, folder)
    keep(report(known(file)), file.with_suffix(".md"))
    if args.folder == HERE:
        into_page(HERE.parent / "docs" / "scaling.md", known(file))


if __name__ == "__main__":
    main()
