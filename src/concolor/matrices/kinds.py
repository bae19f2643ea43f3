"""The kinds of matrix colorings, and which way back each allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from concolor.errors import InputError, pick
from concolor.matrices.acyclic import acyclic_problem
from concolor.matrices.bidirectional import bidirectional_problems
from concolor.matrices.bounds import bidirectional_bound, symmetric_bound
from concolor.matrices.column import column_bound, column_problem
from concolor.matrices.pattern import Pattern
from concolor.matrices.problem import Problem
from concolor.matrices.star import star_problems


@dataclass(frozen=True)
class Kind:
    """An entry of :data:`KINDS`.

    Attributes:
        doc: What it is.
        sides: What has colors.
        methods: Ways of recovery, the usual one first.
        problems: What may be colored, of a pattern and whether recovery is direct.
        bound: So many colors are needed, of the same.
        is_symmetric: ``A_ij = A_ji``, and only one of them is looked for.
    """

    doc: str
    sides: tuple[str, ...]
    methods: tuple[str, ...]
    problems: Callable[[Pattern, bool], Iterable[Problem]]
    bound: Callable[[Pattern, bool], int]
    is_symmetric: bool = False


def checked_method(kind: str, method: str | None) -> str:
    """The method, or the usual one of the kind where none is given."""
    methods = pick(KINDS, kind, "kind of matrix coloring").methods
    if method is None:
        return methods[0]
    if method not in methods:
        able = ", ".join(name for name in KINDS if method in KINDS[name].methods)
        hint = f"; {method} is for {able}" if able else ""
        raise InputError(f"a {kind} coloring is for {' or '.join(methods)}, not {method!r}{hint}")
    return method


KINDS: dict[str, Kind] = {
    "column": Kind(
        "columns of one color share no row",
        ("column",),
        ("direct",),
        lambda pattern, direct: [column_problem(pattern)],
        lambda pattern, direct: column_bound(pattern),
    ),
    "row": Kind(
        "rows of one color share no column",
        ("row",),
        ("direct",),
        lambda pattern, direct: [column_problem(pattern.transposed)],
        lambda pattern, direct: column_bound(pattern.transposed),
    ),
    "star": Kind(
        "symmetric, every two colors make stars",
        ("column",),
        ("direct",),
        lambda pattern, direct: star_problems(pattern),
        symmetric_bound,
        is_symmetric=True,
    ),
    "acyclic": Kind(
        "symmetric, every two colors make trees",
        ("column",),
        ("substitution",),
        lambda pattern, direct: [acyclic_problem(pattern)],
        symmetric_bound,
        is_symmetric=True,
    ),
    "bidirectional": Kind(
        "columns and rows, each entry from one of them",
        ("column", "row"),
        ("direct", "substitution"),
        bidirectional_problems,
        lambda pattern, direct: bidirectional_bound(pattern),
    ),
}
