"""``tune``: a search over recipes by Optuna, kept in a file and resumable."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concolor.errors import InputError, Interrupted, in_one_line, pick
from concolor.fleet.stream import workers_of
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.learning.judge import held_out
from concolor.learning.recipe import Recipe, suited
from concolor.learning.validation import Validator
from concolor.sweeps import K_MAX
from concolor.tuning.attempt import OBJECTIVES, Outcome, Question, attempt, value_of
from concolor.tuning.space import SPACE, Space, checked, own_values, recipe_of
from concolor.tuning.storage import STARTUP, give_up_running, kept, library, loaded, opened

if TYPE_CHECKING:
    import optuna

STATES = {"COMPLETE": "complete", "PRUNED": "pruned"}  # Optuna's word -> ours


@dataclass(frozen=True)
class Trial:
    """A recipe that was tried.

    Attributes:
        number: Its place in the study.
        settings: What it changed in the base.
        state: ``complete``, or ``pruned``: given up behind the others, or its training failed.
        value: What is minimized, at its last validation.
        figures: All figures of that validation.
        epochs: So many it was trained for.
        seconds: Of the processor.
        error: Why the training failed, where it did.
    """

    number: int
    settings: Mapping[str, Any]
    state: str
    value: float | None
    figures: Mapping[str, float]
    epochs: int
    seconds: float
    error: str = ""


@dataclass(frozen=True)
class Tuning:
    """A search, as far as it came.

    Attributes:
        base: The recipe that it started from.
        objective: What was minimized.
        trials: In their order; the first is the base itself, where it lies in the space.
        importance: Field -> share of the differences between trials that it explains, largest
            first; empty where there are too few trials to say.
        stopped: Why it ended early: "time limit" or "interrupted".
    """

    base: Recipe
    objective: str
    trials: tuple[Trial, ...]
    importance: Mapping[str, float]
    stopped: str = ""

    @property
    def best(self) -> Trial:
        """The complete trial of the lowest value, the first of equals."""
        done = [trial for trial in self.trials if trial.state == "complete"]
        return min(done, key=lambda trial: trial.value or 0.0)

    @property
    def recipe(self) -> Recipe:
        """The recipe of the best trial."""
        return self.base.but(**self.best.settings)

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {
            "objective": self.objective,
            "best": asdict(self.best),
            "recipe": self.recipe.to_dict(),
            "trials": [asdict(trial) for trial in self.trials],
            "importance": dict(self.importance),
            "stopped": self.stopped,
        }


def tune(
    graphs: Sequence[Graph],
    *,
    validation: Sequence[Graph] | None = None,
    base: Recipe | None = None,
    space: Space | None = None,
    objective: str = "rho",
    trials: int = 20,
    time_limit: float | None = None,
    storage: str | Path | None = None,
    seed: int = 0,
    max_mono: float = 0.05,
    k_max: int = K_MAX,
    device: str = "cpu",
    executor: Executor | None = None,
    progress: Callable[[Tuning, int], None] | None = None,
) -> Tuning:
    """Search for the recipe that needs the fewest colors on graphs that it is not trained on.

    Recipes are drawn by Optuna's TPE; each is trained on the graphs, and given up where it falls
    behind the median of the others at the same epoch. Trial i draws all it needs from (seed, i), so
    that a study that goes on from its storage is the study that was never stopped (without an
    executor, whose trials end in any order). A graph that misses the threshold counts as if it
    needed ``k_max + 1`` colors.

    Args:
        graphs: To train on.
        validation: To judge by; None holds out every fifth of the graphs.
        base: What is not searched; None for the recipe that suits the graphs.
        space: Field -> :class:`~concolor.tuning.Span` or a tuple of values; None for
            :data:`~concolor.tuning.SPACE`.
        objective: ``rho``, colors over DSATUR's, or ``k``, at most ``max_mono`` conflicts.
        trials: How many there are to be in the end, those in the storage included.
        time_limit: Seconds after which no other is begun, and the running one is dropped.
        storage: File that keeps the study, or an Optuna URL such as ``sqlite:///study.db``; the
            same call with the same storage goes on. Workers of other machines must see it, too.
        seed: Of what is drawn; the training seed is the recipe's.
        max_mono: The allowed fraction of conflicts.
        k_max: The most colors that are tried.
        device: Where trials are trained.
        executor: Where, side by side, see :func:`concolor.many`; by default here.
        progress: Called after each trial with the search so far and the number of trials asked.

    Raises:
        Interrupted: On Ctrl-C, with the search so far; its storage can be gone on with.
    """
    library()
    pick(OBJECTIVES, objective, "objective")
    if trials < 1:
        raise InputError(f"trials must be at least 1, got {trials}")
    taught, judged = _apart(graphs, validation)
    base = base or Recipe.named(suited(graphs))
    ordered = checked(SPACE if space is None else space, base, taught)
    question = Question(taught, Validator(judged, None, max_mono, k_max), objective, device)
    clock = Clock(time_limit)
    with kept(storage) as where:
        study = opened(where, {"seed": seed, **_about(question, base, ordered)})
        search = _Search(study, where, question, base, ordered, seed, clock)
        try:
            search.run(trials, executor, progress)
        except KeyboardInterrupt as stop:
            found = search.tuning("interrupted", ended=True)
            raise (Interrupted(found) if _has_best(found) else KeyboardInterrupt()) from stop
        why = "time limit" if len(search.counted) < trials else ""
        found = search.tuning(why, ended=True)
    if not _has_best(found):
        raise InputError(
            f"no trial was finished within {time_limit} s: give more time, or fewer epochs"
            if found.stopped
            else f"all {len(found.trials)} trials failed, the first: {found.trials[0].error}"
        )
    return found


def _has_best(found: Tuning) -> bool:
    return any(trial.state == "complete" for trial in found.trials)


def _apart(
    graphs: Sequence[Graph], validation: Sequence[Graph] | None
) -> tuple[Sequence[Graph], Sequence[Graph]]:
    """The graphs to train on and those to judge by, which have none in common."""
    if validation is None:
        places = set(held_out(graphs, 5))
        if not places:
            raise InputError(
                f"a search holds out every fifth graph to judge by, and there are {len(graphs)}: "
                "give more, or validation graphs of your own"
            )
        return [g for i, g in enumerate(graphs) if i not in places], [graphs[i] for i in places]
    known = {graph.digest for graph in graphs}
    for graph in validation:
        if graph.digest in known:
            raise InputError(f"{graph.name} is among the training graphs: it cannot judge them")
    return graphs, validation


@dataclass(frozen=True)
class _Search:
    """A study of Optuna and what its trials are asked."""

    study: optuna.Study
    where: str
    question: Question
    base: Recipe
    space: Space
    seed: int
    clock: Clock

    @property
    def counted(self) -> list[optuna.trial.FrozenTrial]:
        """The trials that ended, well or not; those that were cut do not count."""
        return [t for t in self.study.get_trials(deepcopy=False) if t.state.name in STATES]

    def run(
        self,
        trials: int,
        executor: Executor | None,
        progress: Callable[[Tuning, int], None] | None,
    ) -> None:
        """Ask, train and tell, until there are so many or time is over."""
        width = 1 if executor is None else workers_of(executor)
        running: dict[Future[Outcome], optuna.Trial] = {}
        try:
            while len(self.counted) < trials and not (self.clock.is_over and not running):
                while not self.clock.is_over and len(running) < width:
                    if len(self.counted) + len(running) >= trials:
                        break
                    trial, call = self._asked(len(self.counted) + len(running))
                    running[_submitted(executor, call)] = trial
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    self._tell(running.pop(future), _outcome(future))
                    if progress is not None:
                        progress(self.tuning(), trials)
        finally:
            for future in running:
                future.cancel()
            give_up_running(self.study)

    def _asked(self, place: int) -> tuple[optuna.Trial, Callable[[], Outcome]]:
        """The next trial, and the call that trains it."""
        drawn = int.from_bytes(hashlib.sha256(f"{self.seed} {place}".encode()).digest()[:4])
        self.study.sampler = library().samplers.TPESampler(
            n_startup_trials=STARTUP, seed=drawn, multivariate=False, constant_liar=True
        )
        if place == 0:
            own = own_values(self.space, self.base, self.question.graphs)
            if own is not None:
                self.study.enqueue_trial(own)
        trial = self.study.ask()
        recipe = recipe_of(trial, self.space, self.base, self.question.graphs)
        left = None if self.clock.limit is None else self.clock.left
        return trial, partial(_tried, self.where, trial._trial_id, self.question, recipe, left)

    def _tell(self, trial: optuna.Trial, found: Outcome) -> None:
        states = library().trial.TrialState
        state = {"complete": states.COMPLETE, "pruned": states.PRUNED, "cut": states.FAIL}
        trial.set_user_attr("outcome", asdict(found))
        value = None
        if found.state == "complete" and found.figures is not None:
            value = value_of(self.question.objective, found.figures)
        self.study.tell(trial, value, state=state[found.state])

    def tuning(self, stopped: str = "", *, ended: bool = False) -> Tuning:
        """The search so far; importance is computed where it ended."""
        trials = tuple(_trial(frozen, self.question.objective) for frozen in self.counted)
        importance = _importance(self.study) if ended else {}
        return Tuning(self.base, self.question.objective, trials, importance, stopped)


def _trial(frozen: optuna.trial.FrozenTrial, objective: str) -> Trial:
    found = frozen.user_attrs["outcome"]
    figures = found["figures"] or {}
    return Trial(
        number=frozen.number,
        settings=frozen.params,
        state=STATES[frozen.state.name],
        value=figures.get(OBJECTIVES[objective]),
        figures=figures,
        epochs=found["epochs"],
        seconds=found["seconds"],
        error=found["error"],
    )


def _submitted(executor: Executor | None, call: Callable[[], Outcome]) -> Future[Outcome]:
    """The future of a call; without an executor it is done at once, and Ctrl-C comes through."""
    if executor is not None:
        return executor.submit(call)
    future: Future[Outcome] = Future()
    future.set_result(call())
    return future


def _outcome(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except BrokenExecutor as error:
        return Outcome("pruned", error=f"its worker was lost ({in_one_line(error)})")


def _tried(
    where: str, trial_id: int, question: Question, recipe: Recipe, time_limit: float | None
) -> Outcome:
    """A trial, which tells the study its values on the way, and asks whether to go on."""
    study, storage = loaded(where)

    def falls_behind(epoch: int, value: float) -> bool:
        storage.set_trial_intermediate_value(trial_id, epoch, value)
        return study.pruner.prune(study, storage.get_trial(trial_id))

    return attempt(question, recipe, falls_behind, time_limit=time_limit)


def _about(question: Question, base: Recipe, space: Space) -> dict[str, Any]:
    """What a study is of, to be compared when it is gone on with."""
    digests = [graph.digest for graph in (*question.graphs, *question.validator.graphs)]
    judge = question.validator
    return {
        "graphs": hashlib.sha256(" ".join(map(str, digests)).encode()).hexdigest()[:16],
        "objective": f"{question.objective} at {judge.max_mono:g}, k up to {judge.k_max}",
        "base": base.to_dict(),
        "space": {name: str(values) for name, values in space.items()},
    }


def _importance(study: optuna.Study) -> dict[str, float]:
    """Shares by fANOVA, of the fields that all complete trials have."""
    optuna = library()
    done = study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
    if len({trial.value for trial in done}) < 2 or len(done) < STARTUP:
        return {}
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
    found = optuna.importance.get_param_importances(study, evaluator=evaluator)
    return {name: float(share) for name, share in found.items()}
