"""The methods of the league: one function each, and the tables at the bottom that list them.

A method is given a graph, its CPU seconds, and ``tell``, which it calls with the colors ``[n]`` of
every better coloring as soon as it has one. Its libraries are loaded inside: OR-Tools cannot stand
in one process with HiGHS.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

import concolor as cc
from concolor.decoding.guided import unguided
from concolor.goal import Progress

Tell: TypeAlias = Callable[[ArrayLike], None]
Method: TypeAlias = Callable[[cc.Graph, float, Tell], None]

GREEDY = ("largest-first", "smallest-last", "dsatur", "rlf")
RAW_MONO = 0.05  # of the edges may be in conflict


def greedy(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """Ours, one after the other."""
    for method in GREEDY:
        tell(cc.solve(graph, method).coloring.colors)


def learned(name: str | None = None) -> Method:
    """A model alone, decoded into a proper coloring; by default the shipped one that suits."""

    def run(graph: cc.Graph, limit: float, tell: Tell) -> None:
        tell(cc.color(graph, model=name, polish=False, time_limit=limit).colors)

    return run


def chance(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """The same with a random free color for each node instead of the model's."""
    tell(unguided(graph).colors)


def search(method: str, max_mono: float = 0.0) -> Method:
    """A search of ours from the graph alone, for all of its time."""

    def run(graph: cc.Graph, limit: float, tell: Tell) -> None:
        def note(now: Progress) -> None:
            if now.best.mono <= max_mono:
                tell(now.best.colors)

        how = {"max_mono": max_mono, "time_limit": limit, "threads": 1}
        tell(cc.solve(graph, method, progress=note, **how).coloring.colors)

    return run


def color(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """``concolor color``: everything there is; it tells its answer at the end."""
    (answer,) = cc.answers([graph], time_limit=limit, threads=1)
    tell(answer.coloring.colors)


def gcol(algorithm: int) -> Method:
    """A search of gcol from DSATUR, which takes a number of steps: again with as many as fit."""

    def run(graph: cc.Graph, limit: float, tell: Tell) -> None:
        from gcol import node_coloring

        twin, steps, end = cc.to_networkx(graph), 100, time.process_time() + limit
        while (began := time.process_time()) < end and steps:
            random.seed(0)
            found = node_coloring(twin, opt_alg=algorithm, it_limit=steps)
            tell([found[v] for v in range(graph.n)])
            now = time.process_time()
            steps = min(10 * steps, int(0.9 * steps * (end - now) / (now - began)))

    return run


def networkx(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """Its strategies one after the other."""
    import networkx as nx

    twin = cc.to_networkx(graph)
    orders = ("largest_first", "smallest_last", "connected_sequential", "independent_set", "DSATUR")
    for strategy in orders:
        found = nx.greedy_color(twin, strategy, backend="networkx")
        tell([found[v] for v in range(graph.n)])


def rustworkx(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """Its strategies one after the other."""
    import rustworkx as rx

    twin = rx.PyGraph(multigraph=False)
    twin.add_nodes_from(range(graph.n))
    twin.extend_from_edge_list(list(map(tuple, graph.edges.tolist())))
    strategies = rx.ColoringStrategy
    for strategy in (strategies.Degree, strategies.IndependentSet, strategies.Saturation):
        found = rx.graph_greedy_color(twin, strategy=strategy)
        tell([found[v] for v in range(graph.n)])


def igraph(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """Its heuristics one after the other."""
    from igraph import Graph

    twin = Graph(graph.n, graph.edges.tolist())
    for method in ("coloured_neighbors", "dsatur"):
        tell(twin.vertex_coloring_greedy(method))


def cp_sat(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """CP-SAT, a truth value for each node and color; networkx's DSATUR is the hint.

    Colors in use come first. It ends where it has a proof.
    """
    from networkx import greedy_color
    from ortools.sat.python import cp_model

    hint = greedy_color(cc.to_networkx(graph), "DSATUR", backend="networkx")
    model, palette = cp_model.CpModel(), range(max(hint.values()) + 1)
    x = [[model.new_bool_var("") for _ in palette] for _ in range(graph.n)]
    used = [model.new_bool_var("") for _ in palette]
    for v, row in enumerate(x):
        model.add_exactly_one(row)
        for c in palette:
            model.add_hint(row[c], hint[v] == c)
            model.add_implication(row[c], used[c])
    for u, v in graph.edges.tolist():
        for c in palette:
            model.add_bool_or(~x[u][c], ~x[v][c])
    for c in palette[1:]:
        model.add_implication(used[c], used[c - 1])
    model.minimize(sum(used))

    class Told(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            tell([next(c for c in palette if self.boolean_value(row[c])) for row in x])

    _solve(model, Told())


def cp_sat_numbers(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """CP-SAT, a whole number for each node and ``!=`` for each edge; the same hint."""
    from networkx import greedy_color
    from ortools.sat.python import cp_model

    hint = greedy_color(cc.to_networkx(graph), "DSATUR", backend="networkx")
    model, most = cp_model.CpModel(), max(hint.values())
    x = [model.new_int_var(0, most, "") for _ in range(graph.n)]
    for v, variable in enumerate(x):
        model.add_hint(variable, hint[v])
    for u, v in graph.edges.tolist():
        model.add(x[u] != x[v])
    last = model.new_int_var(0, most, "")
    model.add_max_equality(last, x)
    model.minimize(last)

    class Told(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            tell([self.value(variable) for variable in x])

    _solve(model, Told())


def _solve(model: Any, told: Any) -> None:
    """One worker, without end: who started it ends it."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.solve(model, told)


def model(name: str) -> Method:
    """A model alone: the fewest clusters with at most 5 % of the edges in conflict."""

    def run(graph: cc.Graph, limit: float, tell: Tell) -> None:
        raw = {"max_mono": RAW_MONO, "polish": False}
        tell(cc.color(graph, model=name, time_limit=limit, **raw).colors)

    return run


def null(graph: cc.Graph, limit: float, tell: Tell) -> None:
    """The best of ten random colorings for each k, by the same rule."""
    tell(cc.solve(graph, "null", max_mono=RAW_MONO).coloring.colors)


PROPER: dict[str, Method] = {
    "color": color,
    "memetic": search("memetic"),
    "tabucol": search("tabucol"),
    "learned": learned(),
    "spectral": learned("spectral"),
    "chance": chance,
    "greedy": greedy,
    "gcol, tabu": gcol(2),
    "gcol, HEA": gcol(4),
    "networkx": networkx,
    "rustworkx": rustworkx,
    "igraph": igraph,
    "CP-SAT, !=": cp_sat_numbers,
    "CP-SAT, bool": cp_sat,
}

RAW: dict[str, Method] = {
    "general": model("general"),
    "light": model("light"),
    "spectral": model("spectral"),
    "null": null,
    "tabucol, 5 %": search("tabucol", RAW_MONO),
}
