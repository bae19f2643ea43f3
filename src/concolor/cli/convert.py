"""``concolor convert``: a graph in another format, or as a CSR folder for graphs of any size."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from concolor.cli.common import (
    Json,
    Quiet,
    Seed,
    doubts_told,
    print_json,
    print_table,
    progress_bar,
)
from concolor.errors import InputError

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def convert(
    source: Annotated[str, typer.Argument(help="File, or family: er:1000000x1e-5.")],
    target: Annotated[Path, typer.Argument(help="File of another format, or folder.csr.")],
    memory: Annotated[
        str, typer.Option(help="Budget of a streamed conversion: 500M, 2G.", metavar="SIZE")
    ] = "1G",
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the graph of SOURCE as TARGET, in the format that its name ends in.

    A folder that ends in .csr is read by every command without being loaded. To such a folder edge
    lists, tables, DIMACS, MatrixMarket and npz files and er:NxP are streamed: memory stays near the
    budget, however large they are. Other formats are read as a whole first.

    \b
    Examples:
      concolor convert big.edges.gz big.csr
      concolor convert er:10000000x0.000001 big.csr --memory 500M
      concolor convert queen:8x8 queen.mtx
    """
    from concolor.graph.formats import convert as run

    began = time.monotonic()
    with progress_bar("convert", quiet=quiet) as update, doubts_told(quiet=quiet):
        made = run(
            source,
            target,
            seed=seed,
            memory=_bytes(memory),
            progress=lambda what, done, total: update(done, total, what),
        )
    result: dict[str, Any] = {
        "graph": made.name,
        "n": made.n,
        "m": made.m,
        "loops_removed": made.loops,
        "duplicates_removed": made.duplicates,
        "named_nodes": made.names is not None,
        "mapped": made.folder is not None,
        "target": str(target),
        "seconds": {"convert": time.monotonic() - began},
    }
    if as_json:
        print_json(result)
    else:
        print_table(["", ""], [item for item in result.items() if item[0] != "seconds"])


def _bytes(text: str) -> int:
    """A size such as ``500M`` in bytes.

    >>> _bytes("2G"), _bytes("100000")
    (2147483648, 100000)
    """
    match = re.fullmatch(r"(\d{1,15})([KMG]?)(i?B)?", text, re.IGNORECASE)
    if match is None:
        raise InputError(f"--memory takes a size such as 500M or 2G, got {text!r}")
    return int(match[1]) * UNITS[match[2].upper()]
