"""The colored matrix shows every entry in the look of its product."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from concolor.matrices import KINDS, color_matrix
from concolor.viz import colored_matrix
from concolor.viz.palette import look
from concolor.viz.picture import Boxes, Image, Text

BAND = np.eye(9) + np.eye(9, k=1) + np.eye(9, k=-1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_entry_is_drawn_in_the_look_of_its_product(kind):
    c = color_matrix(BAND, kind, time_limit=0)
    picture = colored_matrix(c)
    assert ET.fromstring(picture.svg()).get("aria-label").startswith("matrix, 9 x 9 with 25 entr")
    cells, *strips = (item for item in picture.items if isinstance(item, Boxes))
    assert list(cells.fills) == [look(product)[0] for product in c.read_from]
    numbers = [item.text for item in picture.items if isinstance(item, Text)]
    assert numbers == [str(product) for product in c.read_from]
    assert len(strips) == len(KINDS[kind].sides)
    assert cells.boxes.min() > 0 and (cells.boxes[:, :2] + cells.boxes[:, 2:]).max() < picture.width


@pytest.mark.parametrize("shape", [(2000, 3000), (3000, 900)])
def test_large_matrices_are_pixels(shape):
    matrix = np.zeros(shape)
    matrix[np.arange(min(shape)), np.arange(min(shape))] = 1
    matrix[7], matrix[:, 5] = 1, 1
    matrix[::2, -1] = 1
    c = color_matrix(matrix, "bidirectional", time_limit=0)
    picture = colored_matrix(c)
    (image,) = (item for item in picture.items if isinstance(item, Image))
    assert max(image.pixels.shape) <= 561 and (image.pixels[..., 3] > 0).sum() > 1000
    assert len(picture.svg()) < 2_000_000


def test_a_matrix_without_entries_is_an_empty_frame():
    assert "0 entries" in colored_matrix(color_matrix(np.zeros((2, 3)))).svg()
