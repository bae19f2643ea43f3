"""Moves of one node to another color, on a table that knows what every move would change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]

FORBIDDEN = 1 << 29  # in the table: as if so many neighbors had this color
PHASE = 1 << 17  # queen graphs want short tenures, random graphs long ones: they take turns
CONFLICTS, LISTED, BEST, MOVES, IMPROVED = range(5)  # places in State.counts


class State(NamedTuple):
    """One coloring under way and all that is kept in step with it.

    Attributes:
        indptr, indices: The graph in CSR form, ``[n + 1]`` and ``[2m]``.
        colors: ``[n]`` in ``0..k-1``; -1 where there is none yet.
        table: ``[n, k]``; ``table[v, c]`` neighbors of v have color c. Forbidden: ``+ FORBIDDEN``.
        free_at: ``[n, k]``; the move of v to c is tabu before the move of this number.
        listed: The nodes in conflict, in its first ``counts[LISTED]`` places.
        place: ``[n]``; where a node stands in ``listed``, or -1.
        best: ``[n]``; the colors with the fewest conflicts so far.
        counts: Conflicts now, nodes in conflict, fewest conflicts so far, moves done, and the
            number of the move that last improved on them.
        rng: In the first place the state of a xorshift generator, never 0.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    colors: NDArray[np.int32]
    table: NDArray[np.int32]
    free_at: NDArray[np.int64]
    listed: NDArray[np.int32]
    place: NDArray[np.int32]
    best: NDArray[np.int32]
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
def fill(s: State, order: NDArray[np.int64]) -> None:
    """Count the neighbor colors from nothing and list the conflicts, after nodes without a color
    got, in the given order, the one that makes the fewest conflicts (ties at random)."""
    n = len(s.colors)
    for v in range(n):
        for e in range(s.indptr[v], s.indptr[v + 1]):
            c = s.colors[s.indices[e]]
            if c >= 0:
                s.table[v, c] += 1
    for v in order:
        if s.colors[v] < 0:
            c = least(s, v)
            s.colors[v] = c
            for e in range(s.indptr[v], s.indptr[v + 1]):
                s.table[s.indices[e], c] += 1
    s.place[:] = -1
    s.counts[CONFLICTS] = s.counts[LISTED] = 0
    for v in range(n):
        s.counts[CONFLICTS] += s.table[v, s.colors[v]]
        if s.table[v, s.colors[v]] > 0:
            enlist(s, v)
    s.counts[CONFLICTS] //= 2
    s.counts[BEST] = s.counts[CONFLICTS]
    s.best[:] = s.colors


@compiled
def least(s: State, v: int) -> int:
    """The color that the fewest neighbors of v have, ties at random."""
    found, fewest, ties = -1, np.int64(FORBIDDEN), 0
    for c in range(s.table.shape[1]):
        if s.table[v, c] < fewest:
            found, fewest, ties = c, np.int64(s.table[v, c]), 1
        elif s.table[v, c] == fewest:
            ties += 1
            if draw(s.rng, ties) == 0:
                found = c
    return found


@compiled
def enlist(s: State, v: int) -> None:
    """Put v at the end of the list of nodes in conflict."""
    s.place[v] = s.counts[LISTED]
    s.listed[s.counts[LISTED]] = v
    s.counts[LISTED] += 1


@compiled
def delist(s: State, v: int) -> None:
    """Take v from the list of nodes in conflict; the last one takes its place."""
    s.counts[LISTED] -= 1
    last = s.listed[s.counts[LISTED]]
    s.listed[s.place[v]] = last
    s.place[last] = s.place[v]
    s.place[v] = -1


@compiled
def move(s: State, v: int, to: int) -> None:
    """Give v another color and keep everything in step, in time of its degree."""
    away = s.colors[v]
    s.counts[CONFLICTS] += s.table[v, to] - s.table[v, away]
    s.colors[v] = to
    for e in range(s.indptr[v], s.indptr[v + 1]):
        u = s.indices[e]
        s.table[u, away] -= 1
        s.table[u, to] += 1
        if s.colors[u] == away and s.table[u, away] == 0:
            delist(s, u)
        elif s.colors[u] == to and s.table[u, to] == 1:
            enlist(s, u)
    if s.place[v] >= 0 and s.table[v, to] == 0:
        delist(s, v)
    elif s.place[v] < 0 and s.table[v, to] > 0:
        enlist(s, v)


