"""The runner: what is asked and not yet there, here or on any number of workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from concolor.errors import Interrupted
from concolor.experiments.cells import TIMED, Cell, Compared, Learned, Studied
from concolor.experiments.store import Line, Store, is_current
from concolor.fleet import Failed, whoever_is_first


@dataclass(frozen=True)
class Standing:
    """Where a run stands: cells done of cells asked, and seconds left at the present pace."""

    done: int
    cells: int
    seconds_left: float | None
    work: str


def missing(cells: Iterable[Cell], lines: dict[str, Line]) -> list[Cell]:
    """The cells without a line of their present recipe, each once."""
    unique = {cell.key: cell for cell in cells}
    return [
        cell for key, cell in unique.items() if key not in lines or not is_current(cell, lines[key])
    ]


def outdated(cells: Iterable[Cell], lines: dict[str, Line], commit: str | None) -> list[Cell]:
    """The cells whose line another commit measured, or one that does not say, each once.

    Not those that a clock ends: their figures are of a machine more than of the code.
    """
    unique = {cell.key: cell for cell in cells if cell.about["method"] not in TIMED}
    there = {key: cell for key, cell in unique.items() if key in lines}
    return [
        cell
        for key, cell in there.items()
        if is_current(cell, lines[key]) and lines[key].get("commit") != commit
    ]


def jobs(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Cells that share a training together, in the order of their first."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.training, []).append(cell)
    return list(groups.values())


def run(
    cells: Sequence[Cell],
    store: Store,
    *,
    anew: bool = False,
    device: str = "cpu",
    models: Path | None = None,
    executor: Executor | None = None,
    progress: Callable[[Standing], None] | None = None,
) -> None:
    """Measure the missing cells, and keep the figures of each job as soon as it is done.

    Args:
        cells: What is asked.
        store: What is there, and where new figures go; only this process writes.
        anew: Measure those of another commit, too; the last line of a cell counts, so each is
            replaced when the new one is there, and a run that was stopped goes on.
        device: Where models are trained and asked.
        models: Folder that keeps the models which are trained; workers must see it.
        executor: Where jobs are measured, side by side; see :func:`concolor.many`.
        progress: Called before the first job and after every other.

    A job that fails does not end the others; its error is raised after them. Ctrl-C leaves no line
    of a job that it cuts: half a training or half a search is no result.
    """
    asked = len({cell.key for cell in cells})
    lines = store.lines()
    todo = missing(cells, lines)
    if anew:
        from concolor.experiments.measure import commit

        todo += outdated(cells, lines, commit())
    work = dict(enumerate(jobs(todo)))
    started, left, failed = time.monotonic(), len(todo), list[Failed]()

    def tell() -> None:
        if progress is not None and work:
            done = len(todo) - left
            estimate = (time.monotonic() - started) / done * left if done else None
            progress(Standing(asked - left, asked, estimate, next(iter(work.values()))[0].training))

    def keep(place: int, found: list[tuple[Cell, Line]] | Failed) -> None:
        nonlocal left
        left -= len(work.pop(place))
        if isinstance(found, Failed):
            failed.append(found)
            return
        for cell, figures in found:
            store.add(cell, figures)

    tell()
    try:
        measure = partial(_measured, device=device, models=models)
        for place, found in whoever_is_first(measure, list(work.values()), executor):
            keep(place, found)
            tell()
    except Interrupted as stop:
        for place, found in stop.best if executor is not None else ():
            keep(place, found)
        raise
    if failed:
        raise failed[0].error


def _measured(job: Sequence[Cell], *, device: str, models: Path | None) -> list[tuple[Cell, Line]]:
    return list(measured(job, device=device, models=models))


def measured(
    job: Sequence[Cell], *, device: str = "cpu", models: Path | None = None
) -> Iterator[tuple[Cell, Line]]:
    """The figures of cells that share a training, suite after suite."""
    from concolor.experiments.measure import compare, decode, train

    for cell in job:
        if isinstance(cell, Compared):
            yield cell, compare(cell)
        if isinstance(cell, Studied):
            from concolor.experiments.studies import study

            yield cell, study(cell, device=device)
    learned = [cell for cell in job if isinstance(cell, Learned)]
    if not learned:
        return
    colorer = train(learned[0], device=device)
    if models is not None:
        models.mkdir(parents=True, exist_ok=True)
        colorer.save(models / learned[0].model_name)
    for suite in dict.fromkeys(cell.suite for cell in learned):
        here = [cell for cell in learned if cell.suite == suite]
        yield from zip(here, decode(here, colorer), strict=True)
