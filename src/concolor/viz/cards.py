"""What a notebook shows of a graph, a coloring, a certificate, an answer, a sweep: a small picture
and the facts.

The classes themselves stand on lower floors and do not know pictures; their ``_repr_html_`` looks
for its function here when a notebook asks.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from concolor.coloring import Coloring
from concolor.goal import Solution
from concolor.graph.core import Graph
from concolor.sweeps import Sweep
from concolor.viz.curves import duration, sweep_curve
from concolor.viz.graph import colored_graph, plain_graph, sorted_matrix
from concolor.viz.picture import Picture, safe

if TYPE_CHECKING:
    from concolor.answer import Answer
    from concolor.certificates import Certificate

WIDTH = 260  # pixels of a picture
DRAWN = 2000  # nodes and edges up to which a card draws them; a report draws more

Fact = tuple[str, object]


def graph_card(graph: Graph) -> str:
    """The graph as it is, without colors."""
    return _card(plain_graph(graph) if _is_small(graph) else None, _of_graph(graph))


def coloring_card(coloring: Coloring) -> str:
    """The colored graph, and whether the coloring is proper."""
    return _card(_drawn(coloring), [*_size(coloring.graph), *_of_coloring(coloring)])


def solution_card(solution: Solution) -> str:
    """The coloring that was found, and what is proved about better ones."""
    return _card(_drawn(solution.coloring), _of_solution(solution))


def certificate_card(certificate: Certificate) -> str:
    """The bracket of χ, and what shows each side."""
    facts: list[Fact] = [*_size(certificate.graph)]
    facts += [("χ", _bracket(certificate.lower, certificate.upper))]
    facts += [("", line.replace("<=", "≤").replace(">=", "≥")) for line in certificate.statements]
    return _card(_drawn(certificate.coloring), facts)


def answer_card(answer: Answer) -> str:
    """The coloring, how it came about, and what the model alone and chance gave."""
    facts = list(_of_solution(answer.solution))
    facts += [("began as", answer.start), ("time", duration(sum(answer.seconds.values())))]
    if answer.dsatur is not None:
        facts += [("DSATUR", _colors(answer.dsatur))]
    if answer.raw is not None:
        facts += [(f"model {answer.model} alone", _described(answer.raw))]
    if answer.null is not None:
        facts += [("chance, by the same rule", _described(answer.null.coloring))]
    if answer.left_out:
        facts += [("no time for", "; ".join(answer.left_out))]
    return _card(_drawn(answer.coloring), facts)


def sweep_card(sweep: Sweep) -> str:
    """Conflicts for every number of colors."""
    k, allowed = sweep.k_star(), f"at most {sweep.max_mono:.3g} of the edges in conflict"
    facts: list[Fact] = [*_size(sweep.graph), ("rule", allowed)]
    facts += [("k" if sweep.hit() else "missed; nearest k", k), ("there", _described(sweep.best))]
    facts += [("proper from k", "none tried" if sweep.k_zero is None else sweep.k_zero)]
    return _card(sweep_curve(sweep), facts)


def _of_graph(graph: Graph) -> Iterator[Fact]:
    yield from _size(graph)
    if graph.n:
        low, high = graph.degrees.min(), graph.degrees.max()
        yield "degrees", f"{low} to {high}, {2 * graph.m / graph.n:.3g} in the mean"
    if graph.names is not None:
        yield "named", ", ".join(map(str, graph.names[:3])) + (", …" if graph.n > 3 else "")
    if graph.x is not None:
        yield "features", graph.x.shape[1]
    if graph.lists is not None:
        yield "lists of colors", f"for {len(graph.lists)} nodes"
    if graph.weights is not None:
        yield "weights", f"{graph.weights.min(initial=0):.4g} to {graph.weights.max(initial=0):.4g}"
    if graph.chi is not None:
        yield "χ", f"{graph.chi}, known"
    if graph.loops or graph.duplicates:
        yield "removed", f"{graph.loops} loops, {graph.duplicates} copies of edges"


def _size(graph: Graph) -> Iterator[Fact]:
    yield "graph", graph.name
    yield "nodes, edges", f"{graph.n}, {graph.m}"


def _of_coloring(coloring: Coloring) -> Iterator[Fact]:
    yield "colors", coloring.k
    yield "conflicts", f"{coloring.conflicts}" + (", proper" if coloring.is_proper else "")
    if coloring.weight is not None:
        yield "their weight", f"{coloring.weight:.10g}"
    if coloring.k:
        sizes = [len(nodes) for nodes in coloring.classes]
        yield "classes", f"{min(sizes)} to {max(sizes)} nodes"


def _of_solution(solution: Solution) -> Iterator[Fact]:
    yield from _size(solution.coloring.graph)
    yield from _of_coloring(solution.coloring)
    words = {"k": "fewest colors", "conflicts": "fewest conflicts", "weight": "least weight"}
    yield words[solution.goal.minimized], _bracket(solution.lower, solution.upper)


def _bracket(lower: float, upper: float) -> str:
    return f"{lower:.10g}, proved" if lower == upper else f"{lower:.10g} to {upper:.10g}"


def _described(coloring: Coloring) -> str:
    weight = "" if coloring.weight is None else f" of weight {coloring.weight:.10g}"
    return f"{_colors(coloring.k)}, {coloring.conflicts} conflicts{weight}"


def _colors(k: int) -> str:
    return f"{k} color" if k == 1 else f"{k} colors"


def _is_small(graph: Graph) -> bool:
    return graph.n + graph.m <= DRAWN


def _drawn(coloring: Coloring) -> Picture:
    return colored_graph(coloring) if _is_small(coloring.graph) else sorted_matrix(coloring)


def _card(picture: Picture | None, facts: Iterable[Fact]) -> str:
    """The picture stands apart from the styles of the page, as an image."""
    quiet = "text-align:left;font-weight:normal;opacity:.7;padding-right:1em"
    rows = "".join(
        f'<tr><th style="{quiet}">{safe(name)}</th>'
        f'<td style="text-align:left">{safe(value)}</td></tr>'
        for name, value in facts
    )
    shown = ""
    if picture is not None:
        code = base64.b64encode(picture.svg().encode()).decode()
        label, source = safe(picture.label), f"data:image/svg+xml;base64,{code}"
        shown = f'<img width="{WIDTH}" alt="{label}" src="{source}"/>'
    style = "display:flex;flex-wrap:wrap;gap:1em;align-items:center"
    return f'<div style="{style}">{shown}<table>{rows}</table></div>'
