"""``Certificate``: what is known about χ and θ of one graph, each number with its witness."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concolor.certificates.rounding import Array, at_least, at_most
from concolor.certificates.theta.bounds import Geometry, handle_bound_safe
from concolor.coloring import Coloring
from concolor.files import write_atomically
from concolor.graph.core import Graph
from concolor.registry import resolve
from concolor.solvers.cones import Cone

if TYPE_CHECKING:
    from concolor.solvers.fractional import FractionalBound  # imports numba

FORMAT = "concolor-certificate/1"
MARGIN = 1e-10  # claims give this away, so that another machine's rounding still proves them
DECIMALS = 10  # of stored vectors


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors ``z [n, d]`` and handle ``r [d]`` that prove ``θ <= bound``.

    Attributes:
        source: ``"embedding"`` as it was given, or ``"sharpened"``.
        z: The vectors, nearly of unit length.
        r: The handle.
        bound: Safely rounded, see :func:`~concolor.certificates.theta.bounds.handle_bound_safe`.
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
        fractional: Weights of nodes that show ``χ >= fractional.lower``; None where the others do.
        cones: Show ``χ > len(cones)``, see :mod:`~concolor.solvers.cones`; none where others do.
        embedding: How the given embedding measures up, or None where none was given.
    """

    graph: Graph
    coloring: Coloring
    clique: tuple[int, ...]
    weights: Array | None = None
    hoffman: float = 1.0
    vectors: tuple[Vectors, ...] = ()
    fractional: FractionalBound | None = None
    cones: tuple[Cone, ...] = ()
    embedding: Geometry | None = None

    @property
    def lower(self) -> int:
        """A proved lower bound of χ."""
        by_fractions = 0 if self.fractional is None else self.fractional.lower
        by_cones = len(self.cones) + 1 if self.cones else 0
        return max(math.ceil(self.theta_lower), by_fractions, by_cones)

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
        found = [
            f"χ <= {self.upper}: a proper coloring has {self.upper} colors.",
            f"χ >= {self.lower}: {self._reason}",
            f"{at_least(self.theta_lower)} <= θ <= {at_most(self.theta_upper)} for θ of the "
            "complement.",
        ]
        if self.embedding is not None:
            raw = [vectors.bound for vectors in self.vectors if vectors.source == "embedding"]
            found.append(_of_embedding(self.embedding, min(raw, default=math.inf)))
        found += [
            f"The {vectors.source} vectors show θ <= {at_most(vectors.bound)}, so no clique has "
            f"more than {math.floor(vectors.bound)} nodes; they do not show that so few colors are "
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

    @property
    def _reason(self) -> str:
        """What shows the lower bound of χ, the simplest witness that does."""
        if self.lower == len(self.clique):
            return f"a clique has {self.lower} nodes."
        if self.lower == math.ceil(self.theta_lower):
            return f"χ >= θ >= {at_least(self.hoffman)} by edge weights, and χ is whole."
        if self.lower == len(self.cones) + 1 or self.fractional is None:
            return f"{len(self.cones)} cones inside each other, and χ grows with each."
        total, heaviest = int(self.fractional.weights.sum()), self.fractional.heaviest
        shown = at_least(float(self.fractional.value))
        return (
            f"the nodes weigh {total} together and no independent set more than {heaviest}, so "
            f"the fractional χ is at least {shown}."
        )

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
            "fractional": None
            if self.fractional is None
            else {
                "weights": self.fractional.weights.tolist(),
                "heaviest": self.fractional.heaviest,
            },
            "cones": [
                {"apex": c.apex, "nodes": list(c.nodes), "deputies": list(c.deputies)}
                for c in self.cones
            ],
        }

    def save(self, path: str | Path) -> None:
        """Write the JSON that :func:`~concolor.certificates.verify.verify` reads."""
        write_atomically(path, (json.dumps(self.to_dict(), allow_nan=False) + "\n").encode())

    def __str__(self) -> str:
        return "\n".join(self.statements)

    def __repr__(self) -> str:
        theta = f"{at_least(self.theta_lower, 4)} <= theta <= {at_most(self.theta_upper, 4)}"
        return f"Certificate({self.graph.name!r}, {self.lower} <= chi <= {self.upper}, {theta})"

    def _repr_html_(self) -> str:
        return str(resolve("concolor.viz.cards:certificate_card")(self))


def _of_embedding(found: Geometry, proved: float) -> str:
    """What the lemma and the corollary say: no less than the vectors are proved to show."""
    sizes, bounds = f"ε = {found.eps:.4f}, α = {found.alpha:.4f}", {"lemma": found.lemma}
    if found.delta is not None and found.corollary is not None:
        sizes, bounds["corollary"] = f"{sizes}, δ = {found.delta:.4f}", found.corollary
    shown = {name: max(bound, proved) for name, bound in bounds.items()}
    words = [
        f"the {name} shows θ <= {at_most(bound)}"
        if bound < math.inf
        else f"the {name} shows nothing"
        for name, bound in shown.items()
    ]
    return f"The embedding has {sizes}: {', '.join(words)}; this does not bound χ."
