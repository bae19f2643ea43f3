"""Unit vectors to clusters: k-medoids and k-means, of points and of lines.

A decoder sees the points once and returns ``k -> Clustering``, so that distances are computed once
for a whole sweep. Among restarts the clustering cost decides, never the conflicts: this room does
not know the graph.

Up to ``EXACT`` points k-medoids is FasterPAM on all distances. Above, nothing of size n x n exists:
FasterPAM on a sample, where k + 1 also starts from the medoids of k, swaps with the most central of
all points, then ``n k d`` work to assign all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.decoding.distance import EUCLIDEAN, PROJECTIVE, Distance, Floats, unit
from concolor.registry import chosen, first_line

Clusters: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.int64]

EXACT = 1000  # points up to which all distances are computed
RESTARTS = 5  # random starts; the cheapest clustering wins
SAMPLE = 768  # points that FasterPAM sees above EXACT
MEANS_SAMPLE = 2048  # points that the restarts of k-means see
PER_CLUSTER = 64  # sampled points per cluster, at least
CENTRAL = 32  # central points per cluster that may become its medoid
ROUNDS = 50  # of assigning and moving the centers, at most
GAIN = 1e-3  # of the cost; a round that gains less is the last
BLOCK = 1 << 16  # points assigned at once


@dataclass(frozen=True)
class Clustering:
    """The cluster of each point ``[n]`` in 0..k-1, some may be empty; the centers ``[k, d]``."""

    clusters: Clusters
    centers: Floats


Clusterer: TypeAlias = Callable[[int], Clustering]
Prepare: TypeAlias = Callable[[Floats, int], Clusterer]


@dataclass(frozen=True)
class Decoder:
    """How points become clusters.

    Attributes:
        doc: One line for lists.
        prepare: ``z [n, d]`` and a seed -> the clusterings of ``z`` by k.
        sees_lines: Blind to the sign of every row, so that lines need no canonical sign.
    """

    doc: str
    prepare: Prepare
    sees_lines: bool


DecoderChoice: TypeAlias = str | Decoder | Prepare


def medoids(z: Floats, seed: int, *, distance: Distance) -> Clusterer:
    """k-medoids: k of the points, such that the distances to the nearest add up to little.

    Args:
        z: Unit rows ``[n, d]``.
        seed: Decides the starts and the sample.
        distance: Of the sphere, or of the lines through it.
    """
    if len(z) <= EXACT:
        return _exact_medoids(z, seed, distance)
    return _sampled_medoids(z, seed, distance)


def means(z: Floats, seed: int) -> Clusterer:
    """k-means by scikit-learn, restarted on a sample where n is large, in one thread."""

    def cluster(k: int) -> Clustering:
        # imported here: a second that `import concolor` need not take
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        rng = np.random.default_rng([seed, k])
        sample = z[_sample(rng, len(z), max(MEANS_SAMPLE, PER_CLUSTER * k))]
        with threadpool_limits(1), warnings.catch_warnings():
            # fewer distinct points than k are allowed: some colors stay unused
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = KMeans(k, n_init=RESTARTS, random_state=_draw(rng)).fit(sample)
            if len(sample) < len(z):
                found = KMeans(k, init=found.cluster_centers_, n_init=1, max_iter=ROUNDS).fit(z)
        return Clustering(found.labels_.astype(np.int32), found.cluster_centers_)

    return cluster


def spherical_means(z: Floats, seed: int, *, distance: Distance) -> Clusterer:
    r"""k-means on the sphere: every center is the best direction of its cluster.

    Minimizes :math:`\sum_v \min_j d(z_v, c_j)` over k unit vectors by turns: assign all, then one
    step of every center towards the best one. With the projective distance, d = 1 - cos^2, these
    are lines, the centers principal directions, and the step is one of the power method; neither
    turn raises the cost.
    """

    def cluster(k: int) -> Clustering:
        rng = np.random.default_rng([seed, k])
        sample = z[_sample(rng, len(z), max(MEANS_SAMPLE, PER_CLUSTER * k))]
        starts = (
            _alternate(sample, _spread(sample, k, rng, distance), distance) for _ in range(RESTARTS)
        )
        best = min(starts, key=lambda found: found.cost)
        found = _alternate(z, best.centers, distance)
        return Clustering(found.clusters, found.centers)

    return cluster


def line_means(z: Floats, seed: int) -> Clusterer:
    """:func:`spherical_means` of the lines, in compiled loops."""

    def cluster(k: int) -> Clustering:
        from concolor.decoding.kernels import cheapest_lines, settle_lines

        rng = np.random.default_rng([seed, k])
        chosen = _sample(rng, len(z), max(MEANS_SAMPLE, PER_CLUSTER * k))
        whole = len(chosen) == len(z)
        drawn = rng.random((RESTARTS if k > 1 else 1, k))
        points = np.ascontiguousarray(z, np.float32)
        sample = points if whole else points[chosen]
        clusters, centers = cheapest_lines(sample, drawn, ROUNDS, GAIN)
        if not whole:
            clusters = np.empty(len(z), np.int32)
            settle_lines(points, centers, clusters, ROUNDS, GAIN)
        return Clustering(clusters, centers)

    return cluster


sphere_means = partial(spherical_means, distance=EUCLIDEAN)


def leading_means(z: Floats, seed: int) -> Clusterer:
    """:data:`sphere_means` of the first k - 1 columns, for columns that come by importance.

    So do eigenvectors: k classes show in k - 1 of them, and the others only blur the picture.
    """
    return lambda k: _padded(sphere_means(unit(z[:, : max(k - 1, 1)]), seed)(k), z.shape[1])


def _padded(found: Clustering, d: int) -> Clustering:
    """The same with centers of d columns, zeros after their own."""
    more = d - found.centers.shape[1]
    return Clustering(found.clusters, np.pad(found.centers, ((0, 0), (0, more))))


def _exact_medoids(z: Floats, seed: int, distance: Distance) -> Clusterer:
    apart = _distances(z, z, distance)  # [n, n]
    np.fill_diagonal(apart, 0)

    def cluster(k: int) -> Clustering:
        chosen = _pam(apart, k, np.random.default_rng([seed, k]))
        centers = z[chosen]
        return Clustering(_assign(z, centers, distance).clusters, centers)

    return cluster


def _sampled_medoids(z: Floats, seed: int, distance: Distance) -> Clusterer:
    found: dict[int, Floats] = {}  # k -> its centers, from which k + 1 starts

    def cluster(k: int) -> Clustering:
        rng = np.random.default_rng([seed, k])
        before = found.get(k - 1, z[:0])
        sample = z[_sample(rng, len(z), max(SAMPLE, PER_CLUSTER * k))]
        sample = np.concatenate([before, sample])
        apart = _distances(sample, sample, distance)  # [s, s]
        np.fill_diagonal(apart, 0)
        centers = sample[_pam(apart, k, rng, warm=len(before) > 0)]
        centers = _swapped(sample, centers, _central(z, centers, distance), distance)
        found[k] = centers
        return Clustering(_assign(z, centers, distance).clusters, centers)

    return cluster


def _pam(apart: Floats, k: int, rng: np.random.Generator, *, warm: bool = False) -> Indices:
    """Medoids ``[k]`` by FasterPAM on a full matrix, the cheapest of several starts.

    All are random; where ``warm``, the last has the first ``k - 1`` points and one more.
    """
    from kmedoids import fasterpam  # imports scikit-learn: a second

    random = RESTARTS - 1 if warm else RESTARTS
    runs = [fasterpam(apart, k, random_state=_draw(rng), n_cpu=1) for _ in range(random)]
    if warm:
        start = np.append(np.arange(k - 1), rng.integers(k - 1, len(apart)))
        runs.append(fasterpam(apart, start, n_cpu=1))
    return np.asarray(min(runs, key=lambda run: run.loss).medoids, np.int64)


def _central(z: Floats, centers: Floats, distance: Distance) -> Floats:
    """The ``CENTRAL`` points of ``z`` nearest to each of the moved centers, without repeats."""
    moved = _assign(z, centers, distance).moved
    few = min(CENTRAL, len(z))
    nearest = [np.argpartition(distance.of(z @ center), few - 1)[:few] for center in moved]
    return z[np.unique(nearest)]


def _swapped(z: Floats, centers: Floats, candidates: Floats, distance: Distance) -> Floats:
    """Exchange single centers for candidates as long as that lowers the cost on ``z``."""
    options = np.concatenate([centers, candidates])
    apart = _distances(z, options, distance)  # [n, c]
    chosen = np.arange(len(centers))
    cost = apart[:, chosen].min(axis=1).sum(dtype=np.float64)
    turn, idle = 0, 0
    while idle < len(chosen):
        others = apart[:, np.delete(chosen, turn)].min(axis=1, initial=np.inf)
        costs = np.minimum(others[:, None], apart).sum(axis=0, dtype=np.float64)  # [c]
        best = int(costs.argmin())
        if costs[best] < cost * (1 - 1e-6):  # not by rounding, so this ends
            chosen[turn], cost, idle = best, costs[best], 0
        idle += 1
        turn = (turn + 1) % len(chosen)
    return options[chosen]


@dataclass(frozen=True)
class _Assignment:
    clusters: Clusters  # [n], the nearest center
    cost: float  # sum of the distances to it
    centers: Floats  # [k, d], the given ones
    moved: Floats  # [k, d], one step nearer to the middle of their clusters


def _assign(z: Floats, centers: Floats, distance: Distance) -> _Assignment:
    """Every point to its nearest center, in blocks: ``n k d`` work, ``n`` memory."""
    clusters = np.empty(len(z), np.int32)
    sums, cost = np.zeros_like(centers), 0.0
    for rows in _blocks(len(z)):
        gram = z[rows] @ centers.T  # [b, k]
        apart = distance.of(gram)
        clusters[rows] = apart.argmin(axis=1)
        cost += float(apart.min(axis=1).sum(dtype=np.float64))
        own = clusters[rows, None] == np.arange(len(centers))
        sums += np.where(own, distance.pull(gram), 0).T @ z[rows]
    moved = unit(sums)
    empty = ~moved.any(axis=1)
    moved[empty] = centers[empty]
    return _Assignment(clusters, cost, centers, moved)


def _alternate(z: Floats, centers: Floats, distance: Distance) -> _Assignment:
    found = _assign(z, centers, distance)
    for _ in range(ROUNDS):
        before, found = found, _assign(z, found.moved, distance)
        if found.cost >= (1 - GAIN) * before.cost:
            break
    return found


def _spread(z: Floats, k: int, rng: np.random.Generator, distance: Distance) -> Floats:
    """k rows far apart: each drawn with probability ~ distance to those before it."""
    chosen = [int(rng.integers(len(z)))]
    apart = np.full(len(z), np.inf)
    for _ in range(k - 1):
        apart = np.minimum(apart, distance.of(z @ z[chosen[-1]]))
        total = apart.sum()
        chosen.append(int(rng.choice(len(z), p=apart / total if total > 0 else None)))
    return z[chosen]


def _distances(a: Floats, b: Floats, distance: Distance) -> Floats:
    return distance.of(a @ b.T)


def _sample(rng: np.random.Generator, n: int, size: int) -> Indices:
    return np.arange(n) if size >= n else rng.choice(n, size, replace=False)


def _draw(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, n, BLOCK))


def decoder_of(given: DecoderChoice) -> Decoder:
    """A decoder by its name, itself, or made of the function that prepares it."""
    found = chosen(given, DECODERS, "decoder", Decoder)
    return (
        found if isinstance(found, Decoder) else Decoder(first_line(found), found, sees_lines=False)
    )


DECODERS: dict[str, Decoder | Prepare] = {
    "kmedoids": Decoder(
        "k-medoids of the points, Euclidean; the paper's",
        partial(medoids, distance=EUCLIDEAN),
        sees_lines=False,
    ),
    "kmeans": Decoder("k-means of the points", means, sees_lines=False),
    "lines": Decoder(
        "k-medoids of the lines, distance 1 - cos^2",
        partial(medoids, distance=PROJECTIVE),
        sees_lines=True,
    ),
    "sphere_means": Decoder("k-means on the sphere", sphere_means, sees_lines=False),
    "leading_means": Decoder(
        "k-means on the sphere of the first k - 1 columns; for eigenvectors",
        leading_means,
        sees_lines=False,
    ),
    "line_means": Decoder(
        "k-means of the lines: principal directions", line_means, sees_lines=True
    ),
}
