"""Files that are whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

from concolor.errors import InputError


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write ``data`` so that whoever reads ``path`` sees the old file or the new, never a half."""
    path = Path(path).resolve()  # a link stays a link to the new content
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: cannot be written, it is no regular file")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
