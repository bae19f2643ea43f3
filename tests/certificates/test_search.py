import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates import clique, rounding, spectral, theta
from concolor.certificates import search as module
from concolor.certificates.polish import polishing
from concolor.certificates.search import certify
from concolor.certificates.theta import prototypes
from concolor.certificates.verify import verify
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.datasets import dataset
from concolor.graph.families import FAMILIES, family
from concolor.solvers import local_search
from concolor.solvers.exact import exact
from concolor.solvers.greedy import dsatur
from limits import ended_by

PROVED = [
    *("cycle:5", "cycle:6", "cycle:7", "cycle:1001", "petersen", "queen:5x5", "queen:6x6"),
    *("multipartite:2x3x4", "turan:12x4", "complete:7", "wheel:8", "hypercube:4", "grid:4x5"),
]


@pytest.mark.parametrize("spec", PROVED)
def test_proves_the_chromatic_number_where_the_sides_meet(spec):
    graph = family(spec)
    found = certify(graph.but(chi=None))
    assert found.is_proved
    assert found.lower == found.upper == graph.chi
    assert found.statements[-1] == f"χ = {graph.chi} is proved."
    assert verify(graph, found).is_proved


EXAMPLES = [family(entry.example) for entry in FAMILIES.values()]


@pytest.mark.parametrize("graph", [g for g in EXAMPLES if g.n <= 150], ids=lambda g: g.name)
def test_every_small_family_is_bracketed(graph):
    found = certify(graph)
    assert found.lower <= (graph.chi or found.upper) <= found.upper
    assert found.theta_lower <= found.theta_upper <= found.theta_lower * 1.01
    assert found.lower == math.ceil(found.theta_lower)
    assert found.gap == found.upper - found.lower


@given(seed=st.integers(0, 10**6), p=st.floats(0, 1))
@settings(max_examples=15, deadline=None)
def test_the_bounds_are_true_on_random_graphs(seed, p):
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(9, 1)
    graph = Graph.from_edges(9, np.c_[u, v][rng.random(len(u)) < p])
    chi = exact(graph).k
    found = certify(graph, dsatur(graph), embedding=rng.normal(size=(9, 4)))
    assert found.lower <= chi <= found.upper
    assert found.theta_lower <= found.theta_upper
    assert all(vectors.bound >= found.theta_lower for vectors in found.vectors)


@pytest.mark.parametrize(
    ("spec", "chi", "theta"), [("myciel:4", 5, 2.5294), ("kneser:7x2", 5, 3.5)]
)
def test_says_where_theta_cannot_prove_more(spec, chi, theta):
    found = certify(family(spec).but(chi=None))
    assert (found.lower, found.upper) == (math.ceil(theta), chi)
    assert not found.is_proved
    assert found.theta_lower <= theta + 1e-4 and theta - 1e-4 <= found.theta_upper
    assert found.statements[-1].startswith(
        f"No bound through θ can show more than χ >= {found.lower}"
    )
    assert "do not bound χ" in str(found)


def test_a_given_coloring_is_judged_as_it_is():
    graph = family("cycle:6")
    found = certify(graph, Coloring(graph, np.array([0, 1, 2, 0, 1, 2])))
    assert (found.lower, found.upper, found.gap) == (2, 3, 1)


def test_colorings_that_cannot_be_judged_are_refused():
    graph = family("cycle:5")
    with pytest.raises(InputError, match="5 monochromatic"):
        certify(graph, Coloring(graph, np.zeros(5, np.int64)))
    with pytest.raises(InputError, match="not of"):
        certify(graph, dsatur(family("cycle:7")))


def test_a_wrong_embedding_is_refused_before_any_search(monkeypatch):
    monkeypatch.setattr(module, "_Search", forbidden)
    with pytest.raises(InputError, match="embedding must have shape"):
        certify(family("cycle:5"), embedding=np.ones((4, 2)))


