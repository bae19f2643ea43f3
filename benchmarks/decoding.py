"""Decoding: our sweep beside FasterPAM on all distances, and 200,000 nodes in little memory.

    python benchmarks/decoding.py > benchmarks/decoding.md

The twin is what a user of the ``kmedoids`` package would write: the distance matrix ``[n, n]``,
then ``fasterpam`` with its default random start for k = 1, 2, ... Both do the same sweep and count
the same conflicts; both run in one thread, on the same embedding, in the same process.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy loads its BLAS

import argparse
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import concolor as cc
from concolor.decoding import DECODERS, canonicalize
from measure import peak_memory

THRESHOLD, K_MAX, SEEDS = 0.05, 10, range(10)
SMALL, NODES, MANY_NODES = range(20, 40), 7000, 200_000
TWINS = {"lines": lambda g: 1 - g * g, "kmedoids": lambda g: np.sqrt(np.maximum(2 - 2 * g, 0))}


@cache
def colorer(seed: int) -> cc.Colorer:
    """gated_gcn trained on C_50..C_200 with the absolute loss and random features."""
    recipe = cc.Recipe(pipeline="v1abs", features="random", seed=seed)
    return cc.Colorer(recipe).fit(cc.dataset("cycles").train)


@cache
def embedding(seed: int, n: int) -> NDArray[np.float32]:
    """Unit rows ``[n, 128]``: C_n as the model of this seed sees it."""
    return colorer(seed).embed(cc.family(f"cycle:{n}"))


def twin(graph: cc.Graph, z: NDArray[np.float32], decoder: str, seed: int) -> int:
    """k* of FasterPAM on all distances."""
    from kmedoids import fasterpam

    z = z if DECODERS[decoder].sees_lines else canonicalize(z)
    apart = TWINS[decoder](z @ z.T)
    np.fill_diagonal(apart, 0)
    monos = {}
    for k in range(1, K_MAX + 1):
        labels = np.asarray(fasterpam(apart, k, random_state=seed, n_cpu=1).labels, np.int64)
        monos[k] = cc.Coloring(graph, labels).mono
        if monos[k] <= THRESHOLD:
            break
    return k if monos[k] <= THRESHOLD else min(monos, key=monos.__getitem__)


def warm(graph: cc.Graph, z: NDArray[np.float32], decoder: str, seed: int) -> int:
    """k* of lines where k + 1 starts from the medoids of k and a random point.

    FasterPAM on one sample for the whole sweep, then all points to their nearest medoid: what
    ``lines`` would be if every k did not start afresh.
    """
    from kmedoids import fasterpam

    rng = np.random.default_rng(seed)
    sample = z[rng.choice(len(z), min(len(z), 640), replace=False)]
    apart = TWINS["lines"](sample @ sample.T)
    np.fill_diagonal(apart, 0)
    medoids = np.empty(0, np.int64)
    monos = {}
    for k in range(1, K_MAX + 1):
        start = np.append(medoids, rng.choice(np.setdiff1d(np.arange(len(sample)), medoids)))
        medoids = np.asarray(fasterpam(apart, start, n_cpu=1).medoids, np.int64)
        labels = TWINS["lines"](z @ sample[medoids].T).argmin(axis=1)
        monos[k] = cc.Coloring(graph, labels).mono
        if monos[k] <= THRESHOLD:
            break
    return k if monos[k] <= THRESHOLD else min(monos, key=monos.__getitem__)


def ours(graph: cc.Graph, z: NDArray[np.float32], decoder: str, seed: int, passes: int = 1) -> int:
    """k* of our sweep."""
    return cc.sweep(
        graph,
        z,
        decoder=decoder,
        absolute=True,
        passes=passes,
        k_max=K_MAX,
        max_mono=THRESHOLD,
        seed=seed,
    ).k_star()


def timed(run: Callable[..., int], *given: object) -> tuple[int, float]:
    start = time.perf_counter()
    return run(*given), time.perf_counter() - start


def compare_speed() -> list[str]:
    """One row a decoder: mean k* over the seeds and median time, beside its twin if it has one."""
    graph = cc.family(f"cycle:{NODES}")
    small = cc.family("cycle:50")
    for name in DECODERS:  # imports and first calls are not what is measured
        ours(small, embedding(0, 50), name, 0)
    rows = []
    for name in DECODERS:
        mine, theirs = [], []
        for seed in SEEDS:
            z = embedding(seed, NODES)
            mine.append(timed(ours, graph, z, name, seed))
            if name in TWINS:
                theirs.append(timed(twin, graph, z, name, seed))
        rows.append(_row(name, np.array(mine), np.array(theirs)))
    started = [timed(warm, graph, embedding(seed, NODES), "lines", seed) for seed in SEEDS]
    return [*rows, _row("lines, k + 1 from k", np.array(started), np.array([]))]


def _row(name: str, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> str:
    k, seconds = mine.T
    left = f"| {name} | {k.mean():.1f} | {1000 * np.median(seconds):.0f} ms |"
    if not len(theirs):
        return f"{left} - | - | - |"
    twin_k, twin_seconds = theirs.T
    ratio = np.median(twin_seconds / seconds)
    return f"{left} {twin_k.mean():.1f} | {np.median(twin_seconds):.2f} s | {ratio:.0f} |"


def compare_colors() -> list[str]:
    """One row a decoder and number of passes: mean k* on small cycles."""
    rows = []
    for name, decoder in DECODERS.items():
        for passes in (1,) if decoder.sees_lines else (1, 2, 4):
            found = [
                ours(cc.family(f"cycle:{n}"), embedding(seed, n), name, seed, passes)
                for seed in SEEDS
                for n in SMALL
            ]
            shown = "-" if decoder.sees_lines else passes
            rows.append(f"| {name} | {shown} | {np.mean(found):.2f} |")
    found = [
        warm(cc.family(f"cycle:{n}"), embedding(seed, n), "lines", seed)
        for seed in SEEDS
        for n in SMALL
    ]
    return [*rows, f"| lines, k + 1 from k | - | {np.mean(found):.2f} |"]


def measure_memory() -> list[str]:
    """One row a decoder: a process of its own decodes C_200000 and tells its peak memory."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "z.npy"
        np.save(file, embedding(0, MANY_NODES))
        for name in DECODERS:
            command = [sys.executable, __file__, "--decode", str(file), name]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            rows.append(f"| {name} | {answer.strip()} |")
    return rows


