"""First fit on two cores: guess, look for clashes, guess again.

The order is cut into blocks, and each block into two halves. Both are colored at the same time, by
threads that know all earlier blocks and their own half, but not the other. Where neighbors in both
got the same color, the one in the second half waits for the next block. Who is faster changes
nothing: the coloring depends on the order and the size of the blocks only, and one core makes the
same.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import csr
from concolor.threads import two_cores

BLOCK = 1 << 13  # nodes; fewer mean fewer clashes, and more waiting for the slower half


def speculative(
    graph: Graph, order: IntArray, *, threads: int | None = None, block: int = BLOCK
) -> IntArray:
    """The colors ``[n]`` of first fit, nearly in the given order, by two threads.

    Args:
        graph: Any graph.
        order: All nodes, each once.
        threads: 1 for the same without threads; default: two where there are two cores.
        block: Nodes that are colored between two looks for clashes.

    >>> from concolor.graph.families import family
    >>> speculative(family("path:4"), np.array([0, 3, 1, 2])).tolist()
    [0, 2, 1, 0]
    """
    with ThreadPoolExecutor(2) as pool:
        each = map if (threads or two_cores()) == 1 else pool.map
        return _colored(graph, order, each, block)


def _colored(graph: Graph, order: IntArray, each: Any, block: int) -> IntArray:
    from concolor.solvers.kernels.speculative import SIDE, clash, guess, settle

    indptr, indices = csr(graph)
    colors = np.full(graph.n, -1, np.int32)
    room = int(graph.degrees.max(initial=0)) + 1
    seen = [np.zeros(room + 1, np.int32) for _ in range(2)]
    waiting, done = order[:0], 0
    while done < graph.n or len(waiting):
        fresh = max(block - len(waiting), 0)
        nodes = np.concatenate([waiting, order[done : done + fresh]])
        done = min(done + fresh, graph.n)
        again, half = np.zeros(len(nodes), bool), (len(nodes) + 1) // 2
        sides = ((nodes[:half], SIDE), (nodes[half:], 2 * SIDE))
        guesses = [
            (side, colors, mark, room) for (side, mark), room in zip(sides, seen, strict=True)
        ]
        quarter = (half + len(nodes)) // 2
        parts = slice(half, quarter), slice(quarter, len(nodes))
        list(each(lambda given: guess(indptr, indices, *given), guesses))
        checks = [(nodes[part], colors, again[part]) for part in parts]
        list(each(lambda given: clash(indptr, indices, *given), checks))
        waiting = np.empty(len(nodes), np.int64)
        waiting = waiting[: settle(nodes, colors, again, waiting)]
    return colors.astype(np.int64)
