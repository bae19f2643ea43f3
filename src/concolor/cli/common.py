"""What the commands share: options, graph arguments, tables, progress."""

from __future__ import annotations

import json
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from concolor.errors import Doubt, FormatError, InputError, Interrupted, UnknownName
from concolor.files import read_json
from concolor.goal import Solution
from concolor.graph.core import Graph

T = TypeVar("T")
LINE_SECONDS = 10.0  # between two lines of progress in a log

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no messages.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything that is drawn.")]
Colors = Annotated[
    int | None, typer.Option("-k", min=1, help="At most K colors, fewest conflicts.")
]
MaxMono = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Fewest colors with at most this fraction of conflicts."),
]
_WORDS = "- (or FORMAT:-) for standard input"
TRANSFORM = re.compile(r"(line|power[1-9]\d*):(.+)")
OneGraph = Annotated[
    str, typer.Argument(help=f"File, {_WORDS}, or family: queen:8x8; line: or power2: before it.")
]
Graphs = Annotated[
    list[str],
    typer.Argument(
        metavar="GRAPH", help=f"Files, {_WORDS}, or families: queen:8x8; line: or power2: before."
    ),
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads of torch; 1 makes runs equal bit for bit.")
]
_NODE = "JSON object: node, named or numbered as in its file, to"
PresetFile = Annotated[Path | None, typer.Option(help=f"{_NODE} the color it must have.")]
ForbiddenFile = Annotated[
    Path | None,
    typer.Option("--forbidden", "--forbid", help=f"{_NODE} colors it must not have."),
]
MaxClass = Annotated[int | None, typer.Option(min=1, help="At most so many nodes of each color.")]
Balanced = Annotated[
    bool, typer.Option("--balanced", help="Classes as equal as can be, k of them with -k.")
]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes here that share the graph.")]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers share it."),
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")]


def load_graph(text: str, seed: int = 0, *, quiet: bool = False) -> Graph:
    """The graph that a word stands for: a file, ``-`` or ``FORMAT:-``, a family, or ``line:`` or
    ``power2:`` before one of them."""
    with doubts_told(quiet=quiet):
        return _graph(text, seed)


def _graph(text: str, seed: int) -> Graph:
    from concolor.graph.families import FAMILIES, family
    from concolor.graph.formats import read
    from concolor.graph.transform import transformed

    if (asked := TRANSFORM.fullmatch(text)) and not Path(text).exists():
        word, rest = asked.groups()
        graph = _graph(rest, seed)
        named = graph if graph.names is not None else graph.but(names=graph.node_names)
        return transformed(word, named)
    if text.endswith(":-"):
        return read("-", format=text[:-2])
    if text == "-" or Path(text).exists():
        return read(text)
    if text.partition(":")[0] in FAMILIES:
        return family(text, seed=seed)
    try:
        return family(text, seed=seed) if "." not in text and "/" not in text else read(text)
    except UnknownName as error:
        raise InputError(f"{text!r} is not a file, and {error}") from error


