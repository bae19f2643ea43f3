"""What a coloring must respect beyond the edges: preset colors, forbidden colors, lists of nodes.

Nodes are given as in :meth:`Graph.node <concolor.graph.core.Graph.node>`: by their own names, or by
their numbers from 0 where no name is a number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

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
        # what a fleet of small graphs asks for
        if preset is None and not forbidden and graph.lists is None:
            return cls(np.full(graph.n, -1), np.zeros(graph.n + 1, np.int64), np.empty(0, np.int64))
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

    @classmethod
    def closing(cls, closed: NDArray[np.bool_]) -> Rules:
        """Every node v must not have the colors c with ``closed[v, c]``: ``[n, k]``."""
        ban_ptr = np.r_[0, np.cumsum(np.count_nonzero(closed, axis=1))].astype(np.int64)
        return cls(np.full(len(closed), -1), ban_ptr, np.nonzero(closed)[1])

    @property
    def fewest(self) -> int:
        """The smallest k with which 0..k-1 has a color for every node."""
        nodes = self._banned
        rank = np.arange(len(self.bans)) - self.ban_ptr[nodes]
        # ascending bans are 0, 1, 2, ... up to the first color that is allowed
        lowest = np.bincount(nodes[self.bans == rank], minlength=len(self.preset))
        return int(np.maximum(lowest, self.preset).max(initial=0)) + 1

    @cached_property
    def are_none(self) -> bool:
        """Nothing is preset or forbidden, so the names of the colors do not matter."""
        return not len(self.bans) and bool((self.preset < 0).all())

    @cached_property
    def preset_colors(self) -> IntArray:
        """The colors that are preset, each once and ascending: every coloring uses them."""
        return np.unique(self.preset[self.preset >= 0])

    @property
    def counts(self) -> dict[str, int] | None:
        """How many nodes are preset and how many have forbidden colors; None without rules."""
        if self.are_none:
            return None
        banned = np.count_nonzero(np.diff(self.ban_ptr))
        return {"preset": int(np.count_nonzero(self.preset >= 0)), "forbidden": int(banned)}

    def describe(self) -> str:
        """What is kept, in words for a report; nothing without rules.

        >>> Rules.of(Graph.from_edges(3, []), {0: 2}, {1: [0], 2: [0, 1]}).describe()
        '1 preset, 2 with forbidden colors'
        """
        return described(self.counts)

    @cached_property
    def _banned(self) -> IntArray:
        """The node of each entry of ``bans``."""
        return np.repeat(np.arange(len(self.preset)), np.diff(self.ban_ptr))

    def palette(self, k: int) -> IntArray:
        """``k`` colors that do as well as any: the preset ones, then some that no rule names.

        Of a coloring with k colors, a class without a preset node may take any name that no rule
        names: its size and its conflicts stay, and no node forbids it. So whether k colors are
        enough is decided on these, where there are at least as many as :attr:`preset_colors`.
        """
        top = max(self.preset.max(initial=-1), self.bans.max(initial=-1)) + 1
        fixed = self.preset_colors
        return np.concatenate([fixed, top + np.arange(k - len(fixed))])

    def on(self, palette: IntArray) -> Rules:
        """The same rules where color i is called ``palette[i]``, for an ascending palette.

        It must hold the preset colors; forbidden ones that it does not hold are out of reach.
        """
        there = np.isin(self.bans, palette)
        counts = np.bincount(self._banned[there], minlength=len(self.preset))
        preset = np.where(self.preset < 0, -1, np.searchsorted(palette, self.preset))
        bans = np.searchsorted(palette, self.bans[there])
        return Rules(preset, np.r_[0, np.cumsum(counts)].astype(np.int64), bans)

    def allow(self, palette: IntArray) -> NDArray[np.bool_]:
        """Whether a node may have a color of the (ascending) palette: ``[n, k]``."""
        allowed = np.ones((len(self.preset), len(palette)), bool)
        place = np.searchsorted(palette, self.bans)
        there = np.isin(self.bans, palette)
        allowed[self._banned[there], place[there]] = False
        fixed = self.preset >= 0
        allowed[fixed] = palette == self.preset[fixed, None]
        return allowed

    def accept(self, colors: IntArray) -> NDArray[np.bool_]:
        """Which nodes have a color they may have: ``[n]``."""
        fine = (self.preset < 0) | (self.preset == colors)
        fine[self._banned[colors[self._banned] == self.bans]] = False
        return np.asarray(fine)

    def adapted(self, colors: IntArray, palette: IntArray) -> IntArray:
        """The classes under names of the palette that suit most nodes: ``[n]``.

        -1 (in ``colors`` too) is for nodes without a color: those that must not have the name of
        their class, and classes for which there is no name. Of equal names a class keeps its own.

        >>> rooms = Graph.from_edges(3, [(0, 1), (1, 2)])
        >>> Rules.of(rooms, {1: 0}).adapted(np.array([0, 1, 0]), np.arange(2)).tolist()
        [1, 0, 1]
        """
        names, member = np.unique(colors, return_inverse=True)
        q, n = len(names), len(colors)
        if np.isin(names, palette).all() and self.accept(colors).all():
            return colors  # nothing suits better
        holds = sp.csr_array((colors >= 0, (member, np.arange(n))), (q, n), dtype=np.int64)
        suits = holds @ self.allow(palette)  # [q, k]
        gains = 1 + np.pad(suits * (q + 1) + (names[:, None] == palette), ((0, 0), (0, q)))
        _, place = min_weight_full_bipartite_matching(sp.csr_array(gains), maximize=True)
        new = np.r_[palette, np.full(q, -1)][place][member]
        return np.where((colors >= 0) & self.accept(new), new, -1)

    def renumbered(self, colors: IntArray, k: int | None = None) -> IntArray | None:
        """The same classes under the lowest names that the rules allow: ``[n]``, or None.

        A class that has a preset color keeps it. The others get different names of 0..k-1 (of any,
        where k is None) that none of their nodes forbids; None says that there are no such, or that
        a preset is not kept. The sum of the names is smallest, and so is each: the sets of names
        that can be given to classes are the independent sets of a matroid. Of equal choices it is
        the one where most classes keep their names.

        >>> rooms = Graph.from_edges(3, [(0, 1), (1, 2)])
        >>> Rules.of(rooms, {0: 2}, {1: [0]}).renumbered(np.array([2, 7, 5])).tolist()
        [2, 1, 0]
        """
        names, member = np.unique(colors, return_inverse=True)
        q = len(names)
        if self.are_none:
            return None if k is not None and q > k else member
        loose = ~np.isin(names, self.preset_colors)
        lowest = np.setdiff1d(np.arange(q + len(self.preset_colors)), self.preset_colors)
        if np.array_equal(names[loose], lowest[: loose.sum()]) and self.accept(colors).all():
            return colors if k is None or names[-1] < k else None
        banned = np.zeros((q, int(self.bans.max(initial=-1)) + 1), bool)
        banned[member[self._banned], self.bans] = True
        top = k or q + int(banned.sum(axis=1).max(initial=0))  # so that each has q to choose from
        if loose.sum() > top:
            return None
        costs = 1 + (q + 1) * (1 + np.tile(np.arange(top), (q, 1)))  # 0 would be no edge
        costs -= names[:, None] == np.arange(top)
        costs[:, : banned.shape[1]][banned[:, :top]] = 0
        costs[:, self.preset_colors[self.preset_colors < top]] = 0
        try:
            _, new = min_weight_full_bipartite_matching(sp.csr_array(costs[loose]))
        except ValueError:  # no full matching exists
            return None
        names[loose] = new
        return names[member] if self.accept(names[member]).all() else None


def naming_seconds(n: int, q: int, k: int) -> float:
    """How long it takes to name q classes of n nodes by k colors, about: mostly a matching."""
    return 1e-8 * n * k + 6e-7 * q * (q + k)


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
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} must be whole numbers, got lists among them") from None
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


def described(counts: Mapping[str, int] | None) -> str:
    """:attr:`Rules.counts` in words."""
    words = {"preset": "preset", "forbidden": "with forbidden colors"}
    return ", ".join(f"{count} {words[kind]}" for kind, count in (counts or {}).items() if count)
