"""First fit where every two colors must leave something simple: stars, or trees.

Both loops keep, for every node, one *slot* for each color that its neighbors have: the pair (node,
color) is an equation of the recovery. They stand where the arcs of the node stand, so memory is
that of the graph, and a node with many neighbors of few colors costs little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]
Places = NDArray[np.int32]
Bools = NDArray[np.bool_]
ONE, HUB, LEAF = 0, 1, 2  # of a slot: one neighbor; several; one, and it is a hub for our color


@compiled
def slot_of(color_at: Places, start: int, used: int, color: int) -> int:
    """The slot of a node for a color, -1 if there is none."""
    for s in range(start, start + used):
        if color_at[s] == color:
            return s
    return -1


@compiled
def star(
    indptr: Ints, indices: Ints, order: Ints, bare: Bools, wish: Places, proper: bool
) -> Places:
    """Colors ``[n]`` such that no path on four nodes has two colors only.

    A color c is closed to v if a neighbor has it; if a neighbor w has a neighbor x of color c and
    v has another neighbor of w's color (path: neighbor, v, w, x); or if x is a hub, with
    another neighbor of w's color (path: v, w, x, neighbor).

    Args:
        order: The nodes that get colors.
        bare: ``[n]``, the nodes that get none: their neighbors have different colors.
        wish: ``[n]``, the color below n that a node takes if it is open, else the first; -1: none.
        proper: Neighbors have different colors.
    """
    n = len(indptr) - 1
    colors = np.full(n, -1, np.int32)
    color_at = np.empty(len(indices), np.int32)
    first = np.empty(len(indices), np.int32)  # the neighbor that opened the slot
    state = np.empty(len(indices), np.int8)
    used = np.zeros(n, np.int32)
    closed = np.full(n + 1, -1, np.int32)  # the last node to which a color was closed
    own = np.full(n + 1, -1, np.int64)  # by color, the slot of v
    for v in order:
        for s in range(indptr[v], indptr[v] + used[v]):
            own[color_at[s]] = s
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            a = colors[w]
            if a < 0 and not bare[w]:
                continue
            if proper and a >= 0:
                closed[a] = v
            every = a < 0 or state[own[a]] == HUB
            for s in range(indptr[w], indptr[w] + used[w]):
                if every or state[s] == LEAF:
                    closed[color_at[s]] = v
        c = wish[v]
        if c < 0 or closed[c] == v:
            c = 0
            while closed[c] == v:
                c += 1
        colors[v] = c
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            a = colors[w]
            t = slot_of(color_at, indptr[w], used[w], c)
            if t < 0:
                t = indptr[w] + used[w]
                used[w] += 1
                color_at[t], first[t], state[t] = c, v, ONE
            elif state[t] == ONE:
                state[t] = HUB
                if a >= 0:
                    x = first[t]
                    state[slot_of(color_at, indptr[x], used[x], a)] = LEAF
            if a >= 0:
                if state[own[a]] == HUB:
                    state[t] = LEAF
                elif state[t] == HUB:
                    state[own[a]] = LEAF
    return colors


@compiled
def root_of(parent: Ints, s: int) -> int:
    """The slot that stands for the tree of a slot; paths are halved on the way."""
    while parent[s] != s:
        parent[s] = parent[parent[s]]
        s = parent[s]
    return s


@compiled
def acyclic(
    indptr: Ints, indices: Ints, order: Ints, bare: Bools, wish: Places, proper: bool
) -> Places:
    """Colors ``[n]`` such that no cycle has two colors only; arguments as of :func:`star`.

    An edge vw joins the slots (v, color of w) and (w, color of v) to one tree. A color c is closed
    to v if a neighbor has it, or if two neighbors have slots for c in the same tree.
    """
    n = len(indptr) - 1
    colors = np.full(n, -1, np.int32)
    color_at = np.empty(len(indices), np.int32)
    parent = np.arange(len(indices))
    met = np.full(len(indices), -1, np.int32)  # by root, the last node that came by
    used = np.zeros(n, np.int32)
    closed = np.full(n + 1, -1, np.int32)
    own = np.full(n + 1, -1, np.int64)
    for v in order:
        for s in range(indptr[v], indptr[v] + used[v]):
            own[color_at[s]] = s
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            if colors[w] < 0 and not bare[w]:
                continue
            if proper and colors[w] >= 0:
                closed[colors[w]] = v
            for s in range(indptr[w], indptr[w] + used[w]):
                root = root_of(parent, s)
                if colors[w] < 0 or met[root] == v:
                    closed[color_at[s]] = v
                met[root] = v
        c = wish[v]
        if c < 0 or closed[c] == v:
            c = 0
            while closed[c] == v:
                c += 1
        colors[v] = c
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            t = slot_of(color_at, indptr[w], used[w], c)
            if t < 0:
                t = indptr[w] + used[w]
                used[w] += 1
                color_at[t] = c
            if colors[w] >= 0:
                parent[root_of(parent, t)] = root_of(parent, own[colors[w]])
    return colors


@compiled
def drop_needless(
    indptr: Ints, indices: Ints, colors: Places, read: Bools, ptr: Ints, members: Ints
) -> None:
    """Take the color from every class that nothing needs to be read from, in place.

    A node can do without where its neighbors have colors, all different, and its diagonal entry is
    not asked for: then it is bare.

    Args:
        read: ``[n]``, nodes that must keep their color.
        ptr, members: Class by class, the nodes of it; classes are tried in this order.
    """
    k = colors.max() + 1
    seen = np.full(k, -1, np.int64)
    for place in range(len(ptr) - 1):
        needless = True
        for at in range(ptr[place], ptr[place + 1]):
            v = members[at]
            needless = needless and not read[v]
            for e in range(indptr[v], indptr[v + 1]):
                if not needless:
                    break
                c = colors[indices[e]]
                needless = c >= 0 and seen[c] != v
                if needless:
                    seen[c] = v
            if not needless:
                break
        if needless:
            for at in range(ptr[place], ptr[place + 1]):
                colors[members[at]] = -1
