"""PartialCol's moves: a node enters a class, its neighbors there are left without a color.

A move changes what all nodes have around them in one color, and is chosen by what a few nodes have
in all colors. So the worth of neighbors stands in rows of a color, to which a row of the graph as
a matrix is added at once where the graph is dense; and for the few nodes without a color in rows of
a node, where a processor finds the lowest of many entries at a time.

The state is that of :mod:`~concolor.solvers.kernels.search`. Numba does not watch other files, so
the numbers and the short functions that both need stand here again; a test compares them.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled
from concolor.solvers.kernels.search import State

Ints = NDArray[np.int32]
FORBIDDEN = 1 << 29
OWN = np.int32(2**31 - 1)
LATE = 1 << 30
CONFLICTS, LISTED, BEST, MOVES, IMPROVED, BEGUN, WEIGHT, BARE = range(8)
TENURE, FEWEST, MOST = range(8, 11)  # the tenure now, and who was left in this window
WINDOW = 1000  # moves after which the tenure changes
STILL = 2  # the number of nodes left moved by no more than that: the search goes in circles
LONGER = 5  # moves that the tenure grows by then; else it shrinks by one


class Part(NamedTuple):
    """What a partial search keeps beside its :class:`~concolor.solvers.kernels.search.State`.

    Attributes:
        worth: Of every node ``[n]``, at least 1.
        around: ``[k, n]``; ``around[c, v]`` is what the neighbors of v with color c are worth.
            Forbidden: ``+ FORBIDDEN``. ``State.table`` holds the same, by node, for those without a
            color alone.
        matrix: ``[n, n]``; 1 where there is an edge. Without rows where the graph is sparse.
        first: ``[k]``; a node of each class, or -1.
        after, before: ``[n]``; the next and the last node of the same class, or -1.
    """

    worth: Ints
    around: Ints
    matrix: NDArray[np.int8]
    first: Ints
    after: Ints
    before: Ints


@compiled
def lay_bare(s: State, p: Part) -> None:
    """Take nodes in conflict out of their classes until all of these are independent.

    From here on the state is that of :func:`partial_search`: ``listed`` are the nodes without a
    color, and ``best`` the last coloring of all nodes that was worth keeping. Before it, nothing
    but what is forbidden stands in ``p.around``, and no node in a class.
    """
    s.counts[LISTED] = s.counts[WEIGHT] = s.counts[TENURE] = 0
    s.free_at[:] = 0
    for v in range(len(s.colors)):
        c = s.colors[v]
        if p.around[c, v] > 0:
            s.colors[v] = -1
            s.listed[s.counts[LISTED]] = v
            s.counts[LISTED] += 1
            s.counts[WEIGHT] += p.worth[v]
        else:
            join(p.first, p.after, p.before, v, c)
            for e in range(s.indptr[v], s.indptr[v + 1]):
                p.around[c, s.indices[e]] += p.worth[v]
    for i in range(s.counts[LISTED]):
        s.table[s.listed[i], : len(p.around)] = p.around[:, s.listed[i]]
    s.counts[BARE] = s.counts[WEIGHT]
    s.counts[FEWEST] = s.counts[MOST] = s.counts[LISTED]


@compiled
def partial_search(s: State, p: Part, target: int, patience: int, work: int) -> bool:
    """PartialCol (Blöchliger and Zufferey 2008): classes are independent, some nodes have no color.

    One of these goes into a class, and its neighbors go out of it, such that those that are left
    are worth the least; a node that went out must not come back for ``tenure + left / 2 +
    random(10)`` moves, unless that leads below the least so far. The tenure grows after every
    window in which the number of nodes left hardly moved, and shrinks slowly where it did (the FOO
    scheme). Stops and goes on like tabu search; what it keeps is a coloring of all nodes, made of
    each new record.
    """
    while s.counts[BEST] > target and work > 0:
        work = partial_moves(s, p, patience, work)
        if s.counts[WEIGHT] < s.counts[BARE]:
            s.counts[BARE] = s.counts[WEIGHT]
            s.counts[IMPROVED] = s.counts[MOVES]
            work -= keep_all(s, p)
        if s.counts[MOVES] - s.counts[IMPROVED] >= patience:
            return False
        if s.counts[MOVES] - s.counts[BEGUN] >= LATE:
            begin_anew(s)
    return bool(s.counts[BEST] > target)


@compiled
def partial_moves(s: State, p: Part, patience: int, work: int) -> int:
    """The moves of :func:`partial_search`, until there is a record or another reason to look up.

    What is read and written in every move has a name of its own here, and so have the counts: numba
    counts references where an array is taken out of a tuple.
    """
    table, free_at, listed, colors, rng = s.table, s.free_at, s.listed, s.colors, s.rng
    indptr, indices, lowest = s.indptr, s.indices, s.lowest
    worth, around, matrix = p.worth, p.around, p.matrix
    first, after, before = p.first, p.after, p.before
    left, weight, bare, begun = s.counts[LISTED], s.counts[WEIGHT], s.counts[BARE], s.counts[BEGUN]
    tenure, fewest, most = s.counts[TENURE], s.counts[FEWEST], s.counts[MOST]
    moves, n, is_dense = s.counts[MOVES], len(colors), len(matrix) > 0
    last = min(begun + LATE, moves + min(patience - (moves - s.counts[IMPROVED]), LATE))
    while weight >= bare and work > 0 and moves < last:
        now = np.int32(moves - begun)
        at, to = best_entry(table, free_at, listed, lowest, worth, rng, left, now, bare - weight)
        work -= left * table.shape[1] + 16
        moves += 1
        if at >= 0:
            node, row = listed[at], around[to]
            left = stayed = left - 1
            listed[at] = listed[left]
            weight -= worth[node]
            if is_dense:
                u = first[to] if row[node] > 0 else np.int32(-1)
                add(row, matrix[node], worth[node])
                while u >= 0:
                    follows = after[u]
                    if matrix[node, u]:
                        add(row, matrix[u], -worth[u])
                        listed[left] = u
                        left += 1
                    u = follows
                work -= (1 + left - stayed) * (n >> 3)
            else:
                for e in range(indptr[node], indptr[node + 1]):
                    u = indices[e]
                    row[u] += worth[node]
                    if colors[u] == to:
                        for f in range(indptr[u], indptr[u + 1]):
                            row[indices[f]] -= worth[u]
                        work -= indptr[u + 1] - indptr[u]
                        listed[left] = u
                        left += 1
                work -= indptr[node + 1] - indptr[node]
            for i in range(stayed):
                table[listed[i], to] = row[listed[i]]
            back_at = now + 1 + tenure + (left >> 1) + draw(rng, 10)
            for i in range(stayed, left):
                u = listed[i]
                leave(first, after, before, u, to)
                colors[u] = -1
                weight += worth[u]
                for c in range(len(around)):
                    table[u, c] = around[c, u]
                free_at[u, to] = back_at
            join(first, after, before, node, to)
            colors[node] = to
        fewest, most = min(fewest, left), max(most, left)
        if moves % WINDOW == 0:
            tenure = tenure + LONGER if most - fewest <= STILL else max(tenure - 1, 0)
            fewest = most = left
    s.counts[LISTED], s.counts[WEIGHT], s.counts[MOVES] = left, weight, moves
    s.counts[TENURE], s.counts[FEWEST], s.counts[MOST] = tenure, fewest, most
    return work


@partial(compiled, inline=True)
def best_entry(
    table: Ints,
    free_at: Ints,
    listed: Ints,
    lowest: Ints,
    worth: Ints,
    rng: NDArray[np.uint64],
    left: int,
    now: np.int32,
    aspired: int,
) -> tuple[int, int]:
    """The best move of a node without a color that is not tabu, ties at random: its place in the
    list, and the color.

    One that changes what is left by less than ``aspired`` (at most 0) is never tabu. Place -1 where
    all are tabu or forbidden.
    """
    change = np.int64(FORBIDDEN // 2)
    for i in range(left):
        v = listed[i]
        any_move, free_move = lowest_of(table[v], free_at[v], now)
        lowest[i] = (any_move if any_move - worth[v] < aspired else free_move) - worth[v]
        change = min(change, np.int64(lowest[i]))
    at, color, ties = -1, -1, 0
    is_aspired = change < aspired
    if change < FORBIDDEN // 2:
        for i in range(left):
            if lowest[i] == change:
                v = listed[i]
                wanted, until = np.int32(change + worth[v]), OWN if is_aspired else now
                here = count(table[v], free_at[v], wanted, until)
                ties += here
                skipped = draw(rng, ties)
                if skipped < here:
                    at, color = i, find(table[v], free_at[v], wanted, until, skipped)
    return at, color


@partial(compiled, inline=True)
def count(row: Ints, free_at: Ints, wanted: np.int32, until: np.int32) -> int:
    """Entries of a row ``[k]`` that are wanted, and free by then."""
    found = 0
    for c in range(len(row)):
        found += (row[c] == wanted) & (free_at[c] <= until)
    return found


@partial(compiled, inline=True)
def find(row: Ints, free_at: Ints, wanted: np.int32, until: np.int32, skipped: int) -> int:
    """The place of one of these, after so many of them."""
    place = -1
    for c in range(len(row)):
        if row[c] == wanted and free_at[c] <= until:
            if skipped == 0:
                place = c
                break
            skipped -= 1
    return place


@partial(compiled, inline=True)
def add(row: Ints, edges: NDArray[np.int8], worth: np.int32) -> None:
    """Neighbors have so much more around them."""
    for u in range(len(row)):
        row[u] += worth * edges[u]


@partial(compiled, inline=True)
def join(first: Ints, after: Ints, before: Ints, v: int, c: int) -> None:
    """Put v at the beginning of the list of a class."""
    after[v], before[v] = first[c], -1
    if first[c] >= 0:
        before[first[c]] = v
    first[c] = v


@partial(compiled, inline=True)
def leave(first: Ints, after: Ints, before: Ints, v: int, c: int) -> None:
    """Take v from the list of a class."""
    if before[v] >= 0:
        after[before[v]] = after[v]
    else:
        first[c] = after[v]
    if after[v] >= 0:
        before[after[v]] = before[v]


@compiled
def keep_all(s: State, p: Part) -> int:
    """Complete the coloring, and keep that if it has the fewest conflicts so far.

    Nodes without a color get, one after the other, the one with the least worth around them, as
    ``s.table`` has it; the state stays.

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
            s.table[s.indices[e], c] += p.worth[v]
            conflicts += s.colors[s.indices[e]] == c
    if conflicts < s.counts[BEST]:
        s.counts[BEST] = conflicts
        s.best[:] = s.colors
    for i in range(s.counts[LISTED]):
        v = s.listed[i]
        for e in range(s.indptr[v], s.indptr[v + 1]):
            s.table[s.indices[e], s.colors[v]] -= p.worth[v]
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
