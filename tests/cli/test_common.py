"""What the commands share: here, how they say what reading a graph had to guess."""

import json
import warnings

import pytest

from concolor.cli.common import doubts_told, load_graph
from shell import concolor

WEIGHTED = "0 1 1\n1 2 7\n"


@pytest.fixture
def weighted(tmp_path):
    path = tmp_path / "w.edges"
    path.write_text(WEIGHTED)
    return path


@pytest.mark.parametrize("words", [["info"], ["solve"], ["pareto"], ["certify"]])
def test_a_doubt_is_one_line_on_standard_error_unless_quiet(words, weighted):
    code, out, err = concolor(*words, weighted, "--json")
    (line,) = [line for line in err.splitlines() if "warning" in line]
    assert line.startswith(f"concolor: warning: {weighted}: weights of edges are ignored")
    assert code == 0 and json.loads(out)["n"] == 3
    assert concolor(*words, weighted, "--json", "-q")[::2] == (0, "")


def test_standard_input_is_doubted_by_its_name():
    code, _, err = concolor("info", "-", stdin=WEIGHTED.encode())
    assert code == 0 and err.startswith("concolor: warning: -: weights")


@pytest.mark.slow
def test_every_doubt_of_a_folder_is_told(tmp_path, weighted, model_of_a_cycle):
    (tmp_path / "z.col").write_text("p edge 2 1\ne 0 1\n")
    words = ["eval", model_of_a_cycle, "--data", tmp_path]
    code, _, err = concolor(*words)
    assert code == 0 and err.count("concolor: warning: ") == 2
    assert concolor(*words, "-q")[::2] == (0, "")
    words = ["train", "--data", tmp_path, "--from", model_of_a_cycle, "-o", "m.safetensors"]
    code, _, err = concolor(*words, cwd=model_of_a_cycle.parent)
    assert code == 0 and err.count("concolor: warning: ") == 2


@pytest.fixture
def model_of_a_cycle(tmp_path_factory):
    from concolor.colorer import Colorer
    from concolor.graph.families import family
    from concolor.learning.recipe import Recipe

    path = tmp_path_factory.mktemp("model") / "m.safetensors"
    recipe = Recipe(encoder="gcn", hidden=8, feature_dim=4, epochs=1)
    Colorer(recipe).fit([family("cycle:5")]).save(path)
    return path


def test_the_same_doubt_is_told_each_time_and_other_warnings_stay(weighted, capsys):
    for _ in range(2):
        assert load_graph(str(weighted)).m == 2
    assert capsys.readouterr().err.count("concolor: warning: ") == 2
    assert load_graph(str(weighted), quiet=True).m == 2
    assert capsys.readouterr().err == ""
    with pytest.warns(UserWarning, match="mine"), doubts_told(quiet=True):
        warnings.simplefilter("always")
        warnings.warn("mine", stacklevel=1)
