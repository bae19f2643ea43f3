"""``Recipe``: every knob that decides a result, and nothing else. No torch here.

It is checked when it is made, and :func:`settle` decides what it leaves open.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Self, get_type_hints

from concolor.decoding.cluster import DecoderChoice, decoder_of
from concolor.encoders import EncoderChoice, Sizes, encoder_of
from concolor.errors import InputError, pick
from concolor.features import FeatureChoice, feature_of
from concolor.files import read_json, write_atomically
from concolor.graph.core import Graph
from concolor.learning.fields import fits, in_words, parse
from concolor.learning.labels import LabelChoice, labeler_of
from concolor.learning.pipelines import PIPELINES, Pipeline
from concolor.registry import spelled


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides a run, and nothing that does not (no paths, no device).

    A field that is None is settled when the graphs are known, see the comment beside it. Encoder,
    features, labels and decoder are names (``concolor list encoders``, say) or functions of yours.
    Two recipes are equal if all their fields are, a function only to itself.
    """

    pipeline: str = "v1"
    encoder: EncoderChoice = "gated_gcn"
    features: FeatureChoice | None = None  # None: the pipeline's; for bow without words, random
    feature_dim: int | None = None  # None: as wide as these features usually are
    redraw: bool = False  # draw random features anew in every epoch
    unit_words: bool = False  # scale every node's words to unit length first

    hidden: int = 128  # channels of every layer and of the embedding
    layers: int = 2
    heads: int = 4  # of attention
    dropout: float = 0.1
    expander_degree: int = 4  # of exphormer
    signnet: bool = False  # sign-invariant head rho(phi(z) + phi(-z))

    tau: float = 0.3  # temperature of the contrastive loss
    form: str = "ratio"  # the paper's -ratio, or log: -log(ratio), better on whole PubMed
    lambda_soft: float = 0.20  # weight of the soft conflict term
    degree_power: float = 3.0  # p, how much that term looks at dense regions
    tau_soft: float = 1.0  # temperature of its softmax
    soft_weights: str = "mean"  # its edge weights over their mean in the graph, or raw
    warmup: int = 0  # epochs before it starts
    lambda_lines: float = 0.0  # weight of the conflicts between lines, of absolute pipelines

    labels: LabelChoice = "dsatur"
    epochs: int = 10
    batch_size: int = 20  # graphs in a step
    lr: float | None = None  # None: 0.01, or 0.003 for encoders with attention
    weight_decay: float = 0.01

    decoder: DecoderChoice | None = None  # None: kmedoids, or lines for absolute pipelines
    passes: int = 1  # of line canonicalization
    seed: int = 0

    steps: int | None = None  # of a recurrent encoder after training; None: layers
    decay: bool = False  # let lr fall to 0 along a cosine
    clip: float | None = None  # longest gradient that a step may take; None: any
    relabel: int | None = None  # epochs after which labels follow the embedding; None: never
    run_in: int = 0  # most steps of a recurrent encoder in training before those that learn
    held_out: int = 5  # going on from a model, every so many-th graph judges; 0: none

    def __post_init__(self) -> None:
        for name, hint in _types().items():
            value = getattr(self, name)
            if name in _CHOICES and value is not None:
                _CHOICES[name](value)
            elif not fits(value, hint):
                raise InputError(f"{name} must be {in_words(hint)}, got {value!r}")
        pick(PIPELINES, self.pipeline, "pipeline")
        for name, known in (("form", ("ratio", "log")), ("soft_weights", ("mean", "raw"))):
            if getattr(self, name) not in known:
                words = " or ".join(map(repr, known))
                raise InputError(f"{name} must be {words}, got {getattr(self, name)!r}")
        for names, expected, good in _LIMITS:
            for name in names:
                value = getattr(self, name)
                if value is not None and not good(value):
                    raise InputError(f"{name} must be {expected}, got {value!r}")
        if self.lambda_lines and not self.objective.absolute:
            raise InputError(
                f"lambda_lines={self.lambda_lines} needs lines, which the pipeline {self.pipeline} "
                "does not make; take v1abs or v2abs, or leave it 0"
            )
        sizes = self.sizes(in_channels=1)  # refuses what no encoder can be built from
        if encoder_of(self.encoder).heads:
            _ = sizes.head_channels  # refuses heads that do not divide hidden

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Recipe) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._values().values()))

    @property
    def objective(self) -> Pipeline:
        """What the pipeline's name stands for."""
        return PIPELINES[self.pipeline]

    @property
    def makes_lines(self) -> bool:
        """An embedded row is a line, whatever its sign: absolute loss, no head that fixes signs."""
        return self.objective.absolute and not self.signnet

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that differ from the default recipe."""
        values = self._values()
        return {f.name: values[f.name] for f in fields(Recipe) if values[f.name] != f.default}

    @property
    def key(self) -> str:
        """Short stable name of this recipe, for result files; a function counts by its spelling.

        Fields that came later count where they are used, so that old names stay.
        """
        unused = set(_LATER) - set(self.changes)
        plain = {name: value for name, value in self.to_dict().items() if name not in unused}
        text = json.dumps(plain, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    def sizes(self, in_channels: int) -> Sizes:
        """What the encoder is built from, for so many features per node."""
        return Sizes(
            in_channels=in_channels,
            hidden=self.hidden,
            layers=self.layers,
            heads=self.heads,
            dropout=self.dropout,
            expander_degree=self.expander_degree,
            steps=self.steps,
            run_in=self.run_in,
        )

    def but(self, **changes: Any) -> Recipe:
        """The same recipe with a few ingredients changed.

        >>> Recipe().but(encoder="gcn").encoder
        'gcn'
        """
        return Recipe.from_dict({**self._values(), **changes})

    @classmethod
    def named(cls, name: str) -> Recipe:
        """A recipe of ``RECIPES`` by its name.

        >>> Recipe.named("general").encoder
        'gated_rnn'
        """
        return pick(RECIPES, name, "recipe")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """A recipe from its fields by name; unknown names are refused."""
        for name in values:
            pick(_types(), name, "recipe field")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON; a function is spelled ``"module:qualname"``.

        >>> Recipe(encoder=max).to_dict()["encoder"]
        'builtins:max'
        """
        return {
            name: value if value is None or name not in _CHOICES else spelled(value)
            for name, value in self._values().items()
        }

    def save(self, path: str | Path) -> None:
        """Write the fields as JSON: what ``concolor train --recipe`` and :meth:`load` read."""
        write_atomically(Path(path), (json.dumps(self.to_dict(), indent=2) + "\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> Recipe:
        """The recipe of a JSON file; fields that it leaves out have their defaults."""
        return cls.from_dict(read_json(Path(path), dict))

    def _values(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(Recipe)}

    def parsed(self, assignments: list[str]) -> Recipe:
        """The recipe after ``key=value`` texts, as the command line gives them.

        >>> Recipe().parsed(["tau=0.1", "features=none"]).tau
        0.1
        """
        changes = {}
        for text in assignments:
            name, equals, value = text.partition("=")
            if not equals:
                raise InputError(f"--set wants key=value, got {text!r}; for example tau=0.1")
            changes[name] = field_value(name, value)
        return self.but(**changes)

    def describe(self) -> str:
        """What differs from the default recipe, as ``key=value`` words."""
        plain = self.to_dict()
        return " ".join(f"{name}={plain[name]}" for name in self.changes) or "all defaults"


@dataclass(frozen=True, kw_only=True, eq=False)
class Settled(Recipe):
    """A recipe that leaves nothing open; made by :func:`settle`."""

    features: FeatureChoice = field()
    lr: float = field()
    decoder: DecoderChoice = field()

    def __post_init__(self) -> None:
        for name in ("features", "lr", "decoder"):
            if getattr(self, name) is None:
                raise InputError(f"{name} must be settled, got None")
        super().__post_init__()


def field_value(name: str, text: str) -> Any:
    """The value that a text means for a field.

    >>> field_value("layers", "3"), field_value("lr", "none")
    (3, None)
    """
    return parse(name, text, pick(_types(), name, "recipe field"))


def settle(recipe: Recipe, graphs: Sequence[Graph]) -> Settled:
    """The recipe with its open fields decided for these training graphs."""
    features, lr, decoder = recipe.features, recipe.lr, recipe.decoder
    if features is None:
        features = recipe.objective.features
        if features == "bow" and all(graph.x is None for graph in graphs):
            features = "random"  # graphs without attributes have no words to count
    if lr is None:
        lr = 0.003 if encoder_of(recipe.encoder).beyond_neighbors else 0.01
    if decoder is None:
        decoder = "lines" if recipe.objective.absolute else "kmedoids"
    open_fields = {"features": features, "lr": lr, "decoder": decoder}
    return Settled.from_dict({**recipe._values(), **open_fields})


def suited(graphs: Sequence[Graph]) -> str:
    """The name of the recipe that suits these training graphs, where none is asked for.

    The paper's ``default`` counts the words of nodes. Where a graph has none, it would be left with
    two layers on random features, which hardly learn; ``featureless`` is made for that.

    >>> suited([Graph.from_edges(2, [(0, 1)])])
    'featureless'
    """
    return "default" if all(graph.x is not None for graph in graphs) else "featureless"


_LATER = ("run_in", "held_out", "lambda_lines")  # fields that are younger than the first results

# fields that are a name or something of the user's own, and what checks them
_CHOICES: dict[str, Callable[[Any], object]] = {
    "encoder": encoder_of,
    "features": feature_of,
    "labels": labeler_of,
    "decoder": decoder_of,
}


@cache
def _types() -> dict[str, Any]:
    """The type of every field; of choices, what text can give: a name."""
    choices = ("EncoderChoice", "FeatureChoice", "LabelChoice", "DecoderChoice")
    return get_type_hints(Recipe, localns=dict.fromkeys(choices, str))


def _in(low: float, high: float) -> Callable[[float], bool]:
    return lambda value: low <= value <= high


_LIMITS: list[tuple[tuple[str, ...], str, Callable[[float], bool]]] = [
    (("tau", "tau_soft", "lr", "clip"), "positive and finite", lambda v: 0 < v < float("inf")),
    (("lambda_soft", "lambda_lines", "weight_decay", "degree_power"), "in 0..1000", _in(0, 1000)),
    (("dropout",), "in 0..1, 1 excluded", lambda v: 0 <= v < 1),
    (("hidden", "feature_dim"), "in 1..65536", _in(1, 65536)),
    (("layers", "steps", "heads", "passes"), "in 1..1000", _in(1, 1000)),
    (("expander_degree", "run_in"), "in 0..1000", _in(0, 1000)),
    (("held_out",), "0, or in 2..1000", lambda v: v == 0 or 2 <= v <= 1000),
    (("epochs", "warmup", "relabel"), "in 0..10^9", _in(0, 10**9)),
    (("batch_size",), "at least 1", lambda v: v >= 1),
    (("seed",), "in 0..2^63-1", _in(0, 2**63 - 1)),
]


_GENERAL = Recipe(
    pipeline="v1abs",
    encoder="gated_rnn",
    features="random",
    feature_dim=64,
    redraw=True,
    hidden=96,
    layers=16,
    steps=96,
    dropout=0.0,
    tau=0.2,
    labels="relaxed",
    relabel=1,
    epochs=100,
    batch_size=10,
    lr=0.002,
    decay=True,
    clip=1.0,
    decoder="line_means",
)

RECIPES: dict[str, Recipe] = {
    "default": Recipe(),
    "abs": Recipe(pipeline="v1abs"),
    "tuned-v2": Recipe(pipeline="v2", lambda_soft=0.30, degree_power=4.0, tau_soft=1.25),
    "cycles": Recipe(pipeline="v1abs", features="random"),
    "color": Recipe(features="random", epochs=80),
    "full": Recipe(epochs=120, lr=0.003),
    "general": _GENERAL,
    "light": _GENERAL.but(
        encoder="light_rnn", feature_dim=32, hidden=32, layers=32, steps=28, epochs=50, lr=0.003
    ),
    "sparse": _GENERAL.but(  # goes on from light
        encoder="light_rnn",
        feature_dim=32,
        hidden=32,
        layers=32,
        steps=28,
        tau=0.5,
        lambda_lines=1.0,
        epochs=10,
        held_out=0,
    ),
    "overlap": _GENERAL.but(  # goes on from light
        encoder="light_rnn",
        feature_dim=32,
        hidden=32,
        layers=40,
        steps=34,
        labels="relaxed3",
        epochs=20,
        lr=0.003,
        held_out=0,
    ),
    "hidden": _GENERAL.but(  # with the hidden coloring as label
        encoder="light_rnn",
        features="spectral_random",
        feature_dim=16,
        hidden=48,
        run_in=32,
        steps=48,
        labels="dsatur",
        relabel=None,
        epochs=40,
        batch_size=4,
        lr=0.003,
    ),
    "featureless": _GENERAL.but(batch_size=2, epochs=50),  # sooner done on few graphs
}
