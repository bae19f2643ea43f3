"""``--workers`` and ``--cluster``: the same list as one process gives."""

import json
import sys

import pytest

import concolor as cc
from concolor.cli import plugins
from concolor.graph.families import family
from concolor.graph.formats import write
from shell import concolor

EASY = ["cycle:9", "complete:6", "petersen"]  # settled before any clock matters


@pytest.fixture
def jobs(tmp_path):
    for n in (12, 18, 24):
        write(family(f"er:{n}x0.3", seed=n), tmp_path / f"g{n}.col")
    (tmp_path / "g15.col").write_text("p edge 3 1\ne 1 9\n")
    return sorted(tmp_path.glob("*.col"))


def timeless(found):
    return [{name: value for name, value in one.items() if name != "seconds"} for one in found]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["color", "solve", "certify", "pareto"])
def test_workers_give_the_list_of_one_process(command, jobs):
    code, out, err = concolor(command, *jobs, "--json", "--quiet")
    assert code == 2 and "node 9" in err and len(json.loads(out)) == 4
    again = concolor(command, *jobs, "--json", "--quiet", "--workers", 2)
    assert (again[0], again[2]) == (code, err)
    assert timeless(json.loads(again[1])) == timeless(json.loads(out))


@pytest.mark.slow
def test_files_and_pages_are_written_here_whoever_made_them(tmp_path):
    words = ["--workers", 2, "-o", tmp_path / "c", "--certificate", tmp_path / "p"]
    code, out, err = concolor("color", *EASY, *words, "--report", tmp_path / "r")
    assert code == 0, err
    assert [line.split()[0] for line in out.splitlines()] == ["graph", *EASY]
    for folder, count in (("c", 3), ("p", 3), ("r", 3)):
        assert len(list((tmp_path / folder).iterdir())) == count
    graph = family("petersen")
    assert cc.verify(graph, tmp_path / "p" / "petersen.json").is_proved
    assert cc.Coloring.load(graph, tmp_path / "c" / "petersen.json").is_proper


@pytest.mark.slow
def test_several_graphs_are_rows_and_files_in_a_folder(tmp_path):
    code, out, _ = concolor("solve", *EASY, "-o", tmp_path / "c", "--quiet")
    assert code == 0 and len(out.splitlines()) == 4 and len(list((tmp_path / "c").iterdir())) == 3
    code, out, _ = concolor("pareto", "petersen", "cycle:5", "--quiet")
    assert [line.split()[-1] for line in out.splitlines()] == ["conflicts", "0", "0"]
    for words in (["solve", *EASY, "--preset", "p.json"], ["certify", *EASY, "--coloring", "c"]):
        code, out, err = concolor(*words)
        assert (code, out) == (2, "") and "is for one graph, got 3" in err


@pytest.mark.slow
def test_labels_and_plugins_reach_the_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(plugins, "loaded", [])
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "from concolor.learning.labels import LABELERS\n"
        "LABELERS['each'] = lambda graph: range(graph.n)\n"
    )
    words = ["train", "cycle:6", "cycle:8", "--set", "epochs=1", "--set", "hidden=8", "--json"]
    words += ["--workers", 2, "-o", tmp_path / "m.safetensors"]
    for more in (["--set", "labels=each"], ["--set", "labels=tabucol"]):
        code, out, err = concolor("--plugin", plugin, *words, *more)
        assert code == 0, err
        assert json.loads(out)["graphs"] == 2


def test_a_cluster_needs_its_extra_and_workers_are_no_cluster(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, out, err = concolor("color", *EASY, "--cluster", "tcp://127.0.0.1:1")
    assert (code, out) == (2, "") and "pip install 'concolor[cluster]'" in err
    code, out, err = concolor("color", *EASY, "--cluster", "tcp://127.0.0.1:1", "--workers", 2)
    assert (code, out) == (2, "") and "not both" in err
