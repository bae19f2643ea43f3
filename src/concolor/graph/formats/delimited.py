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
* A weight must be a finite number, and is then forgotten, with a doubt where weights differ.
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
from itertools import chain

import numpy as np

from concolor.errors import FormatError
from concolor.graph.core import Graph, IntArray
from concolor.graph.formats.scan import (
    ASIDE,
    FREE,
    MIXED,
    PAIR,
    WALKED,
    Line,
    Say,
    are_separated,
    begins_with,
    checked_finite,
    decoded,
    has_leading_zero,
    lines_begun,
    numbered_lines,
    ragged,
    say_if_weighted,
    set_aside,
    shown,
    table,
    token_starts,
    warn,
    weighted_table,
)
from concolor.memory import Room

_WHOLE = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)
SHORT = 10_000  # lines that are walked over before it is asked whether there is memory for all


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: tuple[str, ...]  # u, or u and v, or u, v and weight


def parse_edges(data: bytes, say: Say = warn, room: Room = FREE) -> Graph:
    """The graph of an edge list: blanks, ``;`` or ``,`` between the columns."""
    return _parse(data, ";, ", say, room)


def parse_csv(data: bytes, say: Say = warn, room: Room = FREE) -> Graph:
    """The graph of a CSV file: tab, ``;`` or ``,`` between the columns."""
    return _parse(data, "\t;,", say, room)


def _parse(data: bytes, separators: str, say: Say, room: Room) -> Graph:
    marks = b"#%\n"
    room.take(len(data) + ASIDE * lines_begun(data, marks))
    body, aside = set_aside(data, begins_with(marks))
    promise = _promise(aside)
    named = promise is not None and promise[2]
    separator = _separator(body, separators, room)
    separator = separator or _guessed_separator(body, separators, say)
    numbers = None if named else _numbers(body, separator, say, room)
    if numbers is None:
        room.check(_walk(body))
        is_table = promise is None and (separator != " " or "\t" in separators)
        graph = _from_text(data, separator, named, say, is_table=is_table)
    else:
        graph = _from_numbers(*numbers)
    if promise is None and graph.n == 0:
        raise FormatError("the file holds neither an edge nor a node")
    if promise is None and graph.m == 0:
        kind = "numbered" if graph.names is None else "named"
        say(
            f"no edge at all, only single nodes ({graph.n}): is the separator right? To say that "
            f"it is, begin with a line '# concolor: {graph.n} nodes, 0 edges, {kind}'"
        )
    if promise is not None and promise[:2] != (graph.n, graph.m):
        raise FormatError(
            f"promises {promise[0]} nodes and {promise[1]} edges, has {graph.n} and {graph.m}: "
            "truncated? If it was edited, delete the line '# concolor: ...'"
        )
    return graph


def _promise(comments: list[Line]) -> tuple[int, int, bool] | None:
    promise = rb"# concolor: (\d{1,18}) nodes, (\d{1,18}) edges, (numbered|named)"
    for _, line in comments:
        if match := re.fullmatch(promise, line):
            return int(match[1]), int(match[2]), match[3] == b"named"
    return None


def _walk(body: bytes) -> int:
    """Bytes of memory that a walk over the lines takes, about, with all words as text."""
    return WALKED * body.count(b"\n") + 2 * len(body)


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


def _numbers(
    body: bytes, separator: str, say: Say, room: Room = FREE
) -> tuple[IntArray, IntArray] | None:
    """Edges ``[m, 2]`` and single nodes ``[s]`` where all are plain whole numbers, else None."""
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
        return pairs, none
    room.check(MIXED * lines + len(body))
    if len(_first_line(blank).split()) == 3:
        starts, parts = token_starts(blank, 3), weighted_table(blank, 3)
        if parts is None or starts is None or not are_separated(body, mark, starts):
            return None
        say_if_weighted(parts[1], say)
        return parts[0], none
    tokens = ragged(blank)
    if tokens is None:
        return None
    values, starts, counts = tokens
    in_pair = np.repeat(counts == 2, counts)
    fits = counts.max(initial=0) <= 2 and are_separated(body, mark, starts[in_pair].reshape(-1, 2))
    return (values[in_pair].reshape(-1, 2), values[~in_pair]) if fits else None


