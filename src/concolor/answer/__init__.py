"""``answers``: from graphs to colorings, against one clock; ``color`` and ``color_many``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from concolor.answer.course import Answer, Course, Tell
from concolor.answer.hidden import revealed
from concolor.answer.part import Reduced
from concolor.answer.stages import (
    RAW_MONO,
    Asked,
    Open,
    brief_search,
    compared,
    exactly,
    greedy,
    learned,
    repaired,
    searched,
)
from concolor.answer.weighed import weighed
from concolor.coloring import Coloring
from concolor.errors import InputError, Interrupted, held, interruptible, let_through
from concolor.fleet import Failed, arrays, many
from concolor.fleet.stream import Errors
from concolor.goal import Clock, Task
from concolor.graph.core import Graph
from concolor.models import embedder, located, suited
from concolor.rules import Forbidden, Preset
from concolor.solvers import interference
from concolor.solvers.local_search import warm_up

if TYPE_CHECKING:
    from concolor.colorer import Colorer  # imports torch
    from concolor.graph.formats.convert import GraphLike
    from concolor.learning.embedder import Embedder

__all__ = ["RAW_MONO", "Answer", "ModelChoice", "Question", "answers", "color", "color_many"]

ModelChoice: TypeAlias = "Colorer | str | Path | Callable[[], Colorer]"


def answers(
    graphs: Iterable[GraphLike],
    model: ModelChoice | None = None,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    polish: bool = True,
    bounds_first: bool = True,
    seed: int = 0,
    time_limit: float | None = None,
    draws: int = 4,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    max_class: int | None = None,
    balanced: bool = False,
    device: str = "auto",
    threads: int | None = None,
    progress: Tell | None = None,
    executor: Executor | None = None,
) -> Iterator[Answer]:
    """Color graphs one after the other, and tell how each answer came about.

    Arguments are checked at once, and so are graphs that are given as a list; the work is done as
    the answers are asked for, with one graph in memory where they come from a generator.

    Args:
        graphs: What to color; each may also be a networkx graph, a SciPy sparse matrix or a PyG
            ``Data``, and :meth:`Coloring.by_node` answers in its nodes.
        model: The name of a shipped model, a file that ``Colorer.save`` wrote, a ``Colorer``, or a
            function that makes one when it is needed. Default: ``general``, and for large
            graphs and long lists of them ``light``, ``sparse`` or ``overlap``
            (:func:`concolor.models.suited`).
        k: At most this many colors, fewest conflicts; least weight of them where the graph has
            weights. (The model sees the graph without.)
        max_mono: Fewest colors with at most this fraction of monochromatic edges. Neither of the
            two: fewest colors without conflicts.
        polish: Search on from what the model gives; without, that is the answer, and it is made
            however short the time.
        bounds_first: End where greedy colorings, a clique or a brief exact search settle the graph,
            without a model; where the model alone is asked for, never.
        seed: Decides random features, clusterings and the search.
        time_limit: Seconds for each graph, for everything but the loading of compiled code. A stage
            begins only if it fits; what does not is in ``left_out``. Default: an embedding of at
            most ten seconds, and a search as long as it brings something, at most some seconds.
        draws: Of the random features, where a model reads such and the graph is not large; the
            best is kept.
        preset: Colors that nodes must have, as in :func:`concolor.solvers.solve`.
        forbidden: Colors that nodes must not have.
        max_class: The most nodes that may have the same color; k rises where it must.
        balanced: Make the classes as equal as can be, k of them where k is given.
        device: Where an encoder in torch runs.
        threads: At most so many for the embedding; by default as many as its size is worth.
        progress: Told now and then, in words, what is done; not with an executor.
        executor: Where the graphs are colored, see :func:`concolor.many`; by default here, one
            after the other.

    Raises:
        Interrupted: On Ctrl-C, with the answer for the present graph as far as it came: at least a
            greedy coloring, for which it waits. A second Ctrl-C does not, and is a plain
            KeyboardInterrupt; so is one before the model alone has answered. With an executor, as
            :func:`concolor.many`.
    """
    question = Question(
        model=model,
        k=k,
        max_mono=max_mono,
        polish=polish,
        bounds_first=bounds_first,
        seed=seed,
        time_limit=time_limit,
        draws=draws,
        preset=preset,
        forbidden=forbidden,
        max_class=max_class,
        balanced=balanced,
        device=device,
        threads=threads,
        among=len(graphs) if isinstance(graphs, Sequence) else 1,
    )
    if executor is not None:
        if progress is not None:
            raise InputError("progress cannot come from workers: leave it out, or the executor")
        return many(question, arrays(graphs), executor=executor, errors="raise")
    tasks: Iterable[Task] = map(question.task, graphs)
    if isinstance(graphs, Sequence):
        tasks = list(tasks)
    return map(partial(question.answer, tell=progress), tasks)


@dataclass(frozen=True, kw_only=True)
class Question:
    """The words of :func:`answers` that are about every graph, checked; a call that can travel.

    Attributes:
        among: How many graphs there are, 1 where nobody knows.
    """

    model: ModelChoice | None = None
    k: int | None = None
    max_mono: float | None = None
    polish: bool = True
    bounds_first: bool = True
    seed: int = 0
    time_limit: float | None = None
    draws: int = 4
    preset: Preset | None = None
    forbidden: Forbidden | None = None
    max_class: int | None = None
    balanced: bool = False
    device: str = "auto"
    threads: int | None = None
    among: int = 1

    def __post_init__(self) -> None:
        if not self.polish and (self.preset is not None or self.forbidden is not None):
            raise InputError(
                "the model alone cannot keep preset and forbidden colors: let it polish"
            )
        if not self.polish and (self.max_class is not None or self.balanced):
            raise InputError("the model alone cannot keep sizes of classes: let it polish")
        if self.draws < 1:
            raise InputError(f"draws must be at least 1, got {self.draws}")
        Task.of(
            Graph.from_edges(0, []),
            k=self.k,
            max_mono=self.max_mono,
            seed=self.seed,
            time_limit=self.time_limit,
        )
        if isinstance(self.model, (str, Path)):
            located(self.model)  # refuses what is no model before one is needed

    def __call__(self, graph: GraphLike) -> Answer:
        return self.answer(self.task(graph))

    def task(self, graph: GraphLike) -> Task:
        """What is asked of one graph."""
        asked = Task.of(
            graph,
            k=self.k,
            max_mono=self.max_mono,
            preset=self.preset,
            forbidden=self.forbidden,
            seed=self.seed,
            time_limit=self.time_limit,
            max_class=self.max_class,
            balanced=self.balanced,
            weighted=True,
        )
        if asked.graph.lists is not None and not self.polish:
            raise InputError(f"the model alone cannot keep {asked.graph}'s lists: let it polish")
        return asked

    def answer(self, task: Task, tell: Tell | None = None) -> Answer:
        """The answer for one graph; the clock starts now."""
        chosen = suited(task.graph, self.among) if self.model is None else self.model
        name = str(chosen) if isinstance(chosen, (str, Path)) else "given"
        how = Asked(alone=not self.polish, draws=self.draws, threads=self.threads, name=name)
        return _answer(task, partial(self._opened, chosen), how, self.bounds_first, tell)

    def _opened(self, chosen: ModelChoice, clock: Clock) -> Embedder | None:
        if isinstance(chosen, (str, Path)):
            return embedder(chosen, device=self.device, clock=clock)
        return self._made.model

    @cached_property
    def _made(self) -> Colorer:
        """A model of the caller's, when it is first needed, and the same one from then on."""
        made: Colorer = self.model() if callable(self.model) else self.model  # type: ignore[assignment]
        return made


