"""The compared methods and the polish: from a graph to a coloring, without a trained model.

:func:`solve` is the one call. What a method needs (numba, torch, python-sat) is imported when it
runs, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from concolor.coloring import Coloring
from concolor.errors import InputError, Interrupted, pick
from concolor.fleet import for_many
from concolor.goal import OnProgress, Solution, Task
from concolor.registry import resolve
from concolor.rules import Forbidden, Preset

if TYPE_CHECKING:
    from concolor.graph.formats.convert import GraphLike


@dataclass(frozen=True)
class Solver:
    """An entry of :data:`SOLVERS`.

    Attributes:
        doc: What it is.
        home: ``"module:function"`` in this package, imported on first use.
        options: What it understands beyond what a :class:`~concolor.goal.Task` always holds.
        time_limit: Seconds, where the caller names none; None for as many as it needs.
        weighed: The home of what it does where edges have weights; empty where it knows none.
    """

    doc: str
    home: str
    options: tuple[str, ...] = ("start",)
    time_limit: float | None = None
    weighed: str = ""

    @property
    def run(self) -> Callable[..., Solution]:
        """The function itself: ``run(task, **options)``."""
        function: Callable[..., Solution] = resolve(f"{__name__}.{self.home}")
        return function

    @property
    def run_weighed(self) -> Callable[..., Solution]:
        """The same for edges with weights."""
        function: Callable[..., Solution] = resolve(f"{__name__}.{self.weighed}")
        return function


def solve(
    graph: GraphLike,
    method: str = "portfolio",
    *,
    k: int | None = None,
    max_mono: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    start: Coloring | None = None,
    threads: int | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    variant: str | None = None,
    faithful: bool | None = None,
    max_class: int | None = None,
    balanced: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    progress: OnProgress | None = None,
) -> Solution:
    """Color a graph with a method of :data:`SOLVERS`.

    Args:
        graph: What to color, of any kind that :func:`concolor.color` takes.
        method: A name in :data:`SOLVERS`.
        k: At most this many colors, with the fewest conflicts found; with the least weight of them
            where the graph has weights, which portfolio, tabucol and exact know.
        max_mono: The fewest colors with at most this fraction of monochromatic edges. Neither of
            the two: the fewest colors without conflicts.
        seed: The same seed gives the same coloring, unless time cuts the search.
        time_limit: In seconds; then the best so far is returned. Loading compiled code does not
            count. Without one the neural methods take 900, the others what they need.
        start: A coloring to begin from.
        threads: Searches side by side; portfolio and memetic have two, and give the same with one.
        preset: Colors that nodes must have: a mapping by node number or name, or an array ``[n]``
            with -1 for the others.
        forbidden: Colors that nodes must not have: a mapping from nodes to colors.
        variant: Which network of pi-gnn, ``"sage"`` or ``"gcn"``.
        faithful: Stop the neural methods by their published rules.
        max_class: The most nodes that may have the same color; k rises where it must.
        balanced: Make the classes as equal as can be, k of them where k is given.
        workers: Processes of this machine that share the graph, for the method speculative.
        cluster: Address of a Dask scheduler whose workers share it, instead.
        progress: Called now and then with a :class:`~concolor.goal.Progress`.

    Returns:
        The coloring, and a proved lower bound of what was minimized.

    Raises:
        Interrupted: On Ctrl-C, with the solution so far in ``best``.

    >>> from concolor.graph.families import family
    >>> solve(family("queen:7x7"))
    Solution(Coloring('queen:7x7', k=7, conflicts=0), proved optimal)
    >>> solve(family("complete:5"), "dsatur", k=3).coloring.conflicts
    2
    """
    options = {"threads": threads, "variant": variant, "faithful": faithful}
    options |= {"workers": workers, "cluster": cluster}
    given = understood(method, options)
    lists = getattr(graph, "lists", None)
    understood(method, {"start": start, "preset": preset, "forbidden": forbidden or lists})
    if time_limit is not None:
        from concolor.solvers.local_search import warm_up  # imports numba

        warm_up()
        if getattr(graph, "weights", None) is not None:
            from concolor.solvers import interference

            interference.warm_up()
    task = Task.of(
        graph,
        k=k,
        max_mono=max_mono,
        preset=preset,
        forbidden=forbidden,
        seed=seed,
        time_limit=SOLVERS[method].time_limit if time_limit is None else time_limit,
        start=start,
        progress=progress,
        max_class=max_class,
        balanced=balanced,
        weighted=True,
    )
    if task.goal.weights is not None:
        _refuse_blind(method, task)
        return SOLVERS[method].run_weighed(task, **given)
    if not task.goal.has_sizes:
        return SOLVERS[method].run(task, **given)
    from concolor.solvers.balance import evened

    clock = task.clock.share(0.8)
    try:
        found = SOLVERS[method].run(task.but(goal=task.goal.of_any_sizes, clock=clock), **given)
    except Interrupted as stop:
        raise Interrupted(evened(task, stop.best)) from stop
    return evened(task, found)


solve_many = for_many(solve)


def _refuse_blind(method: str, task: Task) -> None:
    if not SOLVERS[method].weighed:
        able = ", ".join(other for other in SOLVERS if SOLVERS[other].weighed)
        raise InputError(
            f"{method} does not know the weights of {task.graph.name}: use one of {able}, or drop "
            "them: graph.but(weights=None)"
        )


def understood(method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not None, all of which the method must understand.

    >>> understood("tabucol", {"threads": 2, "variant": None})
    {'threads': 2}
    """
    known = pick(SOLVERS, method, "method").options
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in known:
            able = ", ".join(other for other in SOLVERS if name in SOLVERS[other].options)
            raise InputError(
                f"{method} does not understand {name}; leave it out, or use one of {able}"
            )
    return given


