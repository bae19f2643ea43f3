"""``concolor color``: what its table says, where its files go, and how Ctrl-C ends it."""

import json
import re

import numpy as np
import pytest

from concolor import answer, certificates
from concolor.colorer import Colorer
from concolor.coloring import Coloring
from concolor.graph.families import family
from concolor.solvers import null
from limits import press
from shell import concolor

THREE = ["queen:5x5", "cycle:9", "queen:6x6"]  # bounds settle the first two


def table(*words):
    """The rows of the printed table, cells by their heads."""
    _, out, _ = concolor("color", *words, "--quiet")
    heads, *rows = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()]
    return [dict(zip(heads, row, strict=True)) for row in rows]


def printed(*words):
    code, out, err = concolor("color", *words, "--json")
    return code, json.loads(out), err


@pytest.mark.slow
def test_a_null_that_missed_is_a_dash_under_a_head_that_says_the_rule():
    small, dense = table("cycle:4", "complete:40", "--time-limit", 0.1)
    assert (small["null k (mono<=0)"], dense["null k (mono<=0)"]) == ("2", "-")
    assert dense["k"] == "40"
    (dense,) = table("complete:40", "--max-mono", 0.1, "--time-limit", 0.1)
    k, _, hit = null.null_sweep(family("complete:40"), k_max=32, max_mono=0.1)
    assert hit and dense["null k (mono<=0.1)"] == str(k)


@pytest.mark.slow
def test_a_raw_sweep_that_missed_is_a_dash_too():
    words = ["er:100:0.9", "--max-mono", 0, "--time-limit", 0.1]
    (row,) = table(*words)
    _, result, _ = printed(*words)
    assert row["raw k* (mono<=0)"] == "-" and float(row["raw mono"]) > 0
    assert not result["raw"]["k_star_hit"] and not result["null_hit"]


@pytest.mark.slow
def test_with_k_the_conflicts_of_the_null_stand_beside_ours():
    (row,) = table("complete:9", "-k", 4, "--time-limit", 0.1)
    fewest = min(null.null(family("complete:9"), k).conflicts for k in range(1, 5))
    assert row["null conflicts"] == str(fewest)
    assert row["conflicts"] == "6"  # parts of 2, 2, 2 and 3 nodes
    assert "null_k" not in row and int(row["raw conflicts"]) >= 6


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
    [(answer, "guided"), (null, "null_sweep"), (certificates, "certify")],
    ids=["guided", "null", "certify"],
)
def test_ctrl_c_amid_a_graph_keeps_its_coloring_and_those_before_it(
    home, name, monkeypatch, tmp_path
):
    press(monkeypatch, home, name, lambda graph, *_, **__: graph.name == "queen:6x6")
    words = [*THREE, "petersen", "--certify", "--time-limit", 0.2, "-o", tmp_path]
    code, results, err = printed(*words)
    assert (code, err) == (130, "concolor: interrupted\n")
    assert [result["graph"] for result in results] == THREE
    assert all(result["proper"] for result in results)
    assert {"null_k", "lower", "certificate"} <= set(results[1])
    assert "certificate" not in results[2] and results[2]["lower"] >= 2
    for result in results:
        saved = tmp_path / f"{result['graph'].replace(':', '_')}.json"
        assert json.loads(saved.read_text())["colors"] == result["colors"]
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.slow
def test_ctrl_c_before_anything_was_found_says_so_and_prints_what_is_done(monkeypatch):
    press(monkeypatch, Colorer, "sweep", lambda _, graph, **__: graph.name == "cycle:9")
    code, results, err = printed(*THREE, "--no-polish")
    assert (code, err, len(results)) == (130, "concolor: interrupted\n", 1)
    assert Coloring(family("queen:5x5"), np.array(results[0]["colors"])).is_proper

    press(monkeypatch, Colorer, "embed_many", lambda *_, **__: True)
    code, results, err = printed(*THREE)
    assert (code, err) == (130, "concolor: interrupted\n")
    assert [result["graph"] for result in results] == THREE[:2]  # they needed no model
    press(monkeypatch, Colorer, "embed_many", lambda *_, **__: True)
    assert concolor("color", THREE[2], "--json") == (130, "", "concolor: interrupted\n")
