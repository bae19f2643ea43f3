"""Run an example as a person would, without a new process for each."""

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """``run(name, *words)``: the lines that ``python examples/name.py words`` prints."""
    monkeypatch.chdir(tmp_path)

    def lines(name, *words):
        monkeypatch.setattr(sys, "argv", [name, *map(str, words)])
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    return lines


@pytest.fixture
def refused(run):
    """The last words of an example that does not take its input."""

    def message(name, *words):
        with pytest.raises(SystemExit) as ended:
            run(name, *words)
        return str(ended.value)

    return message


@pytest.fixture
def functions():
    """``functions(name)``: what the example defines, without running it."""
    return lambda name: SimpleNamespace(**runpy.run_path(str(EXAMPLES / f"{name}.py")))


@pytest.fixture
def data():
    """The folder of the examples' data."""
    return EXAMPLES / "data"
