"""The command line: one file a command; parses, calls, prints, exits."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from concolor import __version__
from concolor.cli import certify, color, evaluate, info, listing, pareto, reproduce, solve, train
from concolor.errors import ConcolorError

app = typer.Typer(
    name="concolor",
    help="Graph coloring by contrastive learning: train once, color new graphs, see what you got.",
    epilog="Exit codes: 0 done, 1 goal not reached, 2 bad input or usage, 130 interrupted.",
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
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it and exit.")
    ] = False,
) -> None:
    """What stands before a command."""


app.command("color")(color.color)
app.command("train")(train.train)
app.command("eval")(evaluate.evaluate)
app.command("solve")(solve.solve)
app.command("pareto")(pareto.pareto)
app.command("certify")(certify.certify)
app.command("verify")(certify.verify)
app.command("reproduce")(reproduce.reproduce)
app.command("list")(listing.list_names)
app.command("info")(info.info)


def main() -> None:
    """Run the command line; our own errors are one line and exit code 2."""
    try:
        app()
    except ConcolorError as error:
        print(f"concolor: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("concolor: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
