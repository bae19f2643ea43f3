"""Streamed conversion: what the readers in memory give, with any budget."""

import gzip
import os
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import Doubt, FormatError, InputError
from concolor.graph.core import Graph
from concolor.graph.families import family, family_pieces
from concolor.graph.formats import convert, read, write
from concolor.graph.formats.external import Arcs, Sorter, Spool
from concolor.graph.formats.folder import check
from concolor.graph.formats.streaming import LEAST, STREAMED

SUFFIX = {"edges": ".edges", "csv": ".csv", "dimacs": ".col", "mtx": ".mtx", "npz": ".npz"}


def same(made, graph):
    """Equal in all that a folder keeps."""
    assert made == graph and made.first == graph.first and made.name == graph.name
    assert (made.loops, made.duplicates) == (graph.loops, graph.duplicates)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 40))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = np.array(draw(st.lists(ends, max_size=60)), int).reshape(-1, 2)
    kind = draw(st.sampled_from(["none", "words", "numbers"]))
    made = {"words": [f"n {i}" for i in range(n)], "numbers": [str(7 * i + 3) for i in range(n)]}
    return Graph.from_edges(n, edges, names=made.get(kind))


@pytest.mark.slow
@pytest.mark.parametrize("format", STREAMED)
@given(graph=graphs())
@settings(max_examples=15, deadline=None)
def test_a_tiny_budget_gives_what_the_reader_in_memory_gives(format, graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("both")
    path = folder / f"g{SUFFIX[format]}"
    write(graph, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Doubt)
        expected = read(path)
        same(convert(path, folder / "g.csr", memory=LEAST), expected)
    same(check(folder / "g.csr"), expected)
    assert sorted(os.listdir(folder)) == sorted(["g.csr", path.name])


TEXTS = {
    "repeated and loops.edges": b"0 1\n1 0\n2 2\n1 2\n1 2\n",
    "gaps.edges": b"10 20\n20 30\n7 7\n",
    "huge.edges": b"1000000000000 5\n5 999999999999999999\n",
    "zeros are names.edges": b"01 2\n2 3\n",
    "weights.edges": b"0 1 2.5\n1 2 1\n",
    "ragged.edges": b"0 1 2.5\n1 2\n3\n",
    "alone.edges": b"0 1\n4\n2 3\n",
    "windows.edges": b"# hello\r\n0 1\r\n1 2\r\n",
    "old mac.edges": b"0 1\r1 2",
    "mark.edges": b"\xef\xbb\xbf0 1\n1 2\n",
    "header.csv": b"source,target\n0,1\n1,2\n",
    "words.csv": b"a,b\nb,c\nc,a\n",
    "guessed header.csv": b"student,course\na,b\nb,c\nc,a\n",
    "quoted.csv": b'"x, y",b\nb,c\n',
    "late names.edges": b"0 1\n" * 2000 + b"1 x\n",
    "promised.edges": b"# concolor: 3 nodes, 1 edges, named\n0\n2\n1\n0 2\n",
    "from zero.col": b"p edge 3 2\ne 0 1\ne 1 2\n",
    "indented.col": b"c hi\np edge 3 2\n e 1 2\ne 2 3\n",
    "weighted.col": b"p edge 3 2\ne 1 2 5\ne 2 3 6\n",
    "named.col": b"c name 2 Bo\np edge 3 1\ne 1 2\n",
    "band.col": b"p band 3 1\nn 1 2\nn 2 3\ne 1 2 4\n",
    "general.mtx": b"%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 1\n3 3\n1 2\n",
    "real.mtx": b"%%MatrixMarket matrix coordinate real symmetric\n% a\n3 3 2\n2 1 .5\n3 1 -1e3\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("memory", [LEAST, 1 << 20])
def test_files_as_they_come(name, memory, tmp_path):
    path = tmp_path / name
    path.write_bytes(TEXTS[name])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        expected = read(path)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        made = convert(path, tmp_path / "g.csr", memory=memory)
    same(made, expected)
    check(tmp_path / "g.csr")
    assert [str(doubt.message) for doubt in heard] == [str(doubt.message) for doubt in said]


def test_both_layouts_of_npz(tmp_path):
    edge_index = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    for index in (edge_index, np.asfortranarray(edge_index)):
        np.savez(tmp_path / "g.npz", n=4, edge_index=index, x=np.zeros((4, 2)))
        same(convert(tmp_path / "g.npz", tmp_path / "g.csr"), read(tmp_path / "g.npz").but(x=None))
    for edges in (edge_index.T, np.ascontiguousarray(edge_index.T)):
        np.savez_compressed(tmp_path / "g.npz", edges=edges, x=np.zeros((4, 2)))
        same(
            convert(tmp_path / "g.npz", tmp_path / "g.csr", memory=LEAST), read(tmp_path / "g.npz")
        )


@pytest.mark.slow
def test_many_runs_and_a_compressed_file(tmp_path):
    graph = family("er:3000x0.004", seed=5)
    shuffled = np.random.default_rng(0).permutation(np.r_[graph.edges, graph.edges[:500, ::-1]])
    path = tmp_path / "big.edges.gz"
    text = "".join(f"{u} {v}\n" for u, v in shuffled.tolist()) + "7 7\n"
    path.write_bytes(gzip.compress(text.encode()))
    seen = []

    def tell(*far):
        seen.append(far)

    for memory in (1 << 14, 1 << 17, 1 << 30):
        made = convert(path, tmp_path / "big.csr", memory=memory, progress=tell)
        assert made == graph and (made.loops, made.duplicates) == (1, 500)
    assert {what for what, _, _ in seen} == {"reading", "sorting", "merging"}
    assert all(0 <= done <= total for _, done, total in seen)


WRONG = {
    "cut.edges.gz": (gzip.compress(b"0 1\n" * 1000)[:-12], "gzip"),
    "broken.edges": (b"# concolor: 3 nodes, 5 edges, numbered\n0 1\n", "promises 3 nodes"),
    "nothing.edges": (b"# only this\n", "neither an edge nor a node"),
    "negative.edges": (b"0 1\n-1 2\n", "negative"),
    "four.edges": (b"0 1\n" * 500 + b"1 2 3 4\n", ":501:"),
    "range.col": (b"p edge 2 1\ne 1 3\n", "node 3 is out of range"),
    "no head.col": (b"e 1 3\n", "no line 'p edge"),
    "cut.col": (b"p edge 4 3\ne 1 2\ne 2 3", "truncated"),
    "garbage.col": (b"p edge 4 3\nhello\n", "expected a line c, p, e"),
    "range.mtx": (b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n", "node 3"),
    "cut.mtx": (b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n", "truncated"),
    "oblong.mtx": (b"%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n", "square"),
    "not.npz": (b"PK\x03\x04 no", "not a whole .npz"),
    "names.col": (b"c name 9 x\np edge 2 1\ne 1 2\n", "node 9"),
    "twice.col": (b"c name 1 x\nc name 2 x\np edge 2 1\ne 1 2\n", "must differ"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_and_leaves_nothing(name, tmp_path):
    content, message = WRONG[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError) as caught:
        convert(tmp_path / name, tmp_path / "g.csr", memory=LEAST)
    assert message in str(caught.value) and name in str(caught.value)
    assert os.listdir(tmp_path) == [name]
    with pytest.raises(FormatError):  # so does the reader in memory
        read(tmp_path / name)


def test_too_little_memory_is_refused(tmp_path):
    with pytest.raises(InputError, match="memory must be at least"):
        convert("er:10x0.5", tmp_path / "g.csr", memory=100)


@pytest.mark.parametrize("spec", ["er:500x0.02", "er:1x0", "er:50x1", "er:40x0", "queen:6x6"])
def test_families_are_those_in_memory(spec, tmp_path):
    made = convert(spec, tmp_path / "g.csr", seed=3, memory=LEAST)
    same(made, family(spec, seed=3))
    assert made.folder is not None


def test_how_large_the_pieces_of_a_family_are_changes_nothing():
    from concolor.graph.families.random import random_pieces

    whole = family("er:300x0.05", seed=2).edges
    for size in (1, 10, 999):
        pieces = random_pieces(300, 0.05, np.random.default_rng(2), size)
        edges = np.concatenate(list(pieces))
        assert sorted(map(tuple, edges.tolist())) == list(map(tuple, whole.tolist()))
    assert family_pieces("queen:5x5") is None


def test_formats_that_are_not_streamed_are_converted_too(tmp_path):
    graph = family("queen:4x4")
    write(graph, tmp_path / "q.graph")
    assert convert(tmp_path / "q.graph", tmp_path / "q.csr").folder is not None
    assert convert(tmp_path / "q.csr", tmp_path / "q.col") == graph
    assert read(tmp_path / "q.col") == graph == read(tmp_path / "q.csr")


@given(
    st.lists(st.lists(st.integers(0, 50), max_size=30), max_size=8),
    st.integers(24, 2000),
    st.sampled_from([1, 2, 7]),
)
@settings(max_examples=60, deadline=None)
def test_a_sorter_gives_every_number_once_in_order(parts, memory, together):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        sorter = Sorter(Path(folder), memory)
        for part in parts:
            sorter.add(np.array(part, np.uint64))
        pieces = [piece.tolist() for piece in sorter.merged(together)]
        assert not os.listdir(folder)
    assert [x for piece in pieces for x in piece] == sorted({x for part in parts for x in part})
    groups = [{x // together for x in piece} for piece in pieces]
    assert sum(map(len, groups)) == len(set().union(*groups))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40), st.booleans())
@settings(max_examples=60, deadline=None)
def test_arcs_on_disk_make_the_graph_of_from_edges(pairs, both):
    import tempfile
    from pathlib import Path

    expected = Graph.from_edges(10, np.array(pairs, int).reshape(-1, 2), arcs=both)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spool, arcs = Spool(folder, 1000), Arcs(folder, 1000)
        spool.add(np.array(pairs, np.int64).reshape(-1, 2))
        for piece in spool.pairs():
            arcs.add(piece)
        m, duplicates = arcs.write(folder, 10, both=both)
        assert np.load(folder / "indptr.npy").tolist() == expected.indptr.tolist()
        assert np.load(folder / "indices.npy").tolist() == expected.indices.tolist()
    assert (m, arcs.loops, duplicates) == (expected.m, expected.loops, expected.duplicates)
