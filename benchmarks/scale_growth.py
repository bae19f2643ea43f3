"""How time and memory of every stage grow with nodes, edges, colors and graphs: the sections *n*,
*m*, *k* and *graphs* of :mod:`scale`.

The smaller the graphs are, the more of them are taken, by seeds, and every pass goes over all of
them: one small graph again and again is known to the processor after a while, which guesses all
its branches right. How much that is says *first fit, one graph again and again*.

Every stage is measured on two kinds of graphs with about the same degrees: *random* ones, whose
neighbors are anywhere in memory, and *near* ones, whose neighbors have numbers that are at most
``NEAR`` away. What both share is the work; what differs is the wait for memory. Beside them stand
two loops of numpy and scipy that do next to nothing but to read what neighbors have.
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import concolor as cc
from concolor import goal
from concolor.decoding import guided
from concolor.decoding.cluster import line_means
from concolor.graph.structure import by_degree
from concolor.models import load
from concolor.rules import Rules
from concolor.solvers.crews import threads
from concolor.solvers.descent import stay
from concolor.solvers.greedy import saturated
from concolor.solvers.search import Search
from concolor.solvers.speculative import Together, speculative
from scale_giant import status

Row = dict[str, Any]
Prepared = Callable[[], Any]  # what is measured
NODES = {1000: 50, 10_000: 10, 100_000: 2, 1_000_000: 1}  # and how many graphs of each
NEAR = 100
DEGREES = {2: 20, 20: 5, 200: 2, 2000: 1}
OF_DEGREES = 4000  # nodes
COLORS = {4: 5, 40: 5, 400: 2, 4000: 1}
OF_COLORS = 5000  # nodes
GRAPHS = (10, 100, 1000, 10_000)


def embed(graph: cc.Graph) -> Prepared:
    model = load("light")
    return lambda: model.embed(graph)


def decode(graph: cc.Graph) -> Prepared:
    z = np.asarray(load("light").embed(graph))
    return lambda: guided(graph, z, tries=1)


def first_fit(graph: cc.Graph) -> Prepared:
    return lambda: speculative(graph, by_degree(graph), threads=1)


def blocks(graph: cc.Graph) -> Prepared:
    def run() -> Any:
        with threads(graph, 2, 0, at_once=False) as crew:
            return Together(crew).first()

    return run


def dsatur(graph: cc.Graph) -> Prepared:
    return lambda: saturated(graph, Rules.of(graph))


def tabu_start(graph: cc.Graph) -> Prepared:
    start = cc.dsatur(graph)
    return lambda: cc.solve(graph, "tabucol", start=start, time_limit=0)


def certify(graph: cc.Graph) -> Prepared:
    coloring = cc.dsatur(graph)
    return lambda: cc.certify(graph, coloring, time_limit=0)


def one_number(graph: cc.Graph) -> Prepared:
    values = np.arange(graph.n)
    return lambda: values[graph.indices].sum()


def many_numbers(graph: cc.Graph) -> Prepared:
    rows, adjacency = np.ones((graph.n, 32), np.float32), graph.adjacency().astype(np.float32)
    return lambda: adjacency @ rows


STAGES: dict[str, Callable[[cc.Graph], Prepared]] = {
    "embed": embed,
    "decode": decode,
    "first fit": first_fit,
    "blocks": blocks,
    "dsatur": dsatur,
    "tabu start": tabu_start,
    "certify": certify,
}
LOOPS = {"a number of each neighbor": one_number, "32 numbers of each neighbor": many_numbers}
AGAIN = "first fit, one graph again and again"
BY_NODES = (*STAGES, *LOOPS, AGAIN)


def with_nodes(name: str) -> Row:
    """Graphs of mean degree 10, from a thousand to a million nodes."""
    make = {**STAGES, **LOOPS, AGAIN: first_fit}[name]
    counts = dict.fromkeys(NODES, 1) if name == AGAIN else NODES
    _compile(make)
    return {
        kind: {
            str(n): _measured([make(of(n, i)) for i in range(count)]) for n, count in counts.items()
        }
        for kind, of in {"random": random, "near": near}.items()
    }


def with_edges(name: str) -> Row:
    """Random graphs of 4,000 nodes, with mean degrees from 2 to 2,000."""
    _compile(STAGES[name])
    return {
        "random": {
            str(OF_DEGREES * degree // 2): _measured(
                [STAGES[name](random(OF_DEGREES, i, degree)) for i in range(count)]
            )
            for degree, count in DEGREES.items()
        }
    }


def with_colors(name: str) -> Row:
    """Random graphs of 5,000 nodes and mean degree 10, and 4 to 4,000 colors."""
    make = {"decode": _decoded, "tabu start": _begun}[name]
    _compile(lambda graph: make(graph, 4))
    return {
        "random": {
            str(k): _measured([make(random(OF_COLORS, i), k) for i in range(count)])
            for k, count in COLORS.items()
        }
    }


def with_graphs(name: str) -> Row:
    """``color_many`` of 10 to 10,000 graphs of 50 to 100 nodes, from a generator."""

    def colored(count: int) -> Prepared:
        def run() -> None:
            graphs = (random(50 + 37 * i % 51, i, 6) for i in range(count))
            assert all(coloring.is_proper for coloring in cc.color_many(graphs))

        return run

    colored(20)()
    return {"random": {str(count): _measured([colored(count)]) for count in GRAPHS}}


def random(n: int, seed: int, degree: int = 10) -> cc.Graph:
    return cc.family(f"er:{n}x{degree / n:.12g}", seed=seed)


def near(n: int, seed: int) -> cc.Graph:
    """Mean degree 10, and every neighbor at most ``NEAR`` numbers away, around a circle."""
    rng = np.random.default_rng(seed)
    u = rng.integers(0, n, 5 * n)
    return cc.Graph.from_edges(n, np.c_[u, (u + rng.integers(1, NEAR + 1, 5 * n)) % n])


def _decoded(graph: cc.Graph, k: int) -> Prepared:
    """One try of ``guided``, told k."""
    z = np.asarray(load("light").embed(graph))

    def run() -> Any:
        centers = line_means(z, 0)(k).centers
        return saturated(graph, Rules.of(graph), np.abs(z @ centers.T))

    return run


def _begun(graph: cc.Graph, k: int) -> Prepared:
    """The table of nodes and colors that tabu search begins with, from any coloring with k."""
    colors = np.random.default_rng(0).integers(0, k, graph.n)
    return lambda: stay(Search(goal.Task.of(graph)), [(np.arange(k), colors)], 0)


def _compile(make: Callable[[cc.Graph], Prepared]) -> None:
    """Also where only large graphs go; and there is always time for what comes before a search."""
    vars(goal)["AT_ONCE"] = 1e9
    for n in (2000, 60_000):
        make(random(n, 0))()


def _measured(calls: Sequence[Prepared]) -> Row:
    """CPU seconds of a call in the fastest of some passes over all of them, and how far memory
    rose above what was held before."""
    ctypes.CDLL(None).malloc_trim(0)  # what was freed before would be used again unseen
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now
    before, best, spent, passes = status("VmRSS"), math.inf, 0.0, 0
    while passes < 2 or (spent < 1 and passes < 20):
        begun = time.process_time()
        for call in calls:
            call()
        took = time.process_time() - begun
        best, spent, passes = min(best, took), spent + took, passes + 1
        if took > 3:
            break
    return {"cpu": best / len(calls), "mib": (status("VmHWM") - before) / 2**20}
