"""``Recipe``: every knob that decides a result, and nothing else. No torch here."""

from __future__ import annotations

import hashlib
import json
import types
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from concolor.errors import InputError, pick


@dataclass(frozen=True)
class Pipeline:
    """What a pipeline name of the paper stands for."""

    doc: str
    features: str  # where the recipe names none
    contrastive: bool = True
    absolute: bool = False  # |cos| instead of cos
    soft: bool = False  # adds the soft conflict term and the color head it needs


PIPELINES: dict[str, Pipeline] = {
    "v1": Pipeline("InfoNCE, signed", "bow"),
    "v1abs": Pipeline("InfoNCE, absolute", "bow", absolute=True),
    "v2": Pipeline("InfoNCE, signed, plus soft conflicts", "bow", soft=True),
    "v2abs": Pipeline("InfoNCE, absolute, plus soft conflicts", "bow", absolute=True, soft=True),
    "v3": Pipeline("InfoNCE, signed, on structural features", "structural"),
    "v4": Pipeline("InfoNCE, signed, on Gaussian features", "gaussian"),
    "v5": Pipeline("weighted soft conflicts only", "bow", contrastive=False, soft=True),
}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides a run, and nothing that does not (no paths, no device).

    A field that is None is settled when the graphs are known, see the comment beside it.
    """

    pipeline: str = "v1"
    encoder: str = "gated_gcn"
    features: str | None = None  # None: the pipeline's; random where it is bow and graphs have none
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

    labels: str = "dsatur"
    epochs: int = 10
    batch_size: int = 20  # graphs in a step
    lr: float | None = None  # None: 0.01, or 0.003 for encoders with attention
    weight_decay: float = 0.01

    decoder: str | None = None  # None: kmedoids, or lines for absolute pipelines
    passes: int = 1  # of line canonicalization
    seed: int = 0

    steps: int | None = None  # of gated_rnn after training; None: layers, the most in training
    decay: bool = False  # let lr fall to 0 along a cosine
    clip: float | None = None  # longest gradient that a step may take; None: any
    relabel: int | None = None  # epochs after which labels follow the embedding; None: never

    def __post_init__(self) -> None:
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
        values = {f.name: (getattr(self, f.name), f.default) for f in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}

    @property
    def key(self) -> str:
        """Short stable name of this recipe, for result files."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    def but(self, **changes: Any) -> Recipe:
        """The same recipe with a few ingredients changed.

        >>> Recipe().but(encoder="gcn").encoder
        'gcn'
        """
        return Recipe.from_dict({**asdict(self), **changes})

    @classmethod
    def named(cls, name: str) -> Recipe:
        """A recipe of ``RECIPES`` by its name.

        >>> Recipe.named("general").encoder
        'gated_rnn'
        """
        return pick(RECIPES, name, "recipe")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Recipe:
        """A recipe from plain values; unknown names and wrong types are refused."""
        types_ = _types()
        for name, value in values.items():
            if not _fits(value, pick(types_, name, "recipe field")):
                raise InputError(f"{name} cannot be {value!r}; it is {_spelled(types_[name])}")
        return cls(**values)

    def parsed(self, assignments: list[str]) -> Recipe:
        """The recipe after ``key=value`` texts, as the command line gives them.

        >>> Recipe().parsed(["tau=0.1", "features=none"]).tau
        0.1
        """
        changes = {}
        types_ = _types()
        for text in assignments:
            name, equals, value = text.partition("=")
            if not equals:
                raise InputError(f"--set wants key=value, got {text!r}; for example tau=0.1")
            changes[name] = _parse(name, value, pick(types_, name, "recipe field"))
        return self.but(**changes)

    def describe(self) -> str:
        """What differs from the default recipe, as ``key=value`` words."""
        changed = [f"{name}={value}" for name, value in self.changes.items()]
        return " ".join(changed) or "all defaults"


@cache
def _types() -> dict[str, Any]:
    return get_type_hints(Recipe)


def _in(low: float, high: float) -> Callable[[float], bool]:
    return lambda value: low <= value <= high


_LIMITS: list[tuple[tuple[str, ...], str, Callable[[float], bool]]] = [
    (("tau", "tau_soft", "lr", "clip"), "positive and finite", lambda v: 0 < v < float("inf")),
    (("lambda_soft", "weight_decay", "degree_power"), "in 0..1000", _in(0, 1000)),
    (("dropout",), "in 0..1, 1 excluded", lambda v: 0 <= v < 1),
    (("hidden", "feature_dim"), "in 1..65536", _in(1, 65536)),
    (("layers", "steps", "heads", "passes"), "in 1..1000", _in(1, 1000)),
    (("expander_degree",), "in 0..1000", _in(0, 1000)),
    (("epochs", "warmup", "relabel"), "in 0..10^9", _in(0, 10**9)),
    (("batch_size",), "at least 1", lambda v: v >= 1),
    (("seed",), "in 0..2^63-1", _in(0, 2**63 - 1)),
]


def _kinds(hint: Any) -> tuple[type, ...]:
    return get_args(hint) if get_origin(hint) in (types.UnionType,) else (hint,)


def _spelled(hint: Any) -> str:
    return " or ".join("none" if kind is type(None) else kind.__name__ for kind in _kinds(hint))


def _fits(value: Any, hint: Any) -> bool:
    kinds = _kinds(hint)
    if isinstance(value, bool):
        return bool in kinds
    return isinstance(value, kinds) or (float in kinds and isinstance(value, int))


def _parse(name: str, text: str, hint: Any) -> Any:
    kinds = _kinds(hint)
    if type(None) in kinds and text.lower() == "none":
        return None
    if bool in kinds and text.lower() in ("true", "false", "1", "0"):
        return text.lower() in ("true", "1")
    for kind in (int, float, str):
        if kind in kinds:
            try:
                return kind(text)
            except ValueError:
                continue
    raise InputError(f"{name} cannot be {text!r}; it is {_spelled(hint)}")


RECIPES: dict[str, Recipe] = {
    "default": Recipe(),
    "abs": Recipe(pipeline="v1abs"),
    "tuned-v2": Recipe(pipeline="v2", lambda_soft=0.30, degree_power=4.0, tau_soft=1.25),
    "cycles": Recipe(pipeline="v1abs", features="random"),
    "color": Recipe(features="random", epochs=80),
    "full": Recipe(epochs=120, lr=0.003),
    "general": Recipe(
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
    ),
}
