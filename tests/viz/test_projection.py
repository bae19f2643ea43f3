"""What is seen of an embedding depends on its lines alone."""

import numpy as np
import pytest

from concolor.graph.families import family
from concolor.solvers.greedy import dsatur
from concolor.theory import collapse
from concolor.viz.embedding import ball
from concolor.viz.projection import turned, view
from viz.samples import near_prototypes


def rotation(d, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


def seen(coloring, z):
    """Points of all nodes, by node."""
    shown = ball(coloring, z)
    return shown.points[np.argsort(shown.nodes)], shown.prototypes


@pytest.mark.parametrize("name", ["queen:6x6", "cycle:9", "path:6", "complete:12"])
@pytest.mark.parametrize("d", [12, 40])
def test_signs_and_rotations_change_nothing(name, d):
    coloring = dsatur(family(name))
    z = near_prototypes(coloring, d)
    points, prototypes = seen(coloring, z)
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (len(z), 1))
    for other in (signs * z, z @ rotation(d), signs * z @ rotation(d, 1)):
        moved, lines = seen(coloring, other)
        np.testing.assert_allclose(moved, points, atol=1e-6)
        np.testing.assert_allclose(lines, prototypes, atol=1e-6)


@pytest.mark.parametrize(("k", "d"), [(1, 5), (2, 5), (3, 5), (5, 5), (9, 5), (30, 64)])
def test_the_map_is_an_orthogonal_projection(k, d):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(k + 20, d))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    lens = view(rows[:k], rows)
    np.testing.assert_allclose(lens.T @ lens, np.eye(3), atol=1e-9)


@pytest.mark.parametrize("k", [3, 4, 7, 13, 32])
def test_orthonormal_prototypes_are_seen_apart_and_equally_long(k):
    lines = np.eye(40)[:k] @ view(np.eye(40)[:k], np.eye(40)[:k])
    lengths = np.linalg.norm(lines, axis=1)
    assert lengths.min() > 0.6 * lengths.max()
    cosines = np.abs(lines @ lines.T) / np.outer(lengths, lengths) - np.eye(k)
    # k lines in space cannot all be farther than this from each other
    assert np.degrees(np.arccos(cosines.max())) > 55 / np.sqrt(k)


def test_parallel_prototypes_stay_parallel():
    rows = np.eye(8)[[0, 1, 2, 3, 3]]
    lines = rows @ view(rows, rows)
    np.testing.assert_allclose(lines[3], lines[4])


@pytest.mark.parametrize("d", [1, 2, 3])
def test_few_dimensions_are_kept_whole(d):
    coloring = dsatur(family("cycle:6"))
    z = near_prototypes(coloring, d, noise=0.0 if d == 1 else 0.05)
    assert ball(coloring, z).seen == pytest.approx(1)


def test_points_stand_on_the_side_of_their_prototype_within_the_ball():
    coloring = dsatur(family("queen:6x6"))
    shown = ball(coloring, near_prototypes(coloring, 20, noise=0.1))
    sides = np.einsum("nd,nd->n", shown.points, shown.prototypes[shown.classes])
    assert (sides > 0).all()
    assert np.linalg.norm(shown.points, axis=1).max() == pytest.approx(1)
    np.testing.assert_allclose(np.linalg.norm(shown.prototypes, axis=1), 1)


def test_the_prototypes_are_those_of_the_collapse():
    coloring = dsatur(family("complete:3"))
    z = near_prototypes(coloring, 3)
    lines = collapse(coloring.graph, coloring.colors, z).prototypes
    gram = ball(coloring, z).prototypes @ ball(coloring, z).prototypes.T
    np.testing.assert_allclose(np.abs(gram), np.abs(lines @ lines.T), atol=1e-9)


def test_turning_brings_front_to_the_right_and_top_to_the_front():
    np.testing.assert_allclose(turned(np.array([0.0, 0, 1]), np.pi / 2, 0), [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(turned(np.array([0.0, 1, 0]), 0, np.pi / 2), [0, 0, 1], atol=1e-12)
