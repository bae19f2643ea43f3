"""``concolor matrix``: groups of columns and rows of a sparse matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from concolor.cli.common import (
    Json,
    Quiet,
    Seed,
    finished,
    notice_compiling,
    print_json,
    print_table,
)


def matrix(
    file: Annotated[
        str, typer.Argument(metavar="MATRIX", help="MatrixMarket .mtx or .mtx.gz; - for stdin.")
    ],
    kind: Annotated[
        str, typer.Option(help="column, row, star, acyclic or bidirectional.")
    ] = "column",
    method: Annotated[
        str | None, typer.Option(help="bidirectional: direct (default) or substitution.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            help="Greedy in this order, no search: natural, largest-first, smallest-last or "
            "incidence-degree."
        ),
    ] = None,
    time_limit: Annotated[float, typer.Option(min=0, help="Seconds; then the best so far.")] = 1.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the colors: .json.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Color the columns or rows of MATRIX so that few products hold all its entries.

    For sparse Jacobians (column: forward mode or differences, row: reverse mode, bidirectional:
    both) and symmetric Hessians (star: direct recovery, acyclic: by substitution). Beside the
    number of products stand a proved lower bound and whether the two meet. Ctrl-C gives the best
    so far. In Python, cc.MatrixColoring.load reads what -o writes.

    \b
    Examples:
      concolor matrix jac.mtx --kind column --json
      concolor matrix hessian.mtx.gz --kind star --time-limit 10 -o colors.json
      concolor matrix jac.mtx --kind bidirectional --method substitution
    """
    from concolor.matrices import Pattern, color_matrix

    notice_compiling(quiet=quiet)
    pattern = Pattern.read(file)
    found, interrupted = finished(
        lambda: color_matrix(
            pattern, kind, method=method, order=order, time_limit=time_limit, seed=seed
        )
    )
    if output is not None:
        found.save(output)
    result: dict[str, Any] = {
        **found.to_dict(),
        "seconds": {"color": found.seconds},
        "seed": seed,
    }
    if as_json:
        print_json(result)
    else:
        hidden = ("column_colors", "row_colors", "seconds")
        print_table(["", ""], [item for item in result.items() if item[0] not in hidden])
    raise typer.Exit(130 if interrupted else 0)
