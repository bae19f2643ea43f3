"""``Graph``: what we color. Frozen, validated at the door, no torch."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import index
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from concolor.errors import InputError
from concolor.graph.naming import Directory, Names, checked_names
from concolor.graph.weights import Numbers, are_same, weigh
from concolor.registry import resolve

IntArray: TypeAlias = NDArray[np.int64]
Features: TypeAlias = NDArray[np.float32] | sp.csr_array
Lists: TypeAlias = Mapping[int, tuple[int, ...]]  # by node number, the colors it may have

SMALL = 256  # nodes up to which a square of bytes is faster than SciPy's sparse matrices
PIECE = 1 << 20  # arcs that are looked at together, where a graph may be larger than memory


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A simple undirected graph in CSR form.

    Make one with :meth:`from_edges`, ``concolor.read`` or ``concolor.family``; the constructor
    itself trusts its arguments. Arrays are read-only.

    Attributes:
        indptr: ``[n + 1]``; the neighbors of ``v`` are ``indices[indptr[v]:indptr[v + 1]]``.
        indices: ``[2m]``; every edge stands here in both directions, neighbors ascending.
        name: Shown in tables.
        names: The user's own nodes in node order, hashable objects of any kind (text where the
            graph comes from a file), or None where nodes are just the numbers ``0..n-1``.
        first: The number that the source gives its first node, where there are no names: DIMACS,
            METIS and MatrixMarket files count from 1. It is for :attr:`node_names` only: whole
            numbers in Python count nodes from 0.
        x: Node features ``[n, f]`` of the data set (dense or CSR), or None.
        chi: The chromatic number where it is known for certain, else None.
        loops: How many loops were removed on the way in.
        duplicates: How many copies of edges were removed on the way in. A reversed copy counts,
            unless the source lists every edge in both directions, as METIS and matrices do.
        lists: The colors that a node may have, ascending and from 0, by node number; or None where
            every node may have every color. All that colors the graph keeps them.
        weights: What a conflict costs, or how far apart two frequencies must be: numbers above 0
            ``[m]``, in the order of :attr:`edges`; or None where all edges count the same.
        folder: The CSR folder that ``indptr`` and ``indices`` are mapped from, or None where they
            are in memory; other processes map the same.
    """

    __networkx_backend__: ClassVar[str] = "concolor"  # so networkx's functions take it, too
    indptr: IntArray
    indices: IntArray
    name: str = "graph"
    names: Names | None = None
    first: int = 0
    x: Features | None = None
    chi: int | None = None
    loops: int = 0
    duplicates: int = 0
    lists: Lists | None = None
    weights: Numbers | None = None
    folder: Path | None = None

    @classmethod
    def from_edges(
        cls,
        n: int,
        edges: ArrayLike,
        *,
        name: str = "graph",
        names: Iterable[Hashable] | None = None,
        first: int = 0,
        x: Any = None,
        chi: int | None = None,
        lists: Mapping[int, Iterable[int]] | None = None,
        weights: ArrayLike | None = None,
        repeated: str = "sum",
        arcs: bool = False,
    ) -> Graph:
        """Build and validate a graph from node count and edges ``[m, 2]`` (0-based, any order).

        Loops and copies of edges are removed and counted; isolated nodes stay.

        Args:
            n: Number of nodes.
            edges: Pairs of nodes ``[m, 2]``.
            weights: One for each of these pairs, above 0.
            repeated: What copies of an edge weigh together: the ``sum`` of all, or the ``max``.
            arcs: Each pair is one direction of an edge, so its reverse is not counted as a copy,
                and weighs the same.

        The other arguments are the attributes of the graph.

        >>> g = Graph.from_edges(4, [(0, 1), (1, 0), (2, 2), (1, 2)])
        >>> g.n, g.m, g.loops, g.duplicates
        (4, 2, 1, 1)
        >>> Graph.from_edges(3, [(1, 2), (0, 1), (1, 0)], weights=[5, 1, 2]).weights.tolist()
        [3.0, 5.0]
        """
        n, pairs = _checked_edges(n, edges)
        names = checked_names(names, n)
        u, v = pairs.T
        loops = int(np.count_nonzero(u == v))
        make = _from_square if n <= SMALL else _from_sparse
        indptr, indices, different = make(n, u, v, arcs)
        return cls(
            indptr=_frozen(indptr),
            indices=_frozen(indices),
            name=name,
            names=names,
            first=first if names is None else 0,
            x=_checked_features(x, n),
            chi=chi,
            loops=loops,
            duplicates=len(pairs) - loops - different,
            lists=_checked_lists(lists, n),
            weights=None
            if weights is None
            else weigh(n, pairs, weights, repeated=repeated, arcs=arcs, names=names, first=first),
        )

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of undirected edges."""
        return len(self.indices) // 2

    @property
    def density(self) -> float:
        """``m`` over the number of pairs; 0 below two nodes."""
        return 2 * self.m / (self.n * (self.n - 1)) if self.n > 1 else 0.0

    @cached_property
    def degrees(self) -> IntArray:
        """Degree of every node ``[n]``."""
        return _frozen(np.diff(self.indptr))

    @cached_property
    def edge_index(self) -> IntArray:
        """Both directions of every edge ``[2, 2m]``, sorted by the first row: PyG's word."""
        return _frozen(np.stack([np.repeat(np.arange(self.n), self.degrees), self.indices]))

    @cached_property
    def edges(self) -> IntArray:
        """Every edge once as ``(u, v)`` with ``u < v``, sorted: ``[m, 2]``."""
        found, done = np.empty((self.m, 2), np.int64), 0
        for piece in self.edge_pieces():
            found[done : done + len(piece)] = piece
            done += len(piece)
        return _frozen(found)

    def edge_pieces(self, arcs: int = PIECE) -> Iterator[IntArray]:
        """:attr:`edges` piece by piece ``[e, 2]``, each from about so many arcs: a graph that is
        mapped from disk is read once and never in memory as a whole."""
        begin = 0
        while begin < self.n:
            end = int(np.searchsorted(self.indptr, self.indptr[begin] + arcs, side="right")) - 1
            end = min(max(end, begin + 1), self.n)
            ptr = self.indptr[begin : end + 1]
            target = self.indices[ptr[0] : ptr[-1]]
            source = np.repeat(np.arange(begin, end), np.diff(ptr))
            once = source < target
            yield np.stack([source[once], target[once]], axis=1)
            begin = end

    @cached_property
    def digest(self) -> str:
        """Hash of the structure alone, without names, features, lists and weights.

        It seeds what is drawn per graph, and ties certificates of χ to their graph.
        """
        content = hashlib.blake2b(np.ascontiguousarray(self.indptr).data, digest_size=8)
        content.update(np.ascontiguousarray(self.indices).data)
        return content.hexdigest()

    @property
    def node_names(self) -> Sequence[str]:
        """The text of every node, for tables and files: that of its name, or its number as the
        source counts, from ``first``."""
        return self._directory.texts

    def node(self, given: Hashable) -> int:
        """The number ``0..n-1`` of a node that is given in one of these ways, tried in turn.

        1. One of :attr:`names` is that node.
        2. Text is the node with that text in :attr:`node_names`, if there is only one.
        3. A whole number is the number itself, but only where no name is a number.

        >>> g = Graph.from_edges(2, [(0, 1)], first=1)  # as in a DIMACS file
        >>> g.node(1), g.node("1")
        (1, 0)
        >>> Graph.from_edges(2, [(0, 1)], names=[(0, 0), (0, 1)]).node((0, 1))
        1
        """
        return self._directory.place(given)

    @cached_property
    def _directory(self) -> Directory:
        return Directory(self.name, self.n, self.names, self.first)

    def neighbors(self, v: int) -> IntArray:
        """The neighbors of ``v``, ascending."""
        return self.indices[self.indptr[v] : self.indptr[v + 1]]

    def adjacency(self) -> sp.csr_array:
        """The 0/1 adjacency matrix ``[n, n]`` as CSR of float64."""
        # copies: scipy may change what it is given, and ours is read-only
        parts = (np.ones(2 * self.m), self.indices.copy(), self.indptr.copy())
        return sp.csr_array(parts, shape=(self.n, self.n))

    def subgraph(self, nodes: ArrayLike, *, name: str | None = None) -> Graph:
        """The graph induced by ``nodes``, numbered anew in the given order."""
        keep = np.asarray(nodes, dtype=np.int64)
        if keep.size and not 0 <= keep.min() <= keep.max() < self.n:
            bad = int(keep.min() if keep.min() < 0 else keep.max())
            raise InputError(f"subgraph of {self.name}: node {bad} is not in 0..{self.n - 1}")
        place = np.full(self.n, -1, dtype=np.int64)
        place[keep] = np.arange(len(keep))
        if len(np.unique(keep)) != len(keep):
            raise InputError(f"subgraph of {self.name}: nodes must be distinct, some are repeated")
        ends = place[self.edges]
        inside = (ends >= 0).all(axis=1)
        return Graph.from_edges(
            len(keep),
            ends[inside],
            name=name or f"{self.name}[{len(keep)}]",
            names=None if self.names is None else [self.names[v] for v in keep],
            first=self.first,
            x=None if self.x is None else self.x[keep],
            lists=None if self.lists is None else _moved(self.lists, keep),
            weights=None if self.weights is None else self.weights[inside],
        )

    def but(self, **changes: Any) -> Graph:
        """The same graph with another ``name``, ``x``, ``chi``, ``weights``, names or lists."""
        if "names" in changes:
            changes["names"] = checked_names(changes["names"], self.n)
        if "x" in changes:
            changes["x"] = _checked_features(changes["x"], self.n)
        if "lists" in changes:
            changes["lists"] = _checked_lists(changes["lists"], self.n)
        if changes.get("weights") is not None:
            changes["weights"] = weigh(self.n, self.edges, changes["weights"])
        return replace(self, **changes)

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: the attributes, in as few bytes as the numbers need.

        What was derived from them is derived again where it is needed.
        """
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        kind = np.min_scalar_type(max(self.n, 2 * self.m))
        return state | {name: state[name].astype(kind) for name in ("indptr", "indices")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in ("indptr", "indices"):
            state[name] = _frozen(state[name].astype(np.int64))
        if state["x"] is not None:
            _frozen(state["x"].data if sp.issparse(state["x"]) else state["x"])
        self.__dict__.update(state)

    def __eq__(self, other: object) -> bool:
        """Equal structure, node names, lists and weights: what is to be colored, and how.

        Features and the graph's name do not count.
        """
        if not isinstance(other, Graph):
            return NotImplemented
        same_edges = self.digest == other.digest and self.n == other.n
        same_rules = self.names == other.names and self.lists == other.lists
        return same_edges and same_rules and are_same(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((self.digest, self.names))

    def __repr__(self) -> str:
        lists = "" if self.lists is None else f", lists={len(self.lists)}"
        weighted = "" if self.weights is None else ", weighted"
        return f"Graph({self.name!r}, n={self.n}, m={self.m}{lists}{weighted})"

    def _repr_html_(self) -> str:
        return str(resolve("concolor.viz.cards:graph_card")(self))


def _checked_edges(n: int, edges: ArrayLike) -> tuple[int, IntArray]:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise InputError(f"the number of nodes must be a whole number >= 0, got {n!r}")
    pairs = np.asarray(edges)
    if pairs.size == 0:
        return int(n), np.empty((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InputError(
            f"edges must be whole numbers of shape [m, 2], got {pairs.dtype} {pairs.shape}"
        )
    low, high = pairs.min(), pairs.max()
    if low < 0 or high >= n:
        bad = int(low if low < 0 else high)
        raise InputError(f"node {bad} is out of range: nodes are 0..{n - 1}")
    return int(n), pairs.astype(np.int64, copy=False)


def _from_square(n: int, u: IntArray, v: IntArray, arcs: bool) -> tuple[IntArray, IntArray, int]:
    """CSR of few nodes, and how many pairs differ: all of ``[n, n]`` is faster than a sort."""
    there = np.zeros((n, n), bool)
    there[u, v] = True
    np.fill_diagonal(there, False)
    directed = int(np.count_nonzero(there))
    there |= there.T
    places = np.flatnonzero(there)
    indptr = np.searchsorted(places, n * np.arange(n + 1))
    return indptr, places % max(n, 1), directed if arcs else len(places) // 2


def _from_sparse(n: int, u: IntArray, v: IntArray, arcs: bool) -> tuple[IntArray, IntArray, int]:
    """CSR, and how many pairs differ, by counting sorts and a merge: only half is ever sorted."""
    u, v = (ends.astype(sp.get_index_dtype(maxval=n)) for ends in (u, v))
    groups = [u < v, u > v] if arcs else [u != v]
    halves = [_upper(n, u[group], v[group]) for group in groups]
    upper = sum(halves[1:], start=halves[0])
    both = upper + upper.T.tocsr()
    different = sum(half.nnz for half in halves)
    return both.indptr.astype(np.int64), both.indices.astype(np.int64), different


def _upper(n: int, u: NDArray[Any], v: NDArray[Any]) -> sp.csr_array:
    """The pairs above the diagonal, each once: ``[n, n]``, true where there is an edge."""
    ends = (np.minimum(u, v), np.maximum(u, v))
    matrix = sp.coo_array((np.ones(len(u), bool), ends), shape=(n, n)).tocsr()
    matrix.sum_duplicates()
    return matrix


def _checked_features(x: Any, n: int) -> Features | None:
    if x is None:
        return None
    if sp.issparse(x):
        x = sp.csr_array(x, dtype=np.float32, copy=True)
    else:
        x = np.array(x, dtype=np.float32)
    if x.ndim != 2 or x.shape[0] != n:
        raise InputError(f"features must have shape [n={n}, f], got {x.shape}")
    if not np.isfinite(x.data if sp.issparse(x) else x).all():
        raise InputError("features must be finite, found NaN or infinity")
    _frozen(x.data if sp.issparse(x) else x)
    return x


def _checked_lists(lists: Mapping[int, Iterable[int]] | None, n: int) -> Lists | None:
    """A copy by ascending node, with ascending colors; None where no node has a list."""
    found: dict[int, tuple[int, ...]] = {}
    for node, given in (lists or {}).items():
        try:
            place, colors = index(node), sorted(set(map(index, given)))
        except TypeError:
            raise InputError(
                f"lists: expected a node number and its colors, whole numbers, got {node!r}: "
                f"{given!r}"
            ) from None
        if not 0 <= place < n:
            raise InputError(f"lists: node {place} is out of range, nodes are 0..{n - 1}")
        if not colors or colors[0] < 0:
            what = f"color {colors[0]}" if colors else "no color"
            raise InputError(f"lists: node {place} has {what}; colors are numbered from 0")
        found[place] = tuple(colors)
    return dict(sorted(found.items())) or None


def _moved(lists: Lists, nodes: IntArray) -> Lists:
    """The lists of ``nodes``, by their places in it."""
    return {place: lists[node] for place, node in enumerate(nodes.tolist()) if node in lists}


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
