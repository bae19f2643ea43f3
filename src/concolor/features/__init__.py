"""What a node knows at the start: ``FEATURES``, and ``FeatureMap`` to make them for any graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.errors import InputError, ModelError
from concolor.features.random import gaussian, random_unit
from concolor.features.spectral import spectral, spectral_random
from concolor.features.structural import structural
from concolor.features.text import (
    Basis,
    bow,
    fit_basis,
    hybrid,
    layer_norm,
    signed_hash,
    unit_words,
    words,
)
from concolor.graph.core import Graph
from concolor.registry import chosen, first_line, spelled

__all__ = ["FEATURES", "Basis", "Feature", "FeatureChoice", "FeatureMap", "feature_of"]

Make: TypeAlias = Callable[[Graph, int, int], NDArray[np.float32]]
FeatureChoice: TypeAlias = "str | Feature | Make"


@dataclass(frozen=True)
class Feature:
    """One kind of node features.

    Attributes:
        doc: One line for lists and help.
        make: ``(graph, dim, seed) -> [n, dim]``.
        dim: Default number of columns; None where there are as many as the data set has words.
        stochastic: Whether the seed matters.
        center: For kinds with a learned basis, whether the source mean is subtracted; else None.
    """

    doc: str
    make: Make
    dim: int | None
    stochastic: bool = False
    center: bool | None = None


def feature_of(given: FeatureChoice) -> Feature:
    """Features by their name, as an entry of their own, or by the function that makes them.

    Of a bare function we cannot know whether the seed matters, so it is taken to; 64 columns are
    asked of it where the caller names no number.

    >>> feature_of("random").dim
    64
    """
    found = chosen(given, FEATURES, "features", Feature)
    if isinstance(found, Feature):
        return found
    return Feature(first_line(found), found, 64, stochastic=True)


HASH_DIM = 1024  # width of the hash that pca and svd start from


@dataclass(frozen=True)
class FeatureMap:
    """Node features ready for use on any graph: what was fitted on the training graphs, kept.

    Attributes:
        choice: A name in ``FEATURES``, a ``Feature`` or a function of yours.
        channels: Number of columns it makes.
        basis: The source's directions (pca, svd), else None.
        unit_words: Whether every node's own words are scaled to unit length first.

    >>> from concolor.graph.core import Graph
    >>> path = Graph.from_edges(3, [(0, 1), (1, 2)])
    >>> FeatureMap.fit("structural", [path], 8)(path).shape
    (3, 8)
    """

    choice: FeatureChoice
    channels: int
    basis: Basis | None = None
    unit_words: bool = False

    def __post_init__(self) -> None:
        feature = feature_of(self.choice)
        if isinstance(self.channels, bool) or self.channels < 1:
            raise InputError(f"features need at least one column, got dim={self.channels!r}")
        if (feature.center is None) != (self.basis is None):
            wanted = "no basis" if feature.center is None else "a basis: make them with fit"
            raise ModelError(f"{self.name} features take {wanted}")
        shapes = self.basis and (self.basis.mean.shape, self.basis.components.shape)
        expected = ((HASH_DIM,), (HASH_DIM, self.channels))
        if shapes not in (None, expected):
            raise ModelError(f"the {self.name} basis has shapes {shapes}, expected {expected}")

    @property
    def name(self) -> str:
        """How the choice is written down: a name, or ``"module:function"``."""
        return spelled(self.choice)

    @property
    def is_stochastic(self) -> bool:
        """Whether the seed matters."""
        return feature_of(self.choice).stochastic

    @classmethod
    def fit(
        cls,
        choice: FeatureChoice,
        graphs: Sequence[Graph],
        dim: int | None = None,
        *,
        unit_words: bool = False,
    ) -> FeatureMap:
        """Fit what needs fitting (pca and svd: a basis; bow: its width) on the training graphs.

        Args:
            choice: A name in ``FEATURES``, a ``Feature`` or a function of yours.
            graphs: Training graphs; rows of all of them count alike.
            dim: Number of columns, by default that of ``FEATURES``; bow has the data set's own.
            unit_words: Scale every node's own words to unit length first.
        """
        feature = feature_of(choice)
        if feature.dim is None:
            return cls(choice, _own_width(graphs, dim), unit_words=unit_words)
        channels = feature.dim if dim is None else dim
        if feature.center is None:
            return cls(choice, channels, unit_words=unit_words)
        rows = (feature.make(_read(graph, unit_words), HASH_DIM, 0) for graph in _some(graphs))
        basis = fit_basis(rows, channels, center=feature.center)
        return cls(choice, channels, basis, unit_words)

    def __call__(self, graph: Graph, seed: int = 0) -> NDArray[np.float32]:
        """The features of a graph ``[n, channels]``; ``seed`` matters where they are random."""
        feature, graph = feature_of(self.choice), _read(graph, self.unit_words)
        if self.basis is not None:
            return self.basis(feature.make(graph, HASH_DIM, seed))
        rows = np.asarray(feature.make(graph, self.channels, seed), np.float32)
        if rows.shape == (graph.n, self.channels):
            return rows
        if feature.dim is None:
            raise ModelError(
                f"{graph} has {rows.shape[1]} node features, but the model reads {self.channels}: "
                "one with features=hash, hybrid, pca or svd goes from one data set to another"
            )
        raise InputError(
            f"features {self.name} gave an array of shape {rows.shape} for {graph}, expected "
            f"({graph.n}, {self.channels}); set feature_dim to the number of columns they make"
        )

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """What was learned, by name, for a checkpoint."""
        if self.basis is None:
            return {}
        return {"mean": self.basis.mean, "components": self.basis.components}

    @classmethod
    def rebuild(
        cls,
        choice: FeatureChoice,
        channels: int,
        tensors: Mapping[str, Any],
        *,
        unit_words: bool = False,
    ) -> FeatureMap:
        """The map that had this ``choice``, these ``channels`` and these ``tensors()``."""
        if not tensors:
            return cls(choice, channels, unit_words=unit_words)
        if set(tensors) != {"mean", "components"}:
            raise ModelError(f"{choice} features expect mean and components, got {sorted(tensors)}")
        arrays = {key: np.asarray(value, np.float32) for key, value in tensors.items()}
        return cls(choice, channels, Basis(**arrays), unit_words)


def _read(graph: Graph, unit: bool) -> Graph:
    return unit_words(graph) if unit and graph.x is not None else graph


def _own_width(graphs: Sequence[Graph], dim: int | None) -> int:
    widths = sorted({words(graph).shape[1] for graph in _some(graphs)})
    if len(widths) > 1:
        raise InputError(
            f"the training graphs have features of different widths {widths}; "
            "use features='hash', 'hybrid', 'pca' or 'svd' to mix data sets"
        )
    if dim not in (None, widths[0]):
        raise InputError(
            f"bow has the data set's own {widths[0]} columns, got dim={dim}; leave dim out, "
            "or use features='hash'"
        )
    return int(widths[0])


def _some(graphs: Sequence[Graph]) -> Sequence[Graph]:
    if not graphs:
        raise InputError("these features are fitted on training graphs, got none")
    return graphs


def _hash(graph: Graph, dim: int, seed: int) -> NDArray[np.float32]:
    return signed_hash(words(graph), dim)


FEATURES: dict[str, Feature | Make] = {
    "bow": Feature("the data set's own bag of words", lambda g, dim, seed: bow(g), None),
    "random": Feature("random unit vectors", random_unit, 64, stochastic=True),
    "gaussian": Feature("independent N(0, 1) coordinates", gaussian, 64, stochastic=True),
    "structural": Feature(
        "degree, clustering, core number and PageRank, expanded",
        lambda g, dim, seed: structural(g, dim),
        64,
    ),
    "spectral": Feature(
        "lowest eigenvectors of the Bethe Hessian, random signs", spectral, 8, stochastic=True
    ),
    "spectral_random": Feature(
        "half spectral, half independent N(0, 1)", spectral_random, 16, stochastic=True
    ),
    "hash": Feature("words hashed with signs to a fixed width", _hash, 256),
    "hybrid": Feature("hashed words, then 32 structural", lambda g, dim, seed: hybrid(g, dim), 288),
    "hybrid_ln": Feature(
        "hybrid with normalized rows", lambda g, dim, seed: layer_norm(hybrid(g, dim)), 288
    ),
    "pca": Feature("hashed words in the source's principal directions", _hash, 256, center=True),
    "svd": Feature("hashed words in the source's singular directions", _hash, 256, center=False),
}
