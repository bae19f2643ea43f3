"""Embedding: general and light compiled, and general in torch, in one process.

    OMP_NUM_THREADS=1 python benchmarks/embedding.py

CPU seconds of one draw, random features included, one thread, the best of three taken in turns, of
thirty where they are milliseconds; of one where torch has a dense graph. In torch the edges go
through the layer a few at a time, or all at once; graphs of 20000 nodes and more are embedded
compiled only. The tables are written to ``embedding.md``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import concolor as cc
from concolor.encoders.gated_gcn import EDGES, GatedConv
from concolor.models import load
from value import table

SPECS = ("er:50x0.1", "er:1000x0.01", "er:1000x0.5", "er:5000x0.002")
LARGE = ("er:20000x0.0005", "er:100000x0.0001")
ALL = 1 << 40
RUNS = 3


def in_torch(graph: cc.Graph, edges: int) -> np.ndarray:
    """The embedding ``[n, d]`` by the network in torch, with so many edges at a time."""
    GatedConv.forward.__globals__["EDGES"] = edges
    model = load().model
    x, edge_index = torch.tensor(model.features(graph, 0)), torch.tensor(graph.edge_index)
    with torch.inference_mode():
        return model.network(x, edge_index).numpy()


def timed(call: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """CPU seconds of a call, and what it gives."""
    start = time.process_time()
    z = call()
    return time.process_time() - start, z


def best(
    graph: cc.Graph, *ways: Callable[[], np.ndarray], once: bool = False
) -> tuple[list[float], list[list[np.ndarray]]]:
    """CPU seconds of each way, the best of some runs in turns; and what every run gave."""
    often = (
        1 if once else RUNS if graph.n > 1000 or graph.m > 10_000 else 10 * RUNS
    )  # milliseconds are noisy
    runs = [[timed(way) for way in ways] for _ in range(often)]
    seconds = [min(run[i][0] for run in runs) for i in range(len(ways))]
    return seconds, [[z for _, z in run] for run in runs]


def main() -> None:
    torch.set_num_threads(1)
    general, light = load("general"), load("light")
    for model in (general, light):
        model.embed(cc.family("cycle:5"))
    graphs = [cc.family(spec) for spec in (*SPECS, *LARGE)]
    rows = []
    for graph in graphs:
        (slow, fast), _ = best(
            graph,
            lambda graph=graph: general.embed(graph, seed=0),
            lambda graph=graph: light.embed(graph, seed=0),
        )
        cells = [f"{slow:.4f}", f"{fast:.4f}", f"{slow / fast:.1f}"]
        rows.append([graph.name, str(graph.m), *cells])
        print(rows[-1], flush=True)
    both = table(["graph", "edges", "general", "light", "light is faster by"], rows)
    rows = []
    for graph in graphs[: len(SPECS)]:
        (ours, few, many), found = best(
            graph,
            lambda graph=graph: general.embed(graph, seed=0),
            lambda graph=graph: in_torch(graph, EDGES),
            lambda graph=graph: in_torch(graph, ALL),
            once=graph.m > 100_000,
        )
        same = "yes" if all(np.array_equal(a, b) for _, a, b in found) else "no"
        cells = [f"{ours:.3f}", f"{few:.3f}", f"{many:.3f}", f"{few / ours:.1f}"]
        rows.append([graph.name, str(graph.m), *cells, f"{many / few:.1f}", same])
        print(rows[-1], flush=True)
    torchs = [f"torch, {EDGES} at a time", "torch, all at once"]
    ratios = ["compiled is faster by", "a cacheful is faster by", "same bits in torch"]
    beside = table(["graph", "edges", "compiled", *torchs, *ratios], rows)
    text = [
        "# Embedding",
        "",
        "Written by `benchmarks/embedding.py`: CPU seconds of one draw of the shipped models, one",
        f"thread, the best of {RUNS} taken in turns, of {10 * RUNS} where they are milliseconds,",
        "of one where torch has a dense graph.",
        "",
        "## general and light, compiled",
        "",
        *both,
        "",
        "## general, compiled and in torch",
        "",
        *beside,
    ]
    Path(__file__).with_suffix(".md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
