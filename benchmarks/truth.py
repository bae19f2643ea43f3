"""What small graphs are like, found out by looking at everything; and certificates by fractions.

Nothing here uses the solvers or the certificates of the package. Colorings of a graph with up to
nine nodes are its partitions into classes, 21147 at most, and all of them are looked at.
Certificates are checked in rational arithmetic, where nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

Edges = Sequence[tuple[int, int]]
Array = NDArray[np.int64]


@cache
def partitions(n: int) -> Array:
    """Every partition of n nodes once: ``[Bell(n), n]``, classes numbered as they first appear."""
    rows = np.zeros((1, 0), np.int64)
    for _ in range(n):
        most = rows.max(axis=1, initial=-1) + 1
        longer = [(rows[most >= c], c) for c in range(most.max() + 1)]
        rows = np.concatenate([np.c_[some, np.full(len(some), c)] for some, c in longer])
    return rows


@cache
def namings(n: int, k: int) -> Array:
    """Every coloring with the names 0..k-1: ``[k^n, n]``."""
    return np.indices((k,) * n).reshape(n, k**n).T


class Truth:
    """All colorings of one graph, counted.

    Args:
        n: Nodes.
        edges: Pairs of nodes.
        weights: Whole numbers, one an edge.
    """

    def __init__(self, n: int, edges: Edges, weights: Sequence[int] | None = None) -> None:
        self.n, self.edges = n, [(int(u), int(v)) for u, v in edges]
        self.weights = [1] * len(self.edges) if weights is None else list(weights)
        self.classes = partitions(n)
        self.used = self.classes.max(axis=1, initial=-1) + 1  # [Bell(n)]

    def costs(self, colorings: Array, weights: Iterable[int]) -> Array:
        """The weight of the monochromatic edges of every row."""
        found = np.zeros(len(colorings), np.int64)
        for (u, v), weight in zip(self.edges, weights, strict=True):
            found += weight * (colorings[:, u] == colorings[:, v])
        return found

    @cached_property
    def conflicts(self) -> Array:
        """Of every partition."""
        return self.costs(self.classes, [1] * len(self.edges))

    @cached_property
    def chi(self) -> int:
        """The chromatic number."""
        return self.fewest_colors()

    @cached_property
    def omega(self) -> int:
        """The size of the largest clique."""
        near = {frozenset(edge) for edge in self.edges}
        sizes = range(self.n, 0, -1)
        return next(
            (
                size
                for size in sizes
                for nodes in combinations(range(self.n), size)
                if all(frozenset(pair) in near for pair in combinations(nodes, 2))
            ),
            0,
        )

    @cached_property
    def sets(self) -> Array:
        """Every independent set: ``[sets, n]`` of 0 and 1."""
        rows = np.indices((2,) * self.n).reshape(self.n, 2**self.n).T
        bad = np.zeros(len(rows), bool)
        for u, v in self.edges:
            bad |= (rows[:, u] & rows[:, v]).astype(bool)
        return np.asarray(rows[~bad])

    def fewest_colors(self, budget: int = 0, most: int | None = None) -> int:
        """With at most so many conflicts, and at most so many nodes of each color."""
        fine = self.conflicts <= budget
        if most is not None:
            sizes = [(self.classes == c).sum(axis=1) for c in range(self.n)]
            fine &= np.max(sizes, axis=0, initial=0) <= most
        return int(self.used[fine].min())

    def least(self, k: int, *, weighted: bool = False) -> int:
        """The fewest conflicts with at most k colors, or the least weight of them."""
        costs = self.costs(self.classes, self.weights) if weighted else self.conflicts
        return int(costs[self.used <= k].min())

    def _kept(
        self, colorings: Array, preset: Mapping[int, int], bans: Mapping[int, set[int]]
    ) -> NDArray[np.bool_]:
        fine = np.ones(len(colorings), bool)
        for v, color in preset.items():
            fine &= colorings[:, v] == color
        for v, colors in bans.items():
            fine &= ~np.isin(colorings[:, v], list(colors))
        return fine

    def least_ruled(
        self, k: int, preset: Mapping[int, int], bans: Mapping[int, set[int]]
    ) -> int | None:
        """The fewest conflicts with the names 0..k-1, None where the rules cannot be kept."""
        rows = namings(self.n, k)
        rows = rows[self._kept(rows, preset, bans)]
        return int(self.costs(rows, [1] * len(self.edges)).min()) if len(rows) else None

    def fewest_ruled(self, preset: Mapping[int, int], bans: Mapping[int, set[int]]) -> int:
        """The fewest colors under rules, of any names.

        A class without a preset node may have a name that no rule knows. One with such a node has
        its name: all its preset nodes agree, none of the others forbids it, and no other class has
        that name.
        """
        names = sorted(set(preset.values()))
        owner = {name: next(v for v in preset if preset[v] == name) for name in names}
        fine = self.conflicts == 0
        for name, v in owner.items():
            same = self.classes == self.classes[:, [v]]  # [Bell(n), n]
            for u in range(self.n):
                if u in preset:
                    fine &= same[:, u] == (preset[u] == name)
                elif name in bans.get(u, ()):
                    fine &= ~same[:, u]
        return int(self.used[fine].min())


class Wrong(Exception):
    """A certificate does not prove what it says."""


def check_certificate(truth: Truth, claims: Mapping[str, Any]) -> None:
    """Every claim of a certificate, as its file holds it, in rational arithmetic.

    The bounds are recomputed from the witnesses, and χ, the clique number and all independent sets
    are those of brute force.
    """
    _check(claims["lower"] <= truth.chi <= claims["upper"], f"chi is {truth.chi}")
    _check_coloring(truth, claims)
    _check_clique(truth, claims["clique"])
    _check(truth.omega <= Fraction(claims["theta_upper"]), f"a clique has {truth.omega} nodes")
    _check(Fraction(claims["theta_lower"]) <= truth.chi, f"theta is at most chi = {truth.chi}")
    _check(claims["theta_lower"] <= claims["theta_upper"], "the sides of theta are crossed")
    if claims["theta_lower"] > len(claims["clique"]):
        _check_hoffman(truth, claims["weights"], Fraction(claims["theta_lower"]))
    for entry in claims["vectors"]:
        shown = handle_bound(truth, entry["rows"], entry["handle"])
        _check(shown <= Fraction(entry["bound"]), f"the vectors show {float(shown)}")
    uppers = [Fraction(claims["upper"]), *(Fraction(v["bound"]) for v in claims["vectors"])]
    _check(Fraction(claims["theta_upper"]) >= min(uppers) * Fraction(1 - 1e-9), "theta_upper")
    lowers = [ceil(Fraction(claims["theta_lower"])), _fractional(truth, claims["fractional"])]
    lowers += [_cones(truth, claims["cones"])]
    _check(claims["lower"] == max(lowers), f"the witnesses show chi >= {max(lowers)}")


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Wrong(otherwise)


def _check_coloring(truth: Truth, claims: Mapping[str, Any]) -> None:
    colors = claims["colors"]
    _check(len(colors) == truth.n and len(set(colors)) == claims["upper"], "the colors")
    _check(all(colors[u] != colors[v] for u, v in truth.edges), "a conflict")


def _check_clique(truth: Truth, clique: Sequence[int]) -> None:
    near = {frozenset(edge) for edge in truth.edges}
    _check(all(frozenset(pair) in near for pair in combinations(clique, 2)), "not a clique")


def _check_hoffman(truth: Truth, weights: Sequence[float], bound: Fraction) -> None:
    """``λmax(W) >= (bound - 1) s`` by a vector, where ``W + sI`` is positive definite."""
    matrix = [[Fraction(0)] * truth.n for _ in range(truth.n)]
    for (u, v), weight in zip(truth.edges, weights, strict=True):
        matrix[u][v] = matrix[v][u] = Fraction(weight)
    values, vectors = np.linalg.eigh(np.array(matrix, float))  # where to look; then it is checked
    shift = Fraction(float(-values[0]) * (1 + 1e-13)) + Fraction(1, 10**15)
    for u in range(truth.n):
        matrix[u][u] += shift
    _check(is_positive_definite(matrix), "W + sI is not positive definite")
    x = [Fraction(float(value)) for value in vectors[:, -1]]
    reach = sum(
        2 * Fraction(w) * x[u] * x[v] for (u, v), w in zip(truth.edges, weights, strict=True)
    )
    length = sum(value * value for value in x)
    _check(reach >= (bound - 1) * shift * length, "the weights show less")


def is_positive_definite(matrix: Sequence[Sequence[Fraction]]) -> bool:
    """By elimination without rounding: every pivot is positive."""
    rows = [list(row) for row in matrix]
    for i, pivot in enumerate(rows):
        if pivot[i] <= 0:
            return False
        for row in rows[i + 1 :]:
            factor = row[i] / pivot[i]
            for j in range(i, len(rows)):
                row[j] -= factor * pivot[j]
    return True


def handle_bound(
    truth: Truth, rows: Sequence[Sequence[float]], handle: Sequence[float]
) -> Fraction:
    """``|r|² max_i (|v_i|² + Σ_j |<v_i, v_j>|) / <r, v_i>²`` over the neighbors j of i, exactly."""
    z = [[Fraction(value) for value in row] for row in rows]
    r = [Fraction(value) for value in handle]
    blur = [_dot(row, row) for row in z]
    for u, v in truth.edges:
        overlap = abs(_dot(z[u], z[v]))
        blur[u] += overlap
        blur[v] += overlap
    reach = [_dot(row, r) ** 2 for row in z]
    _check(all(reach), "a vector is orthogonal to the handle")
    return max((b / q for b, q in zip(blur, reach, strict=True)), default=Fraction(0)) * _dot(r, r)


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _fractional(truth: Truth, entry: Mapping[str, Any] | None) -> int:
    if entry is None:
        return 0
    heaviest = int((truth.sets @ np.array(entry["weights"], np.int64)).max())
    _check(heaviest <= entry["heaviest"], f"an independent set weighs {heaviest}")
    return ceil(Fraction(sum(entry["weights"]), entry["heaviest"]))


def _cones(truth: Truth, entries: Sequence[Mapping[str, Any]]) -> int:
    """One more than the cones, where each has a chromatic number less than what it stands in."""
    inside, chi = set(range(truth.n)), truth.chi
    for entry in entries:
        nodes = entry["nodes"]
        _check(inside.issuperset({entry["apex"], *nodes}), "a cone is not inside the one before")
        place = {v: i for i, v in enumerate(nodes)}
        own = [(place[u], place[v]) for u, v in truth.edges if u in place and v in place]
        smaller = Truth(len(nodes), own).chi
        _check(smaller < chi, "a cone needs as many colors as what it stands in")
        inside, chi = set(nodes), smaller
    return len(entries) + 1 if entries else 0
