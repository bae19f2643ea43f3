"""The thin class on top: fit, embed, color, save, load."""

import os
import signal
import sys

import numpy as np
import pytest

import concolor as cc
from concolor.errors import InputError, Interrupted, ModelError
from concolor.models import load
from concolor.models.spectral import spectral_sweep
from concolor.sweeps import K_MAX
from limits import press

CYCLES = [cc.family(f"cycle:{n}") for n in range(10, 30)]


@pytest.fixture(scope="module")
def colorer():
    recipe = cc.Recipe(pipeline="v1abs", hidden=32, epochs=20, batch_size=5)
    return cc.Colorer(recipe).fit(CYCLES)


@pytest.mark.slow
def test_learns_to_color_cycles_better_than_chance(colorer):
    result = cc.evaluate(colorer, [cc.family(f"cycle:{n}") for n in range(40, 60)], k_max=10)
    assert result.mean("hit") == 1
    assert result.mean("k") < 0.7 * result.mean("null_k")


@pytest.mark.slow
def test_at_most_k_colors_with_few_conflicts(colorer):
    graph = cc.family("cycle:40")
    two, many = colorer.color(graph, k=2), colorer.color(graph, k=10)
    assert two.k <= 2
    assert many.k <= 10
    assert many.conflicts <= two.conflicts <= cc.null(graph, 2).conflicts


def test_fewest_colors_within_a_budget_of_conflicts(colorer):
    graph = cc.family("cycle:45")
    loose, strict = colorer.color(graph, max_mono=0.2), colorer.color(graph, max_mono=0.02)
    assert loose.mono <= 0.2
    assert strict.mono <= 0.02
    assert loose.k <= strict.k


def test_asks_for_a_proper_coloring_where_nothing_is_said(colorer):
    graph = cc.family("cycle:12")
    strict, same = colorer.color(graph), colorer.color(graph, max_mono=0)
    np.testing.assert_array_equal(strict.colors, same.colors)
    assert strict.k <= K_MAX


def test_a_graph_without_edges_needs_one_color(colorer):
    single = colorer.color(cc.Graph.from_edges(4, []))
    assert (single.k, single.mono) == (1, 0)
    assert colorer.color(cc.Graph.from_edges(0, [])).k == 0


