"""Pictures are well-formed, escape what users name, and look the same as SVG and as PNG."""

import io
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.viz.palette import SHAPES
from concolor.viz.picture import (
    Boxes,
    Image,
    Lines,
    Marks,
    Picture,
    Text,
    encode_png,
    safe,
    text_width,
)

BLUE, RED = "#0072B2", "#D7263D"


def everything(name="a"):
    """One mark of every kind, each in its own place of a sheet of 200 x 100."""
    shapes = list(SHAPES)
    at = np.array([(15.0 + 25 * i, 20.0) for i in range(len(shapes))])
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[0, 0] = 255, 0, 0, 255
    items = [
        Lines(np.array([[(10.0, 50.0), (90.0, 50.0)]]), RED, 4, (6.0, 3.0)),
        Marks(at, 8, [BLUE] * len(at), shapes, [name] * len(at), [0.5] * len(at)),
        Boxes(np.array([[100.0, 40, 30, 20]]), ["ink"], [name]),
        Text(20, 80, name, anchor="start", angle=-10, bold=True),
        Image((150.0, 50, 40, 40), pixels),
    ]
    return Picture(200, 100, name, items)


@pytest.mark.parametrize(
    "name", ["a", "<script>alert(1)</script>", "\"'&]]>", "\x00\x1b\u202e\ud800"]
)
def test_every_name_gives_well_formed_svg_without_new_elements(name):
    tree = ET.fromstring(everything(name).svg())
    known = {"svg", "g", "rect", "path", "circle", "text", "title", "image"}
    assert {element.tag.rpartition("}")[2] for element in tree.iter()} <= known
    titles = [element.text for element in tree.iter() if element.tag.endswith("}title")]
    assert len(titles) == len(SHAPES) + 1 and len(set(titles)) == 1
    if name.isprintable():
        assert titles[0] == tree.get("aria-label") == name


@pytest.mark.slow
@given(st.text())
def test_escaped_text_is_xml_and_comes_back(text):
    tree = ET.fromstring(f'<a b="{safe(text)}">{safe(text)}</a>')
    assert (tree.text or "") == tree.get("b")
    assert len(tree.get("b")) == len(text)


def test_lines_are_written_to_a_tenth():
    points = np.array([[(1.04, 2.0), (3.0, 4.06), (0.0, 0.0)]])
    path = Picture(9, 9, "", [Lines(points)]).svg().partition(' d="')[2].partition('"')[0]
    assert path == "M10 20l20 21 -30 -41"


def test_inks_of_the_theme_can_be_restyled():
    svg = everything().svg()
    assert 'class="f-ink" fill="#1f2328"' in svg
    assert f'stroke="{RED}"' in svg and "s-#" not in svg


@pytest.mark.slow
def test_pixels_survive():
    image = pytest.importorskip("matplotlib.image")
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 4), dtype=np.uint8)
    read = image.imread(io.BytesIO(encode_png(pixels)), format="png")
    np.testing.assert_array_equal(np.rint(255 * read), pixels)


@pytest.mark.slow
def test_png_shows_what_the_svg_says():
    image = pytest.importorskip("matplotlib.image")
    seen = image.imread(io.BytesIO(everything().png(scale=2)), format="png")[..., :3]
    assert seen.shape == (200, 400, 3)

    def color(x, y):
        return "#" + "".join(f"{round(255 * part):02X}" for part in seen[2 * y, 2 * x])

    assert color(12, 50) == RED  # in the first dash
    assert color(17, 50) == "#FFFFFF"  # in the first gap, 6 to 9 after the start
    assert color(115, 50) == "#1F2328"  # the theme's ink
    assert color(160, 60) == "#FF0000"
    assert color(180, 80) == "#FFFFFF"
    half = [(255 + int(BLUE[i : i + 2], 16)) / 510 for i in (1, 3, 5)]
    np.testing.assert_allclose(seen[40, 30], half, atol=0.01)


def painted(*items):
    """The pixels of a sheet of 100 x 30."""
    image = pytest.importorskip("matplotlib.image")
    return image.imread(io.BytesIO(Picture(100, 30, "", list(items)).png()), format="png")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["\N{CJK UNIFIED IDEOGRAPH-4E2D}", "a\nb\x00", "$x$ $"])
def test_names_of_any_letters_can_be_painted(name):
    seen = painted(Text(50, 15, name))
    assert seen.shape == (60, 200, 4) and seen.min() < 0.5
    if "$" in name:  # as it stands, not as a formula; then it would be narrower
        dark = np.flatnonzero((seen[..., :3].min(axis=(0, 2))) < 0.5)
        plain = np.flatnonzero(painted(Text(50, 15, "$x$"))[..., :3].min(axis=(0, 2)) < 0.5)
        assert np.ptp(dark) > np.ptp(plain) + 10


@pytest.mark.slow
def test_a_halo_keeps_lines_away_from_letters():
    line = Lines(np.array([[(0.0, 15.0), (100.0, 15.0)]]), RED, 3)
    bare, held = (Text(50, 15, "i i i", 20, halo=halo, ink=BLUE) for halo in (False, True))
    red = [int((painted(line, text)[..., 0] > 0.8).sum()) for text in (bare, held)]
    white = [int((painted(line, text)[..., 1] > 0.9).sum()) for text in (bare, held)]
    assert white[1] > white[0] + 50 and red[1] > 0
    assert 'paint-order="stroke"' not in Picture(9, 9, "", [bare]).svg()
    svg = Picture(9, 9, "", [held]).svg()
    assert 'paint-order="stroke"' in svg and 'class="s-paper"' in svg


def test_widths_of_text_are_not_too_small():
    text_path = pytest.importorskip("matplotlib.textpath").TextPath
    for text in ("embedding", "null: random colorings", "allowed: 12.5 %", "exam 17"):
        real = text_path((0, 0), text, size=13).get_extents().width
        assert 0.75 * text_width(text, 13) < real < text_width(text, 13)
    assert text_width("\N{CJK UNIFIED IDEOGRAPH-4E2D}", 10) == pytest.approx(10)


def test_files_are_svg_or_png(tmp_path):
    picture = everything()
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == picture.svg() == picture._repr_svg_()
    with pytest.raises(InputError, match=r"a\.gif: pictures are saved as \.svg or \.png"):
        picture.save(tmp_path / "a.gif")


def test_without_matplotlib_png_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"pip install 'concolor\[viz\]'"):
        everything().png()
