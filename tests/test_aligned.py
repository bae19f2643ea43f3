"""Rows that begin with a line of the cache."""

import numpy as np
import pytest

from concolor.aligned import LINE, aligned


@pytest.mark.parametrize("shape", [(1, 1), (1, 32), (7, 16), (1001, 32), (5,)])
def test_they_are_zeros_that_begin_with_a_line_and_may_be_written(shape):
    several = [aligned(shape) for _ in range(5)]  # NumPy begins them at different places
    for found in several:
        assert found.shape == shape and found.dtype == np.float32
        assert found.ctypes.data % LINE == 0
        assert not found.any()
        found += 1
    assert all(found.sum() == found.size for found in several)