@contextmanager
def doubts_told(*, quiet: bool) -> Iterator[None]:
    """Each :class:`~concolor.errors.Doubt` inside is one line on standard error."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, Doubt):
            say(f"concolor: warning: {message}", quiet=quiet)
        else:
            usual(message, category, *place, **more)

    with warnings.catch_warnings():  # takes both back
        warnings.simplefilter("always", Doubt)
        warnings.showwarning = show
        yield


def graph_name(text: str) -> str:
    """The name that :func:`load_graph` gives the graph of a word, without reading it."""
    from concolor.graph.families import FAMILIES

    if (asked := TRANSFORM.fullmatch(text)) and not Path(text).exists():
        word, rest = asked.groups()
        return f"{word}:{graph_name(rest)}"
    if text == "-" or text.endswith(":-"):
        return "stdin"
    is_family = text.partition(":")[0] in FAMILIES or ("." not in text and "/" not in text)
    if is_family and not Path(text).exists():
        return text
    return Path(re.sub(r"(?i)\.gz$", "", Path(text).name)).stem


def notice_compiling(*, quiet: bool) -> None:
    """Say so when loops are compiled, which takes some seconds, once on a machine."""
    from concolor.compiled import when_compiling

    when_compiling(lambda: say("compiling, once on this machine: some seconds", quiet=quiet))


def by_node(graph: Graph, path: Path, kind: type) -> dict[int, Any]:
    """A JSON object keyed by node names, keyed by node numbers."""
    found = read_json(path, dict)
    for name, value in found.items():
        if not isinstance(value, kind) or isinstance(value, bool):
            raise FormatError(f"node {name!r}: cannot use {json.dumps(value)}", path)
    try:
        return {graph.node(name): value for name, value in found.items()}
    except InputError as problem:
        raise FormatError(str(problem), path) from None


def set_threads(threads: int | None) -> None:
    """Limit torch to so many threads."""
    if threads is not None:
        import torch

        torch.set_num_threads(threads)


def judged(found: Solution, greedy: int | None) -> dict[str, Any]:
    """What is printed of a solution beside its coloring.

    ``rho`` is k over the colors of DSATUR, ``greedy``; ``lower <= optimum <= upper`` of what is
    minimized, which is named as it is printed.
    """
    return {
        "hit": found.hit,
        "rho": None if greedy is None else found.coloring.k / max(greedy, 1),
        "dsatur": greedy,
        "minimized": "k" if found.goal.k is None else "conflicts",
        "lower": found.lower,
        "upper": found.upper,
        "proved": found.is_proved,
    }


def class_sizes(found: Solution) -> dict[str, Any]:
    """The nodes of each color, where something was asked of them."""
    if not found.goal.has_sizes:
        return {}
    return {"class_sizes": [len(nodes) for nodes in found.coloring.classes]}


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    sys.stdout.write(json.dumps(value) + "\n")  # in one piece: many times faster than json.dump


class JsonStream:
    """One JSON object, or a list of them that grows as they come, on standard output."""

    def __init__(self, *, as_list: bool) -> None:
        self.as_list, self.count = as_list, 0

    def add(self, value: Any) -> None:
        """Print one more."""
        if self.as_list:
            sys.stdout.write("[\n" if self.count == 0 else ",\n")
        self.count += 1
        sys.stdout.write(json.dumps(value) + ("" if self.as_list else "\n"))
        sys.stdout.flush()

    def end(self) -> None:
        """Close the list, if one was begun."""
        if self.as_list and self.count:
            sys.stdout.write("\n]\n")


class TableStream:
    """A table on standard output that is printed row by row, its columns as wide as their heads.

    Args:
        row: The first row, by the heads.
        wide: Characters of the first column.
    """

    def __init__(self, row: Mapping[str, object], wide: int) -> None:
        self.widths = {head: max(len(head), 6) for head in row}
        first = next(iter(row))
        self.widths[first] = max(len(first), wide)
        print(self._line({head: head for head in row}))

    def add(self, row: Mapping[str, object]) -> None:
        """Print one more row; a head that the first row did not have is left out."""
        print(self._line(row), flush=True)

    def _line(self, row: Mapping[str, object]) -> str:
        first, *others = self.widths
        cells = [_shown(row.get(first)).ljust(self.widths[first])]
        cells += [_shown(row.get(head)).rjust(self.widths[head]) for head in others]
        return "  ".join(cells)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A plain table on standard output; numbers to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        numeric = all(_is_number(row[place]) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_shown(cell) for cell in row))
    wide = None if sys.stdout.isatty() else 160
    Console(width=wide).print(table)


def _is_number(cell: object) -> bool:
    return cell is None or isinstance(cell, (int, float))


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def say(message: str, *, quiet: bool) -> None:
    """A line to the person, on standard error."""
    if not quiet:
        print(message, file=sys.stderr)


def finished(call: Callable[[], T]) -> tuple[T, bool]:
    """What a call returns, or the best it had when Ctrl-C came; and whether that came."""
    try:
        return call(), False
    except Interrupted as stop:
        return stop.best, True


@contextmanager
def progress_bar(title: str, *, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Yields ``update(done, total, note)``: a bar on a terminal, a line now and then elsewhere."""
    if quiet:
        yield lambda done, total, note: None
        return
    if not sys.stderr.isatty():
        yield _lines(title)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeRemainingColumn(),
    )
    both = sys.stdout.isatty()  # then rows of a table are printed above the bar
    shown = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=both)
    with shown as bar:
        task = bar.add_task(title, total=None, note="")
        yield lambda done, total, note: bar.update(task, completed=done, total=total, note=note)


def _lines(title: str) -> Callable[[int, int, str], None]:
    said = time.monotonic() - LINE_SECONDS + 2  # short work stays silent

    def update(done: int, total: int, note: str) -> None:
        nonlocal said
        if time.monotonic() - said >= LINE_SECONDS:
            print(f"{title} {done}/{total} {note}", file=sys.stderr, flush=True)
            said = time.monotonic()

    return update
