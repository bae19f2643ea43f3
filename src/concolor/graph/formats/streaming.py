"""``stream``: a graph file, or a family, to a CSR folder in memory that does not grow with it.

The pairs are spooled to a temporary folder beside the target, their directions sorted in runs, and
the runs merged into the two arrays: three passes over the disk. A file of m edges needs about
``16 m`` bytes for the spool, ``16 m`` for the runs and ``16 m + 8 n`` for the folder itself.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np

from concolor.errors import Doubt, FormatError, InputError, OverBudget
from concolor.graph.core import PIECE, Graph, IntArray
from concolor.graph.formats import delimited, folder, streams, unzipped
from concolor.graph.formats.external import Arcs, Spool, checked_nodes
from concolor.graph.formats.streams import NameStore, Told
from concolor.graph.naming import written_names

MEMORY = 1 << 30  # bytes
LEAST = 1 << 12

Progress = Callable[[str, int, int], None]  # what, done, of so many
_Reader: TypeAlias = "Callable[[str | Path, _Work, NameStore], tuple[Told, Spool]]"


@dataclass(frozen=True)
class _Work:
    """Where it is done, and with how much memory."""

    place: Path
    memory: int
    say: Callable[[str], None]
    progress: Progress

    def spool(self) -> Spool:
        return Spool(Path(tempfile.mkdtemp(dir=self.place)), self.memory)

    def text(self, path: str | Path) -> Callable[[], Iterator[tuple[int, bytes]]]:
        total = Path(path).stat().st_size
        size = min(streams.BLOCK, max(self.memory // 64, 64))
        return lambda: streams.blocks(path, size, lambda at: self.progress("reading", at, total))


def stream(
    source: str | Path,
    target: str | Path,
    *,
    format: str,
    memory: int = MEMORY,
    stem: str = "graph",
    progress: Progress | None = None,
) -> Graph:
    """Write the graph of a file to a CSR folder, and give it back on memory maps.

    Args:
        source: An edge list, a table, a DIMACS, MatrixMarket or npz file, compressed or not.
        target: The folder, ``big.csr``.
        format: One of :data:`STREAMED`.
        memory: Bytes that it may hold, about, beside what Python takes.
        stem: The name of the graph.
        progress: Called now and then with what is done, how far, and of how much.
    """
    doubts: dict[str, None] = {}
    try:
        _written(target, stem, lambda work: _read(source, format, work), memory, progress, doubts)
    except FormatError as error:
        raise FormatError(error.message, source, error.line) from error.__cause__
    except OverBudget as error:
        raise FormatError(str(error), source) from None
    for doubt in doubts:
        warnings.warn(f"{source}: {doubt}", Doubt, stacklevel=2)
    return folder.read_folder(target)


def _read(source: str | Path, format: str, work: _Work) -> tuple[Told, Spool]:
    """Spool a file; its names, if it has some, are written at once."""
    names = NameStore(work.place, work.memory)
    try:
        told, spool = STREAMED[format](source, work, names)
        if told.named:
            assert told.n is not None
            made = work.place.parent
            folder.write_names(made, _checked(names.listed(told.n, told.first)))
        return told, spool
    finally:
        names.close()


def _checked(names: Iterator[str]) -> Iterator[str]:
    """The names again, if a file can hold them."""
    while piece := tuple(islice(names, PIECE)):
        try:
            yield from written_names(piece)
        except InputError as error:
            raise FormatError(str(error)) from None


def stream_family(
    spec: str,
    target: str | Path,
    *,
    seed: int = 0,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Graph | None:
    """The same for a family that can be drawn piece by piece; None where it cannot."""
    from concolor.graph.families import family_pieces

    found = family_pieces(spec, seed=seed)
    if found is None:
        return None
    n, name, pieces = found

    def read(work: _Work) -> tuple[Told, Spool]:
        spool = work.spool()
        for piece in pieces:
            spool.add(piece)
            work.progress("drawing", int(piece[-1, 1]) + 1 if len(piece) else n, n)
        return Told(checked_nodes(n)), spool

    _written(target, name, read, memory, progress, {})
    return folder.read_folder(target)


def _written(
    target: str | Path,
    name: str,
    read: Callable[[_Work], tuple[Told, Spool]],
    memory: int,
    progress: Progress | None,
    doubts: dict[str, None],
) -> None:
    if memory < LEAST:
        raise InputError(f"memory must be at least {LEAST} bytes, got {memory}")
    with folder.new_folder(target) as made:
        place = made / "temporary"
        place.mkdir()
        work = _Work(
            place, memory, lambda doubt: doubts.setdefault(doubt), progress or (lambda *far: None)
        )
        told, spool = read(work)
        facts = _sorted(made, told, spool, work)
        shutil.rmtree(place)
        folder.seal(made, name=name, **facts)


def _sorted(made: Path, told: Told, spool: Spool, work: _Work) -> dict[str, int]:
    """From the spool to the arrays; what ``graph.json`` says of them."""
    numbers = spool.numbers() if told.n is None else None
    n = told.n if told.n is not None else spool.high + 1 if numbers is None else len(numbers)
    if numbers is not None:
        folder.write_names(made, _texts(numbers))
    arcs, done = Arcs(work.place, work.memory // 2), 0
    for pairs in spool.pairs():
        arcs.add(pairs - told.first if numbers is None else np.searchsorted(numbers, pairs))
        done += len(pairs)
        work.progress("sorting", done, spool.count)
    work.progress("merging", 0, 1)
    m, duplicates = arcs.write(made, checked_nodes(n), both=told.both)
    named = (made / "names.npy").exists()
    if told.is_list:
        delimited.check_sizes(told.promise, n, m, named, work.say)
    first = 0 if named else told.first
    return {"n": n, "m": m, "first": first, "loops": arcs.loops, "duplicates": duplicates}


def _texts(numbers: IntArray) -> Iterator[str]:
    for begin in range(0, len(numbers), PIECE):
        yield from map(str, numbers[begin : begin + PIECE].tolist())


def _list(separators: str) -> _Reader:
    def read(source: str | Path, work: _Work, names: NameStore) -> tuple[Told, Spool]:
        text = work.text(source)
        return streams.read_delimited(text, separators, work.spool, names, work.say)

    return read


def _text(reader: Callable[..., Told]) -> _Reader:
    def read(source: str | Path, work: _Work, names: NameStore) -> tuple[Told, Spool]:
        spool = work.spool()
        return reader(work.text(source)(), spool, names, work.say), spool

    return read


def _npz(source: str | Path, work: _Work, names: NameStore) -> tuple[Told, Spool]:
    spool = work.spool()
    return unzipped.read_npz(source, spool, names, work.say), spool


STREAMED: dict[str, _Reader] = {  # the formats of FORMATS that need not be read as a whole
    "edges": _list(";, "),
    "csv": _list("\t;,"),
    "dimacs": _text(streams.read_dimacs),
    "mtx": _text(streams.read_mtx),
    "npz": _npz,
}
