"""How commands end: by Ctrl-C, when nobody reads, and when nothing can be written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import concolor.solvers.pareto as solver
from concolor import evaluation
from concolor.colorer import Colorer
from concolor.coloring import Coloring
from concolor.graph.families import family
from concolor.learning.recipe import Recipe
from limits import press
from shell import concolor

PRINTING = [["info", "petersen"], ["list", "families", "--json"], ["--help"]]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    file = tmp_path_factory.mktemp("model") / "m.safetensors"
    recipe = Recipe(features="random", feature_dim=8, hidden=16, epochs=1)
    Colorer(recipe).fit([family("cycle:12")]).save(file)
    return file


@pytest.fixture
def data(tmp_path):
    for n in (6, 9, 12):
        lines = [f"{v} {(v + 1) % n}\n" for v in range(n)]
        (tmp_path / f"c{n:02}.edges").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize("place", ["sweep", "null"])
def test_ctrl_c_in_eval_gives_the_graphs_that_are_done(place, model, data, monkeypatch):
    """Also where the sweep answers it with what it has, which is no figure of the model."""
    if place == "sweep":
        seen = []  # of the 9-cycle: one k is decoded when it is pressed
        press(
            monkeypatch,
            sys.modules["concolor.decoding.sweep"],
            "count_conflicts",
            lambda graph, _: graph.n == 9 and (seen.append(graph) or len(seen) == 2),
        )
    else:
        press(monkeypatch, evaluation, "null_sweep", lambda graph, **_: graph.n == 9)
    code, out, err = concolor("eval", model, "--data", data, "--json")
    assert code == 130
    assert err == "1 of 3 graphs are done\nconcolor: interrupted\n"
    assert [graph["n"] for graph in json.loads(out)["graphs"]] == [6]
    assert json.loads(out)["k"] == json.loads(out)["graphs"][0]["k"]


@pytest.mark.slow
def test_ctrl_c_in_pareto_gives_the_curve_without_edges_to_delete(monkeypatch):
    press(monkeypatch, solver, "descend", lambda search, *_: search.goal.k == 3)
    code, out, err = concolor("pareto", "queen:5x5", "-k", 5, "--json")
    assert code == 130
    assert err == "k=5 was not reached, only 1..3: give more time\nconcolor: interrupted\n"
    result = json.loads(out)
    assert [row["k"] for row in result["curve"]] == [1, 2, 3]
    assert result["k"] == 5 and "delete" not in result


def test_pareto_that_did_not_reach_k_in_time_exits_with_1(monkeypatch):
    graph = family("cycle:5")
    monkeypatch.setattr(solver, "pareto", lambda graph, **_: {1: Coloring(graph, [0] * graph.n)})
    code, out, err = concolor("pareto", graph.name, "-k", 2, "--json")
    assert (code, err) == (1, "k=2 was not reached, only 1..1: give more time\n")
    assert json.loads(out)["curve"][0]["conflicts"] == 5


def ended(words, **streams):
    """Exit code and standard error of a process."""
    command = [sys.executable, "-m", "concolor", *words]
    done = subprocess.run(command, stderr=subprocess.PIPE, timeout=60, **streams)
    return done.returncode, done.stderr.decode()


@pytest.mark.slow
@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_a_reader_that_went_away_is_no_failure(words):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as nobody:
        assert ended(words, stdout=nobody) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_output_that_cannot_be_written_is_one_line_and_exit_2(words):
    with open("/dev/full", "wb") as full:
        code, err = ended(words, stdout=full)
    assert (code, err.count("\n")) == (2, 1) and "No space left" in err


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="streams are closed by a shell")
def test_a_closed_standard_output_is_one_line_and_exit_2():
    line = '"$0" -m concolor info petersen >&-'
    done = subprocess.run(["sh", "-c", line, sys.executable], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"standard output is closed" in done.stderr


def test_guided_is_named_where_decoders_are_looked_for(model, data):
    code, out, err = concolor("eval", model, "--data", data, "--decoder", "guided")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "got 'guided': guided" in err and "proper by construction" in err
    code, out, err = concolor("list", "decoders")
    assert code == 0 and "guided" not in out and "proper by construction" in err
