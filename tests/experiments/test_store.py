"""Results survive kills, and workers share what is missing."""

import json
from collections import Counter

import pytest

from concolor.errors import DataNotFound, Interrupted
from concolor.experiments import runner
from concolor.experiments.cells import Compared, Learned
from concolor.experiments.measure import METHODS, Outcome
from concolor.experiments.store import Store, is_current
from concolor.fleet import Workers
from concolor.learning.recipe import Recipe

CELLS = [Compared("null", "myciel/id", seed=seed) for seed in range(8)]


@pytest.mark.slow
def test_workers_share_the_work_and_do_nothing_twice(tmp_path):
    with Workers(2) as pool:
        runner.run(CELLS[:3], Store(tmp_path), executor=pool)
        before = (tmp_path / "compared.jsonl").read_text()
        runner.run(CELLS, Store(tmp_path), executor=pool)
    after = (tmp_path / "compared.jsonl").read_text()
    assert after.startswith(before)  # what is there is not run again
    keys = Counter(json.loads(line)["key"] for line in after.splitlines())
    assert keys == Counter(cell.key for cell in CELLS)
    here = Store(tmp_path / "here")
    runner.run(CELLS[:2], here)
    for key, line in here.lines().items():
        assert Store(tmp_path).lines()[key]["metrics"] == line["metrics"]


def test_a_job_that_fails_does_not_end_the_others(tmp_path, monkeypatch):
    def measured(job, **how):
        if job[0].seed == 1:
            raise DataNotFound("no such data")
        return ((cell, {}) for cell in job)

    monkeypatch.setattr(runner, "measured", measured)
    with pytest.raises(DataNotFound):
        runner.run(CELLS[:4], Store(tmp_path))
    assert {line["seed"] for line in Store(tmp_path).lines().values()} == {0, 2, 3}


def test_a_torn_line_is_passed_over_and_the_next_begins_after_it(tmp_path):
    store = Store(tmp_path)
    store.add(CELLS[0], {"metrics": {"k": 1}})
    with (tmp_path / "compared.jsonl").open("a") as file:
        file.write('{"key":"method=null seed=1 on')
    assert set(store.lines()) == {CELLS[0].key}
    store.add(CELLS[1], {"metrics": {"k": 2}})
    assert set(store.lines()) == {CELLS[0].key, CELLS[1].key}
    assert store.lines()[CELLS[1].key]["metrics"] == {"k": 2}


@pytest.mark.slow
def test_an_interrupted_job_ends_with_its_graph_and_leaves_no_line(tmp_path, monkeypatch):
    tried = []

    def solver(graph, cell, suite, chi):
        tried.append((cell.seed, graph.name))
        if len(tried) == 7:
            raise Interrupted("half a search is no result")
        return Outcome(1, 0, True, 0.0, {1: 0})

    monkeypatch.setitem(METHODS, "null", solver)
    cells = [Compared("null", "queen/ood", seed=seed) for seed in range(3)]
    with pytest.raises(KeyboardInterrupt):
        runner.run(cells, Store(tmp_path))
    assert [seed for seed, _ in tried] == [0] * 5 + [1] * 2
    assert {line["seed"] for line in Store(tmp_path).lines().values()} == {0}


def test_a_result_of_another_recipe_is_run_again():
    cell = Learned("cycles", Recipe(decoder="kmedoids"), "cycles/small")
    line = {"key": cell.key, **json.loads(json.dumps(cell.about))}
    assert runner.missing([cell], {cell.key: line}) == []
    other = {**line, "recipe": {**line["recipe"], "tau": 0.2}}  # an older default
    assert not is_current(cell, other)
    assert runner.missing([cell], {cell.key: other}) == [cell]
    later = {name: value for name, value in line["recipe"].items() if name != "passes"}
    assert is_current(cell, {**line, "recipe": later})  # a field that came later


def test_progress_counts_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "measured", lambda job, **how: ((cell, {}) for cell in job))
    seen = []
    runner.run(CELLS[:2], Store(tmp_path))
    runner.run(CELLS, Store(tmp_path), progress=seen.append)
    assert [state.done for state in seen] == [2, 3, 4, 5, 6, 7]
    assert seen[0].seconds_left is None and seen[-1].seconds_left >= 0
