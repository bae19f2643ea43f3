"""Graphs in files and from other libraries.

``read`` and ``write`` know the formats of :data:`FORMATS` by the end of the file name, each also
with ``.gz``. Whatever the bytes are, ``read`` gives a graph or raises one ``ConcolorError`` that
says what is wrong and where; where it had to guess, it warns.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Literal

from concolor.errors import Doubt, FormatError, InputError, pick
from concolor.files import write_atomically
from concolor.graph.core import Graph
from concolor.graph.formats import delimited, dimacs, graphml, metis, mtx, nodelink, npz
from concolor.graph.formats.convert import (
    from_networkx,
    from_pyg,
    from_scipy,
    to_networkx,
    to_pyg,
    to_scipy,
)
from concolor.graph.formats.folder import SUFFIX, is_folder, read_folder, write_folder
from concolor.graph.formats.scan import FREE, NAMING, PAIR, How, Say, warn
from concolor.graph.formats.streaming import MEMORY, STREAMED, Progress, stream, stream_family
from concolor.graph.naming import Names, written_names
from concolor.graph.texts import Numbered
from concolor.memory import Memory, Room, budget

__all__ = [
    "FORMATS",
    "convert",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "read",
    "to_networkx",
    "to_pyg",
    "to_scipy",
    "write",
]


@dataclass(frozen=True)
class Format:
    """How a kind of file is known, read and written; ``line``: bytes of memory that each of its
    lines takes at least, but for blank ones."""

    doc: str
    suffixes: tuple[str, ...]
    parser: Callable[[bytes, Say, How, Room], Graph]
    write: Callable[[Graph], bytes]
    binary: bool = False
    keeps_lists: bool = False
    line: int = 0

    def parse(self, content: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
        """The graph of a file's content; names ``"0", "1", ..., "n-1"`` say nothing, and go."""
        graph = self.parser(content, say, how, room)
        return graph.but(names=None) if _are_numbers(graph.names) else graph


def read(
    path: str | Path,
    *,
    format: str | None = None,
    weights: bool | Literal["max"] = False,
    max_memory: Memory | None = None,
) -> Graph:
    """The graph in a file, named after the file.

    Nodes without names are numbered as in the file: ``graph.node_names`` begin with 1 in DIMACS,
    METIS and MatrixMarket, where node "1" is the first, number 0 in Python.

    What has to be guessed, and what is ignored, is said in a warning, a
    :class:`~concolor.errors.Doubt`: weights, a header, a separator, nodes counted from 0.

    A CSR folder (``.csr``, see :func:`convert`) is not loaded: the graph is on memory maps.

    Args:
        path: A file, compressed with gzip or not, or a CSR folder; ``-`` is standard input.
        format: A name of :data:`FORMATS`; by default the end of the file name says it, and for
            standard input the content does (METIS looks like an edge list there: name it).
        weights: Read the weights of edges, which are ignored by default: the third column, the
            values of a matrix, the attribute ``weight``. Where an edge is listed several times its
            weights add up, with a doubt, or with ``"max"`` the largest counts.
        max_memory: Bytes, or text such as ``"4G"``, that reading may take, about; a file that would
            need more is refused before it does. Default: the environment variable
            ``CONCOLOR_MAX_MEMORY``, or a quarter of the machine's memory.

    Raises:
        FormatError: The file is not there, not of its format, or larger than the budget of memory.
        UnknownName: ``format`` is not a format that we know.
    """
    if format is None and is_folder(path):
        return read_folder(path)
    kind, stem = _kind(path, format)
    if weights not in (False, True, "max"):
        raise InputError(f"weights must be True, False or 'max', got {weights!r}")
    doubts: list[str] = []
    how = "max" if weights == "max" else "sum" if weights else None
    room = room_for(path, max_memory)
    try:
        content = _unpacked(_content(path, room), room, kind.line if kind else 0)
        if not content or content.isspace():
            raise FormatError("the file is empty")
        chosen = kind or FORMATS[_sniffed(content)]
        content = content if chosen.binary else _with_plain_newlines(content)
        graph = chosen.parse(content, doubts.append, how, room)
        if graph.names is not None:
            written_names(graph.names)
    except FormatError as error:
        raise FormatError(error.message, path, error.line) from error.__cause__
    except InputError as error:
        raise FormatError(str(error), path) from None
    except (MemoryError, RecursionError):
        raise FormatError("larger or deeper than this machine can take", path) from None
    if how == "sum" and graph.duplicates:
        doubts.append(f"copies of edges, whose weights add up: {graph.duplicates}")
    for doubt in doubts:
        warnings.warn(f"{path}: {doubt}", Doubt, stacklevel=2)
    return graph.but(name=stem)


