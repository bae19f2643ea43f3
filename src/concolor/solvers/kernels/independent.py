"""Independent sets of small graphs on bit sets: the heaviest one, heavy ones, all maximal ones."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Bits: TypeAlias = NDArray[np.uint64]
Whole: TypeAlias = NDArray[np.int64]

DEPTH, BEST, SIZE, VISITS = range(4)  # in Branching.counts
FOUND = 1  # in Listing.counts, beside DEPTH
ONE, ZERO = np.uint64(1), np.uint64(0)
PATTERN, SHIFT = np.uint64(0x03F79D71B4CB0A89), np.uint64(58)  # a De Bruijn sequence of 64 bits
PLACE = np.zeros(64, np.int64)  # of the lowest bit, by the first six bits of its multiple
PLACE[[((int(PATTERN) << i) % 2**64) >> 58 for i in range(64)]] = np.arange(64)


class Branching(NamedTuple):
    """A branch and bound under way, which goes on slice by slice.

    Attributes:
        near: ``[n, words]``, the neighbors of every node.
        weight: ``[n]``, not negative.
        alive: ``[n + 2, words]``, by depth: the nodes that may still join.
        branch: ``[n + 2, n]``, by depth: the nodes to branch on, the last one first.
        bound: ``[n + 2, n]``, beside them: what those up to it can add at most.
        left: ``[n + 2]``, by depth: how many of them are left.
        sums: ``[n + 2]``, by depth: the weight of what was chosen.
        chosen: ``[n + 2]``, by depth.
        best: ``[n]``, the nodes of the heaviest set so far, ``counts[SIZE]`` of them.
        residue: ``[n]``, the weight that the bound has not paid for yet.
        counts: The depth, the weight to be beaten, the size of the set that did so, all visits.
    """

    near: Bits
    weight: Whole
    alive: Bits
    branch: Whole
    bound: Whole
    left: Whole
    sums: Whole
    chosen: Whole
    best: Whole
    residue: Whole
    counts: Whole


@compiled
def heaviest(state: Branching, visits: int) -> bool:
    """Go on for so many visits; True where no set is heavier than ``counts[BEST]``.

    Before the first call ``alive[0]`` holds the nodes in play and ``left[0]`` is -1.
    """
    near, alive, sums, counts = state.near, state.alive, state.sums, state.counts
    d = counts[DEPTH]
    if state.left[d] < 0:
        _cover(state, d)
    while visits > 0:
        i = state.left[d] - 1
        if i < 0 or sums[d] + state.bound[d, i] <= counts[BEST]:
            if d == 0:
                return True
            d -= 1
            continue
        visits -= 1
        counts[VISITS] += 1
        v = state.branch[d, i]
        state.left[d] = i
        alive[d, v >> 6] &= ~(ONE << np.uint64(v & 63))
        state.chosen[d] = v
        sums[d + 1] = sums[d] + state.weight[v]
        for a in range(near.shape[1]):
            alive[d + 1, a] = alive[d, a] & ~near[v, a]
        d += 1
        if sums[d] > counts[BEST]:
            counts[BEST] = sums[d]
            counts[SIZE] = d
            state.best[:d] = state.chosen[:d]
        _cover(state, d)
    counts[DEPTH] = d
    return False


@compiled
def _cover(state: Branching, d: int) -> None:
    """Pay for the nodes at depth d by cliques; branch on those that the best does not pay for.

    A clique that takes weight w off each of its nodes costs w, since an independent set has only
    one of them. A node is done when its weight is paid for, and the costs up to then bound what
    it and all that were done before can add.
    """
    near, residue, alive = state.near, state.residue, state.alive
    words = near.shape[1]
    rest, free = np.empty(words, np.uint64), np.empty(words, np.uint64)
    clique = np.empty(len(near), np.int64)
    for a in range(words):
        x = alive[d, a]
        rest[a] = x
        while x:
            v = (a << 6) + PLACE[((x & (~x + ONE)) * PATTERN) >> SHIFT]
            x &= x - ONE
            residue[v] = state.weight[v]
    room = state.counts[BEST] - state.sums[d]
    paid, count, start = np.int64(0), 0, 0
    while start < words:
        if not rest[start]:
            start += 1
            continue
        size, least = 0, np.int64(2**62)
        free[start:] = rest[start:]
        for a in range(start, words):
            while free[a]:
                x = free[a]
                v = (a << 6) + PLACE[((x & (~x + ONE)) * PATTERN) >> SHIFT]
                clique[size] = v
                size += 1
                least = min(least, residue[v])
                for b in range(a, words):
                    free[b] &= near[v, b]
        paid += least
        for i in range(size):
            v = clique[i]
            residue[v] -= least
            if residue[v] == 0:
                rest[v >> 6] &= ~(ONE << np.uint64(v & 63))
                if paid > room:
                    state.branch[d, count] = v
                    state.bound[d, count] = paid
                    count += 1
    state.left[d] = count


@compiled
def grown(near: Bits, order: Whole) -> Bits:
    """A maximal independent set from every node: others join in this order ``-> [n, words]``."""
    n, words = near.shape
    sets, taken = np.zeros((n, words), np.uint64), np.empty(words, np.uint64)
    for s in range(n):
        taken[:] = near[s]
        sets[s, s >> 6] |= ONE << np.uint64(s & 63)
        for i in range(n):
            v = order[i]
            bit = ONE << np.uint64(v & 63)
            if v != s and not taken[v >> 6] & bit:
                sets[s, v >> 6] |= bit
                taken |= near[v]
    return sets


class Listing(NamedTuple):
    """An enumeration under way, which goes on slice by slice.

    Attributes:
        near: ``[n, words]``, the neighbors of every node.
        alive: ``[n + 2, words]``, by depth: the nodes that may still join.
        done: ``[n + 2, words]``, by depth: those that could, but their sets are listed already.
        branch: ``[n + 2, words]``, by depth: the nodes that are still to be branched on.
        chosen: ``[n + 2]``, by depth.
        sets: ``[most, words]``, what was found.
        counts: The depth, and how many were found.
    """

    near: Bits
    alive: Bits
    done: Bits
    branch: Bits
    chosen: Whole
    sets: Bits
    counts: Whole


@compiled
def list_sets(state: Listing, size: int, visits: int) -> bool:
    """Go on listing the maximal independent sets of ``size`` nodes or more; True where all are.

    (Bron and Kerbosch 1973, with a pivot.) A branch ends where a greedy cover by cliques shows that
    it has too few nodes left. It ends early where ``sets`` is full.
    """
    near, alive, done, counts = state.near, state.alive, state.done, state.counts
    words, d = near.shape[1], counts[DEPTH]
    while visits > 0 and counts[FOUND] < len(state.sets):
        v = -1
        for a in range(words):
            x = state.branch[d, a]
            if x:
                v = (a << 6) + PLACE[((x & (~x + ONE)) * PATTERN) >> SHIFT]
                break
        if v < 0:
            if d == 0:
                return True
            d -= 1
            continue
        visits -= 1
        bit = ONE << np.uint64(v & 63)
        state.branch[d, v >> 6] &= ~bit
        alive[d, v >> 6] &= ~bit
        for a in range(words):
            alive[d + 1, a] = alive[d, a] & ~near[v, a]
            done[d + 1, a] = done[d, a] & ~near[v, a]
        done[d, v >> 6] |= bit
        state.chosen[d] = v
        d += 1
        if (alive[d] == ZERO).all():
            state.branch[d] = ZERO
            if d >= size and (done[d] == ZERO).all():
                for i in range(d):
                    u = state.chosen[i]
                    state.sets[counts[FOUND], u >> 6] |= ONE << np.uint64(u & 63)
                counts[FOUND] += 1
        elif d + _cliques(near, alive[d]) < size:
            state.branch[d] = ZERO
        else:
            _pivot(state, d)
    counts[DEPTH] = d
    return False


@compiled
def _cliques(near: Bits, nodes: Bits) -> int:
    """The number of cliques that cover the nodes, greedily: no independent set has more nodes."""
    rest, free, count = nodes.copy(), nodes.copy(), 0
    words = len(nodes)
    for start in range(words):
        while rest[start]:
            count += 1
            free[:] = rest
            for a in range(start, words):
                while free[a]:
                    x = free[a]
                    bit = x & (~x + ONE)
                    rest[a] &= ~bit
                    v = (a << 6) + PLACE[(bit * PATTERN) >> SHIFT]
                    for b in range(a, words):
                        free[b] &= near[v, b]
    return count


@compiled
def _pivot(state: Listing, d: int) -> None:
    """Every maximal set has the pivot or a neighbor of it: branch on these, and on few of them."""
    near, alive = state.near, state.alive[d]
    words, fewest, pivot = near.shape[1], np.int64(2**62), 0
    for a in range(words):
        x = alive[a] | state.done[d, a]
        while x:
            u = (a << 6) + PLACE[((x & (~x + ONE)) * PATTERN) >> SHIFT]
            x &= x - ONE
            count = np.int64((alive[a] >> np.uint64(u & 63)) & ONE)
            for b in range(words):
                y = alive[b] & near[u, b]
                while y:
                    y &= y - ONE
                    count += 1
            if count < fewest:
                fewest, pivot = count, u
    state.branch[d] = alive & near[pivot]
    state.branch[d, pivot >> 6] |= alive[pivot >> 6] & (ONE << np.uint64(pivot & 63))
