"""``many``: batches of items go out to an executor, and results come back as they are done.

The size of a batch follows the seconds that batches took so far, so that small graphs do not cost a
message each, and one that takes long goes alone. How many are on the way is bounded: by the number
of workers, and by the bytes that wait for an earlier result.
"""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, Literal, NamedTuple, TypeAlias

from concolor.errors import ConcolorError, InputError, Interrupted, in_one_line
from concolor.fleet.parcels import Failed, Parts, delivered, here, packed, work

BATCH = 0.25  # seconds that a batch is to take
FIXED = 1000  # bytes that an item counts for beside its own: what every call costs
HELD = 1 << 26  # bytes on the way, items and results, from which no further batch is sent
LOOK = 1.0  # seconds after which the progress is told again
LOST = 3  # times that a worker may be lost over an item
Errors: TypeAlias = Literal["keep", "raise"]


class WorkersLost(ConcolorError):
    """The executor is broken.

    Attributes:
        best: Pairs of place and result that were done and not yet given.
    """

    def __init__(self, message: str, best: list[tuple[int, Any]]) -> None:
        super().__init__(message)
        self.best = best


class Standing(NamedTuple):
    """Where a fleet stands."""

    done: int
    sent: int  # done or on the way


def many(
    call: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    executor: Executor | None = None,
    errors: Errors = "keep",
    progress: Callable[[Standing], None] | None = None,
) -> Iterator[Any]:
    """``call(item)`` for every item, in order, as soon as each is done.

    Without an executor one after the other, as they are asked for. Items may come from a generator:
    a bounded number of them is in memory. One that is a :class:`Failed` already passes as it is.

    Args:
        call: A function of a module, a method or a ``partial`` of one: it travels to the workers.
        items: Graphs, or anything else that can be pickled.
        executor: A process pool, Dask's ``client.get_executor()``, :class:`Workers`, or any other
            ``concurrent.futures.Executor``; it is not shut down.
        errors: ``"keep"`` gives a :class:`Failed` in the place of a result, ``"raise"`` ends there.
        progress: Told now and then where the fleet stands.

    Raises:
        Interrupted: On Ctrl-C, with a list of what was done and not yet given, pairs of place and
            result. Without an executor it is what the call itself raises.
        WorkersLost: The executor is broken, as a process pool is once one of its workers was
            killed. :class:`Workers` and Dask do again what was lost.
    """
    return (found for _, found in in_order(call, items, executor, errors, progress))


def in_order(
    call: Callable[[Any], Any],
    items: Iterable[Any],
    executor: Executor | None = None,
    errors: Errors = "keep",
    progress: Callable[[Standing], None] | None = None,
) -> Iterator[tuple[int, Any]]:
    """:func:`many`, with the places of the results before them."""
    return _started(call, items, executor, errors, progress, ordered=True)


def whoever_is_first(
    call: Callable[[Any], Any],
    items: Iterable[Any],
    executor: Executor | None = None,
    errors: Errors = "keep",
    progress: Callable[[Standing], None] | None = None,
) -> Iterator[tuple[int, Any]]:
    """The same in the order in which results are done: for what is to be kept at once."""
    return _started(call, items, executor, errors, progress, ordered=False)


def _started(
    call: Callable[[Any], Any],
    items: Iterable[Any],
    executor: Executor | None,
    errors: Errors,
    progress: Callable[[Standing], None] | None,
    *,
    ordered: bool,
) -> Iterator[tuple[int, Any]]:
    if errors not in ("keep", "raise"):
        raise InputError(f"errors must be 'keep' or 'raise', got {errors!r}")
    found: Iterator[tuple[int, Any]]
    if executor is None:
        found = ((p, x if isinstance(x, Failed) else here(call, x)) for p, x in enumerate(items))
    elif not isinstance(executor, Executor):
        kind = type(executor).__name__
        raise InputError(f"executor must be a concurrent.futures.Executor, got {kind}")
    else:
        found = _Fleet(_sendable(call), executor, progress, ordered).results(items)
    return found if errors == "keep" else map(_raised, found)


def _sendable(call: Callable[[Any], Any]) -> bytes:
    try:
        return pickle.dumps(call)
    except Exception as error:
        raise InputError(
            f"{call!r:.80} cannot be sent to workers ({in_one_line(error)}): give functions of a "
            "module, and models as names, files or Colorer"
        ) from error


