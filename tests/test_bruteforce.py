"""A sample of benchmarks/bruteforce.py, and that it would see what is wrong."""

import importlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import concolor as cc
from concolor.coloring import Coloring

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("bruteforce"), importlib.import_module("truth")


@pytest.mark.slow
@pytest.mark.parametrize("first", [1, 701, 1231, 4242])  # of the atlas, and random ones
def test_nothing_disagrees_with_brute_force(scripts, first):
    for case in scripts[0].cases([first, first + 1]):
        assert scripts[0].check(case).wrong == []
        assert len(case.counts) > 40


@pytest.mark.slow
def test_threads_give_the_same_answers(scripts):
    from concurrent.futures import ThreadPoolExecutor

    def digest(place):
        (case,) = scripts[0].cases([place])
        return scripts[0].check(case).digest.hexdigest()

    places = [1204, 2001]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(digest, places)) == [digest(place) for place in places]


@pytest.mark.parametrize(
    ("name", "chi", "least"), [("cycle:5", 3, 1), ("complete:6", 6, 6), ("petersen", None, None)]
)
def test_the_truth_is_known(scripts, name, chi, least):
    graph = cc.family(name)
    if chi is None:
        graph = graph.subgraph(np.arange(9))  # Petersen's graph without a node
        chi, least = 3, 2
    truth = scripts[1].Truth(graph.n, graph.edges.tolist())
    assert (truth.chi, truth.least(2)) == (chi, least)
    assert truth.fewest_ruled({0: 5}, {1: {5}}) == chi
    assert truth.least_ruled(2, {0: 0}, {}) == least


def test_partitions_are_counted_by_bell(scripts):
    assert [len(scripts[1].partitions(n)) for n in range(8)] == [1, 1, 2, 5, 15, 52, 203, 877]


def test_an_answer_that_lies_is_seen(scripts):
    case = scripts[0].Case(0, 3, [(0, 1), (1, 2), (0, 2)])
    found = cc.solve(case.graph)
    case.judge("fine", found, 3)
    assert case.wrong == []
    case.judge("a bound above the optimum", found, 2)
    assert len(case.wrong) == 2  # the bound, and the proof
    bad = cc.solve(case.graph, k=2)
    case.judge("better than can be", bad, 2, k=2)
    assert len(case.wrong) == 4
    assert case.counted("", Coloring(case.graph, [0, 0, 1])) == 1


def test_rational_arithmetic_refuses_what_is_a_little_too_much(scripts):
    truth_of = scripts[1]
    graph = cc.family("cycle:5")
    truth, claims = truth_of.Truth(5, graph.edges.tolist()), cc.certify(graph).to_dict()
    truth_of.check_certificate(truth, claims)
    root = 5**0.5
    for change in (
        {"theta_lower": root * (1 + 1e-15)},
        {"theta_upper": 2.2, "vectors": [claims["vectors"][0] | {"bound": 2.2}]},
        {"lower": 4},
        {"clique": [0, 1, 2]},
        {"colors": [0, 1, 0, 1, 0]},
    ):
        with pytest.raises(truth_of.Wrong):
            truth_of.check_certificate(truth, claims | change)
    half = Fraction(1, 2)
    assert truth_of.is_positive_definite([[Fraction(1), half], [half, Fraction(1)]])
    assert not truth_of.is_positive_definite(
        [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]]
    )
