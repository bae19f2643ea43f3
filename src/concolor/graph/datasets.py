"""Named collections of graphs, and where their files are looked for.

Files are searched in ``$CONCOLOR_DATA``, then in ``$XDG_CACHE_HOME/concolor`` (by default
``~/.cache/concolor``):

- ``planetoid/{cora,citeseer,pubmed}.npz``: ``edge_index [2, m]``, and the bag of words as the parts
  of a CSR matrix, ``x_data, x_indices, x_indptr, x_shape``; no pickles. What is missing is
  downloaded through PyTorch Geometric, where there is a network, and kept in the cache.
- ``color/{huck,jean,anna,david,homer}.col``: DIMACS; chromatic numbers in ``color/known.csv``.

Nothing is read before :func:`dataset` is called, and every call reads anew.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from concolor.errors import (
    DataNotFound,
    FormatError,
    InputError,
    UnknownName,
    needing_torch,
    pick,
)
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.formats import FORMATS, read, write
from concolor.graph.sampling import sample_subgraphs, split_centers

Splits: TypeAlias = Mapping[str, tuple[Graph, ...]]


@dataclass(frozen=True, repr=False)
class Dataset:
    """Graphs to train on and to be judged by.

    Attributes:
        name: The name in :data:`DATASETS`, or the folder.
        k_max: The largest k that the decoder may try.
        splits: Graphs by the name of their split; ``"train"`` is always there.
        evaluated: The splits that tables report.
    """

    name: str
    k_max: int
    splits: Splits
    evaluated: tuple[str, ...] = ("test",)

    @property
    def train(self) -> tuple[Graph, ...]:
        """The graphs to train on."""
        return self.splits["train"]

    @property
    def test(self) -> tuple[Graph, ...]:
        """All evaluated graphs, split after split."""
        return tuple(chain.from_iterable(self.splits[split] for split in self.evaluated))

    def __repr__(self) -> str:
        sizes = ", ".join(f"{split}={len(graphs)}" for split, graphs in self.splits.items())
        return f"Dataset({self.name!r}, {sizes})"


@dataclass(frozen=True)
class DatasetSpec:
    """An entry of :data:`DATASETS`: what it is, and how to load it when it is asked for."""

    doc: str
    k_max: int
    load: Callable[[], Splits]
    evaluated: tuple[str, ...] = ("test",)


def dataset(name: str) -> Dataset:
    """The data set of that name, or all graph files of a folder, sorted by name.

    A folder is its own test: ``train`` and ``test`` both hold all of it.

    >>> dataset("color-myciel").splits["ood"]
    (Graph('myciel:8', n=383, m=7271),)
    """
    if name not in DATASETS and Path(name).is_dir():
        graphs = _folder(Path(name))
        return Dataset(name, 32, {"train": graphs, "test": graphs})
    try:
        spec = pick(DATASETS, name, "data set")
    except UnknownName as problem:
        raise UnknownName(f"{problem} A folder of graph files is a data set, too.") from None
    return Dataset(name, spec.k_max, spec.load(), spec.evaluated)


def _whole(name: str) -> Splits:
    graph = (_planetoid(name),)
    return {"train": graph, "test": graph}


def _subgraphs(name: str) -> Splits:
    """The paper samples 50 test graphs and evaluates the first 30: ``heldout`` and ``test``."""
    graph = _planetoid(name)
    train, test = split_centers(graph.n, seed=0)
    heldout = sample_subgraphs(graph, test, 50, seed=999)
    return {
        "train": tuple(sample_subgraphs(graph, train, 200, seed=123)),
        "test": tuple(heldout[:30]),
        "heldout": tuple(heldout),
    }


def _families(**specs: Iterable[str]) -> Splits:
    return {split: tuple(map(family, texts)) for split, texts in specs.items()}


def _general() -> Splits:
    """Graphs of many families; the tests come from other seeds, and some from other families."""
    drawn = {
        split: _mixed(count, seed) for split, count, seed in (("train", 60, 1), ("test", 4, 2))
    }
    known = {graph.digest for graph in drawn["train"]}  # few families have few members
    test = tuple(graph for graph in drawn["test"] if graph.digest not in known)
    return {"train": drawn["train"], "test": test, **_families(unseen=_UNSEEN)}


def _mixed(count: int, seed: int) -> tuple[Graph, ...]:
    """``count`` graphs of every kind in ``_MIX``, with 40 to 160 nodes or nearly so."""
    rng = np.random.default_rng(seed)
    kinds = list(_MIX.values()) * count
    specs = [kind(rng, int(rng.integers(40, 161))) for kind in kinds]
    return tuple(family(spec, seed=int(rng.integers(2**31))) for spec in specs)


def _parts(rng: np.random.Generator, n: int) -> str:
    count = int(rng.integers(3, 11))
    return "x".join(map(str, 1 + rng.multinomial(n - count, rng.dirichlet([2.0] * count))))


def _book() -> Splits:
    names = {"train": ("huck", "jean", "anna"), "id": ("david",), "ood": ("homer",)}
    return {split: tuple(map(_color, graphs)) for split, graphs in names.items()}


def _color(name: str) -> Graph:
    path = _find(f"color/{name}.col")
    if path is None:
        raise _missing(name, f"color/{name}.col", "a DIMACS file of the COLOR collection")
    return read(path).but(name=name, chi=_known_chi(path.parent).get(name))


def _folder(folder: Path) -> tuple[Graph, ...]:
    """Every file of a known format; ``known.csv`` holds chromatic numbers instead."""
    suffixes = tuple(chain.from_iterable(entry.suffixes for entry in FORMATS.values()))
    files = [
        path
        for path in sorted(folder.iterdir())
        if path.name.lower().removesuffix(".gz").endswith(suffixes)
        and path.is_file()
        and path.name != "known.csv"
        and not path.name.startswith(".")
    ]
    if not files:
        raise InputError(f"no graph files in {folder}; they end in {', '.join(suffixes)}")
    chi = _known_chi(folder)
    return tuple(graph.but(chi=chi.get(graph.name)) for graph in map(read, files))


def _known_chi(folder: Path) -> dict[str, int]:
    """Chromatic numbers by graph name, where ``known.csv`` has ``chi_lower = chi_upper``."""
    path = folder / "known.csv"
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    try:
        settled = [row for row in rows if row["chi_lower"] and row["chi_lower"] == row["chi_upper"]]
        return {row["name"]: int(row["chi_upper"]) for row in settled}
    except (KeyError, ValueError) as problem:
        expected = "columns name, chi_lower, chi_upper with whole numbers"
        raise FormatError(f"expected {expected}, stumbled over {problem}", path) from None


def _planetoid(name: str) -> Graph:
    """Citation graph with its bag of words as sparse features ``x [n, f]``."""
    path = _find(f"planetoid/{name}.npz")
    return _download(name) if path is None else read(path)


def _download(name: str) -> Graph:
    """Fetch through PyTorch Geometric, and keep what we read of it in the cache."""
    relative = f"planetoid/{name}.npz"
    try:
        with needing_torch():
            from torch_geometric.datasets import Planetoid

        with TemporaryDirectory() as folder:
            data = Planetoid(folder, name)[0]
    except Exception as problem:  # no network, no disk, no PyG: all end in the same advice
        what = f"the arrays that concolor.graph.datasets describes (no download: {problem})"
        raise _missing(name, relative, what) from problem
    edges = np.asarray(data.edge_index).T  # both directions
    x = sp.csr_array(np.asarray(data.x))
    graph = Graph.from_edges(len(data.x), edges[edges[:, 0] < edges[:, 1]], name=name, x=x)
    with suppress(InputError):  # a cache that cannot be written only costs time
        write(graph, _cache() / relative)
    return graph


def _missing(name: str, relative: str, what: str) -> DataNotFound:
    places = ", ".join(str(root / relative) for root in _roots())
    hint = "" if os.environ.get("CONCOLOR_DATA") else " (CONCOLOR_DATA is not set)"
    return DataNotFound(
        f"{name} is not at {places}{hint}; put there {what}, "
        f"or set CONCOLOR_DATA to a folder that has {relative}"
    )


def _find(relative: str) -> Path | None:
    return next((root / relative for root in _roots() if (root / relative).is_file()), None)


def _roots() -> list[Path]:
    given = os.environ.get("CONCOLOR_DATA")
    return [*([Path(given)] if given else []), _cache()]


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "concolor"


_QUEEN_TRAIN = ("queen:8x8", "queen:9x9", "queen:8x12", "queen:10x10", "queen:11x11", "queen:12x12")
_NAMED = (  # the paper's twenty small graphs besides long cycles
    *("complete:5", "complete:8", "complete:10"),
    *("bipartite:5x5", "bipartite:4x8", "bipartite:3x10"),
    *("wheel:11", "wheel:12", "wheel:13", "wheel:14"),
    *("petersen", "icosahedral", "kneser:7x2", "kneser:9x3", "kneser:10x3"),
    *("myciel:2", "myciel:3", "myciel:4", "myciel:5", "myciel:6"),
)

Draw: TypeAlias = Callable[[np.random.Generator, int], str]  # about how many nodes -> a spec
_MIX: dict[str, Draw] = {
    "er sparse": lambda rng, n: f"er:{n}x{rng.uniform(3, 12) / n:.5f}",
    "er dense": lambda rng, n: f"er:{n}x{rng.uniform(0.1, 0.5):.3f}",
    "geometric": lambda rng, n: f"geometric:{n}x{np.sqrt(rng.uniform(4, 24) / (np.pi * n)):.5f}",
    "watts": lambda rng, n: f"watts:{n}x{2 * rng.integers(2, 7)}x{rng.uniform(0.02, 0.5):.3f}",
    "barabasi": lambda rng, n: f"barabasi:{n}x{rng.integers(2, 9)}",
    "planted": lambda rng, n: f"planted:{n}x{rng.integers(3, 13)}x{rng.uniform(0.1, 0.6):.3f}",
    "regular": lambda rng, n: f"regular:{n // 2 * 2}x{rng.integers(3, 15)}",
    "exam": lambda rng, n: f"exam:{n}x{n * rng.integers(2, 7)}",
    "interval": lambda rng, n: f"interval:{n}x{rng.uniform(2, 12):.2f}",
    "queen": lambda rng, n: f"queen:{(rows := rng.integers(5, 10))}x{max(5, min(n // rows, 14))}",
    "torus": lambda rng, n: f"torus:{(rows := rng.integers(3, 13))}x{max(n // rows, 3)}",
    "multipartite": lambda rng, n: f"multipartite:{_parts(rng, n // 2 + 20)}",
    "cycle": lambda rng, n: f"cycle:{n}",
    "kneser": lambda rng, n: f"kneser:{rng.choice(('10x2', '11x2', '12x2', '14x2', '8x3', '9x3'))}",
}
_UNSEEN = (  # larger, and of families that training never shows
    *("queen:10x10", "queen:11x11", "queen:12x12", "myciel:5", "myciel:6", "myciel:7"),
    *("er:500x0.02", "cycle:301", "cycle:500", "hypercube:8", "wheel:100", "kneser:10x3"),
)

DATASETS: dict[str, DatasetSpec] = {
    "cora": DatasetSpec("the whole Cora graph", 16, partial(_whole, "cora")),
    "citeseer": DatasetSpec("the whole CiteSeer graph", 16, partial(_whole, "citeseer")),
    "pubmed": DatasetSpec("the whole PubMed graph", 16, partial(_whole, "pubmed")),
    "cora-subgraphs": DatasetSpec("2-hop subgraphs of Cora", 20, partial(_subgraphs, "cora")),
    "citeseer-subgraphs": DatasetSpec(
        "2-hop subgraphs of CiteSeer", 20, partial(_subgraphs, "citeseer")
    ),
    "pubmed-subgraphs": DatasetSpec("2-hop subgraphs of PubMed", 20, partial(_subgraphs, "pubmed")),
    "color-book": DatasetSpec("characters of novels that meet (COLOR)", 32, _book, ("id", "ood")),
    "color-myciel": DatasetSpec(
        "Mycielski graphs (COLOR)",
        32,
        partial(_families, train=("myciel:5", "myciel:6"), id=("myciel:7",), ood=("myciel:8",)),
        ("id", "ood"),
    ),
    "color-queen": DatasetSpec(
        "queen graphs (COLOR)",
        32,
        partial(
            _families,
            train=_QUEEN_TRAIN,
            id=("queen:13x13", "queen:14x14"),
            ood=("queen:15x15", "queen:16x16", "queen:18x18", "queen:20x20", "queen:22x22"),
        ),
        ("id", "ood"),
    ),
    "cycles": DatasetSpec(
        "cycles to train on; short and very long ones and twenty named graphs to test on",
        10,
        partial(
            _families,
            train=[f"cycle:{n}" for n in range(50, 201)],
            small=[*(f"cycle:{n}" for n in range(20, 40)), *_NAMED],
            large=[f"cycle:{n}" for n in range(7000, 7020)],
        ),
        ("small", "large"),
    ),
    "general": DatasetSpec(
        "many families, 40 to 160 nodes; larger graphs and other families to test on",
        40,
        _general,
        ("test", "unseen"),
    ),
}
