"""Moves of one node to another color where edges have weights, and reach beyond their own color."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled, prefetch

Ints = NDArray[np.int64]

FORBIDDEN = 1 << 61  # in the table: more than all edges together
STALE = 1000  # moves without improvement after which a search is shaken
SHARE = 10  # neighbors that get random colors then, about
COST, LISTED, BEST, MOVES, IMPROVED, SHAKEN = range(6)  # places in Noise.counts


class Noise(NamedTuple):
    """One coloring under way, what every move would cost, and the best so far.

    An edge uv costs its weight where ``|c(u) - c(v)| < reach``; a reach of 1 is a plain conflict.

    Attributes:
        indptr, indices: The graph in CSR form, ``[n + 1]`` and ``[2m]``.
        weight: ``[2m]``; whole numbers above 0, in both directions.
        reach: ``[2m]``; whole numbers above 0, in both directions.
        colors: ``[n]`` in ``0..k-1``; -1 where there is none yet.
        table: ``[n, k]``; what the neighbors of v cost with color c. Forbidden: ``+ FORBIDDEN``.
        free_at: ``[n, k]``; the move of v to c is tabu before the move of this number.
        listed: The nodes at an edge that costs something, in its first ``counts[LISTED]`` places.
        place: ``[n]``; where a node stands in ``listed``, or -1.
        best: ``[n]``; the cheapest colors so far.
        counts: The cost now, nodes listed, the least cost so far, moves done, the number of the
            move that last improved on it, and of the last that did, or shook the search.
        rng: In the first place the state of a xorshift generator, never 0.
    """

    indptr: Ints
    indices: NDArray[np.int32]
    weight: Ints
    reach: NDArray[np.int32]
    colors: NDArray[np.int32]
    table: Ints
    free_at: Ints
    listed: NDArray[np.int32]
    place: NDArray[np.int32]
    best: NDArray[np.int32]
    counts: Ints
    rng: NDArray[np.uint64]


@compiled
def draw(rng: NDArray[np.uint64], below: int) -> np.int64:
    """A random whole number in ``0..below-1`` (xorshift64*, Vigna 2016)."""
    x = rng[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    rng[0] = x
    high = (x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)
    return np.int64((high * np.uint64(below)) >> np.uint64(32))


@compiled
def place_cheaply(
    indptr: Ints,
    indices: NDArray[np.int32],
    weight: Ints,
    reach: NDArray[np.int32],
    colors: NDArray[np.int32],
    order: Ints,
    allowed: NDArray[np.bool_],
) -> int:
    """In the given order every node takes its cheapest color, the lowest of equal ones, unless its
    own is as cheap; without a table, in time of ``m + n k``.

    Args:
        colors: ``[n]``, -1 where there is none; changed in place.
        allowed: ``[n, k]``; or ``[1, k]`` where every node may have every color.

    Returns:
        How many nodes changed.
    """
    k = allowed.shape[1]
    costs, changed = np.empty(k, np.int64), 0
    for v in order:
        costs[:] = 0
        for e in range(indptr[v], indptr[v + 1]):
            c, d = colors[indices[e]], reach[e]
            if c >= 0:
                for near in range(max(c - d + 1, 0), min(c + d, k)):
                    costs[near] += weight[e]
        row = v if len(allowed) > 1 else 0
        found = colors[v]
        for c in range(k):
            if allowed[row, c] and (found < 0 or costs[c] < costs[found]):
                found = c
        if found != colors[v]:
            colors[v] = found
            changed += 1
    return changed


@compiled
def fill(s: Noise) -> None:
    """Add up the table from nothing and list the nodes, all of which have a color."""
    n = len(s.colors)
    for v in range(n):
        add(s, v, s.colors[v], 1)
    s.place[:] = -1
    s.counts[COST] = s.counts[LISTED] = 0
    for v in range(n):
        s.counts[COST] += s.table[v, s.colors[v]]
        if s.table[v, s.colors[v]] > 0:
            enlist(s, v)
    s.counts[COST] //= 2
    s.counts[BEST] = s.counts[COST]
    s.best[:] = s.colors


@compiled
def add(s: Noise, v: int, color: int, sign: int) -> None:
    """What v with a color costs its neighbors, put into the table or taken out of it."""
    k = s.table.shape[1]
    for e in range(s.indptr[v], s.indptr[v + 1]):
        u, d, cost = s.indices[e], s.reach[e], sign * s.weight[e]
        for c in range(max(color - d + 1, 0), min(color + d, k)):
            s.table[u, c] += cost


@compiled
def enlist(s: Noise, v: int) -> None:
    """Put v at the end of the list."""
    s.place[v] = s.counts[LISTED]
    s.listed[s.counts[LISTED]] = v
    s.counts[LISTED] += 1


@compiled
def delist(s: Noise, v: int) -> None:
    """Take v from the list; the last one takes its place."""
    s.counts[LISTED] -= 1
    last = s.listed[s.counts[LISTED]]
    s.listed[s.place[v]] = last
    s.place[last] = s.place[v]
    s.place[v] = -1


@compiled
def relist(s: Noise, v: int) -> None:
    """Put v on the list, or off it, as its own color says."""
    costs = s.table[v, s.colors[v]] > 0
    if costs and s.place[v] < 0:
        enlist(s, v)
    elif not costs and s.place[v] >= 0:
        delist(s, v)


@compiled
def move(s: Noise, v: int, to: int) -> None:
    """Give v another color and keep everything in step."""
    away = s.colors[v]
    s.counts[COST] += s.table[v, to] - s.table[v, away]
    add(s, v, away, -1)
    add(s, v, to, 1)
    s.colors[v] = to
    relist(s, v)
    for e in range(s.indptr[v], s.indptr[v + 1]):
        relist(s, s.indices[e])


@compiled
def choose(s: Noise, aspired: int) -> tuple[int, int]:
    """The cheapest move of a listed node that is not tabu, ties at random; node -1 where none is.

    A move that changes the cost by less than ``aspired`` is never tabu.
    """
    now, k = s.counts[MOVES], s.table.shape[1]
    node, color, ties, least = -1, -1, 0, np.int64(FORBIDDEN // 2)
    for i in range(s.counts[LISTED]):
        v = s.listed[i]
        own = s.colors[v]
        here = s.table[v, own]
        for c in range(k):
            change = s.table[v, c] - here
            if change > least or c == own or (s.free_at[v, c] > now and change >= aspired):
                continue
            ties = 1 if change < least else ties + 1
            if ties == 1 or draw(s.rng, ties) == 0:
                node, color, least = v, c, change
    return node, color


@compiled
def tabu(s: Noise, target: int, patience: int, work: int) -> bool:
    """The cheapest move of a node at a costly edge that is not tabu, again and again.

    After v left color c, coming back is tabu for some moves, unless that leads below the least cost
    so far. How many goes by the number of listed nodes, not by weights, which may be of any size:
    3 and up to an eighth of them more, at random. After ``STALE`` moves without improvement it goes
    on from the best, shaken.

    Stops at ``target``, after ``patience`` moves without improvement, or when ``work`` (entries
    looked at) is used up; it can go on from there.

    Returns:
        Whether there is a reason to go on.
    """
    saved, stuck = True, False  # best is copied only when the search is about to leave it
    while s.counts[BEST] > target and work > 0 and not stuck:
        work -= s.counts[LISTED] * s.table.shape[1] + 16
        node, color = choose(s, s.counts[BEST] - s.counts[COST])
        s.counts[MOVES] += 1
        if node >= 0:
            if not saved and s.table[node, color] > s.table[node, s.colors[node]]:
                s.best[:] = s.colors
                saved = True
            away = s.colors[node]
            move(s, node, color)
            work -= 2 * (s.indptr[node + 1] - s.indptr[node])
            s.free_at[node, away] = s.counts[MOVES] + 3 + draw(s.rng, 1 + s.counts[LISTED] // 8)
        if s.counts[COST] < s.counts[BEST]:
            s.counts[BEST] = s.counts[COST]
            s.counts[IMPROVED] = s.counts[SHAKEN] = s.counts[MOVES]
            saved = False
        if s.counts[MOVES] - s.counts[SHAKEN] >= STALE:
            work -= shake(s)
            s.counts[SHAKEN] = s.counts[MOVES]
        stuck = s.counts[MOVES] - s.counts[IMPROVED] >= patience
    if not saved:
        s.best[:] = s.colors
    return bool(s.counts[BEST] > target) and not stuck


@compiled
def shake(s: Noise) -> int:
    """Go back to the best, and give random colors to a listed node and some of its neighbors.

    Returns:
        The work that it was.
    """
    n, k = s.table.shape
    work = n
    for v in range(n):
        if s.colors[v] != s.best[v]:
            move(s, v, s.best[v])
            work += 2 * (s.indptr[v + 1] - s.indptr[v])
    s.free_at[:] = 0
    v = int(s.listed[draw(s.rng, s.counts[LISTED])])
    degree = s.indptr[v + 1] - s.indptr[v]
    for e in range(s.indptr[v], s.indptr[v + 1]):
        u, c = s.indices[e], int(draw(s.rng, k))
        if draw(s.rng, degree) < SHARE and c != s.colors[u] and s.table[u, c] < FORBIDDEN:
            move(s, u, c)
            work += 2 * (s.indptr[u + 1] - s.indptr[u])
    return int(work + n * k)


@compiled
def lowest_free(
    indptr: Ints,
    indices: NDArray[np.int32],
    reach: NDArray[np.int32],
    colors: Ints,
    bans: Ints,
    ban_ptr: Ints,
    v: int,
    ends: Ints,
) -> int:
    """The lowest color of v that is not banned and in reach of no neighbor.

    Colors are looked at window by window, four for every neighbor: as far as separations of 2 can
    push it, so that one look at every neighbor is enough; wider ones cover whole windows.

    Args:
        ends: ``[4 (neighbors + bans) + 1]`` at least; of what is closed from each color of the
            window on, the first color beyond.
    """
    low, wide = 0, 4 * (indptr[v + 1] - indptr[v] + ban_ptr[v + 1] - ban_ptr[v]) + 1
    while True:
        ends[:wide] = 0
        for e in range(indptr[v], indptr[v + 1]):
            c = colors[indices[e]]
            begin, end = c - reach[e] + 1, c + reach[e]
            if c >= 0 and end > low and begin < low + wide:
                place = max(begin - low, 0)
                ends[place] = max(ends[place], end)
        for b in range(ban_ptr[v], ban_ptr[v + 1]):
            if low <= bans[b] < low + wide:
                ends[bans[b] - low] = max(ends[bans[b] - low], bans[b] + 1)
        beyond = low
        for place in range(wide):
            beyond = max(beyond, ends[place])
            if beyond <= low + place:
                return low + place
        low = beyond


@compiled
def first_fit(
    indptr: Ints,
    indices: NDArray[np.int32],
    reach: NDArray[np.int32],
    colors: Ints,
    bans: Ints,
    ban_ptr: Ints,
    order: Ints,
) -> None:
    """In the given order every node without a color takes the lowest that no neighbor disturbs.

    Args:
        colors: ``[n]``, -1 where there is none yet; changed in place.
    """
    most = 0
    for v in range(len(colors)):
        most = max(most, indptr[v + 1] - indptr[v] + ban_ptr[v + 1] - ban_ptr[v])
    ends, n = np.empty(4 * most + 1, np.int64), len(order)
    for i in range(n):
        if i + 12 < n:  # what comes next is fetched meanwhile: in a large graph all is far apart
            prefetch(indptr, order[i + 12])
            prefetch(indices, indptr[order[i + 8]])
            for e in range(indptr[order[i + 4]], indptr[order[i + 4] + 1]):
                prefetch(colors, indices[e])
        v = order[i]
        if colors[v] < 0:
            colors[v] = lowest_free(indptr, indices, reach, colors, bans, ban_ptr, v, ends)


@compiled
def saturated_fit(
    indptr: Ints,
    indices: NDArray[np.int32],
    reach: NDArray[np.int32],
    colors: Ints,
    bans: Ints,
    ban_ptr: Ints,
    order: Ints,
    closed: NDArray[np.uint64],
) -> bool:
    """The same, next being the node whose lowest free color is the highest, as DSATUR does.

    Ties go by the order. ``O(n^2)``, and for every edge the words that its reach spans.

    Args:
        closed: ``[n, w]`` zeros; bit ``c % 64`` of word ``c // 64`` will say that c is closed.

    Returns:
        Whether ``w`` was wide enough for all colors; nothing is of use where not.
    """
    low, left, room = np.zeros(len(colors), np.int64), 0, 64 * closed.shape[1]
    for v in order:
        for b in range(ban_ptr[v], ban_ptr[v + 1]):
            if bans[b] + 1 >= room:
                return False
            shut(closed, low, v, bans[b], bans[b] + 1)
        for e in range(indptr[v], indptr[v + 1]):
            c = colors[indices[e]]
            if c >= 0:
                if c + reach[e] >= room:
                    return False
                shut(closed, low, v, c - reach[e] + 1, c + reach[e])
        left += colors[v] < 0
    while left > 0:
        v = -1
        for u in order:
            if colors[u] < 0 and (v < 0 or low[u] > low[v]):
                v = u
        color = low[v]
        colors[v] = color
        left -= 1
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if colors[u] < 0:
                if color + reach[e] >= room:
                    return False
                shut(closed, low, u, color - reach[e] + 1, color + reach[e])
    return True


@compiled
def shut(closed: NDArray[np.uint64], low: Ints, v: int, begin: int, end: int) -> None:
    """Close the colors ``begin..end-1`` to v, and find its lowest free one, which there must be."""
    begin = max(begin, low[v])  # below that all are closed
    for word in range(begin >> 6, ((end - 1) >> 6) + 1):
        bits = ~np.uint64(0)
        if word == begin >> 6:
            bits &= ~np.uint64(0) << np.uint64(begin & 63)
        if word == (end - 1) >> 6:
            bits &= ~np.uint64(0) >> np.uint64(63 - ((end - 1) & 63))
        closed[v, word] |= bits
    while (closed[v, low[v] >> 6] >> np.uint64(low[v] & 63)) & np.uint64(1):
        low[v] += 1


@compiled
def packed(residue: Ints, order: Ints, k: int) -> int:
    """Cost that no k-coloring avoids, by cliques of k + 1 nodes whose weights are split.

    Two nodes of such a clique have the same color, so a coloring pays at least its lightest edge.
    That much is taken from all its edges, and what is left may be charged to other cliques.

    Args:
        residue: ``[n, n]``, symmetric, 0 where there is no edge; used up.
        order: Edges as ``u n + v``, those with the heaviest first.
    """
    n = len(residue)
    clique, lightest, total = np.empty(k + 1, np.int64), np.empty(n, np.int64), 0
    for edge in order:
        u, v = edge // n, edge % n
        while residue[u, v] > 0:
            clique[0], clique[1], size = u, v, 2
            for w in range(n):
                lightest[w] = min(residue[u, w], residue[v, w])
            while size <= k:
                w = int(np.argmax(lightest))
                if lightest[w] == 0:
                    break
                clique[size] = w
                size += 1
                for x in range(n):
                    lightest[x] = min(lightest[x], residue[w, x])
            if size <= k:
                break
            least = residue[u, v]
            for i in range(size):
                for j in range(i):
                    least = min(least, residue[clique[i], clique[j]])
            for i in range(size):
                for j in range(i):
                    residue[clique[i], clique[j]] -= least
                    residue[clique[j], clique[i]] -= least
            total += least
    return total
