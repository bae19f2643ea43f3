"""The search space: fields of a recipe, and the values that each may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from concolor.encoders import encoder_of
from concolor.errors import InputError, pick
from concolor.features import feature_of
from concolor.graph.core import Graph
from concolor.learning.recipe import Recipe, Settled, field_value, settle


@dataclass(frozen=True)
class Span:
    """All numbers from ``low`` to ``high``, whole ones where both are; evenly by size or by log.

    >>> str(Span(0.05, 1.0, log=True))
    '0.05..1.0:log'
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise InputError(f"a span goes from low to high, got {self}")
        if self.log and not self.low > 0:
            raise InputError(f"a span by log begins above 0, got {self}")

    def __str__(self) -> str:
        return f"{self.low}..{self.high}{':log' if self.log else ''}"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.low <= value <= self.high


Values: TypeAlias = "Span | tuple[Any, ...]"  # a tuple: one of these
Space: TypeAlias = Mapping[str, Values]

# encoder, features and feature_dim are those of the base unless they are asked for
SPACE: dict[str, Values] = {
    "pipeline": ("v1", "v1abs", "v2", "v2abs"),
    "tau": Span(0.05, 1.0, log=True),
    "form": ("ratio", "log"),
    "hidden": (64, 128),
    "layers": Span(2, 4),
    "heads": (2, 4, 8),
    "expander_degree": Span(2, 6),
    "dropout": Span(0.0, 0.5),
    "lr": Span(0.001, 0.03, log=True),
    "lambda_soft": Span(0.05, 1.0, log=True),
    "degree_power": Span(0.0, 4.0),
    "tau_soft": Span(0.5, 2.0),
    "passes": Span(1, 4),
}
FIRST = (
    "encoder",
    "pipeline",
    "features",
    "decoder",
    "signnet",
)  # what decides which others matter

# fields that matter for some recipes only; a search leaves them alone elsewhere
MATTERS: dict[str, Callable[[Settled], bool]] = {
    "tau": lambda recipe: recipe.objective.contrastive,
    "form": lambda recipe: recipe.objective.contrastive,
    "heads": lambda recipe: encoder_of(recipe.encoder).heads,
    "expander_degree": lambda recipe: recipe.encoder == "exphormer",
    "feature_dim": lambda recipe: feature_of(recipe.features).dim is not None,
    "lambda_soft": lambda recipe: recipe.objective.contrastive and recipe.objective.soft,
    "degree_power": lambda recipe: recipe.objective.soft,
    "tau_soft": lambda recipe: recipe.objective.soft,
    "passes": lambda recipe: recipe.makes_lines and recipe.decoder == "kmedoids",
}


class Suggester(Protocol):
    """What is asked of a trial of Optuna."""

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any: ...
    def suggest_int(self, name: str, low: int, high: int, *, log: bool = ...) -> int: ...
    def suggest_float(self, name: str, low: float, high: float, *, log: bool = ...) -> float: ...


def narrowed(
    texts: Iterable[str], *, space: Space = SPACE, only: Iterable[str] | None = None
) -> dict[str, Values]:
    """A space after ``key=values`` texts, as the command line gives them.

    Values are ``low..high``, with ``:log`` after it by log, or words with commas between; a single
    word fixes the field. Fields that are not in the space are added to it.

    Args:
        only: Search nothing but these.

    >>> narrowed(["tau=0.1..0.5:log", "encoder=gcn,gat"], only=["tau", "encoder"])
    {'tau': Span(low=0.1, high=0.5, log=True), 'encoder': ('gcn', 'gat')}
    """
    found = dict(space)
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise InputError(
                f"--space wants key=values, got {text!r}; for example tau=0.1..0.5 or layers=2,3"
            )
        found[name] = _parsed(name, values)
    if only is None:
        return found
    return {name: pick(found, name, "field of the search space") for name in only}


def _parsed(name: str, text: str) -> Values:
    body, _, scale = text.partition(":")
    low, dots, high = body.partition("..")
    if not dots:
        return tuple(field_value(name, word) for word in text.split(","))
    if scale not in ("", "log"):
        raise InputError(f"{name}={text}: a span ends in :log or in nothing, got :{scale}")
    first, last = (field_value(name, end) for end in (low, high))
    if not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (first, last)):
        raise InputError(f"{name}={text}: a span is of numbers; give words with commas between")
    return Span(first, last, log=bool(scale))


def checked(space: Space, base: Recipe, graphs: Sequence[Graph]) -> dict[str, Values]:
    """The space in the order of asking, if there is something to search in it."""
    for name, values in space.items():
        pick(Recipe.__dataclass_fields__, name, "recipe field")
        if isinstance(values, tuple) and not values:
            raise InputError(f"the search space has no value for {name}: give one or more")
    ordered = {name: space[name] for name in (*FIRST, *space) if name in space}
    if "seed" in ordered:
        raise InputError("a seed is not to be searched: the best one on these graphs says nothing")
    if not ordered:
        raise InputError("the search space is empty: name a field, for example tau")
    settle(base, graphs)
    return ordered


def recipe_of(trial: Suggester, space: Space, base: Recipe, graphs: Sequence[Graph]) -> Recipe:
    """The recipe that a trial suggests: the base but for the fields of the space that matter."""
    ahead = {name: _asked(trial, name, space[name]) for name in space if name in FIRST}
    kind = settle(base.but(**ahead), graphs)
    rest = {
        name: _asked(trial, name, values)
        for name, values in space.items()
        if name not in FIRST and MATTERS.get(name, _always)(kind)
    }
    return base.but(**ahead, **rest)


def _asked(trial: Suggester, name: str, values: Values) -> Any:
    if isinstance(values, tuple):
        return trial.suggest_categorical(name, values)
    if isinstance(values.low, int) and isinstance(values.high, int):
        return trial.suggest_int(name, values.low, values.high, log=values.log)
    return trial.suggest_float(name, float(values.low), float(values.high), log=values.log)


def _always(recipe: Settled) -> bool:
    return True


def own_values(space: Space, base: Recipe, graphs: Sequence[Graph]) -> dict[str, Any] | None:
    """The base's own place in the space; None where it lies outside."""
    settled = settle(base, graphs)
    own = {name: getattr(settled, name) for name in space}
    own = {n: v for n, v in own.items() if n in FIRST or MATTERS.get(n, _always)(settled)}
    if own.get("feature_dim", 0) is None:
        own["feature_dim"] = feature_of(settled.features).dim
    return own if all(value in space[name] for name, value in own.items()) else None
