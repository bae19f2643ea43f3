"""The two distances on the sphere that we cluster by; both are functions of the inner product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True)
class Distance:
    """A distance of unit vectors, given through their inner products ``g``.

    Attributes:
        of: ``g`` -> distance, elementwise.
        pull: ``g`` -> the weight of a point in the center of its cluster, elementwise. The best
            center is ``c = sum_v pull(<z_v, c>) z_v`` up to scale (for the squared Euclidean and
            the projective distance); the right side as next center is one step towards it.
    """

    of: Callable[[Floats], Floats]
    pull: Callable[[Floats], Floats]


# |u - v| = sqrt(2 - 2g); the center is the mean
EUCLIDEAN = Distance(of=lambda g: np.sqrt(np.maximum(2 - 2 * g, 0)), pull=np.ones_like)

# 1 - g^2, the squared sine, blind to signs; the center is the principal direction, and the step
# towards it is one step of the power method
PROJECTIVE = Distance(of=lambda g: np.maximum(1 - g * g, 0), pull=lambda g: g)


def unit(z: Floats) -> Floats:
    """Rows divided by their lengths; zero rows stay."""
    length = np.linalg.norm(z, axis=1, keepdims=True)
    return np.asarray(z / np.where(length > 0, length, 1), np.float32)
