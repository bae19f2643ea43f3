"""``concolor train`` refuses before the training what it could not write after it."""

import json
import os

import numpy as np
import pytest

import concolor as cc
from concolor import colorer
from concolor.cli import train as command
from concolor.cli import training as shared
from concolor.errors import InputError
from concolor.learning import train as training
from concolor.learning.judge import Judge
from concolor.learning.recipe import Recipe
from shell import concolor

FEATURELESS = "featureless"  # the recipe for graphs without node features

WORDS = ["train", "cycle:12", "--set", "pipeline=v1abs", "--set", "hidden=16", "--set", "epochs=1"]


@pytest.fixture
def untrained(monkeypatch):
    """Training is a failure of the test."""
    monkeypatch.setattr(training, "label", lambda *_: pytest.fail("it was trained"))


UNWRITABLE = {
    "a folder": (["-o", "folder"], "folder: a folder, expected the file"),
    "this folder": (["-o", "."], "a folder, expected the file"),
    "below a file": (["-o", "file/m"], "file is not a folder"),
    "far below a file": (["-o", "file/a/b/m"], "file is not a folder"),
    "a link to a place below a file": (["-o", "link"], "file is not a folder"),
    "a device": (["-o", os.devnull], "not a regular file"),
    "a folder for the checkpoint": (["-o", "blocked"], "blocked.checkpoint: a folder"),
    "a curve of another kind": (["-o", "m", "--curve", "c.pdf"], "c.pdf: a curve is drawn as .svg"),
    "a curve of no kind": (["-o", "m", "--curve", "c"], "c: a curve is drawn as .svg or .png"),
    "a folder for the curve": (["-o", "m", "--curve", "folder"], "folder: a folder"),
    "a curve below a file": (["-o", "m", "--curve", "file/c.svg"], "file is not a folder"),
}


@pytest.mark.parametrize("case", UNWRITABLE)
def test_what_cannot_be_written_is_refused_before_the_training(untrained, tmp_path, case):
    words, complaint = UNWRITABLE[case]
    (tmp_path / "folder").mkdir()
    (tmp_path / "blocked.checkpoint").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("file/m")
    before = sorted(tmp_path.rglob("*"))
    code, out, err = concolor(*WORDS, *words, cwd=tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write_is_refused(untrained, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    code, _, err = concolor(*WORDS, "-o", "closed/new/m", cwd=tmp_path)
    assert code == 2 and "no permission to write to" in err and "closed" in err


@pytest.mark.slow
def test_new_folders_and_old_files_can_be_written(tmp_path):
    (tmp_path / "old.SVG").write_text("old")
    words = [*WORDS, "-o", "new/folder/m", "--curve", "old.SVG", "--json"]
    for _ in range(2):
        code, out, _ = concolor(*words, cwd=tmp_path)
        assert (code, json.loads(out)["model"]) == (0, "new/folder/m")
    assert (tmp_path / "new/folder/m").is_file()
    assert (tmp_path / "old.SVG").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ('{"colors": [0, 1, 0, 1, [2]]}', "whole numbers >= 0, got [2]"),
        ('[{"colors": ["a", 1, 0, 1, 2]}]', 'whole numbers >= 0, got "a"'),
        ("[[0, 1, 0, 1, 2]]", 'an object with a "colors" list'),
    ],
)
def test_labels_of_another_form_are_refused_in_one_line(untrained, tmp_path, labels, told):
    (tmp_path / "l.json").write_text(labels)
    words = ("cycle:5", "--labels", tmp_path / "l.json", "-o", tmp_path / "m.safetensors")
    code, _, err = concolor("train", *words)
    assert code == 2 and told in err and len(err.splitlines()) == 1


@pytest.fixture
def recipes(monkeypatch):
    """The recipes that would be trained; nothing is."""
    asked = []

    def refuse(recipe, *_args, **_options):
        asked.append(recipe)
        raise InputError("not trained")

    monkeypatch.setattr(colorer, "train", refuse)
    return asked


@pytest.fixture
def files(tmp_path):
    """One graph whose nodes have features, and one without."""
    edges = np.array([[0, 1], [1, 2]])
    cc.write(cc.Graph.from_edges(3, edges, x=np.eye(3)), tmp_path / "words.npz")
    cc.write(cc.Graph.from_edges(3, edges), tmp_path / "bare.col")
    return tmp_path


