"""``concolor color``: graphs in, colors out."""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

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
    finished,
    judged,
    load_graph,
    print_json,
    print_table,
    progress_bar,
    say,
    set_threads,
)
from concolor.errors import InputError, Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from concolor.answer import Answer
    from concolor.certificates import Certificate
    from concolor.colorer import Colorer
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
        typer.Option(
            min=0,
            help="Seconds for each graph after its embedding, at most half of them for decoding "
            "(default: 2 for the polish); as many again for its bounds (--certify).",
        ),
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
    ends the work on the present graph and prints what there is.

    lower is a proved lower bound of what is minimized, k or (with -k) conflicts. Beside it stand
    the colors of DSATUR, the null, the best of ten random colorings under the same rule, and raw,
    the model alone. A dash says that no number of colors met the rule in the head of the column,
    that DSATUR's coloring was proved optimal before the model was needed, or that Ctrl-C came
    first.

    \b
    Examples:
      concolor color queen:12x12 --report r.html
      concolor color jobs/*.col --json
      concolor color er:500:0.05 -k 9 --time-limit 5
      concolor color jobs/*.col --max-mono 0.05 --no-polish --model m.safetensors
    """
    from concolor.answer import answers
    from concolor.models import load, located

    def loaded_model() -> Colorer:
        """When bounds do not settle a graph: torch is loaded then."""
        set_threads(threads)
        return load(model, device=device)

    loaded = [load_graph(word, seed) for word in graphs]
    if len(loaded) > 1 and (preset is not None or forbidden is not None):
        raise InputError(f"--preset and --forbid are for one graph, got {len(loaded)}")
    files = [] if output is None else _files(output, loaded, SAVED)
    pages = [] if report is None else _files(report, loaded, (".html",))
    located(model)
    asked = _Asked(k, max_mono, seed, time_limit, certify)
    results: list[dict[str, Any]] = []
    done = 0
    with progress_bar("coloring", quiet=quiet) as update, suppress(KeyboardInterrupt):
        found = answers(
            loaded,
            loaded_model,
            k=k,
            max_mono=max_mono,
            polish=not no_polish,
            bounds_first=not pages,  # a page shows the embedding
            seed=seed,
            time_limit=time_limit,
            preset=None if preset is None else by_node(loaded[0], preset, int),
            forbidden=None if forbidden is None else by_node(loaded[0], forbidden, list),
        )
        for place, (answer, interrupted) in enumerate(_until_interrupted(found)):
            results.append(_result(answer, seed))  # Ctrl-C leaves out what follows about it
            if files:
                answer.coloring.save(files[place])
            proof = None
            if not interrupted:
                proof, interrupted = _compared(results[-1], answer, asked)
            if pages:
                _page(pages[place], answer, proof, results[-1], model)
            update(len(results), len(loaded), answer.coloring.graph.name)
            if interrupted:
                break
            done += 1
    if not results:
        raise KeyboardInterrupt
    _print(results, asked, as_list=len(loaded) > 1, as_json=as_json, quiet=quiet)
    reached = all(result["hit"] for result in results)
    raise typer.Exit(130 if done < len(loaded) else 0 if reached else 1)


class _Asked(NamedTuple):
    """The words of the command that are about every graph."""

    k: int | None
    max_mono: float | None
    seed: int
    time_limit: float | None
    certify: bool


def _until_interrupted(found: Iterator[Answer]) -> Iterator[tuple[Answer, bool]]:
    """The answers, the last one cut short where Ctrl-C comes; and whether that is so."""
    try:
        for answer in found:
            yield answer, False
    except Interrupted as stop:
        yield stop.best, True


def _print(
    results: list[dict[str, Any]], asked: _Asked, *, as_list: bool, as_json: bool, quiet: bool
) -> None:
    if as_json:
        print_json(results if as_list else results[0])
        return
    rows = [_row(result, asked) for result in results]
    print_table(list(rows[0]), [[row.get(head) for head in rows[0]] for row in rows])
    for result in results:
        if not result["hit"]:
            say(f"goal not reached on {result['graph']}: {_missed(result, asked.k)}", quiet=quiet)


def _result(answer: Answer, seed: int) -> dict[str, Any]:
    """The printed object of one graph, but for what is compared with it."""
    return {
        **answer.coloring.to_dict(),
        **judged(answer.solution),
        "raw": _raw(answer),
        "seconds": dict(answer.seconds),
        "seed": seed,
    }


def _raw(answer: Answer) -> dict[str, Any] | None:
    """What the model alone gave; None where bounds settled the graph without it."""
    if answer.raw is None or answer.sweep is None:
        return None
    sweep, raw = answer.sweep, answer.raw.to_dict()
    return {
        **{key: value for key, value in raw.items() if key not in ("n", "m")},
        "k_star": sweep.k_star(),
        "k_star_mono": sweep.best.mono,
        "k_star_hit": sweep.hit(),
    }


def _compared(
    result: dict[str, Any], answer: Answer, asked: _Asked
) -> tuple[Certificate | None, bool]:
    """Put the null beside an answer, and bounds where asked for; was that interrupted?"""
    result |= _null(answer.coloring.graph, asked.k, asked.max_mono, asked.seed)
    if not asked.certify:
        return None, False
    from concolor.certificates import certify

    began = time.perf_counter()
    graph, proper = answer.coloring.graph, answer.coloring if answer.coloring.is_proper else None
    proof, interrupted = finished(
        lambda: certify(
            graph, proper, embedding=answer.z, seed=asked.seed, time_limit=asked.time_limit
        )
    )
    result["seconds"]["certify"] = time.perf_counter() - began
    result["certificate"] = {"lower": proof.lower, "upper": proof.upper, "gap": proof.gap}
    return proof, interrupted


def _null(graph: Graph, k: int | None, max_mono: float | None, seed: int) -> dict[str, Any]:
    """What chance reaches by the same rule."""
    from concolor.solvers.null import null_sweep
    from concolor.sweeps import K_MAX

    found, null, hit = null_sweep(graph, k_max=k or K_MAX, max_mono=max_mono or 0.0, seed=seed)
    about = {"k": found, "conflicts": null.conflicts, "mono": null.mono, "hit": hit}
    return {f"null_{name}": value for name, value in about.items()}


def _page(
    path: Path, answer: Answer, proof: Certificate | None, result: dict[str, Any], model: str
) -> None:
    from concolor.files import write_atomically
    from concolor.solvers.null import null
    from concolor.viz import Report, report

    assert answer.sweep is not None  # bounds did not come first
    graph, curve = answer.coloring.graph, answer.sweep.curve
    reached = "" if answer.hit else "The goal was not reached. "
    facts = Report(
        coloring=answer.coloring,
        raw=answer.sweep.best,
        sweep=answer.sweep,
        null_curve={k: null(graph, k, seed=result["seed"]).conflicts for k in curve if k},
        z=answer.z,
        certificate=proof,
        seconds=result["seconds"],
        note=f"{reached}Model {model}, seed {result['seed']}.",
        seed=result["seed"],
    )
    write_atomically(path, report(facts).encode())


def _row(result: dict[str, Any], asked: _Asked) -> dict[str, object]:
    """A row of the table by its heads, which say the rule that a number of colors meets."""
    from concolor.answer import RAW_MONO

    names = ("graph", "n", "m", "k", "conflicts", "mono", "proper", "lower", "proved", "dsatur")
    row, raw = {name: result[name] for name in names}, result["raw"] or {}
    if asked.k is not None:
        row["null conflicts"] = result.get("null_conflicts")
        row["raw conflicts"] = raw.get("conflicts")
    else:
        max_mono = asked.max_mono
        allowed, raw_allowed = (0, RAW_MONO) if max_mono is None else (max_mono, max_mono)
        row |= {
            f"null k (mono<={allowed:g})": result["null_k"] if result.get("null_hit") else None,
            f"raw k* (mono<={raw_allowed:g})": raw.get("k_star") if raw.get("k_star_hit") else None,
            "raw mono": raw.get("k_star_mono"),
        }
    if "certificate" in result:
        row["chi >="] = result["certificate"]["lower"]
    return row | {"seconds": round(sum(result["seconds"].values()), 3)}


def _missed(result: dict[str, Any], k: int | None) -> str:
    colors = "" if k is None else f" with at most {k} colors"
    return f"{result['conflicts']} conflicts are left{colors}"


def _files(output: Path, graphs: list[Graph], known: tuple[str, ...]) -> list[Path]:
    """Where each result goes: one file for one graph, a folder of files for several."""
    if output.suffix and not output.is_dir():
        if len(graphs) == 1 and output.suffix in known:
            return [output]
        words = " or ".join(known)
        expected = f"a {words} file" if len(graphs) == 1 else "a folder for several graphs"
        raise InputError(f"{output}: expected {expected}")
    stems = [re.sub(r"[^\w.-]+", "_", graph.name) for graph in graphs]
    often, taken = Counter(stems), set(stems)
    for place, stem in enumerate(stems):
        if often[stem] > 1:  # graphs of one name are told apart by their place
            numbered = (f"{stem}-{number}" for number in count(place))
            stems[place] = next(name for name in numbered if name not in taken)
            taken.add(stems[place])
    return [output / f"{stem}{known[0]}" for stem in stems]
