"""Models that come with the package: ``<name>.md``, a card, and ``<name>.safetensors``.

Only ``spectral`` has no weights: :mod:`concolor.models.spectral`.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from concolor.errors import ModelError, UnknownName, needing_torch, pick
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.structure import triangles
from concolor.learning.embedder import Embedder, load_embedder
from concolor.models.spectral import untrained

if TYPE_CHECKING:
    from concolor.colorer import Colorer
    from concolor.learning.model import Model

DEFAULT, WITHOUT_WEIGHTS = "general", "spectral"
LIGHT = "light"  # a little weaker and many times faster: benchmarks/value.md
SPARSE = "sparse"  # the same network with weights for few neighbors
FEW = 10.5  # mean degree up to which these are better: no family trained on lies just above
OVERLAP = "overlap"  # the same network with weights for what overlaps: intervals, disks
CLOSED = 0.4  # of the pairs of neighbors, beyond chance, and
TRIANGLES = 3.5  # of an edge, from which on these are better
LARGE = 100_000  # nodes and edges from which one waits seconds for the default
FLEET = 100  # graphs from which one waits for it as well


def suited(graph: Graph, among: int = 1) -> str:
    """The shipped model that colors a graph where none is named.

    Args:
        among: How many graphs there are to color.

    >>> from concolor.graph.families import family
    >>> suited(family("queen:8x8")), suited(family("queen:8x8"), among=1000)
    ('general', 'light')
    >>> suited(family("interval:100x8"), among=1000)
    'overlap'
    """
    if graph.n + graph.m <= LARGE and among < FLEET:
        return DEFAULT
    closed, of_an_edge = triangles(graph)
    if closed >= CLOSED and of_an_edge >= TRIANGLES:
        return OVERLAP
    return SPARSE if 2 * graph.m <= FEW * graph.n else LIGHT


@cache
def shipped() -> dict[str, str]:
    """Name -> the first line of its card."""
    cards = (item.name for item in files(__name__).iterdir() if item.name.endswith(".md"))
    names = sorted(name.removesuffix(".md") for name in cards)
    return {name: card(name).splitlines()[0].lstrip("# ") for name in names}


def card(name: str) -> str:
    """What a shipped model was trained on, if at all, what it is good for, and its limits."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


def load(model: str | Path = DEFAULT, *, device: str = "auto") -> Colorer:
    """A model by name, or from a file that ``Colorer.save`` wrote.

    The name of a shipped model is that model, whatever lies in the working directory. Text with a
    suffix or a separator, and a ``Path``, is a file: ``"./general"``.
    """
    with needing_torch():
        from concolor.colorer import Colorer

    where = located(model)
    if isinstance(where, Path):
        return Colorer.load(where, device=device)
    return Colorer.of(_shipped(where, device))


def embedder(
    model: str | Path = DEFAULT, *, device: str = "auto", clock: Clock | None = None
) -> Embedder | None:
    """The same for embedding alone, which needs no torch where its encoder is compiled.

    None where it needs torch, and the clock leaves no time to load that.
    """
    where = located(model)
    if isinstance(where, str):
        return _shipped_embedder(where, device)
    key = (where.resolve(), where.stat().st_mtime_ns, device)
    if key not in _opened:
        found = load_embedder(where, device=device, clock=clock)
        if found is None:
            return None
        _opened.clear()  # the last file is enough: a fleet is colored with one model
        _opened[key] = found
    return _opened[key]


_opened: dict[tuple[Path, int, str], Embedder] = {}


def located(model: str | Path) -> str | Path:
    """The name of a shipped model, or the file that holds one; anything else is refused."""
    known, path = shipped(), Path(model)
    is_name = isinstance(model, str) and path.name == model and not path.suffix
    if not is_name and os.path.isdir(path):
        raise ModelError(f"{path}: a folder, expected a model file or one of {', '.join(known)}")
    if not is_name or (model not in known and path.is_file()):
        if not path.is_file():
            raise ModelError(
                f"{path}: no such model file; `concolor train ... -o {path}` makes one"
            )
        return path
    try:
        pick(known, str(model), "model")
    except UnknownName as problem:
        raise UnknownName(f"{problem} A file is a model, too.") from None
    return str(model)


@cache
def _shipped(name: str, device: str) -> Model:
    """The model, read once; nothing changes it, and every caller gets a colorer of its own."""
    from concolor.learning.checkpoint import load_model  # imports torch
    from concolor.learning.model import History, Model, Network

    if name == WITHOUT_WEIGHTS:
        model = untrained()
        network = Network(model.recipe, model.features.channels, slots=1)
        return Model(model.recipe, model.features, network, 1, History())
    with as_file(files(__name__).joinpath(f"{name}.safetensors")) as path:
        return load_model(path, device=device)


@cache
def _shipped_embedder(name: str, device: str) -> Embedder | None:
    if name == WITHOUT_WEIGHTS:
        return untrained()
    with as_file(files(__name__).joinpath(f"{name}.safetensors")) as path:
        return load_embedder(path, device=device)
