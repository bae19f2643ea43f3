"""Embedding beside a busy neighbor: how many threads, and how they wait.

    python benchmarks/busy.py [--rounds 3] [--graph er:1000x0.01]

The neighbor is one Python process that counts, started and ended by this script. Every embedding
is one in a fresh process, which prints the seconds of the embedding alone, on the wall and of the
CPU, after a first one of a small graph; medians of the rounds, ways taken in turn. ``color`` runs
the shipped model compiled; other encoders run in torch. The table is printed and written to
``busy.md`` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from measure import keep

SPINNING = {"GOMP_SPINCOUNT": "300000"}  # what OpenMP does where nobody says anything
WAYS: dict[str, tuple[int, dict[str, str]]] = {  # threads of torch or 0, environment
    "compiled, as in `color`": (0, {}),
    "torch, 1 thread": (1, {}),
    "torch, 2 threads that spin briefly, as concolor sets it": (2, {}),
    "torch, 2 threads that sleep at once": (2, {"OMP_WAIT_POLICY": "PASSIVE"}),
    "torch, 2 threads that spin for long, the default of torch": (2, SPINNING),
}
CHILD = """
import json, sys, time
import concolor as cc
from concolor.models import load
spec, threads = json.loads(sys.argv[1])
model = load().model
import torch
def embed(graph):
    if not threads:
        return model.embed(graph, seed=0)
    x, edge_index = torch.tensor(model.features(graph, 0)), torch.tensor(graph.edge_index)
    with torch.inference_mode():
        return model.network(x, edge_index)
torch.set_num_threads(threads or 1)
graph = cc.family(spec)
embed(cc.family("petersen"))
wall, cpu = time.perf_counter(), time.process_time()
embed(graph)
print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]))
"""
Seconds = tuple[float, float]  # on the wall, of the CPU


@contextmanager
def neighbor(wanted: bool) -> Iterator[None]:
    """A process that keeps a core busy, or none."""
    if not wanted:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def embedded(spec: str, way: str) -> Seconds:
    """The seconds of one embedding in a fresh process."""
    threads, extra = WAYS[way]
    space = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))} | extra
    words = [sys.executable, "-c", CHILD, json.dumps([spec, threads])]
    done = subprocess.run(words, env=space, check=True, capture_output=True, text=True)
    wall, cpu = json.loads(done.stdout)
    return wall, cpu


def rows(spec: str, rounds: int) -> Iterator[str]:
    yield "| threads | quiet: wall, s | CPU, s | busy: wall, s | CPU, s | busy / quiet |"
    yield "|---|---|---|---|---|---|"
    found: dict[tuple[str, bool], list[Seconds]] = {}
    for _ in range(rounds):
        for busy in (False, True):
            for way in WAYS:
                with neighbor(busy):
                    found.setdefault((way, busy), []).append(embedded(spec, way))
    for way in WAYS:
        quiet, loud = (
            [median(part) for part in zip(*found[way, busy], strict=True)] for busy in (False, True)
        )
        cells = [f"{seconds:.2f}" for seconds in (*quiet, *loud)]
        yield f"| {way} | {' | '.join(cells)} | {loud[0] / quiet[0]:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--graph", default="er:1000x0.05")
    args = parser.parse_args()
    about = (
        f"`python benchmarks/busy.py`: one embedding of {args.graph}, medians of {args.rounds} "
        f"fresh processes, {os.cpu_count()} cores. *busy*: one other process counts all the while."
    )
    text = ["# Beside a busy neighbor", "", about, "", *rows(args.graph, args.rounds)]
    keep(text, Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    main()
