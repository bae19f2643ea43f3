"""Graph files read piece by piece, in memory that does not grow with them.

A reader hands the pairs of a file to a :class:`Spool` and tells the rest in a :class:`Told`. Text
comes in blocks of whole lines, which the parsers of :mod:`delimited`, :mod:`dimacs` and
:mod:`mtx` take one by one; what is guessed about a file (a header, a separator) is guessed from
its first block.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from concolor.errors import FormatError
from concolor.graph.core import IntArray
from concolor.graph.formats import delimited, dimacs, mtx
from concolor.graph.formats.external import Spool
from concolor.graph.formats.scan import (
    ASIDE,
    Line,
    Say,
    asked_weights,
    begins_with,
    decoded,
    set_aside,
    table,
    weighted_table,
)
from concolor.memory import Room

BLOCK = 1 << 24  # bytes of text that are parsed together
LONGEST = 1 << 26  # bytes of a line
NAME = re.compile(rb"[c%] name (\d{1,10}) (.+)")

Update = Callable[[int], None]  # bytes of the file that are done


@dataclass
class Told:
    """What a file says of its graph, beside the pairs.

    Attributes:
        n: Number of nodes; None where nodes are the numbers that occur.
        first: The number of the first node in the pairs.
        both: Pairs are directions of edges, so a reversed copy is none.
        named: The store has names, by node number.
        is_list: It is an edge list, which may promise its size, and doubts that it has no edge.
        promise: Nodes, edges, and whether they are named, as an edge list of ours says.
    """

    n: int | None
    first: int = 0
    both: bool = False
    named: bool = False
    is_list: bool = False
    promise: tuple[int, int, bool] | None = None


class NameStore:
    """Names of nodes on disk: a table of SQLite, which keeps few of them in memory."""

    def __init__(self, folder: Path, memory: int) -> None:
        import sqlite3  # not for everyone who starts us

        self.base = sqlite3.connect(folder / "names.sqlite", isolation_level=None)
        self.base.execute("PRAGMA journal_mode = OFF")
        self.base.execute("PRAGMA synchronous = OFF")
        self.base.execute(f"PRAGMA cache_size = -{max(memory // 4096, 64)}")  # KiB
        self.base.execute("CREATE TABLE nodes (node INTEGER PRIMARY KEY, name TEXT UNIQUE)")
        self.count = 0

    def numbers(self, names: Iterable[str]) -> dict[str, int]:
        """The number of each name; a new one gets the next."""
        found = {}
        self.base.execute("BEGIN")
        for name in dict.fromkeys(names):
            row = self.base.execute("SELECT node FROM nodes WHERE name = ?", (name,)).fetchone()
            if row is None:
                self.base.execute("INSERT INTO nodes VALUES (?, ?)", (self.count, name))
                self.count += 1
            found[name] = self.count - 1 if row is None else row[0]
        self.base.execute("COMMIT")
        return found

    def put(self, node: int, name: str) -> None:
        """The name of a node; the last one counts."""
        before = self.base.execute("SELECT node FROM nodes WHERE name = ?", (name,)).fetchone()
        if before is not None and before[0] != node:
            raise FormatError(f"node names must differ, {name!r} is there twice")
        self.base.execute("INSERT OR REPLACE INTO nodes VALUES (?, ?)", (node, name))
        self.count += 1

    def listed(self, n: int, first: int) -> Iterator[str]:
        """The names of all n nodes, which are numbered from ``first``; one without goes by that."""
        due = first
        for node, name in self.base.execute("SELECT node, name FROM nodes ORDER BY node"):
            if not first <= node < first + n:
                raise FormatError(f"a name for node {node}: nodes are {first}..{first + n - 1}")
            yield from map(str, range(due, node))
            yield name
            due = node + 1
        yield from map(str, range(due, first + n))

    def close(self) -> None:
        """The table is not needed any more."""
        self.base.close()


def blocks(path: str | Path, size: int, update: Update) -> Iterator[tuple[int, bytes]]:
    """A text file, compressed or not, in blocks of whole lines with plain newlines, and the number
    of the first line of each. Only the last line may be without a newline."""
    line, rest = 1, b""
    for piece in _unpacked(path, size, update):
        text = rest + piece
        if line == 1 and not rest:
            text = text.removeprefix(b"\xef\xbb\xbf")
        held = b"\r" if text.endswith(b"\r") else b""  # maybe half of a newline
        text = text.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        end = text.rfind(b"\n") + 1
        rest = text[end:] + held
        if len(rest) > LONGEST:
            raise FormatError(f"longer than {LONGEST} bytes: is this a text file?", path, line)
        if end:
            yield line, text[:end]
            line += text.count(b"\n", 0, end)
    if rest:
        yield line, rest.replace(b"\r", b"\n")


def _unpacked(path: str | Path, size: int, update: Update) -> Iterator[bytes]:
    try:
        with open(path, "rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=raw) if zipped else raw
            while piece := file.read(size):
                update(raw.tell())
                yield piece
    except (OSError, EOFError, zlib.error) as error:
        what = "broken or truncated gzip" if not getattr(error, "strerror", "") else "unreadable"
        raise FormatError(f"{what}: {getattr(error, 'strerror', None) or error}", path) from error


def read_delimited(
    text: Callable[[], Iterator[tuple[int, bytes]]],
    separators: str,
    spool: Callable[[], Spool],
    names: NameStore,
    say: Say,
) -> tuple[Told, Spool]:
    """An edge list or a table: as numbers if all of it is, else once more as names.

    Args:
        text: Gives the blocks from the beginning, as often as it is called.
        separators: As in :mod:`delimited`.
        spool: Gives an empty spool.
    """
    kept = spool()
    told = _as_numbers(text(), separators, kept, say)
    if told is None:
        kept = spool()
        told = _as_names(text(), separators, kept, names, say)
    return told, kept


def _as_numbers(
    text: Iterator[tuple[int, bytes]], separators: str, spool: Spool, say: Say
) -> Told | None:
    separator, told = None, Told(None, is_list=True)
    for line, block in text:
        body, aside = set_aside(block, begins_with(b"#%\n"))
        told.promise = told.promise or delimited.promise_of(aside)
        if told.promise is not None and told.promise[2]:
            return None
        if not body or body.isspace():
            continue
        first = separator is None
        separator = separator or delimited.separator_of(body, separators, say)
        found = delimited.numbers_of(body, separator) if first or _no_title(body) else None
        if found is None:
            with _on_line(line):
                found = _slow_numbers(block, separator, say, first=first)
        if found is None:
            return None
        pairs, singles, weights = found
        asked_weights(weights, len(pairs), None, say)
        spool.add(pairs, singles)
    return told


def _no_title(body: bytes) -> bool:
    return body[:1].isdigit() or body[:1] in b" \t"


def _slow_numbers(
    block: bytes, separator: str, say: Say, *, first: bool
) -> tuple[IntArray, IntArray, NDArray[np.float64]] | None:
    """The same line by line, for lines of different lengths; None where there are names."""
    rows = delimited.rows_of(block, separator)
    rows = delimited.without_header(rows, separator, say) if first else rows
    found = delimited.whole_numbers(rows)
    return None if found is None else (*found, delimited.weights_of(rows))


def _as_names(
    text: Iterator[tuple[int, bytes]], separators: str, spool: Spool, names: NameStore, say: Say
) -> Told:
    separator, told = None, Told(None, named=True, is_list=True)
    negative, are_numbers = None, True
    for line, block in text:
        body, aside = set_aside(block, begins_with(b"#%\n"))
        told.promise = told.promise or delimited.promise_of(aside)
        if not body or body.isspace():
            continue
        first = separator is None
        separator = separator or delimited.separator_of(body, separators, say)
        with _on_line(line):
            rows = delimited.rows_of(block, separator)
        if first:
            is_table = told.promise is None and (separator != " " or "\t" in separators)
            rows = delimited.without_header(rows, separator, say, is_table=is_table)
        weights = delimited.weights_of(rows)
        asked_weights(weights, len(weights), None, say)
        found, only = delimited.negative(rows)
        negative, are_numbers = negative or found, are_numbers and only
        places = names.numbers(end for row in rows for end in row.cells[:2])
        ends = [[places[end] for end in row.cells[:2]] for row in rows]
        pairs = np.array([pair for pair in ends if len(pair) == 2], np.int64).reshape(-1, 2)
        spool.add(pairs, np.array([pair[0] for pair in ends if len(pair) == 1], np.int64))
    if told.promise is None or not told.promise[2]:
        delimited.refuse_negative(negative, are_numbers)
    told.n = names.count
    return told


def read_dimacs(
    text: Iterator[tuple[int, bytes]], spool: Spool, names: NameStore, say: Say
) -> Told:
    """DIMACS ``.col``: lists of colors are left out, with a doubt."""
    aside: list[Line] = []
    kept = Room("the head of a DIMACS file", "a graph has one p line")
    lists, weighted, demands = 0, False, False
    line, block = 1, b""
    for line, block in text:
        body, lines = set_aside(block, dimacs.is_no_edge)
        indented = []
        for number, content in lines:
            bare = content.lstrip()
            if match := NAME.fullmatch(content):
                names.put(int(match[1]), decoded(match[2], line + number - 1))
            elif bare[:2] in (b"e ", b"e\t"):
                indented.append(bare + b"\n")
            elif bare[:2] in (b"f ", b"f\t"):
                lists += 1
            elif bare[:1] not in b"cdvxn" or (bare[:1] == b"n" and not demands):
                demands |= bare[:1] == b"n"  # one such line says as much as many
                kept.take(ASIDE + len(content))
                aside.append((line + number - 1, content))
        with _on_line(line):
            pairs, weights = dimacs.edges(body + b"".join(indented), block)
        weighted |= bool(weights.size)
        spool.add(pairs)
    head = dimacs.head_of(aside)
    dimacs.check_end(spool.count, head, block, line)
    if lists:
        say(f"the lists of colors of {lists} nodes are left out; .col and .npz keep them")
    first = 0 if spool.count and spool.low == 0 and spool.high < head.n else 1
    if spool.count and not first <= spool.low <= spool.high < head.n + first:
        bad = spool.low if spool.low < first else spool.high
        raise FormatError(f"node {bad} is out of range: nodes are {first}..{head.n + first - 1}")
    for doubt in dimacs.doubts(head, first, weighted, spool.count):
        say(doubt)
    return Told(head.n, first, named=names.count > 0)


def read_mtx(text: Iterator[tuple[int, bytes]], spool: Spool, names: NameStore, say: Say) -> Told:
    """MatrixMarket: the pattern of a square matrix."""
    told, columns, declared = None, 2, 0
    for line, block in text:
        if line == 1:
            columns, symmetry = mtx.banner(block.partition(b"\n")[0])
        body, aside = set_aside(block, begins_with(b"%\n"))
        for number, content in aside:
            if match := NAME.fullmatch(content):
                names.put(int(match[1]), decoded(match[2], line + number - 1))
        if told is None and body.strip():
            sizes, _, body = body.lstrip().partition(b"\n")
            n, _, declared = mtx.sizes_of(sizes, line, "a graph")
            told = Told(n, 1, both=symmetry == "general")
        pairs = _entries(body, columns)
        if pairs is None:
            raise FormatError(f"a line after this one does not hold {columns} numbers", line=line)
        spool.add(pairs)
    if told is None:
        raise FormatError("no line 'ROWS COLUMNS ENTRIES'")
    assert told.n is not None
    if spool.count and not 1 <= spool.low <= spool.high <= told.n:
        bad = spool.low if spool.low < 1 else spool.high
        raise FormatError(f"node {bad} is out of range: nodes are 1..{told.n}")
    if spool.count != declared:
        raise FormatError(f"{declared} entries declared, found {spool.count}: truncated?")
    told.named = names.count > 0
    return told


def _entries(body: bytes, columns: int) -> IntArray | None:
    if columns == 2:
        return table(body, 2)
    parts = weighted_table(body, columns)
    return None if parts is None else parts[0]


class _on_line:
    """Errors inside count lines from a block: say where they are in the file."""

    def __init__(self, line: int) -> None:
        self.line = line

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, FormatError) and error.line is not None:
            raise FormatError(error.message, line=self.line + error.line - 1) from None
