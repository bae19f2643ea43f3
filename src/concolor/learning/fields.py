"""What a field of a recipe may hold: its type hint as a check, in words, and to read text by."""

from __future__ import annotations

from types import UnionType
from typing import Any, get_args, get_origin

from concolor.errors import InputError


def fits(value: object, hint: Any) -> bool:
    """Whether the value is of the type; a whole number is a number, a truth value is neither.

    >>> fits(3, float | None), fits(True, int), fits("3", int)
    (True, False, False)
    """
    kinds = _kinds(hint)
    if isinstance(value, bool):
        return bool in kinds
    return isinstance(value, kinds) or (float in kinds and isinstance(value, int))


def in_words(hint: Any) -> str:
    """The type as an error message says it.

    >>> in_words(float | None)
    'a number or none'
    """
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    return " or ".join(words.get(kind, "none") for kind in _kinds(hint))


def parse(name: str, text: str, hint: Any) -> Any:
    """The value that the command line means by a text.

    >>> parse("lr", "0.1", float | None), parse("lr", "none", float | None)
    (0.1, None)
    """
    kinds = _kinds(hint)
    if type(None) in kinds and text.lower() == "none":
        return None
    if bool in kinds and text.lower() in ("true", "false", "1", "0"):
        return text.lower() in ("true", "1")
    for kind in (int, float, str):
        if kind in kinds:
            try:
                return kind(text)
            except ValueError:
                continue
    raise InputError(f"{name} must be {in_words(hint)}, got {text!r}")


def _kinds(hint: Any) -> tuple[type, ...]:
    return get_args(hint) if get_origin(hint) is UnionType else (hint,)
