"""Colorings as ``Coloring.save`` writes them, read back: for ``--start`` and ``--coloring``."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from concolor.cli.common import load_json, load_text
from concolor.coloring import Coloring
from concolor.errors import FormatError, InputError
from concolor.graph.core import Graph

_Row: TypeAlias = tuple[int, list[str]]  # the number of a line, and what stands in it
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)


def load_coloring(graph: Graph, path: Path) -> Coloring:
    """The coloring of a file as ``Coloring.save`` writes it: .csv, .sol, or JSON with colors."""
    if path.suffix == ".csv":
        colors = _placed(graph.node_names, _csv_rows(path), path)
    elif path.suffix == ".sol":
        numbers = map(str, range(1, graph.n + 1))
        colors = _placed(numbers, _sol_rows(path), path, first=1)
    else:
        colors = listed(load_json(path, dict), path)
    try:
        return Coloring(graph, np.array(colors, np.int64))
    except InputError as problem:
        raise FormatError(str(problem), path) from None


def listed(found: Any, path: Path) -> list[int]:
    """The ``colors`` of a JSON object that came from a file."""
    colors = found.get("colors") if isinstance(found, dict) else None
    if not isinstance(colors, list):
        raise FormatError('expected an object with a "colors" list', path)
    for shown in map(json.dumps, colors):
        if not _WHOLE.fullmatch(shown):
            raise FormatError(f"colors must be whole numbers >= 0, got {shown:.40}", path)
    return colors


def _csv_rows(path: Path) -> Iterator[_Row]:
    rows = csv.reader(io.StringIO(load_text(path), newline=""))
    try:
        if next(rows, None) != ["node", "color"]:
            raise FormatError("expected the first line node,color", path, 1)
        yield from ((rows.line_num, row) for row in rows if row)
    except csv.Error as error:
        raise FormatError(f"cannot be read as CSV ({error})", path, rows.line_num) from error


def _sol_rows(path: Path) -> Iterator[_Row]:
    for number, line in enumerate(load_text(path).split("\n"), start=1):
        kind, *row = line.split() or ["c"]
        if kind not in ("c", "s"):
            yield number, row if kind == "l" else [kind, *row]


def _placed(names: Iterable[str], rows: Iterable[_Row], path: Path, *, first: int = 0) -> list[int]:
    """Colors in the order of the names, from a row ``[name, color]`` for each, counted from 0."""
    colors = dict.fromkeys(names, -1)
    for line, row in rows:
        name, color = row if len(row) == 2 else ("", "")
        if colors.get(name, 0) >= 0 or not _WHOLE.fullmatch(color) or int(color) < first:
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
