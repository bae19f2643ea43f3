"""Where a fleet may run: worker processes of this machine, and a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib.metadata import version
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from concolor.errors import InputError, MissingExtra, in_one_line

ANSWER = 3.0  # seconds in which a scheduler answers, and has workers


class Workers(Executor):
    """So many worker processes of this machine, for ``executor=``.

    A process pool that goes on where one of its workers was killed, and whose workers share the
    cores among them, leave Ctrl-C to this process, and end with it, however it ends. They begin
    with numba loaded where the machine can fork.

    Args:
        count: How many.
        begin: Called in each before its first work.

    >>> with Workers(2) as pool:
    ...     pool.submit(pow, 2, 5).result()
    32
    """

    def __init__(self, count: int, begin: Callable[[], None] | None = None) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InputError(f"workers must be a whole number of at least 1, got {count!r}")
        self._max_workers, self._first = count, begin
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        ways = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in ways else "spawn")
        if hasattr(context, "set_forkserver_preload"):
            context.set_forkserver_preload(["concolor.compiled", "concolor.fleet.parcels"])
        reader, self._end = context.Pipe(duplex=False)
        threads = max((os.cpu_count() or 1) // self._max_workers, 1)
        self._pool = ProcessPoolExecutor(
            self._max_workers,
            context,
            initializer=_prepare,
            initargs=(reader, threads, self._first),
        )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of every executor; a pool that was broken by the loss of a worker is made anew."""
        with self._lock:
            try:
                return self._pool.submit(fn, *args, **kwargs)
            except BrokenProcessPool:
                self._stop()
                self._begin()
                return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers: after what they are at, or at once where nobody waits for it."""
        if wait:
            self._pool.shutdown(wait=True, cancel_futures=cancel_futures)
        self._stop()

    def _stop(self) -> None:
        self._end.close()  # which the workers see
        self._pool.shutdown(wait=False, cancel_futures=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown(wait=kind is None, cancel_futures=True)


def _prepare(end: Connection, threads: int, begin: Callable[[], None] | None) -> None:
    """The beginning of a worker: its share of the cores, and its end."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all processes
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        said = os.environ.get(name, "")
        os.environ[name] = str(min(int(said), threads) if said.isdecimal() else threads)
    threadpool_limits(threads)
    threading.Thread(target=_watch, args=(end,), daemon=True).start()
    if begin is not None:
        begin()


def _watch(end: Connection) -> None:
    try:
        end.recv_bytes()
    except (EOFError, OSError):  # the other end was closed, or died with its process
        os._exit(0)


@contextmanager
def dask_cluster(address: str, begin: Callable[[], None] | None = None) -> Iterator[Executor]:
    """The executor of a Dask scheduler, see :func:`dask_client`.

    Args:
        begin: Called in each worker before its first work.
    """
    with dask_client(address) as client:
        if begin is not None:
            client.register_worker_callbacks(begin)
        yield client.get_executor()


@contextmanager
def dask_client(address: str) -> Iterator[Any]:
    """A client of a Dask scheduler that has workers, all with the same concolor as we.

    Args:
        address: As `dask scheduler` prints it.
    """
    try:
        import dask
        from distributed import Client
    except ModuleNotFoundError as missing:
        raise MissingExtra(
            f"a cluster needs {missing.name}, which is missing: pip install 'concolor[cluster]'"
        ) from None
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"}):
        try:
            client = Client(address, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"no Dask scheduler answers at {address} ({in_one_line(error)}): start one by "
                "`dask scheduler`, which prints its address"
            ) from error
        with client:
            _check_workers(client, address)
            yield client


def _check_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=ANSWER)
    except TimeoutError:
        raise InputError(
            f"the Dask scheduler at {address} has no workers: start some by `dask worker {address}`"
        ) from None
    ours = version("concolor")
    for worker, theirs in client.run(_version, on_error="return").items():
        if theirs != ours:  # an error, where it knows nothing of us
            has = f"concolor {theirs}" if isinstance(theirs, str) else "no concolor"
            raise InputError(
                f"the Dask worker {worker} has {has}, this is {ours}: install the same"
            )


def _version() -> str:
    return version("concolor")
