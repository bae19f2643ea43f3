"""``certify``: what is known about χ and θ of one graph, each number with its witness."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from concolor.certificates.clique import largest_clique
from concolor.certificates.polish import polish
from concolor.certificates.rounding import DENSE, WORK, Array
from concolor.certificates.spectral import ROUGH, hoffman, hoffman_safe
from concolor.certificates.theta import (
    Geometry,
    best_handle,
    handle_bound,
    handle_bound_safe,
    measure,
    prototypes,
    unit_rows,
)
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.files import write_atomically
from concolor.graph.core import Graph
from concolor.solvers.goal import Clock

FORMAT = "concolor-certificate/1"
MARGIN = 1e-10  # claims give this away, so that another machine's rounding still proves them
DECIMALS = 10  # of stored vectors
PACE = 3e7  # products of entries of a sparse factor in a second, at least
PATIENCE = 200_000  # moves of the tabu search without improvement


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors ``z [n, d]`` and handle ``r [d]`` that prove ``θ <= bound``.

    Attributes:
        source: ``"embedding"`` as it was given, or ``"polished"``.
        z: The vectors, nearly of unit length.
        r: The handle.
        bound: Safely rounded, see :func:`~concolor.certificates.theta.handle_bound_safe`.
    """

    source: str
    z: Array
    r: Array
    bound: float

    @classmethod
    def of(cls, source: str, z: Array, r: Array, graph: Graph) -> Vectors:
        """Round to what a file will hold, then bound."""
        z, r = np.round(z, DECIMALS) + 0.0, np.round(r, DECIMALS) + 0.0
        return cls(source, z, r, handle_bound_safe(z, r, graph) * (1 + MARGIN))


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """``lower <= χ <= upper`` and ``theta_lower <= ϑ(Ḡ) <= theta_upper``, with all witnesses.

    Attributes:
        graph: What is certified.
        coloring: Proper; shows ``χ <= upper``, and by its prototypes ``θ <= upper``.
        clique: Shows ``χ >= θ >= len(clique)``.
        weights: Edge weights ``[m]`` that show ``χ >= θ >= hoffman``; None where a clique does
            better.
        hoffman: The bound of the weights, safely rounded; of no meaning without them.
        vectors: Show ``θ <= bound`` each.
        embedding: How the given embedding measures up, or None where none was given.
    """

    graph: Graph
    coloring: Coloring
    clique: tuple[int, ...]
    weights: Array | None = None
    hoffman: float = 1.0
    vectors: tuple[Vectors, ...] = ()
    embedding: Geometry | None = None

    @property
    def lower(self) -> int:
        """A proved lower bound of χ."""
        return math.ceil(self.theta_lower)

    @property
    def upper(self) -> int:
        """A proved upper bound of χ: the colors of a proper coloring."""
        return self.coloring.k

    @property
    def theta_lower(self) -> float:
        """A proved lower bound of ``ϑ(Ḡ)``."""
        return max(float(len(self.clique)), self.hoffman if self.weights is not None else 0.0)

    @property
    def theta_upper(self) -> float:
        """A proved upper bound of ``ϑ(Ḡ)``, thus of all cliques."""
        return min([float(self.upper), *(vectors.bound for vectors in self.vectors)])

    @property
    def gap(self) -> int:
        """``upper - lower``: colors between what is shown possible and what is shown needed."""
        return self.upper - self.lower

    @property
    def is_proved(self) -> bool:
        """The sides meet: χ is known."""
        return self.gap == 0

    @property
    def statements(self) -> list[str]:
        """What each number proves and what it does not, a sentence each."""
        by_weights = self.lower > len(self.clique)
        found = [
            f"χ <= {self.upper}: a proper coloring has {self.upper} colors.",
            f"χ >= {self.lower}: χ >= θ >= {self.hoffman:.6f} by edge weights, and χ is whole."
            if by_weights
            else f"χ >= {self.lower}: a clique has {self.lower} nodes.",
            f"{self.theta_lower:.6f} <= θ <= {self.theta_upper:.6f} for θ of the complement.",
        ]
        found += [
            f"The {vectors.source} vectors show θ <= {vectors.bound:.6f}, so no clique has more "
            f"than {math.floor(vectors.bound)} nodes; they do not show that so few colors are "
            "enough, and do not bound χ."
            for vectors in self.vectors
        ]
        if self.is_proved:
            return [*found, f"χ = {self.upper} is proved."]
        found.append(f"χ is not proved: it is one of {self.lower}..{self.upper}.")
        if math.ceil(self.theta_upper) < self.upper:
            most = math.ceil(self.theta_upper)
            found.append(f"No bound through θ can show more than χ >= {most} on this graph.")
        return found

    def to_dict(self) -> dict[str, Any]:
        """What a file holds: the claims, and all that is needed to check them."""
        return {
            "format": FORMAT,
            "graph": self.graph.name,
            "n": self.graph.n,
            "m": self.graph.m,
            "digest": self.graph.digest,
            "lower": self.lower,
            "upper": self.upper,
            "theta_lower": self.theta_lower,
            "theta_upper": self.theta_upper,
            "proved": self.is_proved,
            "colors": self.coloring.colors.tolist(),
            "clique": list(self.clique),
            "weights": None if self.weights is None else self.weights.tolist(),
            "vectors": [
                {"source": v.source, "bound": v.bound, "handle": v.r.tolist(), "rows": v.z.tolist()}
                for v in self.vectors
            ],
        }

    def save(self, path: str | Path) -> None:
        """Write the JSON that :func:`~concolor.certificates.verify.verify` reads."""
        write_atomically(path, (json.dumps(self.to_dict(), allow_nan=False) + "\n").encode())

    def __str__(self) -> str:
        return "\n".join(self.statements)

    def __repr__(self) -> str:
        theta = f"{self.theta_lower:.4f} <= theta <= {self.theta_upper:.4f}"
        return f"Certificate({self.graph.name!r}, {self.lower} <= chi <= {self.upper}, {theta})"


