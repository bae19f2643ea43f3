"""The command line: one file a command; parses, calls, prints, exits."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Annotated

import typer

from concolor import __version__
from concolor.cli import (
    certify,
    color,
    convert,
    evaluate,
    frequencies,
    info,
    listing,
    matrix,
    pareto,
    recolor,
    reproduce,
    solve,
    train,
    tune,
)
from concolor.cli.plugins import load_plugins
from concolor.errors import (
    ConcolorError,
    InputError,
    heard,
    held,
    let_through,
    needing_torch,
)

app = typer.Typer(
    name="concolor",
    help="Graph coloring by contrastive learning: train once, color new graphs, see what you got.",
    epilog="Exit codes: 0 done, 1 goal not reached, 2 bad input or usage, 130 interrupted (143 by "
    "SIGTERM).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"concolor {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE.py|MODULE",
            envvar="CONCOLOR_PLUGINS",
            help="Import this first: it adds encoders, features, labels or decoders of yours.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it and exit.")
    ] = False,
) -> None:
    """What stands before a command."""
    if context.invoked_subcommand != "color":  # there Ctrl-C waits for a first coloring
        let_through()
    load_plugins(plugin or [])


app.command("color")(color.color)
app.command("train")(train.train)
app.command("tune")(tune.tune)
app.command("eval")(evaluate.evaluate)
app.command("solve")(solve.solve)
app.command("pareto")(pareto.pareto)
app.command("recolor")(recolor.recolor)
app.command("frequencies")(frequencies.frequencies)
app.command("matrix")(matrix.matrix)
app.command("certify")(certify.certify)
app.command("verify")(certify.verify)
app.command("reproduce")(reproduce.reproduce)
app.command("list")(listing.list_names)
app.command("info")(info.info)
app.command("convert")(convert.convert)


def main() -> None:
    """Run the command line; our own errors are one line and exit code 2."""
    with _listening() as ends, heard():
        try:
            if sys.stdout is None:  # as after `>&-`
                raise InputError("standard output is closed: give it a file, or /dev/null")
            code = _run()
            sys.stdout.flush()  # its errors are ours, not those of Python's exit
            if code == 130:
                _complain("interrupted")
                code = 128 + (ends[0] if ends else signal.SIGINT)
        except ConcolorError as error:
            _complain(error)
            code = 2
        except OSError as error:
            if error.filename is not None:  # not about our streams: a bug
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0  # the reader of our output went away, as `head` does
            if not isinstance(error, BrokenPipeError):
                _complain(f"output cannot be written ({error.strerror})")
                code = 2
    sys.exit(code)


@contextmanager
def _listening() -> Iterator[list[int]]:
    """Inside, Ctrl-C is a KeyboardInterrupt, also where a shell script has started us in the
    background, with Ctrl-C ignored; SIGTERM is a Ctrl-C, and noted in the list."""
    ends: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield ends
        return

    def end(number: int, frame: FrameType | None) -> None:
        ends.append(number)
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    usual = signal.signal(signal.SIGTERM, end)
    try:
        yield ends
    finally:
        signal.signal(signal.SIGTERM, usual)


def _run() -> int:
    """The exit code of the command. A broken pipe is raised: typer and rich exit with 1 on it."""
    try:
        with needing_torch(), held():
            app()
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        return int(end.code or 0)
    except Exception as error:
        if _is_cut(error):
            return 130
        raise
    return 0


def _is_cut(error: BaseException | None) -> bool:
    """Whether a Ctrl-C is behind an error: libraries that it cuts while they load raise others."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _complain(message: object) -> None:
    with suppress(BrokenPipeError):  # whoever is gone cannot be told
        print(f"concolor: {message}", file=sys.stderr)
