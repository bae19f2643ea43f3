"""Reading and writing in general: every format, every way a file can be wrong."""

import gzip
import io
import os
import string

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concolor.errors import ConcolorError, Doubt, FormatError, InputError, UnknownName
from concolor.graph.core import Graph
from concolor.graph.formats import FORMATS, read, write

NAMES = ["Jean Valjean", "a,b", 'say "hi"', "Éponine 東", "#1", "%", "-1", "0", " x ", "007", "p;q"]
NAMED = Graph.from_edges(len(NAMES), [(0, 1), (1, 2), (5, 3), (4, 9)], names=NAMES)
PLAIN = Graph.from_edges(6, [(4, 0), (0, 2), (1, 2)])  # 3 and 5 are isolated
PERMUTED = Graph.from_edges(3, [(0, 1)], names=["1", "2", "0"])
SAMPLES = {
    "plain": PLAIN,
    "named": NAMED,
    "permuted": PERMUTED,
    "edgeless": Graph.from_edges(3, []),
}
LISTED = PLAIN.but(lists={0: [0, 10], 3: [2]})
TEXT_FORMATS = [name for name in FORMATS if not FORMATS[name].binary]


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 8))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = draw(st.lists(ends, max_size=15)) if n else []
    letters = st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
    name = st.one_of(st.text(letters, min_size=1, max_size=5), st.integers(0, 9).map(str))
    names = draw(st.none() | st.lists(name, min_size=n, max_size=n, unique=True))
    pairs = np.array(edges, int).reshape(-1, 2)
    return Graph.from_edges(n, pairs, names=names, first=draw(st.integers(0, 1)))


@st.composite
def listed_graphs(draw):
    graph = draw(graphs().filter(lambda graph: graph.n))
    colors = st.lists(st.integers(0, 99), min_size=1, max_size=4)
    nodes = st.integers(0, graph.n - 1)
    return graph.but(lists=draw(st.dictionaries(nodes, colors, min_size=1)))


def there_and_back(graph, name):
    return FORMATS[name].parse(FORMATS[name].write(graph))


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
@given(graph=graphs())
@settings(max_examples=60, deadline=None)
def test_every_graph_survives_a_round_trip(name, graph):
    said = graph.names != tuple(map(str, range(graph.n)))  # else the numbers say as much
    assert there_and_back(graph, name) == (graph if said else graph.but(names=None))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FORMATS if FORMATS[name].keeps_lists])
@given(graph=listed_graphs())
@settings(max_examples=60, deadline=None)
def test_lists_survive_a_round_trip(name, graph):
    said = graph.names != tuple(map(str, range(graph.n)))
    assert there_and_back(graph, name) == (graph if said else graph.but(names=None))


@pytest.mark.parametrize("name", FORMATS)
def test_lists_are_written_or_missed_with_a_doubt(tmp_path, name):
    path, listed = tmp_path / "g", NAMED.but(lists={1: [0, 2], 7: [1]})
    if FORMATS[name].keeps_lists:
        write(listed, path, format=name)
        assert read(path, format=name) == listed
    else:
        message = f"^{path}: the lists of colors of 2 nodes are left out; .col or .npz keeps them"
        with pytest.warns(Doubt, match=message):
            write(listed, path, format=name)
        assert read(path, format=name) == NAMED


def test_a_doubt_is_said_where_read_was_called_and_not_about_a_broken_file(tmp_path):
    path = tmp_path / "g.edges"
    path.write_text("0 1 2\n1 2 3\n")
    with pytest.warns(Doubt) as caught:
        read(path)
    assert [warning.filename for warning in caught] == [__file__]
    path.write_text("p edge 3 1\ne 0 1 5\nf 9 1\n")
    with pytest.raises(FormatError, match="node 9"):
        read(path, format="dimacs")


@pytest.mark.parametrize("name", FORMATS)
def test_our_own_files_leave_no_doubt(name):
    for graph in SAMPLES.values():
        FORMATS[name].parse(FORMATS[name].write(graph), pytest.fail)


@pytest.mark.parametrize("name", FORMATS)
def test_names_that_only_count_are_dropped_by_readers(name):
    graph = Graph.from_edges(2, [(0, 1)], names=["0", "1"])
    assert there_and_back(graph, name).names is None
    assert there_and_back(graph.subgraph([1, 0]), name).names == ("1", "0")


@pytest.mark.parametrize("name", FORMATS)
def test_names_that_are_not_text_are_written_as_text(tmp_path, name):
    names = [(0, 1), 7, frozenset({"a"}), 2.5, "b"]
    graph = Graph.from_edges(5, [(0, 1), (2, 4)], names=names)
    write(graph, tmp_path / "g", format=name)
    assert read(tmp_path / "g", format=name) == graph.but(names=graph.node_names)


