"""CSR folders: whole or not there, mapped and not loaded, refused where they are broken."""

import json
import os
import pickle
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.errors import Doubt, FormatError, InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.formats import read, write
from concolor.graph.formats.folder import PARTS, check
from concolor.graph.texts import TextNames

NAMES = ["Jean Valjean", "a,b", "Éponine 東", "0"]
NAMED = Graph.from_edges(4, [(0, 1), (1, 2)], names=NAMES)


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 9))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = np.array(draw(st.lists(ends, max_size=20)) if n else [], int).reshape(-1, 2)
    names = draw(st.none() | st.just([f"v{i}" * (i % 3 + 1) for i in range(n)]))
    return Graph.from_edges(n, edges, names=names, first=draw(st.integers(0, 1)), name="g")


@pytest.mark.slow
@given(graph=graphs())
@settings(max_examples=40, deadline=None)
def test_what_is_written_is_what_is_read(graph, tmp_path_factory):
    path = tmp_path_factory.mktemp("there") / "g.csr"
    write(graph, path)
    back = check(path)
    assert back == graph and hash(back) == hash(graph) and back.digest == graph.digest
    assert (back.name, back.first, back.loops, back.duplicates) == (
        *(graph.name, graph.first, graph.loops, graph.duplicates),
    )
    assert back.edges.tolist() == graph.edges.tolist()
    assert back.edge_index.tolist() == graph.edge_index.tolist()
    assert back.node_names == graph.node_names


@pytest.fixture
def there(tmp_path):
    path = tmp_path / "queen.csr"
    write(family("queen:5x5"), path)
    return path


def test_the_arrays_are_maps_that_nobody_can_change(there):
    graph = read(there)
    assert graph.folder == there.resolve()
    for array in (graph.indptr, graph.indices):
        assert type(array) is np.ndarray and isinstance(array.base, np.memmap)
        assert not array.flags.writeable
    assert cc.solve(graph, "exact").coloring.k == 5
    assert cc.certify(graph, cc.dsatur(graph)).lower == 5
    assert pickle.loads(pickle.dumps(graph)) == graph


def test_edges_in_pieces_are_the_edges():
    graph = family("er:200x0.1")
    for arcs in (1, 7, 300, 10**6):
        pieces = list(graph.edge_pieces(arcs))
        assert np.concatenate(pieces).tolist() == graph.edges.tolist()
    u, v = graph.edge_index
    assert graph.edges.tolist() == np.stack([u, v], axis=1)[u < v].tolist()


def test_names_are_read_when_they_are_asked_for(tmp_path):
    write(NAMED, tmp_path / "g.csr")
    names = read(tmp_path / "g.csr").names
    assert isinstance(names, TextNames)
    assert names[1] == "a,b" and names[-1] == "0" and names[1:3] == ("a,b", "Éponine 東")
    assert names == tuple(NAMES) and tuple(NAMES) == names and hash(names) == hash(tuple(NAMES))
    assert names != tuple(NAMES[:3]) and names != NAMES
    with pytest.raises(IndexError):
        names[4]
    assert read(tmp_path / "g.csr").node("Éponine 東") == 2


def test_lists_are_left_out_with_a_word(tmp_path):
    with pytest.warns(Doubt, match="lists of colors of 1 nodes"):
        write(family("path:3").but(lists={0: [1]}), tmp_path / "g.csr")


def changed(path, **facts):
    about = json.loads((path / "graph.json").read_text())
    (path / "graph.json").write_text(json.dumps({**about, **facts}))


def saved(path, array):
    """A part of another shape or type, of which graph.json knows the size."""
    np.save(path, array)
    about = json.loads((path.parent / "graph.json").read_text())
    about["parts"][path.name]["bytes"] = path.stat().st_size
    (path.parent / "graph.json").write_text(json.dumps(about))


def parts_but(path, **changes):
    parts = json.loads((path / "graph.json").read_text())["parts"]
    changed(path, parts={**parts, **changes})