def _raised(found: tuple[int, Any]) -> tuple[int, Any]:
    if isinstance(found[1], Failed):
        raise found[1].error
    return found


@dataclass(eq=False)
class _Batch:
    """Neighboring items on their way: packed, then at an executor, then results."""

    place: int  # of the first
    items: list[Any]
    parcels: Parts
    lost: int = 0  # times that its worker was
    future: Future[tuple[float, Parts]] | None = None
    parts: Parts | None = None
    failed: Failed | None = None  # of a single item
    size: int = 0  # bytes of items and results, and what each counts for

    @property
    def is_done(self) -> bool:
        return self.parts is not None or self.failed is not None

    @property
    def is_suspect(self) -> bool:
        """Once more, and it failed: nothing else is to be lost with it."""
        return self.lost == LOST - 1

    def add(self, item: Any, parcel: bytes) -> None:
        """One more item."""
        self.items.append(item)
        self.parcels.append(parcel)
        self.size += FIXED + len(parcel)

    def arrive(self, parts: Parts) -> None:
        """The results are there; the parcels are not needed again, the items are still held."""
        self.parcels, self.parts = [], parts
        self.size += sum(map(len, parts))

    @property
    def singles(self) -> list[_Batch]:
        """One batch for each item."""
        both = zip(self.items, self.parcels, strict=True)
        return [
            _Batch(self.place + i, [item], [parcel], self.lost, size=FIXED + len(parcel))
            for i, (item, parcel) in enumerate(both)
        ]

    def results(self) -> Iterator[tuple[int, Any]]:
        if self.failed is not None:
            yield self.place, self.failed
            return
        assert self.parts is not None
        for i, (item, part) in enumerate(zip(self.items, self.parts, strict=True)):
            yield self.place + i, delivered(part, item)


@dataclass(eq=False)
class _Pace:
    """Bytes of items that take the time of a batch: from the latest batches, the last most.

    No more than four times the last, since the next may be harder, nor than some of what may be on
    the way. Nothing is known before the first: an item goes alone.
    """

    seconds: float = 0.0
    bytes: float = 0.0
    most: float = 0.0

    def learn(self, seconds: float, size: float) -> None:
        self.seconds, self.bytes = 0.7 * self.seconds + seconds, 0.7 * self.bytes + size
        self.most = min(BATCH * self.bytes / max(self.seconds, 1e-6), 4 * size, HELD / 16)


