import contextlib
import copy
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates.search import certify
from concolor.certificates.verify import Refused, verify
from concolor.errors import FormatError
from concolor.graph.core import Graph
from concolor.graph.families import family
from small_graphs import independent_sets, weighted

THETA = {"cycle:5": math.sqrt(5), "petersen": 2.5, "wheel:6": 1 + math.sqrt(5), "turan:6x3": 3.0}


@pytest.fixture(scope="module")
def certificates():
    rng = np.random.default_rng(0)
    return {
        spec: certify(family(spec), embedding=rng.normal(size=(family(spec).n, 3))).to_dict()
        for spec in THETA
    }


@pytest.fixture
def check(tmp_path_factory):
    path = tmp_path_factory.mktemp("certificate") / "c.json"

    def check(graph, claims):
        path.write_text(json.dumps(claims))
        return verify(graph, path)

    return check


@pytest.mark.parametrize("spec", THETA)
def test_an_honest_certificate_passes(certificates, check, spec):
    found = check(family(spec), certificates[spec])
    assert found.is_proved and found.gap == 0
    assert found.lower == found.upper == family(spec).chi
    assert found.theta_lower <= THETA[spec] * (1 + 1e-15) <= found.theta_upper * (1 + 2e-15)
    assert found.theta_lower == pytest.approx(THETA[spec], rel=1e-2)


def test_a_certificate_in_memory_is_checked_like_its_file(tmp_path):
    graph = family("myciel:3")
    found = certify(graph)
    found.save(tmp_path / "c.json")
    assert verify(graph, found) == verify(graph, tmp_path / "c.json")


def places(claims, path=()):
    """Every path into the JSON, down to single numbers."""
    items = claims.items() if isinstance(claims, dict) else enumerate(claims)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def other(draw, value):
    """Something else in the place of ``value``: mostly of its kind, sometimes not."""
    anything = st.sampled_from([None, True, "", "3", [], {}, -1, 0, 1e300, 10**40, [[1]], [None]])
    if draw(st.integers(0, 5)) == 0:
        return draw(anything)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw(st.integers(-3, 3))
    if isinstance(value, float):
        factor = draw(st.sampled_from([0.0, -1.0, 1 + 1e-15, 1 - 1e-9, 1 + 1e-9, 0.9, 1.1, 1e6]))
        return value * factor + draw(st.sampled_from([0.0, 1e-13, -1e-7, 0.5]))
    if isinstance(value, list):
        change = draw(st.integers(0, 2))
        return value[1:] if change == 0 else value[::-1] if change == 1 else value + value[-1:]
    return draw(anything)


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_no_mutation_passes_with_a_wrong_bound(certificates, data):
    spec = data.draw(st.sampled_from(sorted(THETA)))
    graph, claims = family(spec), copy.deepcopy(certificates[spec])
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(list(places(claims))))
        inside = claims
        for key in way:
            inside = inside[key]
        if data.draw(st.integers(0, 9)) == 0:
            del inside[last]
        else:
            inside[last] = other(data.draw, inside[last])
    mutated = _InMemory(claims)
    try:
        found = verify(graph, mutated)
    except Refused:
        return
    assert found.lower <= graph.chi <= found.upper
    assert found.theta_lower <= THETA[spec] * (1 + 1e-15)
    assert found.theta_upper * (1 + 1e-15) >= THETA[spec]
    assert claims["lower"] == found.lower and claims["upper"] == found.upper
    assert claims["theta_lower"] <= found.theta_lower
    assert claims["theta_upper"] >= found.theta_upper
    assert claims["proved"] == found.is_proved


