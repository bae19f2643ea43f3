"""``concolor list``: the names that other commands take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from concolor.cli.common import Json, Quiet, Seed, print_json, print_table, say
from concolor.errors import pick
from concolor.registry import first_line, installed

GUIDED = (
    "guided and its control unguided are proper by construction, without a sweep over k; "
    "`concolor color` begins with guided, Python has both in concolor.decoding"
)


def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            help="encoders, pipelines, features, decoders, solvers, datasets, families, formats, "
            "labels, models, recipes or tables."
        ),
    ],
    in_channels: Annotated[
        int | None, typer.Option(min=1, help="encoders: count the parameters for this input width.")
    ] = None,
    pipeline: Annotated[
        str, typer.Option(help="encoders: count the heads of this pipeline.")
    ] = "v1",
    slots: Annotated[int, typer.Option(min=1, help="encoders: color slots of the v2 head.")] = 5,
    as_json: Json = False,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """List names with a word on each.

    \b
    Example:
      concolor list encoders --in-channels 1433 --json
    """
    if kind == "encoders" and in_channels is not None:
        names: dict[str, Any] = _parameters(in_channels, pipeline, slots)
    else:
        names = pick(KINDS, kind, "kind of names")()
    if as_json:
        print_json(names)
    else:
        print_table([kind, ""], list(names.items()))
        if kind == "decoders":
            say(GUIDED, quiet=quiet)


def _parameters(in_channels: int, pipeline: str, slots: int) -> dict[str, int]:
    """Name -> number of trainable parameters, built without memory for them."""
    import torch

    from concolor.learning.model import Network
    from concolor.learning.recipe import Recipe

    def count(name: str) -> int:
        with torch.device("meta"):
            network = Network(Recipe(encoder=name, pipeline=pipeline), in_channels, slots)
        return sum(p.numel() for p in network.parameters())

    return {name: count(name) for name in KINDS["encoders"]()}


def _docs(home: str, table: str) -> Callable[[], dict[str, str]]:
    """Name -> one line, from a registry whose entries carry ``doc``."""

    def docs() -> dict[str, str]:
        from importlib import import_module

        registry = getattr(import_module(f"concolor.{home}"), table)
        return {name: entry.doc for name, entry in registry.items()}

    return docs


def _encoders() -> dict[str, str]:
    from concolor.encoders import ENCODERS, encoder_of

    return _with_installed("encoder", {name: encoder_of(name).doc for name in ENCODERS})


def _features() -> dict[str, str]:
    from concolor.features import FEATURES, feature_of

    return _with_installed("features", {name: feature_of(name).doc for name in FEATURES})


def _decoders() -> dict[str, str]:
    from concolor.decoding.cluster import DECODERS, decoder_of

    return _with_installed("decoder", {name: decoder_of(name).doc for name in DECODERS})


def _labels() -> dict[str, str]:
    from concolor.learning.labels import LABELERS, labeler_of

    return _with_installed("labels", {name: first_line(labeler_of(name)) for name in LABELERS})


def _with_installed(kind: str, own: dict[str, str]) -> dict[str, str]:
    """The same and what installed packages offer: where that comes from, as it is not imported."""
    offered = installed(kind).items()
    return own | {
        name: f"from the installed {entry.value}" for name, entry in offered if name not in own
    }


def _recipes() -> dict[str, str]:
    from concolor.learning.recipe import RECIPES

    return {name: recipe.describe() for name, recipe in RECIPES.items()}


def _models() -> dict[str, str]:
    from concolor.models import shipped

    return shipped()


def _tables() -> dict[str, str]:
    from concolor.experiments.tables import TABLES

    return {name: table.title for name, table in TABLES.items()}


KINDS: dict[str, Callable[[], dict[str, str]]] = {
    "encoders": _encoders,
    "pipelines": _docs("learning.recipe", "PIPELINES"),
    "features": _features,
    "decoders": _decoders,
    "solvers": _docs("solvers", "SOLVERS"),
    "datasets": _docs("graph.datasets", "DATASETS"),
    "families": _docs("graph.families", "FAMILIES"),
    "formats": _docs("graph.formats", "FORMATS"),
    "labels": _labels,
    "models": _models,
    "recipes": _recipes,
    "tables": _tables,
}
