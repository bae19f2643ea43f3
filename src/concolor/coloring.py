"""``Coloring``: an answer that checks itself against its graph."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from concolor.errors import FormatError, InputError
from concolor.files import read_json, read_text, write_atomically
from concolor.graph.core import Graph, IntArray
from concolor.graph.naming import written_names
from concolor.graph.weights import exact_sum, plain
from concolor.registry import resolve

MOST = 10**18  # a color in a file is below that
MANY = 1_000_000  # edges from which a compiled loop is faster, even if it has to be loaded
_Row: TypeAlias = tuple[int, list[str]]  # the number of a line, and its cells


def count_conflicts(graph: Graph, colors: IntArray) -> int:
    """Number of monochromatic edges: ``|{uv in E : c(u) = c(v)}|``."""
    if graph.m > MANY:
        from concolor.graph.kernels import monochromatic  # imports numba
        from concolor.graph.structure import csr

        colors = np.asarray(colors)
        if colors.max() > np.iinfo(np.int32).max:
            colors = np.unique(colors, return_inverse=True)[1]
        return int(monochromatic(*csr(graph), colors.astype(np.int32)))  # more of them in the cache
    own = np.repeat(colors, graph.degrees)  # [2m], beside the colors of the neighbors
    return int(np.count_nonzero(own == colors[graph.indices])) // 2


@dataclass(frozen=True, eq=False, repr=False)
class Coloring:
    """One color for each node of a graph; how good it is, is recomputed from the graph.

    Attributes:
        graph: The colored graph.
        colors: ``[n]`` whole numbers >= 0.

    >>> from concolor.graph.families import family
    >>> c = Coloring(family("cycle:5"), [0, 1, 0, 1, 0])
    >>> c.k, c.conflicts, c.mono, c.is_proper
    (2, 1, 0.2, False)
    """

    graph: Graph
    colors: IntArray

    def __post_init__(self) -> None:
        colors = np.asarray(self.colors)
        if colors.shape != (self.graph.n,):
            raise InputError(f"{colors.shape} colors for the {self.graph.n} nodes of {self.graph}")
        if colors.size and (colors.dtype.kind not in "iu" or colors.min() < 0):
            raise InputError("colors must be whole numbers >= 0")
        colors = colors.astype(np.int64)  # a copy of our own
        colors.setflags(write=False)
        object.__setattr__(self, "colors", colors)

    @cached_property
    def k(self) -> int:
        """Number of colors used."""
        if self.colors.max(initial=0) > 2 * self.graph.n + 64:
            return len(np.unique(self.colors))
        return int(np.count_nonzero(np.bincount(self.colors)))

    @cached_property
    def conflicts(self) -> int:
        """Number of monochromatic edges."""
        return count_conflicts(self.graph, self.colors)

    @cached_property
    def weight(self) -> float | None:
        """The total weight of the monochromatic edges; None where edges have no weights."""
        if self.graph.weights is None:
            return None
        if self.is_proper:  # which is seen in far less time
            return 0
        u, v = self.graph.edges.T
        return plain(exact_sum(self.graph.weights[self.colors[u] == self.colors[v]]))

    @property
    def mono(self) -> float:
        """Fraction of monochromatic edges, 0 where there are no edges."""
        return self.conflicts / self.graph.m if self.graph.m else 0.0

    @property
    def is_proper(self) -> bool:
        """No edge is monochromatic."""
        return self.conflicts == 0

    @property
    def conflicting_edges(self) -> IntArray:
        """The monochromatic edges ``[conflicts, 2]``: delete these and the coloring is proper."""
        u, v = self.graph.edges.T
        return np.asarray(self.graph.edges[self.colors[u] == self.colors[v]])

    @property
    def classes(self) -> list[IntArray]:
        """The nodes of each used color, in the order of the colors."""
        order = np.argsort(self.colors, kind="stable")
        _, starts = np.unique(self.colors[order], return_index=True)
        return np.split(order, starts[1:])

    def by_node(self) -> dict[Hashable, int]:
        """The color of every node, by the user's own nodes: the names, or ``0..n-1`` without.

        >>> week = Graph.from_edges(2, [(0, 1)], names=[("math", 1), ("art", 1)])
        >>> Coloring(week, [0, 1]).by_node()
        {('math', 1): 0, ('art', 1): 1}
        """
        nodes = range(self.graph.n) if self.graph.names is None else self.graph.names
        return dict(zip(nodes, self.colors.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The keys that every command prints for a coloring."""
        return {
            "graph": self.graph.name,
            "n": self.graph.n,
            "m": self.graph.m,
            "k": self.k,
            "conflicts": self.conflicts,
            **({} if self.weight is None else {"weight": self.weight}),
            "mono": self.mono,
            "proper": self.is_proper,
            "colors": self.colors.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write to ``.json`` (what :meth:`to_dict` gives), ``.csv`` (node, color) or ``.sol``.

        ``.sol`` is the solution format of the DIMACS challenges: ``s col K`` and ``l node color``
        lines, both counted from 1. Colors keep their numbers, and K is the largest, so that a
        reader may rely on 1..K; it is above :attr:`k` where presets left colors out.
        """
        suffix = Path(path).suffix
        if suffix == ".json":
            text = json.dumps(self.to_dict()) + "\n"
        elif suffix == ".csv":
            text = _csv(_node_texts(self.graph), self.colors)
        elif suffix == ".sol":
            text = _sol(self.graph.name, self.colors)
        else:
            raise InputError(f"{path}: colorings are saved as .json, .csv or .sol")
        write_atomically(path, text.encode())

    @classmethod
    def load(cls, graph: Graph, path: str | Path) -> Coloring:
        """The coloring of a graph in a file as :meth:`save` writes it.

        ``.csv`` and ``.sol`` files are known by their suffix; any other is read as JSON, of which
        only ``colors`` counts.

        Raises:
            FormatError: The file cannot be read, or does not hold one color for each node.
        """
        suffix = Path(path).suffix
        if suffix == ".csv":
            colors = _placed(_node_texts(graph), _csv_rows(path), path)
        elif suffix == ".sol":
            numbers = list(map(str, range(1, graph.n + 1)))
            colors = _placed(numbers, _sol_rows(path), path, first=1)
        else:
            colors = listed_colors(read_json(path, dict), path)
        try:
            return cls(graph, np.array(colors, np.int64))
        except InputError as problem:
            raise FormatError(str(problem), path) from None

    def __eq__(self, other: object) -> bool:
        """Equal graphs and the same color for every node."""
        if not isinstance(other, Coloring):
            return NotImplemented
        return self.graph == other.graph and np.array_equal(self.colors, other.colors)

    def __hash__(self) -> int:
        return hash((self.graph, self.colors.tobytes()))

    def __repr__(self) -> str:
        weight = "" if self.weight is None else f", weight={self.weight}"
        return f"Coloring({self.graph.name!r}, k={self.k}, conflicts={self.conflicts}{weight})"

    def _repr_html_(self) -> str:
        return str(resolve("concolor.viz.cards:coloring_card")(self))


def earlier_colors(graph: Graph, path: str | Path) -> IntArray:
    """Colors ``[n]`` from a file of a coloring of this graph as it was before, -1 for new nodes.

    Nodes of a ``.csv`` file are found by their texts, and those that are gone are passed over.
    Nodes of other files are found by their places, so none may be gone.
    """
    suffix = Path(path).suffix
    if suffix == ".csv":
        names = _node_texts(graph)
        rows = [(line, row) for line, row in _csv_rows(path) if row[:1] != [""]]
        there = {row[0] for _, row in rows} & set(names)
        known = [name for name in names if name in there]
        colors = _placed(known, (row for row in rows if row[1][0] in there), path)
        found = dict(zip(known, colors, strict=True))
        return np.array([found.get(name, -1) for name in names], np.int64)
    if suffix == ".sol":
        rows = list(_sol_rows(path))
        colors = _placed(list(map(str, range(1, len(rows) + 1))), rows, path, first=1)
    else:
        colors = listed_colors(read_json(path, dict), path)
    if len(colors) > graph.n:
        raise FormatError(
            f"{len(colors)} colors for the {graph.n} nodes of {graph}: where nodes are gone, only "
            "a .csv file with names tells which",
            path,
        )
    return np.append(np.array(colors, np.int64), np.full(graph.n - len(colors), -1))


def listed_colors(found: Any, path: str | Path) -> list[int]:
    """The ``colors`` of a JSON object that came from the file ``path``."""
    colors = found.get("colors") if isinstance(found, dict) else None
    if not isinstance(colors, list):
        raise FormatError('expected an object with a "colors" list', path)
    for color in colors:
        if type(color) is not int or not 0 <= color < MOST:
            shown = json.dumps(color)
            raise FormatError(f"colors must be whole numbers >= 0, got {shown:.40}", path)
    return colors


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"\d{1,18}", text, re.ASCII) is not None


def _node_texts(graph: Graph) -> Sequence[str]:
    return graph.node_names if graph.names is None else written_names(graph.names)


def _csv(nodes: Sequence[str], colors: IntArray) -> str:
    lines = io.StringIO()
    rows = zip(nodes, colors.tolist(), strict=True)
    csv.writer(lines, lineterminator="\n").writerows([("node", "color"), *rows])
    return lines.getvalue()


def _csv_rows(path: str | Path) -> Iterator[_Row]:
    rows = csv.reader(io.StringIO(read_text(path), newline=""))
    try:
        if next(rows, None) != ["node", "color"]:
            raise FormatError("expected the first line node,color", path, 1)
        yield from ((rows.line_num, row) for row in rows if row)
    except csv.Error as error:
        raise FormatError(f"cannot be read as CSV ({error})", path, rows.line_num) from error


def _sol(name: str, colors: IntArray) -> str:
    head = [f"c {' '.join(name.split())}", f"s col {colors.max(initial=-1) + 1}"]
    lines = (f"l {node} {color + 1}" for node, color in enumerate(colors.tolist(), start=1))
    return "\n".join([*head, *lines]) + "\n"


def _sol_rows(path: str | Path) -> Iterator[_Row]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        kind, *row = line.split() or ["c"]
        if kind not in ("c", "s"):
            yield number, row if kind == "l" else [kind, *row]


def _placed(
    names: Sequence[str], rows: Iterable[_Row], path: str | Path, *, first: int = 0
) -> list[int]:
    """Colors in the order of the names, from a row ``[name, color]`` for each, counted from 0."""
    colors = dict.fromkeys(names, -1)
    for line, row in rows:
        name, color = row if len(row) == 2 else ("", "")
        if colors.get(name, 0) >= 0 or not _is_whole(color) or int(color) < first:
            raise FormatError(
                f"expected a node that has no color yet and its color >= {first}, "
                f"got {' '.join(row)!r:.40}",
                path,
                line,
            )
        colors[name] = int(color) - first
    bare = [name for name, color in colors.items() if color < 0]
    if bare:
        raise FormatError(f"no color for node {bare[0]} and {len(bare) - 1} others", path)
    return list(colors.values())