class _InMemory(type(certify(family("path:2")))):
    """A certificate that says whatever it was given."""

    def __init__(self, claims):
        object.__setattr__(self, "claims", claims)

    def to_dict(self):
        return self.claims


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"lower": 4}, "prove lower 3, not 4"),
        ({"lower": 2, "proved": False}, "prove lower 3, not 2"),
        ({"upper": 2}, "prove upper 3, not 2"),
        ({"theta_lower": 2.6}, "prove θ >= 2.49"),
        ({"theta_upper": 2.4}, "prove θ <= 2.50"),
        ({"proved": False}, "proved is False"),
        ({"clique": [0, 2]}, "not a clique"),
        ({"clique": [0, 0]}, "not a clique"),
        ({"clique": [0, 99]}, "not a clique"),
        ({"colors": [0] * 10}, "nodes 0 and 1 are adjacent"),
        ({"colors": [0] * 9}, "not a coloring of this graph: "),
        ({"colors": [0.5] * 10}, "whole numbers"),
        ({"weights": [1.0] * 14}, r"shape \[15\], got \[14\]"),
        ({"weights": [0.0] * 15}, "prove θ >= 2"),
        ({"weights": None}, "prove θ >= 2.0, not"),
        ({"weights": [1.0] * 14 + ["x"]}, "must be numbers"),
        ({"weights": ["1.0"] * 15}, "must be numbers"),
        ({"weights": [True] * 15}, "must be numbers"),
        ({"weights": [True] + [1.0] * 14}, "weights must be numbers, got True"),
        ({"weights": 1.0}, "weights must be a list or null, got 1.0"),
        ({"theta_lower": True}, "theta_lower must be a number, got True"),
        ({"theta_upper": "3"}, "theta_upper must be a number, got '3'"),
        ({"theta_upper": 10**400}, "theta_upper must be numbers"),
        ({"lower": 3.0}, "lower must be a whole number, got 3.0"),
        ({"proved": 1}, "proved must be true or false, got 1"),
        ({"weights": [10**400] * 15}, "must be numbers"),
        ({"weights": [1.0] * 14 + [None]}, "must be numbers"),
        ({"weights": [[1.0]] * 15}, "must be numbers, got"),
        ({"clique": [-1]}, "whole numbers"),
        ({"clique": [True]}, "whole numbers"),
        ({"vectors": []}, "prove θ <= 3.0, not"),
        ({"vectors": [1]}, "must hold source"),
        ({"digest": "0" * 16}, "another graph"),
        ({"n": 11}, "another graph"),
        ({"format": "concolor-certificate/9"}, "format"),
        ({"note": "trust me"}, "not expected: note"),
    ],
)
def test_tampering_is_refused_with_the_reason(certificates, check, change, reason):
    with pytest.raises(Refused, match=reason):
        check(family("petersen"), certificates["petersen"] | change)


WEIGHTS = {"weights": [1] * 10, "heaviest": 4}  # of the Petersen graph: χ >= 10 / 4


def test_weights_of_nodes_are_a_witness(certificates, check):
    alone = {"clique": [0, 1], "weights": None, "theta_lower": 2.0, "fractional": WEIGHTS}
    assert check(family("petersen"), certificates["petersen"] | alone).lower == 3
    with pytest.raises(Refused, match="prove lower 2, not 3"):
        check(family("petersen"), certificates["petersen"] | alone | {"fractional": None})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"heaviest": 3}, r"the nodes \[.*\] are independent and weigh 4, more than the 3"),
        ({"weights": [2] + [1] * 9}, "are independent and weigh 5, more than the 4"),
        ({"weights": [1] * 9}, "there are 9 weights, but petersen has 10 nodes"),
        ({"weights": [1.0] * 10}, "weights must be whole numbers >= 0, got 1.0"),
        ({"weights": [-1] + [1] * 9}, "weights must be whole numbers >= 0, got -1"),
        ({"weights": [2**61] * 10, "heaviest": 2**63}, "sum to less than 2"),
        ({"weights": 3}, "must hold a list of weights"),
        ({"heaviest": 0}, "heaviest must be a whole number >= 1"),
        ({"heaviest": 4.0}, "heaviest must be a whole number >= 1"),
        ({"heaviest": True}, "heaviest must be a whole number >= 1"),
        ({"note": "trust me"}, "must hold a list of weights and heaviest"),
    ],
)
def test_tampered_weights_of_nodes_are_refused_with_the_reason(certificates, check, change, reason):
    with pytest.raises(Refused, match=reason):
        check(family("petersen"), certificates["petersen"] | {"fractional": WEIGHTS | change})


