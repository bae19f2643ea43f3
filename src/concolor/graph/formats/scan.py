"""Numbers out of text, whole files at a time.

A file is kept as bytes and looked at with NumPy: where lines end, where tokens start, which lines
begin with which byte. (Lines end in a bare newline; ``read`` sees to that.) Each function answers
None where the text is not exactly of the asked shape; the caller then walks line by line to say
which line is at fault.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from concolor.errors import Doubt, FormatError
from concolor.graph.core import Graph, IntArray
from concolor.graph.texts import Numbered
from concolor.memory import Room

MAX_NODES = 50_000_000  # a declared size above this is refused before anything is allocated
WEIGHING = "weights=True in Python, --weights in the shell"
# bytes of memory that reading takes, about, for each
NODE = 16  # node that is declared
PAIR = 90  # line with a pair of numbers, from its tokens to its place in the graph
MIXED = 150  # line with one number or three
ASIDE = 150  # line that is set aside
WALKED = 350  # line that is walked over, its words kept as text
NAMING = "format= in Python, FORMAT:- < FILE in the shell"  # how a format is named

Line = tuple[int, bytes]  # its number from 1, and its bytes without the newline
Bytes = NDArray[np.uint8]
Aside = Callable[[Bytes, Bytes], NDArray[np.bool_]]
Say = Callable[[str], None]
How = str | None  # what copies of an edge weigh together, sum or max; None: weights are ignored

_NEWLINE, _BLANK, _ZERO = map(np.uint8, b"\n 0")
_DIGITS, _BLANKS = b"0123456789", b" \t\n"
_TOO_LARGE = 10**18  # NumPy reads what is beyond int64 as its largest number


FREE = Room("reading", "give less", 2**62)  # for small texts, whoever parses them


def warn(doubt: str) -> None:
    """How a parser says what it guesses or ignores, unless it is told another way: a warning."""
    warnings.warn(doubt, Doubt, stacklevel=3)


IGNORED = f"weights of edges are ignored: all count the same; read them by {WEIGHING}"


def asked_weights(
    weights: NDArray[np.generic], edges: int, how: How, say: Say
) -> NDArray[np.float64] | None:
    """The weights ``[edges]``, if they are asked for; else None, and a doubt where they differ."""
    if how is None:
        if weights.size and (weights != weights.flat[0]).any():
            say(f"{IGNORED}, or leave them out")
        return None
    if weights.size < edges:
        raise FormatError(f"{edges - weights.size} of {edges} edges have no weight, but all need")
    return weights.reshape(-1).astype(np.float64)


def lines_begun(data: bytes, marks: bytes) -> int:
    """How many lines begin with one of ``marks``, about: the first line, and every other of many
    empty ones, may be missing."""
    return sum(data.count(b"\n" + bytes([mark])) for mark in marks)


def set_aside(data: bytes, is_aside: Aside) -> tuple[bytes, list[Line]]:
    r"""Part the lines that ``is_aside`` picks by their first and second bytes from the others.

    >>> set_aside(b"% hello\n1 2\n3 4", begins_with(b"%"))
    (b'1 2\n3 4\n', [(1, b'% hello')])
    """
    kept: list[bytes] = []
    aside: list[Line] = []
    line = 1
    for _, block in _blocks(data if data.endswith(b"\n") else data + b"\n"):
        text = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(text == _NEWLINE)
        heads = np.concatenate([[0], ends[:-1] + 1])
        second = text[np.minimum(heads + 1, len(text) - 1)]
        rows = np.flatnonzero(is_aside(text[heads], second))
        position = 0
        for row, start, end in np.stack([rows, heads[rows], ends[rows]], axis=1).tolist():
            kept.append(block[position:start])
            aside.append((line + row, block[start:end]))
            position = end + 1
        kept.append(block[position:])
        line += len(ends)
    return b"".join(kept), aside


def begins_with(marks: bytes) -> Aside:
    """For :func:`set_aside`: the lines whose first byte is one of ``marks``."""
    return lambda first, second: np.isin(first, np.frombuffer(marks, np.uint8))


def table(body: bytes, columns: int, separator: bytes = b" ") -> IntArray | None:
    """Whole numbers ``[lines, columns]``; None unless every line (each ends) is exactly that, with
    one separator between two numbers; a blank stands for any blanks."""
    parts = [np.empty(0, np.int64)]
    for _, block in _blocks(body):
        blank = block if separator == b" " else block.replace(separator, b" ")
        starts = token_starts(blank, columns)
        values = None if starts is None else _whole_numbers(blank)
        if starts is None or values is None or not are_separated(block, separator, starts):
            return None
        parts.append(values)
    return np.concatenate(parts).reshape(-1, columns)


def ragged(body: bytes) -> tuple[IntArray, IntArray, IntArray] | None:
    """All whole numbers ``[t]``, where each starts ``[t]``, and how many a line has ``[lines]``."""
    parts = [(np.empty(0, np.int64),) * 3]
    for offset, block in _blocks(body):
        values = _whole_numbers(block)
        if values is None:
            return None
        starts, ends = _bounds(block)
        parts.append((values, starts + offset, np.diff(np.searchsorted(starts, ends), prepend=0)))
    values, starts, counts = map(np.concatenate, zip(*parts, strict=True))
    return values, starts, counts


def weighted_table(body: bytes, columns: int) -> tuple[IntArray, NDArray[np.float64]] | None:
    """Two whole numbers, then finite ones: ``[lines, 2]``, ``[lines, columns - 2]``, or None."""
    starts = token_starts(body, columns)
    if starts is None or body.translate(None, _DIGITS + _BLANKS + b".eE+-"):
        return None
    if not len(starts):  # NumPy warns of nothing to read
        return np.empty((0, 2), np.int64), np.empty((0, columns - 2))
    if (np.frombuffer(body, np.uint8)[starts[:, :2]] - _ZERO >= 10).any():
        return None  # nodes have no signs
    kind = [("ends", np.int64, 2), ("weights", np.float64, columns - 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # older NumPy only warns of a node 1.0
        try:
            rows = np.loadtxt(BytesIO(body), kind, comments=None, ndmin=1)
        except (DeprecationWarning, ValueError):
            return None
    ends, weights = rows["ends"], rows["weights"]
    return (ends, weights) if ends.max() < _TOO_LARGE and np.isfinite(weights).all() else None


def are_separated(body: bytes, separator: bytes, starts: IntArray) -> bool:
    """Exactly one separator between every two tokens that start at ``[lines, columns]``."""
    if separator == b" ":
        return True
    found = np.flatnonzero(np.frombuffer(body, np.uint8) == ord(separator))
    between = starts[:, 1:].ravel()
    if len(found) != len(between):
        return False
    return bool(((starts[:, :-1].ravel() < found) & (found < between)).all())


def has_leading_zero(body: bytes) -> bool:
    """Some number, as blanks part them, begins with a zero and goes on."""
    for _, block in _blocks(body):
        text = np.frombuffer(b"\n" + block, np.uint8)
        zero = (text[1:-1] == _ZERO) & (text[:-2] <= _BLANK)
        if (zero & (text[2:] >= _ZERO)).any():
            return True
    return False


def token_starts(body: bytes, columns: int) -> IntArray | None:
    """Where each token starts ``[lines, columns]``; None where a line has more or fewer."""
    starts, ends = _bounds(body)
    if len(starts) != columns * len(ends):
        return None
    rows = starts.reshape(-1, columns)
    fits = (rows[:, -1] < ends).all() and (rows[1:, 0] > ends[:-1]).all()
    return rows if fits else None


def _blocks(data: bytes, size: int = 2**18) -> Iterator[tuple[int, bytes]]:
    """The data in pieces of whole lines, each with its offset; their arrays fit into the cache."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + size) + 1 or len(data)
        yield start, data[start:end]
        start = end