def certify(
    graph: Graph,
    coloring: Coloring | None = None,
    *,
    embedding: ArrayLike | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Certificate:
    """Bound χ and θ of a graph from both sides, with witnesses.

    Args:
        graph: Any graph.
        coloring: A proper coloring to judge; by default one is searched.
        embedding: A model's vectors ``[n, d]``; what they certify as they are is reported apart
            from what polishing makes of them.
        seed: The same seed gives the same certificate, unless time cuts the search.
        time_limit: In seconds; the best so far is returned. Weights on thousands of nodes are
            proved if that can be done in the time that is left.

    >>> from concolor.graph.families import family
    >>> certify(family("cycle:5"))
    Certificate('cycle:5', 3 <= chi <= 3, 2.2361 <= theta <= 2.2381)
    """
    clock = Clock(time_limit)
    _check(graph, coloring)
    clique = largest_clique(graph, clock=_share(clock, 0.2))
    coloring = coloring or _search(graph, len(clique), seed, _share(clock, 0.3))
    raw, geometry = _raw(graph, coloring, embedding, seed)
    if len(clique) == coloring.k:
        return Certificate(graph, coloring, clique, vectors=raw, embedding=geometry)

    starts = [prototypes(coloring), *((vectors.z, vectors.r) for vectors in raw)]
    z, r = min(starts, key=lambda start: handle_bound(start[0], start[1], graph))
    known = np.asarray(np.isin(graph.edges, clique).all(axis=1), np.float64)  # as much as it does
    polished = polish(z, r, graph, weights=known, seed=seed, clock=_share(clock, 0.5))
    weights = polished.weights
    if graph.n > DENSE:
        weights = _weights_of_core(graph, coloring, len(clique), seed, _share(clock, 0.7))
    bound = hoffman(graph, weights)
    if bound > len(clique) * (1 - 2 * ROUGH):  # only then a proof is worth its time
        work = min(WORK, PACE * (1 + clock.left))
        bound = hoffman_safe(graph, weights, work=work) * (1 - MARGIN)
    made = Vectors.of("polished", polished.z, polished.r, graph)
    is_better = made.bound < min([coloring.k, *(vectors.bound for vectors in raw)])
    return Certificate(
        graph,
        coloring,
        clique,
        weights=weights if bound > len(clique) else None,
        hoffman=bound,
        vectors=(*raw, made) if is_better else raw,
        embedding=geometry,
    )


def _check(graph: Graph, coloring: Coloring | None) -> None:
    if coloring is None:
        return
    if coloring.graph.digest != graph.digest:
        raise InputError(f"the coloring is of {coloring.graph}, not of {graph}")
    if not coloring.is_proper:
        raise InputError(
            f"the coloring has {coloring.conflicts} monochromatic edges, so it shows nothing about "
            "χ; give a proper one, or none to have one searched"
        )


def _share(clock: Clock, part: float) -> Clock:
    return Clock(None if clock.limit is None else part * clock.left)


def _search(graph: Graph, enough: int, seed: int, clock: Clock) -> Coloring:
    """A proper coloring: greedy where that meets the clique, otherwise by tabu search."""
    from concolor.solvers.greedy import dsatur
    from concolor.solvers.local_search import tabucol

    greedy = dsatur(graph)
    if greedy.k == enough:
        return greedy
    return tabucol(graph, seed=seed, start=greedy, time_limit=clock.limit, patience=PATIENCE)


def _raw(
    graph: Graph, coloring: Coloring, embedding: ArrayLike | None, seed: int
) -> tuple[tuple[Vectors, ...], Geometry | None]:
    """The given embedding with its best handle; no vectors where no handle reaches all of them."""
    if embedding is None or graph.n == 0:
        return (), None
    z = unit_rows(np.asarray(embedding), graph)
    r = best_handle(z, graph, coloring=coloring, seed=seed)
    vectors = Vectors.of("embedding", z, r, graph)
    return (vectors,) if math.isfinite(vectors.bound) else (), measure(z, r, graph, coloring)


def _weights_of_core(graph: Graph, coloring: Coloring, size: int, seed: int, clock: Clock) -> Array:
    """Weights that are zero outside the core, where every node has ``size`` neighbors or more:
    nothing else is needed to show that χ is above ``size``. All zero where no proof could follow.
    """
    from concolor.certificates.elimination import sparse_order  # imports numba, as the other
    from concolor.features.structural import core_numbers

    inside = core_numbers(graph) >= size
    weights = np.zeros(graph.m)
    core = graph.subgraph(np.flatnonzero(inside))
    if core.n == 0 or (core.n > DENSE and sparse_order(core.adjacency(), WORK) is None):
        return weights
    start = prototypes(Coloring(core, coloring.colors[inside]))
    on_core = inside[graph.edges].all(axis=1)  # the same edges in the same order
    weights[on_core] = polish(*start, core, seed=seed, clock=clock).weights
    return weights
