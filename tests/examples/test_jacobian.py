import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmread, mmwrite


@pytest.mark.slow
def test_the_products_hold_the_whole_jacobian(run, data):
    lines = run("jacobian")
    there = mmread(data / "jacobian.mtx").toarray() != 0
    assert lines[0] == f"Jacobian 132 x 128 with {there.sum()} entries"
    found = {}
    for line in lines[1:]:
        words = re.fullmatch(r"(\d+) products by (\w+) \((.*)\); recovered exactly: yes", line)
        found[words[2]] = int(words[1])
    assert found["columns"] >= there.sum(axis=1).max() and found["rows"] >= there.sum(axis=0).max()
    assert found["both"] <= min(found["columns"], found["rows"]) < 20


@pytest.mark.slow
def test_entries_that_happen_to_be_0_belong_to_the_pattern(run, tmp_path):
    values, places = [0.0, 2.0, 3.0], ([0, 0, 1], [0, 1, 2])
    mmwrite(tmp_path / "zeros.mtx", sp.coo_array((values, places), shape=(2, 3)))
    lines = run("jacobian", "zeros.mtx")
    assert lines[0] == "Jacobian 2 x 3 with 3 entries"
    assert lines[1] == "2 products by columns (no fewer would do); recovered exactly: yes"


@pytest.mark.slow
def test_a_square_matrix_is_not_taken_for_a_graph(run, tmp_path):
    mmwrite(tmp_path / "band.mtx", sp.coo_array(np.eye(6) + np.eye(6, k=1) + np.eye(6, k=-1)))
    assert run("jacobian", "band.mtx")[1].startswith("3 products")  # the path has chi 2


@pytest.mark.parametrize("text", ["not a matrix\n", "%%MatrixMarket matrix coordinate real\n"])
def test_what_is_no_matrix_is_refused(refused, tmp_path, text):
    (tmp_path / "bad.mtx").write_text(text)
    assert refused("jacobian", "bad.mtx")
