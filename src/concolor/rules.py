"""What a coloring must respect beyond the edges: preset colors, forbidden colors, lists of nodes.

Nodes are given as in :meth:`Graph.node <concolor.graph.core.Graph.node>`: by their own names, or by
their numbers from 0 where no name is a number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray, Lists

T = TypeVar("T")
ByNode: TypeAlias = Mapping[Any, T]  # by any name, text or number that Graph.node takes
Preset: TypeAlias = ByNode[int] | ArrayLike
Forbidden: TypeAlias = ByNode[Iterable[int]]

MANY = 4096  # colors are numbered from 0; a higher name without a k to match is a mistake


@dataclass(frozen=True, eq=False)
class Rules:
    """Preset and forbidden colors, checked against the graph and each other.

    Attributes:
        preset: ``[n]``; the color a node must have, or -1.
        ban_ptr: ``[n + 1]``; node v must not have ``bans[ban_ptr[v]:ban_ptr[v + 1]]``.
        bans: The forbidden colors, node by node, ascending.
    """

    preset: IntArray
    ban_ptr: IntArray
    bans: IntArray

    @classmethod
    def of(
        cls,
        graph: Graph,
        preset: Preset | None = None,
        forbidden: Forbidden | None = None,
        *,
        k: int | None = None,
    ) -> Rules:
        """Check what was given; colors are ``0..k-1`` where k is.

        Lists of the graph forbid the other colors of 0..k-1, k being by default the number that
        :func:`listed_k` says; a list of one color is a preset.

        Args:
            preset: Color by node, or an array ``[n]`` with -1 for the free nodes.
            forbidden: Colors that a node must not have, by node.

        >>> rooms = Graph.from_edges(2, [(0, 1)], names=["math", "art"])
        >>> Rules.of(rooms, {"art": 2}).preset.tolist()
        [-1, 2]
        """
        k = listed_k(graph.lists) if k is None and graph.lists is not None else k
        top = MANY if k is None else k
        fixed = _preset(graph, preset, top)
        nodes, colors = _pairs(graph, forbidden or {})
        if k is None:
            _check_colors(colors, top, "forbidden")
        nodes, colors = nodes[colors < top], colors[colors < top]
        if graph.lists is not None:
            fixed, nodes, colors = _with_lists(graph.lists, top, fixed, nodes, colors)
        counts = np.bincount(nodes, minlength=graph.n)
        found = cls(fixed, np.r_[0, np.cumsum(counts)].astype(np.int64), colors)
        if not found.are_none:
            _refuse_contradictions(graph, found, nodes, top)
        return found

    @property
    def fewest(self) -> int:
        """The smallest k with which 0..k-1 has a color for every node."""
        nodes = np.repeat(np.arange(len(self.preset)), np.diff(self.ban_ptr))
        rank = np.arange(len(self.bans)) - self.ban_ptr[nodes]
        # ascending bans are 0, 1, 2, ... up to the first color that is allowed
        lowest = np.bincount(nodes[self.bans == rank], minlength=len(self.preset))
        return int(np.maximum(lowest, self.preset).max(initial=0)) + 1

    @property
    def are_none(self) -> bool:
        """Nothing is preset or forbidden, so the names of the colors do not matter."""
        return not len(self.bans) and bool((self.preset < 0).all())

    def allow(self, palette: IntArray) -> NDArray[np.bool_]:
        """Whether a node may have a color of the (ascending) palette: ``[n, k]``."""
        allowed = np.ones((len(self.preset), len(palette)), bool)
        nodes = np.repeat(np.arange(len(self.preset)), np.diff(self.ban_ptr))
        place = np.searchsorted(palette, self.bans).clip(max=len(palette) - 1)
        there = palette[place] == self.bans
        allowed[nodes[there], place[there]] = False
        fixed = self.preset >= 0
        allowed[fixed] = palette == self.preset[fixed, None]
        return allowed

    def accept(self, colors: IntArray) -> NDArray[np.bool_]:
        """Which nodes have a color they may have: ``[n]``."""
        nodes = np.repeat(np.arange(len(colors)), np.diff(self.ban_ptr))
        fine = (self.preset < 0) | (self.preset == colors)
        fine[nodes[colors[nodes] == self.bans]] = False
        return np.asarray(fine)


def listed_k(lists: Lists) -> int:
    """How many colors lists speak of: the highest in one of them, and all below."""
    highest = max(colors[-1] for colors in lists.values())
    _check_colors(np.array([highest]), MANY, "lists")
    return highest + 1


def _with_lists(
    lists: Lists, top: int, fixed: IntArray, nodes: IntArray, colors: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Preset and forbidden colors, together with what the lists say of 0..top-1."""
    out, single = np.ones((len(lists), top), bool), fixed.copy()
    for row, (node, allowed) in enumerate(lists.items()):
        out[row, [color for color in allowed if color < top]] = False
        if len(allowed) == 1 and allowed[0] < top and fixed[node] < 0:
            single[node] = allowed[0]
    rows, banned = np.nonzero(out)
    keys = np.r_[nodes * top + colors, np.array(list(lists))[rows] * top + banned]
    return single, *np.divmod(np.unique(keys), top)