def _bounds(body: bytes) -> tuple[IntArray, IntArray]:
    """Where tokens start ``[t]``, and where lines end ``[lines]``."""
    text = np.frombuffer(body, np.uint8)
    starting = text > _BLANK
    starting[1:] &= text[:-1] <= _BLANK
    return np.flatnonzero(starting), np.flatnonzero(text == _NEWLINE)


def _whole_numbers(body: bytes) -> IntArray | None:
    """All numbers of a text that holds nothing but digits and blanks, else None."""
    if body.translate(None, _DIGITS + _BLANKS):
        return None
    if not body or body.isspace():  # NumPy reads blanks alone as one -1
        return np.empty(0, np.int64)
    values = np.fromstring(body, np.int64, sep=" ")
    return values if values.max() < _TOO_LARGE else None


def numbered_lines(data: bytes) -> Iterator[Line]:
    """The slow walk, to say which line is at fault."""
    return ((i, line.rstrip(b"\n")) for i, line in enumerate(BytesIO(data), 1))


def first_line(data: bytes) -> Line:
    """The first line that is neither blank nor a ``%`` comment."""
    lines = ((i, line) for i, line in numbered_lines(data) if line.strip() and line[:1] != b"%")
    return next(lines, (1, b""))


def whole(token: bytes, what: str, line: int | None = None) -> int:
    """The token as a whole number >= 0, else an error that names it."""
    if not token.isdigit() or len(token) > 18:
        raise FormatError(f"{what} must be a whole number >= 0, got {shown(token)}", line=line)
    return int(token)


