"""What is fuzzed by benchmarks/fuzz.py: every seed, what was found once, and a short run."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from concolor.errors import ModelError
from concolor.learning.embedder import load_embedder
from concolor.learning.model_file import MODEL, read, write

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SEEDS = Path(__file__).parent / "fuzz"


@pytest.fixture
def targets(monkeypatch):
    from concolor.graph.formats import scan

    monkeypatch.setattr(scan, "MAX_NODES", scan.MAX_NODES)  # the module lowers it: taken back
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("fuzz_targets")


@pytest.mark.slow
def test_every_seed_goes_through_its_target(targets):
    for name in targets.TARGETS:
        for seed in targets.seeds(name):
            targets.tried(name, seed.read_bytes())


def test_a_target_lets_a_bug_through(targets, monkeypatch):
    def broken(data):
        raise IndexError(data)

    monkeypatch.setitem(targets.TARGETS, "rules", broken)
    with pytest.raises(IndexError):
        targets.tried("rules", b"x")


@pytest.mark.slow
def test_a_short_run_guided_by_coverage_finds_nothing(tmp_path):
    pytest.importorskip("atheris", reason="pip install 'concolor[fuzz]'")
    script = [sys.executable, str(BENCHMARKS / "fuzz.py"), "--target", "all", "--"]
    for place, folder in enumerate(_in_order()):
        for seed in sorted(folder.iterdir()):
            inside = bytes([place]) + seed.read_bytes()
            (tmp_path / f"{folder.name}-{seed.name}").write_bytes(inside)
    words = ["-runs=1000", "-max_len=4096", "-timeout=20", f"-artifact_prefix={tmp_path}/found-"]
    done = subprocess.run(
        [*script, *words, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "Done 1000 runs" in done.stdout and "cov:" in done.stdout


def _in_order():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        names = importlib.import_module("fuzz_targets").TARGETS
    finally:
        sys.path.remove(str(BENCHMARKS))
    return [SEEDS / name.replace(" ", "-") for name in names]


@pytest.mark.parametrize("encoder", ["gated-rnn", "light-rnn"])
class TestModels:
    """Found by the fuzzer: loads that read beyond arrays, or gave what is not finite."""

    def changed(self, tmp_path, encoder, change):
        about, arrays = read(SEEDS / "model" / encoder, MODEL)
        change(about, arrays)
        write(tmp_path / "m.safetensors", MODEL, about, arrays)
        return tmp_path / "m.safetensors"

    def test_arrays_of_other_shapes_are_refused(self, tmp_path, encoder):
        _, arrays = read(SEEDS / "model" / encoder, MODEL)
        for name in arrays:
            if "encoder" not in name:
                continue
            cut = self.changed(
                tmp_path, encoder, lambda _, a, name=name: a.update({name: a[name][:-1]})
            )
            with pytest.raises(ModelError, match="header and the weights do not fit"):
                load_embedder(cut, device="cpu")

    def test_features_that_the_encoder_does_not_read_are_refused(self, tmp_path, encoder):
        def wider(about, _):
            about["features"]["channels"] += 1

        with pytest.raises(ModelError, match="reads 64 features a node, the recipe gives 65"):
            load_embedder(self.changed(tmp_path, encoder, wider), device="cpu")

    def test_weights_that_overflow_are_an_error_of_ours(self, tmp_path, encoder):
        from concolor.graph.families import family

        def huge(_, arrays):
            arrays.update({name: array * 3e38 for name, array in arrays.items()})

        found = load_embedder(self.changed(tmp_path, encoder, huge), device="cpu")
        with pytest.raises(ModelError, match="out of range: it cannot embed"):
            found.embed(family("petersen"), seed=0)


def test_the_seeds_are_small():
    files = [path for path in SEEDS.rglob("*") if path.is_file()]
    assert len(files) > 60 and sum(path.stat().st_size for path in files) < 100_000
    json.loads((SEEDS / "certificate" / "petersen").read_text())
