"""One sign for every line: embeddings of absolute losses are known only up to the sign of a row."""

from __future__ import annotations

import numpy as np

from concolor.decoding.cluster import medoids
from concolor.decoding.distance import PROJECTIVE, Floats
from concolor.errors import InputError

TOLERANCE = 1e-6  # of the largest coordinate of the row; what is below counts as zero


def canonicalize(z: Floats, passes: int = 1, *, k: int = 1, seed: int = 0) -> Floats:
    """Choose the sign of every row, whatever signs the rows came with.

    Pass 1 makes the first non-zero coordinate positive. Each further pass clusters the lines by
    ``|cos|`` into k clusters and flips every row to agree with the medoid of its cluster. The paper
    has passes 1, 2 and 4 but does not define them; this is our reading. The clusters do not depend
    on signs: passes beyond the second only start the clustering anew, and change little.

    Args:
        z: Unit rows ``[n, d]``.
        passes: At least 1.
        k: Clusters of the further passes. A sweep gives the k it is at, so that the clusters it
            looks for agree in sign; the default flips all rows to one side.
        seed: Decides the clusterings.

    Returns:
        ``z`` with some rows negated, ``[n, d]``: the same for ``s * z`` with any signs s.

    >>> canonicalize(np.float32([[-1, 2], [0, -3], [1, -2]])).tolist()
    [[1.0, -2.0], [0.0, 3.0], [1.0, -2.0]]
    """
    if passes < 1:
        raise InputError(f"passes must be at least 1, got {passes}")
    z = _first_positive(z)
    for extra in range(1, passes):
        found = medoids(z, seed + extra, distance=PROJECTIVE)(min(k, len(z)))
        agreement = np.einsum("nd,nd->n", z, found.centers[found.clusters])
        z = z * _signs(agreement)
    return z


def _first_positive(z: Floats) -> Floats:
    size = np.abs(z)
    first = (size > TOLERANCE * size.max(axis=1, keepdims=True, initial=0)).argmax(axis=1)
    return z * _signs(z[np.arange(len(z)), first]) + np.float32(0)  # -0 becomes 0


def _signs(x: Floats) -> Floats:
    return np.where(x < 0, np.float32(-1), np.float32(1))[:, None]
