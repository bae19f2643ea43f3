"""``Picture``: a few kinds of marks, drawn once and written as SVG or PNG."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TypeAlias
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from concolor.errors import InputError
from concolor.files import write_atomically
from concolor.viz.palette import SHAPES, THEME, Floats

Pixels: TypeAlias = NDArray[np.uint8]
SUFFIXES = (".svg", ".png")  # of the files that a picture can be saved as
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, eq=False)
class Lines:
    """Polylines ``points [l, p, 2]`` of one look; inks are ``#rrggbb`` or names of the theme."""

    points: Floats
    ink: str = "ink"
    width: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0
    kind: str = ""  # the class of the SVG group, for a page that moves it

    @property
    def cap(self) -> str:
        """Round ends would fill the gaps of dashes."""
        return "butt" if self.dash else "round"


@dataclass(frozen=True, eq=False)
class Marks:
    """Shapes centered ``at [n, 2]``; titles are shown on hover."""

    at: Floats
    radius: float
    fills: Sequence[str]
    shapes: Sequence[str]
    titles: Sequence[str] = ()
    opacity: Sequence[float] = ()
    outline: str = "paper"
    kind: str = ""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Rectangles ``boxes [b, 4]`` as x, y, width, height."""

    boxes: Floats
    fills: Sequence[str]
    titles: Sequence[str] = ()


@dataclass(frozen=True)
class Text:
    """One line of text; ``anchor`` is start, middle or end, ``y`` is its middle.

    With a halo, it stands on paper of its own and can be read on lines.
    """

    x: float
    y: float
    text: str
    size: float = 12
    anchor: str = "middle"
    ink: str = "ink"
    angle: float = 0
    bold: bool = False
    halo: bool = False
    kind: str = ""

    @property
    def rim(self) -> float:
        """Width of the stroke around letters that makes the halo."""
        return 0.3 * self.size


@dataclass(frozen=True, eq=False)
class Image:
    """``pixels [h, w, 4]`` (RGBA) stretched over a box, without smoothing."""

    box: tuple[float, float, float, float]
    pixels: Pixels
    kind: str = ""


Item: TypeAlias = Lines | Marks | Boxes | Text | Image


@dataclass(frozen=True, eq=False)
class Picture:
    """What to draw, in order, on a light sheet of ``width`` x ``height`` units.

    Attributes:
        label: One sentence for those who cannot see it.
    """

    width: float
    height: float
    label: str
    items: Sequence[Item]

    def svg(self) -> str:
        """SVG text. Inks of the theme also carry a class, so that a page can restyle them."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'{size} role="img" aria-label="{safe(self.label)}" font-family="{FONT}">'
            f'<rect class="sheet" {size} fill="{THEME["paper"]}"/>'
            f"{''.join(map(_svg, self.items))}</svg>\n"
        )

    def png(self, *, scale: float = 2.0) -> bytes:
        """PNG bytes with ``scale`` pixels a unit; needs matplotlib, the extra ``viz``."""
        from concolor.viz.png import paint

        return paint(self, scale)

    def save(self, path: str | Path) -> None:
        """Write an ``.svg`` or ``.png`` file."""
        kind = Path(path).suffix.lower()
        if kind not in SUFFIXES:
            raise InputError(f"{path}: pictures are saved as {' or '.join(SUFFIXES)}")
        write_atomically(path, self.svg().encode() if kind == ".svg" else self.png())

    def _repr_svg_(self) -> str:
        return self.svg()


def text_width(text: str, size: float) -> float:
    """About the width of a line of text in a wide font such as DejaVu Sans; others need less."""
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return size * (0.62 * len(text) + 0.38 * wide)


def _svg(item: Item) -> str:
    match item:
        case Lines():
            return _lines(item)
        case Marks():
            return _marks(item)
        case Boxes():
            return _boxes(item)
        case Text():
            return _text(item)
        case Image():
            return _image(item)


def _lines(item: Lines) -> str:
    """One path in tenths of a unit: relative whole numbers are the shortest to write."""
    tenths = np.rint(item.points * 10).astype(int)
    if not tenths.size:
        return ""
    steps = np.diff(tenths, axis=1)
    starts = tenths[:, 0].tolist()
    path = "".join(
        f"M{x} {y}l{' '.join(f'{dx} {dy}' for dx, dy in step)}"
        for (x, y), step in zip(starts, steps.tolist(), strict=True)
    )
    dash = f' stroke-dasharray="{" ".join(f"{10 * d:g}" for d in item.dash)}"' if item.dash else ""
    faint = f' opacity="{item.opacity:.3g}"' if item.opacity < 1 else ""
    return (
        f'<path{_class(item.ink, "s", item.kind)} transform="scale(.1)" fill="none" '
        f'stroke="{_hex(item.ink)}" stroke-width="{10 * item.width:g}" stroke-linecap="{item.cap}" '
        f'stroke-linejoin="round"{dash}{faint} d="{path}"/>'
    )


