"""Greedy colorings, the reference of every table; DSATUR is also where training labels come from.

Ties are broken differently in every library, which changes a color here and there. Ours are those
of rustworkx, color by color, up to 50,000 nodes; networkx, which the paper names, now and then
differs by a color. DSATUR of a larger graph takes linear time, and of equal nodes the one that was
so first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import AT_ONCE, Solution, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import by_degree, core_order, csr
from concolor.rules import Forbidden, Preset, Rules

Greedy: TypeAlias = Callable[[Graph, Rules], IntArray]  # colors [n] that keep the rules
Seconds: TypeAlias = Callable[[Graph, int], float]  # how long that takes with so many colors, about
Wishes: TypeAlias = NDArray[np.float32]  # [n, k]: how much a node wants each of the first k colors
HEAP = 50_000  # nodes up to which DSATUR has a heap, which breaks ties as rustworkx does
LINES = 4  # lines for each node, at most, where they wait in lines: many in a graph with a hub


def dsatur(
    graph: Graph, *, preset: Preset | None = None, forbidden: Forbidden | None = None
) -> Coloring:
    """First free color for the node whose neighbors show most colors.

    (Brélaz 1979.) Ties go to the node with most neighbors that have no color yet. Proper,
    deterministic, exact on bipartite graphs where nothing is preset.

    >>> from concolor.graph.families import family
    >>> dsatur(family("wheel:12")).k
    4
    """
    return Coloring(graph, saturated(graph, Rules.of(graph, preset, forbidden)))


def largest_first(
    graph: Graph, *, preset: Preset | None = None, forbidden: Forbidden | None = None
) -> Coloring:
    """First free color for the nodes by falling degree (Welsh and Powell 1967)."""
    return greedy(graph, by_degree(graph), preset=preset, forbidden=forbidden)


def smallest_last(
    graph: Graph, *, preset: Preset | None = None, forbidden: Forbidden | None = None
) -> Coloring:
    """First free color for the nodes, those that were last removed by smallest degree first.

    (Matula and Beck 1983.) At most one color more than the degeneracy of the graph, ``O(n + m)``.
    """
    return greedy(graph, core_order(graph), preset=preset, forbidden=forbidden)


def rlf(graph: Graph) -> Coloring:
    """Recursive largest first (Leighton 1979): color by color, each class as large as it gets.

    Slower than DSATUR, and often a color or more better on dense graphs.
    """
    from concolor.solvers.kernels import greedy as kernels

    return Coloring(graph, kernels.recursive_largest_first(*csr(graph), _is_dense(graph)))


def rlf_seconds(graph: Graph, k: int) -> float:
    """How long :func:`rlf` takes, about, where k colors are enough."""
    return 6e-7 * graph.n + (1.3e-9 if _is_dense(graph) else 1e-7) * graph.m * k


def _is_dense(graph: Graph) -> bool:
    """The mean degree is above sqrt(n / 40), where both ways of RLF are about equal."""
    return 160 * graph.m**2 > graph.n**3


def independent_sets(graph: Graph) -> IntArray:
    """Color by color ``[n]``: the node with fewest neighbors among those that may still join.

    (Greedy independent sets, Johnson 1974.) RLF, which looks at the nodes that are left out, is
    better.
    """
    from concolor.solvers.kernels import greedy as kernels

    return kernels.independent_sets(*csr(graph))


def greedy(
    graph: Graph,
    order: ArrayLike,
    *,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
) -> Coloring:
    """First free color for the nodes in a given order, after the preset ones; compiled.

    >>> from concolor.graph.families import family
    >>> greedy(family("path:4"), [0, 3, 1, 2]).colors.tolist()
    [0, 1, 2, 0]
    """
    nodes = np.asarray(order)
    if not np.array_equal(np.sort(nodes), np.arange(graph.n)):
        raise InputError(f"the order must name each of the {graph.n} nodes of {graph.name} once")
    rules = Rules.of(graph, preset, forbidden)
    return Coloring(graph, fitted(graph, nodes.astype(np.int64), rules))


def fitted(graph: Graph, order: IntArray, rules: Rules, colors: IntArray | None = None) -> IntArray:
    """First fit for the nodes that ``colors`` leaves at -1 (all but the preset, if not given)."""
    from concolor.solvers.kernels import greedy as kernels

    colors = rules.preset.copy() if colors is None else colors.copy()
    room = (graph.degrees + np.diff(rules.ban_ptr)).max(initial=0) + 1
    seen = np.full(room, -1)
    kernels.first_fit(*csr(graph), order, colors, rules.ban_ptr, rules.bans, seen)
    return colors


def saturated(graph: Graph, rules: Rules, scores: Wishes | None = None) -> IntArray:
    """The colors ``[n]`` of DSATUR under the rules.

    Args:
        scores: ``[n, k]``: of the colors 0..k-1 that are free to it, a node takes the one that it
            scores highest; by default the first free one.
    """
    wishes = np.empty((graph.n, 0), np.float32) if scores is None else scores
    highest = max(rules.preset.max(initial=0), rules.bans.max(initial=0), wishes.shape[1])
    room = int(highest) + 1
    while True:  # few graphs need more colors than fit into a word, and for them twice is not much
        levels, shift = _lines(graph, rules, -(-room // 32) * 32)
        in_lines = graph.n > HEAP and levels << shift <= min(LINES * graph.n, 2**31 - 1)
        way, word = (_in_lines, 32) if in_lines else (_in_a_heap, 64)
        colors, words = rules.preset.copy(), -(-room // word)
        if way(graph, rules, wishes, colors, words):
            return colors
        room = 2 * word * words


def _lines(graph: Graph, rules: Rules, room: int) -> tuple[int, int]:
    """Levels of lines for so many colors, and the bits that count neighbors without a color."""
    closed = int((graph.degrees + np.diff(rules.ban_ptr)).max(initial=0))
    return min(room, closed) + 1, int(graph.degrees.max(initial=0)).bit_length()


def _in_a_heap(graph: Graph, rules: Rules, wishes: Wishes, colors: IntArray, words: int) -> bool:
    """Fill in the colors; whether so many words were enough for all of them."""
    from concolor.solvers.kernels.greedy import saturation

    closed = np.zeros((graph.n, words), np.uint64)
    return saturation(*csr(graph), wishes, colors, rules.ban_ptr, rules.bans, closed)


def _in_lines(graph: Graph, rules: Rules, wishes: Wishes, colors: IntArray, words: int) -> bool:
    from concolor.solvers.kernels.saturation import LINE, prepare, saturation_in_lines

    levels, shift = _lines(graph, rules, 32 * words)
    nodes = np.zeros((graph.n, words + 3), np.int32)
    if rules.are_none:
        nodes[:, words + LINE] = graph.degrees
    else:
        prepare(*csr(graph), colors, rules.ban_ptr, rules.bans, nodes, shift)
    lines = np.full((levels << shift, 2), -1, np.int32)
    is_line = np.zeros((levels, (1 << shift) // 64 + 1), np.int64)
    enough = saturation_in_lines(*csr(graph), wishes, nodes, lines, is_line, shift)
    np.copyto(colors, nodes[:, 0], where=colors < 0)
    return enough


def saturated_seconds(graph: Graph) -> float:
    """How long :func:`saturated` takes, about; twice where it has to begin again."""
    return 1e-6 * graph.n + 6e-8 * graph.m


def _whatever_colors(graph: Graph, k: int) -> float:
    """The same as :data:`Seconds`: how many colors it makes changes little."""
    return saturated_seconds(graph)


def first_fit_seconds(graph: Graph) -> float:
    """How long :func:`fitted` takes, about, by falling degree."""
    return 8e-8 * graph.n + 8e-9 * graph.m


def begun(task: Task) -> IntArray:
    """The colors ``[n]`` that a search begins with: DSATUR's, or where there is no time for that
    those of first fit by falling degree, which takes as long as to look at every edge once."""
    return _in_time(task, saturated, _whatever_colors, 0.5)


def _in_time(task: Task, make: Greedy, seconds: Seconds, part: float) -> IntArray:
    """What a way makes whose estimated seconds fit into a part of the time, else first fit by
    falling degree.

    Where they are not next to none, first fit is made in any case: it shows how slow the machine
    is, and how many colors may be needed.
    """
    graph, rules, clock = task.graph, task.goal.rules, task.clock
    most = math.isqrt(2 * graph.m) + 1  # every class of a greedy coloring has edges to all before
    if clock.limit is None or seconds(graph, most) <= AT_ONCE:
        return make(graph, rules)
    with clock.watching(first_fit_seconds(graph)):
        first = fitted(graph, by_degree(graph), rules)
    about = seconds(graph, int(first.max(initial=0)) + 1)
    if not clock.fits(about, part):
        return first
    with clock.watching(about):
        return make(graph, rules)


def solver(make: Greedy, seconds: Seconds) -> Callable[[Task], Solution]:
    """A greedy coloring asked like every other solver: for k, or for few colors.

    One with more colors than asked for loses its smallest classes: their nodes go, one by one, to
    the color with the fewest conflicts. One that does not fit into the time limit is first fit by
    falling degree.
    """

    def run(task: Task) -> Solution:
        from concolor.solvers.descent import cut_down

        made = Coloring(task.graph, _in_time(task, make, seconds, 1.0))
        if task.goal.budget == 0 and task.goal.has_room(made.colors):
            return task.solution(made)
        return cut_down(task.but(start=made))

    return run


solve_dsatur = solver(saturated, _whatever_colors)
solve_largest_first = solver(
    lambda graph, rules: fitted(graph, by_degree(graph), rules), lambda graph, k: 0.0
)
solve_smallest_last = solver(
    lambda graph, rules: fitted(graph, core_order(graph), rules), _whatever_colors
)
solve_rlf = solver(lambda graph, rules: rlf(graph).colors, rlf_seconds)
