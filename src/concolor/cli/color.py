"""``concolor color``: graphs in, colors out."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concolor.cli.common import (
    Colors,
    Device,
    Graphs,
    Json,
    MaxMono,
    Quiet,
    Seed,
    Threads,
    load_graph,
    print_json,
    print_table,
    progress_bar,
    say,
    set_threads,
)
from concolor.errors import InputError
from concolor.solvers.goal import Goal

if TYPE_CHECKING:
    from concolor.colorer import Colorer
    from concolor.coloring import Coloring
    from concolor.graph.core import Graph


def color(
    graphs: Graphs,
    model: Annotated[
        Path | None, typer.Option(help="A model file that `concolor train` wrote.")
    ] = None,
    k: Colors = None,
    max_mono: MaxMono = None,
    no_polish: Annotated[
        bool, typer.Option("--no-polish", help="The raw learned method; all there is for now.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds a graph; then the best so far.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the colors: a .json or .csv file, or a folder."),
    ] = None,
    seed: Seed = 0,
    device: Device = "auto",
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Color graphs with a trained model: embed, cluster with growing k, stop at the goal.

    Without -k and --max-mono the goal is no conflict at all. Exit code 1 says that a goal was not
    reached; the coloring with the fewest conflicts is printed all the same.

    \b
    Examples:
      concolor color queen:8x8 petersen --max-mono 0.05 --model m.safetensors
      concolor color jobs/*.col -k 7 --model m.safetensors --json
    """
    from concolor.colorer import Colorer  # imports torch

    if model is None:
        raise InputError(
            "which model? Make one with `concolor train --data cycles --recipe cycles "
            "-o m.safetensors` and give it with --model m.safetensors"
        )
    loaded = [load_graph(word, seed) for word in graphs]
    Goal.of(loaded[0], k, max_mono)  # refuse bad wishes before any work
    files = [] if output is None else _files(output, loaded)
    set_threads(threads)
    colorer = Colorer.load(model, device=device)
    results, colorings = [], []
    with progress_bar("coloring", quiet=quiet) as update:
        for graph in loaded:
            result, coloring = _color(colorer, graph, k, max_mono, seed, time_limit)
            results.append(result)
            colorings.append(coloring)
            update(len(results), len(loaded), graph.name)
            if result["stopped"] == "interrupted":
                break
    for file, coloring in zip(files, colorings, strict=False):
        coloring.save(file)
    if as_json:
        print_json(results[0] if len(results) == 1 else results)
    else:
        names = ["graph", "n", "m", "k", "conflicts", "mono", "hit", "rho", "null_k", "null_hit"]
        print_table(names, [[r[name] for name in names] for r in results])
        missed = [r["graph"] for r in results if not r["hit"]]
        if missed:
            say(f"goal not reached: {', '.join(missed)}", quiet=quiet)
    if results[-1]["stopped"] == "interrupted":
        raise typer.Exit(130)
    raise typer.Exit(0 if all(r["hit"] for r in results) else 1)


def _color(
    colorer: Colorer,
    graph: Graph,
    k: int | None,
    max_mono: float | None,
    seed: int,
    time_limit: float | None,
) -> tuple[dict[str, Any], Coloring]:
    """One graph: the printed object and the coloring."""
    from concolor.colorer import CAP
    from concolor.evaluation import score

    goal, cap = max_mono or 0.0, k or CAP
    started = time.monotonic()
    found = colorer.sweep(graph, thresholds=(goal,), cap=cap, seed=seed, time_limit=time_limit)
    seconds = {"color": time.monotonic() - started}
    scored = score(found, cap=cap, seed=seed)
    beside = {
        name: getattr(scored, name)
        for name in ("hit", "rho", "chi_ref", "chi_source", "null_k", "null_mono", "null_hit")
    }
    result = {**found.best.to_dict(), **beside, "stopped": found.stopped}
    return {**result, "seconds": seconds, "seed": seed}, found.best


def _files(output: Path, graphs: list[Graph]) -> list[Path]:
    """Where each coloring goes: one file for one graph, a folder of .json files for several."""
    if len(graphs) == 1 and output.suffix in (".json", ".csv"):
        return [output]
    if output.suffix:
        expected = "a .json or .csv file" if len(graphs) == 1 else "a folder for several graphs"
        raise InputError(f"--output {output}: expected {expected}")
    stems = [re.sub(r"[^\w.-]+", "_", graph.name) for graph in graphs]
    return [
        output / (f"{stem}.json" if stems.count(stem) == 1 else f"{stem}-{place}.json")
        for place, stem in enumerate(stems)
    ]
