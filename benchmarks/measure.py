"""What the benchmark scripts share: the peak memory of a process, a report that is kept, and
cells that are kept, so that a script which is started again goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
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
