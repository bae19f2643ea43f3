"""Model files: safetensors with the recipe as JSON in the header. No torch here.

Loading runs no code of the file. What it names is looked up in our registries and among the entry
points that installed packages offer by that name; nothing else is imported. Functions of the user's
own in a recipe are stored by their spelling, and must be given again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from concolor.errors import ModelError
from concolor.features import FeatureMap
from concolor.files import write_atomically
from concolor.learning.recipe import Settled

MODEL, STATE = "concolor-model-1", "concolor-state-1"  # kinds of file
Arrays: TypeAlias = dict[str, NDArray[Any]]


class Stored(NamedTuple):
    """What a model file holds: all but the network itself is ready for use."""

    recipe: Settled
    features: FeatureMap
    weights: Arrays  # of the network, by name
    about: dict[str, Any]


def stored_model(path: Path, own: Mapping[str, object | None] | None = None) -> Stored:
    """Read a model file; anything else is a :class:`ModelError`.

    Args:
        own: What stands in for the functions of a user's own that the recipe only names.
    """
    about, arrays = read(path, MODEL)
    values = _with_own(path, about.get("recipe"), own or {})
    with fitting(path):
        recipe = Settled.from_dict(values)
        if about["features"]["name"] != about["recipe"]["features"]:
            raise ValueError("the features of the recipe are not those of the network")
        features = FeatureMap.rebuild(
            recipe.features,
            int(about["features"]["channels"]),
            under(arrays, "features."),
            unit_words=recipe.unit_words,
        )
    return Stored(recipe, features, under(arrays, "network."), about)


@contextmanager
def fitting(path: Path) -> Iterator[None]:
    """Whatever goes wrong inside, the header of the file and its weights do not fit."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise ModelError(f"{path}: the header and the weights do not fit: {reason}") from error


def _with_own(path: Path, stored: Any, own: Mapping[str, object | None]) -> dict[str, Any]:
    """The fields of a stored recipe with the user's own functions in place."""
    if not isinstance(stored, dict):
        raise ModelError(f"{path}: the header and the weights do not fit: the recipe is {stored!r}")
    for name in ("encoder", "features", "labels", "decoder"):
        spelling = stored.get(name)
        if own.get(name) is None and isinstance(spelling, str) and ":" in spelling:
            raise ModelError(
                f"{path}: its {name} is a function of whoever trained it, {spelling}, which a "
                f"model file cannot hold; give it again: load_model(path, {name}=...)"
            )
    return {**stored, **{name: given for name, given in own.items() if given is not None}}


def write(
    path: Path, kind: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write one file; a reader sees the old one or the new one, never a half."""
    whole = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    write_atomically(path, save(whole, metadata={"kind": kind, "about": json.dumps(about)}))


def read(path: Path, kind: str) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file of that kind; anything else is refused."""
    if path.is_dir():
        raise ModelError(f"{path}: a folder, expected a model file")
    if not path.is_file():
        raise ModelError(f"{path}: no such model file; `concolor train ... -o {path}` makes one")
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        about = json.loads(header["about"]) if header.get("kind") == kind else None
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path}: not a whole safetensors file ({error})") from error
    if not isinstance(about, dict):
        raise ModelError(f"{path}: not a {kind} file but {header.get('kind', 'something else')!r}")
    if not all(bool(np.isfinite(array).all()) for array in arrays.values()):
        raise ModelError(f"{path}: holds weights that are not finite")
    return about, arrays


def under(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """The arrays whose names begin so, without it."""
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
