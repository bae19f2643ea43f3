"""Results on disk: one JSON line a cell, appended by one process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from concolor.errors import InputError
from concolor.experiments.cells import Cell, Compared, Learned, Studied

Line = Mapping[str, Any]


class Store:
    """The result files of a folder: ``<training data>.jsonl``, ``compared.jsonl``, and searches.

    A line is written at once. What a kill left of a line cannot be read as JSON;
    readers pass over it, and the next line begins after it.
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
        path = self._file(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        torn = path.exists() and path.stat().st_size and not _ends_a_line(path)
        with path.open("a", encoding="utf-8") as file:
            file.write(("\n" if torn else "") + text)

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


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"
