"""Rows of a table as marks: every series of a row on one line, with its deviation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from concolor.errors import InputError
from concolor.viz.chart import LEGEND, SIZE, Frame, ticks
from concolor.viz.palette import FILLS
from concolor.viz.picture import Item, Lines, Marks, Picture, text_width

Figure = tuple[float, float | None]  # mean and standard deviation

SPAN = 460.0  # width between the smallest and the largest number
STEP = 20.0  # from row to row
FOOT = 50.0  # below the frame, for its axis


def marked_rows(rows: Mapping[str, Mapping[str, Figure]], *, axis: str) -> Picture:
    """A line for each row, with a mark at the mean of every series and a bar of one deviation.

    Args:
        rows: Row -> series -> mean and standard deviation, None where there is none. A series may
            be missing from some rows.
        axis: What the numbers are.
    """
    series = list(dict.fromkeys(name for row in rows.values() for name in row))
    if not series:
        raise InputError("there is no figure to draw in these rows")
    both = [(m, s or 0.0) for row in rows.values() for m, s in row.values()]
    low, high = min(m - s for m, s in both), max(m + s for m, s in both)
    spare = 0.04 * (high - low or 1)
    left = 14 + max(text_width(name, SIZE - 1) for name in rows)
    box = (left, LEGEND, SPAN, STEP * len(rows))
    frame = Frame(box, (low - spare, high + spare), (0.5 - len(rows), 0.5))
    places = {name: -float(i) for i, name in enumerate(rows)}
    items = frame.axes((axis, ticks(*frame.x, 7)), ("", {y: n for n, y in places.items()}))
    inks = dict(zip(series, FILLS, strict=False))
    for name, ink in reversed(inks.items()):  # the first on top
        found = {row: here[name] for row, here in rows.items() if name in here}
        items += _series(frame, name, found, places, ink)
    items += frame.legend([(name, ink, ()) for name, ink in inks.items()])
    width = max(left + SPAN + 20, 20 + sum(42 + text_width(n, SIZE) for n in series))
    label = f"{axis} of {len(rows)} rows: {', '.join(series)}"
    return Picture(width, LEGEND + box[3] + FOOT, label, items)


def _series(
    frame: Frame, name: str, found: Mapping[str, Figure], places: Mapping[str, float], ink: str
) -> list[Item]:
    means = [mean for mean, _ in found.values()]
    at = frame.at(means, [places[row] for row in found])  # [r, 2]
    wide = [(row, m, s) for row, (m, s) in found.items() if s]
    bars = [frame.at([m - s, m + s], places[row]) for row, m, s in wide]
    titles = [f"{name}, {row}: {_told(*figure)}" for row, figure in found.items()]
    marks = Marks(at, 4.0, [ink] * len(at), ["circle"] * len(at), titles)
    return [*([Lines(np.stack(bars), ink, 2.0)] if bars else []), marks]


def _told(mean: float, std: float | None) -> str:
    return f"{mean:.4g}" if std is None else f"{mean:.4g} ± {std:.2g}"
