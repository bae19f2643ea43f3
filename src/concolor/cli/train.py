"""``concolor train``: from graphs to a model file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concolor.cli.common import (
    Device,
    Json,
    Quiet,
    Threads,
    finished,
    print_json,
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
from concolor.coloring import listed_colors
from concolor.errors import InputError
from concolor.files import read_json
from concolor.learning.ranks import together

if TYPE_CHECKING:
    from concolor.colorer import Colorer
    from concolor.graph.core import Graph
    from concolor.learning.hooks import TrainingEpoch
    from concolor.learning.model import History
    from concolor.learning.recipe import Recipe


def train(
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    graphs: Annotated[
        list[str] | None,
        typer.Argument(metavar="GRAPH", help="Files or families such as cycle:50."),
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="Data set (`concolor list datasets`) or folder of graphs.")
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="Name (`concolor list recipes`) or JSON file; default: default where all graphs "
            "have node features, else featureless."
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="MODEL",
            help="Go on with a trained model and its recipe: a name (`concolor list models`) "
            "or file.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the recipe.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="JSON with your own proper colorings, as `color --json` prints them."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the run; default: the recipe's.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds; then save what there is.")
    ] = None,
    curve: Annotated[
        Path | None, typer.Option(help="Draw the training curve with its bound: .svg or .png.")
    ] = None,
    validate: Annotated[
        bool,
        typer.Option(
            "--validate",
            help="Say during training how the model does on graphs that it is not trained on.",
        ),
    ] = False,
    validate_every: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="After every N epochs; default: ever more rarely."),
    ] = None,
    tensorboard: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write event files for TensorBoard there.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on from what a stopped run left behind."),
    ] = False,
    device: Device = "auto",
    amp: Annotated[
        bool, typer.Option("--amp", help="Mixed precision: 16 bits in products; needs a GPU.")
    ] = False,
    threads: Threads = None,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a model on graphs and write it to OUTPUT.

    Ctrl-C saves what there is; --resume goes on as if nothing had happened. With --from every fifth
    graph is held out, and what is saved is the state with the fewest conflicts on these, be it the
    one it began with; --set held_out=0 trains on all and saves the last. --validate takes the data
    set's own graphs to choose settings by where it has some, and else holds out every fifth graph;
    it chooses nothing. Workers search the labels of the graphs; the training itself is one process,
    or as many as torchrun starts: these divide the graphs of each step, learn what one would, and
    the first writes.

    \b
    Examples:
      concolor train --data cycles --recipe cycles -o m.safetensors
      concolor train --data cora-subgraphs --set encoder=gcn -o m.safetensors
      concolor train jobs/*.col --set epochs=200 -o m.safetensors --curve curve.svg
      concolor train jobs/*.col --validate --tensorboard runs/jobs -o m.safetensors
      concolor train jobs/*.col --set labels=tabucol --workers 2 -o m.safetensors
      concolor train jobs/*.col --from general --set epochs=5 -o jobs.safetensors
      torchrun --nproc-per-node 2 -m concolor train jobs/*.col -o m.safetensors
    """
    checkpoint = output.parent / f"{output.name}.checkpoint"
    for path in (output, checkpoint):
        check_writable(path)
    if curve is not None:
        check_picture(curve, "a curve")
    if recipe is not None and start is not None:
        raise InputError("--from brings its own recipe: leave --recipe out, and change it by --set")
    with together(device) as ranks:
        quiet = quiet or not ranks.is_first
        earlier = None if start is None else _trained(start)
        base = _base(recipe, earlier)
        wanted = [*(changes or []), *([] if seed is None else [f"seed={seed}"])]
        training = training_graphs(graphs or [], data, graph_seed(base, wanted), quiet)
        why = ""
        if base is None:
            base, why = suited_recipe(training)
        chosen = base.parsed(wanted)
        if earlier is not None and len(training) < chosen.held_out:
            why = f"fewer than {chosen.held_out} graphs: none is held out, the last state is saved"
        given = None if labels is None else _labels(labels)
        judged: tuple[Graph, ...] = ()
        if validate or validate_every is not None:
            training, given, judged = set_apart(
                training, given, data, chosen, goes_on=earlier is not None
            )

        from concolor.colorer import Colorer  # imports torch
        from concolor.learning.validation import Validator

        ranks.device(device, amp=amp)  # refused before anything is said
        set_threads(threads)
        if why:
            say(why, quiet=quiet)
        hook = _Watch(tensorboard)
        with (
            executor_of(workers, cluster) as executor,
            progress_bar("training", quiet=quiet) as update,
        ):
            colorer, interrupted = finished(
                lambda: Colorer(chosen).fit(
                    training,
                    labels=given,
                    start=earlier,
                    device=device,
                    amp=amp,
                    ranks=ranks,
                    executor=executor,
                    time_limit=time_limit,
                    checkpoint=checkpoint,
                    resume=resume,
                    progress=lambda p: update(
                        p.step, p.steps, f"loss {p.loss:.4f} (bound {p.bound:.4f}){hook.word}"
                    ),
                    hook=hook,
                    validator=Validator(judged, every=validate_every) if judged else None,
                )
            )
            hook.close()
        if ranks.is_first:
            _write(colorer, output, curve, checkpoint)
            found = {"model": str(output), "graphs": len(training), **_result(colorer)}
            _tell(found | {"validation": hook.figures}, as_json)
    raise typer.Exit(130 if interrupted else 0)


