"""``concolor matrix`` as a user runs it."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import concolor as cc
from concolor.matrices import KINDS
from concolor.matrices.search import Search
from limits import press
from shell import concolor, process


@pytest.fixture
def file(tmp_path):
    """A tridiagonal matrix."""
    band = sp.diags_array([np.ones(9), np.ones(10), np.ones(9)], offsets=[-1, 0, 1])
    scipy.io.mmwrite(tmp_path / "band.mtx", sp.coo_array(band))
    return tmp_path / "band.mtx"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_prints_colors_that_recover_the_matrix(file, kind):
    code, out, err = concolor("matrix", file, "--kind", kind, "--json", "-q")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["matrix"], found["rows"], found["columns"], found["entries"]) == (
        *("band", 10, 10),
        28,
    )
    k = {"acyclic": 2}.get(kind, 3)
    assert (found["kind"], found["k"], found["proved"], found["valid"]) == (kind, k, True, True)
    colors = {name: found[name] for name in ("column_colors", "row_colors") if name in found}
    matrix = scipy.io.mmread(file).tocsr()
    c = cc.MatrixColoring(matrix, kind, found["method"], **colors)
    assert (c.decompress(c.compress(matrix)) != matrix).nnz == 0


def test_the_table_is_for_people_and_the_file_is_for_python(file, tmp_path):
    saved = tmp_path / "c.json"
    code, out, _ = concolor("matrix", file, "--kind", "star", "-o", saved)
    assert code == 0 and "proved" in out and "column_colors" not in out
    matrix = scipy.io.mmread(file).tocsr()
    c = cc.MatrixColoring.load(matrix, saved)
    assert (c.decompress(c.compress(matrix)) != matrix).nnz == 0


def test_standard_input_and_one_greedy_pass(file):
    words = ["matrix", "-", "--order", "natural", "--json"]
    code, out, _ = concolor(*words, stdin=file.read_bytes())
    found = json.loads(out)
    assert (code, found["matrix"], found["order"], found["k"]) == (0, "stdin", "natural", 3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kind", "diagonal"], "unknown kind of matrix coloring 'diagonal'"),
        (["--kind", "star", "--method", "substitution"], "for direct, not 'substitution'"),
        (["--order", "best"], "unknown order 'best'"),
        (["-o", "colors.sol"], "saved as .json"),
    ],
)
def test_bad_words_are_one_line_and_exit_2(file, words, message):
    code, out, err = concolor("matrix", file, *words, "-q")
    assert (code, out, err.count("\n")) == (2, "", 1) and message in err


def test_a_bad_file_is_named_with_its_line(tmp_path):
    (tmp_path / "bad.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n2 2 1\n9 1 1\n"
    )
    code, _, err = concolor("matrix", "bad.mtx", "-q", cwd=tmp_path)
    assert (code, err) == (2, "concolor: bad.mtx:3: row 9 is out of range: rows are 1..2\n")


def test_ctrl_c_gives_the_best_so_far(tmp_path, monkeypatch):
    ring = sp.coo_array(np.eye(7) + np.roll(np.eye(7), 1, axis=1) + np.roll(np.eye(7), -1, axis=1))
    scipy.io.mmwrite(tmp_path / "ring.mtx", ring)
    press(monkeypatch, Search, "improve", lambda *_: True)
    code, out, err = concolor("matrix", "ring.mtx", "--json", "-q", cwd=tmp_path)
    assert (code, err) == (130, "concolor: interrupted\n")
    assert json.loads(out)["valid"]


@pytest.mark.slow
def test_the_command_loads_no_torch(file):
    program = (
        "import sys\nfrom unittest.mock import patch\nfrom concolor.cli import main\n"
        f"with patch('sys.argv', ['concolor', 'matrix', {str(file)!r}, '-q']):\n"
        "    try: main()\n"
        "    except SystemExit as end: assert not end.code\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    assert process("matrix", file, "--json", "-q")[0] == 0
