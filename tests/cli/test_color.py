"""``concolor color``: what its table says, where its files go, and how Ctrl-C ends it."""

import json
import re
import sys

import numpy as np
import pytest

from concolor import certificates
from concolor.answer import stages
from concolor.cli import fleets
from concolor.coloring import Coloring
from concolor.graph.families import family
from concolor.learning.embedder import CompiledModel
from concolor.models.spectral import spectral_sweep
from concolor.solvers import null
from limits import press
from shell import concolor

THREE = ["queen:5x5", "cycle:9", "er:100x0.5"]  # bounds settle the first two


def table(*words):
    """The rows of the printed table, cells by their heads."""
    _, out, _ = concolor("color", *words, "--quiet")
    heads, *rows = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()]
    return [dict(zip(heads, row, strict=True)) for row in rows]


def printed(*words):
    code, out, err = concolor("color", *words, "--json")
    return code, json.loads(out), err


@pytest.mark.slow
def test_a_control_that_missed_is_a_dash_under_a_head_that_says_the_rule():
    small, dense = table("cycle:4", "complete:40", "--no-polish")
    for row, name in ((small, "cycle:4"), (dense, "complete:40")):
        k, _, hit = null.null_sweep(family(name), k_max=32, max_mono=0.05)
        assert hit and row["null k (mono<=0.05)"] == str(k)
        spectral = spectral_sweep(family(name))
        assert spectral.hit() and row["spectral k (mono<=0.05)"] == str(spectral.k_star())
    (dense,) = table("complete:40", "--max-mono", 0.01, "--no-polish")
    assert dense["null k (mono<=0.01)"] == dense["spectral k (mono<=0.01)"] == "-"


def test_where_bounds_settle_a_graph_there_is_no_learned_figure_and_no_null():
    (row,) = table("complete:9", "-k", 4)
    assert row["conflicts"] == "6"  # parts of 2, 2, 2 and 3 nodes
    assert (row["null conflicts"], row["raw conflicts"], row["proved"]) == ("-", "-", "yes")
    assert row["spectral conflicts"] == "-"


@pytest.mark.slow
def test_a_raw_sweep_that_missed_is_a_dash_too():
    words = ["er:100:0.9", "--max-mono", 0, "--time-limit", 1]
    (row,) = table(*words)
    _, result, _ = printed(*words)
    assert row["raw k* (mono<=0)"] == "-" and float(row["raw mono"]) > 0
    assert not result["raw"]["k_star_hit"] and not result["null_hit"]


@pytest.mark.slow
def test_with_k_the_conflicts_of_the_controls_stand_beside_ours():
    (row,) = table("complete:9", "-k", 4, "--no-polish")
    assert row["null conflicts"] == str(null.null(family("complete:9"), 4).conflicts)
    assert "null_k" not in row and int(row["raw conflicts"]) >= 6
    _, alone, _ = printed("complete:9", "-k", 4, "--no-polish", "--model", "spectral")
    assert row["spectral conflicts"] == str(alone["spectral_conflicts"]) == str(alone["conflicts"])


def test_a_page_of_a_graph_without_nodes(tmp_path):
    page = tmp_path / "r.html"
    code, _, _ = concolor("color", "-", "--report", page, stdin=b"p edge 0 0\n")
    assert code == 0 and "Spectral: eigenvectors" in page.read_text()


@pytest.mark.slow
def test_no_graph_overwrites_the_file_of_another(tmp_path):
    for place, name in enumerate(["x/a.col", "y/a.col", "z/a-1.col", "w/a.col"]):
        file = tmp_path / name
        file.parent.mkdir()
        file.write_text(f"p edge {place + 2} 1\ne 1 2\n")
    graphs = [*sorted(tmp_path.glob("[xy]/*")), *tmp_path.glob("z/*"), *tmp_path.glob("w/*")]
    assert concolor("color", *graphs, "--no-polish", "-o", tmp_path / "all")[0] == 0
    sizes = {file.name: json.loads(file.read_text())["n"] for file in (tmp_path / "all").iterdir()}
    assert sizes == {"a-0.json": 2, "a-2.json": 3, "a-1.json": 4, "a-3.json": 5}


