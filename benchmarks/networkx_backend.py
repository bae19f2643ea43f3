"""networkx's colorings by networkx itself and through ``backend="concolor"``, in turn in one run.

    OMP_NUM_THREADS=1 python benchmarks/networkx_backend.py

Seconds are CPU seconds of one call; the backend's hold the conversion of the graph, since its cache
is emptied before. A call in which networkx took more than ``PATIENT`` seconds is not asked of it on
the larger graphs that follow. The table is printed and written to ``networkx_backend.md``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path

import networkx as nx

import concolor as cc
from concolor.networkx_backend import STRATEGIES, best_color
from measure import keep

PATIENT = 2.0
Call = Callable[[nx.Graph], dict[Hashable, int]]


def strategy(name: str, backend: str) -> Call:
    return lambda graph: nx.greedy_color(graph, name, backend=backend)


def equitable(backend: str) -> Call:
    def call(graph: nx.Graph) -> dict[Hashable, int]:
        return nx.equitable_color(graph, max(d for _, d in graph.degree) + 1, backend=backend)

    return call


def measured(call: Call, graph: nx.Graph) -> tuple[float, int]:
    """CPU seconds and colors."""
    graph.__networkx_cache__.clear()
    began = time.process_time()
    colors = call(graph)
    took = time.process_time() - began
    assert all(colors[u] != colors[v] for u, v in graph.edges if u != v)
    return took, len(set(colors.values()))


def lines() -> Iterator[str]:
    yield '# networkx, and networkx with `backend="concolor"`'
    yield ""
    yield (
        f"Written by `benchmarks/networkx_backend.py`: networkx {nx.__version__}, CPU seconds of "
        "one call, conversion included, and colors in brackets. `best_color` is the function of "
        "the backend that uses the whole tool, in 5 s; networkx has nothing like it. "
        "Ties are broken differently, so colors may differ by one or two."
    )
    graphs = {
        "CiteSeer": cc.to_networkx(cc.dataset("citeseer").train[0]),
        "er:10000x0.001": cc.to_networkx(cc.family("er:10000x0.001")),
        "er:100000x0.0001": cc.to_networkx(cc.family("er:100000x0.0001")),
    }
    slow: set[str] = set()
    for name, graph in graphs.items():
        yield ""
        yield f"## {name}: {graph.number_of_nodes()} nodes, {graph.number_of_edges()} edges"
        yield ""
        yield "| call | networkx | concolor | faster by |"
        yield "| --- | --- | --- | --- |"
        pairs = {n: (strategy(n, "networkx"), strategy(n, "concolor")) for n in sorted(STRATEGIES)}
        pairs["equitable_color"] = equitable("networkx"), equitable("concolor")
        for call, (theirs, ours) in pairs.items():
            measured(ours, nx.path_graph(3))  # loads what was compiled
            seconds, k = measured(ours, graph)
            if call in slow:
                yield f"| {call} | too long | {seconds:.3f} ({k}) | |"
                continue
            other, their_k = measured(theirs, graph)
            if other > PATIENT:
                slow.add(call)
            ratio = f"{other / seconds:.0f}"
            yield f"| {call} | {other:.3f} ({their_k}) | {seconds:.3f} ({k}) | {ratio} |"
        seconds, k = measured(lambda graph: best_color(graph, time_limit=5), graph)
        yield f"| best_color | | {seconds:.3f} ({k}) | |"


if __name__ == "__main__":
    keep(lines(), Path(__file__).with_suffix(".md"))
