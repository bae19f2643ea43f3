"""What nodes are called: the user's own objects as names, and how a node is found again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from numbers import Number
from typing import TypeAlias

import numpy as np

from concolor.errors import InputError
from concolor.graph.texts import Numbered, TextNames

Names: TypeAlias = Sequence[Hashable]  # a tuple, or texts that are made as they are asked for


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
        if isinstance(self.names, Numbered | TextNames):
            return self.names
        return tuple(map(str, self.names))

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
        if isinstance(self.names, Numbered):
            return self.names.place(given) if isinstance(given, str) else None
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
        if not isinstance(self.texts, Numbered):
            return self._by_texts.get(text, [])
        place = self.texts.place(text)
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
        if self.names is None or isinstance(self.names, Numbered):
            return False
        return any(isinstance(name, Number) for name in self.names)

    def _hint(self, wrong: str) -> str:
        if self.names is None:
            numbers = f"{self.first}..{self.first + self.n - 1}" if self.n else "none"
            return f"its nodes are numbered, {numbers}"
        given = list(self.names.names.values()) if isinstance(self.names, Numbered) else self.texts
        near = get_close_matches(wrong, given, n=1)
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