def room_for(path: str | Path, max_memory: Memory | None = None) -> Room:
    """What may be taken to read a file; see :func:`read`."""
    less = (
        "whole numbers take less than names, .npz less than text, and to convert edge lists, .col, "
        f".mtx and .npz to a {SUFFIX} folder takes little"
    )
    return Room(f"reading {Path(path).name}", less, budget(max_memory))


def text_of(path: str | Path, room: Room) -> bytes:
    """The text of a file or of standard input, unpacked, with plain newlines; for other readers."""
    if os.path.isdir(path):
        raise FormatError("a folder, expected a file: name one in it")
    content = _with_plain_newlines(_unpacked(_content(path, room), room))
    if not content or content.isspace():
        raise FormatError("the file is empty")
    return content


def write(graph: Graph, path: str | Path, *, format: str | None = None) -> None:
    """Write a graph to a file, whole or not at all.

    Node names are written as text in every format (other objects come back as their text),
    features only in npz, and lists of colors in DIMACS and npz; elsewhere a
    :class:`~concolor.errors.Doubt` says that lists are left out. Weights are written everywhere,
    whole ones only in METIS. Nodes without names are numbered
    as the format does: from 1 in DIMACS, METIS and MatrixMarket, else from 0.

    Args:
        graph: The graph.
        path: A file; ``.gz`` at its end compresses; ``.csr`` is a CSR folder; ``-`` is standard
            output.
        format: A name of :data:`FORMATS`; by default the end of the file name says it.
    """
    if format is None and Path(path).suffix.lower() == SUFFIX:
        _doubt_lists(graph, path)
        write_folder(graph, path)
        return
    kind, _ = _kind(path, format)
    if kind is None:
        raise InputError(f"which format for standard output? Give format=, one of {_known()}")
    if graph.names is not None:
        written_names(graph.names)
    content = kind.write(graph)
    if not kind.keeps_lists:
        _doubt_lists(graph, path)
    if (
        kind.parser is metis.parse
        and graph.weights is not None
        and not metis.has_whole_weights(graph)
    ):
        doubt = "weights that are not whole numbers are left out, as METIS has no others"
        warnings.warn(f"{path}: {doubt}", Doubt, stacklevel=2)
    if str(path) == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    zipped = str(path).lower().endswith(".gz")
    write_atomically(path, gzip.compress(content, mtime=0) if zipped else content)


def _doubt_lists(graph: Graph, path: str | Path) -> None:
    if graph.lists is not None:
        able = " or ".join(entry.suffixes[0] for entry in FORMATS.values() if entry.keeps_lists)
        doubt = f"the lists of colors of {len(graph.lists)} nodes are left out; {able} keeps them"
        warnings.warn(f"{path}: {doubt}", Doubt, stacklevel=3)


