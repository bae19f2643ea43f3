"""What nodes are called: the user's own objects as names, and how a node is found again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from numbers import Number
from typing import TypeAlias, overload

import numpy as np

from concolor.errors import InputError


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
        if isinstance(other, Numbered):
            same = (self.n, self.first) == (other.n, other.first)
            return (same and self._odd == other._odd) or (not same and tuple(self) == tuple(other))
        return isinstance(other, tuple) and len(other) == self.n and tuple(self) == other

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
            number = place_of(text, self.first, self.n)
            if text in seen or (number is not None and number not in self.names):
                return text
            seen.add(text)
        return None

    @cached_property
    def _odd(self) -> dict[int, str]:
        """The names that are not the numbers that their nodes would have anyway."""
        return {v: name for v, name in self.names.items() if name != str(v + self.first)}

    def _text(self, place: int) -> str:
        return self.names.get(place) or str(place + self.first)


Names: TypeAlias = tuple[Hashable, ...] | Numbered


def place_of(text: str, first: int, n: int) -> int | None:
    """The place of the node whose number, counted from ``first``, is written so; else None."""
    try:
        place = int(text) - first
    except ValueError:  # not a number, or one of thousands of digits
        return None
    return place if 0 <= place < n and str(place + first) == text else None


@dataclass(frozen=True)
class Directory:
    """Finds the nodes of a graph by their names, the texts of their names, or their places.

    Attributes:
        graph: The name of the graph, for messages.
        n: Number of nodes.
        names: One name for each node, all different, or None where nodes are just numbers.
        first: The number that the source gives its first node, where there are no names.
    """

    graph: str
    n: int
    names: Names | None
    first: int

    @cached_property
    def texts(self) -> Sequence[str]:
        """The text of every node: that of its name, or its number counted from ``first``."""
        if self.names is None:
            return Numbered(self.n, self.first)
        return self.names if isinstance(self.names, Numbered) else tuple(map(str, self.names))

    def place(self, given: Hashable) -> int:
        """The place of a node in ``0..n-1``; see :meth:`Graph.node`."""
        place = self._named(given)
        if place is not None:
            return place
        if isinstance(given, str):
            return self._by_text(given)
        if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
            raise InputError(
                "a node is given by a whole number or a name, as it is or as text, "
                f"got {given!r}; graph.node_names has all texts"
            )
        if self._has_numbers:
            raise InputError(
                f"{self.graph} has no node {given}: some of its names are numbers, so a whole "
                "number is always a name here, never a place; graph.names has all names"
            )
        if not 0 <= given < self.n:
            text = str(given)
            hint = f"; for the one named so give text, {text!r}" if self._text(text) else ""
            raise InputError(f"node {given} is out of range, nodes are 0..{self.n - 1}{hint}")
        return int(given)

    def _named(self, given: Hashable) -> int | None:
        try:
            return self._places.get(given)
        except TypeError:  # not hashable, so not a name
            return None

    def _by_text(self, text: str) -> int:
        places = self._text(text)
        if len(places) == 1:
            return places[0]
        if not places:
            raise InputError(f"{self.graph} has no node named {text!r}; {self._hint(text)}")
        assert self.names is not None
        several = " and ".join(repr(self.names[place]) for place in places[:2])
        raise InputError(
            f"{self.graph} has several nodes that read {text!r}, such as {several}: "
            "give the name itself instead of its text"
        )

    def _text(self, text: str) -> list[int]:
        """The nodes with this text; numbers are not written down, there may be millions."""
        if self.names is not None:
            return self._by_texts.get(text, [])
        place = place_of(text, self.first, self.n)
        return [] if place is None else [place]

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {name: place for place, name in enumerate(self.names or ())}

    @cached_property
    def _by_texts(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, text in enumerate(self.texts):
            found.setdefault(text, []).append(place)
        return found

    @cached_property
    def _has_numbers(self) -> bool:
        return any(isinstance(name, Number) for name in self.names or ())

    def _hint(self, wrong: str) -> str:
        if self.names is None:
            numbers = f"{self.first}..{self.first + self.n - 1}" if self.n else "none"
            return f"its nodes are numbered, {numbers}"
        near = get_close_matches(wrong, self.texts, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        places = "" if self._has_numbers else ", and whole numbers in Python count nodes from 0"
        return f"{meant}graph.node_names has all names{places}"


def checked_names(names: Iterable[Hashable] | None, n: int) -> Names | None:
    """The names as a tuple, or None where they are the plain numbers 0..n-1."""
    if names is None:
        return None
    if isinstance(names, Numbered):
        return _checked_numbered(names, n)
    names = tuple(names.tolist() if isinstance(names, np.ndarray) else names)
    if len(names) != n:
        raise InputError(f"{len(names)} node names for {n} nodes")
    try:
        different = len(set(names)) == n
    except TypeError as error:
        raise InputError(f"node names must be hashable: {error}; give tuples for lists") from None
    if not different:
        twice = Counter(names).most_common(1)[0][0]
        raise InputError(f"node names must differ, {twice!r} is there twice")
    plain = all(type(name) is int for name in names) and names == tuple(range(n))
    return None if plain else names


def _checked_numbered(names: Numbered, n: int) -> Names:
    if len(names) != n:
        raise InputError(f"{len(names)} node names for {n} nodes")
    if names.twice is not None:
        raise InputError(f"node names must differ, {names.twice!r} is there twice")
    return names


def written_names(names: Names) -> Sequence[str]:
    """The texts of the names, where a file can hold them and tell them apart.

    Names that one format could not carry are refused for all: what is read can be written.
    """
    if isinstance(names, Numbered):
        written_names(tuple(names.names.values()))
        return names
    texts = tuple(map(str, names))
    bad = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
    if not all(texts) or bad.search("".join(texts)):
        wrong = next(text for text in texts if not text or bad.search(text))
        raise InputError(f"the node name {wrong!r} is empty or has control characters: rename it")
    if len(set(texts)) != len(texts):
        twice = Counter(texts).most_common(1)[0][0]
        one, two = [name for name, text in zip(names, texts, strict=True) if text == twice][:2]
        raise InputError(
            f"the node names {one!r} and {two!r} are the same text in a file: rename one of them"
        )
    return texts
