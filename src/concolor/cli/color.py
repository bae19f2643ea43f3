"""``concolor color``: graphs in, colors out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from concolor.cli.common import (
    Balanced,
    Colors,
    Device,
    ForbiddenFile,
    Graphs,
    Json,
    MaxClass,
    MaxMono,
    PresetFile,
    Quiet,
    Seed,
    Threads,
    Weights,
    by_node,
    class_sizes,
    finished,
    judged,
    notice_compiling,
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
from concolor.files import write_atomically
from concolor.graph.core import Graph

if TYPE_CHECKING:
    from concolor.answer import Answer
    from concolor.certificates import Certificate
    from concolor.sweeps import Control

SAVED = (".json", ".csv", ".sol")
CONTROLS = ("null", "spectral")
CERTIFY = 0.2  # of the time, which belongs to the certificate
VECTORS = 1_000_000  # numbers of an embedding up to which it is a witness: a file must hold them


def color(
    graphs: Graphs,
    model: Annotated[
        str | None,
        typer.Option(
            help="A shipped model (`concolor list models`) or a model file. Default: general, and "
            "light, sparse or overlap for large graphs and for many."
        ),
    ] = None,
    k: Colors = None,
    max_mono: MaxMono = None,
    no_polish: Annotated[
        bool, typer.Option("--no-polish", help="The model alone, without any search after it.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Seconds for each graph once it is read, --certify included. Default: as long as "
            "it brings something, some seconds.",
        ),
    ] = None,
    preset: PresetFile = None,
    forbidden: ForbiddenFile = None,
    max_class: MaxClass = None,
    balanced: Balanced = False,
    weights: Weights = False,
    certify: Annotated[
        bool, typer.Option("--certify", help="Bound the chromatic number from below as well.")
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option(help="Write what --certify finds, for `concolor verify`: .json, or a folder."),
    ] = None,
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
    workers: WorkerCount = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
) -> None:
    """Color graphs: bounds first, then a trained model, then local search from its clusters.

    Without -k and --max-mono the goal is no conflict at all, with the fewest colors found. Exit
    code 1 says that a goal was not reached; the best coloring found is printed all the same. Ctrl-C
    ends the work on the present graph and prints what there is; before the first coloring it waits
    for that, and a second Ctrl-C does not.

    A graph that cannot be read is reported in its place; the others are colored, and the exit code
    is 2.

    lower is a proved lower bound of what is minimized, k or (with -k) conflicts or their weight.
    start says what the coloring began as: a greedy one, clusters of an embedding or of eigenvectors
    (spectral, hidden), or the exact solver's. Beside it stand the colors of DSATUR, raw, the model
    alone, and what needs no model by the same rule: the null, the best of ten random colorings, and
    spectral, eigenvectors of the graph. A dash says that no number of colors met the rule in the
    head of the column, that the graph was settled before the model was needed, or that there was no
    time.

    \b
    Examples:
      concolor color queen:12x12 --report r.html
      concolor color jobs/*.col --json --workers 2
      concolor color jobs/*.col --json --cluster tcp://127.0.0.1:8786
      concolor color er:500:0.05 -k 9 --time-limit 5
      concolor color exams.csv --max-class 12
      concolor color wifi.csv -k 3 --weights
      concolor color jobs/*.col --max-mono 0.05 --no-polish --model m.safetensors
    """
    from concolor.models import located

    only_for_one(graphs, preset=preset, forbid=forbidden)
    saved = [] if output is None else files(output, graphs, SAVED)
    pages = [] if report is None else files(report, graphs, (".html",))
    proofs = [] if certificate is None else files(certificate, graphs, (".json",))
    if model is not None:
        located(model)
    asked = _Asked(
        model=model,
        k=k,
        max_mono=max_mono,
        polish=not no_polish,
        seed=seed,
        time_limit=time_limit,
        preset=preset,
        forbidden=forbidden,
        max_class=max_class,
        balanced=balanced,
        device=device,
        threads=threads,
        certify=certify or bool(proofs),
        pages=bool(pages),
        among=len(graphs),
    )

    def keep(place: int, done: Done) -> None:
        coloring, proof, page = done.kept
        if saved:
            coloring.save(saved[place])
        if proofs and proof is not None:
            proof.save(proofs[place])
        if page is not None:
            write_atomically(pages[place], page.encode())

    printer = Printer(
        graphs,
        as_json=as_json,
        quiet=quiet,
        row=partial(_row, asked=asked),
        code=lambda result: 0 if result["hit"] else 1,
        notes=partial(_notes, k=k),
    )
    notice_compiling(quiet=quiet)
    with executor_of(workers, cluster) as executor:
        run(
            partial(_done, asked),
            printer,
            executor=executor,
            title="coloring",
            seed=seed,
            weights=weights,
            tells=True,
            holds=True,
            keep=keep,
        )
        raise typer.Exit(printer.code)


class _Asked(NamedTuple):
    """The words of the command that are about every graph, and how many graphs there are."""

    model: str | None
    k: int | None
    max_mono: float | None
    polish: bool
    seed: int
    time_limit: float | None
    preset: Path | None
    forbidden: Path | None
    max_class: int | None
    balanced: bool
    device: str
    threads: int | None
    certify: bool
    pages: bool
    among: int


def _done(asked: _Asked, graph: Graph, tell: Callable[[str], None] | None = None) -> Done:
    """One graph: its coloring, certificate and page."""
    from concolor.answer import answers
    from concolor.models import suited

    found = answers(
        [graph],
        asked.model or suited(graph, asked.among),
        k=asked.k,
        max_mono=asked.max_mono,
        polish=asked.polish,
        bounds_first=not asked.pages,  # a page shows the embedding
        seed=asked.seed,
        time_limit=_left(asked, 0.0, 1 - CERTIFY if asked.certify else 1.0),
        preset=None if asked.preset is None else by_node(graph, asked.preset, int),
        forbidden=None if asked.forbidden is None else by_node(graph, asked.forbidden, list),
        max_class=asked.max_class,
        balanced=asked.balanced,
        device=asked.device,
        threads=asked.threads,
        progress=tell,
    )
    answer, interrupted = finished(partial(next, found))
    result, proof, page = _result(answer, asked.seed), None, None
    with suppress(KeyboardInterrupt):  # leaves out what follows about it
        if asked.certify and not interrupted:
            proof, interrupted = _certified(result, answer, asked)
        if asked.pages:
            page = _page(answer, proof, result)
        return Done(result, (answer.coloring, proof, page), interrupted)
    return Done(result, (answer.coloring, proof, None), True)


def _notes(result: dict[str, Any], k: int | None) -> Iterator[str]:
    if not result["hit"]:
        yield f"goal not reached on {result['graph']}: {_missed(result, k)}"
    for what in result["left_out"]:
        yield f"no time on {result['graph']} for {what}"


def _left(asked: _Asked, seconds: float, part: float) -> float | None:
    """That part of the limit without what was spent before, None without a limit."""
    return None if asked.time_limit is None else part * max(asked.time_limit - seconds, 0.0)


def _result(answer: Answer, seed: int) -> dict[str, Any]:
    """The printed object of one graph, but for its certificate."""
    return {
        **answer.coloring.to_dict(),
        **judged(answer.solution, answer.dsatur),
        **class_sizes(answer.solution),
        "start": answer.start,
        "model": answer.model,
        "rules": answer.solution.goal.rules.counts,
        "removed": None if answer.removed is None else dict(answer.removed),
        "raw": _raw(answer),
        **_control("null", answer.null),
        **_control("spectral", answer.spectral),
        "seconds": {"read": 0.0, **answer.seconds},  # known where it was read
        "left_out": list(answer.left_out),
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


def _control(name: str, found: Control | None) -> dict[str, Any]:
    """What a control reaches by the rule of the raw method; None where the model was not asked."""
    return {
        f"{name}_k": None if found is None else found.k,
        f"{name}_conflicts": None if found is None else found.coloring.conflicts,
        **(
            {}
            if found is None or found.coloring.weight is None
            else {f"{name}_weight": found.coloring.weight}
        ),
        f"{name}_mono": None if found is None else found.coloring.mono,
        f"{name}_hit": None if found is None else found.hit,
    }


def _certified(
    result: dict[str, Any], answer: Answer, asked: _Asked
) -> tuple[Certificate | None, bool]:
    """Put bounds of χ beside an answer; was that interrupted?"""
    from concolor.certificates import certify

    began = time.perf_counter()
    graph, proper = answer.coloring.graph, answer.coloring if answer.coloring.is_proper else None
    left = _left(asked, answer.solution.seconds, 1.0)
    z = answer.z if answer.z is not None and answer.z.size <= VECTORS else None
    proof, interrupted = finished(
        lambda: certify(
            graph,
            proper,
            clique=answer.clique,
            embedding=z,
            seed=asked.seed,
            time_limit=left,
        )
    )
    result["seconds"]["certify"] = time.perf_counter() - began
    result["certificate"] = {"lower": proof.lower, "upper": proof.upper, "gap": proof.gap}
    return proof, interrupted


def _page(answer: Answer, proof: Certificate | None, result: dict[str, Any]) -> str:
    from concolor.models.spectral import spectral_sweep
    from concolor.solvers.null import null
    from concolor.viz import Report, report

    graph, sweep = answer.coloring.graph, answer.sweep
    chance, spectral = None, None
    if sweep is not None:
        chance = {k: null(graph, k, seed=result["seed"]).conflicts for k in sweep.curve if k}
    if sweep is not None and answer.spectral is not None:
        k_max = max(*sweep.curve, answer.spectral.k, 1)
        spectral = spectral_sweep(
            graph, k_max=k_max, max_mono=sweep.max_mono, seed=result["seed"], full=True
        )
    reached = "" if answer.hit else "The goal was not reached. "
    rules = answer.solution.goal.rules.describe()
    how = f"Model {answer.model}" if sweep is not None else "There was no time for the model"
    ruled = f"Nodes with rules: {rules}. " if rules else ""
    facts = Report(
        coloring=answer.coloring,
        raw=None if sweep is None else sweep.best,
        sweep=sweep,
        null_curve=chance,
        spectral=spectral,
        z=answer.z,
        certificate=proof,
        seconds=result["seconds"],
        note=f"{reached}{ruled}{how}, seed {result['seed']}.",
        seed=result["seed"],
    )
    return report(facts)


def _row(result: dict[str, Any], asked: _Asked) -> dict[str, object]:
    """A row of the table by its heads, which say the rule that a number of colors meets."""
    from concolor.answer import RAW_MONO

    names = ("graph", "n", "m", "k", "conflicts", "mono", "proper", "lower", "proved", "dsatur")
    row, raw = {name: result[name] for name in names}, result["raw"] or {}
    row["start"] = result["start"]
    if "weight" in result:
        row["weight"] = f"{result['weight']:.10g}"
        row["lower"] = f"{result['lower']:.10g}"
    if "class_sizes" in result:
        row["class sizes"] = f"{min(result['class_sizes'])}..{max(result['class_sizes'])}"
    if asked.k is not None:
        row |= {f"{name} conflicts": result[f"{name}_conflicts"] for name in CONTROLS}
        row["raw conflicts"] = raw.get("conflicts")
    else:
        allowed = RAW_MONO if asked.max_mono is None else asked.max_mono
        row |= {
            **{f"{name} k (mono<={allowed:g})": _hit_k(result, name) for name in CONTROLS},
            f"raw k* (mono<={allowed:g})": raw.get("k_star") if raw.get("k_star_hit") else None,
            "raw mono": raw.get("k_star_mono"),
        }
    if "certificate" in result:
        row["chi >="] = result["certificate"]["lower"]
    return row | {"seconds": round(sum(result["seconds"].values()), 3)}


def _hit_k(result: dict[str, Any], control: str) -> int | None:
    found: int | None = result[f"{control}_k"]
    return found if result[f"{control}_hit"] else None


def _missed(result: dict[str, Any], k: int | None) -> str:
    colors = "" if k is None else f" with at most {k} colors"
    weight = f" of weight {result['weight']:.10g}" if "weight" in result else ""
    return f"{result['conflicts']} conflicts{weight} are left{colors}"
