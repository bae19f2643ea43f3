"""Figures of a cell against slow, obvious ones."""

import os
import subprocess

import numpy as np
import pytest

import concolor as cc
from concolor.experiments import measure
from concolor.experiments.cells import Compared, Learned
from concolor.experiments.measure import (
    METHODS,
    Outcome,
    commit,
    compare,
    facts,
    figures,
    thresholds,
)
from concolor.experiments.runner import measured
from concolor.experiments.suites import SUITES, THRESHOLD, graphs_of, references
from concolor.learning.recipe import Recipe

TINY = Recipe(features="random", pipeline="v1abs", hidden=8, epochs=1, decoder="kmedoids")


@pytest.mark.slow
def test_references_are_exact_where_the_suite_says_so_and_greedy_elsewhere():
    assert references("queen/id") == tuple(cc.dsatur(g).k for g in graphs_of("queen/id"))
    assert references("cycles/small")[:3] == (2, 3, 2)


@pytest.mark.slow
def test_suites_name_splits_that_exist():
    for name, suite in SUITES.items():
        if not suite.data.startswith(("cora", "citeseer", "pubmed", "color-book")):
            assert graphs_of(name), name


@pytest.mark.slow
def test_means_over_graphs():
    small = graphs_of("queen/id")
    outcomes = [
        Outcome(9, 10, True, 0.5, {9: 10}),
        Outcome(12, 20, False, 1.5, {12: 20}),
    ]
    found = figures("queen/id", outcomes)
    chi = [cc.dsatur(g).k for g in small]
    assert found["metrics"] == pytest.approx(
        {
            "k": 10.5,
            "mono": (10 / small[0].m + 20 / small[1].m) / 2,
            "rho": (9 / chi[0] + 12 / chi[1]) / 2,
            "hit": 0.5,
            "completed": 2,
        },
        abs=1e-6,
    )
    assert found["graphs"] == {"k": [9, 12], "conflicts": [10, 20], "seconds": [0.5, 1.5]}


def test_a_graph_without_time_counts_in_no_mean():
    late = Outcome(30, 500, False, 60.0, {30: 500}, completed=False)
    found = figures("queen/id", [Outcome(9, 10, True, 0.5, {9: 10}), late])
    assert found["metrics"]["k"] == 9 and found["metrics"]["hit"] == 0.5
    assert found["graphs"]["completed"] == [True, False]
    assert figures("queen/id", [late, late])["metrics"]["rho"] is None


def test_thresholds_of_a_whole_graph():
    curve = {1: 1000, 2: 300, 3: 60, 4: 18, 5: 9, 6: 4, 7: 0}
    found = thresholds(curve, 1000, 5)
    assert [found[f"k_{t}"] for t in ("0.05", "0.02", "0.01", "0.005", "zero")] == [4, 4, 5, 6, 7]
    assert (found["mono_at_0.05"], found["conflicts_at_chi"], found["rho_0.05"]) == (0.018, 9, 0.8)
    missed = thresholds({1: 1000, 2: 300}, 1000, 5)
    assert set(missed.values()) == {None}
    assert thresholds({1: 10, 2: 0}, 10, 5)["conflicts_at_chi"] == 0  # the sweep ended at zero


@pytest.mark.skipif("CONCOLOR_DATA" not in os.environ, reason="CONCOLOR_DATA is not set")
def test_where_a_whole_graph_was_cut_is_no_result():
    late = Outcome(16, 500, False, 60.0, {16: 500}, completed=False)
    found = figures("citeseer", [late])["metrics"]
    assert found["conflicts_at_chi"] is None and found["k"] is None and found["completed"] == 0


def test_facts_are_counted():
    found = facts("myciel/train")
    assert found["metrics"]["nodes_min"] == 47 and found["metrics"]["nodes_max"] == 95
    assert found["graphs"]["name"] == ["myciel:5", "myciel:6"]
    assert found["graphs"]["chi"] == found["graphs"]["chi_greedy"] == [6, 7]


@pytest.mark.slow
@pytest.mark.parametrize("method", sorted(METHODS.keys() - {"null", "pi-gnn at chi"}))
def test_every_method_reaches_the_threshold_on_a_cycle(method):
    found = compare(Compared(method, "C_7000", 20.0 if "gnn" in method or "gcn" in method else 1.0))
    k, conflicts = found["graphs"]["k"][0], found["graphs"]["conflicts"][0]
    assert conflicts <= THRESHOLD * 7000
    assert 2 <= k <= 10
    assert found["metrics"]["rho"] == k / 2
    assert found["versions"]["torch"] and found["cores"] >= 1
    assert found["commit"] == commit() != ""


def test_the_null_is_the_public_null():
    (graph,) = graphs_of("queen13")
    found = compare(Compared("null", "queen13", seed=3))
    k = found["graphs"]["k"][0]
    curve = [cc.null(graph, each, seed=3).mono for each in range(1, k + 1)]
    assert curve[-1] <= THRESHOLD < min(curve[:-1])
    assert found["metrics"]["mono"] == pytest.approx(curve[-1], abs=1e-6)


@pytest.mark.slow
def test_pi_gnn_with_k_equal_chi_asks_for_no_conflicts():
    found = compare(Compared("pi-gnn at chi", "queen13", 1.0))
    assert found["graphs"]["k"] == list(references("queen13"))
    assert found["metrics"]["hit"] == (found["graphs"]["conflicts"] == [0])


@pytest.mark.slow
def test_a_learned_job_trains_once_and_gives_a_line_for_each_decoder_and_suite():
    job = [
        Learned("cycles", TINY.but(decoder=decoder), suite)
        for suite in ("cycles/small", "queen13")
        for decoder in ("kmedoids", "line_means")
    ]
    found = dict(measured(job))
    assert list(found) == job
    assert len({line["loss"] for line in found.values()}) == 1
    for cell, line in found.items():
        assert len(line["graphs"]["k"]) == len(graphs_of(cell.suite))
        assert line["params"] > 0 and line["steps"] == 8
        k = line["graphs"]["k"]
        assert line["metrics"]["rho"] == pytest.approx(
            np.mean(np.array(k) / references(cell.suite)), abs=1e-6
        )


@pytest.mark.slow
def test_a_learned_figure_is_what_the_public_call_gives():
    ((_, line),) = measured([Learned("cycles", TINY, "cycles/small")])
    colorer = cc.Colorer(TINY).fit(cc.dataset("cycles").train)
    scores = cc.evaluate(colorer, cc.dataset("cycles").splits["small"], k_max=10)
    assert line["metrics"]["k"] == pytest.approx(scores.mean("k"))
    assert line["metrics"]["mono"] == pytest.approx(scores.mean("mono"), abs=1e-6)
    assert line["metrics"]["hit"] == pytest.approx(scores.mean("hit"))


def test_the_commit_is_that_of_the_code_and_results_that_grow_do_not_change_it(
    tmp_path, monkeypatch
):
    code, results = tmp_path / "src" / "code.py", tmp_path / "results.jsonl"
    code.parent.mkdir()
    monkeypatch.setattr(measure, "__file__", str(tmp_path / "src" / "concolor" / "e" / "m.py"))
    assert commit.__wrapped__() is None  # no checkout
    for file in (code, results):
        file.write_text("1")
    about = ("-c", "user.name=n", "-c", "user.email=e@e", "-C", str(tmp_path))
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run(["git", *about, *words], check=True)
    head = commit.__wrapped__()
    assert len(head) == 10
    results.write_text("2")
    assert commit.__wrapped__() == head
    code.write_text("2")
    assert commit.__wrapped__() == head + "+"
