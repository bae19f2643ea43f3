"""``concolor certify`` and ``concolor verify``: bounds with witnesses, and their check."""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from concolor.cli.common import (
    Graphs,
    Json,
    OneGraph,
    Quiet,
    Seed,
    finished,
    load_graph,
    print_json,
    say,
)
from concolor.cli.fleets import (
    Cluster,
    Done,
    Printer,
    WorkerCount,
    executor_of,
    files,
    only_for_one,
    run,
)
from concolor.coloring import Coloring
from concolor.graph.core import Graph

COLUMNS = ("graph", "n", "m", "lower", "upper", "theta_lower", "theta_upper", "proved")


def certify(
    graphs: Graphs,
    coloring: Annotated[
        Path | None,
        typer.Option(help="Certify this proper coloring: .json, .csv or .sol."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A shipped model or a file: sharpen its embedding, too.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds; proofs may take some more.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the certificate: .json, or a folder."),
    ] = None,
    seed: Seed = 0,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bound the chromatic number of graphs from both sides, each side with a witness.

    Ctrl-C ends the search, and a second one the proofs; what is proved by then is printed and
    written.

    \b
    Examples:
      concolor certify queen:6x6 --json
      concolor certify jobs/*.col --time-limit 5 --workers 2 -o proofs
      concolor certify homer.col -o c.json && concolor verify homer.col c.json
    """
    only_for_one(graphs, coloring=coloring)
    saved = [] if output is None else files(output, graphs, (".json",))

    def keep(place: int, done: Done) -> None:
        if saved:
            done.kept.save(saved[place])

    printer = Printer(
        graphs,
        as_json=as_json,
        quiet=quiet,
        row=lambda result: {name: result[name] for name in COLUMNS},
        alone=lambda result: print(*result["statements"], sep="\n"),
    )
    with executor_of(workers, cluster) as executor:
        call = partial(_done, coloring, model, seed, time_limit)
        run(call, printer, executor=executor, title="certifying", seed=seed, keep=keep)
        raise typer.Exit(printer.code)


def _done(
    coloring: Path | None, model: str | None, seed: int, time_limit: float | None, graph: Graph
) -> Done:
    """One graph: what is printed of it, and its certificate."""
    from concolor.certificates import certify

    given = None if coloring is None else Coloring.load(graph, coloring)
    embedding = None
    if model is not None:
        from concolor.models import load  # imports torch

        embedding = load(model).embed(graph, seed=seed)
    began = time.monotonic()
    found, interrupted = finished(
        lambda: certify(graph, given, embedding=embedding, seed=seed, time_limit=time_limit)
    )
    result = {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "lower": found.lower,
        "upper": found.upper,
        "theta_lower": found.theta_lower,
        "theta_upper": found.theta_upper,
        "proved": found.is_proved,
        "clique": list(found.clique),
        "colors": found.coloring.colors.tolist(),
        "fractional": None if found.fractional is None else float(found.fractional.value),
        "cones": len(found.cones),
        "vectors": {vectors.source: vectors.bound for vectors in found.vectors},
        "embedding": None if found.embedding is None else _finite(asdict(found.embedding)),
        "statements": found.statements,
        "seconds": {"certify": time.monotonic() - began},
        "seed": seed,
    }
    return Done(result, found, interrupted)


def _finite(numbers: dict[str, float | None]) -> dict[str, float | None]:
    """Infinite bounds as null, which JSON can say."""
    return {
        name: value if value is not None and math.isfinite(value) else None
        for name, value in numbers.items()
    }


def verify(
    graph: OneGraph,
    certificate: Annotated[Path, typer.Argument(help="A file that `concolor certify -o` wrote.")],
    as_json: Json = False,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Check a certificate against GRAPH, trusting nothing but the two files.

    Exit code 0: all of it is proved anew; 1: refused, with the reason.

    \b
    Example:
      concolor verify homer.col c.json
    """
    from concolor.certificates import Refused
    from concolor.certificates import verify as check
    from concolor.certificates.rounding import at_least, at_most

    loaded = load_graph(graph, seed, quiet=quiet)
    try:
        found = check(loaded, certificate)
    except Refused as reason:
        if as_json:
            print_json({"graph": loaded.name, "verified": False, "reason": str(reason)})
        say(f"refused: {reason}", quiet=quiet)
        raise typer.Exit(1) from None
    if as_json:
        names = ("lower", "upper", "theta_lower", "theta_upper")
        bounds = {name: getattr(found, name) for name in names}
        proved = {"proved": found.is_proved}
        print_json({"graph": loaded.name, "verified": True, **bounds, **proved})
        return
    print(f"verified: {found.lower} <= chi({loaded.name}) <= {found.upper}")
    thetas = f"{at_least(found.theta_lower)} <= theta <= {at_most(found.theta_upper)}"
    print(f"          {thetas}, theta of the complement")
