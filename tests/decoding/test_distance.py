import numpy as np
import pytest

from concolor.decoding.distance import EUCLIDEAN, PROJECTIVE, unit


@pytest.fixture
def z():
    return unit(np.random.default_rng(0).normal(size=(20, 5)).astype(np.float32))


def test_euclidean_is_the_length_of_the_difference(z):
    slow = np.linalg.norm(z[:, None] - z[None], axis=2)
    np.testing.assert_allclose(EUCLIDEAN.of(z @ z.T), slow, atol=2e-3)


def test_projective_is_the_squared_sine_and_blind_to_signs(z):
    sine = np.sin(np.arccos(np.clip(z @ z.T, -1, 1)))
    np.testing.assert_allclose(PROJECTIVE.of(z @ z.T), sine**2, atol=1e-5)
    np.testing.assert_array_equal(PROJECTIVE.of(z @ z.T), PROJECTIVE.of(z @ -z.T))


def test_repeated_pulls_end_in_the_principal_direction(z):
    center = z[0]
    for _ in range(500):
        center = unit((PROJECTIVE.pull(z @ center) @ z)[None])[0]
    principal = np.linalg.svd(z)[2][0]
    assert abs(center @ principal) == pytest.approx(1, abs=1e-4)


def test_unit_keeps_zero_rows():
    np.testing.assert_allclose(unit(np.float32([[3, 4], [0, 0]])), [[0.6, 0.8], [0, 0]])