def _marks(item: Marks) -> str:
    outlines = {name: _outline(name, item.radius) for name in set(item.shapes)}
    titles = item.titles or [""] * len(item.at)
    opacity = item.opacity or [1.0] * len(item.at)
    rows = zip(item.at.tolist(), item.fills, item.shapes, titles, opacity, strict=True)
    return (
        f'<g{_class(item.outline, "s", item.kind)} stroke="{_hex(item.outline)}" '
        f'stroke-width="{rim(item.radius):.2g}" stroke-linejoin="round">'
        + "".join(
            f'<{outlines[shape]} transform="translate({x:.1f} {y:.1f})" fill="{fill}"'
            + (f' opacity="{faint:.2g}"' if faint < 1 else "")
            + _closed(outlines[shape].partition(" ")[0], title)
            for (x, y), fill, shape, title, faint in rows
        )
        + "</g>"
    )


def rim(radius: float) -> float:
    """Width of the outline of marks."""
    return min(1.2, 0.16 * radius)


def _outline(shape: str, radius: float) -> str:
    if shape == "circle":
        return f'circle r="{radius:.3g}"'
    corners = " ".join(f"{x:.3g} {y:.3g}" for x, y in (SHAPES[shape] * radius).tolist())
    return f'path d="M{corners}z"'


def _boxes(item: Boxes) -> str:
    titles = item.titles or [""] * len(item.boxes)
    return (
        "<g>"
        + "".join(
            f'<rect x="{x:.6g}" y="{y:.6g}" width="{w:.6g}" height="{h:.6g}" '
            f'{_class(fill, "f").lstrip()} fill="{_hex(fill)}"' + _closed("rect", title)
            for (x, y, w, h), fill, title in zip(
                item.boxes.tolist(), item.fills, titles, strict=True
            )
        )
        + "</g>"
    )


def _text(item: Text) -> str:
    turn = f' transform="rotate({item.angle:g} {item.x:.1f} {item.y:.1f})"' if item.angle else ""
    bold = ' font-weight="600"' if item.bold else ""
    kind, halo = item.kind, ""
    if item.halo:
        kind = f"s-paper {item.kind}".rstrip()
        halo = (
            f' stroke="{THEME["paper"]}" stroke-width="{item.rim:g}" stroke-linejoin="round" '
            'paint-order="stroke"'
        )
    return (
        f'<text{_class(item.ink, "f", kind)} x="{item.x:.1f}" y="{item.y:.1f}" dy=".35em" '
        f'font-size="{item.size:g}" text-anchor="{item.anchor}" fill="{_hex(item.ink)}"'
        f"{bold}{halo}{turn}>{safe(item.text)}</text>"
    )


def _image(item: Image) -> str:
    x, y, w, h = item.box
    data = base64.b64encode(encode_png(item.pixels)).decode()
    return (
        f'<image{_class("", "", item.kind)} x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" '
        f'preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{data}"/>'
    )


def encode_png(pixels: Pixels) -> bytes:
    """``pixels [h, w, 4]`` as the bytes of a PNG file."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # every row begins with filter 0
    rows[:, 1:] = pixels.reshape(height, -1)
    parts: list[tuple[bytes, bytes]] = [
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    ]
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _closed(tag: str, title: str) -> str:
    return f"><title>{safe(title)}</title></{tag}>" if title else "/>"


def _class(ink: str, side: str, kind: str = "") -> str:
    """``s-ink`` where a stroke and ``f-ink`` where a fill has an ink of the theme."""
    names = [name for name in (f"{side}-{ink}" if ink in THEME else "", kind) if name]
    return f' class="{" ".join(names)}"' if names else ""


def _hex(ink: str) -> str:
    return THEME.get(ink, ink)


def safe(text: object) -> str:
    """Escaped for XML and HTML, text and attributes; see :func:`visible`."""
    return escape(visible(text))


def visible(text: object) -> str:
    """The text with a replacement for every character that could hide, break or turn text."""
    # controls, halves of surrogate pairs, characters that reverse the direction of reading
    unfit = "[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
    return re.sub(unfit, "\N{REPLACEMENT CHARACTER}", str(text))
