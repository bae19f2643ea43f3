"""``concolor solve`` and ``concolor pareto`` as a user runs them."""

import json
import signal
import subprocess
import sys

import pytest

from concolor.graph.families import family
from shell import concolor


def solved(*words):
    code, out, err = concolor("solve", *words, "--json", "--quiet")
    assert err == ""
    return code, json.loads(out)


@pytest.mark.parametrize("method", ["dsatur", "largest-first", "rlf", "smallest-last", "tabucol"])
def test_classical_methods_give_proper_colorings(method):
    code, result = solved("queen:6x6", "--method", method, "--time-limit", 5)
    assert (code, result["proper"], result["hit"], result["method"]) == (0, True, True, method)
    assert result["chi_ref"] == 7 <= result["k"] == len(set(result["colors"]))


def test_at_most_k_colors_may_leave_conflicts_and_says_so():
    code, result = solved("complete:5", "-k", 3, "--time-limit", 1)
    assert (code, result["k"], result["conflicts"], result["hit"]) == (1, 3, 2, False)


def test_few_colors_within_a_budget():
    code, result = solved("queen:7x7", "--max-mono", 0.1, "--time-limit", 2)
    assert code == 0
    assert result["mono"] <= 0.1
    assert result["k"] < 7


def test_exact_reports_its_proof():
    code, result = solved("petersen", "--method", "exact")
    assert (code, result["lower"], result["upper"], result["proved"]) == (0, 3, 3, True)


@pytest.mark.parametrize(
    "words", [["pi-gnn"], ["pi-gnn", "--variant", "gcn"], ["full-gcn"], ["pi-gnn", "--faithful"]]
)
def test_neural_methods_color_a_wheel(words):
    _, result = solved("wheel:9", "-k", 3, "--time-limit", 10, "--method", *words)
    assert result["k"] <= 3
    assert result["conflicts"] <= 2


def test_presets_by_node_name_are_kept_and_contradictions_refused(tmp_path):
    (tmp_path / "g.csv").write_text("source,target\nann,bob\nbob,cid\n")
    wish = tmp_path / "wish.json"
    wish.write_text('{"ann": 1, "cid": 0}')
    _, result = solved(tmp_path / "g.csv", "-k", 3, "--preset", wish)
    assert (result["colors"][0], result["colors"][2], result["proper"]) == (1, 0, True)
    wish.write_text('{"ann": 1, "bob": 1}')
    code, _, err = concolor("solve", tmp_path / "g.csv", "-k", 3, "--preset", wish)
    assert code == 2
    assert "ann and bob are adjacent and both preset to color 1" in err
    for bad in ('{"dan": 1}', '{"ann": "red"}', "[1]", "{"):
        wish.write_text(bad)
        code, _, err = concolor("solve", tmp_path / "g.csv", "-k", 3, "--preset", wish)
        assert (code, err.count("\n")) == (2, 1)


def test_a_start_and_an_output_file(tmp_path):
    start = tmp_path / "start.json"
    start.write_text(json.dumps({"colors": [0, 1, 0, 1, 2]}))
    out = tmp_path / "out.json"
    _, result = solved("cycle:5", "--start", start, "-k", 3, "-o", out)
    assert result["proper"]
    assert json.loads(out.read_text())["colors"] == result["colors"]


def test_pareto_falls_to_a_proper_coloring_and_lists_edges_to_delete():
    code, out, _ = concolor("pareto", "petersen", "-k", 2, "--json", "--quiet")
    result = json.loads(out)
    conflicts = [row["conflicts"] for row in result["curve"]]
    assert (code, conflicts) == (0, [15, 3, 0])
    edges = {tuple(map(str, edge)) for edge in family("petersen").edges.tolist()}
    assert len(result["delete"]) == 3
    assert {tuple(edge) for edge in result["delete"]} <= edges


def test_ctrl_c_gives_the_best_so_far_and_exits_with_130():
    words = ["-m", "concolor", "solve", "queen:11x11", "-k", "10", "--time-limit", "60", "--json"]
    running = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    for line in running.stderr:  # the first line of progress: it is under way
        if b"best" in line:
            break
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)
    result = json.loads(out)
    assert (running.returncode, result["k"] <= 10) == (130, True)
    assert result["conflicts"] > 0


@pytest.mark.parametrize(
    "words",
    [
        ["solve", "petersen", "--method", "tabu"],
        ["solve", "petersen", "-k", "2", "--max-mono", "0.1"],
        ["solve", "petersen", "--method", "rlf", "--threads", "2"],
        ["solve", "petersen", "--start", "nowhere.json"],
        ["solve", "petersen", "--method", "tabucol", "--faithful"],
        ["solve", "petersen", "--method", "pi-gnn", "--variant", "gat"],
        ["pareto", "petersen", "-k", "0"],
    ],
)
def test_bad_wishes_are_refused(words, tmp_path):
    code, out, err = concolor(*words, cwd=tmp_path)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


def test_pareto_keeps_rules_and_begins_where_they_allow(tmp_path):
    (tmp_path / "g.csv").write_text("source,target\nann,bob\nbob,cid\ncid,ann\n")
    fixed, closed = tmp_path / "fixed.json", tmp_path / "closed.json"
    fixed.write_text('{"ann": 1}')
    closed.write_text('{"bob": [0, 2], "cid": [0]}')
    words = ["pareto", tmp_path / "g.csv", "--preset", fixed, "--forbid", closed]
    code, out, _ = concolor(*words, "-k", 3, "--json", "--quiet")
    result = json.loads(out)
    assert (code, [row["k"] for row in result["curve"]]) == (0, [2, 3, 4])
    assert [row["conflicts"] for row in result["curve"]] == [3, 1, 0]
    assert result["delete"] == [["ann", "bob"]]
    code, out, err = concolor(*words, "-k", 1)
    assert (code, out, err.count("\n")) == (2, "", 1) and "color 1 is out of range 0..0" in err
    fixed.write_text('{"dan": 1}')
    code, out, err = concolor(*words)
    assert (code, out) == (2, "") and "dan" in err


def test_a_method_that_knows_no_rules_refuses_them(tmp_path):
    wish = tmp_path / "fixed.json"
    wish.write_text('{"0": 3}')
    for k in ([], ["-k", 4]):
        code, out, err = concolor("solve", "cycle:5", "--method", "exact", "--preset", wish, *k)
        assert (code, out) == (2, "") and "preset" in err
