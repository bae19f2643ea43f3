"""``concolor reproduce``: the paper's tables, run where results are missing, beside its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from concolor.cli.common import (
    Device,
    Json,
    Quiet,
    print_json,
    print_table,
    progress_bar,
    say,
    set_threads,
)
from concolor.cli.fleets import Cluster, WorkerCount, executor_of
from concolor.cli.training import check_picture
from concolor.errors import InputError, pick

if TYPE_CHECKING:
    from concolor.experiments.comparison import Lines
    from concolor.experiments.repeat import Repeated
    from concolor.experiments.runner import Standing
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
    claims: Annotated[
        Path | None, typer.Option(help="Write the page of the paper's claims from the results.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the tables as CSV, cell by cell.")] = None,
    latex: Annotated[Path | None, typer.Option(help="Write the tables as LaTeX.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw one table beside the paper's: .svg or .png.")
    ] = None,
    check: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Measure N cheap cells again and compare."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Which cells --check draws.")] = 0,
    run: Annotated[bool, typer.Option(help="Run what is missing, or show what there is.")] = True,
    anew: Annotated[
        bool,
        typer.Option("--anew", help="Run again what another commit measured, clocks aside."),
    ] = False,
    keep_models: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the models that are trained there.")
    ] = None,
    device: Device = "cpu",
    threads: Annotated[int, typer.Option(min=1, help="Threads of torch.")] = 1,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run the paper's tables and print ours beside the paper's, the null and classical methods.

    Results are lines of JSON; what is there is not run again, but by --anew, where the code is of
    another commit: a new line takes the place of the old one when it is measured. Models are
    trained and judged side by side on workers; a kill loses no more than those that are being
    trained. --keep-models keeps those that are trained now; for all of a table give an empty folder
    of --results, too. --check says whether results repeat: exit code 1 where a cell gives other
    figures now.

    \b
    Examples:
      concolor reproduce --list
      concolor reproduce full-encoder-sweep --seeds 1
      concolor reproduce all --workers 2
      concolor reproduce small-per-graph --no-run
      concolor reproduce color-best-by-family --anew
      concolor reproduce v2-tuning --seeds 1 --results mine --keep-models mine/models
      concolor reproduce full-encoder-sweep --no-run --latex t.tex --csv t.csv --plot t.svg
      concolor reproduce --check 5
      concolor reproduce --render docs/results.md --claims docs/claims.md
    """
    from concolor.experiments.render import as_records, page, section
    from concolor.experiments.store import Store
    from concolor.experiments.tables import OURS, TABLES
    from concolor.files import write_atomically

    if plot is not None:
        check_picture(plot, "a table")
    store = Store(results)
    known = dict.fromkeys([*TABLES, *OURS])
    names = list(known) if "all" in (tables or []) else tables or []
    for name in names:
        pick(known, name, "table")
    if list_tables:
        _list(store, as_json)
        return
    if check is not None:
        _check(store, names or list(TABLES), check, seed, threads, as_json=as_json, quiet=quiet)
        return
    if not names and render is None and claims is None:
        raise InputError("which table? Give names, or all; `concolor reproduce --list` has them")
    if plot is not None and (len(names) != 1 or names[0] not in TABLES):
        raise InputError("--plot draws one table of the paper: name one")
    if names and run:
        from concolor.experiments.runner import run as run_cells

        set_threads(threads)
        with executor_of(workers, cluster, threads=threads) as executor:
            _run(
                store,
                names,
                seeds,
                partial(run_cells, anew=anew, device=device, models=keep_models, executor=executor),
                quiet,
            )
    lines = store.lines()
    if render is not None:
        write_atomically(render, page(lines).encode())
        say(f"wrote {render}", quiet=quiet)
    if claims is not None:
        from concolor.experiments.claims import claims_page

        write_atomically(claims, claims_page(lines).encode())
        say(f"wrote {claims}", quiet=quiet)
    if csv is not None or latex is not None:
        _export(names, lines, csv, latex, quiet)
    if plot is not None:
        from concolor.experiments.export import as_plot

        as_plot(names[0], lines).save(plot)
        say(f"wrote {plot}", quiet=quiet)
    if as_json:
        print_json([record for name in names for record in as_records(name, lines)])
    else:
        for name in names:
            print(section(name, lines), end="\n\n")


def _export(
    names: list[str], lines: Lines, csv: Path | None, latex: Path | None, quiet: bool
) -> None:
    from concolor.experiments.export import as_csv, as_latex
    from concolor.experiments.render import as_records
    from concolor.experiments.tables import TABLES
    from concolor.files import write_atomically

    printed = [name for name in names if name in TABLES]  # ours are of another shape
    if not printed:
        raise InputError("--csv and --latex need a table of the paper: name one")
    if csv is not None:
        records = [record for name in printed for record in as_records(name, lines)]
        write_atomically(csv, as_csv(records).encode())
    if latex is not None:
        write_atomically(latex, as_latex(printed, lines).encode())
    say(f"wrote {', '.join(str(path) for path in (csv, latex) if path)}", quiet=quiet)


def _run(store: Store, names: list[str], seeds: int, run: Callable[..., None], quiet: bool) -> None:
    from concolor.experiments.tables import cells

    with progress_bar("cells", quiet=quiet) as update:

        def show(state: Standing) -> None:
            left = "" if state.seconds_left is None else f"{state.seconds_left / 60:.0f} min left, "
            update(state.done, state.cells, left + state.work)

        asked = cells(names, seeds=seeds, lines=store.lines())
        run(asked, store, progress=show)


def _check(
    store: Store,
    names: list[str],
    count: int,
    seed: int,
    threads: int,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    from concolor.experiments.repeat import repeated, sample
    from concolor.experiments.tables import cells

    set_threads(threads)
    lines = store.lines()
    drawn = sample(cells(names), lines, count, seed=seed)
    if not drawn:
        raise InputError(f"{store.folder} has no cheap cell of {', '.join(names)} to measure again")
    found: list[Repeated] = []
    with progress_bar("cells", quiet=quiet) as update:
        for place, cell in enumerate(drawn):
            update(place, len(drawn), cell.key)
            found.extend(repeated([cell], lines))
    if as_json:
        print_json([{**asdict(one), "same": one.is_same} for one in found])
    else:
        heads = ["same", "graphs that differ", "k before", "k now", "commit", "cell"]
        rows = [
            [
                "yes" if one.is_same else "no",
                f"{one.apart} of {one.graphs}",
                one.before.get("k"),
                one.now.get("k"),
                one.commit or "-",
                one.key,
            ]
            for one in found
        ]
        print_table(heads, rows)
    raise typer.Exit(0 if all(one.is_same for one in found) else 1)


def _list(store: Store, as_json: bool) -> None:
    from concolor.experiments.runner import missing
    from concolor.experiments.tables import OURS, TABLES, cells

    lines = store.lines()
    found = []
    titles = {name: table.title for name, table in TABLES.items()}
    for name, title in (titles | OURS).items():
        asked = cells([name], lines=lines)
        done = len(asked) - len(missing(asked, lines))
        about = {"table": name, "title": title, "main": name in TABLES and TABLES[name].main}
        found.append(about | {"cells": len(asked), "done": done})
    if as_json:
        print_json(found)
    else:
        print_table(list(found[0]), [list(entry.values()) for entry in found])
