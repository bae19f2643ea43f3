"""Where the nodes of a graph go in the plane: low stress in every component, then side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree

from concolor.compiled import compiled
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import components
from concolor.viz.palette import Floats


def layout(graph: Graph, *, seed: int = 0) -> Floats:
    r"""Points ``[n, 2]`` whose distances follow those in the graph.

    Every component lowers its stress :math:`\sum_{u<v} (|p_u - p_v| / d_{uv} - 1)^2` by moving one
    pair after the other (Zheng, Pawar, Goodman 2018); boxes of components do not overlap. An edge
    has length 1 or so. Work and memory grow with the square of the largest component.
    """
    if graph.n == 0:
        return np.zeros((0, 2))
    pieces = sorted(components(graph), key=lambda nodes: int(nodes[0]))
    rng = np.random.default_rng(seed)
    points = np.zeros((graph.n, 2))
    for nodes in pieces:
        if len(nodes) > 1:
            points[nodes] = _upright(_unfolded(graph.subgraph(nodes), rng))
    return _packed(points, pieces)


def _unfolded(graph: Graph, rng: np.random.Generator, *, rounds: int = 20) -> Floats:
    """Points of a connected graph with low stress, after every pair has moved ``rounds`` times."""
    distances = shortest_path(graph.adjacency(), unweighted=True).astype(np.float32)
    u, v = np.triu_indices(graph.n, 1)
    order = rng.permutation(len(u))
    pairs = np.stack([u[order], v[order]], axis=1).astype(np.int32)
    widest = float(distances.max())
    steps = widest**2 * np.geomspace(1, 0.1 / widest**2, rounds)
    points = rng.random((graph.n, 2)) * widest
    _lower_stress(points, distances, pairs, steps)
    return points


@compiled
def _lower_stress(
    points: Floats, distances: NDArray[np.float32], pairs: NDArray[np.int32], steps: Floats
) -> None:
    for step in steps:
        for place in range(len(pairs)):
            u, v = pairs[place, 0], pairs[place, 1]
            wanted = distances[u, v]
            x, y = points[u, 0] - points[v, 0], points[u, 1] - points[v, 1]
            length = np.sqrt(x * x + y * y) + 1e-9
            move = min(1.0, step / (wanted * wanted)) * (length - wanted) / (2 * length)
            points[u, 0] -= move * x
            points[u, 1] -= move * y
            points[v, 0] += move * x
            points[v, 1] += move * y


def _upright(points: Floats) -> Floats:
    """Turned so that the longest extent lies flat."""
    centered = points - points.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2]
    return np.asarray(centered @ axes.T)


def apart(points: Floats, distance: float, *, rounds: int = 60) -> Floats:
    """Points ``[n, 2]`` moved until hardly two of them are closer than ``distance``."""
    moved = points.copy()
    for _ in range(rounds):
        u, v = cKDTree(moved).query_pairs(distance, output_type="ndarray").T
        if not len(u):
            break
        away = moved[u] - moved[v]
        length = np.linalg.norm(away, axis=1, keepdims=True)
        # points that coincide part along a direction of their own
        turn = np.stack([np.cos(u), np.sin(u)], axis=1)
        unit = np.where(length > 0, away / np.maximum(length, 1e-12), turn)
        push = unit * (distance - length) / 2
        np.add.at(moved, u, push)
        np.add.at(moved, v, -push)
    return moved


def _packed(points: Floats, pieces: list[IntArray]) -> Floats:
    """Components in rows of about equal width, the tallest first, an edge's length apart."""
    low = np.array([points[nodes].min(axis=0) for nodes in pieces])
    high = np.array([points[nodes].max(axis=0) for nodes in pieces])
    boxes = high - low + 1
    row_width = max(np.sqrt(boxes.prod(axis=1).sum()) * 1.2, boxes[:, 0].max())
    moved = points.copy()
    x = y = tallest = 0.0
    for place in np.lexsort((-boxes[:, 0], -boxes[:, 1])):
        width, height = boxes[place]
        if x + width > row_width * (1 + 1e-9):
            x, y, tallest = 0.0, y + tallest, 0.0
        moved[pieces[place]] += (x, y) - low[place]
        x, tallest = x + width, max(tallest, height)
    return moved
