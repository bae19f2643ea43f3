"""The budget of memory: what would need more is refused before it is taken.

A quarter of the machine's memory, unless ``max_memory`` or the environment variable
``CONCOLOR_MAX_MEMORY`` says otherwise: bytes, or a number with K, M, G or T (of 1024 each). The
machine's memory is what a limit of the process or of its container leaves of it.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from concolor.errors import InputError, OverBudget

VARIABLE = "CONCOLOR_MAX_MEMORY"
SHARE = 0.25  # of the machine's memory: others use it too, and predictions are rough
UNITS = "KMGT"

Memory: TypeAlias = int | str  # bytes, or as in "4G"


def budget(max_memory: Memory | None = None) -> int:
    """Bytes that one call may take: as given, as the environment says, or a share of all.

    >>> budget("1.5K"), budget(2**20)
    (1536, 1048576)
    """
    given = os.environ.get(VARIABLE) if max_memory is None else max_memory
    if given is None or given == "":
        return int(SHARE * _of_the_machine())
    match = re.fullmatch(rf"(\d+\.?\d*)([{UNITS}]?)(i?B)?", str(given).strip(), re.IGNORECASE)
    if match is None or isinstance(given, bool):
        where = VARIABLE if max_memory is None else "max_memory"
        raise InputError(f"{where} is a number of bytes such as 500M or 4G, got {given!r}")
    power = 1 + UNITS.index(match[2].upper()) if match[2] else 0
    return int(float(match[1]) * 1024**power)


def _of_the_machine() -> int:
    """Bytes of memory, or fewer where the process or its container may not have all."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with suppress(OSError, ValueError):  # not Linux, not in a container, or "max"
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    with suppress(ImportError):  # Windows
        import resource

        limits.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    return min(limit for limit in limits if limit > 0)


class Room:
    """What is left of a budget while something grows.

    Args:
        what: What is made, for the message.
        way_out: What would need less.
        most: Bytes, see :func:`budget`.
    """

    def __init__(self, what: str, way_out: str, most: int | None = None) -> None:
        self.what, self.way_out = what, way_out
        self.most = budget() if most is None else most
        self.taken = 0.0

    def take(self, size: float) -> None:
        """So many bytes more; refused where all together are above the budget."""
        self.check(size)
        self.taken += size

    def check(self, size: float) -> None:
        """Refuse what would need so many bytes more for a while."""
        if self.taken + size > self.most:
            raise OverBudget(
                f"{self.what} needs about {shown(self.taken + size)} of memory or more, the budget "
                f"is {shown(self.most)}: {self.way_out}, or raise {VARIABLE}"
            )


def shown(size: float) -> str:
    """Bytes for a reader.

    >>> shown(3 * 2**29), shown(2000)
    ('1.5 GiB', '2.0 KiB')
    """
    unit = "B"
    for larger in UNITS:
        if size < 1024:
            break
        size, unit = size / 1024, f"{larger}iB"
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