def _first_line(body: bytes) -> bytes:
    return body[: body.find(b"\n")]


def _from_numbers(pairs: IntArray, singles: IntArray) -> Graph:
    tokens = np.concatenate([pairs.ravel(), singles])
    n = int(tokens.max(initial=-1)) + 1
    if n <= len(tokens):
        seen = np.zeros(n, bool)
        seen[tokens] = True
        if seen.all():
            return Graph.from_edges(n, pairs)
    ids, places = np.unique(tokens, return_inverse=True)
    edges = places[: pairs.size].reshape(-1, 2)
    return Graph.from_edges(len(ids), edges, names=list(map(str, ids.tolist())))


def _from_text(
    data: bytes, separator: str, named: bool, say: Say, *, is_table: bool = False
) -> Graph:
    rows = list(_rows(data, separator))
    if rows and _is_header(rows[0], rows[1:]):
        del rows[0]
    elif rows and is_table and _seems_header(rows[0], rows[1:]):
        u, v = rows.pop(0).cells
        say(
            f"the first line, {u!r} and {v!r}, is taken for a header, as no other line has one of "
            f"them; if it is an edge, write {f'source{separator}target'!r} above it"
        )
    weights = [checked_finite(weight, row.line) for row in rows for weight in row.cells[2:]]
    say_if_weighted(np.array(weights), say)
    tokens = [token for row in rows for token in row.cells[:2]]
    if not named and all(map(_WHOLE.fullmatch, tokens)):
        ends = [list(map(int, row.cells[:2])) for row in rows]
        pairs = np.array([pair for pair in ends if len(pair) == 2], np.int64).reshape(-1, 2)
        return _from_numbers(
            pairs, np.array([pair[0] for pair in ends if len(pair) == 1], np.int64)
        )
    if not named:
        _refuse_negative(rows)
    places = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    edges = [[places[end] for end in row.cells[:2]] for row in rows if len(row.cells) > 1]
    return Graph.from_edges(len(places), np.array(edges, np.int64), names=list(places))


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


def _refuse_negative(rows: list[_Row]) -> None:
    """Names may be anything, but among whole numbers a negative one is a mistake."""
    ends = [(row.line, end) for row in rows for end in row.cells[:2]]
    negative = [(line, end) for line, end in ends if re.fullmatch(r"-\d+", end, re.ASCII)]
    if negative and all(end.lstrip("-").isdecimal() for _, end in ends):
        line, end = negative[0]
        raise FormatError(
            f"node {end} is negative: nodes are whole numbers >= 0 or names", line=line
        )


def render_edges(graph: Graph) -> bytes:
    """The graph as an edge list; features are not written."""
    return _render(graph, "", " ")


def render_csv(graph: Graph) -> bytes:
    """The graph as CSV with a header; features are not written."""
    return _render(graph, "source,target\n", ",")


def _render(graph: Graph, header: str, separator: str) -> bytes:
    """All nodes first where they have names, to keep their order, else the isolated ones last."""
    kind = "numbered" if graph.names is None else "named"
    head = f"# concolor: {graph.n} nodes, {graph.m} edges, {kind}\n{header}"
    if graph.names is None:
        alone = np.flatnonzero(graph.degrees == 0).tolist()
        edges = f"%d{separator}%d\n" * graph.m % tuple(graph.edges.ravel().tolist())
        return (head + edges + "%d\n" * len(alone) % tuple(alone)).encode()
    plain = re.compile(r"""[^\s"',;#%-][^\s"',;]*""")  # safe without quotes in any of our files
    words = [name if plain.fullmatch(name) else _quoted(name) for name in graph.node_names]
    ends = (f"{words[u]}{separator}{words[v]}\n" for u, v in graph.edges.tolist())
    return (head + "".join(f"{word}\n" for word in words) + "".join(ends)).encode()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
