"""Who holds the blocks of :mod:`concolor.solvers.blocks`: threads, processes, or workers of Dask.

All of them run the same steps in the same order, and get the same colors.
"""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from concolor.errors import InputError
from concolor.fleet.executors import dask_client
from concolor.graph.core import Graph
from concolor.solvers.blocks import MOST, Block, Crew, cut


class Lost(Exception):
    """A worker is gone, and its block with it.

    Attributes:
        place: Where it was.
    """

    def __init__(self, place: str) -> None:
        super().__init__(f"the worker at {place} is gone")
        self.place = place


class Threads:
    """All blocks in this process, one after the other or by threads."""

    def __init__(self, blocks: Sequence[Block], pool: Executor | None = None) -> None:
        self.blocks, self.pool = blocks, pool

    def each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """As :class:`~concolor.solvers.blocks.Crew` says."""
        calls = [getattr(block, method) for block in self.blocks]
        given = arguments or [()] * len(calls)
        run = map if self.pool is None else self.pool.map
        return list(run(lambda call, words: call(*words), calls, given))


class Processes:
    """A process for each block, which keeps it from call to call: pools of one."""

    def __init__(self, pools: Sequence[Executor]) -> None:
        self.pools = pools

    def each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """As :class:`~concolor.solvers.blocks.Crew` says."""
        given = arguments or [()] * len(self.pools)
        asked = [
            pool.submit(_call, method, words) for pool, words in zip(self.pools, given, strict=True)
        ]
        try:
            return [answer.result() for answer in asked]
        except BrokenProcessPool as error:
            raise Lost("this machine") from error


_held: list[Block] = []  # of a process that works for Processes


def _hold(*words: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    _held[:] = [Block(*words)]


def _call(method: str, words: tuple[Any, ...]) -> Any:
    return getattr(_held[0], method)(*words)


class Actors:
    """A Dask worker for each block, which stays there: actors."""

    def __init__(self, actors: Sequence[Any], places: Sequence[str]) -> None:
        self.actors, self.places = actors, places

    def each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """As :class:`~concolor.solvers.blocks.Crew` says."""
        given = arguments or [()] * len(self.actors)
        asked = [
            getattr(actor, method)(*words) for actor, words in zip(self.actors, given, strict=True)
        ]
        return [_got(answer, place) for answer, place in zip(asked, self.places, strict=True)]


def _got(answer: Any, place: str) -> Any:
    try:
        return answer.result()
    except OSError as error:  # what Dask says where it cannot reach the worker of an actor
        raise Lost(place) from error


@contextmanager
def local_processes(graph: Graph, workers: int, seed: int) -> Iterator[Crew]:
    """So many processes on this machine, each with a block."""
    _check(workers)
    with ExitStack() as stack:
        folder = graph.folder or _on_disk(graph, stack)
        shared = (str(folder), cut(graph, workers))
        most = int(graph.degrees.max(initial=0))
        pools = []
        for own in range(workers):
            pool = ProcessPoolExecutor(
                1, get_context("spawn"), initializer=_hold, initargs=(*shared, own, seed, most)
            )
            stack.callback(pool.shutdown, wait=False, cancel_futures=True)
            pools.append(pool)
        yield Processes(pools)


def _on_disk(graph: Graph, stack: ExitStack) -> Path:
    """A temporary folder of a graph that is in memory, for others to map."""
    from concolor.graph.formats import write

    folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "graph.csr"
    write(graph.but(names=None, lists=None), folder)
    return folder


@contextmanager
def dask_workers(
    graph: Graph, address: str, seed: int, lost: Collection[str] = ()
) -> Iterator[Crew]:
    """All workers of a Dask scheduler, each with a block; they map the folder by the same path.

    Those at places that are lost are left out: the scheduler may not know yet that they are gone.
    """
    if graph.folder is None:
        raise InputError(
            f"{graph.name} is in memory, but workers of a cluster map a CSR folder: write one "
            "where all of them find it, concolor convert GRAPH big.csr"
        )
    with dask_client(address) as client, client.as_current():  # where actors look for theirs
        places = sorted(set(client.scheduler_info(n_workers=-1)["workers"]) - set(lost))
        _check(len(places))
        bounds, most = cut(graph, len(places)), int(graph.degrees.max(initial=0))
        made = [
            client.submit(
                Block, str(graph.folder), bounds, own, seed, most,
                actor=True, workers=[place], allow_other_workers=False, pure=False,
            )
            for own, place in enumerate(places)
        ]  # fmt: skip
        yield Actors([actor.result() for actor in made], places)


@contextmanager
def threads(graph: Graph, blocks: int, seed: int, *, at_once: bool) -> Iterator[Crew]:
    """The blocks in this process: by threads, or one after the other, with the same result."""
    _check(blocks)
    bounds, most = cut(graph, blocks), int(graph.degrees.max(initial=0))
    made = [Block(graph, bounds, own, seed, most) for own in range(blocks)]
    if not at_once:
        yield Threads(made)
        return
    with ThreadPoolExecutor(blocks) as pool:
        yield Threads(made, pool)


def _check(blocks: int) -> None:
    if not 1 <= blocks <= MOST:
        raise InputError(f"a graph is cut into 1..{MOST} blocks, one for each worker, got {blocks}")
