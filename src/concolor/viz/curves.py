"""Curves: the sweep over k beside chance, the training beside its bound, the seconds by stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from concolor.errors import InputError
from concolor.viz.chart import LEGEND, SIZE, Frame, ticks
from concolor.viz.palette import CONFLICT, FILLS
from concolor.viz.picture import Boxes, Item, Lines, Picture, Text, text_width

if TYPE_CHECKING:
    from concolor.learning.model import History
    from concolor.sweeps import Sweep

WIDTH, HEIGHT = 520.0, 350.0
LEARNED, CHANCE, LINEAR = FILLS[:3]
DOTTED, DASHED = (2.0, 4.0), (6.0, 5.0)


def sweep_curve(
    sweep: Sweep,
    null_curve: Mapping[int, int] | None = None,
    spectral_curve: Mapping[int, int] | None = None,
) -> Picture:
    """Monochromatic edges in percent for every k that was tried, with ``k*`` and the threshold.

    Args:
        sweep: What decoding found.
        null_curve: k -> conflicts of random balanced colorings, drawn beside it.
        spectral_curve: k -> conflicts of eigenvectors without any training.
    """
    given = {"embedding": sweep.curve, "null": null_curve, "spectral": spectral_curve}
    curves = {name: curve for name, curve in given.items() if curve}
    looks = {
        "embedding": (LEARNED, "circle", ()),
        "null": (CHANCE, "diamond", DASHED),
        "spectral": (LINEAR, "square", DASHED),
    }
    frame, items = _sweep_frame(sweep, curves)
    edges = max(sweep.graph.m, 1)
    for name, curve in curves.items():
        ink, shape, dash = looks[name]
        shares = [count / edges for count in curve.values()]
        titles = [
            f"{name}, k = {k}: {count} conflicts ({100 * count / edges:.2f} %)"
            for k, count in curve.items()
        ]
        items += frame.curve(list(curve), shares, ink, shape=shape, dash=dash, titles=titles)
    rows = [(name, looks[name][0], looks[name][2]) for name in curves]
    items += frame.legend([*rows, (f"allowed: {100 * sweep.max_mono:g} %", CONFLICT, DOTTED)])
    k, hit = sweep.k_star(), sweep.hit()
    reached = f"k* = {k} with {100 * sweep.mono(k):.2f} % conflicts" if hit else "threshold missed"
    label = f"Conflicts for each number of colors of {sweep.graph.name}: {reached}"
    return Picture(WIDTH, HEIGHT, label, items)


def _sweep_frame(sweep: Sweep, curves: Mapping[str, Mapping[int, int]]) -> tuple[Frame, list[Item]]:
    """Axes that all curves fit into, the allowed share as a line and a pole at ``k*``."""
    ks = [k for curve in curves.values() for k in curve]
    counts = [count for curve in curves.values() for count in curve.values()]
    most = max(max(counts) / max(sweep.graph.m, 1), 2 * sweep.max_mono, 0.05)
    frame = Frame(_box(LEGEND + 22), (min(ks), max(ks)), (0, most), root=True)
    whole = {k: text for k, text in ticks(*frame.x, 10).items() if k == int(k)}
    shares = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
    heights = {share: f"{100 * share:g} %" for share in shares if share <= most}
    items = frame.axes(("colors k", whole), ("edges in conflict (root scale)", heights))
    k = sweep.k_star()
    (x, foot), (_, head) = frame.at([k, k], frame.y).tolist()
    name = f"k* = {k}" if sweep.hit() else f"lowest at k = {k}"
    half = text_width(name, SIZE) / 2
    return frame, [
        *items,
        Lines(frame.at(frame.x, [sweep.max_mono] * 2)[None], CONFLICT, 1.5, DOTTED),
        Lines(np.array([[(x, foot), (x, head)]]), "soft", 1.5, DASHED),
        Text(min(max(x, half), WIDTH - half), head - 11, name, SIZE, bold=True),
    ]


def _box(top: float) -> tuple[float, float, float, float]:
    """The frame below what stands in the upper ``top`` units of the sheet."""
    return 62.0, top, WIDTH - 80, HEIGHT - 50 - top


def training_curve(history: History) -> Picture:
    """Mean loss of every epoch, and what it cannot go below."""
    losses, bound = list(history.losses), history.bound
    if not losses:
        raise InputError("the history has no epoch, so there is no curve; train for at least one")
    epochs = list(range(1, len(losses) + 1))
    low, high = min(bound, *losses), max(losses)
    spare = 0.05 * (high - low or 1)
    frame = Frame(_box(LEGEND), (1, max(len(losses), 2)), (low - spare, high + spare))
    items = frame.axes(
        ("epoch", {t: s for t, s in ticks(*frame.x, 8).items() if t == int(t)}),
        ("mean loss", ticks(*frame.y, 6)),
    )
    items += frame.curve(frame.x, [bound, bound], CONFLICT, dash=DOTTED)
    few = len(losses) <= 50
    titles = [f"epoch {e}: {loss:.6g}" for e, loss in zip(epochs, losses, strict=True)]
    shape, titles = ("circle", titles) if few else ("", [])
    items += frame.curve(epochs, losses, LEARNED, shape=shape, titles=titles)
    items += frame.legend([("loss", LEARNED, ()), ("lower bound", CONFLICT, DOTTED)])
    label = f"Loss of {len(losses)} epochs: {losses[-1]:.4g} at the end, lower bound {bound:.4g}"
    return Picture(WIDTH, HEIGHT, label, items)


def stage_bars(seconds: Mapping[str, float]) -> Picture:
    """One bar for each stage, as long as it took."""
    _check_bars("seconds", "stage", seconds)
    label = "Seconds by stage: " + ", ".join(f"{s} {duration(t)}" for s, t in seconds.items())
    return _bars(seconds, duration, label)


def importance_bars(shares: Mapping[str, float]) -> Picture:
    """One bar for each field of a search, as long as the share of differences it explains."""
    _check_bars("shares", "field", shares)
    told = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    return _bars(shares, "{:.0%}".format, f"What mattered in a search: {told}")


def _check_bars(what: str, each: str, values: Mapping[str, float]) -> None:
    if not values or not all(0 <= value < np.inf for value in values.values()):
        raise InputError(f"{what} must be one number >= 0 for every {each}, got {dict(values)}")


def _bars(given: Mapping[str, float], word: Callable[[float], str], label: str) -> Picture:
    left, right, row = 120.0, WIDTH - 80, 30.0
    longest = max(given.values()) or 1.0
    values = np.array(list(given.values()))
    tops = 6 + row * np.arange(len(values))
    widths = np.maximum((right - left) * values / longest, 1)
    boxes = np.stack([np.full(len(values), left), tops, widths, np.full(len(values), 18.0)], 1)
    items: list[Item] = [Boxes(boxes, [LEARNED] * len(values))]
    for (name, value), top, width in zip(given.items(), tops, widths, strict=True):
        items.append(Text(left - 8, top + 9, name, SIZE, "end"))
        items.append(Text(left + width + 8, top + 9, word(value), SIZE, "start", "soft"))
    return Picture(WIDTH, 12 + row * len(values), label, items)


def duration(seconds: float) -> str:
    """A time that a person reads at a glance.

    >>> duration(0.0042), duration(3.14159), duration(754)
    ('4.2 ms', '3.14 s', '12 min 34 s')
    """
    if seconds < 0.9995:
        return f"{1000 * seconds:.{1 if seconds < 0.00995 else 0}f} ms"
    if seconds < 100:
        return f"{seconds:.3g} s"
    return f"{round(seconds) // 60} min {round(seconds) % 60} s"
