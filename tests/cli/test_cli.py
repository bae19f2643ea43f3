"""The command line as a user runs it: words in, streams and exit codes out."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from concolor import __version__
from concolor.graph.families import family
from shell import concolor, process

SMALL = ["--set", "hidden=16", "--set", "feature_dim=8"]
TRAIN = ["train", "cycle:12", "cycle:15", "cycle:20", "--recipe", "abs", *SMALL]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    file = tmp_path_factory.mktemp("model") / "m.safetensors"
    code, out, _ = process(*TRAIN, "-o", file, "--json", "--seed", 3)
    about = json.loads(out)
    assert (code, about["seed"], about["steps"], about["stopped"]) == (0, 3, 10, "")
    assert about["loss"] >= about["bound"]
    assert about["recipe"]["features"] == "random"
    return file


@pytest.mark.slow
def test_training_goes_on_from_a_model_with_its_recipe(model, tmp_path):
    file = tmp_path / "more.safetensors"
    words = ["train", "cycle:30", "--from", model, "--set", "epochs=2", "-o", file, "--json"]
    code, out, _ = concolor(*words)
    about = json.loads(out)
    assert (code, about["steps"], about["seed"]) == (0, 2, 3)
    assert (about["recipe"]["hidden"], about["recipe"]["pipeline"]) == (16, "v1abs")
    code, _, err = concolor(*words, "--recipe", "abs")
    assert code == 2 and "--from brings its own recipe" in err


@pytest.mark.slow
def test_color_prints_one_object_for_one_graph_with_the_promised_keys(model):
    words = ["petersen", "--max-mono", 0.4, "--model", model, "--json", "--quiet"]
    code, out, err = process("color", *words)
    result = json.loads(out)
    promised = "graph n m k conflicts mono proper hit rho dsatur minimized lower upper proved "
    promised += "null_k spectral_k colors raw seconds seed"
    assert set(promised.split()) <= set(result)
    assert (code, err, result["hit"]) == (0, "", True)
    assert (result["n"], result["m"], len(result["colors"])) == (10, 15, 10)
    edges = family("petersen").edges
    conflicts = sum(result["colors"][u] == result["colors"][v] for u, v in edges)
    assert result["conflicts"] == conflicts
    assert result["mono"] == conflicts / 15 <= 0.4


@pytest.mark.slow
def test_color_prints_a_list_for_several_graphs_and_takes_standard_input(model):
    words = ["color", "cycle:9", "-", "--no-polish", "-k", 9, "--model", model, "--json"]
    _, out, _ = concolor(*words, stdin=b"p edge 3 2\ne 1 2\ne 2 3\n")
    first, second = json.loads(out)
    assert (first["graph"], second["n"], second["m"]) == ("cycle:9", 3, 2)
    assert first["k"] <= 9


@pytest.mark.slow
def test_a_goal_that_is_not_reached_exits_with_1_and_says_so(model):
    code, out, err = concolor("color", "complete:6", "-k", 3, "--model", model)
    assert code == 1
    assert "complete:6" in out
    assert "goal not reached on complete:6: 3 conflicts are left with at most 3 colors" in err


@pytest.mark.slow
def test_color_out_of_the_box_with_bounds_a_page_and_a_solution(tmp_path):
    page, solution = tmp_path / "r.html", tmp_path / "c.sol"
    words = ["color", "queen:5x5", "--certify", "--report", page, "-o", solution, "--json"]
    code, out, _ = concolor(*words, "--time-limit", 20)
    result = json.loads(out)
    assert (code, result["k"], result["proper"]) == (0, 5, True)
    assert result["certificate"] == {"lower": 5, "upper": 5, "gap": 0}
    assert (result["minimized"], result["lower"], result["upper"]) == ("k", 5, 5)
    assert result["proved"]
    assert list(result["seconds"]) == [
        *("read", "bounds", "embed", "decode", "null", "spectral", "certify")
    ]
    assert {"k", "conflicts", "mono", "k_star", "k_star_mono"} <= set(result["raw"])
    text = page.read_text(encoding="utf-8")
    assert (
        "<svg" in text
        and "queen:5x5" in text
        and "http://" not in text.replace("http://www.w3.org", "")
    )
    comment, head, *lines = solution.read_text().splitlines()
    assert (comment, head) == ("c queen:5x5", "s col 5")
    assert [line.split()[1] for line in lines] == [str(node) for node in range(1, 26)]
    colors = [int(line.split()[2]) - 1 for line in lines]
    assert colors == result["colors"]


@pytest.mark.slow
def test_color_keeps_presets_and_refuses_them_for_several_graphs(model, tmp_path):
    preset, forbidden = tmp_path / "p.json", tmp_path / "f.json"
    preset.write_text('{"0": 2}')
    forbidden.write_text('{"1": [0, 2]}')
    words = ["--preset", preset, "--forbid", forbidden, "--model", model, "--json"]
    code, out, _ = concolor("color", "cycle:6", *words, "--time-limit", 0.3)
    colors = json.loads(out)["colors"]
    assert code == 0 and colors[0] == 2 and colors[1] not in (0, 2)
    code, _, err = concolor("color", "cycle:6", "petersen", *words)
    assert code == 2 and "one graph" in err


@pytest.mark.slow
def test_color_repeats_by_seed(model):
    words = ["color", "queen:5x5", "--max-mono", 0.1, "--model", model, "--json", "--seed", 5]
    results = [json.loads(concolor(*words)[1]) for _ in range(2)]
    assert results[0]["colors"] == results[1]["colors"]


@pytest.mark.slow
def test_color_writes_files(model, tmp_path):
    code, *_ = concolor("color", "cycle:8", "-k", 8, "--model", model, "-o", tmp_path / "c.csv")
    assert code in (0, 1)
    lines = (tmp_path / "c.csv").read_text().splitlines()
    assert lines[0] == "node,color"
    assert len(lines) == 9
    concolor("color", "cycle:8", "cycle:8", "petersen", "--model", model, "-o", tmp_path / "all")
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert names == ["cycle_8-0.json", "cycle_8-1.json", "petersen.json"]
    assert len(json.loads((tmp_path / "all" / "petersen.json").read_text())["colors"]) == 10


@pytest.mark.slow
def test_eval_gives_means_and_graphs_beside_the_null(model, tmp_path):
    for n in (6, 9):
        (tmp_path / f"c{n}.edges").write_text(
            "".join(f"{v} {(v + 1) % n}\n" for v in range(n)), encoding="utf-8"
        )
    code, out, _ = concolor("eval", model, "--data", tmp_path, "--json")
    result = json.loads(out)
    assert code == 0
    assert len(result["graphs"]) == 2
    for name in ("k", "mono", "rho", "hit", "null_k", "spectral_k"):
        values = [float(graph[name]) for graph in result["graphs"]]
        assert result[name] == pytest.approx(sum(values) / 2)
        assert f"{name}_std" in result
    code, out, _ = concolor("eval", model, "--data", tmp_path, "--decoder", "kmeans")
    assert code == 0
    assert "null" in out


@pytest.mark.slow
def test_list_encoders_counts_the_parameters_of_the_paper():
    _, out, _ = concolor("list", "encoders", "--in-channels", 1433, "--json")
    paper = {
        "gcn": 200064,
        "res_gcn": 217088,
        "gat": 200576,
        "gin": 250114,
        "gated_gcn": 316160,
        "sage": 399872,
        "unitary_mp": 249602,
        "gps": 482048,
        "graph_vit": 580352,
        "exphormer": 316160,
    }
    counts = json.loads(out)
    assert {name: counts[name] for name in paper} == paper
    _, out, _ = concolor("list", "encoders", "--in-channels", 1433, "--pipeline", "v2", "--json")
    heads = json.loads(out)
    assert {name: heads[name] - 645 for name in paper} == paper


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        "pipelines",
        "features",
        "decoders",
        "datasets",
        "families",
        "formats",
        "labels",
        "recipes",
        "encoders",
    ],
)
def test_every_kind_of_names_can_be_listed(kind):
    code, out, _ = concolor("list", kind, "--json")
    names = json.loads(out)
    assert code == 0
    assert names
    assert all(isinstance(doc, str) and doc for doc in names.values())


def test_info_tells_what_was_removed():
    text = b"c twice\np col 4 9\n\ne 1 2\ne 2 1\ne 3 3\ne 2 3\n"
    code, out, _ = concolor("info", "-", "--json", stdin=text)
    facts = json.loads(out)
    assert code == 0
    assert (facts["n"], facts["m"], facts["isolated"]) == (4, 2, 1)
    assert (facts["loops_removed"], facts["duplicates_removed"]) == (1, 1)


def test_the_format_of_standard_input_can_be_named():
    code, out, _ = concolor("info", "metis:-", "--json", stdin=b"3 2\n2\n1 3\n2\n")
    assert (code, json.loads(out)["m"]) == (0, 2)


BAD = {
    "a missing file": ["info", "nowhere.col"],
    "an unknown family": ["info", "quen:8"],
    "a bad family": ["info", "queen:0"],
    "an unknown option": ["info", "petersen", "--colour"],
    "an unknown kind": ["list", "encodrs"],
    "a missing model": ["color", "petersen", "--model", "nowhere"],
    "k and max-mono": ["color", "petersen", "-k", "3", "--max-mono", "0.1", "--model", "m"],
    "k of 0": ["color", "petersen", "-k", "0", "--model", "m"],
    "max-mono above 1": ["color", "petersen", "--max-mono", "2", "--model", "m"],
    "an unknown data set": ["train", "--data", "coral", "-o", "m"],
    "graphs and data": ["train", "petersen", "--data", "cycles", "-o", "m"],
    "nothing to train on": ["train", "-o", "m"],
    "an unknown field": ["train", "petersen", "--set", "epoch=1", "-o", "m"],
    "a bad value": ["train", "petersen", "--set", "tau=-1", "-o", "m"],
    "an unknown encoder": ["train", "petersen", "--set", "encoder=gnc", "-o", "m"],
    "an unknown recipe": ["train", "petersen", "--recipe", "cake", "-o", "m"],
    "a missing recipe file": ["train", "petersen", "--recipe", "cake.json", "-o", "m"],
    "an unusable device": ["train", "petersen", "--device", "tpu", "-o", "m"],
    "an unknown label rule": ["train", "petersen", "--set", "labels=best", "-o", "m"],
}


@pytest.mark.slow
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_exit_2_and_nothing_written(case, tmp_path):
    code, out, err = concolor(*BAD[case], cwd=tmp_path)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert err.startswith(("concolor: ", "Usage: "))
    assert not err.startswith("concolor: ") or err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_errors_of_a_process_are_one_line_and_exit_2(tmp_path):
    code, out, err = process("info", "nowhere.col", cwd=tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.slow  # for the model that it is given
@pytest.mark.parametrize(
    "content",
    [b"", b"p edge 3 1\ne 1 9\n", b"p edge 99999999999999 1\n", b"\x7fELF\x00\x01", b"e 1 2\n"],
)
def test_bad_files_are_one_line_and_exit_2(content, tmp_path, model):
    file = tmp_path / "bad.col"
    file.write_bytes(content)
    code, out, err = concolor("color", file, "--model", model, "-o", tmp_path / "out.json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert str(file) in err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.col"]


@pytest.mark.slow
def test_labels_from_a_file_train_and_bad_ones_are_refused(tmp_path):
    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps({"colors": [0, 1, 2, 1]}))
    words = ["train", "cycle:4", "--labels", labels, *SMALL, "-o", tmp_path / "m"]
    assert concolor(*words)[0] == 0
    labels.write_text(json.dumps([{"colors": [0, 0, 1, 1]}]))
    code, _, err = concolor(*words)
    assert code == 2
    assert "edge (0, 1) has color 0 at both ends" in err


@pytest.mark.slow
def test_stopped_training_resumes_to_the_same_model(tmp_path):
    words = [*TRAIN, "--set", "epochs=400", "--threads", "1", "--json"]
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert concolor(*words, "-o", whole)[0] == 0
    code, out, _ = concolor(*words, "-o", stopped, "--time-limit", 0.2)
    assert (code, json.loads(out)["stopped"]) == (0, "time limit")
    assert Path(f"{stopped}.checkpoint").exists()
    code, out, _ = concolor(*words, "-o", stopped, "--resume")
    assert (code, json.loads(out)["steps"]) == (0, 400)
    assert not Path(f"{stopped}.checkpoint").exists()
    assert tensors(stopped) == tensors(whole)


def tensors(file):
    content = file.read_bytes()
    return content[8 + int.from_bytes(content[:8], "little") :]


@pytest.mark.slow
def test_ctrl_c_saves_what_there_is_and_exits_with_130(tmp_path):
    file = tmp_path / "m"
    running = subprocess.Popen(
        [sys.executable, "-m", "concolor", *TRAIN, "--set", "epochs=1000000", "-o", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for line in running.stderr:  # the first line of progress: it is under way
        if b"loss" in line:
            break
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"stopped by interrupted" not in out
    assert b"interrupted" in out
    assert concolor("color", "cycle:8", "-k", 8, "--model", file, "--json")[0] in (0, 1)


def test_the_version_is_told():
    assert concolor("--version") == (0, f"concolor {__version__}\n", "")


@pytest.mark.slow
def test_help_has_examples_and_loads_no_torch():
    for command in ("color", "train", "eval", "list", "info"):
        code, out, _ = concolor(command, "--help")
        assert code == 0
        assert f"concolor {command}" in out
    program = (
        "import sys, concolor, concolor.cli\n"
        "try: concolor.cli.app(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'torch', 'torch_geometric', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
