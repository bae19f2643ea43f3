"""What the benchmark scripts share: the peak memory of a process, and a report that is kept."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


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
