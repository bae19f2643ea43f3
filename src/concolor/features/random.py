"""Features drawn at random: what a node knows when nothing is known about it.

Every graph is drawn from its own generator, seeded by the run's seed and the graph's digest, so it
gets the same features alone, within any list, and in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.errors import InputError
from concolor.graph.core import Graph


def random_unit(graph: Graph, dim: int = 64, seed: int = 0) -> NDArray[np.float32]:
    """Independent uniform directions: unit rows ``[n, dim]``."""
    rows = gaussian(graph, dim, seed)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def gaussian(graph: Graph, dim: int = 64, seed: int = 0) -> NDArray[np.float32]:
    """Independent N(0, 1) coordinates: ``[n, dim]``."""
    if seed < 0:
        raise InputError(f"a seed must be >= 0, got {seed}")
    generator = np.random.default_rng([seed, int(graph.digest, 16)])
    return generator.standard_normal((graph.n, dim), dtype=np.float32)
