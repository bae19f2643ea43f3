"""The colored graph: nodes and edges while they can be told apart, the sorted matrix above."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray
from concolor.viz.names import names_beside
from concolor.viz.palette import CONFLICT, Floats, ink_on, look
from concolor.viz.picture import Boxes, Image, Item, Lines, Marks, Picture, Pixels, Text

SIDE = 640.0  # of the drawing
EDGE = 26.0  # free room around it
NODES, EDGES = 2000, 20_000  # up to which nodes and edges are drawn one by one
NAMED = 400  # nodes and edges together, up to which nodes have names


def is_drawable(coloring: Coloring) -> bool:
    """Few enough nodes and edges to draw every one."""
    return coloring.graph.n <= NODES and coloring.graph.m <= EDGES


def is_named(coloring: Coloring) -> bool:
    """Few enough nodes and edges to have names beside the nodes, where there is room."""
    return is_drawable(coloring) and coloring.graph.n + coloring.graph.m <= NAMED


def colored_graph(
    coloring: Coloring, *, seed: int = 0, positions: ArrayLike | None = None
) -> Picture:
    """The graph with its colors; monochromatic edges are thick, red and dashed.

    Up to 2000 nodes and 20,000 edges are drawn, above it is :func:`sorted_matrix`, wherever the
    nodes are. Small graphs (400 nodes and edges together) have names beside their nodes, where
    there is room.

    Args:
        coloring: What to draw.
        seed: Decides the layout.
        positions: Places of the nodes ``[n, 2]``, x to the right and y up, in place of a layout;
            any unit, they are moved and scaled to fit, both axes alike.
    """
    graph = coloring.graph
    given = None if positions is None else _checked(positions, graph.n)
    if not is_drawable(coloring):
        return sorted_matrix(coloring)
    places, height, radius = _places(graph, seed, given)
    items = [*_edges(coloring, places), *_nodes(coloring, places, radius)]
    if is_named(coloring):
        names, sheet = graph.node_names, (SIDE, height)
        items += names_beside(names, places, radius, graph.edges, sheet=sheet)
    legend, below = _legend(coloring, height)
    return Picture(SIDE, below, _label(coloring, "drawn as nodes and edges"), [*items, *legend])


def plain_graph(graph: Graph, *, seed: int = 0) -> Picture:
    """The graph without colors: nodes and edges, all alike; for graphs small enough to draw."""
    places, height, radius = _places(graph, seed)
    titles = [
        f"{name} · degree {degree}"
        for name, degree in zip(graph.node_names, graph.degrees.tolist(), strict=True)
    ]
    fill, shape = look(0)
    items: list[Item] = [
        _lines(graph, places[graph.edges]),
        Marks(places, radius, [fill] * graph.n, [shape] * graph.n, titles, kind="nodes"),
    ]
    return Picture(SIDE, height, f"{graph.name}, {graph.n} nodes and {graph.m} edges", items)


def _places(graph: Graph, seed: int, given: Floats | None = None) -> tuple[Floats, float, float]:
    """Where the nodes are drawn ``[n, 2]``, the height of the sheet, and the radius of a node."""
    radius = float(np.clip(155 / np.sqrt(max(graph.n, 1)), 3, 13))
    if given is None:
        from concolor.viz.layout import apart, layout  # imports numba

        given = apart(_fit(layout(graph, seed=seed))[0], 2.1 * radius)
    return *_fit(given), radius


def _edges(coloring: Coloring, places: Floats) -> list[Item]:
    """The edges, and those in conflict on top of them."""
    edges = coloring.graph.edges
    bad = coloring.colors[edges[:, 0]] == coloring.colors[edges[:, 1]]
    return [
        _lines(coloring.graph, places[edges[~bad]]),
        Lines(places[edges[bad]], CONFLICT, 2.6, (7.0, 4.0), kind="conflicts"),
    ]


def _lines(graph: Graph, ends: Floats) -> Lines:
    """Edges between these places ``[e, 2, 2]``, the fainter the more the graph has."""
    share = 1 / np.sqrt(max(graph.m, 1))
    thin, faint = float(np.clip(25 * share, 0.4, 1.2)), float(np.clip(30 * share, 0.25, 0.8))
    return Lines(ends, "line", thin, opacity=faint, kind="edges")


def _nodes(coloring: Coloring, places: Floats, radius: float) -> list[Item]:
    """The nodes with the look of their color, and its number where it can be read."""
    graph, colors = coloring.graph, coloring.colors.tolist()
    looks = [look(place) for place in np.unique(coloring.colors, return_inverse=True)[1].tolist()]
    titles = [
        f"{name} · color {color} · degree {degree}"
        for name, color, degree in zip(
            graph.node_names, colors, graph.degrees.tolist(), strict=True
        )
    ]
    fills, shapes = [fill for fill, _ in looks], [shape for _, shape in looks]
    items: list[Item] = [Marks(places, radius, fills, shapes, titles, kind="nodes")]
    if radius >= 9:
        items += [
            Text(x, y, str(color), radius * 0.85, ink=ink_on(fill), kind="number")
            for (x, y), color, fill in zip(places.tolist(), colors, fills, strict=True)
        ]
    return items


def _checked(positions: ArrayLike, n: int) -> Floats:
    """The positions with y down, as on the sheet."""
    points = np.asarray(positions)
    if points.shape != (n, 2) or points.dtype.kind not in "iuf":
        raise InputError(
            f"positions must be numbers of shape [n={n}, 2], a row x, y for every node in order, "
            f"got {points.dtype} {points.shape}"
        )
    if not np.isfinite(points).all():
        bad = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise InputError(f"positions must be finite, got {points[bad].tolist()} for node {bad}")
    return points.astype(np.float64) * (1, -1)


def _fit(points: Floats) -> tuple[Floats, float]:
    """Points ``[n, 2]`` scaled into the width of the sheet, and the height that they need."""
    if not len(points):
        return points, 2 * EDGE
    low, wide = points.min(axis=0), np.ptp(points, axis=0)
    scale = (SIDE - 2 * EDGE) / (wide.max() or 1)
    left = (SIDE - wide[0] * scale) / 2
    return (points - low) * scale + (left, EDGE), float(wide[1] * scale + 2 * EDGE)


def sorted_matrix(coloring: Coloring) -> Picture:
    """The adjacency matrix with nodes sorted by color: conflicts lie in the blocks on the diagonal.

    A dot is as dark as its part of the matrix is full; conflicts are red, and ringed where there
    are few.
    """
    graph, (left, top) = coloring.graph, (44.0, 44.0)
    side = SIDE - left - 8
    order = np.argsort(coloring.colors, kind="stable")
    rank = np.empty(graph.n, np.int64)
    rank[order] = np.arange(graph.n)
    across = min(max(graph.n, 1), 640)  # pixels on a side
    at = rank[graph.edge_index] * across // max(graph.n, 1)  # [2, 2m], pixels
    bad = coloring.colors[graph.edge_index[0]] == coloring.colors[graph.edge_index[1]]
    box = (left, top, side, side)
    items: list[Item] = [
        Image(box, _density(at, across, (31, 35, 40)), kind="density"),
        Image(box, _density(at[:, bad], across, (215, 38, 61), solid=True)),
        *_strips(coloring, left, top, side),
    ]
    if 0 < bad.sum() <= 2 * 400:  # more rings would hide the matrix
        centers = (left, top) + (np.unique(at[::-1, bad], axis=1).T + 0.5) * side / across
        turn = np.linspace(0, 2 * np.pi, 13)
        ring = max(5, side / across) * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        items.append(Lines(centers[:, None] + ring, CONFLICT, 1.4))
    legend, below = _legend(coloring, top + side + 8)
    return Picture(SIDE, below, _label(coloring, "as a matrix sorted by color"), [*items, *legend])


def _density(
    at: IntArray, across: int, ink: tuple[int, int, int], *, solid: bool = False
) -> Pixels:
    """Entries counted by pixel, as ink of more or less opacity ``[across, across, 4]``."""
    counts = np.bincount(at[0] * across + at[1], minlength=across**2).reshape(across, across)
    pixels = np.zeros((across, across, 4), np.uint8)
    pixels[..., :3] = ink
    strength = np.log1p(counts) / np.log1p(max(counts.max(), 1))
    # 16 levels are enough to see, and compress several times better than 256
    pixels[..., 3] = np.where(
        counts > 0, 255 if solid else 75 + 180 * np.rint(15 * strength) / 15, 0
    )
    return pixels


def _strips(coloring: Coloring, left: float, top: float, side: float) -> list[Item]:
    """The classes along both axes, and a frame around each block of the diagonal."""
    used, sizes = np.unique(coloring.colors, return_counts=True)
    ends = np.cumsum(sizes) * side / max(sizes.sum(), 1)
    starts = ends - sizes * side / max(sizes.sum(), 1)
    fills = [look(place)[0] for place in range(len(used))]
    titles = [f"color {c}: {size} nodes" for c, size in zip(used, sizes, strict=True)]
    long, thin = ends - starts, np.full(len(ends), 12.0)
    over = np.stack([left + starts, np.full(len(ends), top - 16), long, thin], axis=1)
    beside = np.stack([np.full(len(ends), left - 16), top + starts, thin, long], axis=1)
    x0, x1, y0, y1 = left + starts, left + ends, top + starts, top + ends
    blocks = np.stack([x0, y0, x1, y0, x1, y1, x0, y1, x0, y0], axis=1).reshape(-1, 5, 2)
    items: list[Item] = [
        Boxes(over, fills, titles),
        Boxes(beside, fills, titles),
        Lines(blocks, "line", 1.0),
    ]
    for color, start, size in zip(used, starts, long, strict=True):
        if size >= 14:
            middle = float(start + size / 2)
            items.append(Text(left + middle, top - 27, str(color), 12, ink="soft"))
            items.append(Text(left - 22, top + middle, str(color), 12, "end", ink="soft"))
    return items


def _legend(coloring: Coloring, top: float) -> tuple[list[Item], float]:
    """A swatch for every color with the size of its class, in rows; and where the sheet ends."""
    used, sizes = np.unique(coloring.colors, return_counts=True)
    if not len(used):
        return [], top
    texts = [f"{color}: {size}" for color, size in zip(used, sizes, strict=True)]
    step = 40 + 8.0 * max(map(len, texts))
    columns = int((SIDE - 20) // step)
    places = np.arange(len(texts))
    at = np.stack([24 + step * (places % columns), top + 14 + 24 * (places // columns)], axis=1)
    looks = [look(place) for place in range(len(texts))]
    items: list[Item] = [Marks(at, 7, [f for f, _ in looks], [s for _, s in looks])]
    items += [
        Text(x + 14, y, text, 14, "start", "soft")
        for (x, y), text in zip(at.tolist(), texts, strict=True)
    ]
    return items, float(at[-1, 1]) + 18


def _label(coloring: Coloring, how: str) -> str:
    graph = coloring.graph
    state = "proper" if coloring.is_proper else f"with {coloring.conflicts} conflicts"
    return f"{graph.name}, {graph.n} nodes in {coloring.k} colors, {state}, {how}"
