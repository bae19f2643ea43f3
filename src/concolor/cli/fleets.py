"""What the commands for several graphs share: where they run, and how results are printed."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from concolor.cli import plugins
from concolor.cli.common import (
    JsonStream,
    TableStream,
    graph_name,
    load_graph,
    progress_bar,
    say,
    set_threads,
)
from concolor.errors import (
    ConcolorError,
    InputError,
    Interrupted,
    held,
    in_one_line,
    let_through,
)
from concolor.fleet import Failed, Standing, Workers, dask_cluster, in_order
from concolor.graph.core import Graph

WorkerCount = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="So many processes side by side on this machine."),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Dask scheduler whose workers do it: tcp://127.0.0.1:8786."
    ),
]
Result = dict[str, Any]


@contextmanager
def executor_of(
    workers: int | None, cluster: str | None, *, threads: int | None = None
) -> Iterator[Executor | None]:
    """Where the work is done; None for here.

    Args:
        threads: Of torch in every worker, where it is needed in all of them.
    """
    if workers is not None and cluster is not None:
        raise InputError("give --workers for this machine or --cluster for others, not both")
    begin = partial(_begun, tuple(plugins.loaded), threads)
    if cluster is not None:
        with dask_cluster(cluster, begin) as executor:
            yield executor
    elif workers is not None:
        with Workers(workers, begin) as executor:
            yield executor
    else:
        yield None


def _begun(words: Sequence[str], threads: int | None) -> None:
    """The beginning of a worker: the user's own code, and the threads that were asked for."""
    plugins.load_plugins(words)
    set_threads(threads)


class Done(NamedTuple):
    """What a worker sends back of one graph.

    Attributes:
        result: What is printed; ``seconds["read"]`` is filled in where it is there.
        kept: What is written to files, by the one who asked.
        interrupted: Ctrl-C came: it is the best so far.
    """

    result: Result
    kept: Any = None
    interrupted: bool = False


class Printer:
    """Prints the results as they come, as a table or as JSON, and knows the exit code.

    Args:
        words: The graphs as they were asked for.
        row: A row of the table.
        alone: How one graph is printed, if it is not by a row.
        code: The exit code of a result, as if it were the only one.
        notes: Lines to the person about a result that is not printed as JSON.

    Attributes:
        whole: Graphs that were refused, or answered and not cut short by Ctrl-C.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        as_json: bool,
        quiet: bool,
        row: Callable[[Result], dict[str, object]],
        alone: Callable[[Result], None] | None = None,
        code: Callable[[Result], int] = lambda result: 0,
        notes: Callable[[Result], Iterator[str]] = lambda result: iter(()),
    ) -> None:
        self.words, self.quiet = words, quiet
        self.row, self.alone, self.notes, self.judge = row, alone, notes, code
        self.whole = 0
        self._codes = {0}
        self._json = JsonStream(as_list=len(words) > 1) if as_json else None
        self._table: TableStream | None = None

    @property
    def code(self) -> int:
        """The exit code."""
        return 130 if self.whole < len(self.words) else max(self._codes)

    def add(self, result: Result) -> None:
        """One more result."""
        self._codes.add(self.judge(result))
        if self._json is not None:
            self._json.add(result)
            return
        if self.alone is not None and len(self.words) == 1:
            self.alone(result)
        else:
            row = self.row(result)
            if self._table is None:
                self._table = TableStream(row, max(map(len, self.words)))
            self._table.add(row)
        for note in self.notes(result):
            say(note, quiet=self.quiet)

    def refuse(self, word: str, error: Exception) -> None:
        """A graph that failed, in its place; alone it ends the command."""
        if len(self.words) == 1:
            raise error
        self.whole += 1
        self._codes.add(2)
        text = str(error) if isinstance(error, ConcolorError) else in_one_line(error)
        if self._json is not None:
            self._json.add({"graph": word, "error": text})
        print(f"concolor: {text}", file=sys.stderr)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._json is not None and kind is None:
            self._json.end()


def run(
    call: Callable[..., Done],
    printer: Printer,
    *,
    executor: Executor | None,
    title: str,
    seed: int,
    weights: bool = False,
    tells: bool = False,
    holds: bool = False,
    keep: Callable[[int, Done], None] = lambda place, done: None,
) -> None:
    """Read the graphs, do the call for each, write and print what comes, in order.

    Args:
        call: Of a graph; it travels to the workers.
        tells: The call takes ``tell``, and tells it in words where it stands; not in workers.
        holds: Ctrl-C waits while a graph is read, and until the call lets it through.
        keep: Writes files of a result.
    """
    words, quiet, reads = printer.words, printer.quiet, dict[int, float]()
    if executor is not None:
        holds = False
        let_through()
    with progress_bar(title, quiet=quiet) as update, printer, suppress(KeyboardInterrupt):
        now = ""

        def tell(text: str) -> None:
            update(len(reads) - 1, len(words), f"{now}: {text}")

        def stand(standing: Standing) -> None:
            update(standing.done, len(words), f"{standing.sent - standing.done} on the way")

        def graphs() -> Iterator[Graph | Failed]:
            nonlocal now
            for place, now in enumerate(words):
                began = time.perf_counter()
                reads[place] = 0.0
                if executor is None:
                    tell("reading")
                with held() if holds else nullcontext():  # and while the call begins
                    try:
                        graph = load_graph(now, seed, quiet=quiet, weights=weights)
                    except ConcolorError as error:
                        yield Failed(now, error)
                        continue
                    reads[place] = time.perf_counter() - began
                    yield graph

        def take(place: int, found: Done | Failed) -> None:
            if isinstance(found, Failed):
                printer.refuse(words[place], found.error)
                return
            seconds = found.result["seconds"]
            if "read" in seconds:
                seconds["read"] = reads[place]
            try:
                keep(place, found)
            finally:  # Ctrl-C leaves out what follows about it
                printer.add(found.result)
            if found.interrupted:
                raise KeyboardInterrupt
            printer.whole += 1

        said = partial(call, tell=tell) if tells and executor is None else call
        try:
            for place, found in in_order(said, graphs(), executor, progress=stand):
                take(place, found)
        except Interrupted as stop:
            for place, found in stop.best:
                take(place, found)
            raise


def files(output: Path, words: Sequence[str], known: tuple[str, ...]) -> list[Path]:
    """Where each result goes: one file for one graph, a folder of files for several."""
    if output.suffix and not output.is_dir():
        if len(words) == 1 and output.suffix in known:
            return [output]
        kinds = " or ".join(known)
        expected = f"a {kinds} file" if len(words) == 1 else "a folder for several graphs"
        raise InputError(f"{output}: expected {expected}")
    stems = [re.sub(r"[^\w.-]+", "_", graph_name(word)) for word in words]
    often, taken = Counter(stems), set(stems)
    for place, stem in enumerate(stems):
        if often[stem] > 1:  # graphs of one name are told apart by their place
            numbered = (f"{stem}-{number}" for number in count(place))
            stems[place] = next(name for name in numbered if name not in taken)
            taken.add(stems[place])
    return [output / f"{stem}{known[0]}" for stem in stems]


def only_for_one(words: Sequence[str], **given: object) -> None:
    """Refuse what names nodes of one graph where there are several."""
    for name, value in given.items():
        if value is not None and len(words) > 1:
            raise InputError(f"--{name} is for one graph, got {len(words)}")
