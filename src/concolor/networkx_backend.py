"""A backend of networkx: ``nx.greedy_color(G, strategy, backend="concolor")`` in compiled loops.

networkx finds this module by an entry point when one of its functions is called, and
:mod:`concolor.networkx_info` whenever it is imported. What a function here cannot do,
:func:`can_run` refuses, and networkx does it by itself where it may.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from concolor.coloring import Coloring
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats.convert import as_graph, to_networkx
from concolor.graph.structure import breadth_first, by_degree, core_order, depth_first
from concolor.rules import Forbidden, Preset, Rules
from concolor.solvers.greedy import fitted, independent_sets, saturated

if TYPE_CHECKING:
    import networkx as nx

    from concolor.answer import ModelChoice


def best_color(
    G: nx.Graph | Graph,
    *,
    k: int | None = None,
    model: ModelChoice | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
) -> dict[Hashable, int]:
    """A color for every node by all that this package has: see :func:`concolor.color`.

    >>> import networkx as nx
    >>> best_color(nx.path_graph("abc"))
    {'a': 1, 'b': 0, 'c': 1}
    """
    from concolor.answer import color

    return color(
        as_graph(G),
        k=k,
        model=model,
        seed=seed,
        time_limit=time_limit,
        preset=preset,
        forbidden=forbidden,
    ).by_node()


def greedy_color(
    G: Graph, strategy: str = "largest_first", interchange: bool = False
) -> dict[Hashable, int]:
    """First fit in the order of a strategy, as in networkx; ties may be broken differently."""
    return Coloring(G, STRATEGIES[strategy](G)).by_node()


def equitable_color(G: Graph, num_colors: int) -> dict[Hashable, int]:
    """Classes whose sizes differ by at most one, as in networkx; more colors than neighbors."""
    import networkx as nx

    from concolor.solvers.balance import balanced

    most = int(G.degrees.max(initial=0))
    if num_colors <= most:
        raise nx.NetworkXAlgorithmError(
            f"{G.name} has a node with {most} neighbors: an equitable coloring is certain with "
            f"{most + 1} colors or more, got num_colors={num_colors}"
        )
    found = balanced(G, num_colors)
    sizes = np.bincount(found.colors, minlength=num_colors)
    if G.n and np.ptp(sizes) > 1:  # never seen; networkx's way is slow, and certain to end
        colors: dict[Hashable, int] = nx.equitable_color.orig_func(to_networkx(G), num_colors)
        return colors
    return found.by_node()


def can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """True, or why this call is not for us."""
    given = dict(zip(PARAMETERS[name], args, strict=False)) | dict(kwargs)
    if not isinstance(given["G"], Graph) and given["G"].is_directed():
        return "the graph is directed"
    if name == "greedy_color":
        strategy = given.get("strategy", "largest_first")
        if not isinstance(strategy, str) or strategy not in STRATEGIES:
            return f"the strategy is one of {', '.join(STRATEGIES)}, not {strategy!r}"
        if given.get("interchange", False):
            return "colors are not interchanged here"
    return True


def convert_from_nx(graph: Any, **options: Any) -> Graph:
    """Our graph of a networkx graph; attributes of nodes and edges are not looked at."""
    return as_graph(graph)


def convert_to_nx(result: Any, **options: Any) -> Any:
    """The networkx graph of ours; anything else is a result as it is."""
    return to_networkx(result) if isinstance(result, Graph) else result


def _shuffled(graph: Graph) -> IntArray:
    """The nodes as networkx would shuffle them, by the random numbers of Python."""
    order = list(range(graph.n))
    random.shuffle(order)
    return np.array(order, np.int64)


def _in_order(order: Callable[[Graph], IntArray]) -> Callable[[Graph], IntArray]:
    return lambda graph: fitted(graph, order(graph), Rules.of(graph))


PARAMETERS = {
    "greedy_color": ("G", "strategy", "interchange"),
    "equitable_color": ("G", "num_colors"),
}

STRATEGIES: dict[str, Callable[[Graph], IntArray]] = {
    "largest_first": _in_order(by_degree),
    "random_sequential": _in_order(_shuffled),
    "smallest_last": _in_order(core_order),
    "independent_set": independent_sets,
    "connected_sequential_bfs": _in_order(breadth_first),
    "connected_sequential_dfs": _in_order(depth_first),
    "connected_sequential": _in_order(breadth_first),
    "saturation_largest_first": lambda graph: saturated(graph, Rules.of(graph)),
    "DSATUR": lambda graph: saturated(graph, Rules.of(graph)),
}
