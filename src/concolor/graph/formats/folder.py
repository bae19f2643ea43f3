"""A CSR folder, ``big.csr/``: the arrays of a graph as files that are mapped, never loaded.

| file | | |
|---|---|---|
| ``graph.json`` | | format, version, n, m, name, first, loops, duplicates, and the parts |
| ``indptr.npy`` | ``[n + 1]`` | int64; neighbors of v are ``indices[indptr[v]:indptr[v + 1]]`` |
| ``indices.npy`` | ``[2m]`` | int64; both directions of every edge, neighbors ascending |
| ``names.npy``, ``name_ends.npy`` | ``[bytes]``, ``[n + 1]`` | UTF-8 names, where nodes have some |

``graph.json`` has the digest of every part. Reading compares sizes, types and shapes, and that
``indptr`` ascends; :func:`check` reads every byte. A folder is written beside its place and renamed
when all of it is on disk, so that it is whole or not there.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concolor.errors import FormatError, InputError
from concolor.files import read_json
from concolor.graph.core import PIECE, Graph, IntArray
from concolor.graph.naming import written_names
from concolor.graph.texts import TextNames

SUFFIX = ".csr"
KIND, VERSION = "concolor csr", 1
INDEX = "graph.json"
PARTS = {"indptr.npy": "<i8", "indices.npy": "<i8", "names.npy": "|u1", "name_ends.npy": "<i8"}
_FACTS = ("n", "m", "first", "loops", "duplicates")
_BYTES = 1 << 24  # hashed at once

Told = Callable[[int, int], None]  # done, of so many


def is_folder(path: str | Path) -> bool:
    """A folder that is meant to be a CSR folder: it ends in ``.csr``, or has ``graph.json``."""
    try:
        path = Path(path)
        return path.is_dir() and (path.suffix.lower() == SUFFIX or (path / INDEX).is_file())
    except (OSError, TypeError, ValueError):  # names that no file can have
        return False


def read_folder(path: str | Path) -> Graph:
    """The graph of a CSR folder, on memory maps."""
    path = Path(path)
    facts, arrays = _opened(path)
    n, m = facts["n"], facts["m"]
    expected = {"indptr.npy": n + 1, "indices.npy": 2 * m, "name_ends.npy": n + 1}
    for name, array in arrays.items():
        if len(array) != expected.get(name, len(array)):
            raise FormatError(
                f"{len(array)} numbers where {INDEX} says n={n} and m={m}", path / name
            )
    _check_ends(arrays["indptr.npy"], 2 * m, path / "indptr.npy")
    names = None
    if "names.npy" in arrays:
        _check_ends(arrays["name_ends.npy"], len(arrays["names.npy"]), path / "name_ends.npy")
        names = TextNames(arrays["names.npy"], arrays["name_ends.npy"])
    return Graph(
        arrays["indptr.npy"],
        arrays["indices.npy"],
        name=facts["name"],
        names=names,
        first=facts["first"],
        loops=facts["loops"],
        duplicates=facts["duplicates"],
        folder=path.resolve(),
    )


def _opened(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The facts and the parts of one folder, also where others take its place meanwhile."""
    for _ in range(100):
        facts = _facts(path)
        try:
            arrays = {name: _mapped(path / name, facts["parts"][name]) for name in facts["parts"]}
        except FormatError:
            if facts == _facts(path):
                raise
        else:
            if facts == _facts(path):
                return facts, arrays
    raise FormatError("others write it all the time: read it when they are done", path)


def check(path: str | Path, told: Told | None = None) -> Graph:
    """The graph of a folder, once every byte of it was read and is as it should be.

    Digests of the parts, and that neighbors are nodes, ascend, and have each other.

    Raises:
        FormatError: It is not so; the message names the part, and the node.
    """
    from concolor.graph.kernels import wrong_row  # imports numba

    path, graph = Path(path), read_folder(path)
    parts = _facts(path)["parts"]
    for done, (name, part) in enumerate(parts.items()):
        if told is not None:
            told(done, len(parts) + 1)
        if _digest(path / name) != part["digest"]:
            raise FormatError(f"its bytes are not those that {INDEX} speaks of", path / name)
    if told is not None:
        told(len(parts), len(parts) + 1)
    row = wrong_row(graph.indptr, graph.indices)
    if row >= 0:
        raise FormatError(
            f"node {row}: neighbors must be other nodes in 0..{graph.n - 1}, ascend, and have it "
            "as a neighbor",
            path / "indices.npy",
        )
    if isinstance(graph.names, TextNames):
        try:
            written_names(graph.names)
        except (InputError, UnicodeDecodeError) as error:
            raise FormatError(str(error), path / "names.npy") from None
    return graph


def write_folder(graph: Graph, path: str | Path) -> None:
    """Write a graph as a CSR folder, whole or not at all; features and lists are not written."""
    with new_folder(path) as made:
        for name, array in (("indptr.npy", graph.indptr), ("indices.npy", graph.indices)):
            with Grown(made / name) as file:
                for begin in range(0, len(array), PIECE):
                    file.add(array[begin : begin + PIECE])
        if graph.names is not None:
            write_names(made, iter(written_names(graph.names)))
        seal(made, **{fact: getattr(graph, fact) for fact in _FACTS}, name=graph.name)


@contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """An empty folder to write into, which takes the place of ``path`` at the end.

    An older CSR folder there is replaced; anything else is refused. Where something goes wrong
    inside, nothing is left.
    """
    path = Path(os.path.abspath(path))
    if (path.exists() or path.is_symlink()) and not (path / INDEX).is_file():
        raise InputError(f"{path}: cannot be written, something else than a CSR folder is there")
    made = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        made.mkdir(parents=True)
        yield made
        _take_place(made, path)
    except (OSError, sqlite3.OperationalError) as error:  # names of nodes are kept in a database
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be written ({why})") from error
    finally:
        if made.is_symlink():  # it was one that the folder took the place of
            made.unlink()
        shutil.rmtree(made, ignore_errors=True)


