"""Embedding: compiled, and in torch with few edges at a time or with all, in one process.

    OMP_NUM_THREADS=1 python benchmarks/embedding.py

CPU seconds of the shipped model, the best of five taken in turns; the table is written to
``embedding.md``.
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

SPECS = ("er:50x0.1", "er:1000x0.01", "er:1000x0.5", "er:5000x0.002", "er:20000x0.0005")
ALL = 1 << 40


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


def main() -> None:
    torch.set_num_threads(1)
    load().embed(cc.family("cycle:5"))
    rows = []
    for spec in SPECS:
        graph = cc.family(spec)
        ways = (
            lambda graph=graph: load().embed(graph, seed=0),
            lambda graph=graph: in_torch(graph, EDGES),
            lambda graph=graph: in_torch(graph, ALL),
        )
        runs = [[timed(way) for way in ways] for _ in range(5)]
        ours, few, many = (min(run[i][0] for run in runs) for i in range(3))
        same = "yes" if all(np.array_equal(a, b) for _, (_, a), (_, b) in runs) else "no"
        cells = [f"{ours:.3f}", f"{few:.3f}", f"{many:.3f}", f"{few / ours:.1f}"]
        rows.append([spec, str(graph.m), *cells, f"{many / few:.1f}", same])
    torchs = [f"torch, {EDGES} at a time", "torch, all at once"]
    ratios = ["compiled is faster by", "a cacheful is faster by", "same bits in torch"]
    heads = ["graph", "edges", "compiled", *torchs, *ratios]
    text = "\n".join(table(heads, rows))
    Path(__file__).with_suffix(".md").write_text(
        "# Embedding\n\nWritten by `benchmarks/embedding.py`: CPU seconds of the "
        f"shipped model, one thread, the best of five taken in turns.\n\n{text}\n"
    )
    print(text)


if __name__ == "__main__":
    main()
