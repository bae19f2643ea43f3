"""The runner: what is asked and not yet there, shared among any number of processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from concolor.experiments.cells import Cell, Compared, Learned
from concolor.experiments.store import Line, Store, is_current


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
    progress: Callable[[Standing], None] | None = None,
) -> None:
    """Measure the missing cells.

    Every process may run the same cells: a job is claimed before it begins, and looked up once more
    under the claim. What another process is at is left to it.

    Args:
        cells: What is asked.
        store: What is there, and where new figures go.
        progress: Called before every job.

    Ctrl-C leaves no line of the job that it cuts: half a training or half a search is no result.
    """
    asked = len({cell.key for cell in cells})
    todo = missing(cells, store.lines())
    started, first = time.monotonic(), len(todo)
    for job in jobs(todo):
        with store.claim(job[0].training) as ours:
            if not ours:
                continue
            lines = store.lines()
            job = missing(job, lines)
            if not job:
                continue
            if progress is not None:
                left = len(missing(todo, lines))
                pace = (time.monotonic() - started) / max(first - left, 1)
                estimate = pace * left if left < first else None
                progress(Standing(asked - left, asked, estimate, job[0].training))
            for cell, figures in measured(job):
                store.add(cell, figures)


def measured(job: Sequence[Cell]) -> Iterator[tuple[Cell, Line]]:
    """The figures of cells that share a training, suite after suite."""
    from concolor.experiments.measure import compare, decode, train

    for cell in job:
        if isinstance(cell, Compared):
            yield cell, compare(cell)
    learned = [cell for cell in job if isinstance(cell, Learned)]
    if not learned:
        return
    colorer = train(learned[0])
    for suite in dict.fromkeys(cell.suite for cell in learned):
        here = [cell for cell in learned if cell.suite == suite]
        yield from zip(here, decode(here, colorer), strict=True)
