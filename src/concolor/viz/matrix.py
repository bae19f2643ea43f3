"""The colored matrix: every entry in the look of the product that gives it."""

from __future__ import annotations

import numpy as np

from concolor.graph.core import IntArray
from concolor.matrices import MatrixColoring
from concolor.viz.palette import FILLS, ink_on, look
from concolor.viz.picture import Boxes, Image, Item, Lines, Picture, Pixels, Text

SIDE = 560.0  # of the longer side of the matrix
EDGE, STRIP = 30.0, 10.0  # free room around it, and how thick the colors of its lines are
ENTRIES = 5000  # up to which entries are drawn one by one
NUMBERED = 15.0  # a cell of this size has the number of its product in it


def colored_matrix(coloring: MatrixColoring) -> Picture:
    """The entries of a matrix, each colored and numbered by the product that it is read from.

    Above the columns and beside the rows stand their own colors, where they have any. Products of
    rows are counted after those of columns. Large matrices are drawn as pixels.

    Args:
        coloring: What to draw; it must be valid.
    """
    pattern = coloring.pattern
    cell = SIDE / max(*pattern.shape, 1)
    width, height = cell * pattern.n, cell * pattern.m
    frame = np.array([[(0, 0), (width, 0), (width, height), (0, height), (0, 0)]]) + EDGE
    items = _pixels(coloring, cell) if pattern.nnz > ENTRIES else _cells(coloring, cell)
    sheet = (width + 2 * EDGE, height + 2 * EDGE)
    return Picture(
        *sheet, _label(coloring), [*items, Lines(frame, "line"), *_strips(coloring, cell)]
    )


def _cells(coloring: MatrixColoring, cell: float) -> list[Item]:
    """A square for every entry, with the number of its product where there is room."""
    pattern, product = coloring.pattern, coloring.read_from
    corners = EDGE + cell * np.stack([pattern.indices, pattern.rows], axis=1)
    boxes = np.concatenate([corners, np.full_like(corners, cell)], axis=1)
    places = list(
        zip(pattern.rows.tolist(), pattern.indices.tolist(), product.tolist(), strict=True)
    )
    titles = [f"row {i}, column {j}: from product {p}" for i, j, p in places]
    items: list[Item] = [Boxes(boxes, [look(p)[0] for p in product.tolist()], titles)]
    if cell >= NUMBERED:
        items += [
            Text(x + cell / 2, y + cell / 2, str(p), 0.55 * cell, ink=ink_on(look(p)[0]))
            for (x, y), (_, _, p) in zip(corners.tolist(), places, strict=True)
        ]
    return items


def _pixels(coloring: MatrixColoring, cell: float) -> list[Item]:
    """One pixel for one or several entries; the last of these is seen."""
    pattern, across = coloring.pattern, int(SIDE)
    scale = min(1.0, across / max(pattern.shape))
    wide, high = (max(int(np.ceil(size * scale)), 1) for size in pattern.shape[::-1])
    pixels: Pixels = np.zeros((high, wide, 4), np.uint8)
    inks = np.array([[int(fill[at : at + 2], 16) for at in (1, 3, 5)] + [255] for fill in FILLS])
    at = (pattern.rows * scale).astype(int), (pattern.indices * scale).astype(int)
    pixels[at] = inks[coloring.read_from % len(FILLS)]
    return [Image((EDGE, EDGE, cell * pattern.n, cell * pattern.m), pixels, kind="entries")]


def _strips(coloring: MatrixColoring, cell: float) -> list[Item]:
    """The colors of the columns above, and of the rows on the left."""
    items: list[Item] = []
    near = EDGE - STRIP - 4
    if coloring.column_colors is not None:
        items.append(_strip(coloring.column_colors, 0, cell, near, upright=False))
    if coloring.row_colors is not None:
        items.append(_strip(coloring.row_colors, coloring.column_k, cell, near, upright=True))
    return items


def _strip(colors: IntArray, first: int, cell: float, near: float, *, upright: bool) -> Boxes:
    painted = np.flatnonzero(colors >= 0)
    along, size = EDGE + cell * painted, len(painted)
    parts = [along, np.full(size, near), np.full(size, cell), np.full(size, STRIP)]
    boxes = np.stack(
        [parts[place] for place in ((1, 0, 3, 2) if upright else (0, 1, 2, 3))], axis=1
    )
    products = (colors[painted] + first).tolist()
    word = "row" if upright else "column"
    titles = [f"{word} {line}: product {p}" for line, p in zip(painted, products, strict=True)]
    return Boxes(boxes, [look(p)[0] for p in products], titles)


def _label(coloring: MatrixColoring) -> str:
    pattern = coloring.pattern
    return (
        f"{pattern.name}, {pattern.m} x {pattern.n} with {pattern.nnz} entries, "
        f"{coloring.kind} coloring with {coloring.k} products"
    )
