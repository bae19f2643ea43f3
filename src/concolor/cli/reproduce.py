"""``concolor reproduce``: the paper's tables, run where results are missing, beside its numbers."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from concolor.cli.common import (
    Json,
    Quiet,
    print_json,
    print_table,
    progress_bar,
    say,
    set_threads,
)
from concolor.cli.fleets import Cluster, WorkerCount, executor_of
from concolor.errors import InputError, pick

if TYPE_CHECKING:
    from concolor.experiments.store import Store


def reproduce(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="TABLE", help="Tables by name, or all.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=10, help="Seeds of every row.")] = 10,
    list_tables: Annotated[bool, typer.Option("--list", help="List the tables and exit.")] = False,
    results: Annotated[
        Path, typer.Option(help="Folder of the result files, read and added to.")
    ] = Path("results"),
    render: Annotated[
        Path | None, typer.Option(help="Write the page of all tables from the results there are.")
    ] = None,
    run: Annotated[bool, typer.Option(help="Run what is missing, or show what there is.")] = True,
    threads: Annotated[int, typer.Option(min=1, help="Threads of torch.")] = 1,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run the paper's tables and print ours beside the paper's, the null and classical methods.

    Results are lines of JSON; what is there is not run again. Models are trained and judged side by
    side on workers; a kill loses no more than those that are being trained.

    \b
    Examples:
      concolor reproduce --list
      concolor reproduce full-encoder-sweep --seeds 1
      concolor reproduce all --workers 2
      concolor reproduce small-per-graph --no-run
      concolor reproduce --render docs/results.md
    """
    from concolor.experiments.render import as_records, page, section
    from concolor.experiments.store import Store
    from concolor.experiments.tables import TABLES
    from concolor.files import write_atomically

    store = Store(results)
    known = dict.fromkeys([*TABLES, "limits"])
    names = list(known) if "all" in (tables or []) else tables or []
    for name in names:
        pick(known, name, "table")
    if list_tables:
        _list(store, as_json)
        return
    if not names and render is None:
        raise InputError("which table? Give names, or all; `concolor reproduce --list` has them")
    if names and run:
        set_threads(threads)
        with executor_of(workers, cluster, threads=threads) as executor:
            _run(store, names, seeds, executor, quiet)
    lines = store.lines()
    if render is not None:
        write_atomically(render, page(lines).encode())
        say(f"wrote {render}", quiet=quiet)
    if as_json:
        print_json([record for name in names for record in as_records(name, lines)])
    else:
        for name in names:
            print(section(name, lines), end="\n\n")


def _run(
    store: Store, names: list[str], seeds: int, executor: Executor | None, quiet: bool
) -> None:
    from concolor.experiments.runner import Standing, run
    from concolor.experiments.tables import cells

    with progress_bar("cells", quiet=quiet) as update:

        def show(state: Standing) -> None:
            left = "" if state.seconds_left is None else f"{state.seconds_left / 60:.0f} min left, "
            update(state.done, state.cells, left + state.work)

        run(cells(names, seeds=seeds), store, executor=executor, progress=show)


def _list(store: Store, as_json: bool) -> None:
    from concolor.experiments.runner import missing
    from concolor.experiments.tables import TABLES, cells

    lines = store.lines()
    found = []
    titles = {name: table.title for name, table in TABLES.items()}
    titles["limits"] = "The neural baselines with longer limits (ours)"
    for name, title in titles.items():
        asked = cells([name])
        done = len(asked) - len(missing(asked, lines))
        about = {"table": name, "title": title, "main": name in TABLES and TABLES[name].main}
        found.append(about | {"cells": len(asked), "done": done})
    if as_json:
        print_json(found)
    else:
        print_table(list(found[0]), [list(entry.values()) for entry in found])