@dataclass(eq=False)
class _Fleet:
    """The batches of one call, from the first that was not given yet."""

    call: bytes
    executor: Executor
    progress: Callable[[Standing], None] | None
    ordered: bool
    batches: deque[_Batch] = field(default_factory=deque)
    pace: _Pace = field(default_factory=_Pace)
    done: int = 0
    sent: int = 0
    problem: Exception | None = None  # of the source of the items

    def results(self, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        try:
            yield from self._run(self._cut(iter(items)))
        except KeyboardInterrupt as stop:
            self._take()
            best = [pair for batch in self.batches if batch.is_done for pair in batch.results()]
            raise (Interrupted(best) if best else KeyboardInterrupt()) from stop
        finally:
            for batch in self.batches:
                if batch.future is not None:
                    batch.future.cancel()
        if self.problem is not None:
            raise self.problem

    def _run(self, source: Iterator[_Batch]) -> Iterator[tuple[int, Any]]:
        is_over, width = False, _Width(self.executor)
        while not (is_over and not self.batches):
            is_full = is_over or not self._has_room(width.now)
            if not is_full:
                batch = next(source, None)
                is_over = batch is None
                if batch is not None:
                    self.batches.append(batch)
                    self.sent += len(batch.items)
            self._send()
            self._take()
            yield from self._given()
            if is_full and self.batches:
                on_the_way = [batch.future for batch in self.batches if batch.future is not None]
                wait(on_the_way, timeout=LOOK, return_when=FIRST_COMPLETED)
            if self.progress is not None:
                self.progress(Standing(self.done, self.sent))

    def _cut(self, items: Iterator[Any]) -> Iterator[_Batch]:
        """Batches of the size that the pace says when each is asked for."""
        batch = _Batch(0, [], [])
        for place, (item, parcel) in enumerate(self._packed(items)):
            is_full = parcel is None or batch.size + FIXED + len(parcel) > self.pace.most
            if batch.items and is_full:
                yield batch
                batch = _Batch(place, [], [])
            if parcel is None:
                yield _Batch(place, [item], [], failed=item)
                batch = _Batch(place + 1, [], [])
            else:
                batch.add(item, parcel)
        if batch.items:
            yield batch

    def _packed(self, items: Iterator[Any]) -> Iterator[tuple[Any, bytes | None]]:
        """Items as they travel; a failure where that is not possible, or was there before.

        An error of their source is raised when all before it are given.
        """
        while True:
            try:
                item = next(items)
            except StopIteration:
                return
            except Exception as error:
                self.problem = error
                return
            try:
                yield item, None if isinstance(item, Failed) else packed(item)
            except (pickle.PicklingError, TypeError, AttributeError) as error:
                yield Failed.of(item, error), None

    def _has_room(self, width: int) -> bool:
        running = sum(not batch.is_done for batch in self.batches)
        return running < width and sum(batch.size for batch in self.batches) < HELD

    def _send(self) -> None:
        """Submit what is not on the way; what a worker was lost over twice goes alone."""
        on_the_way = [batch for batch in self.batches if batch.future is not None]
        for batch in self.batches:
            if any(other.is_suspect for other in on_the_way):
                return
            if batch.is_done or batch.future is not None or (batch.is_suspect and on_the_way):
                continue
            try:
                batch.future = self.executor.submit(work, self.call, batch.parcels)
            except (BrokenExecutor, RuntimeError) as error:
                raise self._broken(error) from error
            on_the_way.append(batch)

    def _take(self) -> None:
        """Results of the futures that are done; what was lost goes back, item by item."""
        found: list[_Batch] = []
        for batch in self.batches:
            future = batch.future
            if future is None or not future.done():
                found.append(batch)
                continue
            batch.future = None
            try:
                seconds, parts = future.result()
            except CancelledError as error:  # not by us: a scheduler is gone
                raise self._broken(error) from error
            except Exception as error:
                found += self._again(batch, error)
                continue
            self.pace.learn(seconds, batch.size)
            batch.arrive(parts)
            found.append(batch)
        self.batches = deque(found)

    def _again(self, batch: _Batch, error: Exception) -> list[_Batch]:
        """A worker was lost: each item by itself, as often as ``LOST``.

        Where the executor is whole, it has tried often enough: only the others of a batch go on.
        """
        batch.lost += 1
        if len(batch.items) > 1 or (isinstance(error, BrokenExecutor) and batch.lost < LOST):
            return batch.singles
        reason = f"its worker was lost ({in_one_line(error)})"
        batch.failed = Failed.of(batch.items[0], ConcolorError(reason))
        return [batch]

    def _given(self) -> Iterator[tuple[int, Any]]:
        """What may be given now: all that is done, or what no earlier one is missing before."""
        kept: list[_Batch] = []
        while self.batches and (self.batches[0].is_done or not self.ordered):
            batch = self.batches.popleft()
            if not batch.is_done:
                kept.append(batch)
                continue
            for pair in batch.results():
                self.done += 1
                yield pair
        self.batches.extendleft(reversed(kept))

    def _broken(self, error: Exception) -> WorkersLost:
        best = [pair for batch in self.batches if batch.is_done for pair in batch.results()]
        return WorkersLost(
            f"the executor is broken ({in_one_line(error)}): {self.done} results were given, "
            f"{len(best)} more are in .best, {self.sent - self.done - len(best)} are lost; "
            "concolor.Workers and Dask do lost work again",
            best,
        )


class _Width:
    """Batches that may be on the way: two for each worker, so that none waits for its next."""

    def __init__(self, executor: Executor) -> None:
        self._ask = partial(workers_of, executor)
        self._asked, self._now = -LOOK, 2

    @property
    def now(self) -> int:
        if monotonic() - self._asked > 5 * LOOK:  # Dask's workers come and go
            self._now, self._asked = 2 * self._ask() + 1, monotonic()
        return self._now


def workers_of(executor: Executor) -> int:
    """How many an executor has; they all know, and none has a common word for it."""
    client = getattr(executor, "_client", None)
    if client is not None:  # Dask's
        return max(int(sum(client.nthreads().values())), 1)
    for word in ("_max_workers", "num_workers"):  # of the standard library, of mpi4py
        count = getattr(executor, word, None)
        if isinstance(count, int) and count > 0:
            return count
    return os.cpu_count() or 1
