"""Results survive kills and are shared by processes."""

import json
import subprocess
import sys
import time
from collections import Counter

import pytest

from concolor.errors import Interrupted
from concolor.experiments import runner
from concolor.experiments.cells import Compared, Learned
from concolor.experiments.measure import METHODS, Outcome
from concolor.experiments.store import Store, is_current
from concolor.learning.recipe import Recipe

CELLS = [Compared("null", "myciel/id", seed=seed) for seed in range(8)]

PROGRAM = """
import sys, time
from concolor.experiments import runner
from concolor.experiments.cells import Compared
from concolor.experiments.store import Store

def measured(job):
    time.sleep(0.1)
    yield from ((cell, {"metrics": {"k": cell.seed}}) for cell in job)

runner.measured = measured
cells = [Compared("null", "myciel/id", seed=seed) for seed in range(8)]
runner.run(cells, Store(sys.argv[1]))
"""


def start(folder):
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)])


def written(folder):
    path = folder / "compared.jsonl"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.slow
def test_processes_share_the_work_and_do_nothing_twice(tmp_path):
    workers = [start(tmp_path) for _ in range(3)]
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    keys = Counter(json.loads(line)["key"] for line in written(tmp_path))
    assert keys == Counter(cell.key for cell in CELLS)


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path):
    worker = start(tmp_path)
    deadline = time.monotonic() + 60
    while len(written(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    worker.kill()
    worker.wait()
    before = written(tmp_path)
    assert 2 <= len(before) < len(CELLS)
    assert start(tmp_path).wait(60) == 0
    after = written(tmp_path)
    assert after[: len(before)] == before
    assert sorted(json.loads(line)["seed"] for line in after) == list(range(8))


def test_a_torn_line_is_passed_over_and_the_next_begins_after_it(tmp_path):
    store = Store(tmp_path)
    store.add(CELLS[0], {"metrics": {"k": 1}})
    with (tmp_path / "compared.jsonl").open("a") as file:
        file.write('{"key":"method=null seed=1 on')
    assert set(store.lines()) == {CELLS[0].key}
    store.add(CELLS[1], {"metrics": {"k": 2}})
    assert set(store.lines()) == {CELLS[0].key, CELLS[1].key}
    assert store.lines()[CELLS[1].key]["metrics"] == {"k": 2}


def test_a_claim_is_exclusive_and_ends_with_its_block(tmp_path):
    one, other = Store(tmp_path), Store(tmp_path)
    with one.claim("work") as mine, other.claim("work") as theirs, other.claim("else") as free:
        assert (mine, theirs, free) == (True, False, True)
    with other.claim("work") as now:
        assert now


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
    monkeypatch.setattr(runner, "measured", lambda job: ((cell, {}) for cell in job))
    seen = []
    runner.run(CELLS[:2], Store(tmp_path))
    runner.run(CELLS, Store(tmp_path), progress=seen.append)
    assert [state.done for state in seen] == [2, 3, 4, 5, 6, 7]
    assert seen[0].seconds_left is None and seen[-1].seconds_left >= 0
