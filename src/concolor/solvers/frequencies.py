"""Frequencies that must be so far apart: ``|f(u) - f(v)| >= d`` for every edge.

Transmitters that are near each other disturb each other even on neighboring channels (Hale 1980; in
coloring words, a T-coloring or bandwidth coloring). The weights of the graph are the separations d.
A frequency is a color, so what is found is a coloring that keeps its numbers, in the user's nodes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concolor.coloring import Coloring
from concolor.errors import InputError, interruptible
from concolor.goal import Clock, OnProgress, Progress, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import greedy_clique
from concolor.graph.weights import plain, weigh
from concolor.rules import Forbidden, Preset
from concolor.solvers.interference import (
    ENTRIES,
    Interference,
    allowed_colors,
    quieten,
    warm_up,
)
from concolor.solvers.kernels import interference as kernels
from concolor.solvers.maxsat import cheapest, is_small, undisturbed
from concolor.solvers.weights import BRIEF, PATIENCE, can_prove

if TYPE_CHECKING:
    from concolor.graph.formats.convert import GraphLike

MANY = 20_000  # nodes from which the order of a greedy plan is fixed beforehand
WIDE = 1_000_000  # a larger separation is a mistake
EXACT_PATH = 8  # nodes of a clique up to which its shortest path is found
LEVELS = 20  # separations at which a clique is looked for
LEVEL = 3e-7  # seconds for every edge that this takes, about
PROOF = 10.0  # seconds for each question of a proof, where no time limit says otherwise


@dataclass(frozen=True, eq=False)
class Frequencies:
    """A plan: the frequency of every node, counted from 0, and what is proved about better ones.

    Attributes:
        coloring: The frequencies as colors of the graph, whose weights are the separations.
        violation_weights: What each violation costs, ``[m]``.
        channels: How many were given, or None where they were to be few.
        lower: What no plan is below: the number of channels, or the weight of violations where
            channels are given.
    """

    coloring: Coloring
    violation_weights: NDArray[np.float64]
    channels: int | None
    lower: float

    @cached_property
    def _noise(self) -> Interference:
        graph = self.coloring.graph
        return Interference(graph, self.violation_weights, separations(graph))

    @property
    def used(self) -> int:
        """Channels 0, 1, ... up to the highest that is used."""
        return int(self.coloring.colors.max(initial=-1)) + 1

    @property
    def span(self) -> int:
        """The highest frequency less the lowest."""
        colors = self.coloring.colors
        return int(np.ptp(colors)) if len(colors) else 0

    @cached_property
    def violated(self) -> IntArray:
        """The edges whose ends are too near each other ``[violations, 2]``."""
        graph = self.coloring.graph
        return np.asarray(graph.edges[self._noise.disturbed(self.coloring.colors)])

    @property
    def violations(self) -> int:
        """How many they are."""
        return len(self.violated)

    @property
    def weight(self) -> float:
        """What they cost together; as many as they are, unless weights were given."""
        return plain(self._noise.cost(self.coloring.colors))

    @property
    def hit(self) -> bool:
        """Nothing is violated."""
        return self.violations == 0

    @property
    def is_proved(self) -> bool:
        """No plan is better: none has fewer channels, or with so many none costs less."""
        if self.channels is None:
            return self.hit and self.used == self.lower
        return self.weight == self.lower

    def __repr__(self) -> str:
        about = "proved optimal" if self.is_proved else f"lower={self.lower}"
        name, broken = self.coloring.graph.name, self.violations
        return f"Frequencies({name!r}, channels={self.used}, violations={broken}, {about})"


def frequencies(
    graph: GraphLike,
    *,
    channels: int | None = None,
    weights: ArrayLike | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> Frequencies:
    """Assign frequencies 0, 1, ...: no two nearer than the weight of their edge says.

    Args:
        graph: Who must be how far from whom: its weights, whole numbers, are the separations.
        channels: At most so many, with the fewest violations. Default: as few as were found that
            violate nothing.
        weights: What a violation of each edge costs ``[m]``, in the order of ``graph.edges``;
            default 1.
        preset: Frequencies that nodes must have, as in :func:`concolor.solvers.solve`.
        forbidden: Frequencies that nodes must not have.
        seed: Decides the search.
        time_limit: In seconds; then the best so far.
        progress: Called now and then with a :class:`~concolor.goal.Progress`.

    Raises:
        Interrupted: On Ctrl-C, with the plan so far.

    >>> near = Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)], weights=[3, 3, 1], names="abc")
    >>> plan = frequencies(near)
    >>> plan, plan.span
    (Frequencies('graph', channels=5, violations=0, proved optimal), 4)
    >>> abs(plan.coloring.by_node()["a"] - plan.coloring.by_node()["b"]) >= 3
    True
    >>> frequencies(near, channels=4)
    Frequencies('graph', channels=4, violations=1, proved optimal)
    """
    warm_up()
    task = Task.of(
        graph,
        k=channels,
        preset=preset,
        forbidden=forbidden,
        seed=seed,
        time_limit=time_limit,
        progress=progress,
    )
    plan = _Plan(task, weights)
    with interruptible(plan.found):
        if channels is None and task.goal.k is None:
            plan.narrow()
        else:
            plan.soften()
    found = plan.found()
    assert found is not None
    return found


def separations(graph: Graph) -> IntArray:
    """The weights of a graph as separations ``[m]``: whole numbers from 1."""
    if graph.weights is None:
        raise InputError(
            f"{graph.name} has no separations: give them as weights of its edges, in a file as "
            "the third column, read by weights='max'"
        )
    wrong = np.flatnonzero((np.rint(graph.weights) != graph.weights) | (graph.weights > WIDE))
    if len(wrong):
        u, v = (graph.node_names[end] for end in graph.edges[wrong[0]])
        raise InputError(
            f"the edge of {u} and {v} has separation {graph.weights[wrong[0]]:g}: separations are "
            f"whole numbers in 1..{WIDE}"
        )
    return graph.weights.astype(np.int64)


class _Plan:
    """A plan under way.

    Attributes:
        best: The best frequencies so far, None before the first.
        lower: What no plan is below.
    """

    def __init__(self, task: Task, weights: ArrayLike | None) -> None:
        self.task, self.graph, self.rules = task, task.graph, task.goal.rules
        costs = np.ones(self.graph.m)
        if weights is not None:
            costs = weigh(self.graph.n, self.graph.edges, weights, names=self.graph.names)
        self.noise = Interference(self.graph, costs, separations(self.graph))
        self._refuse_contradictions()
        self.fewest = max(narrowest(self.graph, self.noise.reach, task.clock), self.rules.fewest)
        if not self.graph.n:
            self.fewest = 0
        self.best: IntArray | None = None
        self.lower: float = self.fewest if task.goal.k is None else 0

    def _refuse_contradictions(self) -> None:
        if not len(self.rules.preset_colors):
            return
        fixed, (u, v) = self.rules.preset, self.graph.edges.T
        near = self.noise.disturbed(fixed) & (fixed[u] >= 0) & (fixed[v] >= 0)
        if near.any():
            at = int(near.argmax())
            a, b = (self.graph.node_names[end] for end in self.graph.edges[at])
            raise InputError(
                f"nodes {a} and {b} are preset to {fixed[u[at]]} and {fixed[v[at]]}, but must be "
                f"{self.noise.reach[at]} apart; change one of them"
            )

    def found(self) -> Frequencies | None:
        """What there is now, None where there is nothing yet."""
        if self.best is None:
            return None
        coloring = Coloring(self.graph, self.best)
        return Frequencies(coloring, self.noise.weights, self.task.goal.k, self.lower)

    def narrow(self) -> None:
        """As few channels as can be, from a greedy plan downwards, nothing violated."""
        clock, patience = self.task.clock, self._patience(BRIEF)
        self.best = self._greedy()
        while self._width > self.lower and not clock.is_over:
            k = self._width - 1
            quieter = self._searched(k, clock.share(0.5), patience)
            if quieter is None:
                break
            self.best = quieter
        while self._width > self.lower and not clock.is_over and self._is_small(self._width - 1):
            allowed = self._allowed(self._width - 1)
            answer = undisturbed(self.noise, allowed, self._proof_clock())
            if answer is None:
                return
            if isinstance(answer, bool):
                self.lower = self._width
            else:
                self.best = answer

    def soften(self) -> None:
        """As few violations as can be, or as little of their weight, with so many channels."""
        k, clock = self.task.goal.k, self.task.clock
        assert k is not None
        if k < self.fewest:  # then something is violated
            self.lower = plain(float(self.noise.weights.min(initial=math.inf)))
        packed = self.noise.value(self.noise.forced(k, clock)) if self.graph.m else 0.0
        self.lower = plain(max(float(self.lower), packed))
        start, none = self._greedy(), np.full(self.graph.n, -1)
        starts = [none, np.where(start < k, start, -1)]
        self._search(k, starts, clock.share(0.75), self._patience(PATIENCE))
        if self._cost > self.lower and not clock.is_over and self._is_small(k):
            colors = cheapest(self.noise, self._allowed(k), self._proof_clock())
            if colors is not None:
                self._keep(colors)
                self.lower = plain(self._cost)

    def _searched(self, k: int, clock: Clock, patience: int) -> IntArray | None:
        """A plan with k channels that violates nothing, None where none was found."""
        assert self.best is not None
        kept: list[IntArray] = []

        def keep(colors: IntArray) -> None:
            if not self.noise.disturbed(colors).any():
                kept.append(colors)

        quieten(
            self.noise,
            [np.where(self.best < k, self.best, -1)],
            self._allowed(k),
            keep,
            seed=self.task.seed,
            clock=clock,
            patience=patience,
            tell=lambda moves: self._tell(k, moves),
        )
        return kept[-1] if kept else None

    def _search(self, k: int, starts: list[IntArray], clock: Clock, patience: int) -> None:
        quieten(
            self.noise,
            starts,
            self._allowed(k),
            self._keep,
            seed=self.task.seed,
            clock=clock,
            patience=patience,
            tell=lambda moves: self._tell(k, moves),
        )

    def _keep(self, colors: IntArray) -> None:
        if self.best is None or self.noise.cost(colors) < self._cost:
            self.best = colors

    @property
    def _cost(self) -> float:
        assert self.best is not None
        return self.noise.cost(self.best)

    @property
    def _width(self) -> int:
        assert self.best is not None
        return int(self.best.max(initial=-1)) + 1

    def _greedy(self) -> IntArray:
        """A plan that violates nothing, by the lowest free frequency; as wide as it must be."""
        given, clock = self.noise.near, self.task.clock
        bans, order = (self.rules.bans, self.rules.ban_ptr), self.noise.order_in(clock)
        words = self.fewest // 32 + 1  # bits for twice the fewest channels
        is_short = self.graph.n <= MANY and clock.fits(fit_seconds(self.graph))
        while is_short and self.graph.n * words <= ENTRIES:
            found, closed = self.rules.preset.copy(), np.zeros((self.graph.n, words), np.uint64)
            if kernels.saturated_fit(*given, found, *bans, order, closed):
                return found
            words *= 2
        found = self.rules.preset.copy()
        kernels.first_fit(*given, found, *bans, order)
        return found

    def _allowed(self, k: int) -> NDArray[np.bool_]:
        return allowed_colors(self.rules, k)

    def _patience(self, moves: int) -> int:
        return moves if self.task.clock.limit is None else 2**62

    def _is_small(self, k: int) -> bool:
        return is_small(self.noise, k) and can_prove()

    def _proof_clock(self) -> Clock:
        clock = self.task.clock
        return Clock(PROOF) if clock.limit is None else clock

    def _tell(self, k: int, moves: int) -> None:
        if self.task.progress is not None and self.best is not None:
            best = Coloring(self.graph, self.best)
            bad = int(self.noise.disturbed(self.best).sum())
            self.task.progress(
                Progress(k, bad, moves, self.task.clock.seconds, best, lower=self.lower)
            )


def fit_seconds(graph: Graph) -> float:
    """How long a greedy plan takes, about, in an order that is found on the way."""
    return 1e-9 * graph.n**2 + 2e-8 * graph.m


def narrowest(graph: Graph, reach: IntArray, clock: Clock | None = None) -> int:
    r"""Channels that every plan needs, by cliques.

    The frequencies of a clique, in ascending order, are a path through it whose steps are at least
    the separations, so the shortest such path, or a spanning tree, which is no longer, bounds the
    span. Cliques are looked for among edges of at least each of some separations, as long as that
    takes no more than a tenth of the time that is left.

    >>> near = Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)])
    >>> narrowest(near, np.array([3, 1, 3]))
    5
    """
    clock, found = clock or Clock(), min(graph.n, 1)
    if not clock.fits(LEVEL * graph.m, 0.1):
        return found
    levels = np.unique(reach)
    for level in levels[np.linspace(0, len(levels) - 1, min(len(levels), LEVELS)).astype(int)]:
        if not clock.fits(LEVEL * graph.m, 0.1):
            break
        strong = graph
        if level > levels[0]:
            strong = Graph.from_edges(graph.n, graph.edges[reach >= level])
        clique = list(greedy_clique(strong))
        found = max(found, 1 + _path(_between(graph, reach, clique)))
    return found


def _between(graph: Graph, reach: IntArray, nodes: list[int]) -> IntArray:
    """The separations of the nodes of a clique ``[q, q]``."""
    place = np.full(graph.n, -1)
    place[nodes] = np.arange(len(nodes))
    ends = place[graph.edges]
    inside = (ends >= 0).all(axis=1)
    square = np.zeros((len(nodes), len(nodes)), np.int64)
    u, v = ends[inside].T
    square[u, v] = square[v, u] = reach[inside]
    return square


def _path(square: IntArray) -> int:
    """The length of a shortest path through all nodes (Held and Karp 1962), of a spanning tree
    where they are many: ``square [q, q]``."""
    q = len(square)
    if q < 2:
        return 0
    if q > EXACT_PATH:
        return _tree(square)
    far = int(square.sum()) + 1
    best = np.full((1 << q, q), far)
    best[1 << np.arange(q), np.arange(q)] = 0
    for visited in range(1, 1 << q):
        for last in range(q):
            if best[visited, last] < far:
                ways = best[visited, last] + square[last]
                for to in range(q):
                    if not visited >> to & 1:
                        onward = visited | 1 << to
                        best[onward, to] = min(best[onward, to], ways[to])
    return int(best[-1].min())


def _tree(square: IntArray) -> int:
    """Prim's: the lightest edge to a node that is not yet in the tree."""
    near, total = square[0].copy(), 0
    left = np.ones(len(square), bool)
    left[0] = False
    while left.any():
        v = int(np.where(left, near, near.max() + 1).argmin())
        total, left[v] = total + int(near[v]), False
        near = np.minimum(near, square[v])
    return total
