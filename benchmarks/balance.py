"""Classes of equal size: ours beside networkx and gcol, in turn in one run.

    OMP_NUM_THREADS=1 python benchmarks/balance.py

Seconds are CPU seconds of one thread. networkx's `equitable_color` needs more colors than any node
has neighbors; with few colors there is gcol's `equitable_node_k_coloring`, which makes the classes
as equal as it can. The page is printed and written to ``balance.md``.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gcol
import networkx as nx

import concolor as cc
from concolor.solvers.balance import balanced
from measure import keep

GRAPHS = ("queen:16x16", "er:300x0.1", "er:1000x0.02", "geometric:1000x0.08", "exam:300x900")
GCOL = {"opt_alg": 2, "it_limit": 10_000}
LARGE = ("er:10000x0.001", "er:100000x0.0001")  # networkx and gcol take too long


def timed(call: Callable[..., Any], *words: Any, **more: Any) -> tuple[Any, float]:
    began = time.process_time()
    found = call(*words, **more)
    return found, time.process_time() - began


def judged(graph: cc.Graph, colors: Mapping[Hashable, int], k: int) -> str:
    """Spread of the sizes, and conflicts where there are some."""
    sizes = Counter(colors.values())
    conflicts = sum(colors[u] == colors[v] for u, v in graph.edges.tolist())
    spread = max(sizes.values()) - (min(sizes.values()) if len(sizes) == k else 0)
    return f"{spread}" + (f", {conflicts} conflicts" if conflicts else "")


def many_colors() -> Iterator[str]:
    """One color more than the largest degree."""
    for spec in (*GRAPHS, *LARGE):
        graph = cc.family(spec)
        k = int(graph.degrees.max()) + 1
        ours, seconds = timed(balanced, graph, k)
        row = f"| {spec} | {k} | {judged(graph, ours.by_node(), k)} | {seconds:.4f} |"
        if spec in LARGE:
            yield f"{row} | | |"
            continue
        theirs, other = timed(nx.equitable_color, cc.to_networkx(graph), k, backend="networkx")
        yield f"{row} {judged(graph, theirs, k)} | {other:.2f} | {other / seconds:.0f} |"


def few_colors() -> Iterator[str]:
    """As many colors as a second of tabu search needs, and two more."""
    for spec in (*GRAPHS, *LARGE):
        graph = cc.family(spec)
        best = cc.solve(graph, "tabucol", time_limit=1).coloring
        for k in (best.k, best.k + 2):
            more = {"start": best, "balanced": True, "time_limit": 2}
            ours, seconds = timed(cc.solve, graph, "tabucol", k=k, **more)
            before, after = (
                judged(graph, best.by_node(), k),
                judged(graph, ours.coloring.by_node(), k),
            )
            row = f"| {spec} | {k} | {before} | {after} | {seconds:.3f} |"
            if spec in LARGE:
                yield f"{row} | |"
                continue
            random.seed(0)
            try:
                theirs, other = timed(
                    gcol.equitable_node_k_coloring, cc.to_networkx(graph), k, **GCOL
                )
                yield f"{row} {judged(graph, theirs, k)} | {other:.2f} |"
            except ValueError:  # so it says that it found no coloring
                yield f"{row} none found | |"


def lines() -> Iterator[str]:
    balanced(cc.family("cycle:5"), 3)  # loads what was compiled
    yield "# Classes of equal size"
    yield ""
    yield (
        "Written by `benchmarks/balance.py`: CPU seconds of one thread, networkx "
        f"{version('networkx')}, gcol {version('gcol')}. The spread is the largest class less the "
        "smallest, of k."
    )
    yield ""
    yield "## One color more than any node has neighbors: networkx's `equitable_color`"
    yield ""
    yield "| graph | k | spread | seconds | networkx, spread | seconds | faster by |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    yield from many_colors()
    yield ""
    yield "## Few colors: gcol's `equitable_node_k_coloring`"
    yield ""
    yield (
        "k is what a second of tabu search finds, and two more; `before` is the spread of that "
        "coloring, from which ours begins. Its seconds are those of the evening out, and of a "
        "search that has nothing to do. gcol searches by itself (`opt_alg=2`, 10,000 iterations)."
    )
    yield ""
    yield "| graph | k | before | spread | seconds | gcol, spread | seconds |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    yield from few_colors()


if __name__ == "__main__":
    keep(lines(), Path(__file__).with_suffix(".md"))
