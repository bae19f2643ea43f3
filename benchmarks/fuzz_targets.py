"""What is fuzzed: bytes in, nothing out, or an exception that must not be.

A target takes any bytes. Our own errors are what a reader owes its user; whatever else is raised is
a bug, and so is a value that cannot be: a graph that is another one after being written, a verified
bound that is false, a model that embeds to what is not finite, a page with a tag of its user.
"""

from __future__ import annotations

import io
import json
import struct
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

import concolor as cc
from concolor.cli.common import by_node
from concolor.coloring import Coloring
from concolor.errors import ConcolorError, Doubt
from concolor.goal import Task
from concolor.graph.core import Graph
from concolor.graph.formats import FORMATS, scan
from concolor.learning.embedder import CompiledModel, load_embedder
from concolor.viz.page import Report, report

SEEDS = Path(__file__).parents[1] / "tests" / "fuzz"
SMALL = 1000  # nodes of graphs that are written and read again
PROVED = ("petersen", "cycle:5", "myciel:3")  # what certificates are checked against
THETA = {"petersen": 2.5, "cycle:5": 5**0.5}
VALUES = (None, True, False, "", "3", [], {}, -1, 0, 1, 2, 7, 0.5, 1e300, -1e-300, 10**40, [[1]])
MODES = {".json": 0, ".csv": 1, ".sol": 2}  # of a coloring, by the first byte

scan.MAX_NODES = 10_000  # a declared size costs memory, which other tests are about


@cache
def scratch() -> Path:
    """A folder of this process, in memory where the machine has such a place."""
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    _open.append(tempfile.TemporaryDirectory(dir=place))
    return Path(_open[0].name)


_open: list[tempfile.TemporaryDirectory[str]] = []  # removed with the process


def stored(data: bytes, name: str) -> Path:
    """A file with that content."""
    path = scratch() / name
    path.write_bytes(data)
    return path


def graph_file(name: str, data: bytes) -> None:
    """``read`` of one format, with weights where the length is odd; then written and read again."""
    usual, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data))
    try:
        graph = cc.read("-", format=name, weights=len(data) % 2 == 1)
    finally:
        sys.stdin = usual
    if graph.n <= SMALL:
        kept = graph if FORMATS[name].keeps_lists else graph.but(lists=None)
        again = FORMATS[name].parse(
            FORMATS[name].write(kept), how="sum" if graph.weights is not None else None
        )
        assert again == kept, (again, kept)


@cache
def proved(name: str) -> tuple[Graph, dict[str, Any]]:
    """A graph whose χ is known, and its certificate."""
    graph = cc.family(name)
    return graph, json.loads(json.dumps(cc.certify(graph).to_dict()))


def certificate(data: bytes) -> None:
    """``verify`` of a file: what it accepts is true."""
    path = stored(data, "certificate.json")
    for name in PROVED:
        graph = proved(name)[0]
        try:
            found = cc.verify(graph, path)
        except ConcolorError:
            continue
        assert graph.chi is not None and found.lower <= graph.chi <= found.upper, found
        theta = THETA.get(name, found.theta_lower)
        assert found.theta_lower <= theta * (1 + 1e-15) <= found.theta_upper * (1 + 2e-15), found


def edited_certificate(data: bytes) -> None:
    """The same with values of a true certificate replaced, as the bytes say."""
    claims = proved(PROVED[data[0] % len(PROVED)])[1] if data else {}
    certificate(json.dumps(edited(claims, data[1:])).encode())


