"""``concolor info``: what a graph file or family holds."""

from __future__ import annotations

from typing import Any

from concolor.cli.common import Json, OneGraph, Quiet, Seed, load_graph, print_json, print_table
from concolor.graph.core import Graph


def info(
    graph: OneGraph,
    as_json: Json = False,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Say what GRAPH holds: sizes, what was removed on reading, colors by DSATUR.

    \b
    Example:
      concolor info queen:8x8
    """
    facts = _facts(load_graph(graph, seed, quiet=quiet))
    if as_json:
        print_json(facts)
    else:
        print_table(["", ""], list(facts.items()))


def _facts(graph: Graph) -> dict[str, Any]:
    from concolor.solvers.greedy import dsatur

    degrees = graph.degrees
    return {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "density": graph.density,
        "isolated": int((degrees == 0).sum()),
        "degree_max": int(degrees.max(initial=0)),
        "degree_mean": float(degrees.mean()) if graph.n else 0.0,
        "loops_removed": graph.loops,
        "duplicates_removed": graph.duplicates,
        "named_nodes": graph.names is not None,
        "features": None if graph.x is None else int(graph.x.shape[1]),
        "chi": graph.chi,
        "dsatur": dsatur(graph).k,
    }
