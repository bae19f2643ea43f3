"""``MatrixColoring``: groups of columns and rows, the products they need, and the way back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.errors import FormatError, InputError
from concolor.files import read_json, write_atomically
from concolor.graph.core import IntArray
from concolor.matrices.kinds import KINDS, checked_method
from concolor.matrices.pattern import Pattern
from concolor.matrices.recovery import Sums


@dataclass(frozen=True, eq=False, repr=False)
class MatrixColoring:
    """A color for columns, rows or both, such that few products hold the whole matrix.

    ``A @ seeds`` and ``row_seeds.T @ A`` are computed however one likes, by finite differences or
    automatic differentiation; :meth:`decompress` makes the matrix of them.

    Attributes:
        pattern: Where the matrix has entries; a matrix is taken for its pattern.
        kind: ``column``, ``row``, ``star``, ``acyclic`` or ``bidirectional``.
        method: How entries are recovered: ``direct`` or ``substitution``; None is for the usual one
            of the kind.
        column_colors: ``[n]`` numbers 0..p-1, -1 for a column that needs no color; None where only
            rows have colors.
        row_colors: ``[m]`` numbers 0..q-1, in the same way.
        lower: So many products are needed at least, by this kind of coloring.
        order: What found it: the order of a greedy pass, or a search.
        seconds: What it took.

    >>> c = MatrixColoring([[1, 0, 2], [0, 3, 0]], "column", column_colors=[0, 0, 1])
    >>> c.seeds.tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> c.decompress([[1, 2], [3, 0]]).toarray().tolist()
    [[1, 0, 2], [0, 3, 0]]
    """

    pattern: Pattern
    kind: str
    method: str | None = None
    column_colors: IntArray | None = None
    row_colors: IntArray | None = None
    lower: int = 0
    order: str = ""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", Pattern.of(self.pattern))
        object.__setattr__(self, "method", checked_method(self.kind, self.method))
        sides = KINDS[self.kind].sides
        for side, size in zip(("column", "row"), self.pattern.shape[::-1], strict=True):
            given = getattr(self, f"{side}_colors")
            if (given is not None) != (side in sides):
                wanted = " and ".join(f"{name}_colors" for name in sides)
                raise InputError(f"a {self.kind} coloring has {wanted}, and no others")
            if given is not None:
                object.__setattr__(self, f"{side}_colors", _checked(given, size, side))
        if KINDS[self.kind].is_symmetric:
            _ = self.pattern.adjacency  # refuses a pattern that is not symmetric

    @property
    def column_k(self) -> int:
        """Products ``A @ seeds``."""
        return 0 if self.column_colors is None else int(self.column_colors.max(initial=-1)) + 1

    @property
    def row_k(self) -> int:
        """Products ``row_seeds.T @ A``."""
        return 0 if self.row_colors is None else int(self.row_colors.max(initial=-1)) + 1

    @property
    def k(self) -> int:
        """Colors, which is products, in all."""
        return self.column_k + self.row_k

    @property
    def is_proved(self) -> bool:
        """It is valid, and no fewer products would do."""
        return self.k <= self.lower and self.is_valid

    @cached_property
    def is_valid(self) -> bool:
        """Every entry of the pattern can be recovered by the method, checked entry by entry."""
        return self._is_one_each or self._sums.is_solved(direct=self._is_direct)

    @property
    def _is_one_each(self) -> bool:
        """All columns, or all rows, have products of their own: these are the matrix itself."""
        sides = [colors for colors in (self.column_colors, self.row_colors) if colors is not None]
        return any(
            len(colors) > 0
            and np.array_equal(np.bincount(colors[colors >= 0]), np.ones(len(colors)))
            for colors in sides
            if colors.max(initial=-1) < len(colors)
        )

    @cached_property
    def seeds(self) -> NDArray[np.float64]:
        """``S [n, p]`` with ``S[j, color of column j] = 1``."""
        return _seeds(self.column_colors, self.pattern.n, self.column_k)

    @cached_property
    def row_seeds(self) -> NDArray[np.float64]:
        """``R [m, q]`` with ``R[i, color of row i] = 1``."""
        return _seeds(self.row_colors, self.pattern.m, self.row_k)

    def compress(self, matrix: Any) -> Any:
        """The products of a matrix ``[m, n]`` that is at hand, dense or sparse.

        Returns:
            ``A @ seeds [m, p]``; for rows ``row_seeds.T @ A [q, n]``; where columns and rows have
            colors both, in this order.
        """
        matrix = matrix if hasattr(matrix, "shape") else np.asarray(matrix)
        if matrix.shape != self.pattern.shape:
            raise InputError(f"a matrix of {matrix.shape} for {self.pattern}")
        parts = []
        if self.column_colors is not None:
            parts.append(np.asarray(matrix @ self.seeds))
        if self.row_colors is not None:
            parts.append(np.asarray(self.row_seeds.T @ matrix))
        return tuple(parts) if self._is_pair else parts[0]

    def decompress(self, products: Any) -> sp.csr_array:
        """The matrix ``[m, n]`` from what :meth:`compress` gives, entries of the pattern only.

        The places of sums are found once; after that a call is one look-up an entry (direct), or
        one subtraction (substitution).

        Args:
            products: ``[m, p]``, ``[q, n]``, or the pair of both; real or complex numbers.
        """
        if not self.is_valid:
            raise InputError(
                f"this {self.kind} coloring of {self.pattern} does not allow recovery by "
                f"{self.method}: is_valid is false"
            )
        parts = [np.asarray(part) for part in (products if self._is_pair else [products])]
        (m, n), sides = self.pattern.shape, KINDS[self.kind].sides
        shapes = {"column": (m, self.column_k), "row": (self.row_k, n)}
        wanted = [shapes[side] for side in sides]
        if [part.shape for part in parts] != wanted:
            raise InputError(
                f"products of shape {' and '.join(map(str, wanted))} are expected, as compress "
                f"gives them, got {' and '.join(str(part.shape) for part in parts)}"
            )
        listed = np.concatenate([part.ravel() for part in parts])
        return self.pattern.matrix(self._sums.values(listed, direct=self._is_direct))

    @cached_property
    def read_from(self) -> IntArray:
        """Of every entry ``[nnz]``, row by row, the product that gives it.

        Products are counted from 0, first those of columns, then those of rows.
        """
        place, (m, n) = self._sums.read_from(direct=self._is_direct), self.pattern.shape
        first = m * self.column_k
        by_column = place % max(self.column_k, 1)
        return np.where(place < first, by_column, self.column_k + (place - first) // max(n, 1))

    @property
    def _is_direct(self) -> bool:
        return self.method == "direct"

    @property
    def _is_pair(self) -> bool:
        return len(KINDS[self.kind].sides) == 2

    @cached_property
    def _sums(self) -> Sums:
        return Sums.of(
            self.pattern,
            self.column_colors,
            self.row_colors,
            symmetric=KINDS[self.kind].is_symmetric,
        )

    def to_dict(self) -> dict[str, Any]:
        """What the command prints and :meth:`save` writes."""
        return {
            "matrix": self.pattern.name,
            "rows": self.pattern.m,
            "columns": self.pattern.n,
            "entries": self.pattern.nnz,
            "kind": self.kind,
            "method": self.method,
            "k": self.k,
            "column_k": self.column_k,
            "row_k": self.row_k,
            "lower": self.lower,
            "proved": self.is_proved,
            "valid": self.is_valid,
            "order": self.order,
            **{
                f"{side}_colors": getattr(self, f"{side}_colors").tolist()
                for side in KINDS[self.kind].sides
            },
        }

    def save(self, path: str | Path) -> None:
        """Write to a ``.json`` file what :meth:`to_dict` gives."""
        if Path(path).suffix != ".json":
            raise InputError(f"{path}: colorings of matrices are saved as .json")
        write_atomically(path, (json.dumps(self.to_dict()) + "\n").encode())

    @classmethod
    def load(cls, matrix: Any, path: str | Path) -> MatrixColoring:
        """The coloring in a file that :meth:`save` wrote, of a matrix with this pattern.

        What is proved is not taken from a file: ``lower`` is 0.
        """
        found = read_json(path, dict)
        sides = ("column_colors", "row_colors")
        colors = {side: _listed(found[side], path) for side in sides if found.get(side) is not None}
        kind, method = found.get("kind"), found.get("method")
        try:
            return cls(Pattern.of(matrix), str(kind), str(method), **colors)
        except InputError as problem:
            raise FormatError(str(problem), path) from None

    def __repr__(self) -> str:
        about = "proved optimal" if self.is_proved else f"lower={self.lower}"
        return f"MatrixColoring({self.pattern.name!r}, {self.kind}, k={self.k}, {about})"


def _listed(given: Any, path: str | Path) -> Any:
    """A list of colors out of a JSON file."""
    whole = isinstance(given, list) and all(type(color) is int for color in given)
    if not whole or max(given, default=0) >= 2**31:
        raise FormatError(f"colors must be a list of whole numbers, got {given!r:.40}", path)
    return np.array(given, np.int64)


def _checked(given: Any, size: int, side: str) -> IntArray:
    colors = np.asarray(given)
    if colors.shape != (size,):
        raise InputError(f"{colors.shape} colors for {size} {side}s")
    if colors.size and (colors.dtype.kind not in "iu" or colors.min() < -1):
        raise InputError("colors must be whole numbers >= 0, or -1 for none")
    colors = colors.astype(np.int64)  # a copy of our own
    colors.setflags(write=False)
    return colors


def _seeds(colors: IntArray | None, size: int, k: int) -> NDArray[np.float64]:
    seeds = np.zeros((size, k))
    if colors is not None:
        painted = np.flatnonzero(colors >= 0)
        seeds[painted, colors[painted]] = 1
    return seeds
