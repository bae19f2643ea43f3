"""Matrix colorings: colors and CPU seconds beside asdex and SciPy, one run.

    OMP_NUM_THREADS=1 python benchmarks/matrices.py [--seconds 1]

All matrices are made by ``matrix_patterns.py``. Every method begins with the matrix in the type of
its library (SciPy: CSR); the code of all is compiled before. *One pass* is first fit by largest
degree first, which is what asdex does, too; *search* is ``color_matrix`` with a time limit, all
orders and then the search, and it ends earlier where the lower bound is met. The limit is in CPU
seconds: the clock of the package is told to count these. SciPy's ``group_columns`` is what
``least_squares`` and ``solve_ivp`` use. All colorings, those of others too, are checked entry by
entry, and our own recover a matrix of whole numbers exactly.

The tables are printed and written to ``matrices.md`` beside this file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from asdex import SparsityPattern
from asdex.coloring import color_cols, color_symmetric
from scipy.optimize._numdiff import group_columns

import concolor as cc
from concolor.matrices import Pattern
from matrix_patterns import MATRICES, Matrix, arrow, banded
from measure import keep

ONE_PASS = "largest-first"


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and its CPU seconds."""
    began = time.process_time()
    return call(), time.process_time() - began


def numbered(matrix: Matrix, symmetric: bool) -> Matrix:
    """Whole numbers at the entries."""
    values = np.random.default_rng(0).integers(1, 1000, matrix.nnz).astype(float)
    found = sp.csr_array((values, matrix.indices, matrix.indptr), matrix.shape)
    return sp.csr_array(found + found.T) if symmetric else found


@dataclass(frozen=True, eq=False)
class Case:
    """A matrix in the types of the libraries."""

    name: str
    matrix: Matrix
    is_symmetric: bool

    @cached_property
    def pattern(self) -> Pattern:
        return Pattern.of(self.matrix)

    @cached_property
    def for_asdex(self) -> SparsityPattern:
        places = self.matrix.tocoo()
        return SparsityPattern.from_coo(places.row, places.col, self.matrix.shape)


@cache
def ours(case: Case, kind: str, **options: Any) -> tuple[cc.MatrixColoring, float]:
    """Our coloring, checked, and its CPU seconds; each is made once."""
    pattern = case.pattern
    found, seconds = timed(lambda: cc.color_matrix(pattern, kind, **options))
    exact = numbered(case.matrix, kind in ("star", "acyclic"))
    again = found.decompress(found.compress(exact))
    if not found.is_valid or (again != exact).nnz:
        raise SystemExit(f"{case.name}, {kind} {options}: the matrix is not recovered")
    return found, seconds


def theirs(case: Case, kind: str, call: Callable[[], Any]) -> tuple[int, float]:
    """Colors and CPU seconds of another library, its colors checked."""
    colors, seconds = timed(call)
    found = cc.MatrixColoring(case.pattern, kind, column_colors=np.asarray(colors))
    if not found.is_valid:
        raise SystemExit(f"{case.name}: a {kind} coloring of another library does not recover it")
    return found.k, seconds


def by_asdex(case: Case, kind: str) -> tuple[int, float]:
    pattern, color = case.for_asdex, color_symmetric if kind == "star" else color_cols
    return theirs(case, kind, lambda: color(pattern)[0])


def warm_up() -> None:
    for matrix in (banded(50, 1, 1), arrow(100)):
        case = Case("warm-up", matrix, True)
        by_asdex(case, "column")
        by_asdex(case, "star")
        group_columns(matrix)
        for kind in ("column", "row", "star", "acyclic"):
            cc.color_matrix(matrix, kind, order=ONE_PASS)
        for method in ("direct", "substitution"):
            cc.color_matrix(matrix, "bidirectional", method=method)
    random = sp.random_array((60, 50), density=0.1, rng=np.random.default_rng(0))
    cc.color_matrix(random)