def _answer(
    task: Task, open_model: Open, asked: Asked, bounds_first: bool, tell: Tell | None
) -> Answer:
    """One answer; the clock starts here. A Ctrl-C waits for the first coloring, which is greedy."""
    courses: list[Course] = []

    def best() -> Answer | None:
        if not courses:
            return None
        return _sized(courses[0], task) if task.goal.has_sizes else courses[0].answer()

    with interruptible(best), held():
        if task.clock.limit is not None:
            warm_up()
            if task.goal.weights is not None:
                interference.warm_up()
        goal = task.goal.of_any_sizes
        course = Course(task.but(clock=Clock(task.clock.limit), goal=goal), tell)
        courses.append(course)
        if asked.alone:
            _alone(course, open_model, asked)
        elif task.goal.weights is not None:
            weighed(course, open_model, asked, bounds_first)
        else:
            _polished(course, open_model, asked, bounds_first)
    found = best()
    assert found is not None
    return found


def _sized(course: Course, task: Task) -> Answer | None:
    """The answer so far with classes of the sizes that are asked for."""
    found = course.answer()
    if found is None:
        return None
    from concolor.solvers.balance import evened

    with course.stage("balance"):
        solution = evened(task.but(clock=course.clock), found.solution)
    return replace(found, solution=solution, seconds=dict(course.seconds))


