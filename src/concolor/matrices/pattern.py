"""``Pattern``: which entries of a matrix may be other than 0. Frozen, validated at the door."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.errors import FormatError, InputError, OverBudget
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats import room_for, text_of
from concolor.graph.formats.mtx import listed
from concolor.graph.formats.scan import MAX_NODES

Places: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class Pattern:
    """The places of the entries of a matrix ``[m, n]``, row by row.

    Make one with :meth:`of` or :meth:`read`; the constructor itself trusts its arguments.

    Attributes:
        shape: Rows m and columns n.
        indptr: ``[m + 1]``; the columns of row i are ``indices[indptr[i]:indptr[i + 1]]``.
        indices: ``[nnz]``, ascending within a row, each once.
        name: Shown in tables.

    >>> Pattern.of([[1, 0, 2], [0, 3, 0]])
    Pattern('matrix', 2 x 3, nnz=3)
    """

    shape: tuple[int, int]
    indptr: IntArray
    indices: Places
    name: str = "matrix"

    @classmethod
    def of(cls, matrix: Any, *, name: str = "matrix") -> Pattern:
        """The pattern of a sparse matrix, of a dense array, or of a ``.mtx`` file that is named.

        Of a sparse matrix that is what is stored, whatever its value, also 0 or NaN: a Jacobian has
        its pattern wherever it is evaluated. Of a dense array it is what is not 0; there NaN
        counts, too.
        """
        if isinstance(matrix, Pattern):
            return matrix
        if isinstance(matrix, (str, Path)):
            return cls.read(matrix)
        entries = matrix if sp.issparse(matrix) else _dense(matrix)
        if entries.ndim != 2:
            raise InputError(f"expected a matrix of rows and columns, got shape {entries.shape}")
        if max(entries.shape) > MAX_NODES:
            raise InputError(f"the limit is {MAX_NODES} rows and columns, got {entries.shape}")
        places = sp.csr_array(entries).tocoo()
        return cls._at(entries.shape, places.row, places.col, name)

    @classmethod
    def read(cls, path: str | Path) -> Pattern:
        """The pattern of a MatrixMarket file, compressed with gzip or not; ``-`` is standard input.

        An entry that is written down counts, whatever its value. Files of the symmetric kinds list
        one triangle; the other is filled in.
        """
        name = "stdin" if str(path) == "-" else re.sub(r"(?i)(\.mtx)?(\.gz)?$", "", Path(path).name)
        try:
            room = room_for(path)
            found = listed(text_of(path, room), room=room)
        except FormatError as error:
            raise FormatError(error.message, path, error.line) from error.__cause__
        except OverBudget as error:
            raise FormatError(str(error), path) from None
        rows, columns = found.places.T
        if not found.both_triangles:
            rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
        return cls._at(found.shape, rows, columns, name)

    @classmethod
    def _at(
        cls, shape: tuple[int, int], rows: NDArray[Any], columns: NDArray[Any], name: str
    ) -> Pattern:
        ones = np.ones(len(rows), bool)
        matrix = sp.csr_array((ones, (rows, columns)), shape=shape)
        matrix.sum_duplicates()
        indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
        for array in (indptr, indices):
            array.setflags(write=False)
        return cls((int(shape[0]), int(shape[1])), indptr, indices, name)

    @property
    def m(self) -> int:
        """Number of rows."""
        return self.shape[0]

    @property
    def n(self) -> int:
        """Number of columns."""
        return self.shape[1]

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.indices)

    @cached_property
    def degrees(self) -> IntArray:
        """Entries of every row ``[m]``."""
        return np.diff(self.indptr)

    @cached_property
    def rows(self) -> Places:
        """The row of every entry ``[nnz]``; its column is in :attr:`indices`."""
        return np.repeat(np.arange(self.m, dtype=np.int32), self.degrees)

    @cached_property
    def transposed(self) -> Pattern:
        """The pattern ``[n, m]`` of the transposed matrix; its rows are our columns."""
        there = self._by_column
        indptr, indices = there.indptr.astype(np.int64), there.indices.astype(np.int32)
        for array in (indptr, indices):
            array.setflags(write=False)
        return Pattern((self.n, self.m), indptr, indices, self.name)

    @property
    def in_columns(self) -> IntArray:
        """The entries ``[nnz]``, counted row by row, in the order column by column."""
        return np.asarray(self._by_column.data)

    @cached_property
    def _by_column(self) -> sp.csc_array:
        numbers = np.arange(self.nnz)
        return sp.csr_array((numbers, self.indices, self.indptr), shape=self.shape).tocsc()

    @cached_property
    def has_diagonal(self) -> NDArray[np.bool_]:
        """Whether ``A_ii`` is an entry, for a square matrix ``[n]``."""
        found = np.zeros(self.n, bool)
        found[self.rows[self.rows == self.indices]] = True
        return found

    @cached_property
    def with_diagonal(self) -> Pattern:
        """The same square pattern with all ``A_ii``."""
        if self.has_diagonal.all():
            return self
        places = np.arange(self.n, dtype=np.int32)
        rows, columns = np.append(self.rows, places), np.append(self.indices, places)
        return self._at(self.shape, rows, columns, self.name)

    @cached_property
    def adjacency(self) -> Graph:
        """Nodes are the columns of a symmetric pattern, adjacent where an entry is beside the
        diagonal."""
        if self.m != self.n:
            raise InputError(f"a symmetric matrix is square, {self.name} is {self.m} x {self.n}")
        there = self.transposed
        if not np.array_equal(there.indices, self.indices) or (there.indptr != self.indptr).any():
            i, j = _unmatched(self)
            raise InputError(
                f"{self.name} is not symmetric: the entry ({i}, {j}) is there and ({j}, {i}) is "
                "not (counted from 0); give the pattern of A + A.T"
            )
        pairs = np.stack([self.rows, self.indices], axis=1)
        return Graph.from_edges(self.n, pairs, name=self.name, arcs=True)

    @cached_property
    def bipartite(self) -> Graph:
        """Nodes are the m rows and then the n columns, adjacent where there is an entry."""
        pairs = np.stack([self.rows, self.m + self.indices], axis=1)
        return Graph.from_edges(self.m + self.n, pairs, name=self.name)

    def matrix(self, values: NDArray[Any]) -> sp.csr_array:
        """The matrix with these values ``[nnz]`` at the entries."""
        return sp.csr_array((values, self.indices.copy(), self.indptr.copy()), shape=self.shape)

    def __repr__(self) -> str:
        return f"Pattern({self.name!r}, {self.m} x {self.n}, nnz={self.nnz})"


def incidence(graph: Graph) -> Pattern:
    """The pattern ``[m, n]`` with a row for every edge, which has two entries: its ends."""
    indptr = np.arange(0, 2 * graph.m + 1, 2)
    return Pattern((graph.m, graph.n), indptr, graph.edges.ravel().astype(np.int32), graph.name)


def _dense(matrix: Any) -> NDArray[Any]:
    try:
        array = np.asarray(matrix)
    except ValueError as error:  # rows of different lengths
        raise InputError(f"expected a matrix, got {type(matrix).__name__}: {error}") from None
    if array.dtype.kind not in "biufc":
        raise InputError(
            f"expected a sparse matrix, an array of numbers or the path of a .mtx file, got "
            f"{type(matrix).__name__}"
        )
    return array


def _unmatched(pattern: Pattern) -> tuple[int, int]:
    """An entry of a square pattern whose mirror image is none."""
    there = pattern.rows.astype(np.int64) * pattern.n + pattern.indices
    mirror = pattern.indices.astype(np.int64) * pattern.n + pattern.rows
    place = int(np.flatnonzero(~np.isin(mirror, there))[0])
    return int(pattern.rows[place]), int(pattern.indices[place])
