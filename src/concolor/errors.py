"""The tree of our exceptions, our one warning, and ``pick`` for names in registries.

Everything that can go wrong because of what a user gave is a :class:`ConcolorError`; the command
line prints it in one line and exits with 2. Anything else that escapes is a bug of ours. What can
be used, but only by a guess, is a :class:`Doubt`: a warning.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
LEARN = ("torch", "torch_geometric")  # what the extra of that name brings


class ConcolorError(Exception):
    """Root of all errors this package raises on purpose."""


class InputError(ConcolorError, ValueError):
    """A value that cannot be used: the message says what was given, expected, and what to do."""


class OverBudget(InputError):
    """More memory than the budget; the message says how much, and what needs less."""


class UnknownName(InputError):
    """A name that is in no registry."""


class FormatError(InputError):
    """A graph or coloring file that cannot be read.

    Args:
        message: What is wrong, with the offending value.
        path: The file, ``-`` for standard input, or None where there is no file.
        line: The line counted from 1, or None where lines make no sense.
    """

    def __init__(
        self, message: str, path: str | Path | None = None, line: int | None = None
    ) -> None:
        self.message, self.path, self.line = message, path, line
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + message)


class Doubt(UserWarning):
    """Something in the input was guessed or is ignored: what was seen, and how to say otherwise.

    ``warnings.simplefilter("ignore", concolor.Doubt)`` takes all guesses as they are, and
    ``"error"`` none.
    """


class DataNotFound(ConcolorError):
    """A data set whose files are nowhere; the message says where to put them."""


class ModelError(InputError):
    """A model file that is wrong, truncated, foreign, or does not fit the graph."""


class MissingExtra(ConcolorError, ImportError):
    """A library that is not installed; the message names the extra that brings it."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a call that already has something to show.

    A loop over graphs ends with it, as with any KeyboardInterrupt; whoever catches it finds in
    ``best`` what the call would have returned, had its time been over at that moment.

    >>> try:
    ...     raise Interrupted("the best so far")
    ... except KeyboardInterrupt as stop:
    ...     print(stop.best)
    the best so far
    """

    def __init__(self, best: Any) -> None:
        super().__init__("interrupted; the best so far is in .best")
        self.best = best


@contextmanager
def interruptible(best: Callable[[], Any]) -> Iterator[None]:
    """On Ctrl-C inside, raise :class:`Interrupted` with what ``best()`` gives.

    Where that is None, because there is nothing yet, it is a plain KeyboardInterrupt.
    """
    try:
        with heard():
            yield
    except KeyboardInterrupt as stop:
        found = best()
        raise (KeyboardInterrupt() if found is None else Interrupted(found)) from stop


@contextmanager
def held() -> Iterator[None]:
    """Inside, a first Ctrl-C waits: for :func:`let_through`, or for the end. A second does not.

    For what must be whole before there is anything to give, as long as that takes no time. Where
    Ctrl-C already waits, nothing changes; in other threads, and where someone else listens, either.
    """
    usual = signal.getsignal(signal.SIGINT)
    aside = threading.current_thread() is not threading.main_thread()
    if aside or _holds or usual is not signal.default_int_handler:
        yield
        return
    presses: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        presses.append(number)
        if len(presses) > 1:
            raise KeyboardInterrupt

    _holds.append(presses)
    signal.signal(signal.SIGINT, note)
    try:
        yield
        let_through()
    finally:
        _let_go(presses)


def let_through() -> None:
    """From here on Ctrl-C comes at once, one that waits as well."""
    if _holds and threading.current_thread() is threading.main_thread():
        presses = _holds[0]
        _let_go(presses)
        if presses:
            raise KeyboardInterrupt


def _let_go(presses: list[int]) -> None:
    """End a hold, if it is not over yet."""
    if any(hold is presses for hold in _holds):
        _holds.clear()
        signal.signal(signal.SIGINT, signal.default_int_handler)


_holds: list[list[int]] = []  # the presses that wait, where they do; at most one list


@contextmanager
def heard() -> Iterator[None]:
    """Inside, a Ctrl-C that Python would swallow is pressed again a moment later.

    Exceptions in destructors, and in callbacks such as those by which numba loads machine code, do
    not come through.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = sys.unraisablehook

    def hook(problem: sys.UnraisableHookArgs) -> None:
        if problem.exc_type is KeyboardInterrupt:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        else:
            usual(problem)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = usual


@contextmanager
def needing_torch() -> Iterator[None]:
    """Inside, or in a function that it decorates, the libraries of the extra ``learn`` are needed.

    >>> with needing_torch():
    ...     raise ModuleNotFoundError("No module named 'torch'", name="torch")
    Traceback (most recent call last):
    ...
    concolor.errors.MissingExtra: this needs torch, which is missing: pip install 'concolor[learn]'
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        library = (missing.name or "").partition(".")[0]
        if library not in LEARN:
            raise
        raise MissingExtra(
            f"this needs {library}, which is missing: pip install 'concolor[learn]'"
        ) from None


def in_one_line(error: BaseException) -> str:
    """An error of code that is not ours, to be told within one of ours.

    >>> in_one_line(KeyError("gcn"))
    "KeyError: 'gcn'"
    """
    return " ".join(f"{type(error).__name__}: {error}".split())


def pick(table: Mapping[str, T], name: str, kind: str) -> T:
    """Return ``table[name]``, or say what the caller could have meant.

    >>> pick({"gcn": 1}, "gnc", "encoder")
    Traceback (most recent call last):
    ...
    concolor.errors.UnknownName: unknown encoder 'gnc'; did you mean 'gcn'? Known: gcn.
    """
    try:
        return table[name]
    except KeyError:
        near = get_close_matches(name, table, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        known = ", ".join(sorted(table))
        raise UnknownName(f"unknown {kind} {name!r}{hint} Known: {known}.") from None
