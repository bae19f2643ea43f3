"""One recipe of a search: trained and judged on held-out graphs, given up where it falls behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

from concolor.errors import ModelError
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.learning.hooks import TrainingEpoch
from concolor.learning.recipe import Recipe
from concolor.learning.train import train
from concolor.learning.validation import Validation, Validator

OBJECTIVES = {"rho": "reached_rho", "k": "reached_k"}  # what is minimized -> which figure that is


@dataclass(frozen=True)
class Question:
    """What every recipe of a search is asked; it travels to the workers.

    Attributes:
        graphs: To train on.
        validator: To judge by.
        objective: ``rho`` or ``k``.
        device: Where to train.
    """

    graphs: Sequence[Graph]
    validator: Validator
    objective: str
    device: str


@dataclass(frozen=True)
class Outcome:
    """What became of a recipe.

    Attributes:
        state: ``complete``; ``pruned``, given up behind the others or by an error; ``cut`` by the
            clock, which says nothing of it.
        figures: Its last validation.
        epochs: So many it was trained for.
        seconds: Of the processor.
        error: Why the training failed, where it did.
    """

    state: str
    figures: Validation | None = None
    epochs: int = 0
    seconds: float = 0.0
    error: str = ""


def attempt(
    question: Question,
    recipe: Recipe,
    falls_behind: Callable[[int, float], bool],
    *,
    time_limit: float | None = None,
) -> Outcome:
    """Train and judge a recipe.

    Args:
        falls_behind: Told the epoch and the value there; True: give it up.
    """
    begun, seen = process_time(), list[TrainingEpoch]()
    clock = Clock(time_limit)

    def hook(at: TrainingEpoch) -> bool:
        if at.validation is None:
            return False
        seen.append(at)
        return falls_behind(at.epoch, value_of(question.objective, at.validation))

    # the figures of a few epochs are enough to give up by, and each costs a sweep of every graph
    validator = replace(question.validator, every=-(-recipe.epochs // 4))
    state, error = "complete", ""
    try:
        stopped = train(
            recipe,
            question.graphs,
            device=question.device,
            time_limit=clock.left,
            hook=hook,
            validator=validator,
        ).history.stopped
        state = {"": "complete", "hook": "pruned"}.get(stopped, "cut")
    except ModelError as problem:  # it diverged
        state, error = "pruned", str(problem)
    last = seen[-1] if seen else None
    seconds = process_time() - begun
    figures = None if last is None else last.validation
    return Outcome(state, figures, 0 if last is None else last.epoch, seconds, error)


def value_of(objective: str, figures: Validation) -> float:
    """What is minimized of a validation."""
    value: Any = getattr(figures, OBJECTIVES[objective])
    return float(value)
