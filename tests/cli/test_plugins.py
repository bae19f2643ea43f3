"""Encoders, features and decoders of the user's own, named on the command line."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from concolor import models, registry
from concolor.decoding import DECODERS
from concolor.encoders import ENCODERS
from concolor.features import FEATURES
from concolor.learning.recipe import RECIPES
from shell import concolor

PAGE = Path(__file__).parents[2] / "docs" / "adding-an-encoder.md"
SMALL = ["--set", "hidden=8", "--set", "feature_dim=4", "--set", "epochs=1", "--set", "layers=2"]


@pytest.fixture
def plugin(tmp_path):
    """The plugin that the page shows: an encoder, features, a decoder."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    file = tmp_path / "mine.py"
    file.write_text("\n".join(blocks))
    return file


@pytest.fixture
def jobs(tmp_path):
    folder = tmp_path / "jobs"
    folder.mkdir()
    for name, n in (("a", 7), ("b", 9)):
        edges = "".join(f"{v} {(v + 1) % n}\n" for v in range(n))
        (folder / f"{name}.edges").write_text(edges)
    return folder


def names(kind, *before):
    code, out, _ = concolor(*before, "list", kind, "--json")
    assert code == 0
    return json.loads(out)


def test_a_plugin_is_listed_with_the_first_lines_of_its_functions(plugin):
    assert "difference" not in names("encoders")
    assert names("encoders", "--plugin", plugin)["difference"] == "Differences to the neighbors."
    assert names("features")["noisy_degrees"] == "The degree of a node, and noise."
    assert names("decoders")["nearest_axis"] == "Every point to the nearest of the first k axes."


def test_names_of_the_environment_are_imported_too(plugin, monkeypatch):
    other = plugin.with_name("other.py")
    other.write_text(
        "from concolor.learning.labels import LABELERS\n"
        "LABELERS['each'] = lambda graph: range(graph.n)\n"
    )
    monkeypatch.setenv("CONCOLOR_PLUGINS", f"{plugin} {other}")
    assert "difference" in names("encoders") and "each" in names("labels")


@pytest.mark.slow
def test_a_plugin_trains_colors_and_evaluates_a_model_that_names_it(plugin, jobs, tmp_path):
    own, model = ("--plugin", plugin), tmp_path / "m.safetensors"
    choices = ["--set", "encoder=difference", "--set", "features=noisy_degrees"]
    choices += ["--set", "decoder=nearest_axis"]
    words = ["train", *jobs.iterdir(), *choices, *SMALL, "-o", model, "--json"]
    code, out, err = concolor(*own, *words)
    assert code == 0, err
    recipe = json.loads(out)["recipe"]
    assert [recipe[key] for key in ("encoder", "features", "decoder")] == [
        *("difference", "noisy_degrees", "nearest_axis")
    ]
    ask = ["color", jobs / "a.edges", "--no-polish", "--max-mono", 1, "--model", model, "--json"]
    code, out, err = concolor(*own, *ask)
    assert code == 0 and len(json.loads(out)["colors"]) == 7, err
    judge = ["eval", model, "--data", jobs, "--decoder", "nearest_axis", "--k-max", 3, "--json"]
    code, out, err = concolor(*own, *judge)
    assert code == 0 and len(json.loads(out)["graphs"]) == 2, err

    for table in (ENCODERS, FEATURES, DECODERS):  # as in a new process without the plugin
        table.popitem()
    models._opened.clear()
    code, out, err = concolor(*ask)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "m.safetensors: " in err and "unknown encoder 'difference'" in err
    assert "--plugin FILE.py" in err
    assert concolor(*own, *ask)[0] == 0


