"""The embedding: nodes and prototypes on the sphere, and how orthogonal the prototypes are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import Coloring
from concolor.graph.core import IntArray
from concolor.theory import Collapse, collapse
from concolor.viz.palette import Floats, ink_on, look, shade
from concolor.viz.picture import Boxes, Image, Item, Lines, Marks, Picture, Pixels, Text
from concolor.viz.projection import turned, view

SPHERE = 460.0  # the sheet
BALL = 200.0  # its radius on the sheet
YAW, PITCH = 0.5, 0.35  # the first look, in radians
POINTS = 1500  # nodes drawn of a larger graph
CELLS = 40  # colors up to which each has its number on the sphere and its cells in the heat map


@dataclass(frozen=True, eq=False)
class Ball:
    """An embedding in three dimensions, largest length 1.

    Attributes:
        nodes: The nodes that are drawn ``[s]``, those in front last.
        points: Their places ``[s, 3]``, each on the side of its prototype.
        prototypes: Unit vectors ``[k, 3]`` along the line of every used color.
        classes: Which prototype each drawn node has ``[s]``.
        seen: The share of the squared length that is left in three dimensions.
    """

    nodes: IntArray
    points: Floats
    prototypes: Floats
    classes: IntArray
    seen: float


def ball(coloring: Coloring, z: ArrayLike, *, seed: int = 0, most: int = POINTS) -> Ball:
    """Bring unit rows ``z [n, d]`` to three dimensions, see :func:`~concolor.viz.projection.view`.

    Nodes and their negatives are the same line; a node is shown on the side of its prototype, and
    the prototypes on the side where most of the nodes are.
    """
    found = collapse(coloring.graph, coloring.colors, z)
    rows = np.asarray(z, np.float64)
    classes = np.searchsorted(found.colors, coloring.colors)
    lens = view(found.prototypes, rows)
    points, lines = rows @ lens, found.prototypes @ lens
    lines = lines * np.where(lines @ _front(points) < 0, -1.0, 1.0)[:, None]
    prototypes = lines / np.maximum(np.linalg.norm(lines, axis=1, keepdims=True), 1e-12)
    side = np.einsum("nd,nd->n", points, prototypes[classes])
    points = points * np.where(side < 0, -1.0, 1.0)[:, None]
    lengths = np.linalg.norm(points, axis=1)
    points = points / max(lengths.max(), 1e-12)
    drawn = np.random.default_rng(seed).permutation(len(points))[:most]
    drawn = drawn[np.argsort(turned(points[drawn], YAW, PITCH)[:, 2])]
    return Ball(drawn, points[drawn], prototypes, classes[drawn], float(np.mean(lengths**2)))


def _front(points: Floats) -> Floats:
    """The principal direction ``[3]`` of points as lines, on the side that is looked at first."""
    direction = np.linalg.eigh(points.T @ points)[1][:, -1]
    return np.asarray(-direction if turned(direction, YAW, PITCH)[2] < 0 else direction)


def sphere(coloring: Coloring, z: ArrayLike, *, seed: int = 0, most: int = POINTS) -> Picture:
    """Nodes as points and prototypes as lines through the center, looked at from one side.

    Args:
        coloring: Whose classes are drawn.
        z: Unit rows ``[n, d]``.
        seed: Decides which nodes are drawn where there are more than ``most``.
        most: Nodes drawn at most; of larger graphs so many are chosen at random.
    """
    return draw_ball(coloring, ball(coloring, z, seed=seed, most=most))


def draw_ball(coloring: Coloring, shown: Ball) -> Picture:
    """The picture of :func:`sphere`."""
    points = turned(shown.points, YAW, PITCH)
    looks = [look(place) for place in range(len(shown.prototypes))]
    mine = [looks[place] for place in shown.classes.tolist()]
    tips = turned(shown.prototypes, YAW, PITCH)
    radius = float(np.clip(90 / np.sqrt(max(len(points), 1)), 2.5, 6))
    used = np.unique(coloring.colors).tolist()
    items: list[Item] = [Lines(_sheet(turned(_globe(), YAW, PITCH)), "grid", kind="globe")]
    for (fill, _), tip in zip(looks, tips, strict=True):
        ends = np.stack([-tip, tip])[None]
        items.append(Lines(_sheet(ends), fill, 2.2, opacity=0.75, kind="prototype"))
    names = coloring.graph.node_names
    items.append(
        Marks(
            _sheet(points),
            radius,
            [fill for fill, _ in mine],
            [shape for _, shape in mine],
            [
                f"{names[v]} · color {used[place]}"
                for v, place in zip(shown.nodes.tolist(), shown.classes.tolist(), strict=True)
            ],
            np.where(points[:, 2] < 0, 0.45, 1.0).tolist(),
            kind="nodes",
        )
    )
    if len(tips) <= CELLS:
        for color, (x, y) in zip(used, _sheet(tips * 1.07).tolist(), strict=True):
            items.append(Text(x, y, str(color), 13, bold=True, kind="tip"))
    part = "" if len(points) == coloring.graph.n else f"{len(points)} of "
    label = (
        f"{part}{coloring.graph.n} nodes of {coloring.graph.name} on the sphere of embeddings, "
        f"with the lines of {len(looks)} colors"
    )
    return Picture(SPHERE, SPHERE, label, items)


def _sheet(points: Floats) -> Floats:
    """Places on the sheet ``[..., 2]`` of points ``[..., 3]``, seen from far away."""
    return np.asarray(SPHERE / 2 + BALL * points[..., :2] * (1, -1))


def _globe() -> Floats:
    """Three great circles ``[3, p, 3]``."""
    angle = np.linspace(0, 2 * np.pi, 49)
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(49)
    return np.stack([np.stack(axes, axis=1) for axes in ((c, s, o), (c, o, s), (o, c, s))])


def gram_map(found: Collapse) -> Picture:
    r"""Heat map of :math:`|\langle q_i, q_j \rangle|`, the prototypes of two colors.

    Orthonormal prototypes give a dark diagonal and nothing else. Signs of lines mean nothing.
    """
    gram = np.clip(np.abs(found.gram), 0, 1)
    k, left, top, side = len(gram), 52.0, 14.0, 360.0
    names, cell = [str(color) for color in found.colors.tolist()], side / k
    items: list[Item] = (
        [_cells(gram, names, left, top, cell)]
        if k <= CELLS
        else [Image((left, top, side, side), _pixels(gram))]
    )
    if k <= 9:
        for (a, b), value in np.ndenumerate(gram):
            x, y = left + (b + 0.5) * cell, top + (a + 0.5) * cell
            items.append(Text(x, y, f"{value:.2f}", 12, ink=ink_on(shade(value))))
    every = -(-k // 20)
    for place in range(0, k, every):
        middle = (place + 0.5) * cell
        items.append(Text(left - 6, top + middle, names[place], 11, "end", "soft"))
        items.append(Text(left + middle, top + side + 11, names[place], 11, ink="soft"))
    items.append(Text(left + side / 2, top + side + 31, "color", 13, ink="soft"))
    items.append(Text(14, top + side / 2, "color", 13, ink="soft", angle=-90))
    items += _scale(left + side + 24, top, side)
    label = f"Absolute inner products of the {k} prototypes; the identity is perfect collapse"
    return Picture(left + side + 76, top + side + 46, label, items)


def _cells(gram: Floats, names: list[str], left: float, top: float, cell: float) -> Boxes:
    """A box for every pair of colors, with its value as title."""
    k = len(gram)
    i, j = np.divmod(np.arange(k * k), k)
    wide = np.full(k * k, cell - (1.0 if k <= 20 else 0.0))
    boxes = np.stack([left + j * cell, top + i * cell, wide, wide], axis=1)
    titles = [f"colors {names[a]} and {names[b]}: {gram[a, b]:.3f}" for a, b in np.ndindex(k, k)]
    return Boxes(boxes, [shade(value) for value in gram.ravel()], titles)


def _pixels(gram: Floats) -> Pixels:
    steps = np.array([[int(shade(v / 255)[i : i + 2], 16) for i in (1, 3, 5)] for v in range(256)])
    opaque = np.concatenate([steps, np.full((256, 1), 255)], axis=1).astype(np.uint8)
    return np.asarray(opaque[np.rint(255 * gram).astype(int)])


def _scale(x: float, top: float, side: float) -> list[Item]:
    """What the shades mean."""
    values = np.arange(50) / 49
    boxes = np.stack(
        [np.full(50, x), top + side * (49 - np.arange(50)) / 50, np.full(50, 14), np.full(50, 7.5)],
        axis=1,
    )
    marks = [
        Text(x + 20, top + side * (1 - value), f"{value:g}", 11, "start", "soft")
        for value in (0.0, 0.5, 1.0)
    ]
    return [Boxes(boxes, [shade(value) for value in values]), *marks]
