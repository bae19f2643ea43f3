"""NumPy ``.npz`` without pickles: the one format that keeps all of a graph, features too.

| key | shape | |
|---|---|---|
| ``n`` | ``[]`` | number of nodes; where it is missing, the rows of x count |
| ``edges`` | ``[m, 2]`` | whole numbers from 0 |
| or ``edge_index`` | ``[2, e]`` | the same; an edge may stand there in both directions, as in PyG |
| ``names`` | ``[n]`` | text, optional |
| ``x`` | ``[n, f]`` | dense features, optional |
| ``weights`` | ``[m]`` or ``[e]`` | of the edges, where they are asked for, optional |
| ``lists`` | ``[l, 2]`` | node and a color that it may have, from 0, optional |
| ``x_data, x_indices, x_indptr, x_shape`` | CSR | sparse features, optional |

The last four with ``edge_index`` are the layout of our Planetoid files; other keys are ignored.
"""

from __future__ import annotations

import math
from io import BytesIO
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.errors import FormatError, InputError
from concolor.graph.core import Graph
from concolor.graph.formats.scan import (
    FREE,
    NODE,
    PAIR,
    How,
    Say,
    asked_weights,
    checked_size,
    warn,
)
from concolor.memory import Room

_CSR = ("x_data", "x_indices", "x_indptr", "x_shape")
_KEYS = ("n", "edges", "edge_index", "names", "lists", "weights", "x", *_CSR)
NAME = 100  # bytes of memory for a name, about, beside its letters

Arrays = dict[str, NDArray[Any]]


def parse(data: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
    """The graph of an ``.npz`` file, which leaves nothing to guess."""
    arrays = _loaded(data, room)
    x = _features(arrays)
    names = arrays.get("names")
    if names is not None and (names.dtype.kind != "U" or names.ndim != 1):
        raise FormatError(f"names must be text of shape [n], got {names.dtype} {names.shape}")
    n, edges = _size(arrays, x), _edges(arrays)
    room.take(NODE * n)
    weights = arrays.get("weights", np.empty(0))
    if weights.dtype.kind not in "iuf" or weights.shape not in ((0,), (len(edges),)):
        raise FormatError(
            f"weights must be numbers [{len(edges)}], got {weights.dtype} {weights.shape}"
        )
    return Graph.from_edges(
        n,
        edges,
        names=names,
        x=x,
        lists=_lists(arrays),
        weights=asked_weights(weights, len(edges), how, say),
        repeated=how or "sum",
        arcs="edges" not in arrays,
    )


def _loaded(data: bytes, room: Room) -> Arrays:
    """The arrays we know by name; the others are not even unpacked.

    What each will take is read off its head, before any of them is unpacked.
    """
    try:
        with ZipFile(BytesIO(data)) as archive:
            there = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
            heads = {key: _head(archive, there[key]) for key in _KEYS if key in there}
        for key, (shape, kind) in heads.items():
            room.take(_cost(key, math.prod(shape), kind))
        with np.load(BytesIO(data), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in heads if key != "names"}
            if "names" in heads:
                _check_named(arrays, heads["names"][0])
                arrays["names"] = archive["names"]
            return arrays
    except InputError:
        raise
    except Exception as error:  # zipfile, zlib and NumPy raise a dozen kinds on broken bytes
        raise FormatError(f"not a whole .npz without pickles: {error}") from error


def heading(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape of an array, whether its columns come one after the other, and type, as its first bytes
    declare them."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    return read(file)


def _head(archive: ZipFile, member: ZipInfo) -> tuple[tuple[int, ...], np.dtype[Any]]:
    with archive.open(member) as file:
        shape, _, kind = heading(file)
    return shape, kind


def _cost(key: str, size: int, kind: np.dtype[Any]) -> int:
    """Bytes of memory that an array of so many entries takes, about, on its way into a graph."""
    own = size * kind.itemsize
    return own + {
        "x": 8 * size,  # as float32, and the graph's own copy
        "x_data": 8 * size,
        "names": own + NAME * size,
        "edges": PAIR * size // 2,
        "edge_index": PAIR * size // 2,
        "lists": NAME * size,
    }.get(key, 0)


def _check_named(arrays: Arrays, shape: tuple[int, ...]) -> None:
    """As many names as nodes, before the names are unpacked."""
    n = arrays.get("n")
    if n is not None and n.shape == () and n.dtype.kind in "iu" and shape[:1] != (int(n),):
        raise FormatError(f"{math.prod(shape)} node names for {int(n)} nodes")


def _size(arrays: Arrays, x: Any) -> int:
    n = arrays.get("n")
    if n is None and x is None:
        raise FormatError(f"needs 'n' or features to know the number of nodes, has {list(arrays)}")
    if n is not None and (n.shape != () or n.dtype.kind not in "iu"):
        raise FormatError(f"'n' must be one whole number, got {n.dtype} {n.shape}")
    return checked_size(int(x.shape[0] if n is None else n))


def _edges(arrays: Arrays) -> NDArray[Any]:
    if "edges" in arrays:
        return arrays["edges"]
    if "edge_index" in arrays:
        return arrays["edge_index"].T
    raise FormatError(f"needs 'edges' [m, 2] or 'edge_index' [2, m], has {list(arrays)}")


def _lists(arrays: Arrays) -> dict[int, list[int]]:
    pairs = arrays.get("lists", np.empty((0, 2), np.int64))
    if pairs.dtype.kind not in "iu" or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise FormatError(f"lists must be whole numbers [l, 2], got {pairs.dtype} {pairs.shape}")
    lists: dict[int, list[int]] = {}
    for node, color in pairs.tolist():
        lists.setdefault(node, []).append(color)
    return lists


def _features(arrays: Arrays) -> Any:
    """Dense or CSR features ``[n, f]`` as float32, or None."""
    if set(_CSR) <= set(arrays):
        return _sparse_features(*(arrays[key] for key in _CSR))
    return _float32(arrays["x"]) if "x" in arrays else None


def _sparse_features(
    values: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: NDArray[Any]
) -> sp.csr_array:
    try:
        if {array.dtype.kind for array in (indices, indptr, shape)} - set("iu"):
            raise ValueError("indices, indptr and shape must be whole numbers")
        x = sp.csr_array((_float32(values), indices, indptr), shape=tuple(shape.tolist()))
        x.check_format(full_check=True)  # out of range would crash far from here
    except (ValueError, TypeError, OverflowError) as error:
        raise FormatError(f"{', '.join(_CSR)} do not make a matrix: {error}") from None
    return x


def _float32(values: NDArray[Any]) -> NDArray[np.float32]:
    if values.dtype.kind not in "biuf":
        raise FormatError(f"features must be numbers, got {values.dtype}")
    with np.errstate(over="ignore"):  # infinity is refused with a word, by Graph
        return values.astype(np.float32)


def render(graph: Graph) -> bytes:
    """The graph with names, features, lists and weights as a compressed ``.npz``."""
    arrays: dict[str, Any] = {"n": graph.n, "edges": graph.edges}
    if graph.names is not None:
        arrays["names"] = np.array(graph.node_names)
    if graph.lists is not None:
        arrays["lists"] = np.array([(v, c) for v, colors in graph.lists.items() for c in colors])
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    x = graph.x
    if isinstance(x, sp.csr_array):
        arrays |= dict(zip(_CSR, (x.data, x.indices, x.indptr, x.shape), strict=True))
    elif x is not None:
        arrays["x"] = x
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()