def test_a_clique_is_not_proved_by_weights_again(monkeypatch):
    """Where eigenvalues are dense, so that no better weights can be missed."""
    graph = family("queen:8x8").but(chi=None)
    monkeypatch.setattr(module, "hoffman_safe", forbidden)
    monkeypatch.setattr(module, "polishing", lambda best, *_, **__: [best])
    assert certify(graph).lower == 8


def test_the_embedding_is_reported_apart_from_the_polished_vectors():
    graph = family("petersen")
    z = prototypes(dsatur(graph))[0] + 0.05 * np.random.default_rng(0).normal(size=(10, 3))
    found = certify(graph, embedding=z)
    raw, polished = found.vectors
    assert (raw.source, polished.source) == ("embedding", "polished")
    assert polished.bound < 2.51 < raw.bound
    assert found.embedding is not None
    assert raw.bound == pytest.approx(found.embedding.sharper, rel=1e-6)
    assert found.theta_upper == polished.bound


def test_an_embedding_that_certifies_nothing_is_measured_all_the_same(monkeypatch):
    monkeypatch.setattr(module, "best_handle", lambda *_, **__: np.array([1.0, 0.0]))
    found = certify(family("path:2"), embedding=np.eye(2))
    assert found.embedding is not None and found.embedding.sharper == math.inf
    assert found.vectors == () and found.theta_upper == 2


@pytest.mark.parametrize("n", [0, 1, 4])
def test_graphs_without_edges(n, tmp_path):
    graph = Graph.from_edges(n, [])
    found = certify(graph)
    assert found.lower == found.upper == min(n, 1)
    assert found.is_proved and found.theta_lower == found.theta_upper == min(n, 1)
    found.save(tmp_path / "c.json")
    assert verify(graph, tmp_path / "c.json").is_proved


def test_large_graphs_learn_weights_on_their_core(monkeypatch):
    """Rings of five with tails: the tails are no part of any proof."""
    for room in (module, rounding, spectral):
        monkeypatch.setattr(room, "DENSE", 50)
    ring = family("cycle:5").edges
    tails = np.c_[np.arange(0, 100, 5), np.arange(100, 120)]
    rings = [ring + 5 * copy for copy in range(20)]
    graph = Graph.from_edges(120, np.concatenate([*rings, tails]))
    found = certify(graph)
    assert found.is_proved and found.upper == 3
    assert found.weights is not None
    on_tail = (graph.edges >= 100).any(axis=1)
    assert not found.weights[on_tail].any() and found.weights[~on_tail].any()
    assert verify(graph, found).lower == 3


def test_where_no_proof_could_follow_the_clique_remains(monkeypatch):
    for room in (module, rounding, spectral):
        monkeypatch.setattr(room, "DENSE", 5)
    monkeypatch.setattr(module, "WORK", 10)
    found = certify(family("myciel:4"))
    assert found.weights is None and found.lower == 2 < found.theta_upper < 2.54


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_the_time_limit_holds_on_large_graphs(limit):
    graph = family("er:3000x0.01")
    with ended_by(limit):
        found = certify(graph, time_limit=limit)
    assert found.lower >= 3 and verify(graph, found).lower == found.lower


def test_loading_compiled_code_does_not_count(monkeypatch):
    order = []
    monkeypatch.setattr(module, "warm_up", lambda: order.append("load"))
    monkeypatch.setattr(module, "Clock", lambda limit: order.append("clock") or Clock(limit))
    certify(family("cycle:5"), time_limit=1.0)
    assert order[:2] == ["load", "clock"]


@pytest.mark.parametrize("spec", ["multipartite:400x400x400", "turan:1100x20", "complete:300"])
def test_no_clique_is_searched_where_a_grown_one_meets_the_coloring(spec, monkeypatch):
    monkeypatch.setattr(clique, "largest_cliques", forbidden)
    graph = family(spec)
    found = certify(graph.but(chi=None))
    assert found.is_proved and found.upper == graph.chi


