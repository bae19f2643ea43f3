"""Full and read-only disks, several who write one file, and kills: nothing is lost or mixed."""

import errno
import importlib
import json
import multiprocessing
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from concolor.errors import FormatError, InputError
from concolor.experiments.cells import Compared
from concolor.experiments.store import Store
from concolor.files import write_atomically
from concolor.graph.core import Graph
from concolor.graph.formats import read
from concolor.graph.formats.folder import check, write_folder
from shell import concolor

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
CELL = Compared("null", "myciel/id", seed=0)
CYCLE = Graph.from_edges(50_000, [(v, v + 1) for v in range(49_999)])
WAYS = multiprocessing.get_context("fork")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, with 256 KiB, of which little is left."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if subprocess.run(words, capture_output=True).returncode:
        pytest.skip("a file system can be mounted by root only")
    (place / "fill").write_bytes(b"x" * 200_000)
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch, call, code):
    def fails(*_):
        raise OSError(code, os.strerror(code))

    write_atomically(tmp_path / "file", b"old")
    monkeypatch.setattr(os, call, fails)
    with pytest.raises(InputError, match=os.strerror(code)):
        write_atomically(tmp_path / "file", b"new")
    assert os.listdir(tmp_path) == ["file"] and (tmp_path / "file").read_bytes() == b"old"


NAMED = "".join(f"node{v} node{(7 * v + 3) % 9000}\n" for v in range(9000))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "old"),
    [
        (["solve", "er:40000x0.0001", "--method", "dsatur", "-o", "c.json"], "c.json"),
        (["color", "er:2000x0.002", "--time-limit", "0", "--report", "c.html"], "c.html"),
        (["convert", "er:40000x0.0002", "c.col"], "c.col"),
        (["convert", "er:40000x0.0002", "c.csr"], None),
        (["convert", "named.edges", "c.csr"], None),
    ],
    ids=["solve", "color", "convert", "folder", "streamed"],
)
@pytest.mark.parametrize("how", ["full", "read-only"])
def test_a_disk_that_cannot_take_it_is_one_error(tmp_path, small_disk, words, old, how):
    (tmp_path / "named.edges").write_text(NAMED)
    if old:
        (small_disk / old).write_text("old")
    before = sorted(os.listdir(small_disk))
    if how == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    words = [*words[:-1], str(small_disk / words[-1])]
    code, _, err = concolor(*words, "-q", cwd=tmp_path)
    why = "No space left on device|disk is full" if how == "full" else "Read-only file system"
    assert code == 2 and err.count("\n") == 1 and err.startswith(f"concolor: {words[-1]}: cannot")
    assert any(reason in err for reason in why.split("|")), err
    assert sorted(os.listdir(small_disk)) == before
    assert not old or (small_disk / old).read_text() == "old"


def test_results_for_which_there_is_no_room_leave_the_file_as_it_was(small_disk):
    store = Store(small_disk)
    store.add(CELL, {"metrics": 1})
    (path,) = small_disk.glob("*.jsonl")
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"{path}: cannot be written .No space left"):
        store.add(CELL, {"metrics": "x" * 100_000})
    assert path.read_bytes() == before
    store.add(CELL, {"metrics": 2})
    assert store.lines()[CELL.key]["metrics"] == 2


def _add(folder, mine, count):
    for number in range(count):
        Store(folder).add(CELL, {"metrics": [mine, number], "long": f"{mine}" * 20_000})


@pytest.mark.slow
def test_two_processes_add_to_one_results_folder(tmp_path):
    adding = [WAYS.Process(target=_add, args=(tmp_path, mine, 60)) for mine in (1, 2)]
    for process in adding:
        process.start()
    for process in adding:
        process.join()
    lines = (tmp_path / "compared.jsonl").read_text().splitlines()
    found = Counter(tuple(json.loads(line)["metrics"]) for line in lines)
    assert found == Counter((mine, number) for mine in (1, 2) for number in range(60))


def _write(path, mine, end):
    while not end.is_set():
        write_atomically(path, bytes([mine]) * 300_000)


def _fold(path, mine, end):
    while not end.is_set():
        write_folder(Graph.from_edges(1000, [(v, v + mine) for v in range(990)]), path)


@pytest.mark.slow
@pytest.mark.parametrize("writes", [_write, _fold])
def test_two_processes_write_one_output_and_it_is_always_that_of_one(tmp_path, writes):
    path, end = tmp_path / "out.csr", WAYS.Event()
    writing = [WAYS.Process(target=writes, args=(path, mine, end)) for mine in (1, 2)]
    for process in writing:
        process.start()
    seen = Counter()
    try:
        while len(seen) < 2 or seen.total() < 40:
            if path.exists():
                seen[_whole_file(path) if writes is _write else _whole_folder(path)] += 1
    finally:
        end.set()
        for process in writing:
            process.join()
    assert set(seen) == {1, 2}
    assert all(process.exitcode == 0 for process in writing)
    assert [name for name in os.listdir(tmp_path) if not name.endswith(".csr")] == []


def _whole_file(path):
    (mine,) = set(path.read_bytes())
    return mine


def _whole_folder(path):
    graph = read(path)
    return int(graph.neighbors(0)[0])


def test_a_folder_takes_the_place_of_another_at_once(tmp_path, monkeypatch):
    """Where names can be exchanged; elsewhere it is two renames."""
    path = tmp_path / "g.csr"
    for able in (True, False):
        if not able:
            monkeypatch.setattr("concolor.graph.formats.folder._exchanged", lambda *_: False)
        for n in (3, 4):
            write_folder(Graph.from_edges(n, [(0, 1)]), path)
            assert check(path).n == n
        assert os.listdir(tmp_path) == ["g.csr"]


def test_a_folder_that_changes_all_the_time_is_an_error_of_ours(tmp_path, monkeypatch):
    path, turns = tmp_path / "g.csr", iter(range(10**6))
    write_folder(CYCLE, path)
    facts = json.loads((path / "graph.json").read_text())
    monkeypatch.setattr(
        "concolor.graph.formats.folder.read_json", lambda *_: facts | {"name": str(next(turns))}
    )
    with pytest.raises(FormatError, match="others write it all the time"):
        read(path)


@pytest.mark.slow
def test_kills_leave_nothing_half(tmp_path):
    """A few; benchmarks/soak.md has two hundred."""
    script = [
        sys.executable,
        str(BENCHMARKS / "soak.py"),
        "--kills",
        "8",
        "--folder",
        str(tmp_path),
    ]
    subprocess.run(script, check=True, capture_output=True, timeout=300)
    kills = [json.loads(line) for line in (tmp_path / "soak.jsonl").read_text().splitlines()]
    assert len(kills) == 8 and not [kill for kill in kills if kill["wrong"]]


def test_the_soak_would_see_a_file_that_is_half(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    is_fine = importlib.import_module("soak").is_fine
    assert is_fine("c.json", None, None, "new") and is_fine("c.json", "new", "old", "new")
    assert not is_fine("c.json", "half", "old", "new") and not is_fine("c.json", None, "old", "new")
    assert is_fine("results", '["a"]', None, '["a", "b"]')
    assert not is_fine("results", '["c"]', None, '["a", "b"]')
