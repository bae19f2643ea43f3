"""Weighted conflicts and frequencies that are apart: ours beside CP-SAT and weight-blind search.

    OMP_NUM_THREADS=1 python benchmarks/weights.py

All get the same seconds, on one thread. The page is printed and written to ``weights.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import networkx as nx
import numpy as np
from ortools.sat.python import cp_model
from scipy.spatial import KDTree

import concolor as cc
from measure import keep

SECONDS = 5.0


def wifi(n: int, reach: float, seed: int) -> cc.Graph:
    """Access points on 100 x 100 m; they disturb each other less with the square of distance."""
    places = np.random.default_rng(seed).uniform(0, 100, (n, 2))
    pairs = KDTree(places).query_pairs(reach, output_type="ndarray")
    far = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    weights = np.rint(10_000 / np.maximum(far, 1) ** 2)
    return cc.Graph.from_edges(n, pairs, name=f"wifi {n}", weights=np.maximum(weights, 1))


def exams(courses: int, students: int, seed: int) -> cc.Graph:
    """Each student takes four courses, popular ones more often; weights are students of both."""
    rng = np.random.default_rng(seed)
    chance = 1 / np.arange(1, courses + 1) ** 0.6
    pairs = []
    for _ in range(students):
        taken = rng.choice(courses, 4, replace=False, p=chance / chance.sum())
        pairs += [(a, b) for i, a in enumerate(taken) for b in taken[:i]]
    return cc.Graph.from_edges(
        courses, pairs, name=f"exams {courses}x{students}", weights=np.ones(len(pairs))
    )


def random(n: int, p: float, most: int, seed: int) -> cc.Graph:
    graph = cc.family(f"er:{n}x{p}", seed=seed)
    return graph.but(weights=np.random.default_rng(seed).integers(1, most + 1, graph.m))


def masts(n: int, reach: float, seed: int) -> cc.Graph:
    """Masts on 100 x 100 km; the nearer, the farther apart their channels: 5 down to 1."""
    places = np.random.default_rng(seed).uniform(0, 100, (n, 2))
    pairs = KDTree(places).query_pairs(reach, output_type="ndarray")
    far = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    return cc.Graph.from_edges(
        n, pairs, name=f"masts {n}", weights=np.maximum(np.ceil(5 * (1 - far / reach)), 1)
    )


def solver() -> cp_model.CpSolver:
    made = cp_model.CpSolver()
    made.parameters.max_time_in_seconds = SECONDS
    made.parameters.num_workers = 1
    return made


def cpsat_weight(graph: cc.Graph, k: int) -> tuple[int, int]:
    """The least weight found by CP-SAT, and its bound."""
    model = cp_model.CpModel()
    x = [[model.new_bool_var("") for _ in range(k)] for _ in range(graph.n)]
    for row in x:
        model.add_exactly_one(row)
    bad = [model.new_bool_var("") for _ in range(graph.m)]
    for (u, v), b in zip(graph.edges.tolist(), bad, strict=True):
        for c in range(k):
            model.add_bool_or(x[u][c].negated(), x[v][c].negated(), b)
    weights = map(int, graph.weights.tolist())
    model.minimize(sum(w * b for w, b in zip(weights, bad, strict=True)))
    run = solver()
    run.solve(model)
    return round(run.objective_value), round(run.best_objective_bound)


def cpsat_channels(graph: cc.Graph, most: int) -> tuple[int | None, int]:
    """The fewest channels found by CP-SAT with at most so many, and its bound."""
    model = cp_model.CpModel()
    f = [model.new_int_var(0, most - 1, "") for _ in range(graph.n)]
    top = model.new_int_var(0, most - 1, "")
    for v in f:
        model.add(v <= top)
    for (u, v), d in zip(graph.edges.tolist(), map(int, graph.weights.tolist()), strict=True):
        above = model.new_bool_var("")
        model.add(f[u] - f[v] >= d).only_enforce_if(above)
        model.add(f[v] - f[u] >= d).only_enforce_if(above.negated())
    model.minimize(top)
    run = solver()
    status = run.solve(model)
    found = round(run.objective_value) + 1
    known = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return (found if known else None), round(run.best_objective_bound) + 1


def greedy_weight(graph: cc.Graph, k: int) -> int:
    """networkx's DSATUR, its classes from k on put into the others in turn."""
    colors = nx.greedy_color(cc.to_networkx(graph), "DSATUR", backend="networkx")
    mapped = np.array([colors[v] % k for v in range(graph.n)])
    return int(cc.Coloring(graph, mapped).weight)


