"""Training by one process and by two: steps a second, CPU seconds, and how far the losses differ.

    CONCOLOR_DATA=... python benchmarks/ddp.py

Each process has one thread. The paper's recipe on 200 subgraphs of Cora, ``light`` with labels by
DSATUR on 60 random graphs with a hidden coloring, two epochs each, after one step that is not
measured. Steps a second are on the wall, CPU seconds those of all processes, labels included.

Losses are means of epochs, and apart from those of one process. Rounding grows from step to step,
fast where a layer is applied many times; so beside them stands one process that takes the graphs of
each step in reverse order, where there is no dropout, which would be drawn for other nodes. The
table is written to ``ddp.md`` beside this file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

import concolor as cc
from concolor.learning.ranks import Ranks, together
from concolor.learning.train import train
from hidden_graphs import hidden
from measure import keep
from value_page import table

WORLDS = (1, 2)


class Reversed(Ranks):
    """One process, which takes the graphs of a step in reverse order."""

    def share(self, count: int) -> slice:
        return slice(None, None, -1)


def tasks() -> dict[str, tuple[cc.Recipe, list[cc.Graph]]]:
    """The recipes and graphs by name."""
    light = cc.Recipe.named("light").but(labels="dsatur", relabel=None, epochs=2)
    drawn = [hidden(500, 4, 10.0, seed)[0] for seed in range(60)]
    return {
        "200 subgraphs of Cora": (
            cc.Recipe(epochs=2),
            list(cc.dataset("cora-subgraphs").train)[:200],
        ),
        "60 graphs of 500 nodes with a hidden 4-coloring": (light, drawn),
    }


def measured(file: Path) -> None:
    """Train at this rank; the first one writes the figures."""
    torch.set_num_threads(1)
    with together("cpu") as ranks:
        found = {}
        for name, (recipe, graphs) in tasks().items():
            train(recipe, graphs, device="cpu", ranks=ranks, time_limit=0)
            start = time.process_time()
            history = train(recipe, graphs, device="cpu", ranks=ranks).history
            found[name] = {
                "steps": history.steps,
                "rate": history.steps / history.seconds,
                "cpu": ranks.total(time.process_time() - start),
                "losses": history.losses,
            }
            if ranks.world == 1 and not recipe.dropout:
                turned = train(recipe, graphs, device="cpu", ranks=Reversed()).history.losses
                found[name]["turned"] = turned
        if ranks.is_first:
            file.write_text(json.dumps(found))


def ran(world: int) -> dict[str, dict]:
    """The figures of so many processes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        start = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        words = [*start, f"--nproc-per-node={world}", __file__, str(file)]
        subprocess.run(words, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        return json.loads(file.read_text())


def _apart(one: dict, losses: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(one["losses"], losses, strict=True))


def _about() -> list[str]:
    """What the docstring says, without the command."""
    first, _, *rest = (__doc__ or "").strip().split("\n\n")
    return "\n\n".join([first, *rest]).splitlines()


def main() -> None:
    found = {world: ran(world) for world in WORLDS}
    rows = []
    for name, alone in found[1].items():
        turned = f"{_apart(alone, alone['turned']):.1e}" if "turned" in alone else "-"
        for world in WORLDS:
            one = found[world][name]
            apart = turned if world == 1 else f"{_apart(alone, one['losses']):.1e}"
            cells = [f"{one['rate']:.2f}", f"{one['cpu']:.1f}", apart]
            rows.append([name, f"{world}", str(one["steps"]), *cells])
    heads = [
        "graphs",
        "processes",
        "steps",
        "steps a second",
        "CPU seconds",
        "losses apart by (1: in reverse)",
    ]
    lines = ["# Training by several processes", "", *_about(), ""]
    lines += [*table(heads, rows), "", f"{os.cpu_count()} cores, one thread a process."]
    keep(lines, Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measured(Path(sys.argv[1]))
    else:
        main()
