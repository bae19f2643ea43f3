"""``verify``: a certificate is checked against its graph, and nothing that it says is believed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.certificates.certificate import FORMAT, Certificate
from concolor.certificates.clique import is_clique
from concolor.certificates.rounding import Array
from concolor.certificates.spectral import hoffman_safe
from concolor.certificates.theta.bounds import handle_bound_safe
from concolor.coloring import Coloring
from concolor.errors import FormatError, InputError
from concolor.graph.core import Graph
from concolor.graph.formats.convert import GraphLike, as_graph
from concolor.solvers.cones import Cone, is_cone


class Refused(InputError):
    """A certificate that does not prove what it says about this graph; the message says why."""


@dataclass(frozen=True)
class Verified:
    """What the witnesses of a certificate prove, computed anew and safely rounded.

    Attributes:
        graph: The name of the graph it was checked against.
        lower: ``χ >= lower``.
        upper: ``χ <= upper``.
        theta_lower: ``ϑ(Ḡ) >= theta_lower``.
        theta_upper: ``ϑ(Ḡ) <= theta_upper``; it bounds cliques, not χ.
    """

    graph: str
    lower: int
    upper: int
    theta_lower: float
    theta_upper: float

    @property
    def gap(self) -> int:
        """``upper - lower``."""
        return self.upper - self.lower

    @property
    def is_proved(self) -> bool:
        """The sides meet: χ is known."""
        return self.gap == 0


def verify(graph: GraphLike, certificate: Certificate | str | Path) -> Verified:
    """Recompute every bound of a certificate, or raise :class:`Refused` with the reason.

    Only the graph and the content of the file are used. Claims must be what their witnesses prove:
    neither more, nor (by more than rounding) less.

    >>> from concolor.certificates.search import certify
    >>> from concolor.graph.families import family
    >>> verify(family("petersen"), certify(family("petersen"))).is_proved
    True
    """
    claims = certificate.to_dict() if isinstance(certificate, Certificate) else _read(certificate)
    graph, claims = as_graph(graph), {**SINCE, **claims}
    _check_form(graph, claims)
    with np.errstate(all="ignore"):  # what overflows proves nothing, and needs no warning
        proved = _recomputed(graph, claims)
    _check_claims(claims, proved)
    return proved


def _recomputed(graph: Graph, claims: Mapping[str, Any]) -> Verified:
    colors = _colors(graph, claims)
    clique = _clique(graph, claims)
    hoffman = _hoffman(graph, claims)
    fractional, cones = _fractional(graph, claims), _cones(graph, claims)
    bounds = [_vectors(graph, entry) for entry in claims["vectors"]]
    return Verified(
        graph=graph.name,
        lower=math.ceil(  # θ's claim is itself checked below
            max(clique, _number(claims, "theta_lower"), fractional, cones)
        ),
        upper=colors,
        theta_lower=max(float(clique), hoffman),
        theta_upper=min([float(colors), *bounds]),
    )


def _read(path: str | Path) -> Mapping[str, Any]:
    try:
        text = Path(path).read_bytes()
        claims = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repetition)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", path) from error
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path}: it cannot be read as JSON ({error})") from error
    return claims if isinstance(claims, dict) else {}


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _no_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers differ in which of two equal keys they believe."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found


Kind: TypeAlias = tuple[str, tuple[type, ...]]  # in words, and as json reads it

TEXT: Kind = ("text", (str,))
TRUTH: Kind = ("true or false", (bool,))
WHOLE: Kind = ("a whole number", (int,))
NUMBER: Kind = ("a number", (int, float))  # some write 13 for 13.0
LIST: Kind = ("a list", (list,))
LIST_OR_NULL: Kind = ("a list or null", (list, type(None)))
OBJECT_OR_NULL: Kind = ("an object or null", (dict, type(None)))
KINDS = {
    **{"format": TEXT, "graph": TEXT, "digest": TEXT, "proved": TRUTH},
    **{"n": WHOLE, "m": WHOLE, "lower": WHOLE, "upper": WHOLE},
    **{"theta_lower": NUMBER, "theta_upper": NUMBER},
    **{"colors": LIST, "clique": LIST, "weights": LIST_OR_NULL, "vectors": LIST},
    **{"fractional": OBJECT_OR_NULL, "cones": LIST},
}
SINCE: dict[str, Any] = {"fractional": None, "cones": []}  # what older files do not have


def _check_form(graph: Graph, claims: Mapping[str, Any]) -> None:
    if claims.get("format") != FORMAT:
        raise Refused(f"the format is {claims.get('format')!r}, expected {FORMAT!r}")
    if claims.keys() != KINDS.keys():
        odd = ", ".join(sorted(claims.keys() ^ KINDS.keys()))
        raise Refused(f"these keys are missing or not expected: {odd}")
    for key, (words, types) in KINDS.items():
        if type(claims[key]) not in types:  # isinstance would take True for a number
            raise Refused(f"{key} must be {words}, got {claims[key]!r:.60}")
    for key, given in (("n", graph.n), ("m", graph.m), ("digest", graph.digest)):
        if claims[key] != given:
            raise Refused(
                f"it certifies another graph: its {key} is {claims[key]!r}, but {graph.name} has "
                f"{given!r}"
            )


def _colors(graph: Graph, claims: Mapping[str, Any]) -> int:
    colors = _whole_numbers(claims, "colors")
    try:
        coloring = Coloring(graph, colors)
    except InputError as error:
        raise Refused(f"the colors are not a coloring of this graph: {error}") from error
    if not coloring.is_proper:
        u, v = coloring.conflicting_edges[0]
        raise Refused(
            f"the coloring is not proper: nodes {u} and {v} are adjacent and share a color"
        )
    return coloring.k


def _clique(graph: Graph, claims: Mapping[str, Any]) -> int:
    clique = _whole_numbers(claims, "clique")
    if not is_clique(graph, tuple(clique.tolist())):
        raise Refused(
            f"the nodes {clique.tolist()} are not a clique: some pair is not joined by an edge"
        )
    return len(clique)


def _hoffman(graph: Graph, claims: Mapping[str, Any]) -> float:
    if claims["weights"] is None:
        return 0.0
    return hoffman_safe(graph, _floats(claims, "weights", graph.m))


def _fractional(graph: Graph, claims: Mapping[str, Any]) -> int:
    """The bound of weighted nodes, whose heaviest independent set is looked for anew."""
    entry = claims["fractional"]
    if entry is None:
        return 0
    if entry.keys() != {"weights", "heaviest"} or not isinstance(entry["weights"], list):
        raise Refused("fractional must hold a list of weights and heaviest")
    weights, heaviest = _whole_numbers(entry, "weights"), entry["heaviest"]
    if len(weights) != graph.n:
        raise Refused(f"there are {len(weights)} weights, but {graph.name} has {graph.n} nodes")
    total = sum(entry["weights"])  # of any size, as Python has them
    if type(heaviest) is not int or heaviest < 1 or total >= 2**62:
        raise Refused(
            f"heaviest must be a whole number >= 1 and the weights must sum to less than 2^62, "
            f"got {heaviest!r:.60} and {total}"
        )
    _check_heaviest(graph, weights, heaviest)
    return -(-total // heaviest)


def _check_heaviest(graph: Graph, weights: NDArray[np.int64], heaviest: int) -> None:
    from concolor.solvers.fractional import LARGE  # imports numba
    from concolor.solvers.independent import Sets

    inside = np.flatnonzero(weights)
    if len(inside) > LARGE:
        raise Refused(f"{len(inside)} nodes have weights; more than {LARGE} cannot be checked")
    sets = Sets.of(graph.subgraph(inside))
    top = sets.heaviest(weights[inside], beat=heaviest, visits=2**62)
    if top.nodes.any():
        nodes = inside[top.nodes]
        raise Refused(
            f"the nodes {nodes.tolist()} are independent and weigh {int(weights[nodes].sum())}, "
            f"more than the {heaviest} that no independent set is said to exceed"
        )


def _cones(graph: Graph, claims: Mapping[str, Any]) -> int:
    """The bound of cones inside each other, each checked edge by edge."""
    inside = set(range(graph.n))
    for entry in claims["cones"]:
        if not isinstance(entry, dict) or entry.keys() != {"apex", "nodes", "deputies"}:
            raise Refused("an entry of cones must hold apex, nodes and deputies")
        lists = {"apex": [entry["apex"]], "nodes": entry["nodes"], "deputies": entry["deputies"]}
        apex, nodes, deputies = (_listed_nodes(lists, key) for key in lists)
        cone = Cone(apex[0], nodes, deputies)
        if not inside.issuperset({*apex, *nodes, *deputies}) or not is_cone(graph, cone):
            raise Refused(
                f"the nodes under {cone.apex} are not a cone: some node is outside, or has no "
                "deputy that is adjacent to the apex and to all its neighbors"
            )
        inside = set(nodes)
    return len(claims["cones"]) + 1 if claims["cones"] else 0


def _listed_nodes(claims: Mapping[str, Any], key: str) -> tuple[int, ...]:
    if not isinstance(claims[key], list):
        raise Refused(f"{key} must be a list, got {claims[key]!r:.60}")
    return tuple(_whole_numbers(claims, key).tolist())


LOOSE = 1e-6  # a claim this much weaker than its witness was not made from it


def _vectors(graph: Graph, entry: Any) -> float:
    """The proved bound of one entry, whose claim must agree with it."""
    if not isinstance(entry, dict) or entry.keys() != {"source", "bound", "handle", "rows"}:
        raise Refused("an entry of vectors must hold source, bound, handle and rows")
    if entry["source"] not in ("embedding", "sharpened", "polished"):  # the last in older files
        raise Refused(f"vectors come from {entry['source']!r}, expected embedding or sharpened")
    handle = _floats(entry, "handle", -1)
    bound = handle_bound_safe(_floats(entry, "rows", graph.n, len(handle)), handle, graph)
    claimed = _number(entry, "bound")
    if not bound <= claimed <= bound * (1 + LOOSE):
        raise Refused(f"the {entry['source']} vectors prove θ <= {bound!r}, not {claimed!r}")
    return bound


def _check_claims(claims: Mapping[str, Any], proved: Verified) -> None:
    """Every claimed number against the proved one."""
    low, high = _number(claims, "theta_lower"), _number(claims, "theta_upper")
    if not proved.theta_lower - LOOSE <= low <= proved.theta_lower:
        raise Refused(f"the witnesses prove θ >= {proved.theta_lower!r}, not {low!r}")
    if not proved.theta_upper <= high <= proved.theta_upper * (1 + LOOSE):
        raise Refused(f"the witnesses prove θ <= {proved.theta_upper!r}, not {high!r}")
    for key, value in (("lower", proved.lower), ("upper", proved.upper)):
        if claims[key] != value:
            raise Refused(f"the witnesses prove {key} {value}, not {claims[key]!r}")
    if claims["proved"] != proved.is_proved:
        raise Refused(f"proved is {claims['proved']!r}, but {proved.lower} <= χ <= {proved.upper}")


def _number(claims: Mapping[str, Any], key: str) -> float:
    return float(_floats(claims, key))


def _whole_numbers(claims: Mapping[str, Any], key: str) -> NDArray[np.int64]:
    for value in claims[key]:
        if type(value) is not int or not 0 <= value < 2**62:
            raise Refused(f"{key} must be whole numbers >= 0, got {value!r:.60}")
    return np.array(claims[key], np.int64)


def _floats(claims: Mapping[str, Any], key: str, *shape: int) -> Array:
    """An array of this shape, -1 for any length."""
    values = [claims[key]]
    for _ in shape:
        values = [inside for value in values for inside in _listed(value)]
    for value in values:
        if type(value) not in NUMBER[1]:
            raise Refused(f"{key} must be numbers, got {value!r:.60}")
    try:
        found = np.array(claims[key], np.float64)
    except (ValueError, OverflowError) as error:
        raise Refused(f"{key} must be numbers in rows of equal length ({error})") from error
    free = tuple(-1 if want == -1 else size for want, size in zip(shape, found.shape, strict=False))
    if found.ndim != len(shape) or free != shape:
        raise Refused(f"{key} must have shape {list(shape)}, got {list(found.shape)}")
    if not np.isfinite(found).all():
        raise Refused(f"{key} must be finite")
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
