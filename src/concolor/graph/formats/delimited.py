"""Edge lists (``.edges .el .txt``) and CSV: one edge a line, ``u v`` or ``u v weight``.

* Blanks separate in an edge list, or ``;`` or ``,`` where the first line has one; in CSV it is a
  tab, ``;`` or ``,``, or blanks, with a doubt, where there is none of these and every line has two
  or three words. Lines that begin with ``#`` or ``%`` are comments.
* A line with one token is a node; so isolated nodes, and the order of named ones, survive.
* Tokens are names and may be ``"quoted"``. If all are whole numbers and they fill 0..n-1 without
  gaps, they are the node numbers themselves; other whole numbers are names, sorted by value; other
  names come in order of first appearance.
* The first line is a header where it says ``source,target`` (or the like), where its third column
  is not a number, or where it alone is not made of whole numbers. Words of a table such as
  ``student,course`` are taken for one, with a doubt, where no other line has one of them.
* A weight must be a finite number; where weights are not asked for, it is then forgotten, with a
  doubt where they differ.
* A file without any edge is read with a doubt.

What we write begins with ``# concolor: N nodes, M edges, numbered`` (or ``named``: then every token
is a name, even ``0``), which the reader holds against the rest, so that a cut file is noticed, and
nothing has to be guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats.scan import (
    ASIDE,
    FREE,
    MIXED,
    PAIR,
    WALKED,
    How,
    Line,
    Say,
    are_separated,
    asked_weights,
    begins_with,
    checked_finite,
    decoded,
    has_leading_zero,
    lines_begun,
    numbered_lines,
    ragged,
    set_aside,
    shown,
    table,
    token_starts,
    warn,
    weighted_table,
)
from concolor.graph.weights import Numbers, written
from concolor.memory import Room

_WEIGHTED = "each line needs a third column 'u v weight'"
_WHOLE = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)
SHORT = 10_000  # lines that are walked over before it is asked whether there is memory for all


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: tuple[str, ...]  # u, or u and v, or u, v and weight


def parse_edges(data: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
    """The graph of an edge list: blanks, ``;`` or ``,`` between the columns."""
    return _parse(data, ";, ", say, how, room)


def parse_csv(data: bytes, say: Say = warn, how: How = None, room: Room = FREE) -> Graph:
    """The graph of a CSV file: tab, ``;`` or ``,`` between the columns."""
    return _parse(data, "\t;,", say, how, room)


def _parse(data: bytes, separators: str, say: Say, how: How, room: Room) -> Graph:
    marks = b"#%\n"
    aside_lines = lines_begun(data, marks)
    room.take(len(data) + ASIDE * aside_lines)
    room.check(PAIR * (data.count(b"\n") - aside_lines))  # the least that lines take
    body, aside = set_aside(data, begins_with(marks))
    promise = promise_of(aside)
    named = promise is not None and promise[2]
    separator = separator_of(body, separators, say, room)
    numbers = None if named else numbers_of(body, separator, room)
    if numbers is None:
        room.check(_walk(body))
        is_table = promise is None and (separator != " " or "\t" in separators)
        graph = _from_text(data, separator, named, say, how, is_table=is_table)
    else:
        graph = _from_numbers(*numbers, say, how)
    check_sizes(promise, graph.n, graph.m, graph.names is not None, say)
    return graph


def check_sizes(
    promise: tuple[int, int, bool] | None, n: int, m: int, named: bool, say: Say
) -> None:
    """Hold nodes and edges against what the file promises; a doubt where there is no edge."""
    if promise is None and n == 0:
        raise FormatError("the file holds neither an edge nor a node")
    if promise is None and m == 0:
        kind = "named" if named else "numbered"
        say(
            f"no edge at all, only single nodes ({n}): is the separator right? To say that "
            f"it is, begin with a line '# concolor: {n} nodes, 0 edges, {kind}'"
        )
    if promise is not None and promise[:2] != (n, m):
        raise FormatError(
            f"promises {promise[0]} nodes and {promise[1]} edges, has {n} and {m}: "
            "truncated? If it was edited, delete the line '# concolor: ...'"
        )


def promise_of(comments: list[Line]) -> tuple[int, int, bool] | None:
    """Nodes, edges, and whether they are named, where we wrote the file."""
    promise = rb"# concolor: (\d{1,18}) nodes, (\d{1,18}) edges, (numbered|named)"
    for _, line in comments:
        if match := re.fullmatch(promise, line):
            return int(match[1]), int(match[2]), match[3] == b"named"
    return None


def _walk(body: bytes) -> int:
    """Bytes of memory that a walk over the lines takes, about, with all words as text."""
    return WALKED * body.count(b"\n") + 2 * len(body)


def separator_of(body: bytes, separators: str, say: Say, room: Room = FREE) -> str:
    """What stands between the columns; a blank stands for any blanks."""
    return _separator(body, separators, room) or _guessed_separator(body, separators, say)


def _separator(body: bytes, separators: str, room: Room) -> str | None:
    """The one that the first line with two columns uses; a blank stands for any blanks."""
    if not any(mark in body for mark in f"{separators}\t".encode()):
        return None
    for number, line in numbered_lines(body):
        if number == SHORT:
            room.check(_walk(body))  # which is to come, if even the first line is that far
        bare = re.sub(rb'"[^"]*"', b"", line).strip(b" ").decode("utf-8", "replace")
        bare = bare.replace("\t", " ") if " " in separators else bare
        for separator in separators:
            if separator in bare:
                return separator
    return None


def _guessed_separator(body: bytes, separators: str, say: Say) -> str:
    """Where no line has one: a blank, if that makes edges of all lines, else the usual one."""
    if " " in separators or b" " not in body:
        return separators[-1]
    lines: Iterator[bytes] = (line for _, line in numbered_lines(body) if line.strip())
    first = next(lines, b"")
    if not _is_title(first.decode("utf-8", "replace").split()):
        lines = chain([first], lines)
    if (second := next(lines, None)) is None or not all(
        map(_WORDS.fullmatch, chain([second], lines))
    ):
        return separators[-1]
    say(
        "no tab, ';' or ',' in it, so blanks are taken to separate the columns; if each line is "
        "one node, write 'source,target' above them"
    )
    return " "


def numbers_of(
    body: bytes, separator: str, room: Room = FREE
) -> tuple[IntArray, IntArray, Numbers] | None:
    """Edges ``[m, 2]``, single nodes ``[s]`` and weights, ``[m]`` or none, where all nodes are
    plain whole numbers, else None."""
    first, lines = _first_line(body), body.count(b"\n")
    if b'"' in first:
        return None
    if _is_title(_cells(first.decode("utf-8", "replace"), separator)):
        body = body[len(first) + 1 :]
    if not body or body.isspace():  # then the line was not a header
        return None
    mark, none = separator.encode(), np.empty(0, np.int64)
    if _first_line(body).translate(None, b"0123456789 \t\r.eE+-" + mark):
        return None  # at once: the rest may be long
    room.check(PAIR * lines + len(body))
    blank = body if separator == " " else body.replace(mark, b" ")
    if has_leading_zero(blank):
        return None
    if len(_first_line(blank).split()) == 2 and (pairs := table(body, 2, mark)) is not None:
        return pairs, none, np.empty(0)
    room.check(MIXED * lines + len(body))
    if len(_first_line(blank).split()) == 3:
        starts, parts = token_starts(blank, 3), weighted_table(blank, 3)
        if parts is None or starts is None or not are_separated(body, mark, starts):
            return None
        return parts[0], none, parts[1]
    tokens = ragged(blank)
    if tokens is None:
        return None
    values, starts, counts = tokens
    in_pair = np.repeat(counts == 2, counts)
    fits = counts.max(initial=0) <= 2 and are_separated(body, mark, starts[in_pair].reshape(-1, 2))
    return (values[in_pair].reshape(-1, 2), values[~in_pair], np.empty(0)) if fits else None


def _first_line(body: bytes) -> bytes:
    return body[: body.find(b"\n")]


def _from_numbers(
    pairs: IntArray, singles: IntArray, weights: Numbers, say: Say, how: How
) -> Graph:
    more: dict[str, Any] = {"weights": asked_weights(weights, len(pairs), how, say)}
    more["repeated"] = how or "sum"
    tokens = np.concatenate([pairs.ravel(), singles])
    n = int(tokens.max(initial=-1)) + 1
    if n <= len(tokens):
        seen = np.zeros(n, bool)
        seen[tokens] = True
        if seen.all():
            return Graph.from_edges(n, pairs, **more)
    ids, places = np.unique(tokens, return_inverse=True)
    edges = places[: pairs.size].reshape(-1, 2)
    return Graph.from_edges(len(ids), edges, names=list(map(str, ids.tolist())), **more)


def _from_text(
    data: bytes, separator: str, named: bool, say: Say, how: How, *, is_table: bool = False
) -> Graph:
    rows = without_header(rows_of(data, separator), separator, say, is_table=is_table)
    weights, bare = weights_of(rows), [row.line for row in rows if len(row.cells) == 2]
    if how is not None and bare:
        raise FormatError(f"an edge without a weight: {_WEIGHTED}", line=bare[0])
    numbers = None if named else whole_numbers(rows)
    if numbers is not None:
        return _from_numbers(*numbers, weights, say, how)
    if not named:
        refuse_negative(*negative(rows))
    tokens = (token for row in rows for token in row.cells[:2])
    places = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    edges = [[places[end] for end in row.cells[:2]] for row in rows if len(row.cells) > 1]
    return Graph.from_edges(
        len(places),
        np.array(edges, np.int64),
        names=list(places),
        weights=asked_weights(weights, len(edges), how, say),
        repeated=how or "sum",
    )


def without_header(
    rows: list[_Row], separator: str, say: Say, *, is_table: bool = False
) -> list[_Row]:
    """The rows without the first, where that is a header; a doubt where it only seems to be."""
    if rows and _is_header(rows[0], rows[1:]):
        return rows[1:]
    if rows and is_table and _seems_header(rows[0], rows[1:]):
        u, v = rows[0].cells
        say(
            f"the first line, {u!r} and {v!r}, is taken for a header, as no other line has one of "
            f"them; if it is an edge, write {f'source{separator}target'!r} above it"
        )
        return rows[1:]
    return rows


def weights_of(rows: list[_Row]) -> Numbers:
    """The weights of the edges that have one, each a finite number."""
    weights = [checked_finite(weight, row.line) for row in rows for weight in row.cells[2:]]
    return np.array(weights)


def whole_numbers(rows: list[_Row]) -> tuple[IntArray, IntArray] | None:
    """Edges ``[m, 2]`` and single nodes ``[s]`` where all are whole numbers, else None."""
    if not all(_WHOLE.fullmatch(token) for row in rows for token in row.cells[:2]):
        return None
    ends = [list(map(int, row.cells[:2])) for row in rows]
    pairs = np.array([pair for pair in ends if len(pair) == 2], np.int64).reshape(-1, 2)
    return pairs, np.array([pair[0] for pair in ends if len(pair) == 1], np.int64)


def rows_of(data: bytes, separator: str) -> list[_Row]:
    """The lines that are no comments, as cells."""
    return list(_rows(data, separator))


def _rows(data: bytes, separator: str) -> Iterator[_Row]:
    same: dict[str, str] = {}  # a name that comes up often is kept once
    for number, content in numbered_lines(data):
        line = decoded(content, number).strip(" ")
        if not line.strip() or line[0] in "#%":
            continue
        if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", line):
            raise FormatError("a control character: is this a binary file?", line=number)
        cells = _cells(line, separator, number)
        while cells and not cells[-1]:
            cells.pop()
        if not 1 <= len(cells) <= 3 or not all(cells):
            raise FormatError(
                f"expected 'u', 'u v' or 'u v weight', got {shown(line.encode())}", line=number
            )
        yield _Row(number, tuple(same.setdefault(cell, cell) for cell in cells))


# what begins a cell is no blank, or the blanks before a quote would be tried in all ways
_QUOTED = r'"((?:[^"]|"")*)"'
_CELL = {
    " ": re.compile(rf'(?:{_QUOTED}|([^" \t]+))([ \t]+|$)'),
    **{
        sep: re.compile(rf'[ ]*(?:{_QUOTED}[ ]*|((?:[^" {sep}][^"{sep}]*)?))({sep}|$)')
        for sep in "\t;,"
    },
}
_WORDS = re.compile(rb'[ ]*[^ "]+[ ]+[^ "]+([ ]+[-+.\deE]+)?[ ]*')  # the third is a weight


def _cells(line: str, separator: str, number: int | None = None) -> list[str]:
    line = line.strip(" \t") if separator == " " else line
    if '"' not in line and separator == " ":
        return [cell for cell in line.replace("\t", " ").split(" ") if cell]
    if '"' not in line:
        return [cell.strip(" ") for cell in line.split(separator)]
    cells, position, more = [], 0, True
    while more:
        match = _CELL[separator].match(line, position)
        if match is None:
            raise FormatError(f"quotes that do not close: {shown(line.encode())}", line=number)
        quoted, plain, end = match.groups()
        cells.append(plain.strip(" ") if quoted is None else quoted.replace('""', '"'))
        position, more = match.end(), bool(end)
    return cells


def _is_title(cells: Sequence[str]) -> bool:
    """Two or three words; a third that reads as a number such as ``nan`` is a weight."""
    words = all(re.fullmatch(r"[^\W\d].*", cell) for cell in cells)
    weight = re.fullmatch("nan|inf|infinity", "".join(cells[2:]), re.IGNORECASE)
    return 2 <= len(cells) <= 3 and words and weight is None


def _is_header(row: _Row, rest: list[_Row]) -> bool:
    if not _is_title(row.cells):
        return False
    u, v, *weight = map(str.lower, row.cells)
    only_numbers_follow = all(_WHOLE.fullmatch(end) for other in rest for end in other.cells[:2])
    titles = {("source", "target"), ("src", "dst"), ("from", "to"), ("node1", "node2")}
    return (u, v) in titles or bool(weight) or (bool(rest) and only_numbers_follow)


def _seems_header(row: _Row, rest: list[_Row]) -> bool:
    """Two words that no other line has, while most others share a node with another line."""
    if len(row.cells) != 2 or not _is_title(row.cells) or len(rest) < 3:
        return False
    count = Counter(end for other in (row, *rest) for end in set(other.cells[:2]))

    def stands_alone(other: _Row) -> bool:
        return all(count[end] == 1 for end in other.cells[:2])

    return stands_alone(row) and sum(map(stands_alone, rest)) < len(rest) / 2


def negative(rows: list[_Row]) -> tuple[_Row | None, bool]:
    """The first row with a negative number, and whether all ends are whole numbers with or
    without a sign."""
    ends = [(row, end) for row in rows for end in row.cells[:2]]
    signed = (row for row, end in ends if re.fullmatch(r"-\d+", end, re.ASCII))
    return next(signed, None), all(end.lstrip("-").isdecimal() for _, end in ends)


def refuse_negative(row: _Row | None, are_numbers: bool) -> None:
    """Names may be anything, but among whole numbers a negative one is a mistake."""
    if row is not None and are_numbers:
        end = next(end for end in row.cells if end.startswith("-"))
        raise FormatError(
            f"node {end} is negative: nodes are whole numbers >= 0 or names", line=row.line
        )


def render_edges(graph: Graph) -> bytes:
    """The graph as an edge list; features are not written."""
    return _render(graph, "", " ")


def render_csv(graph: Graph) -> bytes:
    """The graph as CSV with a header; features are not written."""
    more = "" if graph.weights is None else ",weight"
    return _render(graph, f"source,target{more}\n", ",")


def _render(graph: Graph, header: str, separator: str) -> bytes:
    """All nodes first where they have names, to keep their order, else the isolated ones last."""
    kind = "numbered" if graph.names is None else "named"
    head = f"# concolor: {graph.n} nodes, {graph.m} edges, {kind}\n{header}"
    if graph.names is None:
        alone = np.flatnonzero(graph.degrees == 0).tolist()
        if graph.weights is None:
            edges = f"%d{separator}%d\n" * graph.m % tuple(graph.edges.ravel().tolist())
        else:
            edges = "".join(_weighted_lines(graph, list(map(str, range(graph.n))), separator))
        return (head + edges + "%d\n" * len(alone) % tuple(alone)).encode()
    plain = re.compile(r"""[^\s"',;#%-][^\s"',;]*""")  # safe without quotes in any of our files
    words = [name if plain.fullmatch(name) else _quoted(name) for name in graph.node_names]
    ends = _weighted_lines(graph, words, separator)
    return (head + "".join(f"{word}\n" for word in words) + "".join(ends)).encode()


def _weighted_lines(graph: Graph, words: list[str], separator: str) -> Iterator[str]:
    weights = [] if graph.weights is None else written(graph.weights)
    for (u, v), weight in zip_longest(graph.edges.tolist(), weights):
        more = "" if weight is None else f"{separator}{weight}"
        yield f"{words[u]}{separator}{words[v]}{more}\n"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
