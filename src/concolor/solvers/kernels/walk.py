"""Moves of one node to another color without a table: memory of the graph, whatever k is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Small = NDArray[np.int32]

CONFLICTS, LISTED, BEST, MOVES, IMPROVED, TOUCHED = range(6)  # places in Walk.counts


class Walk(NamedTuple):
    """One coloring under way and all that is kept in step with it.

    Attributes:
        k: Colors, at least 2.
        indptr, indices: The graph in CSR form, ``[n + 1]`` and ``[2m]``.
        colors: ``[n]`` in ``0..k-1``.
        clashes: ``[n]``; neighbors of the same color.
        listed: The nodes in conflict, in its first ``counts[LISTED]`` places.
        place: ``[n]``; where a node stands in ``listed``, or -1.
        best: ``[n]``; the colors with the fewest conflicts so far, but for the touched.
        touched: The nodes that moved since best was brought up to date, in its first
            ``counts[TOUCHED]`` places, each once.
        is_touched: ``[n]``; whether a node is one of them.
        counts: Conflicts now, nodes in conflict, fewest conflicts so far, moves done, the number of
            the move that last improved on them, nodes touched.
        rng: In the first place the state of a xorshift generator, never 0.
    """

    k: int
    indptr: NDArray[np.int64]
    indices: Small
    colors: Small
    clashes: Small
    listed: Small
    place: Small
    best: Small
    touched: Small
    is_touched: NDArray[np.bool_]
    counts: NDArray[np.int64]
    rng: NDArray[np.uint64]


@compiled
def draw(rng: NDArray[np.uint64], below: int) -> int:
    """A random whole number in ``0..below-1`` (xorshift64*, Vigna 2016)."""
    x = rng[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    rng[0] = x
    high = (x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)
    return int((high * np.uint64(below)) >> np.uint64(32))


@compiled
def begin(s: Walk, order: NDArray[np.int64]) -> None:
    """Nodes without a color (-1) get, in the given order, the one that makes the fewest conflicts
    (ties at random); then all conflicts are listed."""
    for v in order:
        if s.colors[v] < 0:
            s.colors[v] = least(s, v)
    s.place[:] = -1
    s.counts[:] = 0
    for v in range(len(s.colors)):
        s.clashes[v] = 0
        for e in range(s.indptr[v], s.indptr[v + 1]):
            s.clashes[v] += s.colors[s.indices[e]] == s.colors[v]
        s.counts[CONFLICTS] += s.clashes[v]
        if s.clashes[v] > 0:
            enlist(s, v)
    s.counts[CONFLICTS] //= 2
    s.counts[BEST] = s.counts[CONFLICTS]
    s.best[:] = s.colors


@compiled
def least(s: Walk, v: int) -> int:
    """The color that the fewest neighbors of v have, ties at random."""
    seen = np.zeros(s.k, np.int32)
    for e in range(s.indptr[v], s.indptr[v + 1]):
        c = s.colors[s.indices[e]]
        if c >= 0:
            seen[c] += 1
    found, ties = 0, 1
    for c in range(1, s.k):
        if seen[c] < seen[found]:
            found, ties = c, 1
        elif seen[c] == seen[found]:
            ties += 1
            if draw(s.rng, ties) == 0:
                found = c
    return found


@compiled
def enlist(s: Walk, v: int) -> None:
    """Put v at the end of the list of nodes in conflict."""
    s.place[v] = s.counts[LISTED]
    s.listed[s.counts[LISTED]] = v
    s.counts[LISTED] += 1


@compiled
def delist(s: Walk, v: int) -> None:
    """Take v from the list of nodes in conflict; the last one takes its place."""
    s.counts[LISTED] -= 1
    last = s.listed[s.counts[LISTED]]
    s.listed[s.place[v]] = last
    s.place[last] = s.place[v]
    s.place[v] = -1


@compiled
def move(s: Walk, v: int, to: int) -> None:
    """Give v another color and keep everything in step, in time of its degree."""
    away, here = s.colors[v], 0
    s.colors[v] = to
    for e in range(s.indptr[v], s.indptr[v + 1]):
        u = s.indices[e]
        if s.colors[u] == away:
            s.clashes[u] -= 1
            if s.clashes[u] == 0:
                delist(s, u)
        elif s.colors[u] == to:
            here += 1
            s.clashes[u] += 1
            if s.clashes[u] == 1:
                enlist(s, u)
    s.counts[CONFLICTS] += here - s.clashes[v]
    s.clashes[v] = here
    if here == 0 and s.place[v] >= 0:
        delist(s, v)
    elif here > 0 and s.place[v] < 0:
        enlist(s, v)


@compiled
def touch(s: Walk, v: int) -> None:
    """Remember that v moves."""
    if not s.is_touched[v]:
        s.is_touched[v] = True
        s.touched[s.counts[TOUCHED]] = v
        s.counts[TOUCHED] += 1


@compiled
def keep(s: Walk) -> None:
    """Bring ``best`` up to date, in time of what was touched."""
    for i in range(s.counts[TOUCHED]):
        v = s.touched[i]
        s.best[v] = s.colors[v]
        s.is_touched[v] = False
    s.counts[TOUCHED] = 0


@compiled
def walk(s: Walk, target: int, patience: int, noise: float, work: int) -> bool:
    """Focused Metropolis search (Seitz, Alava and Orponen 2005): only nodes in conflict move.

    One of them and another color are drawn. The node takes it where that makes no more conflicts,
    and where it makes d more with a chance of ``noise^d``. A step takes time of the degree, however
    many conflicts and colors there are. Stops at ``target`` conflicts, after ``patience`` steps
    without improvement, or when ``work`` (neighbors looked at) is used up; it can go on from there.

    Returns:
        Whether there is a reason to go on.
    """
    others, saved = s.k - 1, s.counts[CONFLICTS] > s.counts[BEST]
    chance = np.empty(64)
    for d in range(64):
        chance[d] = 2.0**30 * noise**d
    while s.counts[BEST] > target and work > 0:
        v = s.listed[draw(s.rng, s.counts[LISTED])]
        to = draw(s.rng, others)
        to += to >= s.colors[v]
        more = -s.clashes[v]
        for e in range(s.indptr[v], s.indptr[v + 1]):
            more += s.colors[s.indices[e]] == to
        work -= 2 * (s.indptr[v + 1] - s.indptr[v]) + 16
        s.counts[MOVES] += 1
        if more <= 0 or draw(s.rng, 1 << 30) < chance[min(more, 63)]:
            if (
                more > 0 and not saved
            ):  # best is brought up to date only when it is about to be left
                keep(s)
                saved = True
            touch(s, v)
            move(s, v, to)
        if s.counts[CONFLICTS] < s.counts[BEST]:
            s.counts[BEST], s.counts[IMPROVED] = s.counts[CONFLICTS], s.counts[MOVES]
            saved = False
        elif s.counts[MOVES] - s.counts[IMPROVED] >= patience:
            break
    if not saved:
        keep(s)
    is_late = s.counts[MOVES] - s.counts[IMPROVED] >= patience
    return bool(s.counts[BEST] > target and not is_late)
