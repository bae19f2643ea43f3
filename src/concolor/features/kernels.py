"""The compiled loops of structural and spectral features, which import them on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from concolor.compiled import compiled
from concolor.graph.core import IntArray

LINE = 16  # float32 numbers in a line of the cache
AHEAD = 16  # edges between a row that is asked for and its use


@compiled
def triangles(indptr: IntArray, indices: IntArray) -> IntArray:
    """Triangles at every node of an acyclically oriented graph (CSR of out-neighbors)."""
    n = len(indptr) - 1
    count, seen = np.zeros(n, np.int64), np.full(n, -1, np.int64)
    for u in range(n):
        for i in range(indptr[u], indptr[u + 1]):
            seen[indices[i]] = u
        for i in range(indptr[u], indptr[u + 1]):
            v = indices[i]
            for j in range(indptr[v], indptr[v + 1]):
                w = indices[j]
                if seen[w] == u:
                    count[u] += 1
                    count[v] += 1
                    count[w] += 1
    return count


def _fetch(typing: Any, x: Any, row: Any, column: Any) -> tuple[Any, Callable[..., Any]]:
    """``fetch(x, row, column)``: bring that number and its line into the cache, without waiting."""

    def instruction(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, number = signature.args[0], ir.IntType(32)
        array = context.make_array(kind)(context, builder, args[0])
        at = [args[1], args[2]]
        place = cgutils.get_item_pointer(context, builder, kind, array, at)  # type: ignore[no-untyped-call]
        place = builder.bitcast(place, ir.IntType(8).as_pointer())
        shape = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        known = builder.module.declare_intrinsic("llvm.prefetch", [place.type], shape)
        builder.call(known, [place, number(0), number(3), number(1)])  # to read, often, data
        return context.get_dummy_value()

    return types.void(x, types.intp, types.intp), instruction


fetch: Any = intrinsic(_fetch)


@partial(compiled, fastmath=["contract"])
def three_term(
    indptr: IntArray,
    indices: NDArray[np.int32],
    weight: np.float32,
    own: NDArray[np.float32],
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    first: int,
    last: int,
) -> None:
    """``y <- weight A x + own x - y`` for ``x, y [n, q]``, A the adjacency and ``own [n]``, in the
    rows ``first .. last - 1``.

    One pass over the edges instead of a product and four sums, each of the size of ``x``. The rows
    of neighbors are all over the memory, so each is asked for some edges before it is needed.
    """
    q, final = x.shape[1], len(indices) - 1
    for u in range(first, last):
        for j in range(q):
            y[u, j] = own[u] * x[u, j] - y[u, j]
        for i in range(indptr[u], indptr[u + 1]):
            v, soon = indices[i], indices[min(i + AHEAD, final)]
            for j in range(0, q, LINE):
                fetch(x, soon, j)
            for j in range(q):
                y[u, j] += weight * x[v, j]