def conflicts() -> Iterator[str]:
    cases = [
        (wifi(105, 35, 0), 3),
        (wifi(300, 20, 1), 3),
        (exams(60, 300, 2), 6),
        (exams(150, 900, 3), 8),
        (random(40, 0.4, 50, 4), 3),
        (random(100, 0.5, 99, 5), 4),
        (random(200, 0.1, 99, 6), 3),
    ]
    for graph, k in cases:
        blind = cc.color(graph.but(weights=None), k=k, time_limit=SECONDS)
        ours = next(cc.answers([graph], k=k, time_limit=SECONDS))
        other, bound = cpsat_weight(graph, k)
        weightless = cc.Coloring(graph, blind.colors).weight
        lower = int(np.ceil(ours.solution.lower - 1e-9))
        shown = f"{ours.coloring.weight}" + (" proved" if ours.solution.is_proved else "")
        yield (
            f"| {graph.name} | {graph.n} | {graph.m} | {k} | {greedy_weight(graph, k)} | "
            f"{weightless} | {shown} | {lower} | {other} | {bound} |"
        )


def spans() -> Iterator[str]:
    for graph in (masts(40, 30, 0), masts(80, 25, 1), masts(150, 20, 2), masts(300, 15, 3)):
        first = cc.frequencies(graph, time_limit=0)
        ours = cc.frequencies(graph, time_limit=SECONDS)
        other, bound = cpsat_channels(graph, first.used)
        few = cc.frequencies(graph, channels=max(ours.used * 2 // 3, 1), time_limit=SECONDS)
        shown = f"{ours.used}" + (" proved" if ours.is_proved else "")
        yield (
            f"| {graph.name} | {graph.n} | {graph.m} | {first.used} | {shown} | {ours.lower} | "
            f"{'none' if other is None else other} | {bound} | "
            f"{few.violations} with {ours.used * 2 // 3} |"
        )


def lines() -> Iterator[str]:
    cc.color(wifi(20, 30, 9), k=2, time_limit=1)  # loads what was compiled
    yield "# Weights and separations"
    yield ""
    yield (
        f"Written by `benchmarks/weights.py`: {SECONDS:g} seconds each on one thread, OR-Tools "
        f"{version('ortools')}, networkx {version('networkx')}. All instances are made up by the "
        "script."
    )
    yield ""
    yield (
        "CP-SAT has one worker, a plain model without symmetry breaking, clique cuts or a "
        "start, and so hardly a chance on the weights: its bound stays 0. Seconds are those "
        "of the wall, on a machine that others used. Tenure and shaking of our search were "
        "chosen, of eleven settings, on the two wifi graphs of this table and three random "
        "ones, so those two rows flatter it."
    )
    yield ""
    yield "## The weight in conflict with k colors"
    yield ""
    yield (
        "`blind` is `color -k` without the weights, `DSATUR mod k` networkx's coloring with its "
        "classes from k on put into the others; bounds stand beside each method that has one."
    )
    yield ""
    yield (
        "| graph | n | m | k | DSATUR mod k | blind | `color --weights` | bound | CP-SAT | bound |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    yield from conflicts()
    yield ""
    yield "## Channels that are far enough apart"
    yield ""
    yield (
        "`greedy` is the first plan, by the lowest free frequency of the node that is most "
        "constrained; CP-SAT may use as many channels as that. The last column is the violations "
        "where a third of the channels is taken away."
    )
    yield ""
    yield "| graph | n | m | greedy | `frequencies` | bound | CP-SAT | bound | violations |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    yield from spans()


if __name__ == "__main__":
    keep(lines(), Path(__file__).with_suffix(".md"))