@pytest.mark.parametrize("name", FORMATS)
def test_names_with_the_same_text_are_refused_before_writing(tmp_path, name):
    graph = Graph.from_edges(3, [(0, 1)], names=[1, (2,), "1"])
    with pytest.raises(InputError, match="the node names 1 and '1' are the same text in a file"):
        write(graph, tmp_path / "g", format=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", FORMATS)
def test_a_clean_file_has_no_copies(name):
    assert there_and_back(PLAIN, name).duplicates == there_and_back(NAMED, name).duplicates == 0


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("packing", ["", ".gz"])
def test_files_survive_a_round_trip(tmp_path, sample, name, packing):
    for suffix in FORMATS[name].suffixes:
        path = tmp_path / f"my.graph.1{suffix}{packing}"
        write(SAMPLES[sample], path)
        graph = read(path)
        assert graph == SAMPLES[sample]
        assert graph.name == "my.graph.1"
        assert list(tmp_path.iterdir()) == [path]  # nothing left beside it
        path.unlink()


@pytest.mark.parametrize("name", FORMATS)
def test_nodes_without_names_are_numbered_as_in_the_file(name):
    first = 1 if name in ("dimacs", "metis", "mtx") else 0
    for source in (0, 1):
        graph = there_and_back(Graph.from_edges(3, [(0, 1), (1, 2)], first=source), name)
        assert graph.node_names == tuple(str(first + v) for v in range(3))
        assert [graph.node(label) for label in graph.node_names] == [0, 1, 2]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("dimacs", b"c name 1 0\nc name 2 1\np edge 2 1\ne 1 2\n"),
        ("metis", b"% name 1 0\n% name 2 1\n2 1\n2\n1\n"),
        (
            "mtx",
            b"%%MatrixMarket matrix coordinate pattern symmetric\n"
            b"% name 1 0\n% name 2 1\n2 2 1\n2 1\n",
        ),
    ],
)
def test_names_in_comments_win_over_the_numbers_of_the_file(name, content):
    assert FORMATS[name].parse(content).node_names == ("0", "1")


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_windows_and_old_mac_newlines_and_a_byte_order_mark_are_fine(tmp_path, name):
    content = FORMATS[name].write(NAMED)
    for newline in (b"\r\n", b"\r"):
        path = tmp_path / "graph"
        path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", newline))
        assert read(path, format=name) == NAMED


def test_a_bandwidth_instance_is_recognized_by_its_content(monkeypatch):
    content = b"c hi\np band 2 1\ne 1 2 5\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    with pytest.warns(Doubt, match="^-: 'p band'"):
        assert read("-") == Graph.from_edges(2, [(0, 1)])


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("metis", "csv")])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_recognized_by_its_content(monkeypatch, name, pack):
    content = pack(FORMATS[name].write(PLAIN))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read("-") == PLAIN


def test_standard_input_of_a_named_format(monkeypatch):
    content = FORMATS["metis"].write(PLAIN)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    graph = read("-", format="metis")
    assert graph == PLAIN and graph.name == "stdin"


def test_standard_output(capsysbinary):
    write(PLAIN, "-", format="dimacs")
    assert capsysbinary.readouterr().out == b"p edge 6 3\ne 1 3\ne 1 5\ne 2 3\n"
    with pytest.raises(InputError, match="which format"):
        write(PLAIN, "-")


def test_the_suffix_may_be_in_capitals(tmp_path):
    path = tmp_path / "G.COL.GZ"
    write(PLAIN, path)
    assert path.read_bytes()[:2] == b"\x1f\x8b" and read(path) == PLAIN


def test_unknown_formats_name_the_known_ones(tmp_path):
    (tmp_path / "a.gexf").write_text("x")
    for act in (read, lambda path: write(PLAIN, path)):
        with pytest.raises(FormatError, match=r"unknown suffix '.gexf'.*dimacs \(.col"):
            act(tmp_path / "a.gexf")
    with pytest.raises(UnknownName, match="did you mean 'dimacs'"):
        read(tmp_path / "a.gexf", format="dimac")
    with pytest.raises(InputError, match="path"):
        read(0)


def test_the_ways_to_name_a_format_are_told_for_python_and_the_shell(tmp_path):
    (tmp_path / "bare").write_text("1 2\n")
    (tmp_path / "wrong.col").write_text("e 1 2\n")
    for name, complaint in {"bare": "unknown suffix ''", "wrong.col": "is this DIMACS"}.items():
        with pytest.raises(FormatError, match=f"{complaint}.*format= in Python.*FORMAT:- <"):
            read(tmp_path / name)
    assert read(tmp_path / "bare", format="edges").node_names == ("1", "2")