def decode(file: str, decoder: str) -> str:
    """k*, mono, seconds and peak memory of this process."""
    z = np.load(file)
    graph = cc.family(f"cycle:{len(z)}")
    k, seconds = timed(ours, graph, z, decoder, 0)
    return f"{k} | {seconds:.1f} s | {peak_memory():.2f} GiB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decode", nargs=2, metavar=("FILE", "DECODER"), help="used by itself")
    given = parser.parse_args()
    if given.decode:
        print(decode(*given.decode))
        return
    print("# Decoding\n")
    print("`python benchmarks/decoding.py > benchmarks/decoding.md`, one thread of")
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}.\n")
    print(f"## C_{NODES}, sweep to mono <= {THRESHOLD}, cap {K_MAX}, {len(SEEDS)} seeds\n")
    print("Embeddings of gated_gcn v1abs, trained on C_50..C_200. Twin: FasterPAM")
    print("(`kmedoids`, `init='random'`) on the full n x n matrix, whose computation counts.")
    print("`kmedoids` and `kmeans` see canonicalized lines, on both sides. Times are medians.\n")
    print("| decoder | k* | time | twin k* | twin time | twin / ours |")
    print("|---|---|---|---|---|---|")
    print(*compare_speed(), sep="\n", flush=True)
    print(f"\n## C_{SMALL[0]}..C_{SMALL[-1]}, the same models and sweep (chi is 2 or 3)\n")
    print("| decoder | passes of canonicalization | k* |")
    print("|---|---|---|")
    print(*compare_colors(), sep="\n", flush=True)
    print(f"\n## C_{MANY_NODES}, d = 128, a process for each decoder\n")
    print("| decoder | k* | time | peak memory |")
    print("|---|---|---|---|")
    print(*measure_memory(), sep="\n")


if __name__ == "__main__":
    main()
