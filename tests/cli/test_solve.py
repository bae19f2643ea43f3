"""``concolor solve`` and ``concolor pareto`` as a user runs them."""

import json
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from concolor.cli.solve import _told as told
from concolor.coloring import Coloring
from concolor.goal import Progress
from concolor.graph.families import family
from concolor.graph.formats import read, write
from shell import concolor
from timetables import FIXED, SLOTS, timetable


def solved(*words):
    code, out, err = concolor("solve", *words, "--json", "--quiet")
    assert err == ""
    return code, json.loads(out)


@pytest.mark.parametrize(
    "method",
    [
        *("dsatur", "largest-first", "rlf", "smallest-last"),
        *("tabucol", "weighted", "partialcol", "memetic", "portfolio"),
    ],
)
def test_classical_methods_give_proper_colorings(method):
    code, result = solved("queen:6x6", "--method", method, "--time-limit", 5)
    assert (code, result["proper"], result["hit"], result["method"]) == (0, True, True, method)
    assert result["lower"] == 7 <= result["k"] == len(set(result["colors"]))


def test_a_long_search_tells_k_conflicts_generation_and_seconds(monkeypatch):
    """One line for each slice, as if each took long."""
    monkeypatch.setattr("concolor.cli.common.LINE_SECONDS", 0.0)
    monkeypatch.setattr("concolor.cli.common.time.monotonic", iter(range(10**9)).__next__)
    words = ("queen:7x7", "--method", "memetic", "-k", 6, "--time-limit", 0.5)
    code, _, err = concolor("solve", *words)
    assert code == 1
    told = r"k 6: \d+ conflicts, generation \d+, 0 s; best 6 with \d+ conflicts"
    assert re.search(rf"memetic \d+/\d+ queen:7x7: {told}", err), err[:500]


def test_at_most_k_colors_may_leave_conflicts_and_says_so():
    code, result = solved("complete:5", "-k", 3, "--time-limit", 1)
    assert (code, result["k"], result["conflicts"], result["hit"]) == (1, 3, 2, False)


@pytest.mark.slow
def test_few_colors_within_a_budget():
    code, result = solved("queen:7x7", "--max-mono", 0.1, "--time-limit", 2)
    assert code == 0
    assert result["mono"] <= 0.1
    assert result["k"] < 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "minimized", "best"),
    [
        ([], 0, "k", 3),
        (["-k", 3], 0, "conflicts", 0),
        (["-k", 2], 1, "conflicts", 3),
        (["--max-mono", 0.2], 0, "k", 2),
    ],
)
@pytest.mark.parametrize("started", [False, True])
def test_exact_reports_its_proof_whatever_the_goal(words, code, minimized, best, started, tmp_path):
    start = tmp_path / "start.json"
    start.write_text(json.dumps({"colors": list(range(10))}))
    words = [*words, "--start", start] if started else words
    found, result = solved("petersen", "--method", "exact", *words)
    assert (found, result["minimized"], result["proved"]) == (code, minimized, True)
    assert result["lower"] == result["upper"] == result[minimized] == best


@pytest.mark.slow
@pytest.mark.parametrize("goal", [[], ["-k", "3"], ["--max-mono", "0.1"]])
@pytest.mark.parametrize("words", [["--variant", "sage"], ["--threads", "3"], ["--faithful"]])
def test_exact_swallows_no_option(words, goal):
    code, out, err = concolor("solve", "petersen", "--method", "exact", *goal, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"exact does not understand {words[0][2:]}" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["pi-gnn"], ["pi-gnn", "--variant", "gcn"], ["full-gcn"], ["pi-gnn", "--faithful"]]
)
def test_neural_methods_color_a_wheel(words):
    _, result = solved("wheel:9", "-k", 3, "--time-limit", 10, "--method", *words)
    assert result["k"] <= 3
    assert result["conflicts"] <= 2


@pytest.mark.slow
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


@pytest.mark.parametrize("suffix", ["json", "csv", "sol"])
def test_a_start_is_read_as_it_was_written(suffix, tmp_path):
    """Nodes with names that need quotes, colors with gaps."""
    (tmp_path / "g.csv").write_text('source,target\n"a b",c\nc,"d,""e"\n"d,""e",3\n')
    graph, saved = read(tmp_path / "g.csv"), tmp_path / f"c.{suffix}"
    Coloring(graph, np.array([5, 0, 2, 7])).save(saved)
    assert Coloring.load(graph, saved).colors.tolist() == [5, 0, 2, 7]
    code, result = solved(tmp_path / "g.csv", "--start", saved, "-o", saved)
    assert (code, Coloring.load(graph, saved).colors.tolist()) == (0, result["colors"])


BAD_COLORS = {
    "ragged.json": '{"colors": [0, 1, [2]]}',
    "nested.json": '{"colors": [[0], [1], [2]]}',
    "fraction.json": '{"colors": [0, 1, 0.5]}',
    "truth.json": '{"colors": [0, 1, true]}',
    "nothing.json": '{"colors": [0, 1, null]}',
    "negative.json": '{"colors": [0, 1, -1]}',
    "huge.json": '{"colors": [0, 1, 99999999999999999999]}',
    "short.json": '{"colors": [0, 1]}',
    "absent.json": "{}",
    "deep.json": "[" * 100_000,
    "empty.csv": "",
    "headless.csv": "0,0\n1,1\n2,0\n",
    "unknown.csv": "node,color\n0,0\n1,1\n7,0\n",
    "twice.csv": "node,color\n0,0\n1,1\n1,1\n2,0\n",
    "few.csv": "node,color\n0,0\n1,1\n",
    "wide.csv": "node,color\n0,0,0\n",
    "word.csv": "node,color\n0,red\n",
    "long.csv": "node,color\n" + "0" * 200_000,
    "few.sol": "s col 2\nl 1 1\nl 2 2\n",
    "zero.sol": "s col 2\nl 1 0\nl 2 1\nl 3 0\n",
    "range.sol": "s col 2\nl 0 1\nl 1 2\nl 2 1\n",
    "other.sol": "p edge 3 2\ne 1 2\ne 2 3\n",
    "binary.sol": "\udcff",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_COLORS)
