"""PartialCol's moves: a node enters a class, its neighbors there are left without a color.

The state is that of :mod:`~concolor.solvers.kernels.search`. Numba does not watch other files, so
the numbers and the short functions that both need stand here again; a test compares them.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled
from concolor.solvers.kernels.search import State

FORBIDDEN = 1 << 29
OWN = np.int32(2**31 - 1)
LATE = 1 << 30
CONFLICTS, LISTED, BEST, MOVES, IMPROVED, BEGUN, WEIGHT, BARE = range(8)
TENURE, FEWEST, MOST = range(8, 11)  # the tenure now, and who was left in this window
WINDOW = 1000  # moves after which the tenure changes
STILL = 2  # the number of nodes left moved by no more than that: the search goes in circles
LONGER = 5  # moves that the tenure grows by then; else it shrinks by one


@compiled
def lay_bare(s: State, worth: NDArray[np.int32]) -> None:
    """Take nodes in conflict out of their classes until all of these are independent.

    From here on the state is that of :func:`partial_search`: ``listed`` are the nodes without a
    color, ``table[v, c]`` is what the neighbors of v with color c are worth, and ``best`` the last
    coloring of all nodes that was worth keeping.
    """
    s.counts[LISTED] = s.counts[WEIGHT] = 0
    s.place[:] = -1
    for v in range(len(s.colors)):
        for e in range(s.indptr[v], s.indptr[v + 1]):
            u = s.indices[e]
            s.table[v, s.colors[u]] += worth[u] - 1
    for v in range(len(s.colors)):
        if s.table[v, s.colors[v]] > 0:
            take_out(s, worth, v)
    s.counts[BARE] = s.counts[WEIGHT]
    s.counts[TENURE] = 0
    s.counts[FEWEST] = s.counts[MOST] = s.counts[LISTED]


@compiled
def take_out(s: State, worth: NDArray[np.int32], v: int) -> None:
    """Take v out of its class."""
    c = s.colors[v]
    s.colors[v] = -1
    s.free_at[v, c] = 0
    enlist(s, v)
    s.counts[WEIGHT] += worth[v]
    for e in range(s.indptr[v], s.indptr[v + 1]):
        s.table[s.indices[e], c] -= worth[v]


@compiled
def partial_search(
    s: State, worth: NDArray[np.int32], target: int, patience: int, work: int
) -> bool:
    """PartialCol (Blöchliger and Zufferey 2008): classes are independent, some nodes have no color.

    One of these goes into a class, and its neighbors go out of it, such that those that are left
    are worth the least; a node that went out must not come back for ``tenure + random(10)`` moves,
    unless that leads below the least so far. The tenure follows from how much the number of nodes
    left moves, see :func:`react`. Stops and goes on like tabu search; what it keeps is a coloring
    of all nodes, made of each new record.

    Args:
        worth: Of every node ``[n]``, at least 1.
    """
    while s.counts[BEST] > target and work > 0:
        work = partial_moves(s, worth, patience, work)
        if s.counts[WEIGHT] < s.counts[BARE]:
            s.counts[BARE] = s.counts[WEIGHT]
            s.counts[IMPROVED] = s.counts[MOVES]
            work -= keep_all(s, worth)
        if s.counts[MOVES] - s.counts[IMPROVED] >= patience:
            return False
        if s.counts[MOVES] - s.counts[BEGUN] >= LATE:
            begin_anew(s)
    return bool(s.counts[BEST] > target)


@compiled
def partial_moves(s: State, worth: NDArray[np.int32], patience: int, work: int) -> int:
    """The moves of :func:`partial_search`, until there is a record or another reason to look up."""
    last, in_vain = s.counts[BEGUN] + LATE, s.counts[MOVES] - s.counts[IMPROVED]
    last = min(last, s.counts[MOVES] + min(patience - in_vain, LATE))
    while s.counts[WEIGHT] >= s.counts[BARE] and work > 0 and s.counts[MOVES] < last:
        work -= s.counts[LISTED] * s.table.shape[1] + 16
        node, color = choose_entry(s, worth, s.counts[BARE] - s.counts[WEIGHT])
        s.counts[MOVES] += 1
        if node >= 0:
            work -= enter(s, worth, node, color)
        react(s)
    return work


@partial(compiled, inline=True)
def react(s: State) -> None:
    """After every window the tenure grows where the number of nodes left hardly moved in it, and
    shrinks slowly where it did (the FOO scheme of Blöchliger and Zufferey)."""
    left = s.counts[LISTED]
    s.counts[FEWEST] = min(s.counts[FEWEST], left)
    s.counts[MOST] = max(s.counts[MOST], left)
    if s.counts[MOVES] % WINDOW == 0:
        if s.counts[MOST] - s.counts[FEWEST] <= STILL:
            s.counts[TENURE] += LONGER
        else:
            s.counts[TENURE] = max(s.counts[TENURE] - 1, 0)
        s.counts[FEWEST] = s.counts[MOST] = left


@partial(compiled, inline=True)
def choose_entry(s: State, worth: NDArray[np.int32], aspired: int) -> tuple[int, int]:
    """The best move of a node without a color that is not tabu, ties at random: node and color.

    One that changes what is left by less than ``aspired`` (at most 0) is never tabu. Node -1 where
    all are tabu or forbidden. See :func:`choose`.
    """
    now, k = np.int32(s.counts[MOVES] - s.counts[BEGUN]), s.table.shape[1]
    change = np.int64(FORBIDDEN // 2)
    for i in range(s.counts[LISTED]):
        v = s.listed[i]
        any_move, free_move = lowest_of(s.table[v], s.free_at[v], now)
        s.lowest[i] = (any_move if any_move - worth[v] < aspired else free_move) - worth[v]
        change = min(change, np.int64(s.lowest[i]))
    node, color, ties = -1, -1, 0
    if change == FORBIDDEN // 2:
        return node, color
    for i in range(s.counts[LISTED]):
        if s.lowest[i] != change:
            continue
        v = s.listed[i]
        wanted = change + worth[v]
        for c in range(k):
            if s.table[v, c] == wanted and (s.free_at[v, c] <= now or change < aspired):
                ties += 1
                if ties == 1 or draw(s.rng, ties) == 0:
                    node, color = v, c
    return node, color


@compiled
def enter(s: State, worth: NDArray[np.int32], v: int, to: int) -> int:
    """Put v into a class and its neighbors out of it; returns the arcs that were looked at."""
    delist(s, v)
    s.colors[v] = to
    s.counts[WEIGHT] -= worth[v]
    first, looked = s.counts[LISTED], 0
    for e in range(s.indptr[v], s.indptr[v + 1]):
        u = s.indices[e]
        looked += 1
        s.table[u, to] += worth[v]
        if s.colors[u] == to:
            take_out(s, worth, u)
            looked += s.indptr[u + 1] - s.indptr[u]
    back_at = s.counts[MOVES] - s.counts[BEGUN] + s.counts[TENURE] + draw(s.rng, 10)
    for i in range(first, s.counts[LISTED]):
        s.free_at[s.listed[i], to] = back_at
    return looked


@compiled
def keep_all(s: State, worth: NDArray[np.int32]) -> int:
    """Complete the coloring, and keep that if it has the fewest conflicts so far.

    Nodes without a color get, one after the other, the one with the least worth around them; the
    state stays.

    Returns:
        The arcs that were looked at.
    """
    conflicts = looked = 0
    for i in range(s.counts[LISTED]):
        v = s.listed[i]
        c = least(s, v)
        s.colors[v] = c
        for e in range(s.indptr[v], s.indptr[v + 1]):
            looked += 1
            s.table[s.indices[e], c] += worth[v]
            conflicts += s.colors[s.indices[e]] == c
    if conflicts < s.counts[BEST]:
        s.counts[BEST] = conflicts
        s.best[:] = s.colors
    for i in range(s.counts[LISTED]):
        v = s.listed[i]
        for e in range(s.indptr[v], s.indptr[v + 1]):
            s.table[s.indices[e], s.colors[v]] -= worth[v]
        s.colors[v] = -1
    return looked


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
def lowest_of(
    row: NDArray[np.int32], free_at: NDArray[np.int32], now: np.int32
) -> tuple[np.int32, np.int32]:
    """The lowest entry of a row ``[k]``, and the lowest that is not tabu."""
    lowest = free = OWN
    for c in range(len(row)):
        lowest = min(lowest, row[c])
        free = min(free, row[c] if free_at[c] <= now else OWN)
    return lowest, free


@compiled
def begin_anew(s: State) -> None:
    """Let ``free_at`` count from now."""
    now = s.counts[MOVES] - s.counts[BEGUN]
    for v in range(s.free_at.shape[0]):
        for c in range(s.free_at.shape[1]):
            if s.free_at[v, c] != OWN:
                s.free_at[v, c] = max(s.free_at[v, c] - now, 0)
    s.counts[BEGUN] = s.counts[MOVES]
