"""The texts of many nodes, made as they are asked for: sequences that equal tuples of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray


class TextNames(Sequence[str]):
    """Names as one text and where each ends in it: read when they are asked for, maybe from disk.

    It equals the tuple of the same names, and has its hash.

    Args:
        text: UTF-8 of all names, one after the other ``[bytes]``.
        ends: Where name i begins and ends ``[n + 1]``: ``text[ends[i]:ends[i + 1]]``.
    """

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.text, self.ends = text, ends

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(self[i] for i in range(*place.indices(len(self))))
        i = range(len(self))[place]  # negative ones count from the end, too large ones are refused
        return self.text[self.ends[i] : self.ends[i + 1]].tobytes().decode()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TextNames):
            same = np.array_equal(self.ends, other.ends)
            return same and np.array_equal(self.text, other.text)
        return _are_same(self, other)

    def __hash__(self) -> int:
        return hash(tuple(self))


class Numbered(Sequence[str]):
    """The texts of nodes that are numbers, but for some that have names: made as they are asked
    for, since there may be millions of them.

    Like a tuple of texts, and equal to one.

    Args:
        n: How many nodes there are.
        first: The number of the first.
        names: By place, the names that some have.

    >>> Numbered(4, 1, {2: "Valjean"})
    Numbered('1', '2', 'Valjean', '4')
    """

    def __init__(self, n: int, first: int = 0, names: Mapping[int, str] | None = None) -> None:
        self.n, self.first, self.names = n, first, dict(names or {})

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        places = range(self.n)[place]
        if isinstance(places, range):
            return tuple(map(self._text, places))
        return self._text(places)

    def __iter__(self) -> Iterator[str]:
        return map(self._text, range(self.n))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered) and (self.n, self.first) == (other.n, other.first):
            return self._odd == other._odd
        return _are_same(self, other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        shown = [*map(repr, self[:5]), *(["..."] if self.n > 5 else [])]
        return f"Numbered({', '.join(shown)})"

    @property
    def are_plain(self) -> bool:
        """They are the numbers from 0 on, and nothing else."""
        if self.first == 0 or len(self.names) < self.n:
            return not self._odd and (self.first == 0 or self.n == 0)
        return all(name == str(place) for place, name in self.names.items())

    @property
    def twice(self) -> str | None:
        """A text that two of them have, or None."""
        seen: set[str] = set()
        for text in self.names.values():
            if text in seen or self._place_of_number(text) is not None:
                return text
            seen.add(text)
        return None

    def place(self, text: str) -> int | None:
        """The place of the node with this text, or None."""
        place = self._by_name.get(text)
        return self._place_of_number(text) if place is None else place

    def _place_of_number(self, text: str) -> int | None:
        """The place of the node without a name whose number is written so, or None."""
        try:
            place = int(text) - self.first
        except ValueError:  # not a number, or one of thousands of digits
            return None
        unnamed = 0 <= place < self.n and place not in self.names
        return place if unnamed and str(place + self.first) == text else None

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {name: place for place, name in self.names.items()}

    @cached_property
    def _odd(self) -> dict[int, str]:
        """The names that are not the numbers that their nodes would have anyway."""
        return {v: name for v, name in self.names.items() if name != str(v + self.first)}

    def _text(self, place: int) -> str:
        return self.names.get(place) or str(place + self.first)


def _are_same(texts: TextNames | Numbered, other: object) -> bool:
    if not isinstance(other, tuple | TextNames | Numbered) or len(other) != len(texts):
        return False
    return all(a == b for a, b in zip(texts, other, strict=True))
