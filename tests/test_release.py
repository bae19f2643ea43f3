"""The wheel as users get it: in an empty environment, without extras. Run by ``make dist``."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WHEEL = os.environ.get("CONCOLOR_WHEEL")
pytestmark = pytest.mark.skipif(WHEEL is None, reason="there is no wheel: make dist builds one")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with nothing but an environment that holds the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("release")
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    pinned = ["--constraint", ROOT / "constraints.txt"]
    wheel = Path(WHEEL).resolve()
    subprocess.run(
        [folder / "env/bin/pip", "install", "--quiet", *pinned, wheel], check=True, cwd=folder
    )
    return folder


@pytest.fixture
def run(home):
    """Call a program of the environment as a user does: exit code, output, errors."""

    def call(name, *words):
        hidden = {"CONCOLOR_WHEEL", "PYTHONPATH", "PYTHONHOME"}
        kept = {key: value for key, value in os.environ.items() if key not in hidden}
        done = subprocess.run(
            [home / "env/bin" / name, *words], cwd=home, env=kept, capture_output=True, text=True
        )
        return done.returncode, done.stdout, done.stderr

    return call


def test_torch_is_not_there(run):
    for library in ("torch", "torch_geometric"):
        code, _, err = run("python", "-c", f"import {library}")
        assert code == 1 and "ModuleNotFoundError" in err


@pytest.mark.parametrize(
    "words",
    [
        "color petersen",
        "color queen:6x6 -k 5 --time-limit 1 --report report.html",
        "solve queen:7x7 --method memetic --time-limit 5",
        "pareto petersen",
        "info queen:8x8",
        f"matrix {ROOT}/examples/data/jacobian.mtx",
        "list models",
        "list encoders",
        "list solvers",
        "--version",
    ],
)
def test_commands_that_need_no_torch(run, words):
    code, out, err = run("concolor", *words.split())
    # with 5 colors queen:6x6 has conflicts, and that is said by exit code 1
    assert code == ("-k" in words) and out and "Traceback" not in err, err


@pytest.mark.parametrize("model", ["general", "light", "sparse", "overlap", "hidden", "spectral"])
def test_the_shipped_models_need_no_torch(run, model):
    words = ["--model", model, "--max-mono", "0.05", "--no-polish", "--json"]
    code, out, err = run("concolor", "color", "queen:7x7", *words)
    found = json.loads(out)
    assert found["model"] == model and code == (not found["hit"]), err


def test_a_certificate_is_made_and_verified(run):
    code, _, err = run("concolor", "certify", "queen:6x6", "-o", "proof.json", "--time-limit", "5")
    assert code == 0, err
    code, out, err = run("concolor", "verify", "queen:6x6", "proof.json")
    assert code == 0 and out, err


@pytest.mark.parametrize(
    "words",
    [
        "train queen:5x5 -o model.safetensors",
        "eval general --data cycles",
        "solve petersen --method pi-gnn",
        "list encoders --in-channels 4",
    ],
)
def test_commands_that_need_torch_say_how_to_get_it(run, words):
    code, _, err = run("concolor", *words.split())
    assert code == 2 and err.count("\n") == 1, err
    assert "needs torch" in err and "pip install 'concolor[learn]'" in err


@pytest.mark.parametrize(
    "program",
    [
        "from concolor import Colorer",
        "from concolor.models import load; load()",
        "import concolor as cc; cc.to_pyg(cc.family('petersen'))",
        "import concolor as cc; cc.solve(cc.family('petersen'), 'full-gcn')",
        "import concolor as cc; from concolor.theory import lower_bound as f; "
        "f(cc.family('petersen'), 0.3)",
    ],
)
def test_names_that_need_torch_say_how_to_get_it(run, program):
    code, _, err = run("python", "-c", program)
    assert code == 1
    assert err.splitlines()[-1].startswith("concolor.errors.MissingExtra: this needs torch")
    assert "pip install 'concolor[learn]'" in err


def test_networkx_finds_the_backend(run):
    program = (
        "import networkx as nx\n"
        "colors = nx.greedy_color(nx.petersen_graph(), 'DSATUR', backend='concolor')\n"
        "print(len(set(colors.values())))"
    )
    code, out, err = run("python", "-c", program)
    assert (code, out) == (0, "3\n"), err


def test_the_exact_method_names_its_extra(run):
    code, _, err = run("concolor", "solve", "petersen", "--method", "exact")
    assert code == 2 and "concolor[exact]" in err
