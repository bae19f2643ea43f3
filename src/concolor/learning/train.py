"""The training loop; there is no other."""

from __future__ import annotations

import copy
import math
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from numpy.typing import ArrayLike
from torch import nn

from concolor.coloring import Coloring
from concolor.encoders import PLAIN
from concolor.errors import InputError, Interrupted, ModelError
from concolor.features import FeatureMap
from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.learning.batches import TrainingData, seed_of
from concolor.learning.checkpoint import State, fingerprint, load_state, save_state
from concolor.learning.hooks import Hook, TrainingEpoch
from concolor.learning.judge import Judge, held_out, is_due
from concolor.learning.labels import LabelChoice, label
from concolor.learning.model import History, Model, Network
from concolor.learning.parallel import step_loss
from concolor.learning.ranks import ALONE, Ranks
from concolor.learning.recipe import Recipe, Settled, settle
from concolor.learning.validation import Validator
from concolor.memory import Room
from concolor.solvers.local_search import warm_up

STOPS = ("", "time limit", "hook", "interrupted")  # where ranks differ, the last of their words


@dataclass(frozen=True)
class TrainingStep:
    """Where a training stands, after a step."""

    step: int
    steps: int
    epoch: int
    loss: float  # mean over the epoch so far
    bound: float  # what it cannot go below


def train(
    recipe: Recipe,
    graphs: Sequence[Graph],
    *,
    labels: LabelChoice | Sequence[ArrayLike | Coloring] | None = None,
    start: Model | None = None,
    device: str = "auto",
    amp: bool = False,
    ranks: Ranks = ALONE,
    time_limit: float | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: float = 20.0,
    resume: bool = False,
    progress: Callable[[TrainingStep], None] | None = None,
    hook: Hook | None = None,
    validator: Validator | None = None,
    executor: Executor | None = None,
) -> Model:
    """Train the recipe's network on the graphs.

    Epoch e visits the graphs in an order drawn from (seed, e), step s draws all it needs from
    (seed, s): a run that goes on from a checkpoint is the run that was never stopped. Several
    ranks divide the graphs of a step among them; what they learn is what one would.

    Args:
        labels: As in :func:`concolor.learning.labels.label`; None takes the recipe's.
        start: Begin with the weights and features of this model, not with fresh ones. Then every
            fifth graph is held out (``recipe.held_out``), and what is returned is the state with
            the fewest conflicts on these, which may be the beginning: ``history.kept``.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        amp: Mixed precision: multiply in 16 bits. On ``cuda`` only.
        ranks: The processes that train together, as
            :func:`~concolor.learning.ranks.together` gives them. Each returns the same model; the
            first writes checkpoints, and what stops one stops all after the same step.
        time_limit: Seconds after which the network is returned as it is, or as it was best.
        checkpoint: File that keeps the state, written now and then and when stopped early.
        checkpoint_every: Seconds between two writes: at most so much work is lost in a kill.
        resume: Go on from ``checkpoint`` if it is there.
        progress: Called after every step.
        hook: Called after every epoch, in the first rank; where it returns True, training stops.
        validator: Held-out graphs that it is told of, which change nothing in the training.
        executor: Where the labels are searched, see :func:`concolor.many`; by default here.

    Raises:
        Interrupted: On Ctrl-C, after the step that it fell into, with the model as it is. Before
            the first step, while labels are computed, it is a plain KeyboardInterrupt.
    """
    if time_limit is not None:
        _warm_up()
    clock, where = Clock(time_limit), ranks.device(device, amp=amp)
    _check_graphs(graphs)
    settled = settle(recipe, graphs)
    if settled.encoder == PLAIN:
        raise ModelError("there is nothing to train: this model has no weights")
    ranks.each(lambda: _check_memory(settled, graphs, ranks.world))
    colors = _labels(graphs, settled.labels if labels is None else labels, ranks, executor, clock)
    features, slots = _inputs(settled, graphs, colors, start)
    back = set(() if start is None else held_out(graphs, settled.held_out))
    taught, kept_back = ([i for i in range(len(graphs)) if (i in back) is b] for b in (False, True))
    data = TrainingData(settled, *_some(taught, graphs, colors), features, where, ranks)
    judge = Judge.of(settled, features, *_some(kept_back, graphs, colors))
    state = State(mark=fingerprint(settled, graphs, colors, start))
    if len(set(ranks.each(lambda: state.mark))) > 1:
        raise InputError(f"the {ranks.world} processes were given unlike recipes, graphs or labels")

    with _own_randomness(where), _interrupts(ranks) as interrupted:
        learner = _Learner.fresh(settled, data, slots, amp=amp)
        if start is not None:
            _copy(start, learner.network)
        learner = replace(learner, best=_Best.of(judge, learner.network) if back else None)
        if resume and checkpoint is not None and ranks.first(checkpoint.exists):
            state = learner.loaded(checkpoint, state.mark)
        keeper = None
        if checkpoint is not None and ranks.is_first:
            keeper = _Keeper(checkpoint, checkpoint_every)
        told = None if hook is None else _Told(hook, validator)
        state, stopped = _run(learner, state, clock, interrupted, keeper, progress, told)
        cut = ranks.most(interrupted())
    history = History(
        losses=state.all_losses,
        bound=data.bound,
        steps=state.step,
        seconds=state.seconds,
        stopped=stopped,
        judged=len(back),
        kept=state.kept,
        before=state.before,
        after=state.after,
    )
    model = Model(settled, features, learner.chosen, slots, history)
    if cut:
        raise Interrupted(model)
    return model