@pytest.mark.parametrize("name", [".", "sub", "sub.col"])
def test_a_folder_is_called_a_folder(tmp_path, name):
    (tmp_path / name).mkdir(exist_ok=True)
    for act in (read, lambda path: write(PLAIN, path)):
        with pytest.raises(FormatError, match="a folder, expected a graph file"):
            act(tmp_path / name)


def test_what_cannot_be_read_is_said_in_one_error(tmp_path):
    for name, word in {
        "no.col": "No such file",
        "a\0.col": "null",
    }.items():
        with pytest.raises(FormatError, match=f"(?i){word}"):
            read(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "a.col"
    path.touch(mode=0)
    with pytest.raises(FormatError, match="Permission denied"):
        read(path)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "content", [b"", b" \n\n", b"\x00\x01\xff\xfe" * 50, b"\x1f\x8b", b"PK\x03\x04zip"]
)
def test_empty_and_binary_files_are_refused(tmp_path, name, content):
    path = tmp_path / "graph"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=str(path)):
        read(path, format=name)


@pytest.mark.parametrize("name", FORMATS)
def test_a_truncated_gzip_is_refused(tmp_path, name):
    path = tmp_path / f"a{FORMATS[name].suffixes[0]}.gz"
    content = gzip.compress(FORMATS[name].write(NAMED))
    for size in (5, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(FormatError, match="gzip"):
            read(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_ours_that_was_cut_is_refused(tmp_path, name):
    path = tmp_path / "graph"
    content = FORMATS[name].write(Graph.from_edges(30, [(i, i + 1) for i in range(29)]))
    for size in range(len(content) // 2, len(content) * 3 // 4):
        path.write_bytes(content[:size])
        if name == "dimacs" and content[size - 1 : size] == b"\n":
            continue  # whole lines: a wrong count on the p line is common, and forgiven
        with pytest.raises(FormatError):
            read(path, format=name)


@pytest.mark.parametrize("bad", ["", "two\nlines", "nul\0", "\ud800"])
@pytest.mark.parametrize("name", FORMATS)
def test_names_that_text_cannot_carry_are_refused_before_writing(tmp_path, name, bad):
    graph = Graph.from_edges(2, [(0, 1)], names=["a", bad])
    with pytest.raises(InputError, match="node name"):
        write(graph, tmp_path / "g", format=name)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.col"
    write(PLAIN, path)
    before = path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(InputError, match="disk full"):
        write(NAMED, path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


TOKENS = [
    b"-1",
    b"0",
    b"1e999",
    b"NaN",
    b"99999999999999999999",
    b"9" * 5000,
    b"\x00",
    b"\xff\xfe",
    b'"',
    b"\n",
]
TOKENS += [
    b"p edge 3 3\n",
    b"%",
    b"#",
    b"[",
    b"{",
    b"<!DOCTYPE x>",
    b"&x;",
    b",",
    b" 1.5 ",
    b"\r",
    b"\\ud800",
]


@st.composite
def mutations(draw, content):
    for _ in range(draw(st.integers(1, 4))):
        i = draw(st.integers(0, max(len(content) - 1, 0)))
        j = draw(st.integers(i, min(i + 12, len(content))))
        kind = draw(st.sampled_from(["flip", "delete", "double", "cut", "insert", "digit"]))
        if kind == "flip":
            content = content[:i] + bytes([draw(st.integers(0, 255))]) + content[i + 1 :]
        elif kind == "delete":
            content = content[:i] + content[j:]
        elif kind == "double":
            content = content[:j] + content[i:]
        elif kind == "cut":
            content = content[:i]
        else:
            extra = TOKENS if kind == "insert" else [c.encode() for c in string.digits[:3]]
            content = content[:i] + draw(st.sampled_from(extra)) + content[i:]
    return content


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::concolor.errors.Doubt")  # a change may well be guessed at
@pytest.mark.parametrize("sample", ["plain", "named", "listed"])
@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
@settings(
    max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_whatever_the_bytes_only_our_errors_come_out(tmp_path, monkeypatch, name, sample, data):
    monkeypatch.setattr("concolor.graph.formats.scan.MAX_NODES", 10**6)  # keeps the test small
    path = tmp_path / "graph"
    graph = LISTED if sample == "listed" else SAMPLES[sample]
    path.write_bytes(data.draw(mutations(FORMATS[name].write(graph))))
    try:
        graph = read(path, format=name)
    except ConcolorError as error:
        assert str(error).startswith(str(path))
    else:
        assert there_and_back(graph, name) == graph