_RULES = ("preset", "forbidden")
_SIDE = ("start", "threads")
_SEARCH = (*_SIDE, *_RULES)
_NEURAL = 900.0  # seconds, as in the paper

SOLVERS: dict[str, Solver] = {
    "dsatur": Solver("greedy, the most constrained node first", "greedy:solve_dsatur", _RULES),
    "largest-first": Solver("greedy, by falling degree", "greedy:solve_largest_first", _RULES),
    "smallest-last": Solver("greedy, from the core outwards", "greedy:solve_smallest_last", _RULES),
    "rlf": Solver("greedy, one color class after the other", "greedy:solve_rlf", ()),
    "speculative": Solver(
        "greedy on two cores or in blocks on many, then recolored: graphs of any size",
        "speculative:solve_speculative",
        ("threads", "workers", "cluster"),
    ),
    "discrete-color": Solver(
        "local search, down to a minimum", "local_search:discrete_color", ("start", *_RULES)
    ),
    "full-color": Solver("the same with 1, 2, ... colors", "local_search:full_color"),
    "portfolio": Solver(
        "the next four in turn", "portfolio:portfolio", _SEARCH, weighed="weights:lightest"
    ),
    "tabucol": Solver("tabu search", "local_search:tabucol", _SEARCH, weighed="weights:lightest"),
    "weighted": Solver(
        "the same, edges that stay in conflict weigh more", "local_search:weighted_tabu", _SEARCH
    ),
    "partialcol": Solver(
        "the same, nodes without a color instead of conflicts", "local_search:partialcol", _SEARCH
    ),
    "memetic": Solver("two colorings, crossed, tabu search between", "memetic:memetic", _SEARCH),
    "focused": Solver("random moves at conflicts, for large graphs", "focused:focused", _SIDE),
    "belief": Solver("belief propagation, then tabu search", "belief:belief"),
    "exact": Solver(
        "a coloring proved optimal, by SAT and branch and price",
        "exact:exact",
        ("start", *_RULES),
        weighed="weights:proved_lightest",
    ),
    "pi-gnn": Solver(
        "a graph network trained on the graph itself",
        "pi_gnn:pi_gnn",
        ("start", "variant", "faithful"),
        _NEURAL,
    ),
    "full-gcn": Solver(
        "the same, color by color from a warm start",
        "full_gcn:full_gcn",
        ("start", "faithful"),
        _NEURAL,
    ),
    "null": Solver("best of ten random balanced colorings", "null:solve_null", ()),
}