def _take_place(made: Path, path: Path) -> None:
    """Rename a folder; where there is another the two change places, so that one is always there.

    Where the file system cannot do that, the other is moved away first.
    """
    try:
        made.rename(path)
        return
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
    if not _exchanged(made, path):
        old = made.with_suffix(".old")
        path.rename(old)
        made.rename(path)
        shutil.rmtree(old, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange the names of two folders at once, as Linux can; whether it was done."""
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    call = getattr(ctypes.CDLL(None), "renameat2", None)
    names = os.fsencode(one), os.fsencode(other)
    return call is not None and call(here, names[0], here, names[1], swap) == 0


def seal(made: Path, **facts: Any) -> None:
    """Write ``graph.json``, with the digest of every part that is there."""
    parts = {
        name: {"bytes": (made / name).stat().st_size, "digest": _digest(made / name)}
        for name in PARTS
        if (made / name).exists()
    }
    about = {"format": KIND, "version": VERSION, **facts, "parts": parts}
    (made / INDEX).write_text(json.dumps(about, indent=1) + "\n")


def write_names(made: Path, names: Iterator[str]) -> None:
    """The names in node order; none are kept where they are just "0", "1", ..., "n-1"."""
    place, end, say_something = 0, 0, False
    with Grown(made / "names.npy") as text, Grown(made / "name_ends.npy") as ends:
        ends.add(np.zeros(1, np.int64))
        while piece := [name for name, _ in zip(names, range(PIECE), strict=False)]:
            numbers = map(str, range(place, place + len(piece)))
            say_something |= any(a != b for a, b in zip(piece, numbers, strict=True))
            words = [name.encode() for name in piece]
            text.add(np.frombuffer(b"".join(words), np.uint8))
            ends.add(end + np.cumsum(list(map(len, words)), dtype=np.int64))
            end += sum(map(len, words))
            place += len(piece)
    if not say_something:
        (made / "names.npy").unlink()
        (made / "name_ends.npy").unlink()


class Grown:
    """A ``.npy`` file of one dimension that grows at its end: its length is known when it closes.

    NumPy leaves room in the header for any length.
    """

    def __init__(self, path: Path) -> None:
        self.dtype, self.length = PARTS[path.name], 0
        self.file = path.open("wb")
        self._head()

    def _head(self) -> None:
        about = {"descr": self.dtype, "fortran_order": False, "shape": (self.length,)}
        np.lib.format.write_array_header_1_0(self.file, about)  # type: ignore[arg-type]

    def add(self, values: NDArray[Any]) -> None:
        """Write some more numbers."""
        self.file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def __enter__(self) -> Grown:
        return self

    def __exit__(self, *error: object) -> None:
        self.file.seek(0)
        self._head()
        self.file.close()


def _facts(path: Path) -> dict[str, Any]:
    """What ``graph.json`` says, checked."""
    index = path / INDEX
    if not index.is_file():
        raise FormatError(f"a folder without {INDEX}, expected a graph file or a CSR folder", path)
    facts: dict[str, Any] = read_json(index, dict)
    if facts.get("format") != KIND or facts.get("version") != VERSION:
        given = f"{facts.get('format')!r}, version {facts.get('version')!r}"
        raise FormatError(f"expected {KIND!r}, version {VERSION}, got {given}", index)
    for fact in _FACTS:
        value = facts.get(fact)
        if type(value) is not int or value < 0:
            raise FormatError(f"{fact} must be a whole number >= 0, got {value!r}", index)
    parts, needed = facts.get("parts"), set(PARTS) - {"names.npy", "name_ends.npy"}
    if not isinstance(facts.get("name"), str) or not isinstance(parts, dict):
        raise FormatError("expected a name, and parts with their digests", index)
    if set(parts) not in (needed, set(PARTS)) or not all(map(_is_part, parts.values())):
        raise FormatError(f"parts must be {', '.join(PARTS)}, got {', '.join(parts)}", index)
    return facts


def _is_part(part: Any) -> bool:
    kinds = {"bytes": int, "digest": str}
    return isinstance(part, dict) and all(type(part.get(key)) is kinds[key] for key in kinds)


def _mapped(path: Path, part: dict[str, Any]) -> NDArray[Any]:
    """A part as a read-only map, if it is the array of its size and type; as a plain array, since
    compiled code is made for those."""
    if path.is_symlink() or not path.is_file():
        raise FormatError("not there, or not a regular file", path)
    if path.stat().st_size != part["bytes"]:
        raise FormatError(
            f"{path.stat().st_size} bytes where {INDEX} says {part['bytes']}: truncated?", path
        )
    try:
        array = np.lib.format.open_memmap(path, mode="r")
    except (ValueError, OSError, EOFError) as error:
        raise FormatError(f"not a whole .npy file: {error}", path) from None
    if array.dtype.str != PARTS[path.name] or array.ndim != 1:
        raise FormatError(
            f"expected {PARTS[path.name]} of one dimension, got {array.dtype.str} {array.shape}",
            path,
        )
    return np.asarray(array)


def _check_ends(ends: IntArray, last: int, path: Path) -> None:
    """From 0 to ``last``, never down."""
    rises = all(
        (np.diff(ends[begin : begin + PIECE + 1]) >= 0).all()
        for begin in range(0, len(ends), PIECE)
    )
    if ends[0] != 0 or ends[-1] != last or not rises:
        raise FormatError(f"must rise from 0 to {last}", path)


def _digest(path: Path) -> str:
    content = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(_BYTES):
            content.update(piece)
    return content.hexdigest()