def columns(cases: list[Case], limit: float) -> Iterator[str]:
    yield "\n## Columns, direct\n"
    yield (
        "| matrix | size | entries | lower | one pass | s | search | s | asdex | s | SciPy | s |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|"
    )
    for case in cases:
        one, spent = ours(case, "column", order=ONE_PASS)
        best, searched = ours(case, "column", time_limit=limit)
        peer, of_peer = by_asdex(case, "column")
        scipy, of_scipy = theirs(case, "column", lambda matrix=case.matrix: group_columns(matrix))
        (m, n), mark = case.matrix.shape, " proved" if best.is_proved else ""
        yield (
            f"| {case.name} | {m} x {n} | {case.matrix.nnz} | {best.lower} | {one.k} | {spent:.3f} "
            f"| {best.k}{mark} | {searched:.2f} | {peer} | {of_peer:.3f} "
            f"| {scipy} | {of_scipy:.3f} |"
        )


def hessians(cases: list[Case], limit: float) -> Iterator[str]:
    yield "\n## Symmetric: star colorings (direct) and acyclic colorings (substitution)\n"
    yield (
        "| matrix | star, lower | one pass | s | search | s | asdex | s "
        "| acyclic, lower | one pass | s | search | s |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    )
    for case in cases:
        if not case.is_symmetric:
            continue
        peer, of_peer = by_asdex(case, "star")
        cells = []
        for kind in ("star", "acyclic"):
            one, spent = ours(case, kind, order=ONE_PASS)
            best, searched = ours(case, kind, time_limit=limit)
            mark = " proved" if best.is_proved else ""
            cells.append(f"{best.lower} | {one.k} | {spent:.3f} | {best.k}{mark} | {searched:.2f}")
        yield f"| {case.name} | {cells[0]} | {peer} | {of_peer:.3f} | {cells[1]} |"


def both_ways(cases: list[Case], limit: float) -> Iterator[str]:
    yield "\n## Columns and rows together\n"
    yield (
        "| matrix | lower | columns alone | rows alone | direct | rows + columns | s "
        "| substitution | rows + columns | s |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    for case in cases:
        column, _ = ours(case, "column", time_limit=limit)
        row = column if case.is_symmetric else ours(case, "row", time_limit=limit)[0]
        cells = []
        for method in ("direct", "substitution"):
            best, spent = ours(case, "bidirectional", method=method, time_limit=limit)
            mark = " proved" if best.is_proved else ""
            cells.append(f"{best.k}{mark} | {best.row_k} + {best.column_k} | {spent:.2f}")
        yield f"| {case.name} | {best.lower} | {column.k} | {row.k} | {' | '.join(cells)} |"


def report(limit: float) -> Iterator[str]:
    warm_up()
    cases = [Case(name, make(), symmetric) for name, (make, symmetric) in MATRICES.items()]
    yield "# Matrix colorings\n"
    yield (
        f"`python benchmarks/matrices.py`: {len(cases)} matrices made by "
        "`benchmarks/matrix_patterns.py`. Colors are products needed; s are CPU seconds of one "
        "thread, compiled code loaded before. *One pass* is first fit, largest degree first, as in "
        f"asdex; *search* has a limit of {limit:g} CPU seconds. asdex "
        f"{version('asdex')}, SciPy {version('scipy')} (`group_columns`). All colorings were "
        "checked entry by entry; ours recovered a matrix of whole numbers exactly. What "
        "ColPack's papers print (Gebremedhin, Manne, Pothen 2005; Gebremedhin, Nguyen, Patwary, "
        "Pothen 2013) is for matrices of collections and for random draws, neither of which are "
        "here, so there is no column for it. Of grids the fewest columns are known: the lower "
        "bound, by x + 2 y mod 5 and x + 2 y + 3 z mod 7, or x mod 3, y mod 3, z mod 3 together "
        "(Goldfarb, Toint 1984)."
    )
    yield from columns(cases, limit)
    yield from hessians(cases, limit)
    yield from both_ways(cases, limit)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0)
    with patch("concolor.goal.perf_counter", time.process_time):
        keep(report(parser.parse_args().seconds), Path(__file__).with_suffix(".md"))
