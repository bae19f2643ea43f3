"""``concolor train`` refuses before the training what it could not write after it."""

import json
import os

import pytest

from concolor.learning import train as training
from shell import concolor

WORDS = ["train", "cycle:12", "--set", "pipeline=v1abs", "--set", "hidden=16", "--set", "epochs=1"]


@pytest.fixture
def untrained(monkeypatch):
    """Training is a failure of the test."""
    monkeypatch.setattr(training, "label", lambda *_: pytest.fail("it was trained"))


UNWRITABLE = {
    "a folder": (["-o", "folder"], "folder: a folder, expected the file"),
    "this folder": (["-o", "."], "a folder, expected the file"),
    "below a file": (["-o", "file/m"], "file is not a folder"),
    "far below a file": (["-o", "file/a/b/m"], "file is not a folder"),
    "a link to a place below a file": (["-o", "link"], "file is not a folder"),
    "a device": (["-o", os.devnull], "not a regular file"),
    "a folder for the checkpoint": (["-o", "blocked"], "blocked.checkpoint: a folder"),
    "a curve of another kind": (["-o", "m", "--curve", "c.pdf"], "c.pdf: a curve is drawn as .svg"),
    "a curve of no kind": (["-o", "m", "--curve", "c"], "c: a curve is drawn as .svg or .png"),
    "a folder for the curve": (["-o", "m", "--curve", "folder"], "folder: a folder"),
    "a curve below a file": (["-o", "m", "--curve", "file/c.svg"], "file is not a folder"),
}


@pytest.mark.parametrize("case", UNWRITABLE)
def test_what_cannot_be_written_is_refused_before_the_training(untrained, tmp_path, case):
    words, complaint = UNWRITABLE[case]
    (tmp_path / "folder").mkdir()
    (tmp_path / "blocked.checkpoint").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("file/m")
    before = sorted(tmp_path.rglob("*"))
    code, out, err = concolor(*WORDS, *words, cwd=tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write_is_refused(untrained, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    code, _, err = concolor(*WORDS, "-o", "closed/new/m", cwd=tmp_path)
    assert code == 2 and "no permission to write to" in err and "closed" in err


@pytest.mark.slow
def test_new_folders_and_old_files_can_be_written(tmp_path):
    (tmp_path / "old.SVG").write_text("old")
    words = [*WORDS, "-o", "new/folder/m", "--curve", "old.SVG", "--json"]
    for _ in range(2):
        code, out, _ = concolor(*words, cwd=tmp_path)
        assert (code, json.loads(out)["model"]) == (0, "new/folder/m")
    assert (tmp_path / "new/folder/m").is_file()
    assert (tmp_path / "old.SVG").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ('{"colors": [0, 1, 0, 1, [2]]}', "whole numbers >= 0, got [2]"),
        ('[{"colors": ["a", 1, 0, 1, 2]}]', 'whole numbers >= 0, got "a"'),
        ("[[0, 1, 0, 1, 2]]", 'an object with a "colors" list'),
    ],
)
def test_labels_of_another_form_are_refused_in_one_line(untrained, tmp_path, labels, told):
    (tmp_path / "l.json").write_text(labels)
    words = ("cycle:5", "--labels", tmp_path / "l.json", "-o", tmp_path / "m.safetensors")
    code, _, err = concolor("train", *words)
    assert code == 2 and told in err and len(err.splitlines()) == 1
