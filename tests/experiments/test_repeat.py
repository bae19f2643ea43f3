"""Cells that are measured again are compared graph by graph."""

import json

import pytest

from concolor.colorer import Colorer
from concolor.experiments.cells import Compared, Learned
from concolor.experiments.measure import decode
from concolor.experiments.repeat import repeated, sample
from concolor.experiments.runner import outdated, run
from concolor.experiments.store import Store
from concolor.learning.recipe import Recipe
from shell import concolor

TINY = Recipe(features="random", pipeline="v1abs", hidden=8, epochs=1, decoder="kmedoids")
CELLS = [Learned("color-myciel", TINY, "myciel/id"), Compared("null", "myciel/id")]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("results"))
    run(CELLS, store)
    return store


@pytest.mark.slow
def test_cells_repeat_and_a_changed_line_is_noticed(store):
    lines = store.lines()
    assert [one.is_same for one in repeated(CELLS, lines)] == [True, True]
    key = CELLS[0].key
    graphs = {**lines[key]["graphs"], "k": [k + 1 for k in lines[key]["graphs"]["k"]]}
    (found,) = repeated(CELLS[:1], {**lines, key: {**lines[key], "graphs": graphs}})
    assert not found.is_same and found.apart == found.graphs == 1
    metrics = {**lines[key]["metrics"], "k": 99.0}
    (found,) = repeated(CELLS[:1], {**lines, key: {**lines[key], "metrics": metrics}})
    assert not found.is_same and found.apart == 0


@pytest.mark.slow
def test_only_cheap_cells_that_end_by_themselves_are_drawn(store):
    lines = store.lines()
    assert {cell.key for cell in sample(CELLS, lines, 5)} == {cell.key for cell in CELLS}
    key = CELLS[0].key
    slow = {**lines, key: {**lines[key], "seconds": {"train": 99.0}}}
    assert sample(CELLS, slow, 5) == CELLS[1:]
    timed = Compared("tabucol", "myciel/id", 1.0)
    assert sample([timed], {timed.key: {**lines[CELLS[1].key], **timed.about}}, 5) == []
    assert len(sample(CELLS, lines, 1)) == 1


def test_what_another_commit_measured_is_outdated_but_for_clocks(store):
    lines = store.lines()
    now = lines[CELLS[0].key]["commit"]
    assert outdated(CELLS, lines, now) == []
    assert outdated([*CELLS, *CELLS], lines, "another") == CELLS
    timed = Compared("tabucol", "myciel/id", 1.0)
    assert outdated([timed], {timed.key: {"commit": None, **timed.about}}, now) == []
    assert outdated([Compared("null", "myciel/ood")], lines, now) == []  # missing, not old
    key = CELLS[0].key
    silent = {name: value for name, value in lines[key].items() if name != "commit"}
    assert outdated(CELLS, {**lines, key: silent}, now) == CELLS[:1]
    other = {**silent, "recipe": {**silent["recipe"], "tau": 0.9}}
    assert outdated(CELLS, {**lines, key: other}, now) == []  # of another recipe: missing


@pytest.mark.slow
def test_a_run_anew_replaces_each_line_once_it_is_measured(tmp_path, monkeypatch):
    store = Store(tmp_path)
    run(CELLS, store)
    file = tmp_path / "color-myciel.jsonl"
    run(CELLS, store, anew=True)
    assert file.read_text().count("\n") == 1  # of this commit
    monkeypatch.setattr("concolor.experiments.measure.commit", lambda: "later")
    run(CELLS, store)
    assert file.read_text().count("\n") == 1
    run(CELLS, store, anew=True)
    run(CELLS, store, anew=True)
    assert file.read_text().count("\n") == 2
    assert {line["commit"] for line in store.lines().values()} == {"later"}
    assert all(one.is_same for one in repeated(CELLS, store.lines()))


@pytest.mark.slow
def test_models_are_kept_and_give_what_the_lines_say(tmp_path):
    cell = CELLS[0]
    run([cell], Store(tmp_path), models=tmp_path / "models")
    (file,) = (tmp_path / "models").iterdir()
    assert file.name == cell.model_name
    (figures,) = decode([cell], Colorer.load(file))
    line = Store(tmp_path).lines()[cell.key]
    assert figures["metrics"] == line["metrics"] and line["device"] == "cpu"


@pytest.mark.slow
def test_the_command_says_whether_results_repeat(tmp_path):
    words = ("reproduce", "color-myciel-detail", "--check", "2", "--json", "--results", tmp_path)
    code, _, err = concolor(*words)
    assert code == 2 and "no cheap cell" in err
    null = [Compared("null", "myciel/id", seed=seed) for seed in range(2)]
    run([*null, Compared("facts", "myciel/id")], Store(tmp_path))
    code, out, _ = concolor(*words)
    assert code == 0 and [one["same"] for one in json.loads(out)] == [True, True]
    file = tmp_path / "compared.jsonl"
    file.write_text(file.read_text().replace('"conflicts":[', '"conflicts":[1'))
    code, out, _ = concolor(*words)
    assert code == 1 and not any(one["same"] for one in json.loads(out))