class _Watch:
    """The hook of the command: keeps validation figures, and writes event files where asked."""

    def __init__(self, folder: Path | None) -> None:
        from concolor.learning.hooks import TensorBoard

        self.figures: list[dict[str, float]] = []
        self._board = None if folder is None else TensorBoard(folder)

    def __call__(self, at: TrainingEpoch) -> None:
        if at.validation is not None:
            self.figures.append({"epoch": at.epoch, **asdict(at.validation)})
        if self._board is not None:
            self._board(at)

    @property
    def word(self) -> str:
        """The latest figures, for the line of progress."""
        return f", {_validated(self.figures[-1])}" if self.figures else ""

    def close(self) -> None:
        if self._board is not None:
            self._board.close()


def _validated(figures: dict[str, float]) -> str:
    return (
        f"rho {figures['rho']:.3f}, k {figures['k']:.2f}, conflicts {figures['mono']:.2%}, "
        f"reached on {figures['hit']:.0%} after epoch {figures['epoch']}"
    )


def _write(colorer: Colorer, output: Path, curve: Path | None, checkpoint: Path) -> None:
    """The model and its curve; the checkpoint goes where there is nothing to go on with."""
    colorer.save(output)
    if curve is not None:
        from concolor.viz import training_curve

        training_curve(colorer.model.history).save(curve)
    if not colorer.model.history.stopped:
        checkpoint.unlink(missing_ok=True)


def _tell(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(result)
    else:
        print(f"{result['model']}: {_summary(result)}", flush=True)


def _result(colorer: Colorer) -> dict[str, Any]:
    """What is printed of a trained model."""
    model, history = colorer.model, colorer.model.history
    return {
        "params": sum(p.numel() for p in model.network.parameters()),
        "loss": history.losses[-1] if history.losses else None,
        "bound": history.bound,
        "steps": history.steps,
        "seconds": {"train": history.seconds},
        "stopped": history.stopped,
        "held_out": None if history.kept is None else _judged(history),
        "seed": model.recipe.seed,
        "recipe": model.recipe.to_dict(),
    }


def _judged(history: History) -> dict[str, Any]:
    """What the held-out graphs said."""
    return {
        "graphs": history.judged,
        "kept": history.kept,
        "before": history.before,
        "after": history.after,
    }


def _summary(result: dict[str, Any]) -> str:
    loss = "none" if result["loss"] is None else f"{result['loss']:.4f}"
    why = f" ({result['stopped']}; --resume goes on)" if result["stopped"] else ""
    seen = f"\nvalidation: {_validated(result['validation'][-1])}" if result["validation"] else ""
    return (
        f"{result['params']} parameters, loss {loss} (bound {result['bound']:.4f}), "
        f"{result['steps']} steps in {result['seconds']['train']:.1f} s{why}{_choice(result)}{seen}"
    )


def _choice(result: dict[str, Any]) -> str:
    """Which epoch was kept, and what for."""
    held = result["held_out"]
    if held is None:
        return ""
    before, after = f"{held['before']:.2%}", f"{held['after']:.2%}"
    graphs = f"{held['graphs']} held-out graph{'s'[: held['graphs'] != 1]}"
    if not held["kept"]:
        return f"\nthe start was best: nothing gained on {graphs}, conflicts {before}"
    return f"\nkept epoch {held['kept']}: conflicts on {graphs} {before} -> {after}"


def _trained(model: str) -> Colorer:
    from concolor.models import load  # imports torch

    return load(model)


def _base(name: str | None, earlier: Colorer | None) -> Recipe | None:
    """The recipe that was asked for; None where the graphs are to decide."""
    if earlier is not None:
        return earlier.recipe
    return None if name is None else recipe_of(name)


def _labels(path: Path) -> list[list[int]]:
    """The colors of one object with ``colors``, or of a list of them."""
    found = read_json(path, (dict, list))
    return [listed_colors(entry, path) for entry in ([found] if isinstance(found, dict) else found)]
