"""Random properly colored graphs with random unit rows, for all tests of the theory."""

import numpy as np
import pytest

from concolor.graph.core import Graph


def planted(seed, *, n=16, k=3, d=5, p=0.4):
    """A graph, a proper coloring with exactly k colors, unit rows; the last node is isolated."""
    rng = np.random.default_rng(seed)
    colors = rng.permutation(np.arange(n) % k)
    u, v = np.triu_indices(n - 1, 1)
    keep = (colors[u] != colors[v]) & (rng.random(len(u)) < p)
    graph = Graph.from_edges(n, np.stack([u, v], axis=1)[keep])
    z = rng.normal(size=(n, d))
    return graph, colors, z / np.linalg.norm(z, axis=1, keepdims=True)


@pytest.fixture(scope="session")
def instance():
    return planted
