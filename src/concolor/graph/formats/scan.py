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

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray

MAX_NODES = 50_000_000  # a declared size above this is refused before anything is allocated
MAX_BYTES = 4 * 2**30  # the same for a file, after decompression
NAMING = "format= in Python, FORMAT:- < FILE in the shell"  # how a format is named

Line = tuple[int, bytes]  # its number from 1, and its bytes without the newline
Bytes = NDArray[np.uint8]
Aside = Callable[[Bytes, Bytes], NDArray[np.bool_]]

_TAB, _NEWLINE, _BLANK, _ZERO = map(np.uint8, b"\t\n 0")
_DECIMALS = b"0123456789 \t\n.eE+-"
_BLOCK = 2**18  # bytes looked at together: their arrays fit into the cache
_NAME = re.compile(rb"[c%] name (\d{1,9}) (.+)")


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
        heads = _heads(ends)
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


def table(body: bytes, columns: int, *, skip_heads: bool = False) -> IntArray | None:
    """Whole numbers ``[lines, columns]``; None unless every line is exactly that.

    Args:
        body: Text that ends in a newline.
        columns: Numbers on a line.
        skip_heads: Do not look at the first byte of each line.
    """
    parts = [np.empty(0, np.int64)]
    for _, block in _blocks(body):
        numbers = _numbers(block, skip_heads)
        if numbers is None or _rows(numbers[1], numbers[2], columns) is None:
            return None
        parts.append(numbers[0])
    return np.concatenate(parts).reshape(-1, columns)


def ragged(body: bytes) -> tuple[IntArray, IntArray, IntArray] | None:
    """All whole numbers ``[t]``, where each starts ``[t]``, and how many a line has ``[lines]``."""
    parts = [(np.empty(0, np.int64),) * 3]
    for offset, block in _blocks(body):
        numbers = _numbers(block)
        if numbers is None:
            return None
        values, starts, ends = numbers
        parts.append((values, starts + offset, np.diff(np.searchsorted(starts, ends), prepend=0)))
    values, starts, counts = map(np.concatenate, zip(*parts, strict=True))
    return values, starts, counts


def weighted_table(body: bytes, columns: int) -> tuple[IntArray, NDArray[np.float64]] | None:
    """Two whole numbers, then finite ones: ``[lines, 2]``, ``[lines, columns - 2]``, or None."""
    starts = token_starts(body, columns)
    if starts is None or body.translate(None, _DECIMALS):
        return None
    text = np.frombuffer(body, np.uint8)
    steps = np.zeros(len(text), np.int8)
    steps[starts[:, 2]] = 1
    steps[text == _NEWLINE] = -1
    in_weights = np.cumsum(steps, dtype=np.int8).view(bool)
    ends = table(np.where(in_weights & (text != _NEWLINE), _BLANK, text).tobytes(), 2)
    weights = _finite_numbers(np.where(in_weights, text, _BLANK).tobytes())
    if ends is None or weights is None or len(weights) != len(ends) * (columns - 2):
        return None
    return ends, weights.reshape(-1, columns - 2)


def token_starts(body: bytes, columns: int) -> IntArray | None:
    """Where each token starts ``[lines, columns]``; None where a line has more or fewer."""
    text = np.frombuffer(body, np.uint8)
    starting = text > _BLANK
    starting[1:] &= text[:-1] <= _BLANK
    return _rows(np.flatnonzero(starting), np.flatnonzero(text == _NEWLINE), columns)


def _blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The data in pieces of whole lines, each with its offset."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        yield start, data[start:end]
        start = end


def _heads(ends: IntArray, first: int = 0) -> IntArray:
    """Where lines start, from where they end."""
    heads = np.empty_like(ends)
    heads[:1], heads[1:] = first, ends[:-1] + 1
    return heads


