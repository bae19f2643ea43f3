"""What words mean to the commands: nodes as the file counts them, advice one can follow."""

import json

import numpy as np
import pytest

from concolor.colorer import Colorer
from concolor.graph.core import Graph
from concolor.learning.recipe import Recipe
from shell import concolor

PATH = {  # 1 - 2 - 3, by files that have no names
    "p3.col": "p edge 3 2\ne 1 2\ne 2 3\n",
    "p3.graph": "3 2\n2\n1 3\n2\n",
    "p3.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n",
    "p3.edges": "1 2\n2 3\n",
}


@pytest.fixture(params=PATH)
def path(request, tmp_path):
    (tmp_path / request.param).write_text(PATH[request.param])
    return tmp_path / request.param


def test_edges_to_delete_are_named_as_in_the_file(path):
    _, out, _ = concolor("pareto", path, "-k", 1, "--json", "-q")
    assert json.loads(out)["delete"] == [["1", "2"], ["2", "3"]]


@pytest.mark.slow
def test_rules_are_by_the_numbers_of_the_file(path):
    rules = path.with_name("rules.json")
    rules.write_text('{"1": 1, "2": 0, "3": 1}')
    words = ["color", path, "--preset", rules, "--time-limit", 0.1, "-q"]
    saved = path.with_name("out.csv")
    assert concolor(*words, "-o", saved)[0] == 0
    assert saved.read_text() == "node,color\n1,1\n2,0\n3,1\n"

    rules.write_text('{"0": 1}')
    code, _, err = concolor(*words)
    assert code == 2 and "p3 has no node named '0'" in err


def test_advice_about_formats_can_be_followed(tmp_path):
    (tmp_path / "bare").write_text(PATH["p3.col"])
    code, _, err = concolor("info", "bare", cwd=tmp_path)
    assert code == 2 and "FORMAT:- < FILE in the shell" in err and "dimacs (.col" in err
    code, out, _ = concolor("info", "dimacs:-", "--json", stdin=PATH["p3.col"].encode())
    assert (code, json.loads(out)["n"]) == (0, 3)


@pytest.mark.parametrize("words", [["info", "."], ["color", "cycle:5", "--model", "./sub"]])
def test_a_folder_is_called_a_folder(tmp_path, words):
    (tmp_path / "sub").mkdir()
    code, _, err = concolor(*words, cwd=tmp_path)
    assert (code, err.count("\n")) == (2, 1) and ": a folder, expected a" in err


def test_a_model_of_words_says_that_the_graph_has_none(tmp_path):
    words = Graph.from_edges(3, [(0, 1), (1, 2)], x=np.eye(3))
    recipe = Recipe(features="bow", hidden=16, epochs=1)
    Colorer(recipe).fit([words]).save(tmp_path / "bow.safetensors")
    code, _, err = concolor(
        "color", "queen:6", "--model", "bow.safetensors", "--no-polish", cwd=tmp_path
    )
    assert (code, err.count("\n")) == (2, 1)
    assert "no node features of its own (words), which the model reads" in err
