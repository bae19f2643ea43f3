"""From the sphere in d dimensions to one that can be looked at."""

from __future__ import annotations

import numpy as np

from concolor.viz.palette import Floats


def view(prototypes: Floats, z: Floats) -> Floats:
    r"""A map ``[d, 3]`` with orthonormal columns, through which the lines of all colors are seen.

    It is the orthonormal matrix nearest to :math:`\sum_c q_c f_c^T`, where :math:`f_c` are lines
    spread evenly in three dimensions. Orthonormal prototypes are seen exactly along these lines,
    parallel ones stay parallel. (The three principal directions of all nodes would show three
    colors, and hide the others in the center.) With less than three colors, the principal
    directions of what the prototypes leave of the nodes are added.

    Signs of prototypes and of nodes mean nothing here: every line is turned to the side of
    :math:`\sum_v \langle z_v, p \rangle^3 z_v` with p the first principal direction of the nodes.
    Rotating all vectors rotates the map with them, and what is seen stays the same.

    Args:
        prototypes: Unit rows ``[k, d]``, the principal direction of each color's nodes.
        z: Unit rows ``[n, d]``.
    """
    lines = prototypes  # [k, d]
    if len(lines) < 3:
        rest = z - z @ np.linalg.pinv(lines) @ lines
        lines = np.concatenate([lines, _principal(rest, 3 - len(lines)).T])
    side = z.T @ (z @ _principal(z, 1)) ** 3  # [d, 1]
    lines = lines * np.where(lines @ side < 0, -1.0, 1.0)
    return _orthonormal(lines.T @ _spread(len(lines)))


def _principal(z: Floats, count: int) -> Floats:
    """Leading eigenvectors of ``z^T z`` as columns ``[d, count]``, zeros where d is too small."""
    found = np.linalg.eigh(z.T @ z)[1][:, ::-1][:, :count]
    return np.pad(found, ((0, 0), (0, count - found.shape[1])))


def _spread(count: int) -> Floats:
    """Rows ``[count, 3]`` that point well apart, as lines, with orthonormal columns.

    The seeds of a sunflower on the half sphere, then the orthonormal matrix nearest to them.
    """
    if count == 3:
        return np.eye(3)
    height = (np.arange(count) + 0.5) / count
    angle = np.pi * (3 - 5**0.5) * np.arange(count)  # the golden angle
    across = np.sqrt(1 - height**2)
    return _orthonormal(np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=1))


def _orthonormal(columns: Floats) -> Floats:
    """The matrix with orthonormal columns that is nearest, the polar factor."""
    u, _, vt = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(u @ vt)


def turned(points: Floats, yaw: float, pitch: float) -> Floats:
    """Points ``[..., 3]`` turned about the vertical axis, then toward the eye, in radians.

    x goes right, y up, and z toward the eye.
    """
    c, s, e, f = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    rotation = np.array([[c, 0, s], [f * s, e, -f * c], [-e * s, f, e * c]])
    return np.asarray(points @ rotation.T)
