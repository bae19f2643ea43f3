"""What the commands that train share: graphs, recipes, and what is held out of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from concolor.cli.common import doubts_told, load_graph
from concolor.errors import InputError

if TYPE_CHECKING:
    from concolor.graph.core import Graph
    from concolor.learning.recipe import Recipe


def training_graphs(words: list[str], data: str | None, seed: int, quiet: bool) -> list[Graph]:
    if bool(words) == (data is not None):
        raise InputError("give graphs or --data NAME, one of the two")
    if data is not None:
        from concolor.graph.datasets import dataset

        with doubts_told(quiet=quiet):
            return list(dataset(data).train)
    return [load_graph(word, seed, quiet=quiet) for word in words]


def set_apart(
    graphs: list[Graph],
    labels: list[list[int]] | None,
    data: str | None,
    recipe: Recipe,
    *,
    goes_on: bool = False,
) -> tuple[list[Graph], list[list[int]] | None, tuple[Graph, ...]]:
    """Graphs to train on and their labels, and those to judge by.

    Args:
        goes_on: From a model: then training takes them out by itself, and chooses by them.
    """
    from concolor.graph.validation import validation_graphs
    from concolor.learning.judge import held_out

    own = validation_graphs(data) if data is not None else ()
    if own:
        return graphs, labels, own
    places = held_out(graphs, recipe.held_out)
    if not places:
        raise InputError(
            f"of {len(graphs)} graphs none can be held out to judge by (held_out="
            f"{recipe.held_out}: every so many-th): give more, or set held_out=2"
        )
    kept = tuple(graphs[i] for i in places)
    if goes_on:
        return graphs, labels, kept
    rest = [i for i in range(len(graphs)) if i not in set(places)]
    taught = None if labels is None else [labels[i] for i in rest]
    return [graphs[i] for i in rest], taught, kept


def recipe_of(name: str) -> Recipe:
    from concolor.learning.recipe import Recipe

    return Recipe.load(name) if name.endswith(".json") or "/" in name else Recipe.named(name)


def suited_recipe(graphs: Sequence[Graph]) -> tuple[Recipe, str]:
    """The recipe for these graphs, and why it is this one."""
    from concolor.learning.recipe import Recipe, suited

    bare, name = sum(graph.x is None for graph in graphs), suited(graphs)
    if not bare:
        return Recipe.named(name), f"recipe {name}: all graphs have node features"
    why = f"{bare} of {len(graphs)} graphs have no node features"
    more = "--from general learns faster: it goes on from the shipped model"
    return Recipe.named(name), f"recipe {name}: {why} ({more})"


def graph_seed(base: Recipe | None, changes: Sequence[str]) -> int:
    """The seed that families are drawn by, before the graphs have decided on a recipe."""
    from concolor.learning.recipe import Recipe

    return (base or Recipe()).parsed([word for word in changes if word.startswith("seed=")]).seed


def check_picture(path: Path, what: str) -> None:
    """Refuse, before the work, a picture that could not be written after it."""
    from concolor.viz.picture import SUFFIXES

    check_writable(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: {what} is drawn as {' or '.join(SUFFIXES)}")


def check_writable(path: Path) -> None:
    """Refuse before the training what could not be written after it; folders may be missing."""
    if os.path.isdir(path):
        raise InputError(f"{path}: a folder, expected the file to write: name one in it")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path}: cannot be written, it is not a regular file")
    above = next(p for p in Path(os.path.realpath(path)).parents if os.path.exists(p))
    if not os.path.isdir(above):
        raise InputError(f"{path}: cannot be written, {above} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"{path}: cannot be written, no permission to write to {above}")