@pytest.mark.slow
@given(asked=weighted(7), heaviest=st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_weights_pass_exactly_where_no_independent_set_is_heavier(asked, heaviest):
    graph, weights = asked
    claims = {**certify(graph).to_dict(), "weights": None}
    clique = len(claims["clique"])
    lower = max(clique, -(-int(weights.sum()) // heaviest))
    proved = {"theta_lower": float(clique), "lower": lower, "proved": lower == claims["upper"]}
    bare = {"vectors": [], "theta_upper": float(claims["upper"]), "cones": []}
    fractional = {"weights": weights.tolist(), "heaviest": heaviest}
    mutated = _InMemory(claims | proved | bare | {"fractional": fractional})
    top = max(int(weights[list(s)].sum()) for s in independent_sets(graph))
    if top <= heaviest:
        assert verify(graph, mutated).lower == lower <= claims["upper"]
    else:
        with pytest.raises(Refused, match="are independent and weigh"):
            verify(graph, mutated)


def changed(claims, i, **change):
    cones = copy.deepcopy(claims["cones"])
    cones[i] |= change
    return claims | {"cones": cones}


def test_tampered_cones_are_refused(check):
    graph = family("myciel:3")
    claims = certify(graph.but(chi=None)).to_dict()
    assert check(graph, claims).lower == 4 == len(claims["cones"]) + 1
    first = claims["cones"][0]
    for wrong in (
        {"deputies": first["deputies"][::-1]},
        {"apex": first["nodes"][0]},
        {"apex": 99},
        {"nodes": [], "deputies": []},
        {"nodes": first["nodes"][1:]},
    ):
        with pytest.raises(Refused, match="are not a cone"):
            check(graph, changed(claims, 0, **wrong))
    with pytest.raises(Refused, match="are not a cone"):  # the next is not inside
        check(graph, claims | {"cones": [claims["cones"][1], *claims["cones"]]})
    with pytest.raises(Refused, match="prove lower 3, not 4"):
        check(graph, claims | {"cones": claims["cones"][:-1]})
    with pytest.raises(Refused, match="must hold apex, nodes and deputies"):
        check(graph, claims | {"cones": [3]})
    with pytest.raises(Refused, match="nodes must be a list"):
        check(graph, changed(claims, 0, nodes=3))
    with pytest.raises(Refused, match="whole numbers"):
        check(graph, changed(claims, 0, apex=-1))


def test_files_from_before_these_witnesses_are_accepted(certificates, check):
    old = {k: v for k, v in certificates["petersen"].items() if k not in ("fractional", "cones")}
    assert check(family("petersen"), old).is_proved


def as_javascript(value):
    """What ``JSON.stringify(JSON.parse(text))`` makes of numbers: no ``.0``."""
    if isinstance(value, dict):
        return {key: as_javascript(inside) for key, inside in value.items()}
    if isinstance(value, list):
        return [as_javascript(inside) for inside in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.mark.parametrize("spec", THETA)
def test_another_writer_of_json_changes_nothing(certificates, check, spec):
    rewritten = as_javascript(certificates[spec])
    assert json.dumps(rewritten) != json.dumps(certificates[spec])
    assert check(family(spec), rewritten) == check(family(spec), certificates[spec])


def test_files_that_call_sharpened_vectors_polished_are_accepted(certificates, check):
    """Format 1 began with that word."""
    claims = copy.deepcopy(certificates["petersen"])
    assert [entry["source"] for entry in claims["vectors"]] == ["embedding", "sharpened"]
    claims["vectors"][-1]["source"] = "polished"
    assert check(family("petersen"), claims) == check(family("petersen"), certificates["petersen"])


def test_vectors_of_unknown_source_are_refused(certificates, check):
    claims = copy.deepcopy(certificates["petersen"])
    claims["vectors"][-1]["source"] = "oracle"
    with pytest.raises(Refused, match="'oracle', expected embedding or sharpened"):
        check(family("petersen"), claims)


def test_vectors_with_a_false_bound_are_refused(certificates, check):
    claims = copy.deepcopy(certificates["petersen"])
    claims["vectors"][-1]["bound"] = claims["theta_upper"] = 2.4
    with pytest.raises(Refused, match="sharpened vectors prove"):
        check(family("petersen"), claims)


def test_claims_a_little_too_good_are_refused(certificates, check):
    """By more than the 1e-10 that an honest one gives away."""
    graph, honest = family("petersen"), certificates["petersen"]
    with pytest.raises(Refused, match="prove θ >="):
        check(graph, honest | {"theta_lower": honest["theta_lower"] * (1 + 5e-10)})
    with pytest.raises(Refused, match="the witnesses prove θ <="):
        check(graph, honest | {"theta_upper": honest["theta_upper"] * (1 - 5e-10)})
    claims = copy.deepcopy(honest)
    claims["vectors"][-1]["bound"] *= 1 - 1e-8
    with pytest.raises(Refused, match="sharpened vectors prove θ <="):
        check(graph, claims)


def test_chi_is_rounded_up_from_what_is_claimed_of_theta(check):
    """Weights show 2 of an even cycle, not a hair more."""
    graph = family("cycle:4")
    claims = certify(graph).to_dict()
    claims |= {"clique": [0], "weights": [1.0] * 4, "theta_lower": 2 * (1 - 1e-10)}
    assert check(graph, claims).lower == 2
    with pytest.raises(Refused, match="prove lower 2, not 3"):
        check(graph, claims | {"lower": 3, "proved": False})


def test_infinite_numbers_are_refused(certificates, tmp_path):
    text = json.dumps(certificates["petersen"] | {"weights": [1.5] * 15})
    path = tmp_path / "c.json"
    path.write_text(text.replace("1.5", "1e999", 1))
    with pytest.raises(Refused, match="must be finite"):
        verify(family("petersen"), path)


@pytest.mark.parametrize("scale", [1e-160, 1e-80, 1e80, 1e160])
@pytest.mark.parametrize("stretch", [1e-160, 1e-80, 1.0, 1e80, 1e160])
def test_tiny_and_huge_vectors_prove_no_more(certificates, check, scale, stretch):
    claims = copy.deepcopy(certificates["petersen"])
    entry = claims["vectors"][-1]
    entry["rows"] = (scale * np.array(entry["rows"])).tolist()
    entry["handle"] = (stretch * np.array(entry["handle"])).tolist()
    with contextlib.suppress(Refused):
        assert check(family("petersen"), claims).theta_upper >= 2.5
    claims["vectors"], claims["theta_upper"] = [entry], 2.4999
    entry["bound"] = 2.4999
    with pytest.raises(Refused):
        check(family("petersen"), claims)


@pytest.mark.parametrize("scale", [1e-320, 1e-150, 1e150, 1.7e308])
def test_the_scale_of_the_weights_does_not_matter(certificates, check, scale):
    claims = copy.deepcopy(certificates["cycle:5"])
    claims["weights"] = [scale] * 5
    assert check(family("cycle:5"), claims).theta_lower <= math.sqrt(5)


def test_a_key_that_is_there_twice_is_refused(certificates, tmp_path):
    text = json.dumps(certificates["petersen"])
    path = tmp_path / "c.json"
    path.write_text(text[:-1] + ', "upper": 3}')
    with pytest.raises(Refused, match="twice"):
        verify(family("petersen"), path)


def test_names_of_nodes_are_no_part_of_a_certificate(certificates, check):
    """It speaks of the structure; other names in the same order change nothing."""
    graph = family("petersen")
    named = Graph.from_edges(10, graph.edges, names=[f"v{i}" for i in range(10)])
    assert check(named, certificates["petersen"]).upper == 3


def test_another_graph_is_refused(certificates, check):
    graph = family("petersen")
    fewer = Graph.from_edges(10, graph.edges[1:])
    moved = Graph.from_edges(10, np.roll(np.arange(10), 3)[graph.edges])
    for wrong in (fewer, moved, family("cycle:5")):
        with pytest.raises(Refused, match="another graph"):
            check(wrong, certificates["petersen"])


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '{"lower": NaN}', "[" * 100_000, "\xff"])
def test_files_that_are_no_certificates_are_refused(tmp_path, text):
    path = tmp_path / "c.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(Refused):
        verify(family("cycle:5"), path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FormatError, match="nowhere"):
        verify(family("cycle:5"), tmp_path / "nowhere.json")
