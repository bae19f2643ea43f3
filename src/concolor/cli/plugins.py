"""``concolor --plugin``: code of the user's own, imported before the command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb

from concolor.errors import InputError, in_one_line

loaded: list[str] = []  # in this process: its workers load them, too


def load_plugins(words: Sequence[str]) -> None:
    """Import every file (``mine.py``) or module (``mine``, ``mine.encoders``), in this order.

    What it puts into a registry, as in ``ENCODERS["mine"] = make``, is known from then on.
    """
    for word in words:
        path = Path(word)
        is_file = path.suffix == ".py" or path.name != word
        if is_file and (path.suffix != ".py" or not path.is_file()):
            raise InputError(f"--plugin {word}: no such file of Python code (*.py)")
        try:
            if is_file:
                _import_file(path)
            else:
                import_module(word)
        except (Exception, SystemExit) as error:
            where = _line(error, path)
            raise InputError(f"--plugin {word}: {where}{in_one_line(error)}") from error
        if word not in loaded:
            loaded.append(str(path.absolute()) if is_file else word)


def _import_file(path: Path) -> None:
    """Import a file under a name that hides no other module."""
    name = f"concolor_plugin_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # as for every *.py
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)


def _line(error: BaseException, path: Path) -> str:
    """``"line 3: "``: the last line of the file that ran. An error of syntax names its own."""
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == path.absolute()]
    return f"line {lines[-1]}: " if lines else ""