def forbidden(*_, **__):
    raise AssertionError("not to be called")


def test_once_time_is_over_nothing_more_is_searched(monkeypatch):
    for name in ("polishing", "prototypes", "hoffman_safe"):
        monkeypatch.setattr(module, name, forbidden)
    monkeypatch.setattr(local_search, "descend", forbidden)
    found = certify(family("myciel:4").but(chi=None), time_limit=0.0)
    assert (found.lower, found.upper) == (2, 5)


def test_the_start_of_the_polish_is_not_evaluated(monkeypatch):
    """Prototypes show the number of colors, and a clique its size; both are known."""
    starts = []
    monkeypatch.setattr(module, "polishing", lambda best, *_, **__: starts.append(best) or [best])
    monkeypatch.setattr(theta, "_inner", forbidden)
    found = certify(family("queen:6x6").but(chi=None))
    assert starts[0].upper == found.upper and starts[0].lower >= len(found.clique)


def test_vectors_are_proved_only_where_time_is_left_for_it(monkeypatch):
    graph = family("petersen")
    monkeypatch.setattr(module, "VECTOR_PACE", 1.0)
    assert [vectors.source for vectors in certify(graph).vectors] == ["polished"]
    assert certify(graph, time_limit=5.0).vectors == ()


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "stage", ["best_handle", "measure", "prototypes", "polishing", "hoffman_safe"]
)
def test_an_interrupt_leaves_what_is_proved_by_then(stage, monkeypatch):
    graph, rng = family("queen:6x6").but(chi=None), np.random.default_rng(0)
    monkeypatch.setattr(module, stage, interrupt)
    found = certify(graph, embedding=rng.normal(size=(36, 8)))
    assert (found.lower, found.upper) == (6, 7)
    assert verify(graph, found).upper == 7


def test_an_interrupted_clique_search_keeps_its_best(monkeypatch):
    monkeypatch.setattr(clique, "largest_cliques", interrupt)
    found = certify(family("queen:6x6").but(chi=None))
    assert found.lower == 6 and found.coloring.is_proper


def test_an_interrupted_coloring_search_keeps_its_best_and_ends_the_search(monkeypatch):
    graph = family("queen:6x6").but(chi=None)
    best = exact(graph)

    def descend(search, *_):
        search.offer(best.colors)
        raise KeyboardInterrupt

    monkeypatch.setattr(local_search, "descend", descend)
    monkeypatch.setattr(module, "polishing", forbidden)
    assert dsatur(graph).k > certify(graph).upper == best.k


def test_what_an_interrupted_polish_found_is_proved(monkeypatch):
    def pressed(*args, **kwargs):
        *_, best = polishing(*args, **kwargs)
        yield best
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "polishing", pressed)
    found = certify(family("queen:6x6").but(chi=None))
    assert found.is_proved and found.weights is not None
    assert [vectors.source for vectors in found.vectors] == ["polished"]


def test_the_time_limit_holds():
    graph = family("er:300x0.3")
    with ended_by(1.0):
        found = certify(graph, time_limit=1.0)
    assert found.lower <= found.upper


def test_the_same_seed_gives_the_same_certificate():
    one, two = (certify(family("er:20x0.3"), seed=5).to_dict() for _ in range(2))
    assert json.dumps(one) == json.dumps(two)


def test_no_torch_is_imported():
    code = (
        "import sys; from concolor.certificates import certify, verify\n"
        "from concolor.graph.families import family\n"
        "g = family('cycle:5'); verify(g, certify(g)); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.skipif("CONCOLOR_DATA" not in os.environ, reason="CONCOLOR_DATA is not set")
def test_the_books_are_proved():
    books = [g for part in dataset("color-book").splits.values() for g in part]
    assert len(books) == 5
    for graph in books:
        found = certify(graph.but(chi=None))
        assert found.is_proved and verify(graph, found).is_proved
