"""Embeddings for tests and sample pages that need no model."""

import numpy as np


def near_prototypes(coloring, d, *, noise=0.05, seed=0):
    """Unit rows near the orthonormal (where d is large enough) lines of the colors, any sign."""
    rng = np.random.default_rng(seed)
    lines = np.linalg.qr(rng.normal(size=(d, d)))[0]
    signs = rng.choice([-1.0, 1.0], (coloring.graph.n, 1))
    z = signs * lines[coloring.colors % d] + noise * rng.normal(size=(coloring.graph.n, d))
    return z / np.linalg.norm(z, axis=1, keepdims=True)
