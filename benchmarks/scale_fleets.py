"""Fleets: 10,000 graphs of 50 to 100 nodes, here, on one and two workers, and on Dask.

    python benchmarks/scale_fleets.py [--graphs 10000]

Random graphs of mean degree 6, by seeds; ``color_many`` gives every one a proper coloring. Most are
settled in a millisecond, some ask for the model and a search, so what is measured is also how
unequal work is shared. Seconds on the wall say how long one waits, and only on a quiet machine
what the workers are worth; CPU seconds are those of all processes, so that their sum over one
process is the overhead: packing, sending, starting workers. ``first`` is the wait for the first
coloring, workers that have to be started included. All colorings are checked to be proper, and to
be those of one process up to what time may have cut. The page is ``scale_fleets.md``, beside this
file.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import concolor as cc
from concolor.fleet import Workers, dask_cluster, many
from measure import keep

HEAD = "| where | wall s | CPU s | first s | graphs a wall second | colors | as one process |"


@contextmanager
def cluster(count: int) -> Iterator[Executor]:
    """Worker processes of a local Dask cluster."""
    from distributed import LocalCluster

    with (
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
        ) as made,
        dask_cluster(made.scheduler_address) as executor,
    ):
        yield executor


PLACES: dict[str, Callable[[], AbstractContextManager[Executor | None]]] = {
    "one process, no executor": nullcontext,
    "--workers 1": partial(Workers, 1),
    "--workers 2": partial(Workers, 2),
    "Dask, two workers": partial(cluster, 2),
}


def graphs(count: int) -> Iterator[cc.Graph]:
    """Drawn as they are asked for, so that no list of them is held."""
    for seed in range(count):
        n = 50 + seed % 51
        yield cc.family(f"er:{n}x{6 / n:.4f}", seed=seed)


def spent(_: int = 0) -> float:
    """CPU seconds of this process."""
    return time.process_time()


def used(executor: Executor | None) -> dict[int, float]:
    """CPU seconds by process: ours, and those of the workers."""
    if executor is None:
        return {os.getpid(): spent()}
    found = dict(many(_pid_and_seconds, [0.05] * 12, executor=executor, errors="raise"))
    return {os.getpid(): spent(), **found}


def _pid_and_seconds(wait: float) -> tuple[int, float]:
    time.sleep(wait)  # so that every worker gets one
    return os.getpid(), spent()


def run(open_place: Callable[[], Any], count: int) -> tuple[list[bytes], list[float]]:
    """The colors, then wall, CPU and first seconds, and the sum of colors."""
    began = time.perf_counter()
    with open_place() as executor:
        before = spent()
        colors, total, first = [], 0, 0.0
        for coloring in cc.color_many(
            graphs(count), executor=executor, errors="raise", model="light"
        ):
            first = first or time.perf_counter() - began
            if not coloring.is_proper:
                raise SystemExit(f"{coloring} is not proper")
            colors.append(coloring.colors.tobytes())
            total += coloring.k
        wall = time.perf_counter() - began
        after = used(executor)
    return colors, [wall, sum(after.values()) - before, first, total]


def empty(graph: cc.Graph) -> int:
    return graph.n


def overhead(count: int) -> float:
    """Milliseconds on the wall for a graph that nothing is done with, there and back."""
    drawn = list(graphs(count))
    with Workers(2) as executor:
        list(many(empty, drawn[:20], executor=executor))  # the workers are there
        began = time.perf_counter()
        list(many(empty, drawn, executor=executor, errors="raise"))
        return (time.perf_counter() - began) / count * 1000


def lines(count: int) -> Iterator[str]:
    yield from (
        "# Fleets",
        "",
        f"`python benchmarks/scale_fleets.py`: {count} random graphs of 50 to 100 nodes and mean "
        f"degree 6, colored by `color_many`. {os.cpu_count()} cores, load "
        f"{os.getloadavg()[0]:.1f} at the start: wall seconds are worth something only near 0. CPU "
        "seconds are of all processes, the start of the workers included.",
        "",
        HEAD,
        "|---|---|---|---|---|---|---|",
    )
    found: dict[str, list[float]] = {}
    expected: list[bytes] = []
    for name, open_place in PLACES.items():
        colors, found[name] = run(open_place, count)
        expected = expected or colors
        same = sum(one == other for one, other in zip(colors, expected, strict=True))
        wall, cpu, first, total = found[name]
        cells = [f"{wall:.1f}", f"{cpu:.1f}", f"{first:.2f}", f"{count / wall:.0f}", f"{total:.0f}"]
        yield f"| {' | '.join([name, *cells, str(same)])} |"
    one, two = found["--workers 1"], found["--workers 2"]
    alone = found["one process, no executor"]
    yield from (
        "",
        f"Two workers are {one[0] / two[0]:.2f} times one on the wall. Beside one process two "
        f"workers spend {(two[1] - alone[1]) / count * 1000:.2f} CPU milliseconds more on a graph; "
        f"one that nothing is done with takes {overhead(count):.3f} ms on the wall there and back.",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=10_000)
    args = parser.parse_args()
    list(cc.color_many(graphs(20), model="light"))  # code is loaded and compiled
    keep(lines(args.graphs), Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    main()