def edited(value: Any, data: bytes) -> Any:
    """A JSON value in which every three bytes replace, remove or change what one place holds."""
    value = json.loads(json.dumps(value))
    for i in range(0, min(len(data) - 2, 24), 3):
        places = list(_places(value))
        if not places:
            break
        inside, key = places[(data[i] << 8 | data[i + 1]) % len(places)]
        how = data[i + 2]
        if how < 24:
            del inside[key]
        elif how < 24 + 2 * len(VALUES):
            inside[key] = VALUES[how // 2 % len(VALUES)]
        elif isinstance(inside[key], list):
            inside[key] = inside[key][1:] if how % 2 else inside[key] + inside[key][-1:]
        elif isinstance(inside[key], (int, float)) and not isinstance(inside[key], bool):
            inside[key] = inside[key] + (how - 160) * (1 if how % 2 else 1e-9)
        else:
            inside[key] = data[i:].decode("latin-1")
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything inside that can be replaced: what holds it, and where."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def model(data: bytes) -> None:
    """A model file: what loads embeds a graph to unit vectors."""
    found = load_embedder(stored(data, "model.safetensors"), device="cpu")
    graph = proved("petersen")[0]
    if isinstance(found, CompiledModel):
        z = found.embed(graph, seed=0)
        assert z.shape[0] == graph.n and np.isfinite(z).all(), z


def edited_model(data: bytes) -> None:
    """The same with values of the header of a true model replaced."""
    whole = sorted((SEEDS / "model").iterdir())[0].read_bytes()
    (size,) = struct.unpack("<Q", whole[:8])
    header = json.loads(whole[8 : 8 + size])
    about = json.loads(header["__metadata__"]["about"])
    if data[:1] < b"\x80":
        header["__metadata__"]["about"] = json.dumps(edited(about, data[1:]))
    else:
        header = edited(header, data[1:])
    text = json.dumps(header).encode()
    model(struct.pack("<Q", len(text)) + text + whole[8 + size :])


def coloring(data: bytes) -> None:
    """Colors in a file, of each of its kinds."""
    kind = list(MODES)[data[0] % len(MODES)] if data else ".json"
    found = Coloring.load(proved("petersen")[0], stored(data[1:], f"colors{kind}"))
    assert len(found.colors) == 10 and found.colors.min() >= 0


def rules(data: bytes) -> None:
    """Preset and forbidden colors in files."""
    graph = proved("petersen")[0]
    preset = by_node(graph, stored(data[1:], "rules.json"), list if data[:1] < b"\x80" else int)
    words = {"forbidden": preset} if data[:1] < b"\x80" else {"preset": preset}
    task = Task.of(graph, **words)
    found = cc.solve(graph, "dsatur", **words).coloring
    assert found.is_proper and task.goal.rules.accept(found.colors).all()


class Tags(HTMLParser):
    """The tags of a page, and attributes that could act."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[tag] += 1
        for name, _ in attrs:
            assert not name.startswith("on"), name


def page(data: bytes) -> None:
    """A report of a graph whose names are the user's: they stay text."""
    names = [f"{v}{data[v::3].decode('utf-8', 'surrogateescape')}" for v in range(3)]
    edges = [(0, 1), (1, 2)]
    graph = Graph.from_edges(3, edges, names=names, name=names[2])
    shown = Tags(report(Report(coloring=Coloring(graph, [0, 0, 1]), title=names[0])))
    plain = [name[:1] + "x" * len(name[1:]) for name in names]  # as long: long ones are not drawn
    graph = Graph.from_edges(3, edges, names=plain, name=plain[2])
    usual = Tags(report(Report(coloring=Coloring(graph, [0, 0, 1]), title=plain[0])))
    assert shown.found == usual.found, shown.found - usual.found


TARGETS: dict[str, Callable[[bytes], None]] = {
    **{name: partial(graph_file, name) for name in FORMATS},
    "certificate": certificate,
    "edited certificate": edited_certificate,
    "model": model,
    "edited model": edited_model,
    "coloring": coloring,
    "rules": rules,
    "page": page,
}


def tried(name: str, data: bytes) -> None:
    """One input of one target; our own errors and doubts are no findings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", Doubt)
        with suppress(ConcolorError):
            TARGETS[name](data)


def seeds(name: str) -> list[Path]:
    """The committed inputs of a target."""
    return sorted((SEEDS / name.replace(" ", "-")).iterdir())