@pytest.mark.parametrize(
    ("graphs", "name", "why"),
    [
        (["words.npz", "words.npz"], "default", "all graphs have node features"),
        (["bare.col"], FEATURELESS, "1 of 1 graphs have no node features"),
        (["words.npz", "bare.col", "bare.col"], FEATURELESS, "2 of 3 graphs have no node features"),
        (["--data", "."], FEATURELESS, "1 of 2 graphs have no node features"),
    ],
)
def test_without_a_recipe_the_graphs_decide_and_it_says_so(recipes, files, graphs, name, why):
    code, out, err = concolor("train", *graphs, "-o", "m", cwd=files)
    assert (code, out, recipes) == (2, "", [Recipe.named(name)])
    said, end = err.splitlines()
    assert said.startswith(f"recipe {name}: {why}") and end == "concolor: not trained"
    assert ("--from general" in said) == (name != "default")
    assert concolor("train", *graphs, "-o", "m", "--quiet", cwd=files)[2] == f"{end}\n"


def test_a_recipe_that_is_named_is_taken_and_changes_come_on_top(recipes, files):
    words = ("train", "bare.col", "-o", "m")
    _, _, err = concolor(*words, "--recipe", "abs", "--set", "tau=0.5", cwd=files)
    assert err == "concolor: not trained\n"
    concolor(*words, "--set", "epochs=3", "--set", "seed=2", cwd=files)
    concolor(*words, "--set", "epochs=3", "--set", "seed=2", "--seed", 5, cwd=files)
    bare = Recipe.named(FEATURELESS)
    assert recipes == [
        Recipe.named("abs").but(tau=0.5),
        bare.but(epochs=3, seed=2),
        bare.but(epochs=3, seed=5),
    ]


def test_families_are_drawn_by_the_seed_of_the_recipe(monkeypatch):
    drawn = []
    monkeypatch.setattr(shared, "load_graph", lambda word, seed, quiet: drawn.append(seed))
    monkeypatch.setattr(command, "suited_recipe", lambda graphs: pytest.fail("as wanted"))
    for words in ([], ["--set", "seed=4"], ["--seed", 6], ["--set", "seed=4", "--seed", 6]):
        with pytest.raises(pytest.fail.Exception):
            concolor("train", "er:20x0.2", *words, "-o", "m")
    assert drawn == [0, 4, 6, 6]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("conflicts", "kept", "told"),
    [
        ([0.055, 0.05, 0.042], 2, "kept epoch 2: conflicts on 1 held-out graph 5.50% -> 4.20%"),
        ([0.055, 0.06, 0.055], 0, "the start was best: nothing gained on 1 held-out graph"),
    ],
)
def test_going_on_says_which_epoch_was_kept(conflicts, kept, told, tmp_path, monkeypatch):
    code, *_ = concolor(*WORDS, "-o", "start.safetensors", "-q", cwd=tmp_path)
    graphs = [f"cycle:{n}" for n in range(10, 15)]
    words = ["train", *graphs, "--from", "start.safetensors", "--set", "epochs=2", "-q"]
    left = [*conflicts, *conflicts]
    monkeypatch.setattr(Judge, "conflicts", lambda judge, network: left.pop(0))
    more, out, _ = concolor(*words, "-o", "m.safetensors", cwd=tmp_path)
    assert (code, more) == (0, 0)
    assert told in out
    _, out, _ = concolor(*words, "-o", "m.safetensors", "--json", cwd=tmp_path)
    expected = {"graphs": 1, "kept": kept, "before": 0.055, "after": min(conflicts)}
    assert json.loads(out)["held_out"] == expected
    kept_model = cc.Colorer.load(tmp_path / "m.safetensors").model.history
    assert (kept_model.kept, kept_model.after) == (kept, min(conflicts))


@pytest.mark.slow
def test_going_on_with_few_graphs_says_that_none_is_held_out(tmp_path):
    concolor(*WORDS, "-o", "start.safetensors", "-q", cwd=tmp_path)
    words = ["train", "cycle:12", "--from", "start.safetensors", "-o", "m.safetensors"]
    _, out, err = concolor(*words, cwd=tmp_path)
    assert "fewer than 5 graphs: none is held out" in err
    assert "held-out" not in out
    _, out, err = concolor(*words, "--set", "held_out=0", cwd=tmp_path)
    assert "held" not in err + out
