"""Many small graphs: graphs a second and colors, beside greedy colorings of other libraries.

    OMP_NUM_THREADS=1 python benchmarks/fleet.py [--graphs 1000] [--few 100]

Two collections, drawn by seeds: interference graphs of 65 values (live ranges of straight-line
code, and a few pairs more that interfere for other reasons), and sparse random graphs of 50 nodes,
where greedy colorings are not optimal. Every method colors the same graphs, each in the library's
own type, or in a file for the command, made before the clock starts; ours are made anew for every
method, so that nothing is remembered. The first two graphs are colored once before, so that code is
loaded and compiled, and the shipped model is loaded; the command is one process, its start
included. Seconds are on the wall. All colorings are checked to be proper.

Methods that search one graph at a time get the first ``--few`` graphs only. Beside the colors stand
those of the exact method on the same graphs. The table is printed and written to ``fleet.md``
beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import gcol
import igraph
import networkx as nx
import numpy as np
import rustworkx as rx

import concolor as cc
from measure import keep

Colors = Sequence[int] | np.ndarray
SEARCH = 0.2  # seconds for TabuCol, where no bound is met
PROOF = 10.0  # seconds for the exact method


def interference(seed: int, values: int = 65, span: float = 12.0, extra: float = 0.02) -> cc.Graph:
    """Live ranges of a block: value i is made in line i and read last some lines later.

    Two values interfere if one is made while the other is still to be read; of the other pairs a
    few do as well, as two operands of one instruction or values that a call destroys.
    """
    rng = np.random.default_rng(seed)
    made = np.arange(values)
    read = made + rng.geometric(1 / span, values)
    both = (made[:, None] < made) & (made < read[:, None])
    both |= np.triu(rng.random((values, values)) < extra, 1)
    return cc.Graph.from_edges(values, np.argwhere(both), name=f"block-{seed}")


def sparse(seed: int) -> cc.Graph:
    return cc.family("er:50x0.1", seed=seed)


COLLECTIONS: dict[str, Callable[[int], cc.Graph]] = {
    "interference, 65 values": interference,
    "er:50x0.1": sparse,
}


def to_rustworkx(graph: cc.Graph) -> rx.PyGraph:
    found = rx.PyGraph(multigraph=False)
    found.add_nodes_from(range(graph.n))
    found.extend_from_edge_list(list(map(tuple, graph.edges.tolist())))
    return found


def to_igraph(graph: cc.Graph) -> igraph.Graph:
    return igraph.Graph(n=graph.n, edges=graph.edges.tolist())


def anew(graph: cc.Graph) -> cc.Graph:
    return cc.Graph.from_edges(graph.n, graph.edges, name=graph.name)


def in_order(colors: Mapping[int, int]) -> list[int]:
    return [colors[node] for node in range(len(colors))]


def each(color: Callable[[Any], Colors]) -> Callable[[list[Any]], Iterable[Colors]]:
    """One graph after the other."""
    return lambda graphs: map(color, graphs)


def solved(method: str, **options: float) -> Callable[[list[cc.Graph]], Iterable[Colors]]:
    return each(lambda graph: cc.solve(graph, method, **options).coloring.colors)


def to_file(graph: cc.Graph) -> str:
    """A new file in the folder for temporary files, which main names and removes."""
    handle, path = tempfile.mkstemp(suffix=".col")
    os.close(handle)
    cc.write(graph, path)
    return path


def command(files: list[str]) -> list[Colors]:
    """``concolor color FILE... --json``, a process of its own."""
    words = [sys.executable, "-m", "concolor", "color", *files, "--json", "--quiet"]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True)
    return [answer["colors"] for answer in json.loads(done.stdout)]


METHODS: dict[str, tuple[Callable, Callable, bool]] = {  # conversion, method, few graphs only
    "rustworkx, greedy": (to_rustworkx, each(lambda g: in_order(rx.graph_greedy_color(g))), False),
    "igraph, greedy": (to_igraph, each(lambda g: g.vertex_coloring_greedy()), False),
    "igraph, dsatur": (to_igraph, each(lambda g: g.vertex_coloring_greedy("dsatur")), False),
    "networkx, greedy": (cc.to_networkx, each(lambda g: in_order(nx.greedy_color(g))), False),
    "gcol, dsatur": (
        cc.to_networkx,
        each(lambda g: in_order(gcol.node_coloring(g, strategy="dsatur"))),
        False,
    ),
    "dsatur": (anew, each(lambda g: cc.dsatur(g).colors), False),
    "rlf": (anew, solved("rlf"), False),
    f"tabucol, {SEARCH} s at most": (anew, solved("tabucol", time_limit=SEARCH), True),
    "exact": (anew, solved("exact", time_limit=PROOF), False),
    "color, one by one": (anew, each(lambda g: cc.color(g).colors), True),
    "answers, all at once": (
        anew,
        lambda graphs: [answer.coloring.colors for answer in cc.answers(graphs)],
        False,
    ),
    "the command color --json": (to_file, command, False),
}


def measured(
    name: str, convert: Callable, method: Callable, graphs: list[cc.Graph]
) -> tuple[float, list[int]]:
    """Graphs a second, and the colors of every one."""
    list(method([convert(graph) for graph in graphs[:2]]))
    ready = [convert(graph) for graph in graphs]
    begun = time.perf_counter()
    found = list(method(ready))
    taken = time.perf_counter() - begun
    colorings = [cc.Coloring(graph, colors) for graph, colors in zip(graphs, found, strict=True)]
    if not all(coloring.is_proper for coloring in colorings):
        raise SystemExit(f"{name} gave a coloring that is not proper")
    return len(graphs) / taken, [coloring.k for coloring in colorings]


def rows(graphs: list[cc.Graph], few: int) -> Iterator[str]:
    yield "| method | graphs | graphs a second | colors | exact, same graphs |"
    yield "|---|---|---|---|---|"
    found = {
        name: measured(name, convert, method, graphs[:few] if searches else graphs)
        for name, (convert, method, searches) in METHODS.items()
    }
    best = found["exact"][1]
    for name, (speed, colors) in found.items():
        fast = f"{speed:.0f}" if speed >= 100 else f"{speed:.3g}"
        cells = [name, str(len(colors)), fast, str(sum(colors))]
        yield f"| {' | '.join(cells)} | {sum(best[: len(colors)])} |"


def lines(count: int, few: int) -> Iterator[str]:
    yield from (
        "# Many small graphs",
        "",
        f"`python benchmarks/fleet.py`: {count} graphs each; the first {few} of them where a "
        "method searches one by one. Seconds on the wall, one thread.",
    )
    for name, draw in COLLECTIONS.items():
        graphs = [draw(seed) for seed in range(count)]
        edges = sum(graph.m for graph in graphs) / count
        yield from ("", f"## {name}: {edges:.0f} edges on average", "", *rows(graphs, few))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--few", type=int, default=100)
    args = parser.parse_args()
    cc.color(cc.family("petersen"), polish=False)  # loads the model, which bounds may not need
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        keep(lines(args.graphs, args.few), Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    main()