BREAKS = {
    "no index": (lambda p: (p / "graph.json").unlink(), "without graph.json"),
    "no JSON": (lambda p: (p / "graph.json").write_text("{"), "cannot be read as JSON"),
    "another format": (lambda p: changed(p, format="zarr"), "expected 'concolor csr'"),
    "a later version": (lambda p: changed(p, version=2), "version 2"),
    "n is text": (lambda p: changed(p, n="25"), "n must be a whole number"),
    "n is too large": (lambda p: changed(p, n=26), "26 numbers where"),
    "m is too small": (lambda p: changed(p, m=1), "where graph.json says n=25 and m=1"),
    "negative": (lambda p: changed(p, m=-1), "m must be"),
    "no parts": (lambda p: changed(p, parts={}), "parts must be"),
    "a part elsewhere": (
        lambda p: parts_but(p, **{"../indptr.npy": {"bytes": 1, "digest": ""}}),
        "parts must be",
    ),
    "a part without size": (lambda p: parts_but(p, **{"indptr.npy": {}}), "parts must be"),
    "a part is gone": (lambda p: (p / "indices.npy").unlink(), "not there"),
    "truncated": (lambda p: os.truncate(p / "indices.npy", 300), "truncated"),
    "int32": (lambda p: saved(p / "indices.npy", np.zeros(320, np.int32)), "got <i4"),
    "two dimensions": (lambda p: saved(p / "indices.npy", np.zeros((320, 1), int)), "(320, 1)"),
    "falls": (lambda p: saved(p / "indptr.npy", np.r_[0, 9, np.full(24, 8)]), "must rise"),
    "too far": (lambda p: saved(p / "indptr.npy", np.arange(26) * 100), "must rise"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_broken_folders_are_refused_at_the_door(name, there):
    break_it, message = BREAKS[name]
    break_it(there)
    with pytest.raises(FormatError) as caught:
        read(there)
    assert message in str(caught.value) and str(there) in str(caught.value)


def test_a_part_that_is_a_link_to_elsewhere_is_refused(there, tmp_path):
    shutil.move(there / "indices.npy", tmp_path / "elsewhere.npy")
    (there / "indices.npy").symlink_to(tmp_path / "elsewhere.npy")
    with pytest.raises(FormatError, match="not a regular file"):
        read(there)


def test_a_pickle_is_not_loaded(there):
    (there / "indices.npy").write_bytes(pickle.dumps([1]))
    saved_size = (there / "indices.npy").stat().st_size
    parts_but(there, **{"indices.npy": {"bytes": saved_size, "digest": ""}})
    with pytest.raises(FormatError, match=r"not a whole \.npy"):
        read(there)


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 7, -1])
@pytest.mark.parametrize("value", [-1, 0, 24, 25, 10**9])
def test_check_finds_any_wrong_neighbor(place, value, there):
    indices = np.array(read(there).indices)
    if indices[place] == value:
        return
    indices[place] = value
    saved(there / "indices.npy", indices)
    read(there)  # which is not noticed at the door
    with pytest.raises(FormatError, match="its bytes are not those"):
        check(there)
    from concolor.graph.formats.folder import _digest

    size = (there / "indices.npy").stat().st_size
    digest = _digest(there / "indices.npy")
    parts_but(there, **{"indices.npy": {"bytes": size, "digest": digest}})
    with pytest.raises(FormatError, match=r"node \d+: neighbors must"):
        check(there)


def test_only_a_csr_folder_is_ever_replaced(there, tmp_path):
    write(family("cycle:5"), there)
    assert read(there).n == 5 and sorted(os.listdir(tmp_path)) == ["queen.csr"]
    other = tmp_path / "photos.csr"
    other.mkdir()
    (other / "one.jpg").write_text("")
    (tmp_path / "file.csr").write_text("")
    for target in (other, tmp_path / "file.csr"):
        with pytest.raises(InputError, match="something else than a CSR folder"):
            write(family("cycle:5"), target)
    assert (other / "one.jpg").exists()


def test_what_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(*args, **facts):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("concolor.graph.formats.folder.seal", full)
    with pytest.raises(InputError, match="No space left"):
        write(family("cycle:5"), tmp_path / "g.csr")
    assert not os.listdir(tmp_path)


def test_every_part_has_a_type():
    assert set(PARTS) == {"indptr.npy", "indices.npy", "names.npy", "name_ends.npy"}
