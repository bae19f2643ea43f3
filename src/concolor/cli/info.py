"""``concolor info``: what a graph file or family holds."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from concolor.cli.common import (
    Json,
    OneGraph,
    Quiet,
    Seed,
    load_graph,
    print_json,
    print_table,
    progress_bar,
)
from concolor.errors import InputError
from concolor.graph.core import Graph


def info(
    graph: OneGraph,
    check: Annotated[
        bool, typer.Option("--check", help="Read every byte of a CSR folder, and its digests.")
    ] = False,
    as_json: Json = False,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Say what GRAPH holds: sizes, what was removed on reading, colors by DSATUR.

    \b
    Examples:
      concolor info queen:8x8
      concolor info big.csr --check
    """
    facts = _facts(_checked(graph, quiet=quiet) if check else load_graph(graph, seed, quiet=quiet))
    if as_json:
        print_json(facts)
    else:
        print_table(["", ""], list(facts.items()))


def _checked(word: str, *, quiet: bool) -> Graph:
    """The graph of a folder that is as it should be, down to its last byte."""
    from concolor.graph.formats.folder import check, is_folder

    if not is_folder(word):
        raise InputError(f"--check is for CSR folders, and {word} is none: leave it out")
    with progress_bar("check", quiet=quiet) as update:
        return check(word, lambda done, total: update(done, total, "parts"))


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
        "mapped": graph.folder is not None,
        "dsatur": dsatur(graph).k,
    }
