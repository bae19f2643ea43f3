"""The command tune: the table, JSON, files, and how it ends."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import concolor as cc
from shell import concolor

GRAPHS = [f"cycle:{n}" for n in range(10, 20)]
SMALL = ("--set", "epochs=1", "--set", "hidden=8", "--set", "pipeline=v1abs", "--only", "tau,lr")
WORDS = ("tune", *GRAPHS, *SMALL, "--trials", "2", "--quiet")


@pytest.mark.slow
def test_the_best_recipe_is_one_that_train_takes(tmp_path):
    code, out, _ = concolor(*WORDS, "--json", "-o", "best.json", cwd=tmp_path)
    found = json.loads(out)
    assert code == 0 and found["graphs"] == 8 and found["validation"] == 2
    assert len(found["trials"]) == 2 and found["stopped"] == ""
    assert cc.Recipe.load(tmp_path / "best.json").to_dict() == found["recipe"]
    again = ("train", *GRAPHS, "--recipe", "best.json", "-o", "m.safetensors", "--quiet")
    assert concolor(*again, cwd=tmp_path)[0] == 0


@pytest.mark.slow
def test_the_same_command_goes_on_with_its_storage(tmp_path):
    words = (*WORDS, "--storage", "s.study", "--json")
    first = json.loads(concolor(*words, cwd=tmp_path)[1])["trials"]
    code, out, _ = concolor(*words, "--trials", "3", cwd=tmp_path)
    assert code == 0 and json.loads(out)["trials"][:2] == first
    code, _, err = concolor(*words, "--seed", "1", cwd=tmp_path)
    assert code == 2 and "other seed" in err


@pytest.mark.slow
def test_too_few_trials_say_nothing_of_what_mattered_and_more_are_drawn(tmp_path):
    code, out, err = concolor(*WORDS[:-1], "--plot", "i.svg", cwd=tmp_path)
    assert code == 0 and "i.svg is not drawn" in err and not (tmp_path / "i.svg").exists()
    assert "best: trial" in out and "what mattered" not in out
    more = ("--space", "tau=0.01,1.0", "--set", "epochs=6", "--trials", "8", "--seed", "3")
    code, out, _ = concolor(*WORDS, *more, "--plot", "i.svg", cwd=tmp_path)
    assert code == 0 and (tmp_path / "i.svg").exists() == ("what mattered" in out)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--only", "taus"), "tau"),
        (("--space", "tau"), "--space wants key=values"),
        (("--space", "seed=1,2"), "seed"),
        (("--plot", "i.txt"), ".svg"),
        (("--set", "held_out=0"), "held out"),
    ],
)
def test_what_cannot_be_searched_is_refused(tmp_path, words, told):
    code, _, err = concolor("tune", *GRAPHS, "--trials", "1", *words, cwd=tmp_path)
    assert code == 2 and told in err


@pytest.mark.slow
def test_ctrl_c_prints_the_search_so_far_and_keeps_it(tmp_path):
    words = [*WORDS, "--json", "--storage", "s.study", "--trials", "500"]
    asked = [sys.executable, "-m", "concolor", *words]
    with subprocess.Popen(
        asked, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        while not _finished(tmp_path / "s.study") and running.poll() is None:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=300)
    assert running.returncode == 130, err.decode()
    found = json.loads(out)
    assert found["stopped"] == "interrupted" and 1 <= len(found["trials"]) < 500
    more = str(len(found["trials"]) + 1)
    code, out, _ = concolor(*words[:-1], more, cwd=tmp_path)
    assert code == 0 and json.loads(out)["trials"][:-1] == found["trials"]


def _finished(file: Path) -> bool:
    """Whether a trial of the study has an outcome."""
    return file.exists() and file.read_text().count('"outcome"') > 1
