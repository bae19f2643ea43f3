"""A frame with two labelled axes, into which curves are drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from concolor.viz.palette import Floats
from concolor.viz.picture import Item, Lines, Marks, Text, text_width

SIZE = 13.0  # of letters
LEGEND = 28.0  # height of the row above a frame that names its curves


@dataclass(frozen=True)
class Frame:
    """A rectangle of the sheet with the numbers that its sides stand for.

    Attributes:
        box: Left, top, width and height on the sheet.
        x, y: The numbers at the ends of the axes; y grows upward.
        root: Draw y on a square-root scale, which shows both 1 and 0.05 and has a place for 0.
    """

    box: tuple[float, float, float, float]
    x: tuple[float, float]
    y: tuple[float, float]
    root: bool = False

    def at(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Places ``[p, 2]`` of the points on the sheet."""
        left, top, width, height = self.box
        low, high = self._height(self.y[0]), self._height(self.y[1])
        along = (np.asarray(x, np.float64) - self.x[0]) / ((self.x[1] - self.x[0]) or 1)
        up = (self._height(y) - low) / ((high - low) or 1)
        return np.stack(np.broadcast_arrays(left + along * width, top + (1 - up) * height), axis=-1)

    def curve(
        self,
        x: ArrayLike,
        y: ArrayLike,
        ink: str,
        *,
        shape: str = "",
        dash: tuple[float, ...] = (),
        titles: Sequence[str] = (),
    ) -> list[Item]:
        """A line through the points, with a mark on each where a shape is given."""
        places = self.at(x, y)
        line = Lines(places[None], ink, 2.0, dash)
        fills, shapes = [ink] * len(places), [shape] * len(places)
        return [line, Marks(places, 4.0, fills, shapes, titles)] if shape else [line]

    def axes(
        self, x: tuple[str, Mapping[float, str]], y: tuple[str, Mapping[float, str]]
    ) -> list[Item]:
        """Grid, ticks and titles; each axis is given as its title and its ticks."""
        left, top, width, height = self.box
        bottom, right = top + height, left + width
        rows = self.at(self.x[0], list(y[1]))[:, 1]
        columns = self.at(list(x[1]), self.y[0])[:, 0]
        across = np.array([[(left, row), (right, row)] for row in rows])
        base = np.array([[(left, bottom), (right, bottom)]])
        return [
            Lines(across, "grid"),
            Lines(base, "soft"),
            *(_tick(left - 7, row, t, "end") for row, t in zip(rows, y[1].values(), strict=True)),
            *(_tick(c, bottom + 13, t) for c, t in zip(columns, x[1].values(), strict=True)),
            Text(left + width / 2, bottom + 33, x[0], SIZE, ink="soft"),
            Text(14, top + height / 2, y[0], SIZE, ink="soft", angle=-90),
        ]

    def legend(self, rows: Sequence[tuple[str, str, tuple[float, ...]]]) -> list[Item]:
        """Names of curves with ink and dashes, in a row above the frame, where no curve is."""
        x, y, items = 20.0, LEGEND / 2, list[Item]()
        for name, ink, dash in rows:
            sample = np.array([[(x, y), (x + 22, y)]])
            items += [Lines(sample, ink, 2.5, dash), Text(x + 28, y, name, SIZE, "start")]
            x += 42 + text_width(name, SIZE)
        return items

    def _height(self, y: ArrayLike) -> Floats:
        values = np.asarray(y, np.float64)
        return np.asarray(np.sqrt(values) if self.root else values)


def _tick(x: float, y: float, text: str, anchor: str = "middle") -> Text:
    return Text(float(x), float(y), text, SIZE - 1, anchor, ink="soft")


def ticks(low: float, high: float, most: int) -> dict[float, str]:
    """At most so many round numbers from low to high, with their text.

    >>> ticks(0, 9, 5)
    {0.0: '0', 2.0: '2', 4.0: '4', 6.0: '6', 8.0: '8'}
    """
    if high <= low:
        return {float(low): f"{low:g}"}
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * part for part in (1, 2, 5, 10) if power * part >= least)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return {i * step: f"{round(i * step, 12):g}" for i in range(first, last + 1)}
