"""Libraries beside our own code for the same job, each pair in turn in one run, on one thread.

    OMP_NUM_THREADS=1 python benchmarks/libraries.py [--rounds 7]

What is compared gives the same result, which is checked, or is judged by a number beside the time.
Seconds are CPU seconds, the best of all rounds. The table is printed and written to
``libraries.md`` beside this file; ``libraries_exact.py`` has the solvers of the exact room.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import rustworkx as rx
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.utils import scatter

import concolor as cc
from concolor.graph.formats import FORMATS
from concolor.graph.structure import core_numbers
from concolor.learning.batches import side_by_side
from concolor.learning.model import History
from concolor.viz import training_curve
from concolor.viz.layout import layout
from measure import keep

Pair = tuple[str, Callable[[], Any], Callable[[], Any], Callable[[Any, Any], str]]


def twin(graph: cc.Graph) -> rx.PyGraph:
    """The same graph in rustworkx, conversion included as a caller would pay it."""
    found = rx.PyGraph(multigraph=False)
    found.add_nodes_from(range(graph.n))
    found.extend_from_edge_list(list(map(tuple, graph.edges.tolist())))
    return found


def same(one: Any, other: Any) -> str:
    return "the same" if np.array_equal(np.asarray(one), np.asarray(other)) else "DIFFERENT"


def greedy() -> Iterator[Pair]:
    graph = cc.family("er:20000x0.001")

    def theirs() -> list[int]:
        colors = rx.graph_greedy_color(twin(graph), strategy=rx.ColoringStrategy.Saturation)
        return [colors[v] for v in range(graph.n)]

    yield "DSATUR, rustworkx", lambda: cc.dsatur(graph).colors, theirs, same
    nodes = range(graph.n)

    def cores() -> list[int]:
        found = rx.core_number(twin(graph))
        return [found[v] for v in nodes]

    yield "core numbers, rustworkx", lambda: core_numbers(graph), cores, same


def batches() -> Iterator[Pair]:
    for count, spec in ((20, "er:80x0.1"), (2, "er:2000x0.01")):
        graphs = [cc.family(spec, seed=seed) for seed in range(count)]
        edges = [torch.tensor(graph.edge_index) for graph in graphs]
        data = [Data(edge_index=e, num_nodes=g.n) for e, g in zip(edges, graphs, strict=True)]
        sizes = [graph.n for graph in graphs]
        yield (
            f"batch of {count} {spec}, PyTorch Geometric",
            lambda e=edges, s=sizes: side_by_side(e, s)[0],
            lambda d=data: Batch.from_data_list(d).edge_index,
            same,
        )
    source, target = torch.tensor(cc.family("er:3000x0.01").edge_index)
    for channels in (16, 128):
        messages = torch.randn(len(source), channels)
        yield (
            f"sums of {len(source)} x {channels} messages, PyTorch Geometric",
            lambda m=messages: torch.zeros(3000, m.shape[1]).index_add(0, target, m),
            lambda m=messages: scatter(m, target, dim=0, dim_size=3000),
            lambda a, b: f"apart by {float((a - b).abs().max()):.0e}",
        )


def files() -> Iterator[Pair]:
    graph = cc.family("er:50000x0.0004")
    plain = "".join(f"{u} {v}\n" for u, v in graph.edges.tolist()).encode()

    def theirs() -> cc.Graph:
        return cc.Graph.from_edges(graph.n, np.loadtxt(io.BytesIO(plain), np.int64))

    yield (
        f"edge list of {graph.m} edges, np.loadtxt without our checks",
        lambda: FORMATS["edges"].parse(plain),
        theirs,
        lambda a, b: "the same" if a == b else "DIFFERENT",
    )


def pictures() -> Iterator[Pair]:
    history = History(losses=tuple(1 / (1 + np.arange(60.0))), bound=0.0)

    def drawn() -> bytes:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure, file = Figure(figsize=(5.2, 3.4)), io.BytesIO()
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.plot(range(1, 61), history.losses, label="loss")
        axes.axhline(history.bound, label="lower bound")
        axes.set_xlabel("epoch")
        axes.set_ylabel("mean loss")
        axes.legend()
        figure.savefig(file, format="svg")
        return file.getvalue()

    yield (
        "curve as SVG, matplotlib",
        lambda: training_curve(history).svg().encode(),
        drawn,
        lambda a, b: f"{len(a)} and {len(b)} bytes",
    )


def layouts() -> Iterator[Pair]:
    graph = cc.family("grid:12x12")
    other, nodes = nx.from_scipy_sparse_array(graph.adjacency()), range(graph.n)
    far = np.array(nx.floyd_warshall_numpy(other))

    def stress(places: Any) -> float:
        """Mean squared relative error of distances, at the best scale."""
        at = np.asarray(places)
        u, v = np.triu_indices(graph.n, 1)
        apart = np.linalg.norm(at[u] - at[v], axis=1) / far[u, v]
        return float(np.mean((apart * (apart.sum() / (apart @ apart)) - 1) ** 2))

    def in_order(found: Any) -> list[Any]:
        return [found[v] for v in nodes]

    for name, theirs in {
        "rustworkx's spring": lambda: in_order(rx.spring_layout(twin(graph), seed=0)),
        "networkx's spring": lambda: in_order(nx.spring_layout(other, seed=0)),
        "networkx's Kamada-Kawai": lambda: in_order(nx.kamada_kawai_layout(other)),
    }.items():
        yield (
            f"layout of a 12x12 grid, {name}",
            lambda: layout(graph),
            theirs,
            lambda a, b: f"stress {stress(a):.3f} and {stress(b):.3f}",
        )


def rows(rounds: int) -> Iterator[str]:
    yield "| job, library | ours, s | library, s | ours / library | results |"
    yield "|---|---|---|---|---|"
    for pair in (*greedy(), *batches(), *files(), *pictures(), *layouts()):
        name, ours, theirs, judge = pair
        results = ours(), theirs()  # compiled, loaded
        best = [np.inf, np.inf]
        for _ in range(rounds):
            for place, work in enumerate((ours, theirs)):
                begun = time.process_time()
                work()
                best[place] = min(best[place], time.process_time() - begun)
        ratio = best[0] / best[1]
        yield f"| {name} | {best[0]:.5f} | {best[1]:.5f} | {ratio:.2f} | {judge(*results)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    torch.set_num_threads(1)
    about = f"`python benchmarks/libraries.py`: CPU seconds on one thread, best of {args.rounds}."
    keep(
        ["# Libraries beside our own", "", about, "", *rows(args.rounds)],
        Path(__file__).with_suffix(".md"),
    )


if __name__ == "__main__":
    main()
