"""Moves of one node to another color, on a table that knows what every move would change."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]

FORBIDDEN = 1 << 29  # in the table: as if so many neighbors had this color
OWN = np.int32(2**31 - 1)  # in free_at: the color that a node has
PHASE = 1 << 17  # queen graphs want short tenures, random graphs long ones: they take turns
LATE = 1 << 30  # moves after which free_at counts from a new beginning
CONFLICTS, LISTED, BEST, MOVES, IMPROVED, BEGUN, WEIGHT, BARE = range(8)  # places in State.counts


class State(NamedTuple):
    """One coloring under way and all that is kept in step with it.

    Attributes:
        indptr, indices: The graph in CSR form, ``[n + 1]`` and ``[2m]``.
        colors: ``[n]`` in ``0..k-1``; -1 where there is none yet.
        table: ``[n, k']``; ``table[v, c]`` neighbors of v have color c. Forbidden: ``+ FORBIDDEN``,
            which is what columns from k on are, if there are such.
        free_at: ``[n, k']``; the move of v to c is tabu before the move of this number, counted
            from ``counts[BEGUN]``; ``OWN`` where v has color c.
        lowest: ``[n]``; room for what a move of each listed node would change at best.
        listed: The nodes in conflict, in its first ``counts[LISTED]`` places; in a partial search
            those without a color.
        place: ``[n]``; where a node stands in ``listed``, or -1.
        best: ``[n]``; the colors with the fewest conflicts so far.
        counts: Conflicts now, nodes in conflict, fewest conflicts so far, moves done, the number of
            the move that last improved on them, the move that ``free_at`` counts from, the weight
            of the conflicts where edges have weights or the worth of the nodes without a color, and
            the least of that so far; the places after that belong to a partial search.
        rng: In the first place the state of a xorshift generator, never 0.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    colors: NDArray[np.int32]
    table: NDArray[np.int32]
    free_at: NDArray[np.int32]
    listed: NDArray[np.int32]
    lowest: NDArray[np.int32]
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
        s.free_at[v, s.colors[v]] = OWN
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
    s.free_at[v, away], s.free_at[v, to] = 0, OWN
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


@partial(compiled, inline=True)
def choose(s: State, aspired: int) -> tuple[int, int, np.int64]:
    """The best move of a node in conflict that is not tabu, ties at random: node, color, change.

    A move that changes the conflicts by less than ``aspired`` (at most 0) is never tabu. The first
    pass only looks for the lowest entry of each row, which a processor does for many at once.

    Returns:
        Node -1 where all moves are tabu or forbidden.
    """
    now, k = np.int32(s.counts[MOVES] - s.counts[BEGUN]), s.table.shape[1]
    change = np.int64(FORBIDDEN // 2)
    for i in range(s.counts[LISTED]):
        v = s.listed[i]
        here = s.table[v, s.colors[v]]
        any_move, free_move = lowest_of(s.table[v], s.free_at[v], now)
        s.lowest[i] = (any_move if any_move - here < aspired else free_move) - here
        change = min(change, np.int64(s.lowest[i]))
    node, color, ties = -1, -1, 0
    if change == FORBIDDEN // 2:
        return node, color, change
    for i in range(s.counts[LISTED]):
        if s.lowest[i] != change:
            continue
        v = s.listed[i]
        wanted = s.table[v, s.colors[v]] + change
        for c in range(k):
            if s.table[v, c] == wanted and (s.free_at[v, c] <= now or change < aspired):
                ties += 1
                if ties == 1 or draw(s.rng, ties) == 0:
                    node, color = v, c
    return node, color, change


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
def is_nowhere(s: State) -> bool:
    """Whether no node in conflict has another color to go to, tabu or not."""
    for i in range(s.counts[LISTED]):
        v = s.listed[i]
        for c in range(s.table.shape[1]):
            if c != s.colors[v] and s.table[v, c] < FORBIDDEN:
                return False
    return True


@compiled
def begin_anew(s: State) -> None:
    """Let ``free_at`` count from now."""
    now = s.counts[MOVES] - s.counts[BEGUN]
    for v in range(s.free_at.shape[0]):
        for c in range(s.free_at.shape[1]):
            if s.free_at[v, c] != OWN:
                s.free_at[v, c] = max(s.free_at[v, c] - now, 0)
    s.counts[BEGUN] = s.counts[MOVES]


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
    while s.counts[BEST] > target and work > 0:
        work = tabu_moves(s, target, patience, work)
        if s.counts[MOVES] - s.counts[IMPROVED] >= patience or is_nowhere(s):
            return False
        if s.counts[MOVES] - s.counts[BEGUN] >= LATE:
            begin_anew(s)
    return bool(s.counts[BEST] > target)


@compiled
def tabu_moves(s: State, target: int, patience: int, work: int) -> int:
    """The moves of :func:`tabu_search`, until there is a reason to look up: the work that is left.

    Without a call of anything rare: the compiler then counts references in every move.
    """
    saved = moving = True  # best is copied only when the search is about to leave it
    last = s.counts[BEGUN] + LATE
    while s.counts[BEST] > target and work > 0 and s.counts[MOVES] < last and moving:
        tenths = 6 if s.counts[MOVES] % (2 * PHASE) < PHASE else 18
        work -= s.counts[LISTED] * s.table.shape[1] + 16
        node, color, change = choose(s, s.counts[BEST] - s.counts[CONFLICTS])
        s.counts[MOVES] += 1
        moving = node >= 0
        if moving:
            if change > 0 and not saved:
                s.best[:] = s.colors
                saved = True
            away = s.colors[node]
            move(s, node, color)
            work -= s.indptr[node + 1] - s.indptr[node]
            tenure = tenths * s.counts[CONFLICTS] // 10 + draw(s.rng, 10)
            s.free_at[node, away] = s.counts[MOVES] - s.counts[BEGUN] + tenure
        if s.counts[CONFLICTS] < s.counts[BEST]:
            s.counts[BEST] = s.counts[CONFLICTS]
            s.counts[IMPROVED] = s.counts[MOVES]
            saved = False
        moving = moving and s.counts[MOVES] - s.counts[IMPROVED] < patience
    if not saved:
        s.best[:] = s.colors
    return work


class Weights(NamedTuple):
    """What makes a search a weighted one; its ``table`` then adds up weights, not neighbors.

    Attributes:
        edges: ``[2m]``; the weight of every arc of the CSR form, at least 1, in both directions.
        twin: ``[2m]``; where the arc in the other direction stands.
    """

    edges: NDArray[np.int32]
    twin: NDArray[np.int32]


@compiled
def weighted_search(s: State, w: Weights, target: int, patience: int, work: int) -> bool:
    """Tabu search that minds the weight of conflicts: edges that stay in conflict weigh more.

    Where no move makes the conflicts lighter, each edge in conflict gains weight 1, so that in time
    the edges that are hard to please come first. Stops and goes on like :func:`tabu_search`; what
    is counted, kept and aimed at are conflicts without weights.
    """
    while s.counts[BEST] > target and work > 0:
        work = weighted_moves(s, w, target, patience, work)
        if s.counts[MOVES] - s.counts[IMPROVED] >= patience or is_nowhere(s):
            return False
        if s.counts[MOVES] - s.counts[BEGUN] >= LATE:
            begin_anew(s)
    return bool(s.counts[BEST] > target)


@compiled
def weighted_moves(s: State, w: Weights, target: int, patience: int, work: int) -> int:
    """The moves of :func:`weighted_search`, until there is a reason to look up: the work left."""
    moving, last = True, s.counts[BEGUN] + LATE
    while s.counts[BEST] > target and work > 0 and s.counts[MOVES] < last and moving:
        work -= s.counts[LISTED] * s.table.shape[1] + 16
        node, color, change = choose(s, 1 - s.counts[WEIGHT])
        s.counts[MOVES] += 1
        moving = node >= 0
        if change >= 0:
            work -= add_weight(s, w)
        if moving:
            away = s.colors[node]
            weighted_move(s, w, node, color)
            work -= s.indptr[node + 1] - s.indptr[node]
            tenure = 6 * s.counts[CONFLICTS] // 10 + draw(s.rng, 10)
            s.free_at[node, away] = s.counts[MOVES] - s.counts[BEGUN] + tenure
        if s.counts[CONFLICTS] < s.counts[BEST]:
            s.counts[BEST] = s.counts[CONFLICTS]
            s.counts[IMPROVED] = s.counts[MOVES]
            s.best[:] = s.colors
        moving = moving and s.counts[MOVES] - s.counts[IMPROVED] < patience
    return work


@compiled
def weighted_move(s: State, w: Weights, v: int, to: int) -> None:
    """Give v another color and keep everything in step, in time of its degree."""
    away = s.colors[v]
    s.counts[WEIGHT] += s.table[v, to] - s.table[v, away]
    s.colors[v] = to
    s.free_at[v, away], s.free_at[v, to] = 0, OWN
    for e in range(s.indptr[v], s.indptr[v + 1]):
        u = s.indices[e]
        s.table[u, away] -= w.edges[e]
        s.table[u, to] += w.edges[e]
        if s.colors[u] == away:
            s.counts[CONFLICTS] -= 1
            if s.table[u, away] == 0:
                delist(s, u)
        elif s.colors[u] == to:
            s.counts[CONFLICTS] += 1
            if s.place[u] < 0:
                enlist(s, u)
    if s.place[v] >= 0 and s.table[v, to] == 0:
        delist(s, v)
    elif s.place[v] < 0 and s.table[v, to] > 0:
        enlist(s, v)


@compiled
def add_weight(s: State, w: Weights) -> int:
    """Each edge in conflict weighs 1 more; returns the arcs that were looked at."""
    looked = 0
    for i in range(s.counts[LISTED]):
        v = s.listed[i]
        c = s.colors[v]
        looked += s.indptr[v + 1] - s.indptr[v]
        for e in range(s.indptr[v], s.indptr[v + 1]):
            u = s.indices[e]
            if u > v and s.colors[u] == c:
                w.edges[e] += 1
                w.edges[w.twin[e]] += 1
                s.table[v, c] += 1
                s.table[u, c] += 1
                s.counts[WEIGHT] += 1
    return looked


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
