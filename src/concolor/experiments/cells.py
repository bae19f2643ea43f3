"""The unit of work: one method with one seed on one suite, and the words that name it."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, TypeAlias

from concolor.learning.recipe import Recipe

TIMED = (
    "tabucol",
    "pi-gnn",
    "pi-gnn at chi",
    "full-gcn",
    "pi-gnn faithful",
    "full-gcn faithful",
    "exact",
)  # methods whose clock decides where they end, so another machine may end elsewhere


@dataclass(frozen=True)
class Learned:
    """A recipe trained on a data set, decoded on a suite."""

    train: str
    recipe: Recipe
    suite: str

    @property
    def seed(self) -> int:
        """It varies initialization, random features, batch order and decoder."""
        return self.recipe.seed

    @property
    def training(self) -> str:
        """What must be trained; cells with the same words share the model."""
        return f"train={self.train} {_changes(self.recipe)}"

    @property
    def model_name(self) -> str:
        """The file of the model, where it is kept."""
        recipe = self.recipe
        digest = hashlib.sha256(self.training.encode()).hexdigest()[:8]
        words = (self.train, recipe.encoder, recipe.pipeline, f"seed{recipe.seed}", digest)
        return "-".join(map(str, words)) + ".safetensors"

    @property
    def key(self) -> str:
        """The words that name the cell in result files."""
        how = f"decoder={self.recipe.decoder} passes={self.recipe.passes}"
        return f"{self.training} {how} on={self.suite}"

    @property
    def about(self) -> dict[str, Any]:
        """What a result line says of the cell."""
        return {
            "method": "learned",
            "train": self.train,
            "suite": self.suite,
            "seed": self.seed,
            "recipe": _values(self.recipe),
        }


@dataclass(frozen=True)
class Compared:
    """A method without training on a suite, so many seconds a graph."""

    method: str
    suite: str
    seconds: float | None = None
    seed: int = 0

    @property
    def training(self) -> str:
        """Nothing is shared: each such cell is its own work."""
        return self.key

    @property
    def key(self) -> str:
        """The words that name the cell in result files."""
        limit = "" if self.seconds is None else f" seconds={self.seconds:g}"
        return f"method={self.method}{limit} seed={self.seed} on={self.suite}"

    @property
    def about(self) -> dict[str, Any]:
        """What a result line says of the cell."""
        return {
            "method": self.method,
            "suite": self.suite,
            "seed": self.seed,
            "seconds_a_graph": self.seconds,
        }


@dataclass(frozen=True)
class Studied:
    """A search for the settings of a recipe, judged by graphs that no table uses."""

    train: str
    recipe: Recipe  # what it starts from
    judges: tuple[str, ...]  # data sets whose validation graphs judge
    trials: int

    @property
    def training(self) -> str:
        """Nothing is shared: a search is its own work."""
        return self.key

    @property
    def key(self) -> str:
        """The words that name the cell in result files."""
        by = ",".join(self.judges)
        return f"study train={self.train} {_changes(self.recipe)} trials={self.trials} by={by}"

    @property
    def about(self) -> dict[str, Any]:
        """What a result line says of the cell."""
        return {
            "method": "study",
            "train": self.train,
            "judges": list(self.judges),
            "asked": self.trials,
            "recipe": _values(self.recipe),
        }


Cell: TypeAlias = Learned | Compared | Studied


@cache
def _changes(recipe: Recipe) -> str:
    """What differs from the default recipe in training, and always the seed.

    Fields that later versions add do not rename older results; a default that changes would, so
    result lines carry the whole recipe, and the store compares it.
    """
    decoding = ("decoder", "passes", "seed")
    changed = [f"{name}={value}" for name, value in recipe.changes.items() if name not in decoding]
    return " ".join([*changed, f"seed={recipe.seed}"])


@cache
def _values(recipe: Recipe) -> dict[str, Any]:
    return asdict(recipe)
