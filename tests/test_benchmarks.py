"""The benchmark scripts fit the package: every one can be imported, so no name in it is stale."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import concolor as cc

FOLDER = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = sorted(FOLDER.glob("*.py"))
EXTRA = {"asdex", "gcol", "igraph", "ortools"}  # of the extra `bench`


@pytest.mark.slow
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_benchmark_can_be_imported(path, monkeypatch):
    peers = EXTRA & set(re.findall(r"^(?:from|import) (\w+)", path.read_text(), re.MULTILINE))
    for peer in peers:
        if importlib.util.find_spec(peer) is None:
            pytest.skip(f"{peer} is not installed: pip install 'concolor[bench]'")
    if peers:  # OR-Tools cannot be loaded where cvxpy has brought another HiGHS
        space = {**os.environ, "PYTHONPATH": str(FOLDER)}
        subprocess.run([sys.executable, "-c", f"import {path.stem}"], env=space, check=True)
        return
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    assert module.__doc__


def test_the_interval_of_a_share_is_where_the_score_test_rejects(monkeypatch):
    """Wilson's ends p solve (share - p)^2 = z^2 p (1 - p) / n."""
    monkeypatch.syspath_prepend(str(FOLDER))
    wilson = importlib.import_module("hidden_page").wilson
    for hits, of in [(0, 5), (9, 10), (77, 80), (48, 48)]:
        for end in wilson(hits, of):
            apart = (hits / of - end) ** 2 - 1.96**2 * end * (1 - end) / of
            assert apart == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("dimension", "corners", "color", "k"),
    [
        (2, False, lambda x, y: (x + 2 * y) % 5, 5),
        (2, True, lambda x, y: x % 3 + 3 * (y % 3), 9),
        (3, False, lambda x, y, z: (x + 2 * y + 3 * z) % 7, 7),
        (3, True, lambda x, y, z: x % 3 + 3 * (y % 3) + 9 * (z % 3), 27),
    ],
)
def test_the_fewest_columns_of_grids_are_what_the_page_says(
    dimension, corners, color, k, monkeypatch
):
    monkeypatch.syspath_prepend(str(FOLDER))
    laplacian = importlib.import_module("matrix_patterns").laplacian
    matrix = laplacian(7, dimension, corners=corners)
    colors = color(*np.indices((7,) * dimension)).ravel()
    found = cc.MatrixColoring(matrix, "column", column_colors=colors)
    assert found.is_valid and found.k == k == np.diff(matrix.indptr).max()