def test_colors_that_cannot_be_read_are_one_line_with_the_path(name, tmp_path):
    file = tmp_path / name
    file.write_text(BAD_COLORS[name], encoding="utf-8", errors="surrogateescape")
    for words in (["solve", "path:3", "--start"], ["certify", "path:3", "--coloring"]):
        code, out, err = concolor(*words, file)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert str(file) in err and len(err) < 300


def test_pareto_falls_to_a_proper_coloring_and_lists_edges_to_delete():
    code, out, _ = concolor("pareto", "petersen", "-k", 2, "--json", "--quiet")
    result = json.loads(out)
    conflicts = [row["conflicts"] for row in result["curve"]]
    assert (code, conflicts) == (0, [15, 3, 0])
    edges = {tuple(map(str, edge)) for edge in family("petersen").edges.tolist()}
    assert len(result["delete"]) == 3
    assert {tuple(edge) for edge in result["delete"]} <= edges


@pytest.mark.slow
@pytest.mark.parametrize("at_start", [signal.SIG_DFL, signal.SIG_IGN], ids=["job", "background"])
def test_ctrl_c_gives_the_best_so_far_and_exits_with_130(at_start):
    """Also where a shell script has started it in the background, with Ctrl-C ignored."""
    words = ["-m", "concolor", "solve", "queen:11x11", "-k", "10", "--time-limit", "60", "--json"]
    running = subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, at_start),
    )
    for line in running.stderr:  # the first line of progress: it is under way
        if b"best" in line:
            break
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)
    result = json.loads(out)
    assert (running.returncode, result["k"] <= 10) == (130, True)
    assert result["conflicts"] > 0


@pytest.mark.slow
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


@pytest.mark.slow
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
        code, out, err = concolor("solve", "cycle:5", "--method", "rlf", "--preset", wish, *k)
        assert (code, out) == (2, "") and "rlf does not understand preset" in err


def test_exact_keeps_rules_and_proves_what_it_says(tmp_path):
    wish = tmp_path / "fixed.json"
    wish.write_text('{"0": 3}')
    words = ["cycle:5", "--method", "exact", "--preset", wish]
    for k, best in ([], 3), (["-k", 4], 0):
        code, result = solved(*words, *k)
        assert (code, result["proper"], result["colors"][0]) == (0, True, 3)
        assert result["lower"] == result["upper"] == best and result["proved"]
    wish.write_text('{"0": 0, "2": 1}')
    code, result = solved(*words, "-k", 2)
    assert (code, result["conflicts"], result["lower"], result["proved"]) == (1, 1, 1, True)


@pytest.mark.parametrize("k", [[], ["-k", SLOTS]])
def test_a_timetable_with_fixed_exams_fits_into_its_slots(k, tmp_path):
    write(timetable(), tmp_path / "exams.edges")
    fixed = tmp_path / "fixed.json"
    fixed.write_text(json.dumps(FIXED))
    code, result = solved(tmp_path / "exams.edges", "--preset", fixed, *k)
    assert (code, result["proper"]) == (0, True)
    assert max(result["colors"]) == SLOTS - 1 and result["k"] <= SLOTS  # one is fixed there


def test_reports_mention_rules(tmp_path):
    fixed, closed = tmp_path / "fixed.json", tmp_path / "closed.json"
    fixed.write_text('{"0": 1, "2": 1}')
    closed.write_text('{"1": [0], "3": []}')
    words = ["cycle:5", "--preset", fixed, "--forbid", closed]
    for command in ("solve", "pareto"):
        told = json.loads(concolor(command, *words, "--json", "-q")[1])
        assert told["rules"] == {"preset": 2, "forbidden": 1}
        assert "2 preset, 1 with forbidden colors" in concolor(command, *words, "-q")[1]
        assert json.loads(concolor(command, "cycle:5", "--json", "-q")[1])["rules"] is None
        assert "preset" not in concolor(command, "cycle:5", "-q")[1]


def test_progress_says_what_is_proved_by_now():
    best = Coloring(family("cycle:4"), [0, 1, 0, 1])
    now = Progress(2, 0, 1, 3.0, best, lower=2)
    assert told(now) == "k 2: 0 conflicts, 3 s; best 2 with 0 conflicts, at least 2"
    assert "at least" not in told(replace(now, lower=0))


def test_dsatur_stands_beside_only_where_it_fits_the_limit(monkeypatch):
    monkeypatch.setattr("concolor.solvers.greedy.saturated_seconds", lambda graph: 1.0)
    words = ("solve", "petersen", "--method", "rlf", "--json")
    for limit, dsatur in ((["--time-limit", "1"], None), ([], 3)):
        code, out, _ = concolor(*words, *limit)
        assert (code, json.loads(out)["dsatur"]) == (0, dsatur)