def test_the_same_seed_gives_the_same_coloring(colorer):
    graph = cc.family("queen:5x5")
    first, again, other = (colorer.embed(graph, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    one, two = (colorer.color(graph, k=6, seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.colors, two.colors)


def test_a_graph_is_embedded_alone_as_among_others(colorer):
    graph = cc.family("cycle:33")
    alone = cc.evaluate(colorer, [graph]).scores[0]
    assert cc.evaluate(colorer, [CYCLES[0], graph]).scores[1] == alone


def test_many_graphs_are_embedded_as_each_alone(colorer):
    graphs = [*CYCLES[:3], cc.Graph.from_edges(3, []), cc.family("queen:5x5")]
    alone = [colorer.embed(graph, seed=2) for graph in graphs]
    for nodes in (4096, 30, 1):
        found = colorer.model.embed_many(graphs, seed=2, batch_nodes=nodes)
        for one, many in zip(alone, found, strict=True):
            np.testing.assert_allclose(many, one, atol=1e-5)
    assert colorer.embed_many([]) == []


@pytest.mark.slow
def test_a_sweep_takes_an_embedding_that_is_at_hand(colorer):
    graph = CYCLES[5]
    given = colorer.sweep(graph, z=colorer.embed(graph, seed=3), seed=3)
    assert given.curve == colorer.sweep(graph, seed=3).curve


def test_a_saved_model_colors_alike(colorer, tmp_path):
    colorer.save(tmp_path / "m.safetensors")
    again = cc.Colorer.load(tmp_path / "m.safetensors")
    graph = cc.family("petersen")
    np.testing.assert_array_equal(again.color(graph).colors, colorer.color(graph).colors)
    assert again.recipe == colorer.model.recipe


def test_evaluation_counts_what_it_says(colorer):
    result = cc.evaluate(colorer, CYCLES[:4], max_mono=0.1, k_max=5)
    about = result.to_dict()
    assert [g["chi"] for g in about["graphs"]] == [graph.chi for graph in CYCLES[:4]]
    for score in result.scores:
        assert score.rho == score.k / score.dsatur
        assert score.mono == score.conflicts / score.m
        assert score.hit == (score.mono <= 0.1)
        assert score.k <= 5
    assert about["k_std"] == pytest.approx(np.std([s.k for s in result.scores], ddof=1))


def test_the_eigenvectors_alone_stand_beside_a_model_by_the_same_rule(colorer):
    graphs = [cc.family("planted:60x3x0.3"), cc.family("queen:5x5")]
    result = cc.evaluate(colorer, graphs, max_mono=0.1, k_max=6, seed=2)
    for score, graph in zip(result.scores, graphs, strict=True):
        alone = spectral_sweep(graph, max_mono=0.1, k_max=6, seed=2)
        assert (score.spectral_k, score.spectral_hit) == (alone.k_star(), alone.hit())
        assert score.spectral_mono == alone.best.mono <= 1
        assert score.spectral_rho == score.spectral_k / score.dsatur
    assert result.scores[0].spectral_k == 3 and result.scores[0].spectral_hit
    itself = cc.evaluate(load("spectral"), graphs, max_mono=0.1, k_max=6, seed=2)
    assert [(s.k, s.mono) for s in itself.scores] == [
        (s.spectral_k, s.spectral_mono) for s in result.scores
    ]


def test_wishes_that_cannot_be_are_refused(colorer):
    graph = cc.family("petersen")
    with pytest.raises(ModelError, match="not trained"):
        cc.Colorer().color(graph)
    with pytest.raises(InputError, match="not both"):
        colorer.color(graph, k=3, max_mono=0.1)
    with pytest.raises(InputError, match="at least 1"):
        colorer.color(graph, k=0)
    with pytest.raises(InputError, match=r"0\.\.1"):
        colorer.color(graph, max_mono=2)
    with pytest.raises(InputError, match="no graphs"):
        cc.evaluate(colorer, [])
    with pytest.raises(InputError, match="decoder"):
        colorer.sweep(graph, decoder="kmedoid")


def test_an_interrupted_evaluation_has_the_graphs_that_are_done(colorer, monkeypatch):
    """Half a sweep is no result: queen:6x6 once got 2 colors and 48.6 % conflicts so."""
    home = sys.modules["concolor.decoding.sweep"]
    graphs = [cc.family("cycle:9"), cc.family("queen:6x6"), cc.family("cycle:12")]

    def third_k(graph, _):
        seen.append(graph.name)
        return seen.count("queen:6x6") == 3

    for first, done in ((0, ["cycle:9"]), (1, None)):
        seen = []
        with monkeypatch.context() as patch:
            press(patch, home, "count_conflicts", third_k)
            with pytest.raises(KeyboardInterrupt) as stop:
                cc.evaluate(colorer, graphs[first:])
        assert isinstance(stop.value, Interrupted) == (done is not None)
        if done is not None:
            assert [score.graph for score in stop.value.best.scores] == done


def test_ctrl_c_carries_a_colorer_with_what_it_learned():
    def stop(step):
        if step.step == 3:
            os.kill(os.getpid(), signal.SIGINT)

    colorer = cc.Colorer(cc.Recipe(hidden=8, epochs=1000))
    with pytest.raises(Interrupted) as stopped:
        colorer.fit(CYCLES[:4], progress=stop)
    with pytest.raises(ModelError, match="not trained"):
        colorer.embed(CYCLES[0])  # it stays as it was
    colorer = stopped.value.best
    assert (colorer.model.history.steps, colorer.model.history.stopped) == (3, "interrupted")
    assert colorer.embed(CYCLES[0]).shape == (CYCLES[0].n, 8)
