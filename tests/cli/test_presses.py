"""Ctrl-C and SIGTERM at every moment of a command, from its first line on.

A press comes as a certain module is first looked for, so that it is the same moment every time.
benchmarks/presses.py presses at random ones.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRESSING = """
import os, sys

class Presses:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["PRESS_AT"] and not os.environ.get("PRESSED"):
            os.environ["PRESSED"] = "yes"
            os.kill(os.getpid(), int(os.environ["PRESS"]))

sys.meta_path.insert(0, Presses())
"""
WAYS = {"module": ["-m", "concolor"], "script": ["-c", "from concolor_start import main; main()"]}
ENDS = {2: 130, 15: 143}


def pressed(tmp_path, way, number, module, *words):
    """Exit code, standard output, standard error of a command that is pressed at a module."""
    (tmp_path / "sitecustomize.py").write_text(PRESSING)
    space = {**os.environ, "PYTHONPATH": str(tmp_path), "PRESS_AT": module, "PRESS": str(number)}
    done = subprocess.run(
        [sys.executable, *WAYS[way], *words], env=space, capture_output=True, timeout=120, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command_begins_with_the_lines_that_listen():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts["concolor"] == "concolor_start:main"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "number", "module"),
    [
        ("module", 2, "concolor.errors"),
        ("script", 2, "concolor"),
        ("module", 15, "rich"),
        ("script", 15, "numpy"),
        ("script", 2, "concolor.cli.certify"),
    ],
)
def test_while_modules_load_it_is_one_line(tmp_path, way, number, module):
    found = pressed(tmp_path, way, number, module, "color", "petersen", "--json")
    assert found == (ENDS[number], "", "concolor: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "module"),
    [
        (2, "concolor.answer"),  # before the graph is read
        (2, "concolor.graph.families.random"),  # while it is
        (15, "numba"),
        (2, "concolor.solvers.kernels.greedy"),  # while the first coloring is made
        (2, "concolor.solvers.kernels.search"),  # after it
    ],
)
def test_color_gives_a_proper_coloring_whenever_it_is_pressed(tmp_path, number, module):
    words = ["color", "er:200x0.1", "--json", "-q"]
    code, out, err = pressed(tmp_path, "module", number, module, *words)
    assert (code, err) == (ENDS[number], "concolor: interrupted\n")
    assert json.loads(out)["proper"] and len(json.loads(out)["colors"]) == 200


@pytest.mark.slow
@pytest.mark.parametrize("module", ["numba", "concolor.solvers.search"])
def test_other_commands_end_quietly_where_they_have_nothing_yet(tmp_path, module):
    found = pressed(tmp_path, "module", 2, module, "pareto", "queen:6x6", "--json", "-q")
    assert found == (130, "", "concolor: interrupted\n")


SWALLOWING = """
import os, signal, time

class Freed:
    def __del__(self):
        signal.raise_signal(int(os.environ["PRESS"]))

freed = Freed()
del freed
time.sleep(1)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDS)
def test_a_press_that_python_swallows_outside_of_any_call_is_heard(tmp_path, number):
    (tmp_path / "mine.py").write_text(SWALLOWING)
    words = ["--plugin", str(tmp_path / "mine.py"), "list", "families"]
    assert pressed(tmp_path, "module", number, "no module", *words) == (
        ENDS[number],
        "",
        "concolor: interrupted\n",
    )
