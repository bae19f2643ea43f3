"""Fills that eyes of every kind tell apart, and looks that do not repeat too early."""

from itertools import combinations

import numpy as np
import pytest

from concolor.viz.palette import FILLS, SHAPES, THEME, ink_on, look, luminance, shade

# what is seen of linear RGB (Machado, Oliveira, Fernandes 2009, severity 1)
EYES = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = [[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]
WHITE = [0.9505, 1.0, 1.0889]


def lab(color, eye):
    """CIELAB of ``#rrggbb`` as an eye sees it."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(TO_XYZ @ np.clip(np.array(EYES[eye]) @ linear, 1e-3, 1) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("eye", EYES)
def test_every_eye_tells_all_fills_apart(eye):
    for one, other in combinations(FILLS, 2):
        assert np.linalg.norm(lab(one, eye) - lab(other, eye)) > 15, (one, other)


def test_red_and_green_would_not_pass():
    seen = lab("#B00000", "deuteranopia") - lab("#4E6000", "deuteranopia")
    assert np.linalg.norm(seen) < 15


@pytest.mark.parametrize("fill", [*FILLS, shade(0.2), shade(0.45), shade(0.9)])
def test_numbers_can_be_read_on_every_fill(fill):
    assert contrast(ink_on(fill), fill) > 4.5


@pytest.mark.parametrize("ink", ["ink", "soft"])
def test_text_can_be_read_on_paper(ink):
    assert contrast(THEME[ink], THEME["paper"]) > 4.5


def test_looks_repeat_only_after_all_of_them():
    looks = [look(place) for place in range(len(FILLS) * len(SHAPES))]
    assert len(set(looks)) == len(looks) == 56
    assert look(56) == look(0)


def test_shapes_have_about_the_area_of_the_circle():
    for name, corners in SHAPES.items():
        x, y = corners.T
        area = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
        assert 0.6 * np.pi < area < 1.1 * np.pi, name


def test_shades_only_get_darker():
    light = [luminance(shade(value)) for value in np.linspace(0, 1, 50)]
    assert light == sorted(light, reverse=True)
