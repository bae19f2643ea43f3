"""Results on disk: one JSON line a cell, appended whole, by as many processes as there are."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from concolor.errors import InputError
from concolor.experiments.cells import Cell, Compared, Learned, Studied

Line = Mapping[str, Any]


class Store:
    """The result files of a folder: ``<training data>.jsonl``, ``compared.jsonl``, and searches.

    A line is written at once, by one process at a time. What a kill left of a line cannot be read
    as JSON; readers pass over it, and the next line begins after it. A line for which there is no
    room on the disk leaves the file as it was.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{folder} is a file; results are kept in a folder")

    def lines(self) -> dict[str, Line]:
        """Everything that was measured, by the key of its cell; the last line of a key counts."""
        found: dict[str, Line] = {}
        for path in sorted(self.folder.glob("*.jsonl")):
            found |= {line["key"]: line for line in _parsed(path)}
        return found

    def add(self, cell: Cell, figures: Line) -> None:
        """Append the line of a cell."""
        line = {"key": cell.key, **cell.about, **figures}
        text = json.dumps(line, separators=(",", ":")) + "\n"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _append(self._file(cell), text.encode())
        except OSError as error:
            where, why = self._file(cell), error.strerror or error
            raise InputError(f"{where}: cannot be written ({why})") from error

    def _file(self, cell: Cell) -> Path:
        names = {Compared: "compared", Studied: "studies"}
        name = cell.train if isinstance(cell, Learned) else names[type(cell)]
        return self.folder / f"{name}.jsonl"


def is_current(cell: Cell, line: Line) -> bool:
    """Whether the line was made with the recipe that the cell now has.

    A recipe that the line knows nothing of (a field of a later version) makes no difference.
    """
    if isinstance(cell, Compared):
        return True
    now = cell.about["recipe"]
    return all(now.get(name) == value for name, value in line["recipe"].items())


def _parsed(path: Path) -> Iterator[Line]:
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue  # torn by a kill
        if isinstance(line, dict) and "key" in line:
            yield line


def _append(path: Path, text: bytes) -> None:
    """Add a line to a file, all of it or nothing, while nobody else does."""
    with path.open("ab+", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed, or its process dies
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 1, 0))
        torn = file.read(1) not in (b"", b"\n")
        left = b"\n" * torn + text
        try:
            while left:
                left = left[file.write(left) :]
        except BaseException:
            file.truncate(size)
            raise
