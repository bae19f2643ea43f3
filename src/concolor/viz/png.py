"""The marks of a picture painted with matplotlib, without its axes and its global state."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from concolor.errors import InputError
from concolor.viz.palette import SHAPES, THEME, Floats
from concolor.viz.picture import Boxes, Image, Item, Lines, Marks, Picture, Text, rim, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DPI = 100  # units an inch
POINT = 72 / DPI  # matplotlib measures lines and letters in points, 72 an inch


def paint(picture: Picture, scale: float) -> bytes:
    """PNG bytes of ``scale * width`` x ``scale * height`` pixels."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        way_out = "install it with pip install 'concolor[viz]', or save as .svg"
        raise InputError(f"PNG pictures need matplotlib, which is not here; {way_out}") from error
    figure = Figure(figsize=(picture.width / DPI, picture.height / DPI), dpi=DPI * scale)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    for order, item in enumerate(picture.items):
        _paint(axes, item, order)
    file = io.BytesIO()
    with warnings.catch_warnings():
        # names may be in any script; a letter that no font here has is painted as a box
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(file, format="png", facecolor=THEME["paper"])
    return file.getvalue()


def _paint(axes: Axes, item: Item, order: int) -> None:
    match item:
        case Lines():
            _lines(axes, item, order)
        case Marks():
            shapes = [SHAPES[name] * item.radius for name in item.shapes]
            corners = [shape + at for shape, at in zip(shapes, item.at, strict=True)]
            edge = (_hex(item.outline), POINT * rim(item.radius))
            _polygons(axes, corners, item.fills, order, edge, item.opacity)
        case Boxes():
            x, y, w, h = item.boxes.T
            around = np.stack([x, y, x + w, y, x + w, y + h, x, y + h], axis=1)
            _polygons(axes, list(around.reshape(-1, 4, 2)), item.fills, order, ("none", 0.0))
        case Text():
            _text(axes, item, order)
        case Image():
            x, y, w, h = item.box
            around_image = (x, x + w, y + h, y)
            axes.imshow(item.pixels, extent=around_image, aspect="auto", zorder=order)


def _lines(axes: Axes, item: Lines, order: int) -> None:
    from matplotlib.collections import LineCollection

    width = POINT * item.width
    dash = "solid" if not item.dash else (0, tuple(part / item.width for part in item.dash))
    axes.add_collection(
        LineCollection(
            list(item.points),
            colors=_hex(item.ink),
            linewidths=width,
            linestyles=[dash],
            alpha=item.opacity,
            capstyle=item.cap,
            zorder=order,
        ),
        autolim=False,
    )


def _polygons(
    axes: Axes,
    corners: Sequence[Floats],
    fills: Sequence[str],
    order: int,
    edge: tuple[str, float],
    opacity: Sequence[float] = (),
) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    alphas = opacity or [1.0] * len(fills)
    faces = [to_rgba(_hex(fill), alpha) for fill, alpha in zip(fills, alphas, strict=True)]
    ink, width = edge
    axes.add_collection(
        PolyCollection(corners, facecolors=faces, edgecolors=ink, linewidths=width, zorder=order),
        autolim=False,
    )


def _text(axes: Axes, item: Text, order: int) -> None:
    from matplotlib.patheffects import withStroke

    halo = withStroke(linewidth=POINT * item.rim, foreground=THEME["paper"])
    axes.text(
        item.x,
        item.y,
        visible(item.text),
        fontsize=POINT * item.size,
        color=_hex(item.ink),
        rotation=-item.angle,
        rotation_mode="anchor",
        ha={"start": "left", "middle": "center", "end": "right"}[item.anchor],
        va="center_baseline",
        weight="bold" if item.bold else "normal",
        parse_math=False,  # a name may hold dollars
        path_effects=[halo] if item.halo else None,
        zorder=order,
    )


def _hex(ink: str) -> str:
    return THEME.get(ink, ink)
