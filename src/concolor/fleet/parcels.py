"""What travels between processes, and what a worker does with it.

Every item is pickled by itself, so that one that cannot travel is one error. A graph travels as its
arrays (``Graph.__getstate__``) and only once: a result that holds it names its place instead, and
gets the caller's own object back.
"""

from __future__ import annotations

import io
import pickle
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any, TypeAlias

from concolor.errors import ConcolorError, in_one_line
from concolor.graph.core import Graph

Parts: TypeAlias = list[bytes]


@dataclass(frozen=True)
class Failed:
    """An error in the place of a result.

    Attributes:
        graph: The name of the graph, or the text of what else was asked for.
        error: What was raised. If it is no error of ours, a note holds the traceback of the worker.
    """

    graph: str
    error: Exception

    @classmethod
    def of(cls, item: object, error: Exception) -> Failed:
        """The failure of an item."""
        return cls(str(getattr(item, "name", item))[:200], error)


@dataclass(frozen=True)
class _Raised:
    """What a worker sends instead of a result."""

    error: Exception


def packed(value: Any, known: Sequence[object] = ()) -> bytes:
    """Pickle a value in which known graphs are named by their places."""
    file = io.BytesIO()
    _Packer(file, known).dump(value)
    return file.getvalue()


def unpacked(data: bytes, known: Sequence[object] = ()) -> Any:
    """The value again, with the known graphs of this side."""
    return _Unpacker(io.BytesIO(data), known).load()


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, known: Sequence[object]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._places = {id(item): p for p, item in enumerate(known) if isinstance(item, Graph)}

    def persistent_id(self, value: Any) -> int | None:
        return self._places.get(id(value))


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, known: Sequence[object]) -> None:
        super().__init__(file)
        self._known = known

    def persistent_load(self, place: int) -> object:
        return self._known[place]


def work(call: bytes, items: Parts) -> tuple[float, Parts]:
    """The part of a worker: a batch of packed items in, seconds and packed results out."""
    with suppress(Exception):  # then every item says so
        _loaded(call)
    began = perf_counter()
    parts = [_worked(call, item) for item in items]
    return perf_counter() - began, parts


def _worked(call: bytes, data: bytes) -> bytes:
    try:
        item = unpacked(data)
        return packed(_loaded(call)(item), [item])
    except Exception as error:  # whatever it is, the others of the fleet go on
        return packed(_Raised(_portable(error)))


def delivered(part: bytes, item: object) -> Any:
    """A result as the caller sees it."""
    found = unpacked(part, [item])
    return Failed.of(item, found.error) if isinstance(found, _Raised) else found


def here(call: Callable[[Any], Any], item: object) -> Any:
    """The same without a worker."""
    try:
        return call(item)
    except Exception as error:
        return Failed.of(item, error)


@lru_cache(maxsize=4)
def _loaded(call: bytes) -> Callable[[Any], Any]:
    """The call, with the model that it may hold: unpickled once in a worker."""
    function: Callable[[Any], Any] = pickle.loads(call)
    return function


def _portable(error: Exception) -> Exception:
    """The error, if it survives the way; with the traceback, if it is none of ours."""
    if not isinstance(error, ConcolorError):
        error.add_note(f"In a worker:\n{''.join(traceback.format_exception(error))}")
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return ConcolorError(in_one_line(error))
    return error
