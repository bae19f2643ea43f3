"""Layouts are repeatable, follow the distances of the graph, and keep components apart."""

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform

from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.viz.layout import apart, layout


def stress(graph, points):
    """Slow twin of what the layout lowers, for a connected graph."""
    wanted = shortest_path(graph.adjacency(), unweighted=True)
    return sum(
        (np.linalg.norm(points[u] - points[v]) / wanted[u, v] - 1) ** 2
        for u in range(graph.n)
        for v in range(u)
    )


def test_the_same_seed_gives_the_same_places():
    graph = family("queen:5x5")
    np.testing.assert_array_equal(layout(graph, seed=3), layout(graph, seed=3))
    assert not np.allclose(layout(graph, seed=3), layout(graph, seed=4))


@pytest.mark.parametrize("name", ["cycle:30", "grid:6x6", "petersen", "path:20"])
def test_stress_is_low(name):
    graph = family(name)
    pairs = graph.n * (graph.n - 1) / 2
    scattered = np.random.default_rng(0).random((graph.n, 2)) * graph.n**0.5
    assert stress(graph, layout(graph)) < min(0.15 * pairs, stress(graph, scattered) / 2)


def test_a_cycle_is_drawn_round():
    points = layout(family("cycle:40"))
    radii = np.linalg.norm(points - points.mean(axis=0), axis=1)
    assert radii.std() < 0.1 * radii.mean()
    steps = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    assert steps.max() < 2 * steps.min()


def test_components_do_not_overlap():
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (5, 6), (6, 7), (7, 8), (8, 5)]
    points = layout(Graph.from_edges(12, edges))
    parts = [[0, 1, 2], [3, 4], [5, 6, 7, 8], [9], [10], [11]]
    boxes = [(points[part].min(axis=0), points[part].max(axis=0)) for part in parts]
    for place, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:place]:
            assert (low > other_high).any() or (other_low > high).any()


@pytest.mark.parametrize("n", [0, 1, 5])
def test_graphs_without_edges_have_places(n):
    points = layout(Graph.from_edges(n, []))
    assert points.shape == (n, 2) and len(np.unique(points, axis=0)) == n


def test_points_are_pushed_apart_and_no_further():
    points = np.array([(0.0, 0.0), (0.0, 0.0), (0.1, 0.0), (50.0, 0.0)])
    moved = apart(points, 4)
    assert (squareform(pdist(moved)) + 9 * np.eye(4)).min() > 3.9
    np.testing.assert_array_equal(moved[3], points[3])
    np.testing.assert_array_equal(apart(moved * 2, 4), moved * 2)
