"""More numbers than memory holds: sorted runs on disk that are merged, and a CSR made from them.

Memory is bounded by a budget in bytes, whatever the input: a buffer is filled, sorted, and written
as a run; a merge holds a piece of every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from concolor.errors import InputError
from concolor.graph.core import PIECE, IntArray
from concolor.graph.formats.folder import Grown

Codes = NDArray[np.uint64]
MOST = 1 << 31  # nodes: an arc is one number of 64 bits


class Sorter:
    """Takes numbers in any order, and gives them back ascending, each once.

    Args:
        folder: Where runs are written.
        memory: Bytes that it may hold, about.
    """

    def __init__(self, folder: Path, memory: int) -> None:
        self.folder, self.runs = folder, list[Path]()
        self.room = max(memory // 24, 1)  # the buffer, and a sorted copy with what helps to make it
        self.parts, self.held = list[Codes](), 0

    def add(self, values: Codes) -> None:
        """Take some numbers ``[c]``."""
        for begin in range(0, len(values), self.room):
            piece = values[begin : begin + self.room]
            if self.held + len(piece) > self.room:
                self._write()
            self.parts.append(piece)
            self.held += len(piece)

    def _write(self) -> None:
        path = self.folder / f"run-{len(self.runs)}"
        _distinct(self.parts).tofile(path)
        self.runs.append(path)
        self.parts, self.held = [], 0

    def merged(self, together: int = 1) -> Iterator[Codes]:
        """All numbers in pieces, ascending; those that ``// together`` leaves equal stay together.

        The runs are gone afterwards.
        """
        if self.held:
            self._write()
        piece = max(self.room // max(len(self.runs), 1), 1)
        sizes = [path.stat().st_size // 8 for path in self.runs]
        read = [0] * len(sizes)
        held = [np.empty(0, np.uint64) for _ in sizes]
        while True:
            for i, path in enumerate(self.runs):
                if not len(held[i]) and read[i] < sizes[i]:
                    held[i] = _up_to(path, read[i], piece, together)
                    read[i] += len(held[i])
            there = [i for i, part in enumerate(held) if len(part)]
            if not there:
                break
            more = [held[i][-1] for i in there if read[i] < sizes[i]]
            # beyond the end of a piece its run may have smaller numbers than another piece has
            cut = _end(min(more) if more else max(held[i][-1] for i in there), together)
            counts = [int(np.searchsorted(part, cut, side="right")) for part in held]
            yield _distinct([part[:count] for part, count in zip(held, counts, strict=True)])
            held = [part[count:] for part, count in zip(held, counts, strict=True)]
        for path in self.runs:
            path.unlink()


def _up_to(path: Path, begin: int, count: int, together: int) -> Codes:
    """Numbers of a run: so many, and those that stay together with the last."""
    found = np.fromfile(path, np.uint64, count + together - 1, offset=8 * begin)
    last = found[min(count, len(found)) - 1]
    return found[: np.searchsorted(found, _end(last, together), side="right")]


def _end(value: np.uint64, together: int) -> np.uint64:
    """The last of the numbers that ``// together`` leaves equal to this one."""
    group = np.uint64(together)
    return np.uint64(value // group * group + (group - np.uint64(1)))


def _distinct(parts: list[Codes]) -> Codes:
    """The numbers of all parts, ascending and each once."""
    values = np.concatenate(parts)
    values.sort()
    new = np.empty(len(values), bool)
    new[:1] = True
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return values[new]


class Arcs:
    """Pairs of nodes in any order, to be written as the CSR form of a simple graph.

    An arc is ``u << 33 | v << 1 | given``: each pair is there in both directions, and the last bit
    says which of them was given, so that copies can be counted as in ``Graph.from_edges``.
    """

    def __init__(self, folder: Path, memory: int) -> None:
        self.sorter = Sorter(folder, memory)
        self.pairs = self.loops = 0

    def add(self, pairs: IntArray) -> None:
        """Take some pairs ``[c, 2]`` of nodes in ``0..2^31-1``."""
        self.pairs += len(pairs)
        u, v = pairs.astype(np.uint64).T
        apart = u != v
        u, v = u[apart], v[apart]
        self.loops += len(pairs) - len(u)
        self.sorter.add(_arc(u, v) | np.uint64(1))
        self.sorter.add(_arc(v, u))

    def write(self, made: Path, n: int, *, both: bool) -> tuple[int, int]:
        """Write ``indptr.npy`` and ``indices.npy`` into a folder: the edges, and the copies.

        Args:
            made: The folder.
            n: Number of nodes.
            both: Pairs are directions of edges, so a reversed copy is none.
        """
        indptr = np.lib.format.open_memmap(
            made / "indptr.npy", mode="w+", dtype="<i8", shape=(n + 1,)
        )
        given = 0
        with Grown(made / "indices.npy") as indices:
            for codes in self.sorter.merged(together=2):
                arcs = codes >> np.uint64(1)
                last = np.append(arcs[1:] != arcs[:-1], True)
                given += int((codes[last] & np.uint64(1)).sum())
                arcs = arcs[last]
                indices.add((arcs & np.uint64(2**32 - 1)).astype(np.int64))
                nodes, counts = np.unique(
                    (arcs >> np.uint64(32)).astype(np.int64), return_counts=True
                )
                indptr[nodes + 1] += counts
            length = indices.length
        for begin in range(1, n + 1, PIECE):
            piece = indptr[begin : begin + PIECE]
            np.cumsum(piece, out=piece)
            piece += indptr[begin - 1]
        indptr.flush()
        different = given if both else length // 2
        return length // 2, self.pairs - self.loops - different


def _arc(u: Codes, v: Codes) -> Codes:
    return (u << np.uint64(33)) | (v << np.uint64(1))


class Spool:
    """Pairs and single nodes on disk as they were read, to be read again: whole numbers >= 0."""

    def __init__(self, folder: Path, memory: int) -> None:
        self.folder, self.memory = folder, memory
        self.count = self.singles = 0
        self.low, self.high = 0, -1

    def add(self, pairs: IntArray, alone: IntArray | None = None) -> None:
        """Keep some pairs ``[c, 2]``, and nodes that stand alone ``[s]``."""
        alone = np.empty(0, np.int64) if alone is None else alone
        for name, values in (("pairs", pairs), ("alone", alone)):
            with (self.folder / name).open("ab") as file:
                file.write(np.ascontiguousarray(values, np.int64).data)
        for values in filter(np.size, (pairs, alone)):
            low, high = int(values.min()), int(values.max())
            self.low = min(self.low, low) if self.high >= 0 else low
            self.high = max(self.high, high)
        self.count += len(pairs)
        self.singles += len(alone)

    def pairs(self) -> Iterator[IntArray]:
        """All pairs again, in pieces ``[c, 2]``."""
        for piece in self._pieces("pairs"):
            yield piece.reshape(-1, 2)

    def numbers(self) -> IntArray | None:
        """The distinct numbers, ascending, as a map of a file; None where they are 0..high."""
        tokens = 2 * self.count + self.singles
        size = self.high + 1
        if size <= min(tokens, self.memory // 4):
            seen = np.zeros(size, bool)
            for piece in self._tokens():
                seen[piece] = True
            if seen.all():
                return None
        sorter = Sorter(self.folder, self.memory // 2)
        for piece in self._tokens():
            sorter.add(piece.astype(np.uint64))
        path = self.folder / "numbers"
        with path.open("wb") as file:
            for codes in sorter.merged():
                codes.tofile(file)
        if path.stat().st_size == 8 * size:
            return None
        return np.asarray(np.memmap(path, np.int64, mode="r"))

    def _tokens(self) -> Iterator[IntArray]:
        yield from self._pieces("pairs")
        yield from self._pieces("alone")

    def _pieces(self, name: str) -> Iterator[IntArray]:
        length = max(self.memory // 128, 1) * 2  # an even number, so that pairs stay together
        if (self.folder / name).exists():
            with (self.folder / name).open("rb") as file:
                while len(piece := np.fromfile(file, np.int64, length)):
                    yield piece


def checked_nodes(n: int) -> int:
    """``n`` again, unless it is more than a folder holds."""
    if n > MOST:
        raise InputError(f"{n} nodes, but a CSR folder is written for at most {MOST}")
    return n
