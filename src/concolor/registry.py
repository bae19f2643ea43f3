"""What every registry shares: a choice is a name in a dict, or something of the user's own.

An entry may name its function as ``"module:function"``; the module is imported when the function is
needed, so that listing the names of a registry loads none of the libraries behind it.

A name that is not in the dict may be an entry point of an installed package, in the group of
``GROUPS``. It is imported when it is named, never before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from concolor.errors import InputError, UnknownName, in_one_line, needing_torch, pick

GROUPS = {  # what a recipe chooses: the entry points by which packages offer more of it
    "encoder": "concolor.encoders",
    "features": "concolor.features",
    "labels": "concolor.labels",
    "decoder": "concolor.decoders",
}


def resolve(home: str) -> Any:
    """What ``"module:name"`` stands for; the module is imported now.

    >>> resolve("math:hypot")(3, 4)
    5.0
    """
    module, _, name = home.partition(":")
    with needing_torch():  # for encoders and neural solvers
        return getattr(import_module(module), name)


def chosen(given: object, table: Mapping[str, Any], kind: str, *entries: type) -> Any:
    """The entry of that name, or an entry or function of the user's own as it is.

    Args:
        given: The choice. A name is looked for in the table, then among installed packages.
        table: The registry. Its values are entries, or bare functions that a user put there.
        kind: What is chosen, for errors.
        entries: The types of entries, where functions are not all that is accepted.

    >>> chosen("half", {"half": 0.5}, "share", float)
    0.5
    """
    found = _named(given, table, kind) if isinstance(given, str) else given
    if not callable(found) and not isinstance(found, entries):
        ways = ["a name", "a function of yours", *(f"{entry.__name__}(...)" for entry in entries)]
        known = ", ".join(sorted(table))
        raise InputError(f"{kind} must be {' or '.join(ways)}, got {found!r}. Names: {known}.")
    return found


def installed(kind: str) -> dict[str, EntryPoint]:
    """What installed packages offer of a kind in ``GROUPS``, by name; none of it is imported."""
    return {entry.name: entry for entry in entry_points(group=GROUPS[kind])}


def _named(name: str, table: Mapping[str, Any], kind: str) -> Any:
    if name in table or kind not in GROUPS:
        return pick(table, name, kind)
    try:
        return _offered(kind, name)
    except KeyError:
        known = {**table, **installed(kind)}
    try:
        return pick(known, name, kind)
    except UnknownName as problem:
        raise UnknownName(
            f"{problem} Your own comes with `concolor --plugin FILE.py`, from an installed package "
            f"(entry points {GROUPS[kind]}), or in Python as a function."
        ) from None


@cache  # to look through all packages takes a while
def _offered(kind: str, name: str) -> Any:
    """What a package offers by that name, imported now; KeyError where none does."""
    entry = installed(kind)[name]
    try:
        return entry.load()
    except Exception as error:
        raise InputError(
            f"{kind} {name!r} cannot be loaded from the installed {entry.value}: "
            f"{in_one_line(error)}"
        ) from error


def spelled(choice: object) -> str:
    """How a choice is written down: a name as it is, a function as ``"module:qualname"``.

    An entry is spelled as its function (``make`` of an encoder or feature, ``prepare`` of a
    decoder), a partial as what it completes, and any other object as its class.

    >>> spelled("gcn"), spelled(spelled), spelled(partial(spelled, choice=1))
    ('gcn', 'concolor.registry:spelled', 'concolor.registry:spelled')
    """
    if isinstance(choice, str):
        return choice
    function = getattr(choice, "make", getattr(choice, "prepare", choice))
    while isinstance(function, partial):
        function = function.func
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}:{named.__qualname__}"


def first_line(function: Callable[..., Any]) -> str:
    """The first line of a function's docstring; its name where there is none.

    >>> first_line(resolve)
    'What ``"module:name"`` stands for; the module is imported now.'
    """
    return (function.__doc__ or spelled(function)).strip().splitlines()[0]
