"""The compared methods and the polish: from a graph to a coloring, without a trained model.

:func:`solve` is the one call. What a method needs (numba, torch, python-sat) is imported when it
runs, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from concolor.coloring import Coloring
from concolor.errors import InputError, pick
from concolor.goal import Report
from concolor.graph.core import Graph
from concolor.registry import resolve
from concolor.rules import Forbidden, Preset


@dataclass(frozen=True)
class Solver:
    """An entry of :data:`SOLVERS`.

    Attributes:
        doc: What it is.
        home: ``"module:function"`` in this package, imported on first use.
        options: What it understands beyond ``k``, ``max_mono``, ``seed``, ``time_limit`` and
            ``progress``, which all of them do.
    """

    doc: str
    home: str
    options: tuple[str, ...] = ("start",)

    @property
    def run(self) -> Callable[..., Coloring]:
        """The function itself: ``run(graph, *, k, max_mono, seed, time_limit, progress, ...)``."""
        function: Callable[..., Coloring] = resolve(f"{__name__}.{self.home}")
        return function


def solve(
    graph: Graph,
    method: str = "tabucol",
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
    progress: Report | None = None,
) -> Coloring:
    """Color a graph with a method of :data:`SOLVERS`.

    Args:
        graph: What to color.
        method: A name in :data:`SOLVERS`.
        k: At most this many colors, with the fewest conflicts found.
        max_mono: The fewest colors with at most this fraction of monochromatic edges. Neither of
            the two: the fewest colors without conflicts.
        seed: The same seed gives the same coloring, unless time cuts the search.
        time_limit: In seconds; without one the neural methods take 900, the others what they need.
            On time-out and on Ctrl-C the best so far is returned.
        start: A coloring to begin from.
        threads: Searches side by side.
        preset: Colors that nodes must have: a mapping by node number or name, or an array ``[n]``
            with -1 for the others.
        forbidden: Colors that nodes must not have: a mapping from nodes to colors.
        variant: Which network of pi-gnn, ``"sage"`` or ``"gcn"``.
        faithful: Stop the neural methods by their published rules.
        progress: Called now and then with a :class:`~concolor.goal.Progress`.

    >>> from concolor.graph.families import family
    >>> solve(family("queen:7x7")), solve(family("complete:5"), "dsatur", k=3)
    (Coloring('queen:7x7', k=7, conflicts=0), Coloring('complete:5', k=3, conflicts=2))
    """
    given = understood(
        method,
        {
            "start": start,
            "threads": threads,
            "preset": preset,
            "forbidden": forbidden,
            "variant": variant,
            "faithful": faithful,
        },
    )
    if time_limit is not None:
        given["time_limit"] = time_limit  # left out, the method's own default holds
    return SOLVERS[method].run(graph, k=k, max_mono=max_mono, seed=seed, progress=progress, **given)


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

SOLVERS: dict[str, Solver] = {
    "dsatur": Solver("greedy, the most constrained node first", "plain:dsatur", _RULES),
    "largest-first": Solver("greedy, by falling degree", "plain:largest_first", _RULES),
    "smallest-last": Solver("greedy, from the core outwards", "plain:smallest_last", _RULES),
    "rlf": Solver("greedy, one color class after the other", "plain:rlf", ()),
    "discrete-color": Solver(
        "local search, down to a minimum", "local_search:discrete_color", ("start", *_RULES)
    ),
    "full-color": Solver("the same with 1, 2, ... colors", "local_search:full_color"),
    "tabucol": Solver("tabu search", "local_search:tabucol", ("start", "threads", *_RULES)),
    "exact": Solver("a coloring proved optimal, by SAT", "exact:exact"),
    "pi-gnn": Solver(
        "a graph network trained on the graph itself",
        "pi_gnn:pi_gnn",
        ("start", "variant", "faithful"),
    ),
    "full-gcn": Solver(
        "the same, color by color from a warm start", "full_gcn:full_gcn", ("start", "faithful")
    ),
    "null": Solver("best of ten random balanced colorings", "plain:null", ()),
}
