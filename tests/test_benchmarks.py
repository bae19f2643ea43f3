"""The benchmark scripts fit the package: every one can be imported, so no name in it is stale."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = sorted(FOLDER.glob("*.py"))
EXTRA = {"gcol", "ortools"}  # of the extra `bench`


@pytest.mark.slow
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_benchmark_can_be_imported(path, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as problem:
        if problem.name.split(".")[0] in EXTRA:
            pytest.skip(f"{problem.name} is not installed: pip install 'concolor[bench]'")
        raise
    assert module.__doc__