def convert(
    source: str | Path,
    target: str | Path,
    *,
    format: str | None = None,
    seed: int = 0,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Graph:
    """Write the graph of a file, or of a family, to another file or to a CSR folder.

    To a CSR folder (``.csr``) edge lists, tables, DIMACS, MatrixMarket and npz files and the family
    ``er`` are streamed: however large they are, memory stays near the budget. Anything else is read
    as a whole.

    Args:
        source: A file, or a family such as ``"er:1000000x1e-5"``.
        target: A file of another format, or a CSR folder.
        format: The format of the source; by default the end of its name says it.
        seed: Of a family.
        memory: Bytes that a streamed conversion may hold, about.
        progress: Called now and then with what is done, how far, and of how much.

    Returns:
        The graph: on memory maps, where the target is a folder.
    """
    from concolor.graph.families import FAMILIES, family

    is_family = not os.path.exists(source) and str(source).partition(":")[0] in FAMILIES
    if Path(target).suffix.lower() == SUFFIX:
        made: Graph | None = None
        if is_family:
            made = stream_family(str(source), target, seed=seed, memory=memory, progress=progress)
        elif str(source) != "-" and not is_folder(source):
            kind, stem = _kind(source, format)
            name = next((name for name, entry in FORMATS.items() if entry is kind), "")
            if name in STREAMED:
                made = stream(
                    source, target, format=name, stem=stem, memory=memory, progress=progress
                )
        if made is not None:
            return made
    graph = family(str(source), seed=seed) if is_family else read(source, format=format)
    write(graph, target)
    return read(target) if graph.folder is None and is_folder(target) else graph


def _kind(path: str | Path, format: str | None) -> tuple[Format | None, str]:
    """The format of a path (None: look at the content) and the name of its graph."""
    if not isinstance(path, (str, Path)):
        raise InputError(f"expected the path of a graph file, got {type(path).__name__}")
    chosen = None if format is None else pick(FORMATS, format, "format")
    if str(path) == "-":
        return chosen, "stdin"
    if os.path.isdir(path):
        raise FormatError("a folder, expected a graph file or a CSR folder: name one in it", path)
    name = Path(path).name
    bare = name[:-3] if name.lower().endswith(".gz") else name
    suffix = Path(bare).suffix
    known = (entry for entry in FORMATS.values() if suffix.lower() in entry.suffixes)
    chosen = chosen or next(known, None)
    if chosen is None:
        raise FormatError(
            f"unknown suffix {suffix!r}; name the format ({NAMING}), one of {_known()}", path
        )
    return chosen, Path(bare).stem


def _are_numbers(names: Names | None) -> bool:
    if isinstance(names, Numbered):
        return names.are_plain
    return names is not None and names == tuple(map(str, range(len(names))))


def _known() -> str:
    return ", ".join(f"{name} ({' '.join(entry.suffixes)})" for name, entry in FORMATS.items())


def _content(path: str | Path, room: Room) -> bytes:
    try:
        if str(path) == "-":
            return _all_of(sys.stdin.buffer, room)
        with open(path, "rb") as file:
            return _all_of(file, room)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _unpacked(content: bytes, room: Room, line: int = 0) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        with gzip.open(BytesIO(content)) as file:
            return _all_of(file, room, line)
    except InputError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"broken or truncated gzip: {error}") from error


def _all_of(file: IO[bytes] | gzip.GzipFile, room: Room, line: int = 0) -> bytes:
    """The whole stream, whose size is not known before, up to the budget: twice for a moment, and
    so many bytes for every line."""
    parts: list[bytes] = []
    lines = 0
    while part := file.read(2**24):
        room.take(2 * len(part))
        if line:
            lines += part.count(b"\n") - part.count(b"\n\n")
            room.check(line * lines)
        parts.append(part)
    return b"".join(parts)


def _with_plain_newlines(content: bytes) -> bytes:
    content = content.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return content


def _sniffed(content: bytes) -> str:
    """The name of the format that the content looks like."""
    head = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    starts = {b"%%MatrixMarket": "mtx", b"{": "json", b"<": "graphml", b"PK\x03\x04": "npz"}
    for start, name in starts.items():
        if head.startswith(start):
            return name
    problem = rb"^[ \t]*p[ \t]+(edges?|col|band)\s"  # no newline in a blank: each is looked at once
    return "dimacs" if re.search(problem, content, re.MULTILINE) else "edges"


FORMATS: dict[str, Format] = {
    "dimacs": Format(
        "DIMACS graph coloring: p edge n m, then e u v from 1.",
        (".col", ".dimacs"),
        dimacs.parse,
        dimacs.render,
        keeps_lists=True,
        line=PAIR,
    ),
    "edges": Format(
        "Edge list: u v [weight], numbers or names.",
        (".edges", ".el", ".txt"),
        delimited.parse_edges,
        delimited.render_edges,
        line=PAIR,
    ),
    "csv": Format(
        "Edge list as a table, with or without a header.",
        (".csv", ".tsv"),
        delimited.parse_csv,
        delimited.render_csv,
        line=PAIR,
    ),
    "metis": Format(
        "METIS: the neighbors of node i on line i.",
        (".graph", ".metis"),
        metis.parse,
        metis.render,
    ),
    "mtx": Format(
        "MatrixMarket coordinate matrix, its pattern.",
        (".mtx",),
        mtx.parse,
        mtx.render,
    ),
    "graphml": Format(
        "GraphML, undirected.",
        (".graphml", ".xml"),
        graphml.parse,
        graphml.render,
    ),
    "json": Format(
        "JSON node-link, as networkx writes it.",
        (".json",),
        nodelink.parse,
        nodelink.render,
    ),
    "npz": Format(
        "NumPy arrays; keeps features.",
        (".npz",),
        npz.parse,
        npz.render,
        binary=True,
        keeps_lists=True,
    ),
}
