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
    ForbiddenFile,
    Graphs,
    Json,
    MaxMono,
    PresetFile,
    Quiet,
    Seed,
    Threads,
    by_node,
    load_graph,
    noting_interrupts,
    print_json,
    print_table,
    progress_bar,
    say,
    set_threads,
)
from concolor.errors import InputError
from concolor.solvers.goal import Goal

if TYPE_CHECKING:
    from concolor.answer import Answer
    from concolor.certificates import Certificate
    from concolor.graph.core import Graph

SAVED = (".json", ".csv", ".sol")


def color(
    graphs: Graphs,
    model: Annotated[
        str, typer.Option(help="A shipped model (`concolor list models`) or a model file.")
    ] = "general",
    k: Colors = None,
    max_mono: MaxMono = None,
    no_polish: Annotated[
        bool, typer.Option("--no-polish", help="The model alone, without any search after it.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds for the polish of each graph; default: 2 at most."),
    ] = None,
    preset: PresetFile = None,
    forbidden: ForbiddenFile = None,
    certify: Annotated[
        bool, typer.Option("--certify", help="Bound the chromatic number from below as well.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the colors: .json, .csv or .sol, or a folder."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write a page with pictures: an .html file, or a folder for several."),
    ] = None,
    seed: Seed = 0,
    device: Device = "auto",
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Color graphs: embed with a trained model, decode, polish by local search.

    Without -k and --max-mono the goal is no conflict at all, with the fewest colors found. Exit
    code 1 says that a goal was not reached; the best coloring found is printed all the same. Ctrl-C
    ends the search of the present graph and prints what there is.

    \b
    Examples:
      concolor color queen:12x12 --report r.html
      concolor color jobs/*.col --json
      concolor color er:500:0.05 -k 9 --time-limit 5
      concolor color jobs/*.col --max-mono 0.05 --no-polish --model m.safetensors
    """
    from concolor.answer import answers  # imports torch
    from concolor.models import load

    loaded = [load_graph(word, seed) for word in graphs]
    Goal.of(loaded[0], k, max_mono)  # refuse bad wishes before any work
    if len(loaded) > 1 and (preset is not None or forbidden is not None):
        raise InputError(f"--preset and --forbid are for one graph, got {len(loaded)}")
    files = [] if output is None else _files(output, loaded, SAVED)
    pages = [] if report is None else _files(report, loaded, (".html",))
    set_threads(threads)
    results: list[dict[str, Any]] = []
    with noting_interrupts() as interrupted, progress_bar("coloring", quiet=quiet) as update:
        found = answers(
            loaded,
            load(model, device=device),
            k=k,
            max_mono=max_mono,
            polish=not no_polish,
            seed=seed,
            time_limit=time_limit,
            preset=None if preset is None else by_node(loaded[0], preset, int),
            forbidden=None if forbidden is None else by_node(loaded[0], forbidden, list),
        )
        for place, (graph, answer) in enumerate(zip(loaded, found, strict=False)):
            bounds, seconds = _bounds(answer, seed) if certify else (None, {})
            results.append(
                _result(answer, bounds, {**answer.seconds, **seconds}, k, max_mono, seed)
            )
            if files:
                answer.coloring.save(files[place])
            if pages:
                _page(pages[place], answer, bounds, results[-1], model)
            update(len(results), len(loaded), graph.name)
            if interrupted():
                break
    if as_json:
        print_json(results[0] if len(loaded) == 1 else results)
    else:
        _print(results)
        for result in results:
            if not result["hit"]:
                say(f"goal not reached on {result['graph']}: {_missed(result, k)}", quiet=quiet)
    raise typer.Exit(130 if interrupted() else 0 if all(r["hit"] for r in results) else 1)


def _result(
    answer: Answer,
    bounds: Certificate | None,
    seconds: dict[str, float],
    k: int | None,
    max_mono: float | None,
    seed: int,
) -> dict[str, Any]:
    """The printed object of one graph."""
    from concolor.colorer import CAP
    from concolor.solvers.greedy import chi_ref
    from concolor.solvers.null import null_sweep

    graph = answer.coloring.graph
    reference, source = chi_ref(graph)
    null_k, null, null_hit = null_sweep(graph, cap=k or CAP, threshold=max_mono or 0.0, seed=seed)
    raw = {key: value for key, value in answer.raw.to_dict().items() if key not in ("n", "m")}
    result: dict[str, Any] = {
        **answer.coloring.to_dict(),
        "hit": answer.hit,
        "rho": answer.coloring.k / max(reference, 1),
        "chi_ref": reference,
        "chi_source": source,
        "null_k": null_k,
        "null_mono": null.mono,
        "null_hit": null_hit,
        "raw": {**raw, "k_star": answer.sweep.k_star(), "k_star_mono": answer.sweep.best.mono},
        "seconds": seconds,
        "seed": seed,
    }
    if bounds is not None:
        result |= {"lower": bounds.lower, "upper": bounds.upper, "gap": bounds.gap}
    return result


def _bounds(answer: Answer, seed: int) -> tuple[Certificate, dict[str, float]]:
    from concolor.certificates import certify

    began = time.perf_counter()
    proper = answer.coloring if answer.coloring.is_proper else None
    bounds = certify(answer.coloring.graph, proper, embedding=answer.z, seed=seed)
    return bounds, {"certify": time.perf_counter() - began}


def _page(
    path: Path, answer: Answer, bounds: Certificate | None, result: dict[str, Any], model: str
) -> None:
    from concolor.files import write_atomically
    from concolor.solvers.null import null
    from concolor.viz import Report, report

    curve = answer.sweep.curve
    reached = "" if answer.hit else "The goal was not reached. "
    facts = Report(
        coloring=answer.coloring,
        raw=answer.sweep.best,
        sweep=answer.sweep,
        null_curve={
            k: null(answer.raw.graph, k, seed=result["seed"]).conflicts for k in curve if k
        },
        z=answer.z,
        certificate=bounds,
        seconds=result["seconds"],
        note=f"{reached}Model {model}, seed {result['seed']}.",
        seed=result["seed"],
    )
    write_atomically(path, report(facts).encode())


def _print(results: list[dict[str, Any]]) -> None:
    names = ["graph", "n", "m", "k", "conflicts", "mono", "proper", "chi_ref", "null_k"]
    rows = [[r[name] for name in names] for r in results]
    for row, result in zip(rows, results, strict=True):
        row += [result["raw"]["k_star"], result["raw"]["k_star_mono"]]
        row += [result.get("lower"), round(sum(result["seconds"].values()), 3)]
    shown = [*names, "raw k*", "raw mono", "lower", "seconds"]
    kept = [
        place for place, name in enumerate(shown) if any(row[place] is not None for row in rows)
    ]
    print_table([shown[p] for p in kept], [[row[p] for p in kept] for row in rows])


def _missed(result: dict[str, Any], k: int | None) -> str:
    colors = "" if k is None else f" with at most {k} colors"
    return f"{result['conflicts']} conflicts are left{colors}"


def _files(output: Path, graphs: list[Graph], known: tuple[str, ...]) -> list[Path]:
    """Where each result goes: one file for one graph, a folder of files for several."""
    if len(graphs) == 1 and output.suffix in known:
        return [output]
    if output.suffix:
        words = " or ".join(known)
        expected = f"a {words} file" if len(graphs) == 1 else "a folder for several graphs"
        raise InputError(f"{output}: expected {expected}")
    stems = [re.sub(r"[^\w.-]+", "_", graph.name) for graph in graphs]
    return [
        output / (f"{stem}{known[0]}" if stems.count(stem) == 1 else f"{stem}-{place}{known[0]}")
        for place, stem in enumerate(stems)
    ]
