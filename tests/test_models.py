"""Shipped models go by their names, other models by their files."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import concolor as cc
from concolor.colorer import Colorer
from concolor.errors import ModelError, UnknownName
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.learning.recipe import Recipe
from concolor.models import FLEET, LARGE, WITHOUT_WEIGHTS, embedder, load, shipped, suited
from concolor.models.spectral import spectral_sweep


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A model of one's own, in the working directory."""
    monkeypatch.chdir(tmp_path)
    recipe = Recipe(pipeline="v1abs", features="random", feature_dim=8, hidden=16, epochs=1)
    return Colorer(recipe).fit([family("cycle:9")])


def hidden(colorer):
    return colorer.model.recipe.hidden


@pytest.mark.parametrize("name", [name for name in shipped() if name != WITHOUT_WEIGHTS])
def test_a_shipped_model_is_the_recipe_of_its_card_trained_to_the_end(name):
    model = load(name).model
    assert model.recipe == Recipe.named(name)
    assert len(model.history.losses) == model.recipe.epochs and not model.history.stopped
    assert model.network.encoder.steps == model.recipe.steps


@pytest.mark.parametrize("name", sorted(set(shipped()) - {WITHOUT_WEIGHTS}))
def test_many_graphs_are_embedded_as_one_by_one_and_as_in_torch(name):
    model = load(name).model
    graphs = [family("queen:5x5"), family("cycle:9"), family("er:60:0.1")]
    few = replace(model.compiled.recurrence, steps=8)  # so that rounding cannot grow
    compiled = replace(model.compiled, recurrence=few)
    model.network.encoder.steps, steps = 8, model.network.encoder.steps
    try:
        for graph, z in zip(graphs, compiled.embed_many(graphs, seed=3), strict=True):
            x, edges = torch.tensor(model.features(graph, 3)), torch.tensor(graph.edge_index)
            with torch.inference_mode():
                expected = model.network(x, edges).numpy()
            np.testing.assert_allclose(z, compiled.embed(graph, seed=3), atol=1e-5)
            np.testing.assert_allclose(z, expected, atol=1e-4)
    finally:
        model.network.encoder.steps = steps


def test_large_graphs_and_many_of_them_get_the_light_model():
    assert {"general", "light", "sparse", "overlap"} <= set(shipped())
    few, many = family(f"path:{LARGE // 2}"), family(f"path:{LARGE // 2 + 1}")
    assert few.n + few.m <= LARGE < many.n + many.m
    assert (suited(few), suited(many)) == ("general", "sparse")
    assert (suited(few, FLEET - 1), suited(few, FLEET)) == ("general", "sparse")
    assert suited(family("er:600x0.6")) == suited(family("complete:12"), FLEET) == "light"
    assert suited(family("complete:11"), FLEET) == "sparse"  # ten neighbors each


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("interval:100x8", "overlap"),
        ("interval:200x4", "overlap"),  # a mean degree of 8
        ("geometric:400x0.1", "overlap"),
        ("clubs:300x100", "overlap"),
        ("geometric:300x0.05", "sparse"),  # an edge is in one or two triangles
        ("watts:300x6x0.2", "sparse"),
        ("exam:150x600", "light"),
        ("er:80x0.5", "light"),  # half of all pairs are neighbors, so that is chance
        ("queen:8x8", "light"),
    ],
)
def test_cliques_that_overlap_get_weights_of_their_own(name, model):
    assert {suited(family(name, seed=seed), FLEET) for seed in range(3)} == {model}


def test_neither_a_folder_nor_a_file_hides_a_shipped_model(own):
    Path("general").mkdir()
    assert hidden(load("general")) == hidden(load()) != 16
    Path("general").rmdir()
    own.save("general")
    assert hidden(load("general")) == hidden(load()) != 16


@pytest.mark.parametrize("path", ["./general", Path("general"), "m.safetensors", "some/m", "m"])
def test_what_has_a_suffix_or_a_separator_or_is_there_is_a_file(own, path):
    Path("some").mkdir()
    own.save(path)
    assert hidden(load(path)) == 16


@pytest.mark.parametrize("path", ["./general", "general.safetensors", "some/m", Path("m")])
def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="no such model file"):
        load(path)


@pytest.mark.parametrize("path", ["./general", Path("general"), "some/m", "."])
def test_a_folder_is_called_a_folder(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    Path(path).mkdir(parents=True, exist_ok=True)
    with pytest.raises(ModelError, match=r"a folder, expected a model file or one of .*general"):
        load(path)


def test_a_folder_is_no_model_and_names_are_corrected(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("generals").mkdir()
    assert "generals" not in shipped()
    with pytest.raises(UnknownName, match="did you mean 'general'"):
        load("generals")


def test_spectral_is_a_model_without_training():
    graph = family("planted:300x4x0.08")
    colorer, alone = load("spectral"), embedder("spectral")
    z = colorer.embed(graph)
    np.testing.assert_array_equal(z, alone.embed(graph, seed=5))  # no seed, no weights
    np.testing.assert_allclose(np.linalg.norm(z, axis=1), 1, rtol=1e-5)
    found = colorer.sweep(graph)
    assert found.hit() and found.k_star() == spectral_sweep(graph).k_star() == 4
    np.testing.assert_array_equal(
        found.best.colors, cc.color(graph, model="spectral", max_mono=0.05, polish=False).colors
    )
    torch_too = colorer.model.network(torch.tensor(z), torch.empty(2, 0, dtype=torch.long))
    np.testing.assert_allclose(torch_too.numpy(), z, atol=1e-6)


def test_spectral_colors_what_has_no_edges_and_few_nodes():
    for graph in (Graph.from_edges(3, []), Graph.from_edges(1, []), family("path:2")):
        z = load("spectral").embed(graph)
        np.testing.assert_allclose(np.linalg.norm(z, axis=1), 1, rtol=1e-5)
        assert load("spectral").color(graph).is_proper


def test_a_model_without_weights_is_neither_trained_nor_saved(tmp_path):
    colorer = load("spectral")
    with pytest.raises(ModelError, match="nothing to train"):
        Colorer(colorer.recipe).fit([family("cycle:9")], start=colorer)
    with pytest.raises(ModelError, match="goes by its name"):
        colorer.save(tmp_path / "m.safetensors")


def test_spectral_needs_no_torch_and_a_clock_can_forbid_it():
    graph = family("er:60:0.1")
    assert embedder("spectral").embed_within(graph, seed=0, clock=Clock(0)) is None
    program = (
        "import sys, concolor as cc\n"
        "cc.color(cc.family('queen:5x5'), model='spectral', max_mono=0.05, polish=False)\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
