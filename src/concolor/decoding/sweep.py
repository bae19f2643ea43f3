"""``sweep``: cluster with growing k until few enough edges are monochromatic."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import Coloring, choose_k, count_conflicts
from concolor.decoding.cluster import DECODERS, Clusterer, Decoder, Labels
from concolor.decoding.distance import Floats, unit
from concolor.decoding.lines import canonicalize
from concolor.errors import InputError, pick
from concolor.graph.core import Graph

Progress = Callable[[int, float], None]


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """What every tried k gave.

    ``k`` is always the number of clusters asked for. Where points coincide fewer colors may be in
    use: ``coloring(k).k <= k``.

    Attributes:
        graph: The colored graph.
        colors: k -> colors ``[n]``, for every k that was tried, ascending.
        curve: k -> conflicts, for the same k.
        threshold: The allowed mono that :attr:`best` answers.
        stopped: Why it ended early: "time limit" or "interrupted"; empty if it did not.
    """

    graph: Graph
    colors: Mapping[int, Labels]
    curve: Mapping[int, int]
    threshold: float
    stopped: str = ""

    def k_star(self, threshold: float | None = None) -> int:
        """The smallest k with ``mono <= threshold``, else the k of the lowest mono."""
        return self._chosen(threshold)[0]

    def hit(self, threshold: float | None = None) -> bool:
        """Some tried k has ``mono <= threshold``."""
        return self._chosen(threshold)[1]

    def k_tau(self, tau: float) -> int | None:
        """The smallest k with ``mono <= tau``, None where no tried k has it."""
        k, hit = self._chosen(tau)
        return k if hit else None

    @property
    def k_zero(self) -> int | None:
        """The smallest k without conflicts, None where no tried k has it."""
        return self.k_tau(0.0)

    def mono(self, k: int) -> float:
        """Fraction of monochromatic edges at k."""
        return self.curve[k] / self.graph.m if self.graph.m else 0.0

    def coloring(self, k: int) -> Coloring:
        """The coloring that was found with k clusters."""
        if k not in self.colors:
            raise InputError(f"k={k} was not tried, only {min(self.colors)}..{max(self.colors)}")
        return Coloring(self.graph, self.colors[k].astype(np.int64))

    @cached_property
    def best(self) -> Coloring:
        """The coloring of ``k_star()``."""
        return self.coloring(self.k_star())

    def _chosen(self, threshold: float | None) -> tuple[int, bool]:
        wanted = self.threshold if threshold is None else threshold
        return choose_k(self.curve, self.graph.m, wanted)

    def __repr__(self) -> str:
        k, hit = self._chosen(None)
        answer = f"k_star={k}, mono={self.mono(k):.4f}, hit={hit}"
        return f"Sweep({self.graph.name!r}, {answer}, tried={min(self.curve)}..{max(self.curve)})"


def sweep(
    graph: Graph,
    z: ArrayLike,
    *,
    cap: int,
    decoder: str = "kmedoids",
    thresholds: Sequence[float] = (0.05,),
    seed: int = 0,
    absolute: bool = False,
    passes: int = 1,
    full: bool = False,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Cluster the embedding with k = 1, 2, ... and stop at the smallest of the thresholds.

    Args:
        graph: What to color.
        z: Embedding ``[n, d]``; rows are taken as directions.
        cap: The largest k tried, never above n.
        decoder: A name in ``DECODERS``.
        thresholds: Allowed fractions of monochromatic edges; :attr:`Sweep.best` answers the first.
        seed: Decides the clusterings.
        absolute: The rows are lines, as absolute losses make them: give them signs first, where the
            decoder does not see lines itself.
        passes: Of :func:`canonicalize`; those after the first cluster into the k of the sweep.
        full: Go on to the cap, or to no conflicts at all.
        time_limit: Seconds after which no further k is started. One k is always decoded.
        progress: Called with k and mono after every k.

    Ctrl-C ends the sweep with what was decoded so far; before the first k it is raised.

    >>> g = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> sweep(g, [[1, 0], [0, 1], [1, 0], [0, 1]], cap=4)
    Sweep('graph', k_star=2, mono=0.0000, hit=True, tried=1..2)
    """
    deadline = time.monotonic() + (np.inf if time_limit is None else time_limit)
    points, how = _checked_points(graph, z), pick(DECODERS, decoder, "decoder")
    goal = 0.0 if full else min(_checked_thresholds(thresholds))
    if cap < 1 or passes < 1:
        raise InputError(f"cap and passes must be at least 1, got cap={cap} and passes={passes}")

    colors: dict[int, Labels] = {}
    curve: dict[int, int] = {}
    stopped = ""
    if graph.n == 0:
        colors[0], curve[0] = np.empty(0, np.int32), 0
    try:
        cluster = _clusterer(points, how, absolute=absolute, passes=passes, seed=seed)
        for k in range(1, min(cap, graph.n) + 1):
            if colors and time.monotonic() >= deadline:
                stopped = "time limit"
                break
            labels = cluster(k).labels
            curve[k] = count_conflicts(graph, labels.astype(np.int64))
            colors[k] = labels
            if progress is not None:
                progress(k, curve[k] / max(graph.m, 1))
            if choose_k(curve, graph.m, goal)[1]:
                break
    except KeyboardInterrupt:
        if not colors:
            raise
        stopped = "interrupted"
    return Sweep(graph, colors, curve, thresholds[0], stopped)


def _clusterer(z: Floats, decoder: Decoder, *, absolute: bool, passes: int, seed: int) -> Clusterer:
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


def _checked_thresholds(thresholds: Sequence[float]) -> Sequence[float]:
    if not thresholds or not all(0 <= threshold <= 1 for threshold in thresholds):
        raise InputError(f"thresholds must be fractions in 0..1, at least one, got {thresholds!r}")
    return thresholds
