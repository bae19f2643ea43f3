"""Embeddings as training leaves them, for the tests of their bounds and handles."""

import numpy as np
import pytest

from concolor.certificates.theta.vectors import prototypes, unit_rows
from concolor.solvers.greedy import dsatur


def near(graph, noise=0.1, seed=0):
    """Unit rows near the prototypes of a coloring, and the handle of the prototypes."""
    z, r = prototypes(dsatur(graph))
    return unit_rows(z + noise * np.random.default_rng(seed).normal(size=z.shape), graph), r


@pytest.fixture(scope="session")
def near_prototypes():
    return near