def _warm_up() -> None:
    """Load what a first training loads: start-up, and no part of a time limit."""
    warm_up()  # the search for labels
    torch.optim.AdamW([torch.zeros(1, requires_grad=True)])  # imports torch's compiler


def _some(
    places: Sequence[int], graphs: Sequence[Graph], colors: Sequence[IntArray]
) -> tuple[list[Graph], list[IntArray]]:
    """The graphs at these places, and their labels."""
    return [graphs[i] for i in places], [colors[i] for i in places]


def learning_rate(lr: float, done: float, *, decay: bool = False) -> float:
    r"""The rate of a step when a fraction ``done`` of all steps is behind it.

    Constant, or with ``decay`` half a cosine: :math:`(1 + \cos \pi\,\mathrm{done}) / 2` of lr.

    >>> [round(learning_rate(0.1, done, decay=True), 3) for done in (0, 0.5, 1)]
    [0.1, 0.05, 0.0]
    """
    return lr * (1 + math.cos(math.pi * done)) / 2 if decay else lr


def _check_graphs(graphs: Sequence[Graph]) -> None:
    if not graphs:
        raise InputError("no graphs to train on")
    if not any(graph.m for graph in graphs):
        raise InputError("none of the training graphs has an edge: there is nothing to learn")


def _labels(
    graphs: Sequence[Graph],
    how: LabelChoice | Sequence[ArrayLike | Coloring],
    ranks: Ranks,
    executor: Executor | None,
    clock: Clock,
) -> list[IntArray]:
    """The labels; each is computed by one rank, or by a worker where there is one process."""
    if not ranks.are_many or not (isinstance(how, str) or callable(how)):
        return label(graphs, how, executor=executor, clock=clock)
    parts = ranks.each(lambda: label(graphs[ranks.rank :: ranks.world], how, clock=clock))
    return [parts[i % ranks.world][i // ranks.world] for i in range(len(graphs))]


KEPT = 3  # numbers that a layer keeps for each channel of a node and of each end of an edge, about
PACE = 1e9  # bytes of them in a second, about


def step_memory(recipe: Settled, graphs: Sequence[Graph], world: int = 1) -> int:
    """Bytes that a step with the largest graphs takes, about: what layers keep to go backwards.

    So many processes share the graphs of a step.
    """
    sizes = sorted((graph.n + 2 * graph.m for graph in graphs), reverse=True)
    own = -(-recipe.batch_size // world)
    return 4 * KEPT * recipe.hidden * recipe.layers * sum(sizes[:own])


def _check_memory(recipe: Settled, graphs: Sequence[Graph], world: int) -> None:
    """Refuse what the machine cannot hold, before torch tries."""
    largest = max(graph.n + 2 * graph.m for graph in graphs)
    way_out = (
        f"the largest graph has {largest} nodes and ends of edges; train on subgraphs, or lower "
        f"batch_size={recipe.batch_size}, hidden={recipe.hidden} or layers={recipe.layers}"
    )
    Room("a step of training", way_out).take(step_memory(recipe, graphs, world))


def _inputs(
    recipe: Settled, graphs: Sequence[Graph], colors: Sequence[IntArray], start: Model | None
) -> tuple[FeatureMap, int]:
    """Features and color slots: fitted to the training graphs, or those of the model to go on."""
    slots = max(int(c.max(initial=0)) + 1 for c in colors)
    if start is None:
        wide, unit = recipe.feature_dim, recipe.unit_words
        return FeatureMap.fit(recipe.features, graphs, dim=wide, unit_words=unit), slots
    read = (start.recipe.features, start.recipe.feature_dim, start.recipe.unit_words)
    wanted = (recipe.features, recipe.feature_dim, recipe.unit_words)
    if read != wanted:
        raise ModelError(
            "features, feature_dim and unit_words must be those of the model to start from, "
            f"{read}, got {wanted}"
        )
    if not recipe.objective.soft:
        return start.features, slots
    if slots > start.slots:
        raise ModelError(
            f"the labels have {slots} colors, but the color head of the model to start from has "
            f"{start.slots}: train anew, or take a pipeline without soft conflicts"
        )
    return start.features, start.slots


def _copy(start: Model, network: Network) -> None:
    """Fill a network with the weights of a model of the same shape."""
    try:
        network.load_state_dict(start.network.state_dict())
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise ModelError(
            f"the recipe is of another network than the model to start from ({reason}): "
            "change only how it is trained"
        ) from error


@dataclass(frozen=True)
class _Best:
    """The best weights so far, and who says so."""

    judge: Judge
    network: Network  # of its own, with those weights

    @classmethod
    def of(cls, judge: Judge, network: Network) -> _Best:
        return cls(judge, copy.deepcopy(network))

    def judged(self, network: Network, state: State, ranks: Ranks) -> State:
        """The state that knows whether these weights are the best, which are then kept."""
        conflicts = ranks.first(lambda: self.judge.conflicts(network))
        if state.after is not None and conflicts >= state.after:
            return state
        self.network.load_state_dict(network.state_dict())
        before = conflicts if state.before is None else state.before
        return replace(state, kept=len(state.all_losses), before=before, after=conflicts)


@dataclass(frozen=True)
class _Learner:
    """A network, its optimizer, and what they learn from."""

    recipe: Settled
    data: TrainingData
    network: Network
    loss: nn.Module  # of the network on a batch
    optimizer: torch.optim.Optimizer
    scaler: torch.amp.GradScaler  # keeps gradients within 16 bits, where they have so few
    best: _Best | None = None  # where a judge chooses

    @classmethod
    def fresh(
        cls, recipe: Settled, data: TrainingData, slots: int, *, amp: bool = False
    ) -> _Learner:
        torch.manual_seed(seed_of(recipe.seed, "weights"))
        network = Network(recipe, data.features.channels, slots).to(data.device)
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=recipe.lr, weight_decay=recipe.weight_decay
        )
        loss = step_loss(recipe, network, data.ranks, torch.float16 if amp else None)
        scaler = torch.amp.GradScaler(data.device.type, enabled=amp)
        return cls(recipe, data, network, loss, optimizer, scaler)

    @property
    def steps(self) -> int:
        """Optimizer steps of the whole training."""
        return self.recipe.epochs * self.data.steps_per_epoch

    @property
    def chosen(self) -> Network:
        """The network to return, with the best weights where a judge chooses."""
        return self.network if self.best is None else self.best.network.eval()

    def as_model(self) -> Model:
        """The network as it is, as a model that can embed."""
        return Model(self.recipe, self.data.features, self.network, 1, History())

    def loaded(self, path: Path, mark: str) -> State:
        """The state of a checkpoint, whose weights are taken over."""
        best = None if self.best is None else self.best.network
        ranks = self.data.ranks
        state = load_state(path, self.network, self.optimizer, mark, best, ranks)
        if state.scaler:
            self.scaler.load_state_dict(state.scaler)
        return state

    def judged(self, state: State) -> State:
        """The state after a judgment of the weights, where there is a judge."""
        if self.best is None:
            return state
        state = self.best.judged(self.network, state, self.data.ranks)
        self.network.train()
        return state

    def advance(self, state: State) -> State:
        """Take one optimizer step."""
        recipe, data = self.recipe, self.data
        epoch, place = divmod(state.step, data.steps_per_epoch)
        batch = data.batch(epoch, place)
        torch.manual_seed(seed_of(recipe.seed, "step", state.step))
        near = partial(data.followed, batch, seed_of(recipe.seed, "labels", state.step))
        follows = recipe.relabel is not None and epoch >= recipe.relabel
        loss = self.loss(batch, epoch >= recipe.warmup, near if follows else None)
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        if recipe.clip is not None:
            self.scaler.unscale_(self.optimizer)
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(recipe.lr, state.step / self.steps, decay=recipe.decay)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        mean = data.ranks.total(loss.item()) / data.ranks.world
        parts = self._parts(mean)
        if not all(bool(p.isfinite().all()) for p in self.network.parameters()):
            raise ModelError(
                f"training diverged at step {state.step + 1} of {self.steps}, loss "
                f"{mean:g}: lower lr (now {recipe.lr:g}), or bound the gradient, "
                "for example with clip=1"
            )
        last = place + 1 == data.steps_per_epoch
        return state.one_later(mean, parts, batch.step_graphs, ends_epoch=last)

    def _parts(self, mean: float) -> dict[str, float]:
        """What the mean loss of the last step was the sum of; a single part needs no asking."""
        module: Any = getattr(self.loss, "module", self.loss)  # DistributedDataParallel has it
        parts, ranks = module.parts, self.data.ranks
        if len(parts) == 1:
            return dict.fromkeys(parts, mean)
        return {name: ranks.total(part.item()) / ranks.world for name, part in parts.items()}


class _Keeper:
    """Writes checkpoints to a file, not more often than every so many seconds."""

    def __init__(self, path: Path, every: float) -> None:
        self.path, self.every, self.since = path, every, Clock()

    def keep(self, learner: _Learner, state: State, *, now: bool) -> None:
        """Write one if it is time, or if it must be ``now``."""
        if now or self.since.seconds >= self.every:
            best = None if learner.best is None else learner.best.network
            state = replace(state, scaler=learner.scaler.state_dict())
            save_state(self.path, learner.network, learner.optimizer, state, best)
            self.since = Clock()


@dataclass(frozen=True)
class _Told:
    """A hook, and the held-out graphs that it is told of."""

    hook: Hook
    validator: Validator | None

    def stops(self, learner: _Learner, state: State) -> bool:
        """Tell it in the first rank of the epoch that ended; what it says holds for all."""
        found = learner.data.ranks.first(lambda: bool(self.hook(self._epoch(learner, state))))
        learner.network.train()
        return found

    def _epoch(self, learner: _Learner, state: State) -> TrainingEpoch:
        epochs, judge = learner.recipe.epochs, self.validator
        is_asked = judge is not None and judge.is_due(state.epoch, epochs)
        return TrainingEpoch(
            epoch=state.epoch,
            epochs=epochs,
            step=state.step,
            loss=state.mean,
            parts=state.parts,
            bound=learner.data.bound,
            lr=learner.optimizer.param_groups[0]["lr"],
            seconds=state.seconds,
            validation=judge.of(learner.as_model()) if judge and is_asked else None,
        )


SHORT = 0.5  # seconds; a step that takes no more is made, however little time is left


def _run(
    learner: _Learner,
    state: State,
    clock: Clock,
    interrupted: Callable[[], bool],
    keeper: _Keeper | None,
    progress: Callable[[TrainingStep], None] | None,
    told: _Told | None,
) -> tuple[State, str]:
    """Step after step, to the end or to what stops it early, and the word for that."""
    earlier = state.seconds
    learner.network.train()
    if not state.step:
        state = learner.judged(state)
    ranks = learner.data.ranks
    about = step_memory(learner.recipe, learner.data.graphs, ranks.world) / PACE  # seconds
    stopped = STOPS[ranks.most(about > max(clock.left, SHORT))]
    while state.step < learner.steps and not stopped:
        begun = clock.seconds
        state = replace(learner.advance(state), seconds=earlier + clock.seconds)
        about = clock.seconds - begun
        if not state.seen and is_due(state.epoch):
            state = learner.judged(state)
        if progress is not None:
            now = (state.step, learner.steps, state.epoch, state.mean, learner.data.bound)
            progress(TrainingStep(*now))
        is_enough = told is not None and not state.seen and told.stops(learner, state)
        if state.step < learner.steps:
            late = clock.is_over or about > max(clock.left, SHORT)
            why = 3 if interrupted() else 2 if is_enough else int(late)
            stopped = STOPS[ranks.most(why)]
            if keeper is not None:
                keeper.keep(learner, state, now=bool(stopped))
    if state.seen or (state.epoch and not is_due(state.epoch)):  # the end had no turn yet
        state = learner.judged(state)
    learner.network.eval()
    return state, stopped


@contextmanager
def _own_randomness(device: torch.device) -> Iterator[None]:
    """Seed torch inside without the caller noticing."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        yield


@contextmanager
def _interrupts(ranks: Ranks) -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C wait for the end of the step; the second one comes through.

    With several ranks so does SIGTERM, by which torchrun ends them.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return

    def note(number: int, frame: Any) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    numbers = (signal.SIGINT, signal.SIGTERM) if ranks.are_many else (signal.SIGINT,)
    before = [signal.signal(number, note) for number in numbers]
    try:
        yield pressed.is_set
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
