"""How many graphs go through an encoder together. No torch here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

BATCH_NODES = 4096  # embedded together: the gain of more is small


def batches(
    items: Iterable[T], nodes: Callable[[T], int], most: int = BATCH_NODES
) -> Iterator[list[T]]:
    """Consecutive items of at most so many nodes together; a larger one is alone.

    >>> list(batches([3, 4, 9, 1], nodes=int, most=8))
    [[3, 4], [9], [1]]
    """
    part: list[T] = []
    for item in items:
        if part and sum(map(nodes, part)) + nodes(item) > most:
            yield part
            part = []
        part.append(item)
    if part:
        yield part