@compiled
def tabu_search(s: State, target: int, patience: int, work: int) -> bool:
    """TabuCol (Hertz and de Werra 1987): the best move of a node in conflict that is not tabu.

    After v left color c, coming back is tabu for ``a conflicts + random(10)`` moves, unless that
    leads below the fewest conflicts so far; a is 0.6 and 1.8 in turn, ``PHASE`` moves each.

    Stops at ``target`` conflicts, after ``patience`` moves without improvement, or when ``work``
    (entries of the table looked at) is used up; it can go on from there, and the slices of a run
    make the same moves as the run.

    Returns:
        Whether there is a reason to go on.
    """
    k = s.table.shape[1]
    stuck, saved = False, True  # best is copied only when the search is about to leave it
    while s.counts[BEST] > target and work > 0 and not stuck:
        now = s.counts[MOVES]
        tenths = 6 if now % (2 * PHASE) < PHASE else 18
        aspired = s.counts[BEST] - s.counts[CONFLICTS]
        node, color, change, ties, blocked = -1, -1, np.int64(FORBIDDEN // 2), 0, 0
        for i in range(s.counts[LISTED]):
            v = s.listed[i]
            own = s.colors[v]
            here = np.int64(s.table[v, own])
            for c in range(k):
                delta = s.table[v, c] - here
                if delta > change or c == own:
                    continue
                if s.free_at[v, c] > now and delta >= aspired:
                    blocked += 1
                elif delta < change:
                    node, color, change, ties = v, c, delta, 1
                else:
                    ties += 1
                    if draw(s.rng, ties) == 0:
                        node, color = v, c
        work -= s.counts[LISTED] * k + 16
        s.counts[MOVES] += 1
        if node >= 0:
            if change > 0 and not saved:
                s.best[:] = s.colors
                saved = True
            away = s.colors[node]
            move(s, node, color)
            work -= s.indptr[node + 1] - s.indptr[node]
            s.free_at[node, away] = now + 1 + tenths * s.counts[CONFLICTS] // 10 + draw(s.rng, 10)
        if s.counts[CONFLICTS] < s.counts[BEST]:
            s.counts[BEST] = s.counts[CONFLICTS]
            s.counts[IMPROVED] = s.counts[MOVES]
            saved = False
        nowhere = node < 0 and blocked == 0  # no node in conflict has another color to go to
        stuck = nowhere or s.counts[MOVES] - s.counts[IMPROVED] >= patience
    if not saved:
        s.best[:] = s.colors
    return bool(s.counts[BEST] > target and not stuck)


@compiled
def discrete_search(
    s: State,
    target: int,
    work: int,
    gain: Ints,
    order: Ints,
    where: Ints,
    first: Ints,
) -> bool:
    """Discrete-Color: a node of largest gain goes to its best color, ties at random.

    It ends where no node gains. A move changes the gain of a neighbor by two at most, which costs
    two swaps in ``order``, so all of it costs ``O(degree k)``, however many conflicts there are.

    Args:
        gain: ``[n]``, ``table[v, c_v] - min_c table[v, c]``.
        order, where, first: The nodes by gain, see :func:`~concolor.graph.structure.arrange`.

    Returns:
        Whether there is a reason to go on: false at a local minimum or at the target.
    """
    n, k = s.table.shape
    while s.counts[CONFLICTS] > target and work > 0 and gain[order[n - 1]] > 0:
        top = first[gain[order[n - 1]]]
        node = order[top + draw(s.rng, n - top)]
        move(s, node, least(s, node))
        s.counts[MOVES] += 1
        shift(gain, order, where, first, node, 0)
        for e in range(s.indptr[node], s.indptr[node + 1]):
            u = s.indices[e]
            lowest = np.int64(FORBIDDEN)
            for c in range(k):
                lowest = min(lowest, np.int64(s.table[u, c]))
            shift(gain, order, where, first, u, s.table[u, s.colors[u]] - lowest)
        work -= k * (s.indptr[node + 1] - s.indptr[node]) + 16
    s.counts[BEST] = s.counts[CONFLICTS]
    s.counts[IMPROVED] = s.counts[MOVES]
    s.best[:] = s.colors
    return bool(s.counts[CONFLICTS] > target and gain[order[n - 1]] > 0)


@compiled
def shift(gain: Ints, order: Ints, where: Ints, first: Ints, v: int, to: int) -> None:
    """Change the gain of v one by one, and keep ``order`` sorted."""
    while gain[v] != to:
        if gain[v] < to:
            gain[v] += 1
            first[gain[v]] -= 1
            target = first[gain[v]]
        else:
            target = first[gain[v]]
            first[gain[v]] += 1
            gain[v] -= 1
        other = order[target]
        order[where[v]], where[other] = other, where[v]
        order[target], where[v] = v, target
