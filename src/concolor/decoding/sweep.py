"""``sweep``: cluster with growing k until few enough edges are monochromatic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import count_conflicts
from concolor.decoding.cluster import Clusterer, Clusters, Decoder, DecoderChoice, decoder_of
from concolor.decoding.distance import Floats, unit
from concolor.decoding.lines import canonicalize
from concolor.errors import InputError, interruptible
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.sweeps import Sweep, choose_k

AfterK: TypeAlias = Callable[[int, float], None]  # told k and its mono


def sweep(
    graph: Graph,
    z: ArrayLike,
    *,
    k_max: int,
    decoder: DecoderChoice = "kmedoids",
    max_mono: float = 0.05,
    seed: int = 0,
    absolute: bool = False,
    passes: int = 1,
    full: bool = False,
    time_limit: float | None = None,
    progress: AfterK | None = None,
) -> Sweep:
    """Cluster the embedding with k = 1, 2, ... until at most ``max_mono`` of the edges conflict.

    Args:
        graph: What to color.
        z: Embedding ``[n, d]``; rows are taken as directions.
        k_max: The largest k tried, never above n.
        decoder: A name in ``DECODERS``, or a function ``(z, seed) -> (k -> Clustering)`` of yours.
        max_mono: The allowed fraction of monochromatic edges, which :attr:`Sweep.best` answers.
        seed: Decides the clusterings.
        absolute: The rows are lines, as absolute losses make them: give them signs first, where the
            decoder does not see lines itself.
        passes: Of :func:`canonicalize`; those after the first cluster into the k of the sweep.
        full: Go on to ``k_max``, or to no conflicts at all.
        time_limit: Seconds; no further k is started that would not fit. One is always decoded.
        progress: Called with k and mono after every k.

    Raises:
        Interrupted: On Ctrl-C, with the sweep of the k that were decoded by then.

    >>> g = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> sweep(g, [[1, 0], [0, 1], [1, 0], [0, 1]], k_max=4)
    Sweep('graph', k_star=2, mono=0.0000, hit=True, tried=1..2)
    """
    clock, points, how = Clock(time_limit), _checked_points(graph, z), decoder_of(decoder)
    if not 0 <= max_mono <= 1:
        raise InputError(f"max_mono is a fraction of the edges in 0..1, got {max_mono!r}")
    if k_max < 1 or passes < 1:
        raise InputError(f"k_max and passes must be at least 1, got k_max={k_max}, passes={passes}")
    goal = 0.0 if full else max_mono
    colors: dict[int, Clusters] = {}
    curve: dict[int, int] = {}
    if graph.n == 0:
        colors[0], curve[0] = np.empty(0, np.int32), 0

    def cut() -> Sweep | None:
        done = {k: curve[k] for k in colors}
        return Sweep(graph, colors, done, max_mono, is_cut=True) if colors else None

    with interruptible(cut):
        cluster = clusterer(points, how, absolute=absolute, passes=passes, seed=seed)
        took = 0.0  # by the last k; the next will take no less
        for k in range(1, min(k_max, graph.n) + 1):
            if colors and clock.left <= took:
                return Sweep(graph, colors, curve, max_mono, is_cut=True)
            began = clock.seconds
            found = cluster(k).clusters
            curve[k] = count_conflicts(graph, found.astype(np.int64))
            colors[k] = found
            took = clock.seconds - began
            if progress is not None:
                progress(k, curve[k] / max(graph.m, 1))
            if choose_k(curve, graph.m, goal)[1]:
                break
    return Sweep(graph, colors, curve, max_mono)


def clusterer(z: Floats, decoder: Decoder, *, absolute: bool, passes: int, seed: int) -> Clusterer:
    """The clusterings of unit rows ``z [n, d]`` by k; lines get signs first."""
    if not absolute or decoder.sees_lines:
        return decoder.prepare(z, seed)
    if passes == 1:
        return decoder.prepare(canonicalize(z), seed)
    return lambda k: decoder.prepare(canonicalize(z, passes, k=k, seed=seed), seed)(k)


def _checked_points(graph: Graph, z: ArrayLike) -> Floats:
    points = np.asarray(z, dtype=np.float32)
    if points.ndim != 2 or len(points) != graph.n:
        raise InputError(f"the embedding must have shape [n={graph.n}, d], got {points.shape}")
    if not np.isfinite(points).all():
        raise InputError("the embedding must be finite, found NaN or infinity")
    return unit(points)