def _alone(course: Course, open_model: Open, asked: Asked) -> None:
    """What the model says is the answer."""
    let_through()  # nothing else is
    learned(course, open_model, asked)
    course.bound_at_once()
    compared(course)


def _polished(course: Course, open_model: Open, asked: Asked, bounds_first: bool) -> None:
    """From what costs nothing to what takes the rest of the time, until the answer is proved."""
    greedy(course)
    let_through()
    if (course.is_settled and bounds_first) or course.clock.is_over:
        return
    with course.stage("bounds"):
        part = Reduced(course)
    if not course.is_settled:
        brief_search(course, part)
        revealed(course, part)
        exactly(course, part, course.share(0.1, 0.3))
    if (course.is_settled and bounds_first) or course.clock.is_over:
        return
    draws = learned(course, open_model, asked)
    compared(course)
    if draws and not course.is_settled:
        repaired(course, part, draws)
    if not course.is_settled:
        searched(course, part)
    if not course.is_settled:
        exactly(course, part, course.share(1, 1.0))


def color(
    graph: GraphLike,
    *,
    model: ModelChoice | None = None,
    k: int | None = None,
    max_mono: float | None = None,
    polish: bool = True,
    seed: int = 0,
    time_limit: float | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    max_class: int | None = None,
    balanced: bool = False,
) -> Coloring:
    """Color a graph: a proper coloring with the fewest colors found, or what ``k`` or
    ``max_mono`` ask for.

    The arguments are those of :func:`answers`, which also tells how an answer came about.

    Raises:
        Interrupted: On Ctrl-C, with the best coloring so far.

    >>> from concolor.graph.families import family
    >>> color(family("petersen"))
    Coloring('petersen', k=3, conflicts=0)
    >>> import networkx as nx
    >>> color(nx.path_graph(["math", "art", "music"])).by_node()
    {'math': 1, 'art': 0, 'music': 1}
    """
    question = Question(
        model=model,
        k=k,
        max_mono=max_mono,
        polish=polish,
        seed=seed,
        time_limit=time_limit,
        preset=preset,
        forbidden=forbidden,
        max_class=max_class,
        balanced=balanced,
    )
    return _colored(question, graph)


def color_many(
    graphs: Iterable[GraphLike],
    *,
    executor: Executor | None = None,
    errors: Errors = "keep",
    model: ModelChoice | None = None,
    k: int | None = None,
    max_mono: float | None = None,
    polish: bool = True,
    seed: int = 0,
    time_limit: float | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    max_class: int | None = None,
    balanced: bool = False,
) -> Iterator[Coloring | Failed]:
    """Color many graphs, on an executor or one after the other.

    Colorings come in the order of the graphs, as soon as each is done; the graphs may come from a
    generator. A graph that fails is a :class:`~concolor.Failed` in its place. See
    :func:`concolor.many` for ``executor`` and ``errors``, and :func:`answers` for all the others,
    which are the same for every graph: seeds and time limits, too.

    >>> from concolor.graph.families import family
    >>> for found in color_many([family("petersen"), "a name"]):
    ...     print(found.graph)
    Graph('petersen', n=10, m=15)
    a name
    """
    question = Question(
        model=model,
        k=k,
        max_mono=max_mono,
        polish=polish,
        seed=seed,
        time_limit=time_limit,
        preset=preset,
        forbidden=forbidden,
        max_class=max_class,
        balanced=balanced,
        among=len(graphs) if isinstance(graphs, Sequence) else 1,
    )
    return many(partial(_colored, question), arrays(graphs), executor=executor, errors=errors)


def _colored(question: Question, graph: GraphLike) -> Coloring:
    """What travels back of an answer: its colors."""
    try:
        return question(graph).coloring
    except Interrupted as stop:
        raise Interrupted(stop.best.coloring) from stop