def checked_size(n: int, line: int | None = None) -> int:
    """``n`` again, unless it is a size we refuse to allocate."""
    if not 0 <= n <= MAX_NODES:
        raise FormatError(f"{n} nodes declared, the limit is 0..{MAX_NODES}", line=line)
    return n


def checked_node(token: bytes, n: int, line: int, first: int = 1, what: str = "node") -> int:
    """The number that the token is, unless it is none of ``n`` nodes counted from ``first``."""
    node, last = whole(token, f"a {what}", line), first + n - 1
    if not first <= node <= last:
        raise FormatError(f"{what} {node} is out of range: {what}s are {first}..{last}", line=line)
    return node


def checked_finite(token: str, line: int) -> float:
    """The token as a number, unless it is none or not finite."""
    try:
        value = float(token)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(f"a weight must be a finite number, got {token[:60]!r}", line=line)
    return value


def shown(content: bytes) -> str:
    """Bytes of a file as a short quoted text for a message."""
    text = content[:60].decode("utf-8", "replace")
    return repr(text + "..." if len(content) > 60 else text)


def commented_names(lines: Iterable[Line], n: int, first: int = 1) -> Numbered | None:
    """Node names from comments such as ``c name 1 Valjean``, or None where there are none.

    A node without such a comment goes by its number in the file.
    """
    names: dict[int, str] = {}
    for number, line in lines:
        if match := re.fullmatch(rb"[c%] name (\d{1,9}) (.+)", line):
            node, nodes = int(match[1]), range(first, first + n)
            if node not in nodes:
                last = nodes.stop - 1
                raise FormatError(f"a name for node {node}: nodes are {first}..{last}", line=number)
            names[node - first] = decoded(match[2], number)
    return Numbered(n, first, names) if names else None


def name_comments(graph: Graph, mark: str) -> str:
    """The comments that :func:`commented_names` reads back; none where nodes have no names."""
    named = () if graph.names is None else enumerate(graph.node_names, 1)
    return "".join(f"{mark} name {number} {name}\n" for number, name in named)


def decoded(content: bytes, line: int = 1) -> str:
    """UTF-8 as text; ``line`` is where the content begins in its file."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line += content.count(b"\n", 0, error.start)
        raise FormatError("not UTF-8 text: is this a binary file?", line=line) from None
