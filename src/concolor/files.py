"""Files: read as text or JSON, and written so that they are whole or not there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from concolor.errors import FormatError, InputError


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read ({error})", path) from error


def read_json(path: str | Path, kind: type | tuple[type, ...]) -> Any:
    """The JSON value of a file, if it is of that kind."""
    text = read_text(path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"cannot be read as JSON ({error})", path) from error
    if not isinstance(value, kind):
        raise FormatError(f"unexpected JSON {type(value).__name__}", path)
    return value


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write ``data`` so that whoever reads ``path`` sees the old file or the new, never a half."""
    path = Path(path).resolve()  # a link stays a link to the new content
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: cannot be written, it is not a regular file")
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
