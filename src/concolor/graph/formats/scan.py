"""Numbers out of text, whole files at a time.

A file is kept as bytes and looked at with NumPy: where lines end, where tokens start, which lines
begin with which byte. Lines end in ``\\n`` alone: the door (``read``) sees to that. Each function answers None where the text is not exactly of the asked shape;
the caller then walks line by line to say which line is at fault.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from concolor.errors import FormatError
from concolor.graph.core import IntArray

MAX_NODES = 50_000_000  # a declared size above this is refused before anything is allocated
MAX_BYTES = 4 * 2**30  # the same for a file, after decompression

Line = tuple[int, bytes]  # its number from 1, and its bytes without the newline

_DIGITS = b"0123456789 \t\n"
_DECIMALS = _DIGITS + b".eE+-"
_TOO_BIG = np.iinfo(np.int64).max  # where NumPy's text reader clips
_NAME = re.compile(rb"[c%] name (\d{1,9}) (.+)")


def set_aside(data: bytes, marks: bytes) -> tuple[bytes, list[Line]]:
    r"""Part the lines that begin with a byte of ``marks`` from the others.

    >>> set_aside(b"% hello\n1 2\n3 4", b"%")
    (b'1 2\n3 4\n', [(1, b'% hello')])
    """
    if not data.endswith(b"\n"):
        data += b"\n"
    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    starts = np.r_[0, ends[:-1] + 1]
    marked = np.zeros(256, bool)
    marked[list(marks)] = True
    rows = np.flatnonzero(marked[text[starts]])
    kept, aside, position = [], [], 0
    for row, start, end in zip(
        rows.tolist(), starts[rows].tolist(), ends[rows].tolist(), strict=True
    ):
        kept.append(data[position:start])
        aside.append((row + 1, data[start:end]))
        position = end + 1
    return b"".join([*kept, data[position:]]), aside


def table(body: bytes, columns: int) -> IntArray | None:
    """Whole numbers ``[lines, columns]``; None unless every line is exactly that."""
    if body.translate(None, _DIGITS) or token_starts(body, columns) is None:
        return None
    return _whole_numbers(body, columns)


def weighted_table(body: bytes, columns: int) -> tuple[IntArray, NDArray[np.float64]] | None:
    """Two whole numbers and ``columns - 2`` finite ones a line: ``[lines, 2]``, ``[lines, columns - 2]``."""
    starts = token_starts(body, columns)
    if starts is None or body.translate(None, _DECIMALS):
        return None
    text = np.frombuffer(body, np.uint8)
    steps = np.zeros(len(text), np.int8)
    steps[starts[:, 2]] = 1
    steps[text == ord("\n")] = -1
    in_weights = np.cumsum(steps, dtype=np.int8).view(bool)
    ends = table(np.where(in_weights, ord(" "), text).astype(np.uint8).tobytes(), 2)
    weights = _finite_numbers(np.where(in_weights, text, ord(" ")).astype(np.uint8).tobytes())
    if ends is None or weights is None or len(weights) != len(ends) * (columns - 2):
        return None
    return ends, weights.reshape(-1, columns - 2)


def ragged(body: bytes) -> tuple[IntArray, IntArray, IntArray] | None:
    """All whole numbers ``[t]``, where each starts ``[t]``, and how many a line has ``[lines]``."""
    values = None if body.translate(None, _DIGITS) else _whole_numbers(body, 1)
    if values is None:
        return None
    text = np.frombuffer(body, np.uint8)
    starts, ends = _starts(text), np.flatnonzero(text == ord("\n"))
    counts = np.diff(np.searchsorted(starts, ends), prepend=0)
    return values[:, 0], starts, counts


def token_starts(body: bytes, columns: int) -> IntArray | None:
    """Where each token starts ``[lines, columns]``; None unless every line has ``columns`` tokens."""
    text = np.frombuffer(body, np.uint8)
    starts, ends = _starts(text), np.flatnonzero(text == ord("\n"))
    if len(starts) != columns * len(ends):
        return None
    rows = starts.reshape(-1, columns)
    fits = (rows[:, -1] < ends).all() and (rows[1:, 0] > ends[:-1]).all()
    return rows if fits else None


def _starts(text: NDArray[np.uint8]) -> IntArray:
    blank = text <= ord(" ")
    starting = ~blank
    starting[1:] &= blank[:-1]
    return np.flatnonzero(starting)


def _whole_numbers(body: bytes, columns: int) -> IntArray | None:
    if not body.strip():  # NumPy reads blanks alone as one -1
        return np.empty((0, columns), np.int64)
    # digits and blanks only: the reader can neither stop early nor split a token
    values = np.fromstring(body, np.int64, sep=" ")
    clipped = values.size > 0 and values.max() == _TOO_BIG
    return None if clipped else values.reshape(-1, columns)


def _finite_numbers(body: bytes) -> NDArray[np.float64] | None:
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


def name_comments(names: tuple[str, ...] | None, mark: str) -> str:
    """The comments that :func:`commented_names` reads back."""
    return "".join(f"{mark} name {i} {name}\n" for i, name in enumerate(names or (), 1))


def decoded(content: bytes, line: int = 1) -> str:
    """UTF-8 as text; ``line`` is where the content begins in its file."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line += content.count(b"\n", 0, error.start)
        raise FormatError("not UTF-8 text: is this a binary file?", line=line) from None
