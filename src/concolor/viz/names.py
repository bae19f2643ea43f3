"""Names beside the marks of nodes, wherever there is room for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from concolor.graph.core import IntArray
from concolor.viz.palette import Floats
from concolor.viz.picture import Text, text_width


def names_beside(
    names: Sequence[str],
    places: Floats,
    radius: float,
    edges: IntArray,
    *,
    sheet: tuple[float, float],
    size: float = 11.0,
) -> list[Text]:
    """Names that hide neither marks nor each other; a name without a free place is left out.

    Of the places to the right, to the left, below and above its mark, a name takes the free one
    that the fewest edges cross. Names are placed one after the other, in the order of the nodes.

    Args:
        names: One for every node.
        places: Centers of the marks ``[n, 2]``.
        radius: Of the marks.
        edges: Pairs of nodes ``[m, 2]``.
        sheet: Width and height of the room that names must stay in.
        size: Of letters.
    """
    reach = 1.3 * radius  # the tips of stars and triangles stand out
    taken = np.concatenate([places - reach, places + reach], axis=1)  # left, top, right, bottom
    start, end = places[edges[:, 0]], places[edges[:, 1]]
    texts = []
    for name, (x, y) in zip(names, places.tolist(), strict=True):
        spots = [
            (crossings(box, start, end), text, box)
            for text, box in _spots(name, x, y, reach + 2, size)
            if _is_inside(box, sheet) and not _overlaps(box, taken)
        ]
        if spots:
            _, text, box = min(spots, key=lambda spot: spot[0])
            texts.append(text)
            taken = np.concatenate([taken, box[None]])
    return texts


def _spots(
    name: str, x: float, y: float, reach: float, size: float
) -> Iterator[tuple[Text, Floats]]:
    """The name on every side of a mark, with the box that it fills."""
    wide, high = text_width(name, size), 1.1 * size
    for left, top, anchor in (
        (x + reach, y - high / 2, "start"),
        (x - reach - wide, y - high / 2, "end"),
        (x - wide / 2, y + reach, "middle"),
        (x - wide / 2, y - reach - high, "middle"),
    ):
        at = left + wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        text = Text(at, top + high / 2, name, size, anchor, kind="name", halo=True)
        yield text, np.array([left, top, left + wide, top + high])


def _is_inside(box: Floats, sheet: tuple[float, float]) -> bool:
    return bool((box[:2] >= 0).all() and (box[2:] <= sheet).all())


def _overlaps(box: Floats, taken: Floats) -> bool:
    return bool(((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(axis=1).any())


def crossings(box: Floats, start: Floats, end: Floats) -> int:
    """How many segments from ``start [m, 2]`` to ``end [m, 2]`` touch the box.

    A segment touches it unless one of the axes or the direction across the segment separates them.
    """
    low, high = np.minimum(start, end), np.maximum(start, end)
    is_near = ((low <= box[2:]) & (high >= box[:2])).all(axis=1)
    corners = box[[[0, 1], [2, 1], [2, 3], [0, 3]]]  # [4, 2]
    along, off = (end - start)[:, None], corners - start[:, None]  # [m, 1, 2], [m, 4, 2]
    side = along[..., 0] * off[..., 1] - along[..., 1] * off[..., 0]  # [m, 4]
    return int((is_near & (side.min(axis=1) <= 0) & (side.max(axis=1) >= 0)).sum())