@pytest.mark.slow
@pytest.mark.parametrize("graphs", [["cycle:5"], ["cycle:5", "cycle:6"]])
def test_a_folder_may_have_a_dot_in_its_name(tmp_path, graphs):
    folder = tmp_path / "res.v2"
    words = ["color", *graphs, "--no-polish", "-o", folder]
    assert concolor(*words)[0] == 2
    folder.mkdir()
    assert concolor(*words)[0] == 0
    assert len(list(folder.iterdir())) == len(graphs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("home", "name"),
    [(stages, "guided"), (stages, "null_of"), (certificates, "certify")],
    ids=["guided", "null", "certify"],
)
def test_ctrl_c_amid_a_graph_keeps_its_coloring_and_those_before_it(
    home, name, monkeypatch, tmp_path
):
    press(monkeypatch, home, name, lambda graph, *_, **__: graph.name == "er:100x0.5")
    words = [*THREE, "petersen", "--certify", "--time-limit", 1.5, "-o", tmp_path]
    code, results, err = printed(*words)
    assert (code, err) == (130, "concolor: interrupted\n")
    assert [result["graph"] for result in results] == THREE
    assert all(result["proper"] for result in results)
    assert {"null_k", "spectral_k", "lower", "certificate"} <= set(results[1])
    assert "certificate" not in results[2] and results[2]["lower"] >= 2
    for result in results:
        saved = tmp_path / f"{result['graph'].replace(':', '_')}.json"
        assert json.loads(saved.read_text())["colors"] == result["colors"]
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.slow
def test_ctrl_c_before_the_model_alone_has_answered_prints_what_is_done(monkeypatch):
    press(monkeypatch, stages, "sweep_of", lambda _, graph, *__, **___: graph.name == "cycle:9")
    code, results, err = printed(*THREE, "--no-polish")
    assert (code, err, len(results)) == (130, "concolor: interrupted\n", 1)
    assert Coloring(family("queen:5x5"), np.array(results[0]["colors"])).is_proper


@pytest.mark.slow
def test_ctrl_c_before_anything_was_found_waits_for_a_proper_coloring(monkeypatch):
    press(monkeypatch, stages, "saturated", lambda *_: True)
    code, results, err = printed(*THREE)
    assert (code, err, len(results)) == (130, "concolor: interrupted\n", 1)
    assert Coloring(family(THREE[0]), np.array(results[0]["colors"])).is_proper
    assert results[0]["start"] in ("dsatur", "rlf", "first fit")


@pytest.mark.slow
def test_ctrl_c_in_the_embedding_gives_the_coloring_that_there_is(monkeypatch):
    press(monkeypatch, CompiledModel, "embed_within", lambda *_, **__: True)
    code, results, err = printed(*THREE, "petersen")
    assert (code, err) == (130, "concolor: interrupted\n")
    assert [result["graph"] for result in results] == THREE
    assert results[2]["proper"] and results[2]["raw"] is None


def test_a_graph_that_cannot_be_read_is_reported_in_its_place(tmp_path):
    broken = tmp_path / "broken.col"
    broken.write_text("p edge 3 1\ne 1 9\n")
    code, results, err = printed("cycle:5", broken, "nowhere.col", "petersen")
    assert code == 2
    assert [result["graph"] for result in results] == [
        *("cycle:5", str(broken), "nowhere.col", "petersen")
    ]
    assert "node 9" in results[1]["error"] and "cannot be read" in results[2]["error"]
    assert err.splitlines() == [
        f"concolor: {results[1]['error']}",
        f"concolor: {results[2]['error']}",
    ]
    code, out, err = concolor("color", "cycle:5", broken, "petersen", "--quiet")
    assert code == 2 and "node 9" in err
    assert [line.split()[0] for line in out.splitlines()] == ["graph", "cycle:5", "petersen"]
    assert concolor("color", broken)[:2] == (2, "")


def test_answers_are_printed_as_they_come(tmp_path, monkeypatch):
    """What was colored is on standard output before the next graph is read."""
    seen = []
    monkeypatch.setattr(
        fleets,
        "load_graph",
        lambda word, *_, **__: seen.append(sys.stdout.getvalue().count("proper")) or family(word),
    )
    code, results, _ = printed("cycle:5", "cycle:6", "cycle:7")
    assert (code, len(results), seen) == (0, 3, [0, 1, 2])


def test_a_limit_leaves_out_what_does_not_fit_and_says_so():
    code, result, _ = printed("queen:10x10", "--time-limit", 0)
    assert code == 0 and result["proper"]
    assert result["raw"] is result["null_k"] is result["spectral_k"] is None
    assert {"start", "model", "lower", "proved", "left_out", "dsatur"} <= set(result)
