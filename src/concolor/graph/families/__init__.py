"""Graphs by name: ``family("queen:8x12")``; one builder a family, the table at the bottom."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from concolor.errors import InputError, pick
from concolor.graph.core import Graph, IntArray
from concolor.graph.families.fixed import (
    bipartite,
    complete,
    cycle,
    grid,
    hypercube,
    icosahedral,
    kneser,
    multipartite,
    myciel,
    path,
    petersen,
    queen,
    torus,
    turan,
    wheel,
)
from concolor.graph.families.random import (
    barabasi,
    chords,
    clubs,
    er,
    er_pieces,
    exam,
    geometric,
    interval,
    planted,
    regular,
    watts,
)


@dataclass(frozen=True)
class Family:
    """An entry of :data:`FAMILIES`: how to build it, how to write it, what it is.

    ``pieces`` draws it piece by piece, where that can be.
    """

    build: Callable[..., Graph]
    example: str
    doc: str
    pieces: Callable[..., tuple[int, str, Iterator[IntArray]]] | None = None


def family(spec: str, *, seed: int = 0) -> Graph:
    """The graph that ``spec`` names: ``"name:arg"``, numbers separated by ``x``, ``:`` or ``,``.

    >>> family("queen:8x12"), family("queen:8").name, family("wheel:12").chi
    (Graph('queen:8x12', n=96, m=1368), 'queen:8x8', 4)
    """
    graph: Graph = _built(spec, seed, lambda entry: entry.build)
    return graph


def family_pieces(spec: str, *, seed: int = 0) -> tuple[int, str, Iterator[IntArray]] | None:
    """Nodes, name, and edges in pieces ``[c, 2]`` of a family that can be drawn so, else None.

    >>> n, name, pieces = family_pieces("er:100x0.1")
    >>> sum(map(len, pieces)) == family("er:100x0.1").m
    True
    """
    name = spec.strip().lower().partition(":")[0]
    entry = pick(FAMILIES, name, "family")
    return None if entry.pieces is None else _built(spec, seed, lambda entry: entry.pieces)


def _built(spec: str, seed: int, builder: Callable[[Family], Any]) -> Any:
    """What a builder of a family makes of the numbers of a spec."""
    name, _, rest = spec.strip().lower().partition(":")
    entry = pick(FAMILIES, name, "family")
    signature = inspect.signature(builder(entry), eval_str=True)
    kinds = [float if p.annotation is float else int for p in signature.parameters.values()]
    texts = re.split("[x,:]", rest) if rest else []
    try:
        numbers = list(map(_number, texts, chain(kinds, repeat(int))))
        signature.bind(*numbers)
    except (ValueError, TypeError) as error:
        count = f"{len(texts)} numbers do not fit {name!r}"
        problem = error if isinstance(error, ValueError) else count
        raise InputError(f"{spec!r}: {problem}; write for example {entry.example!r}") from None
    seeded = {"seed": seed} if "seed" in signature.parameters else {}
    return builder(entry)(*numbers, **seeded)


def _number(text: str, kind: type[int] | type[float]) -> int | float:
    try:
        value = kind(text)
    except ValueError:
        noun = "a whole number" if kind is int else "a number"
        raise ValueError(f"{text!r} is not {noun}") from None
    if abs(value) > 1e15:
        raise ValueError(f"{text!r} is too large")
    return value


FAMILIES: dict[str, Family] = {
    "cycle": Family(cycle, "cycle:31", "cycle on N nodes"),
    "path": Family(path, "path:10", "path on N nodes"),
    "complete": Family(complete, "complete:8", "complete graph on N nodes"),
    "bipartite": Family(bipartite, "bipartite:4x8", "complete bipartite graph, parts A and B"),
    "multipartite": Family(multipartite, "multipartite:2x3x4", "complete multipartite graph"),
    "turan": Family(turan, "turan:13x4", "complete R-partite graph on N nodes, equal parts"),
    "wheel": Family(wheel, "wheel:12", "hub and cycle, N nodes in total"),
    "petersen": Family(petersen, "petersen", "the Petersen graph"),
    "icosahedral": Family(icosahedral, "icosahedral", "the graph of the icosahedron"),
    "kneser": Family(kneser, "kneser:7x2", "K-subsets of N things, disjoint ones adjacent"),
    "myciel": Family(myciel, "myciel:5", "Mycielski graph, numbered as in DIMACS"),
    "queen": Family(queen, "queen:8x12", "moves of a queen on a board of A rows and B columns"),
    "grid": Family(grid, "grid:10x20", "squares of a board that share a side"),
    "torus": Family(torus, "torus:9x10", "grid with its borders joined"),
    "hypercube": Family(hypercube, "hypercube:5", "hypercube of dimension D"),
    "er": Family(er, "er:100x0.1", "random: each pair of N nodes with probability P", er_pieces),
    "planted": Family(planted, "planted:100x4x0.2", "random: N nodes, K hidden classes, P across"),
    "geometric": Family(geometric, "geometric:500x0.08", "random: N points closer than R"),
    "chords": Family(chords, "chords:20x20x300", "random: a grid of A x B, and M edges more"),
    "barabasi": Family(barabasi, "barabasi:500x3", "random: N nodes, each joins M by degree"),
    "watts": Family(watts, "watts:200x6x0.1", "random: ring of K nearest, rewired with P"),
    "regular": Family(regular, "regular:100x6", "random: N nodes with D neighbors each"),
    "exam": Family(exam, "exam:80x300", "random: N courses, adjacent when one of S takes both"),
    "clubs": Family(clubs, "clubs:200x150", "random: N people, adjacent when in one of M clubs"),
    "interval": Family(interval, "interval:100x8", "random: N live ranges, about L at a time"),
}
