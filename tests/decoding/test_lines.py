import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from concolor.decoding import canonicalize
from concolor.decoding.distance import unit
from concolor.errors import InputError


def points(n=60, d=6, seed=0):
    return unit(np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32))


@pytest.mark.slow
@given(
    z=arrays(np.float32, (7, 3), elements=st.floats(-1, 1, width=32)),
    signs=arrays(np.float32, (7, 1), elements=st.sampled_from([-1.0, 1.0])),
    passes=st.sampled_from([1, 2, 4]),
)
@settings(max_examples=60, deadline=None)
def test_signs_of_the_rows_do_not_matter(z, signs, passes):
    z = unit(z)
    one, other = canonicalize(signs * z, passes, k=3), canonicalize(z, passes, k=3)
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("passes", [1, 2, 4])
def test_rows_change_by_their_sign_only(passes):
    z = points()
    np.testing.assert_array_equal(np.abs(canonicalize(z, passes, k=4)), np.abs(z))


@pytest.mark.parametrize(("passes", "k"), [(1, 1), (2, 1), (2, 5), (4, 3)])
def test_a_second_time_changes_nothing(passes, k):
    once = canonicalize(points(), passes, k=k, seed=3)
    np.testing.assert_array_equal(canonicalize(once, passes, k=k, seed=3), once)


def test_first_pass_makes_the_first_nonzero_coordinate_positive():
    z = np.float32([[0, 0, -1], [1e-9, -0.6, 0.8], [-1, 0, 0], [0, 0, 0]])
    expected = np.float32([[0, 0, 1], [-1e-9, 0.6, -0.8], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(canonicalize(z), expected)


def test_one_cluster_flips_all_rows_to_the_side_of_its_medoid():
    z = canonicalize(points(d=2), 2)
    apart = (1 - (z @ z.T) ** 2).sum(axis=1)
    assert (z @ z[apart.argmin()] >= 0).all()


def test_further_passes_join_the_two_halves_of_a_line_that_the_first_pass_splits():
    """A line whose first coordinate is noise: the first rule gives its points both signs."""
    rng = np.random.default_rng(0)
    z = unit(np.float32([0, 1, 0]) + 0.05 * rng.normal(size=(50, 3)).astype(np.float32))
    assert len(np.unique(np.sign(canonicalize(z)[:, 1]))) == 2
    assert len(np.unique(np.sign(canonicalize(z, 2)[:, 1]))) == 1


def test_no_rows_and_no_passes():
    assert canonicalize(np.empty((0, 3), np.float32)).shape == (0, 3)
    with pytest.raises(InputError, match="passes must be at least 1, got 0"):
        canonicalize(points(), 0)
