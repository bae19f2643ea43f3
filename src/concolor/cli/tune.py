"""``concolor tune``: search for a recipe on graphs that it is not trained on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from concolor.cli.common import (
    Device,
    Json,
    Quiet,
    Seed,
    finished,
    print_json,
    print_table,
    progress_bar,
    say,
    set_threads,
)
from concolor.cli.fleets import Cluster, WorkerCount, executor_of
from concolor.cli.training import (
    check_picture,
    check_writable,
    graph_seed,
    recipe_of,
    set_apart,
    suited_recipe,
    training_graphs,
)

if TYPE_CHECKING:
    from concolor.graph.core import Graph
    from concolor.learning.recipe import Recipe
    from concolor.tuning.study import Tuning


def tune(
    graphs: Annotated[
        list[str] | None,
        typer.Argument(metavar="GRAPH", help="Files or families such as cycle:50."),
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="Data set (`concolor list datasets`) or folder of graphs.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the best recipe as JSON, for train --recipe."),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(help="What is not searched: name or JSON file; default: as for train."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change the recipe to start from."),
    ] = None,
    space: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="Search a field among these: tau=0.1..0.5:log, layers=2..4, encoder=gcn,gat.",
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="KEYS", help="Search only these fields, with commas between."),
    ] = None,
    objective: Annotated[
        Literal["rho", "k"],
        typer.Option(help="Colors over DSATUR's, or plain colors, within the allowed conflicts."),
    ] = "rho",
    max_mono: Annotated[
        float, typer.Option(min=0, max=1, help="The allowed fraction of conflicts.")
    ] = 0.05,
    trials: Annotated[
        int, typer.Option(min=1, help="Recipes to try, those in the storage included.")
    ] = 20,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds; then the best so far.")
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="Keep the search there; the same command goes on with it.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw which fields mattered: .svg or .png.")
    ] = None,
    seed: Seed = 0,
    device: Device = "cpu",
    threads: Annotated[int, typer.Option(min=1, help="Threads of torch.")] = 1,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search for the recipe that needs the fewest colors on graphs it is not trained on.

    Each trial trains a recipe and decodes graphs that no table uses: those that the data set has to
    choose by, else every fifth of the graphs. A trial that falls behind the median is given up. The
    first is the recipe to start from, so what is found is no worse on these graphs. How much of
    that is luck, only other graphs and seeds say: `concolor train --recipe`, then `concolor eval`.

    Searched are pipeline, tau, form, hidden, layers, dropout, lr, and where they matter heads,
    expander_degree, lambda_soft, degree_power, tau_soft and passes; --space adds any other field
    (encoder, features, feature_dim, ...) or other values, a single one to fix it.

    Ctrl-C keeps the search, and with --storage the same command goes on with it.

    \b
    Examples:
      concolor tune --data cora-subgraphs --trials 5
      concolor tune jobs/*.col --set epochs=20 --storage jobs.study -o best.json
      concolor tune --data cora-subgraphs --space encoder=gcn,gat,gated_gcn --only encoder,tau,lr
      concolor tune --data cycles --space pipeline=v1abs --trials 40 --workers 2 --plot i.svg
      concolor train --data cora-subgraphs --recipe best.json -o m.safetensors
    """
    if output is not None:
        check_writable(output)
    if plot is not None:
        check_picture(plot, "importance")
    base = None if recipe is None else recipe_of(recipe)
    known = training_graphs(graphs or [], data, graph_seed(base, changes or []), quiet)
    if base is None:
        base, why = suited_recipe(known)
        say(why, quiet=quiet)
    base = base.parsed(changes or [])
    taught, _, judged = set_apart(known, None, data, base)
    set_threads(threads)
    with (
        executor_of(workers, cluster, threads=threads) as executor,
        progress_bar("trials", quiet=quiet) as update,
    ):
        update(0, trials, "")

        def show(found: Tuning, asked: int) -> None:
            update(len(found.trials), asked, _so_far(found))

        from concolor.tuning import narrowed
        from concolor.tuning.study import tune as search

        found, interrupted = finished(
            lambda: search(
                taught,
                validation=judged,
                base=base,
                space=narrowed(space or [], only=None if only is None else only.split(",")),
                objective=objective,
                trials=trials,
                time_limit=time_limit,
                storage=storage,
                seed=seed,
                max_mono=max_mono,
                k_max=_most(data, known),
                device=device,
                executor=executor,
                progress=show,
            )
        )
    if output is not None:
        found.recipe.save(output)
    if plot is not None:
        _draw(found, plot, quiet)
    if as_json:
        print_json({**found.to_dict(), "graphs": len(taught), "validation": len(judged)})
    else:
        _print(found, len(judged), base)
    raise typer.Exit(130 if interrupted else 0)


def _so_far(found: Tuning) -> str:
    done = [trial for trial in found.trials if trial.state == "complete"]
    return f"{found.objective} {found.best.value:.4f}" if done else "none complete yet"


def _most(data: str | None, graphs: list[Graph]) -> int:
    """The most colors to try: those of the data set."""
    from concolor.graph.datasets import DATASETS
    from concolor.sweeps import K_MAX

    return DATASETS[data].k_max if data in DATASETS else K_MAX


def _draw(found: Tuning, plot: Path, quiet: bool) -> None:
    from concolor.viz import importance_bars

    if found.importance:
        importance_bars(found.importance).save(plot)
    else:
        say(f"{plot} is not drawn: too few trials are complete to say what mattered", quiet=quiet)


def _print(found: Tuning, judged: int, base: Recipe) -> None:
    names = list(dict.fromkeys(name for trial in found.trials for name in trial.settings))
    rows: list[list[Any]] = [
        [t.number, t.state, t.value, t.epochs, round(t.seconds, 1)]
        + [t.settings.get(name) for name in names]
        for t in found.trials
    ]
    print_table(["trial", "", found.objective, "epochs", "CPU s", *names], rows)
    best, first = found.best, found.trials[0]
    beside = ""
    if first.state == "complete" and first.number == 0:
        beside = f", the first trial had {first.value:.4f}"
    print(
        f"best: trial {best.number}, {found.objective} {best.value:.4f} on {judged} graphs{beside}"
    )
    print(f"recipe: {found.recipe.describe()}")
    if found.importance:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in found.importance.items())
        print(f"what mattered: {shares}")
    if found.stopped:
        print(f"stopped: {found.stopped}")
