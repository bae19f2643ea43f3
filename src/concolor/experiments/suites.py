"""The graphs that methods are judged on, each set with its cap and its reference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import networkx as nx

from concolor.errors import pick
from concolor.graph.core import Graph
from concolor.graph.datasets import Dataset, dataset
from concolor.graph.formats import to_networkx
from concolor.solvers.greedy import dsatur

QUADRATIC = 1000  # nodes for which networkx's DSATUR does not take long
THRESHOLD = 0.05  # the fraction of monochromatic edges that a sweep may leave


@dataclass(frozen=True)
class Suite:
    """A set of graphs and how they are judged.

    Attributes:
        doc: What it is.
        data: The data set.
        split: Its split.
        cap: The largest k of a sweep.
        exact: Whether rho divides by the exact chromatic number; else by :func:`greedy`.
        whole: One whole graph: the sweep goes to the cap, and several thresholds are reported.
        only: The graphs of the split by name, where not all of them are meant.
    """

    doc: str
    data: str
    split: str
    k_max: int
    exact: bool = False
    whole: bool = False
    only: tuple[str, ...] = ()


def graphs_of(name: str) -> tuple[Graph, ...]:
    """The graphs of a suite, loaded once a process."""
    suite = pick(SUITES, name, "suite")
    graphs = loaded(suite.data).splits[suite.split]
    return tuple(graph for graph in graphs if not suite.only or graph.name in suite.only)


@cache
def loaded(name: str) -> Dataset:
    """A data set, loaded once a process."""
    return dataset(name)


@cache
def references(name: str) -> tuple[int, ...]:
    """What rho divides by, graph by graph: exact where the suite says so, else greedy."""
    if SUITES[name].exact:
        return tuple(_known(graph) for graph in graphs_of(name))
    return greedy(name)


@cache
def greedy(name: str) -> tuple[int, ...]:
    """Colors of DSATUR, graph by graph: the paper's chi_greedy.

    The paper takes networkx's, whose ties are unlike ours and cost colors on large queen boards. It
    is quadratic, so larger graphs get ours: whole citation graphs, where both agree with the
    paper, and long cycles.
    """
    return tuple(theirs(g) if g.n <= QUADRATIC else dsatur(g).k for g in graphs_of(name))


def theirs(graph: Graph) -> int:
    """Colors of networkx's DSATUR, the paper's; quadratic."""
    return len(set(nx.greedy_color(to_networkx(graph), "DSATUR").values()))


def _known(graph: Graph) -> int:
    assert graph.chi is not None, f"{graph.name} is in an exact suite without a known chi"
    return graph.chi


def _citations(names: Iterable[str]) -> dict[str, Suite]:
    found = {}
    for name in names:
        title = {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"}[name]
        local = f"{name}-subgraphs"
        found[local] = Suite(f"30 test subgraphs of {title}", local, "test", 20)
        found[f"{local}/train"] = Suite(f"200 training subgraphs of {title}", local, "train", 20)
        found[f"{local}/heldout"] = Suite(f"50 subgraphs of {title}", local, "heldout", 20)
        found[name] = Suite(f"the whole {title}", name, "test", 16, whole=True)
        found[f"{name}/far"] = Suite(
            f"the whole {title} for models trained elsewhere", name, "test", 20, whole=True
        )
    return found


def _color(family: str) -> dict[str, Suite]:
    return {
        f"{family}/{split}": Suite(
            f"{family} graphs of COLOR, {word}", f"color-{family}", split, 32
        )
        for split, word in (
            ("train", "to train on"),
            ("id", "within the sizes trained on, or little more"),
            ("ood", "larger"),
        )
    }


SUITES: dict[str, Suite] = {
    **_citations(("cora", "citeseer", "pubmed")),
    **_color("book"),
    **_color("myciel"),
    **_color("queen"),
    "cycles/small": Suite("C_20..C_39 and 20 named graphs", "cycles", "small", 10, exact=True),
    "cycles/large": Suite("C_7000..C_7019", "cycles", "large", 10, exact=True),
    "C_7000": Suite("one long cycle", "cycles", "large", 10, exact=True, only=("cycle:7000",)),
    "queen13": Suite("one queen graph", "color-queen", "id", 32, only=("queen:13x13",)),
    "cora/1336": Suite("one subgraph of Cora", "cora-subgraphs", "test", 20, only=("cora/1336",)),
}
