"""What the benchmark scripts share: a process and what it took, a report that is kept, and cells
that are kept, so that a script which is started again goes on where it was."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any


def peak_memory() -> float:
    """Peak resident GiB of this process alone; ``ru_maxrss`` would carry over the parent's."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**20


def keep(lines: Iterable[str], file: Path) -> None:
    """Print the lines as they come, and write them to a file at the end."""
    kept = []
    for line in lines:
        print(line, flush=True)
        kept.append(line)
    file.write_text("\n".join(kept) + "\n")


@dataclass(frozen=True)
class Cells:
    """What was measured, a line of JSON a cell. Delete a line to have it measured anew."""

    file: Path

    def like(self, **values: object) -> list[dict[str, Any]]:
        """The cells that have these values, in the order in which they were measured."""
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return [cell for cell in map(json.loads, lines) if values.items() <= cell.items()]

    def record(self, **cell: object) -> None:
        line = json.dumps(cell)
        print(line, flush=True)
        with self.file.open("a") as file:
            file.write(line + "\n")


@dataclass(frozen=True)
class Ended:
    """A process that is over.

    Attributes:
        wall: Seconds on the wall.
        cpu: Seconds of its threads together, those of the system for it included.
        peak: Resident GiB at most; of a parent with more it would be the parent's.
        code: Its exit code, None where it was ended by us.
        output, errors: What it wrote.
    """

    wall: float
    cpu: float
    peak: float
    code: int | None
    output: str
    errors: str


def ended(words: Sequence[str], *, after: float | None = None, most: float | None = None) -> Ended:
    """Run Python with these words to its end.

    Args:
        after: Seconds on the wall after which it is ended by us.
        most: GiB of address space that it gets, so that no attack can harm the machine.
    """

    def limited() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_AS, (int(most * 2**30),) * 2)

    with TemporaryFile("w+") as output, TemporaryFile("w+") as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *words], stdout=output, stderr=errors, preexec_fn=limited
        )
        by_us = threading.Event()

        def end() -> None:
            by_us.set()
            process.kill()

        timer = threading.Timer(after or 3600.0, end)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in (output, errors):
            file.seek(0)
        return Ended(
            wall,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 2**20,
            None if by_us.is_set() else process.returncode,
            output.read(),
            errors.read(),
        )