def test_the_commands_of_the_page_are_commands(plugin, jobs, tmp_path):
    blocks = re.findall(r"^```shell\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    for line in "".join(blocks).splitlines():
        name, *words = shlex.split(line)
        assert name == "concolor" and words[:2] == ["--plugin", "mine.py"]
        assert concolor(*words[:3], "--help", cwd=tmp_path)[0] == 0


def test_a_module_is_imported_as_python_finds_it(plugin, monkeypatch, tmp_path):
    package = tmp_path / "packed"
    package.mkdir()
    plugin.rename(package / "shapes.py")
    monkeypatch.syspath_prepend(tmp_path)
    assert "difference" in names("encoders", "--plugin", "packed.shapes")


BROKEN = {
    "a name that is not there": ("x = 1\nprint(y)\n", "line 2: NameError: name 'y' is not defined"),
    "a missing library": ("import nowhere\n", "line 1: ModuleNotFoundError: No module named"),
    "bad syntax": ("def f(:\n", "SyntaxError: invalid syntax (broken.py, line 1)"),
    "an end of its own": ("raise SystemExit(0)\n", "line 1: SystemExit: 0"),
    "an error of many lines": ("raise ValueError('a\\nb')\n", "line 1: ValueError: a b"),
    "an error below": ("import json\njson.loads('{')\n", "line 2: JSONDecodeError"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_an_error_in_a_plugin_is_one_line_and_exit_2(case, tmp_path):
    content, told = BROKEN[case]
    (tmp_path / "broken.py").write_text(content)
    code, out, err = concolor("--plugin", "broken.py", "info", "petersen", cwd=tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"concolor: --plugin broken.py: {told}")


@pytest.mark.parametrize("word", ["nowhere.py", "./nowhere", "a/b", "nowhere", "nowhere.at.all"])
def test_a_plugin_that_is_not_there_is_one_line_and_exit_2(word, tmp_path):
    code, out, err = concolor("--plugin", word, "info", "petersen", cwd=tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"concolor: --plugin {word}: ")


def test_what_is_no_encoder_is_refused_when_it_is_named(tmp_path):
    (tmp_path / "odd.py").write_text("from concolor.encoders import ENCODERS\nENCODERS['odd'] = 3")
    words = ("train", "petersen", "--set", "encoder=odd", "-o", "m")
    code, _, err = concolor("--plugin", "odd.py", *words, cwd=tmp_path)
    assert code == 2 and "encoder must be a name or a function of yours" in err and "got 3" in err


@pytest.fixture
def packed(plugin, tmp_path, monkeypatch):
    """An installed package with entry points, as far as Python can tell."""
    site = tmp_path / "site"
    about = site / "mine-1.0.dist-info"
    about.mkdir(parents=True)
    text = "\n".join(line for line in plugin.read_text().splitlines() if "] = " not in line)
    (site / "mine.py").write_text(text)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[concolor.encoders]\ndifference = mine:difference\ngcn = mine:none\nbad = mine:none\n"
        "[concolor.features]\nnoisy_degrees = mine:noisy_degrees\n"
        "[concolor.decoders]\nnearest_axis = mine:nearest_axis\n"
        "[concolor.labels]\nlost = nowhere:lost\n"
    )
    monkeypatch.syspath_prepend(site)
    yield site
    sys.modules.pop("mine", None)


def test_entry_points_are_listed_and_not_imported(packed):
    ours = names("encoders")
    assert ours["difference"] == "from the installed mine:difference"
    assert ours["gcn"].startswith("GCN convolutions")
    assert "noisy_degrees" in names("features") and "nearest_axis" in names("decoders")
    assert "lost" in names("labels")
    assert "mine" not in sys.modules


@pytest.mark.slow
def test_entry_points_are_imported_when_they_are_named(packed, jobs, tmp_path):
    model = tmp_path / "m.safetensors"
    choices = ["--set", "encoder=difference", "--set", "features=noisy_degrees"]
    words = ["train", *jobs.iterdir(), *choices, *SMALL, "-o", model, "--json"]
    code, _, err = concolor(*words)
    assert code == 0, err
    judge = ["eval", model, "--data", jobs, "--decoder", "nearest_axis", "--k-max", 3, "--json"]
    code, out, err = concolor(*judge)
    assert code == 0 and len(json.loads(out)["graphs"]) == 2, err


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("encoder=bad", "encoder 'bad' cannot be loaded from the installed mine:none: Attribute"),
        ("labels=lost", "labels 'lost' cannot be loaded from the installed nowhere:lost: Module"),
        ("encoder=differense", "unknown encoder 'differense'; did you mean 'difference'? Known: "),
    ],
)
def test_an_entry_point_that_cannot_be_had_is_one_line_and_exit_2(packed, choice, told):
    code, out, err = concolor("train", "petersen", "--set", choice, "-o", "m")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err


def test_names_of_our_own_are_not_looked_for_among_packages(monkeypatch):
    monkeypatch.setattr(registry, "installed", lambda kind: pytest.fail(f"looked for {kind}"))
    for recipe in RECIPES.values():
        assert recipe.but() == recipe  # made anew, so all its names are looked up