def _preset(graph: Graph, preset: Preset | None, top: int) -> IntArray:
    if isinstance(preset, Mapping):
        for node, color in preset.items():
            if isinstance(color, Collection):
                raise InputError(f"preset wants one color for node {node}, got {color!r}")
        nodes = _nodes(graph, preset, "preset")
        given = _whole(list(preset.values()), "preset colors")
        fixed = np.full(graph.n, -1, np.int64)
        fixed[nodes] = given
        twice = np.flatnonzero(fixed[nodes] != given)
        if len(twice):
            node, color = nodes[twice[0]], given[twice[0]]
            raise InputError(
                f"preset: node {graph.node_names[node]} is given twice, by number and by name, "
                f"with colors {color} and {fixed[node]}; keep one"
            )
    else:
        fixed = np.full(graph.n, -1) if preset is None else _whole(preset, "preset colors")
        if fixed.shape != (graph.n,):
            raise InputError(f"preset colors must have shape [n={graph.n}], got {fixed.shape}")
        given = fixed[fixed != -1]
    _check_colors(given, top, "preset")
    return fixed


def _pairs(graph: Graph, forbidden: Forbidden) -> tuple[IntArray, IntArray]:
    """The pairs (node, forbidden color), ascending and each once."""
    for node, colors in forbidden.items():
        if not isinstance(colors, Iterable):
            raise InputError(f"forbidden wants a list of colors for node {node}, got {colors!r}")
    given = zip(_nodes(graph, forbidden, "forbidden"), forbidden.values(), strict=True)
    pairs = [(v, c) for v, colors in given for c in colors]
    nodes, colors = _whole(pairs, "forbidden colors").reshape(-1, 2).T
    if len(colors) and colors.min() < 0:
        raise InputError(f"forbidden colors are numbers >= 0, got {colors.min()}")
    unique = np.unique(np.stack([nodes, colors]), axis=1)
    return unique[0], unique[1]


def _whole(values: object, what: str) -> IntArray:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{what} must be whole numbers, got {array.dtype}")
    return array.astype(np.int64)


def _nodes(graph: Graph, given: Iterable[Any], what: str) -> list[int]:
    try:
        return [graph.node(node) for node in given]
    except InputError as problem:
        raise InputError(f"{what}: {problem}") from None


def _check_colors(colors: IntArray, top: int, what: str) -> None:
    out = colors[(colors < 0) | (colors >= top)]
    if len(out):
        raise InputError(
            f"{what}: color {out[0]} is out of range 0..{top - 1}; number the colors from 0, "
            "and give a k above the highest"
        )


def _refuse_contradictions(graph: Graph, found: Rules, nodes: IntArray, top: int) -> None:
    fixed = found.preset
    u, v = graph.edges.T
    clash = np.flatnonzero((fixed[u] >= 0) & (fixed[u] == fixed[v]))
    if len(clash):
        a, b = (graph.node_names[node] for node in graph.edges[clash[0]])
        raise InputError(
            f"nodes {a} and {b} are adjacent and both preset to color {fixed[u[clash[0]]]}; "
            "change one of them"
        )
    bad = nodes[fixed[nodes] == found.bans]
    if len(bad):
        raise InputError(
            f"color {fixed[bad[0]]} is preset and forbidden for node {graph.node_names[bad[0]]}; "
            "drop one"
        )
    full = np.flatnonzero(np.diff(found.ban_ptr) >= top)
    if len(full):
        raise InputError(
            f"all colors 0..{top - 1} are forbidden for node {graph.node_names[full[0]]}; "
            "allow one, or raise k"
        )
