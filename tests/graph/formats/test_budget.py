"""Readers keep to a budget of memory, and to time that is linear in their input."""

import gzip
import re
import sys

import numpy as np
import pytest

from concolor.errors import FormatError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.formats import FORMATS, convert, delimited, metis, read, write
from concolor.graph.texts import Numbered, TextNames
from concolor.matrices.pattern import Pattern

BUDGET = "24M"
SIZE = 2**20  # bytes, unpacked
BOMBS = {
    "names.csv.gz": b"a,b\n",
    "names.edges.gz": b"a b\n",
    "comments.csv.gz": b"#\n",
    "quoted.csv.gz": b'"a,b"\n',
    "numbers.edges.gz": b"1 2\n",
    "comments.col.gz": b"c\n",
    "lists.json.gz": b"[],",
    "nodes.graphml.gz": b'<node id="1"/>',
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_with_the_budget_in_the_message(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(BOMBS[name] * (SIZE // len(BOMBS[name]))))
    assert path.stat().st_size < SIZE / 50
    with pytest.raises(FormatError, match=rf"{name}.* needs about .* the budget is 24.0 MiB"):
        read(path, max_memory=BUDGET)


@pytest.mark.parametrize("name", ["edges", "csv", "dimacs", "mtx", "npz"])
def test_an_honest_file_of_that_size_is_read(tmp_path, name):
    ends = np.random.default_rng(0).integers(0, 10**5, (SIZE // 12, 2))
    graph = Graph.from_edges(10**5, ends)
    path = tmp_path / f"honest{FORMATS[name].suffixes[0]}.gz"
    write(graph, path)
    assert read(path, max_memory=BUDGET).digest == graph.digest


@pytest.mark.parametrize("name", ["edges", "csv", "dimacs", "mtx", "npz"])
def test_an_honest_file_with_weights_is_read(tmp_path, name):
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 5000, (SIZE // 16, 2))
    graph = Graph.from_edges(5000, ends, weights=rng.integers(1, 9, len(ends)))
    path = tmp_path / f"honest{FORMATS[name].suffixes[0]}.gz"
    write(graph, path)
    found = read(path, weights="max", max_memory=BUDGET)
    assert found == graph and (found.weights == graph.weights).all()


@pytest.mark.parametrize(
    ("name", "row"), [("a.edges", b"0 1 5\n"), ("a.csv", b"0,1,5\n"), ("a.col", b"e 1 2 5\n")]
)
def test_a_bomb_of_weights_is_refused(tmp_path, name, row):
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(b"p edge 2 1\n" * (name == "a.col") + row * (SIZE // len(row))))
    for weights in (False, "max"):
        with pytest.raises(FormatError, match=r"the budget is 16\.0 MiB"):
            read(path, weights=weights, max_memory="16M")


def test_a_bomb_that_is_a_matrix_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "matrix.mtx.gz"
    head = b"%%MatrixMarket matrix coordinate pattern general\n2 3 1\n"
    path.write_bytes(gzip.compress(head + b"1 3\n" * (SIZE // 4)))
    monkeypatch.setenv("CONCOLOR_MAX_MEMORY", BUDGET)
    with pytest.raises(FormatError, match=r"matrix\.mtx\.gz.* the budget is 24\.0 MiB"):
        Pattern.read(path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("heads.col", b"p edge 2 1\n", "a second p line|the budget is 64.0 KiB"),
        ("junk.col", b"z\n", "the budget is 64.0 KiB"),
    ],
)
def test_convert_refuses_what_would_pile_up(tmp_path, monkeypatch, name, text, message):
    monkeypatch.setenv("CONCOLOR_MAX_MEMORY", "64K")
    path = tmp_path / name
    path.write_bytes(text * 10_000)
    with pytest.raises(FormatError, match=message):
        convert(path, tmp_path / "a.csr", memory=2**16)


@pytest.mark.parametrize("name", ["edges", "csv", "dimacs", "mtx", "npz"])
def test_convert_takes_an_honest_file_beyond_the_budget(tmp_path, name, monkeypatch):
    graph = family("er:2000x0.01", seed=1).but(names=[f"n{i}" for i in range(2000)])
    path = tmp_path / f"honest{FORMATS[name].suffixes[0]}"
    write(graph, path)
    monkeypatch.setenv("CONCOLOR_MAX_MEMORY", "100K")
    with pytest.raises(FormatError, match=r"100\.0 KiB.* to convert .* to a \.csr folder"):
        read(path)
    assert convert(path, tmp_path / "a.csr", memory=2**14) == graph


def test_convert_refuses_names_of_other_nodes_by_their_head(tmp_path):
    path = tmp_path / "names.npz"
    np.savez_compressed(path, n=3, edges=[[0, 1]], names=np.full(1000, "a"))
    with pytest.raises(FormatError, match="1000 node names for 3 nodes"):
        convert(path, tmp_path / "a.csr")


def test_convert_takes_indented_edges_in_linear_time(tmp_path):
    def work(times):
        path = tmp_path / "a.col"
        path.write_bytes(b"p edge 2 1\n" + b" e 1 2\n" * times)
        return lambda: convert(path, tmp_path / "a.csr")

    work(100)()  # what is loaded once
    once, twice = events(work(1000)), events(work(2000))
    assert twice <= 2.2 * once + 100


def test_arrays_are_refused_by_their_heads(tmp_path):
    path = tmp_path / "features.npz"
    np.savez_compressed(path, n=3, edges=[[0, 1]], x=np.zeros((10**7, 1), bool))
    with pytest.raises(FormatError, match=r"the budget is 24\.0 MiB"):
        read(path, max_memory=BUDGET)


def test_names_of_other_nodes_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "names.npz"
    np.savez_compressed(path, n=3, edges=[[0, 1]], names=np.full(1000, "a"))
    unpacked = []
    real = np.lib.npyio.NpzFile.__getitem__
    monkeypatch.setattr(
        np.lib.npyio.NpzFile,
        "__getitem__",
        lambda file, key: unpacked.append(key) or real(file, key),
    )
    with pytest.raises(FormatError, match="1000 node names for 3 nodes"):
        read(path)
    assert "n" in unpacked and "names" not in unpacked


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.col", "c name 2 last\np edge {n} 0\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% name 2 last\n{n} {n} 0\n"),
    ],
)
def test_names_of_declared_nodes_are_made_when_asked_for(tmp_path, name, text):
    path, n = tmp_path / name, 10**6
    path.write_text(text.format(n=n))
    graph = read(path, max_memory=2**20 + 16 * 2 * n)  # a list of names would take more
    assert isinstance(graph.names, Numbered)
    assert graph.node_names[:3] == ("1", "last", "3") and graph.node_names[-1] == str(n)
    assert graph.node("last") == 1


def test_numbered_is_like_the_tuple_that_it_stands_for():
    names = Numbered(4, 1, {2: "x"})
    assert names == ("1", "2", "x", "4")
    assert hash(names) == hash(("1", "2", "x", "4"))
    assert list(names) == ["1", "2", "x", "4"] and names[1:3] == ("2", "x") and names[-1] == "4"
    assert names == Numbered(4, 1, {2: "x", 0: "1"}) != Numbered(4, 1)
    assert Numbered(2, 0, {0: "1", 1: "2"}) == Numbered(2, 1)
    with pytest.raises(IndexError):
        names[4]


def test_texts_of_both_kinds_are_equal_where_they_read_alike():
    stored = TextNames(np.frombuffer(b"12x", np.uint8), np.arange(4))
    assert stored == Numbered(3, 1, {2: "x"}) == stored
    assert hash(stored) == hash(Numbered(3, 1, {2: "x"}))
    assert stored != Numbered(3, 1) != stored and stored != Numbered(2, 1)


@pytest.mark.parametrize("text", ["1", "2", "x", "3", "4", "01", "0", "y", "9" * 5000])
def test_numbered_finds_places_as_a_search_does(text):
    names = Numbered(4, 1, {1: "4", 2: "x", 3: "2"})
    assert names.place(text) == (list(names).index(text) if text in list(names) else None)


@pytest.mark.parametrize(
    ("given", "twice"), [({0: "a", 2: "a"}, "a"), ({0: "2"}, "2"), ({0: "2", 1: "1"}, None)]
)
def test_numbered_finds_a_text_that_is_there_twice(given, twice):
    names = Numbered(3, 1, given)
    assert names.twice == twice
    assert (len(set(names)) < 3) == (twice is not None)


# Steps of the readers, counted: events of the interpreter, and what a backtracking matcher does.

ATTACKS = [
    '"{}',
    'a,{}"b',
    '"a"{}b',
    "{}a",
    'a b{}"',
    '"a""{}',
]


def events(work):
    """Calls of Python and C functions, and lines, that the work takes."""
    count = 0

    def tick(frame, event, arg):
        nonlocal count
        count += 1
        return tick

    sys.settrace(tick)
    try:
        work()
    except FormatError:
        pass
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "npz"])
@pytest.mark.parametrize("filling", [" ", "\n", '"', "a", "1 2\n", "<", "c\n", "[", "% \n"])
def test_twice_the_input_takes_at_most_twice_the_events(name, filling):
    def work(times):
        return lambda: FORMATS[name].parse((filling * times + "\n").encode(), lambda doubt: None)

    events(work(100))  # what is loaded once
    once, twice = events(work(1000)), events(work(2000))
    assert twice <= 2.2 * once + 100


def steps(pattern, text):
    """Steps of a backtracking matcher, as Python's is, from the beginning of the text."""
    tree, count = re._parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), 0
    if isinstance(pattern.pattern, bytes):
        text = text.decode("latin-1")
        tree = re._parser.parse(pattern.pattern.decode("latin-1"), 0)

    def one(op, arg, i):
        if i >= len(text):
            return False
        return bool(re._compiler.compile(_sub(op, arg)).match(text[i]))

    def _sub(op, arg):
        part = re._parser.SubPattern(re._parser.State())
        part.append((op, arg))
        return part

    singles = {}

    def is_one(op, arg, i):
        if i >= len(text):
            return False
        key = (id(arg), text[i])
        if key not in singles:
            singles[key] = one(op, arg, i)
        return singles[key]

    def match(ops, k, i, then):
        nonlocal count
        count += 1
        if k == len(ops):
            return then(i)
        op, arg = ops[k]
        kind, rest = str(op), lambda j: match(ops, k + 1, j, then)
        if kind in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            return is_one(op, arg, i) and rest(i + 1)
        if kind == "AT":
            return (i == len(text)) if "END" in str(arg) else (i == 0) and rest(i)
        if kind == "SUBPATTERN":
            return match(list(arg[3]), 0, i, rest)
        if kind == "BRANCH":
            return any(match(list(branch), 0, i, rest) for branch in arg[1])
        assert kind == "MAX_REPEAT", kind
        low, high, body = int(arg[0]), int(arg[1]), list(arg[2])
        ends = [i]  # a loop, not a recursion: texts are long
        while len(ends) <= high:
            reached = []
            if not match(body, 0, ends[-1], lambda j, to=reached: to.append(j) or True):
                break
            if reached[0] == ends[-1]:
                break
            ends.append(reached[0])
        return any(rest(end) for end in reversed(ends[low:]))

    match(list(tree), 0, 0, lambda i: True)
    return count


PATTERNS = [*delimited._CELL.values(), delimited._WORDS, metis._HEADER]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: str(pattern.pattern)[:30])
@pytest.mark.parametrize("attack", [*ATTACKS, '{}"', '{}"b', ' {}" x'])
def test_twice_the_text_takes_twice_the_steps_of_a_pattern(pattern, attack):
    def text(times):
        found = attack.format(" " * times)
        return found.encode() if isinstance(pattern.pattern, bytes) else found

    assert steps(pattern, text(400)) <= 2.2 * steps(pattern, text(200)) + 50


def test_the_step_counter_sees_a_quadratic_pattern():
    before = re.compile(r'[ ]*(?:"((?:[^"]|"")*)"[ ]*|([^",]*))(,|$)')
    assert steps(before, " " * 200 + '"') * 3 < steps(before, " " * 400 + '"')
