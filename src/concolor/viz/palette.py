"""One look for every color: eight color-blind-safe fills times seven shapes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

# Okabe and Ito's seven colors; dark wine replaces their black, which would vanish on a dark page
FILLS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#882255",
)
CONFLICT = "#D7263D"  # monochromatic edges; always dashed or ringed as well

# inks that a page may change with its theme, and what they are elsewhere
THEME = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "soft": "#59636e",
    "grid": "#d8dee4",
    "line": "#8c959f",
}


def _turned(corners: int, *, inner: float = 1.0, by: float = 0.0) -> Floats:
    """A regular polygon, or a star with every second corner at ``inner``: ``[corners, 2]``."""
    angle = np.deg2rad(by - 90) + 2 * np.pi * np.arange(corners) / corners
    radius = np.where(np.arange(corners) % 2, inner, 1.0)[:, None]
    return np.asarray(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1))


_ARM = np.array([(-1, -3), (1, -3), (1, -1), (3, -1), (3, 1), (1, 1)], np.float64) / 3
# outlines [p, 2] of about equal area; the first is drawn as a true circle where that is possible
SHAPES: dict[str, Floats] = {
    "circle": _turned(32),
    "square": _turned(4, by=45) * 1.22,
    "triangle": _turned(3) * 1.42,
    "diamond": _turned(4) * 1.27,
    "cross": np.concatenate([_ARM, -_ARM]) * 1.15,
    "star": _turned(10, inner=0.45) * 1.5,
    "wedge": _turned(3, by=180) * 1.42,
}


def look(place: int) -> tuple[str, str]:
    """Fill and shape of the color in this place, 0, 1, ...: 56 looks, then again from the start.

    >>> look(0), look(9)
    (('#0072B2', 'circle'), ('#E69F00', 'square'))
    """
    names = tuple(SHAPES)
    return FILLS[place % len(FILLS)], names[place // len(FILLS) % len(names)]


def luminance(color: str) -> float:
    """Relative luminance of ``#rrggbb``, 0 for black and 1 for white (WCAG 2)."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def ink_on(fill: str) -> str:
    """Black or white, whichever reads better on the fill."""
    return "#000000" if luminance(fill) > 0.179 else "#ffffff"


def shade(value: float) -> str:
    """A blue that darkens with ``value`` in 0..1, by lightness and so without color vision.

    >>> shade(0), shade(1)
    ('#f7fafc', '#08306b')
    """
    pale, middle, dark = np.array([(247, 250, 252), (66, 146, 198), (8, 48, 107)], np.float64)
    low, high, part = (pale, middle, 2 * value) if value < 0.5 else (middle, dark, 2 * value - 1)
    red, green, blue = np.rint(low + part * (high - low)).astype(int).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"
