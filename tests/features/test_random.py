import numpy as np
import pytest

from concolor.errors import InputError
from concolor.features.random import gaussian, random_unit
from concolor.graph.core import Graph

CYCLE = Graph.from_edges(500, [(v, (v + 1) % 500) for v in range(500)])
PATH = Graph.from_edges(500, [(v, v + 1) for v in range(499)])


@pytest.mark.parametrize("draw", [random_unit, gaussian])
def test_a_seed_and_a_graph_decide_the_draw(draw):
    again = Graph.from_edges(500, CYCLE.edges[::-1], name="the same cycle")

    np.testing.assert_array_equal(draw(CYCLE, 8, 1), draw(again, 8, 1))
    assert not np.array_equal(draw(CYCLE, 8, 1), draw(CYCLE, 8, 2))
    assert not np.array_equal(draw(CYCLE, 8, 1), draw(PATH, 8, 1))


def test_random_rows_are_unit_and_point_everywhere():
    rows = random_unit(CYCLE)

    assert rows.shape == (500, 64)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    assert np.abs(rows.mean(axis=0)).max() < 5 / np.sqrt(500 * 64)


def test_gaussian_coordinates_are_standard_normal():
    rows = gaussian(CYCLE)

    assert rows.dtype == np.float32
    assert abs(rows.mean()) < 5 / np.sqrt(rows.size)
    assert abs(rows.var() - 1) < 5 * np.sqrt(2 / rows.size)


def test_a_negative_seed_is_refused():
    with pytest.raises(InputError, match="got -1"):
        random_unit(CYCLE, 8, -1)
