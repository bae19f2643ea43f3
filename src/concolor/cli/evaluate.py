"""``concolor eval``: a model on a data set, beside the null and the eigenvectors alone."""

from __future__ import annotations

import sys
import time
from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from concolor.cli.common import (
    Device,
    Json,
    Quiet,
    Seed,
    Threads,
    doubts_told,
    finished,
    print_json,
    print_table,
    progress_bar,
    say,
    set_threads,
)
from concolor.cli.fleets import Cluster, WorkerCount, executor_of
from concolor.cli.listing import GUIDED
from concolor.errors import UnknownName, pick

if TYPE_CHECKING:
    from concolor.evaluation import Evaluation


def evaluate(
    model: Annotated[str, typer.Argument(help="A shipped model, or a file of `concolor train`.")],
    data: Annotated[
        str, typer.Option(help="Data set (`concolor list datasets`) or folder of graphs.")
    ],
    split: Annotated[
        str | None, typer.Option(help="Which graphs of it; default: all that are for testing.")
    ] = None,
    max_mono: Annotated[
        float, typer.Option(min=0, max=1, help="Allowed fraction of monochromatic edges.")
    ] = 0.05,
    k_max: Annotated[
        int | None, typer.Option(min=1, help="Most colors tried; default: the data set's.")
    ] = None,
    decoder: Annotated[
        str | None, typer.Option(help="See `concolor list decoders`; default: the model's.")
    ] = None,
    passes: Annotated[
        int | None, typer.Option(min=1, help="Passes of line canonicalization; the model's.")
    ] = None,
    seed: Seed = 0,
    device: Device = "auto",
    threads: Threads = None,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Decode every test graph with growing k until few enough edges are monochromatic.

    rho is k over the colors of DSATUR. The null beside it is the best of ten random balanced
    colorings under the same rule: a model that does not beat it shows nothing. So is spectral, the
    lowest eigenvectors without any training: a model should beat these, too. Ctrl-C prints the
    graphs that are done.

    \b
    Example:
      concolor eval m.safetensors --data cora-subgraphs --json --workers 2
    """
    from concolor.graph.datasets import dataset

    if decoder in ("guided", "unguided"):
        raise UnknownName(f"--decoder is for the sweep over k, got {decoder!r}: {GUIDED}")
    with doubts_told(quiet=quiet):
        chosen = dataset(data)
    graphs = chosen.test if split is None else pick(chosen.splits, split, f"split of {data}")

    from concolor.evaluation import evaluate as run
    from concolor.models import load  # imports torch

    set_threads(threads)
    colorer = load(model, device=device)
    started, done = time.monotonic(), count(1)
    with (
        executor_of(workers, cluster, threads=threads) as executor,
        progress_bar("evaluating", quiet=quiet) as update,
    ):
        result, interrupted = finished(
            lambda: run(
                colorer,
                graphs,
                max_mono=max_mono,
                k_max=k_max or chosen.k_max,
                seed=seed,
                decoder=decoder,
                passes=passes,
                progress=lambda score: update(next(done), len(graphs), score.graph),
                executor=executor,
            )
        )
    if interrupted:
        say(f"{len(result.scores)} of {len(graphs)} graphs are done", quiet=quiet)
    for one in result.failed:
        print(f"concolor: {one.graph}: {one.error}", file=sys.stderr)
    seconds = {"evaluate": time.monotonic() - started}
    if as_json:
        about = {"model": model, "data": data, "seed": seed, "seconds": seconds}
        print_json({**about, **result.to_dict()})
    else:
        _print(result)
    raise typer.Exit(130 if interrupted else 2 if result.failed else 0)


def _print(result: Evaluation) -> None:
    from concolor.evaluation import CONTROLS

    names = ["graph", "n", "m", "k", "mono", "hit", "rho", "dsatur", "chi"]
    names += [f"{control}_{name}" for control in CONTROLS for name in ("k", "mono", "hit")]
    print_table(names, [[getattr(score, name) for name in names] for score in result.scores])
    for title, prefix in (("model", ""), *((control, f"{control}_") for control in CONTROLS)):
        words = [
            f"{name} {result.mean(prefix + name):.4f} ± {result.std(prefix + name):.4f}"
            for name in ("k", "mono", "rho", "hit")
        ]
        print(f"{title:10}{', '.join(words)}")
