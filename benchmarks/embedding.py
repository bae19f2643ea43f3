"""Embedding large sparse graphs: edges a cacheful at a time beside all at once, in one process.

    OMP_NUM_THREADS=1 python benchmarks/embedding.py

CPU seconds of the shipped model, the best of five taken in turns; the table is written to
``embedding.md``.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import torch

import concolor as cc
from concolor.encoders.gated_gcn import EDGES, GatedConv
from concolor.models import load
from value import table

SPECS = ("er:1000x0.01", "er:5000x0.002", "er:20000x0.0005")
ALL = 1 << 40


def embedded(graph: cc.Graph, edges: int) -> tuple[float, np.ndarray]:
    """CPU seconds, and the embedding ``[n, d]``, with so many edges at a time."""
    GatedConv.forward.__globals__["EDGES"] = edges
    start = time.process_time()
    z = load().embed(graph)
    return time.process_time() - start, z


def main() -> None:
    torch.set_num_threads(1)
    load().embed(cc.family("cycle:5"))
    rows = []
    for spec in SPECS:
        graph = cc.family(spec)
        runs = [(embedded(graph, EDGES), embedded(graph, ALL)) for _ in range(5)]
        few, many = (min(pair[i][0] for pair in runs) for i in range(2))
        same = "yes" if all(np.array_equal(a, b) for (_, a), (_, b) in runs) else "no"
        rows.append([spec, str(graph.m), f"{few:.2f}", f"{many:.2f}", f"{many / few:.1f}", same])
    heads = ["graph", "edges", f"{EDGES} at a time", "all at once", "ratio", "same bits"]
    text = "\n".join(table(heads, rows))
    Path(__file__).with_suffix(".md").write_text(
        "# Embedding large graphs\n\nWritten by `benchmarks/embedding.py`: CPU seconds of the "
        f"shipped model, one thread, the best of five taken in turns.\n\n{text}\n"
    )
    print(text)


if __name__ == "__main__":
    main()
