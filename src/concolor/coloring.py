"""``Coloring``: an answer that checks itself against its graph."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from concolor.errors import InputError
from concolor.files import write_atomically
from concolor.graph.core import Graph, IntArray


def count_conflicts(graph: Graph, colors: IntArray) -> int:
    """Number of monochromatic edges: ``|{uv in E : c(u) = c(v)}|``."""
    u, v = graph.edges.T
    return int(np.count_nonzero(colors[u] == colors[v]))


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
        return len(np.unique(self.colors))

    @cached_property
    def conflicts(self) -> int:
        """Number of monochromatic edges."""
        return count_conflicts(self.graph, self.colors)

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

    def to_dict(self) -> dict[str, Any]:
        """The keys that every command prints for a coloring."""
        return {
            "graph": self.graph.name,
            "n": self.graph.n,
            "m": self.graph.m,
            "k": self.k,
            "conflicts": self.conflicts,
            "mono": self.mono,
            "proper": self.is_proper,
            "colors": self.colors.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write to ``.json`` (what :meth:`to_dict` gives), ``.csv`` (node, color) or ``.sol``.

        ``.sol`` is the solution format of the DIMACS challenges: ``s col K`` and ``l node color``
        lines, both counted from 1. Colors keep their names, and K is the largest, so that a reader
        may rely on 1..K; it is above :attr:`k` where presets left colors out.
        """
        suffix = Path(path).suffix
        if suffix == ".json":
            text = json.dumps(self.to_dict()) + "\n"
        elif suffix == ".csv":
            lines = io.StringIO()
            rows = zip(self.graph.node_names, self.colors.tolist(), strict=True)
            csv.writer(lines, lineterminator="\n").writerows([("node", "color"), *rows])
            text = lines.getvalue()
        elif suffix == ".sol":
            named = enumerate(self.colors.tolist(), start=1)
            lines_of = [f"l {node} {color + 1}" for node, color in named]
            largest = self.colors.max(initial=-1) + 1
            text = "\n".join([f"c {self.graph.name}", f"s col {largest}", *lines_of]) + "\n"
        else:
            raise InputError(f"{path}: colorings are saved as .json, .csv or .sol")
        write_atomically(path, text.encode())

    def __repr__(self) -> str:
        return f"Coloring({self.graph.name!r}, k={self.k}, conflicts={self.conflicts})"
