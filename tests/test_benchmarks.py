"""The benchmark scripts fit the package: every one can be imported, so no name in it is stale."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
