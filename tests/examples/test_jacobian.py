import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmread, mmwrite

import concolor as cc


@pytest.mark.slow
def test_the_compressed_products_hold_the_whole_jacobian(run, data):
    lines = run("jacobian")
    jacobian = mmread(data / "jacobian.mtx").toarray()
    assert lines[0] == f"Jacobian 132 x 128 with {np.count_nonzero(jacobian)} entries"
    products = int(re.match(r"(\d+) products instead of 128", lines[1])[1])
    bound = int(re.match(r"At least (\d+) are needed", lines[2])[1])
    assert bound == np.count_nonzero(jacobian, axis=1).max() <= products < 128
    assert lines[-1] == "Recovered exactly: yes"


@pytest.mark.parametrize("seed", range(5))
def test_any_proper_coloring_of_the_columns_recovers_any_matrix(functions, seed):
    script, rng = functions("jacobian"), np.random.default_rng(seed)
    dense = rng.normal(size=(30, 20)) * (rng.random((30, 20)) < 0.1)
    jacobian = sp.csr_array(dense)
    graph = script.column_graph(jacobian)
    slow = {
        (u, v)
        for row in dense
        for u in np.flatnonzero(row).tolist()
        for v in np.flatnonzero(row).tolist()
        if u < v
    }
    assert set(map(tuple, graph.edges.tolist())) == slow

    coloring = cc.dsatur(graph)
    seeds = script.seed_matrix(coloring)
    assert seeds.shape == (20, coloring.k)
    again = script.recovered(jacobian, jacobian @ seeds, coloring.colors)
    assert (again.toarray() == dense).all()


def test_entries_that_cancel_still_share_a_row(functions):
    jacobian = sp.csr_array(np.array([[1.0, 1.0], [1.0, -1.0]]))  # J^T J is diagonal
    assert functions("jacobian").column_graph(jacobian).m == 1


def test_entries_that_happen_to_be_0_belong_to_the_pattern(functions, run, tmp_path):
    values, places = [0.0, 2.0, 3.0], ([0, 0, 1], [0, 1, 2])
    jacobian = sp.csr_array(sp.coo_array((values, places), shape=(2, 3)))
    script = functions("jacobian")
    graph = script.column_graph(jacobian)
    assert graph.edges.tolist() == [[0, 1]]
    coloring = cc.dsatur(graph)
    again = script.recovered(jacobian, jacobian @ script.seed_matrix(coloring), coloring.colors)
    assert again.nnz == 3 and (again.toarray() == jacobian.toarray()).all()

    mmwrite(tmp_path / "zeros.mtx", sp.coo_array(jacobian))
    lines = run("jacobian", "zeros.mtx")
    assert lines[0] == "Jacobian 2 x 3 with 3 entries"
    assert lines[2].startswith("At least 2 are needed") and lines[-1] == "Recovered exactly: yes"


def test_a_wrong_coloring_does_not_recover(functions):
    script, jacobian = functions("jacobian"), sp.csr_array(np.array([[1.0, 2.0]]))
    wrong = cc.Coloring(script.column_graph(jacobian), [0, 0])
    again = script.recovered(jacobian, jacobian @ script.seed_matrix(wrong), wrong.colors)
    assert (again != jacobian).nnz == 2


def test_a_square_matrix_is_not_taken_for_a_graph(run, tmp_path):
    mmwrite(tmp_path / "band.mtx", sp.coo_array(np.eye(6) + np.eye(6, k=1) + np.eye(6, k=-1)))
    assert run("jacobian", "band.mtx")[1].startswith(
        "3 products instead of 6"
    )  # the path has chi 2


@pytest.mark.parametrize("text", ["not a matrix\n", "%%MatrixMarket matrix coordinate real\n"])
def test_what_is_no_matrix_is_refused(refused, tmp_path, text):
    (tmp_path / "bad.mtx").write_text(text)
    assert refused("jacobian", "bad.mtx")
