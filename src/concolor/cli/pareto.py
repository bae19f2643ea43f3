"""``concolor pareto``: the trade between colors and conflicts."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from concolor.cli.common import (
    ForbiddenFile,
    Graphs,
    Json,
    PresetFile,
    Quiet,
    Seed,
    Weights,
    by_node,
    finished,
    print_table,
    say,
)
from concolor.cli.fleets import (
    Cluster,
    Done,
    Printer,
    WorkerCount,
    executor_of,
    only_for_one,
    run,
)
from concolor.graph.core import Graph
from concolor.rules import described


def pareto(
    graphs: Graphs,
    k: Annotated[
        int | None,
        typer.Option("-k", min=1, help="Also list the edges to delete so that K colors suffice."),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds for all k together.")
    ] = None,
    preset: PresetFile = None,
    forbidden: ForbiddenFile = None,
    weights: Weights = False,
    threads: Annotated[int, typer.Option(min=1, help="Searches side by side.")] = 1,
    seed: Seed = 0,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """For k = 1, 2, ... print the fewest conflicts found, up to the first proper coloring.

    With --weights it is the least weight of them. With preset and forbidden colors k begins where
    every node has a color that it may have. Ctrl-C prints the curve so far. Exit code 1 says that K
    of -k was not reached.

    \b
    Examples:
      concolor pareto queen:8x8
      concolor pareto exams.csv -k 3 --json
      concolor pareto wifi.csv --weights
      concolor pareto jobs/*.col --workers 2 --json
      concolor pareto exams.csv --preset fixed.json --forbid closed.json
    """
    only_for_one(graphs, preset=preset, forbid=forbidden)
    asked = _Asked(k, time_limit, preset, forbidden, threads, seed)
    printer = Printer(
        graphs,
        as_json=as_json,
        quiet=quiet,
        row=_row,
        alone=_print,
        code=lambda result: int(_missed(result)),
    )

    def note(place: int, done: Done) -> None:
        if _missed(done.result):
            sizes = [row["k"] for row in done.result["curve"]]
            found = f"only {min(sizes)}..{max(sizes)}: give more time"
            say(f"k={k} was not reached, {found}", quiet=quiet)

    with executor_of(workers, cluster) as executor:
        run(
            partial(_done, asked),
            printer,
            executor=executor,
            title="pareto",
            seed=seed,
            weights=weights,
            tells=True,
            keep=note,
        )
        raise typer.Exit(printer.code)


class _Asked(NamedTuple):
    """The words of the command that are about every graph."""

    k: int | None
    time_limit: float | None
    preset: Path | None
    forbidden: Path | None
    threads: int
    seed: int


def _done(asked: _Asked, graph: Graph, tell: Callable[[str], None] | None = None) -> Done:
    """One graph: its curve, and the edges to delete."""
    from concolor.rules import Rules
    from concolor.solvers.pareto import pareto

    k, fixed, banned = asked.k, None, None
    if asked.preset is not None:
        fixed = by_node(graph, asked.preset, int)
    if asked.forbidden is not None:
        banned = by_node(graph, asked.forbidden, list)
    Rules.of(graph, fixed, banned, k=k)  # refuse what cannot be done before any work
    rules = Rules.of(graph, fixed, banned)
    began = time.monotonic()
    found, interrupted = finished(
        lambda: pareto(
            graph,
            preset=fixed,
            forbidden=banned,
            seed=asked.seed,
            time_limit=asked.time_limit,
            threads=asked.threads,
            progress=None if tell is None else lambda p: tell(f"k {p.k}: {p.conflicts} conflicts"),
        )
    )
    curve = [
        {"k": size, "conflicts": c.conflicts, "mono": c.mono, "proper": c.is_proper}
        | ({} if c.weight is None else {"weight": c.weight})
        for size, c in found.items()
    ]
    result: dict[str, Any] = {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "curve": curve,
        "rules": rules.counts,
        "seconds": {"pareto": time.monotonic() - began},
        "seed": asked.seed,
    }
    if k is not None:
        result["k"] = k
    if k is not None and not _missed(result):
        chosen = found[max(some for some in found if some <= k)]  # some k may be left out
        names = graph.node_names
        result["delete"] = [[names[u], names[v]] for u, v in chosen.conflicting_edges]
    return Done(result, interrupted=interrupted)


def _missed(result: dict[str, Any]) -> bool:
    """The K of -k was not reached: the curve ends before it, or begins after it."""
    if "k" not in result:
        return False
    first, last = result["curve"][0], result["curve"][-1]
    return result["k"] < first["k"] or (result["k"] > last["k"] and not last["proper"])


def _print(result: dict[str, Any]) -> None:
    rows = [list(row.values()) for row in result["curve"]]
    print_table(list(result["curve"][0]), rows)
    if result["rules"] is not None:
        print(f"rules: {described(result['rules'])}")
    for u, v in result.get("delete", []):
        print(f"delete {u} -- {v}")


def _row(result: dict[str, Any]) -> dict[str, object]:
    """A graph among several: how many colors, and the conflicts with fewer."""
    row = {name: result[name] for name in ("graph", "n", "m")}
    last = result["curve"][-1]
    row |= {"k": last["k"], "proper": last["proper"]}
    return row | {"conflicts": " ".join(str(point["conflicts"]) for point in result["curve"])}