def _rows(starts: IntArray, ends: IntArray, columns: int) -> IntArray | None:
    """Token starts ``[lines, columns]``, where the lines that end at ``ends`` have just so many."""
    if len(starts) != columns * len(ends):
        return None
    rows = starts.reshape(-1, columns)
    fits = (rows[:, -1] < ends).all() and (rows[1:, 0] > ends[:-1]).all()
    return rows if fits else None


def _numbers(block: bytes, skip_heads: bool = False) -> tuple[IntArray, IntArray, IntArray] | None:
    """Whole numbers ``[t]``, where each starts ``[t]``, where lines end; None if there is more."""
    text = np.frombuffer(b" " * 8 + block, np.uint8)
    ends = np.flatnonzero(text == _NEWLINE)
    if skip_heads:
        text = text.copy()
        text[_heads(ends, 8)] = _BLANK
    digit = text - _ZERO < 10
    blanks = len(ends) + np.count_nonzero(text == _BLANK) + np.count_nonzero(text == _TAB)
    if np.count_nonzero(digit) + blanks != len(text):
        return None
    bounds = np.flatnonzero(digit[1:] != digit[:-1]) + 1
    starts, stops = bounds[::2], bounds[1::2]
    longest = (stops - starts).max(initial=0)
    if longest > 18:
        return None
    short = longest <= 8
    values = (
        _short(text, starts, stops) if short else np.fromstring(text.tobytes(), np.int64, sep=" ")
    )
    return values, starts - 8, ends - 8


def _short(text: Bytes, starts: IntArray, stops: IntArray) -> IntArray:
    """The numbers ``text[start:stop]`` of at most 8 digits, where at least 8 bytes stand before.

    Eight digits are loaded as one little-endian word, first digit lowest; what stands before a
    shorter number is shifted out. Then neighbors are joined: digits to pairs, pairs to fours, fours
    to eight.
    """
    words = np.ndarray(len(text) - 7, "<u8", text, strides=(1,))[stops - 8]
    words &= 0x0F0F0F0F0F0F0F0F
    foreign = ((8 - (stops - starts)) * 8).astype(np.uint64)
    words = words >> foreign << foreign
    words = (words * 10 + (words >> 8)) & 0x00FF00FF00FF00FF
    words = (words * 100 + (words >> 16)) & 0x0000FFFF0000FFFF
    words = (words * 10000 + (words >> 32)) & 0xFFFFFFFF
    return words.astype(np.int64)


def _finite_numbers(body: bytes) -> NDArray[np.float64] | None:
    if body.isspace():  # NumPy reads blanks alone as one -1
        return np.empty(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # NumPy < 2.3 only warns of a bad token
        try:
            values = np.fromstring(body, np.float64, sep=" ")
        except (DeprecationWarning, ValueError):
            return None
    return values if np.isfinite(values).all() else None


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


def checked_node(token: bytes, n: int, line: int) -> None:
    """Raise unless the token is a node number in 1..n."""
    if not 1 <= whole(token, "a node", line) <= n:
        raise FormatError(f"node {int(token)} is out of range: nodes are 1..{n}", line=line)


def checked_finite(token: str, line: int) -> None:
    """Raise unless the token is a finite number."""
    try:
        finite = math.isfinite(float(token))
    except ValueError:
        finite = False
    if not finite:
        raise FormatError(f"a weight must be a finite number, got {token[:60]!r}", line=line)


def shown(content: bytes) -> str:
    """Bytes of a file as a short quoted text for a message."""
    text = content[:60].decode("utf-8", "replace")
    return repr(text + "..." if len(content) > 60 else text)


def commented_names(lines: Iterable[Line], n: int) -> list[str] | None:
    """Node names from comments such as ``c name 1 Valjean``, or None where there are none.

    A node without such a comment goes by its number in the file.
    """
    names = {}
    for number, line in lines:
        if match := _NAME.fullmatch(line):
            node = int(match[1])
            if not 1 <= node <= n:
                raise FormatError(f"a name for node {node}: nodes are 1..{n}", line=number)
            names[node] = decoded(match[2], number)
    return [names.get(node, str(node)) for node in range(1, n + 1)] if names else None


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
