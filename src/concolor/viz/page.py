"""``report``: one page that shows what happened, in a single file without network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.theory import collapse
from concolor.viz.curves import duration, stage_bars, sweep_curve
from concolor.viz.embedding import BALL, PITCH, SPHERE, YAW, ball, draw_ball, gram_map
from concolor.viz.graph import colored_graph, is_drawable, is_named
from concolor.viz.picture import Picture, safe

if TYPE_CHECKING:
    from concolor.certificates import Certificate
    from concolor.sweeps import Sweep

LISTED = 100  # conflicts, and nodes of a color, that are written out


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """What a page shows; a part that is not given has no section there.

    Attributes:
        coloring: The answer, with its graph.
        raw: The coloring before polish; the embedding is shown in its colors.
        sweep: What decoding gave for every k.
        null_curve: k -> conflicts of random balanced colorings, shown beside the sweep.
        spectral: The sweep of eigenvectors without any training, shown beside it, too.
        z: Unit rows ``[n, d]``, the embedding.
        certificate: Bounds of χ.
        seconds: Time by stage, in the order of the stages.
        title: The headline; the graph's name by default.
        note: A sentence below it: what was asked, or that it was not reached.
        seed: Decides the layout, and which nodes of a large graph are on the sphere.
    """

    coloring: Coloring
    raw: Coloring | None = None
    sweep: Sweep | None = None
    null_curve: Mapping[int, int] | None = None
    spectral: Sweep | None = None
    z: ArrayLike | None = None
    certificate: Certificate | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    title: str | None = None
    note: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        mine = self.coloring.graph
        for name in ("raw", "sweep", "spectral", "certificate"):
            part = getattr(self, name)
            if part is not None and part.graph.digest != mine.digest:
                raise InputError(f"the {name} is of {part.graph}, the coloring of {mine}")


def report(facts: Report) -> str:
    """The page as HTML text: pictures, bounds and lists, for light, dark, paper and phones."""
    style, script = (
        files(__package__).joinpath(f"page.{kind}").read_text(encoding="utf-8")
        for kind in ("css", "js")
    )
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    title = safe(facts.title or facts.coloring.graph.name)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title} · concolor</title>
<style>
{style}</style>
</head>
<body>
<div class="report">
<main>
<header>
<h1>{title}</h1>
{_headline(facts)}
</header>
<div class="pair">
{_sections(_views(facts))}
</div>
<div class="cards">
{_sections(_cards(facts))}
</div>
</main>
<script>{script}</script>
</div>
</body>
</html>
"""


def _headline(facts: Report) -> str:
    coloring, graph = facts.coloring, facts.coloring.graph
    colors = _count(coloring.k, "color")
    if coloring.is_proper:
        lead = f'<span class="good">✓ Proper</span> coloring with {colors}: no edge is in conflict.'
    else:
        lead = (
            f'<span class="bad">✗ Not proper</span>: {colors}, {coloring.conflicts} of '
            f"{graph.m} edges ({_percent(coloring.mono)}) are in conflict."
        )
    note = f'<p class="note">{safe(facts.note)}</p>\n' if facts.note else ""
    tiles = "".join(
        f"<div><dt>{name}</dt><dd>{value}<small>{more}</small></dd></div>"
        for name, value, more in _tiles(facts)
    )
    return f'<p class="lead">{lead}</p>\n{note}<dl>{tiles}</dl>'


def _tiles(facts: Report) -> Iterator[tuple[str, str, str]]:
    """Name, number, and what more there is to say about it."""
    coloring, graph = facts.coloring, facts.coloring.graph
    if facts.title:
        yield "graph", safe(graph.name), ""
    yield "nodes", f"{graph.n}", ""
    yield "edges", f"{graph.m}", f"density {_percent(graph.density)}"
    yield "colors", f"{coloring.k}", ""
    yield "conflicts", f"{coloring.conflicts}", _percent(coloring.mono) + " of the edges"
    if coloring.weight is not None:
        yield "weight", f"{coloring.weight:.6g}", "in conflict, of all edges together"
    if facts.raw is not None:
        wrong = f"{_count(facts.raw.conflicts, 'conflict')}, {_percent(facts.raw.mono)}"
        yield "colors before polish", f"{facts.raw.k}", wrong
    if facts.certificate is not None:
        low, high, gap = facts.certificate.lower, facts.certificate.upper, facts.certificate.gap
        needed = f"gap {gap}" if gap else "proved"
        yield "colors needed (χ)", f"{low} to {high}" if gap else f"{low}", needed
    elif graph.chi is not None:
        yield "colors needed (χ)", f"{graph.chi}", "known"
    if facts.seconds:
        yield "time", duration(sum(facts.seconds.values())), _count(len(facts.seconds), "stage")


def _sections(parts: Iterator[tuple[str, str]]) -> str:
    return "\n".join(f"<section><h2>{heading}</h2>\n{body}</section>" for heading, body in parts)


def _views(facts: Report) -> Iterator[tuple[str, str]]:
    """The two large pictures."""
    yield "The colored graph", _graph(facts.coloring, facts.seed)
    if facts.z is not None and facts.coloring.graph.n:
        shown = facts.raw or facts.coloring
        yield "The sphere of embeddings", _sphere(shown, facts.z, facts.raw is not None, facts.seed)


def _cards(facts: Report) -> Iterator[tuple[str, str]]:
    """Heading and HTML of every further section that there is something for."""
    coloring = facts.coloring
    if facts.z is not None and coloring.graph.n:
        yield "How orthogonal the prototypes are", _gram(facts.raw or coloring, facts.z)
    if facts.sweep is not None:
        beside = None if facts.spectral is None else facts.spectral.curve
        picture = sweep_curve(facts.sweep, facts.null_curve, beside)
        caption = _sweep_caption(facts.sweep) + _controls_caption(facts)
        yield "Conflicts for each number of colors", _figure(picture, caption)
    if facts.certificate is not None:
        lines = "".join(f"<li>{_sentence(line)}</li>" for line in facts.certificate.statements)
        about = "θ is the Lovász number of the complement; every clique ≤ θ ≤ χ."
        yield "Bounds and what they prove", f'<ul>{lines}</ul><p class="soft">{about}</p>'
    if facts.seconds:
        yield "Where the time went", _figure(stage_bars(facts.seconds))
    if coloring.conflicts:
        yield "Edges in conflict", _conflicts(coloring)
    if coloring.graph.n:
        yield "Nodes by color", _classes(coloring)


def _graph(coloring: Coloring, seed: int) -> str:
    if is_drawable(coloring):
        caption = "Fill and shape tell the color of a node; the legend counts the nodes of each."
        if is_named(coloring):
            caption += " The number in a node is its color, the text beside it is its name."
        wrong = " Thick dashed red lines are the edges in conflict."
    else:
        caption = (
            "The adjacency matrix with nodes sorted by color; the stronger a dot, the more edges "
            "it stands for."
        )
        wrong = " Edges in conflict are red and lie in the framed blocks of the diagonal."
    picture = colored_graph(coloring, seed=seed)
    return _figure(picture, caption + ("" if coloring.is_proper else wrong))


def _sphere(coloring: Coloring, z: ArrayLike, is_raw: bool, seed: int) -> str:
    shown = ball(coloring, z, seed=seed)
    data = {
        "points": np.rint(1000 * shown.points).astype(int).tolist(),
        "prototypes": np.rint(1000 * shown.prototypes).astype(int).tolist(),
        "yaw": YAW,
        "pitch": PITCH,
        "middle": SPHERE / 2,
        "radius": BALL,
    }
    drawn, n = len(shown.nodes), coloring.graph.n
    part = "" if drawn == n else f" It shows {drawn} of {n} nodes, chosen at random."
    caption = (
        f"Every point is a node; every line through the center is the prototype of a color"
        f"{' before polish' if is_raw else ''}. The picture has three of {np.shape(z)[1]} "
        f"dimensions, which hold {_percent(shown.seen)} of the squared length.{part} "
        '<span class="hint">Drag it, or turn it with the arrow keys.</span>'
    )
    svg = draw_ball(coloring, shown).svg()
    return (
        f'<figure><div id="sphere" tabindex="0" role="group" aria-label="Sphere, turned by '
        f'arrow keys">{svg}</div><figcaption>{caption}</figcaption></figure>'
        f'<script type="application/json" id="ball">{json.dumps(data, separators=(",", ":"))}'
        "</script>"
    )


def _gram(coloring: Coloring, z: ArrayLike) -> str:
    found = collapse(coloring.graph, coloring.colors, z)
    caption = (
        "How parallel the lines of two colors are: 0 means orthogonal, 1 the same line. No node "
        f"is farther than {found.delta:.3f} from its line, and no two neighbors are more parallel "
        f"than {found.eps:.3f}."
    )
    return _figure(gram_map(found), caption)


def _sweep_caption(sweep: Sweep) -> str:
    k, allowed = sweep.k_star(), f"at most {_percent(sweep.max_mono)} of the edges in conflict"
    has = _percent(sweep.mono(k))
    if sweep.hit():
        text = f"k* = {k} is the smallest k with {allowed}; it has {has}."
    else:
        text = f"No k has {allowed}; k = {k} comes closest, with {has}."
    return text + (" The sweep was stopped early." if sweep.is_cut else "")


def _controls_caption(facts: Report) -> str:
    text = " Null: the best of ten random colorings." if facts.null_curve else ""
    if facts.spectral is not None:
        k, reached = (
            facts.spectral.k_star(),
            "get there" if facts.spectral.hit() else "come closest",
        )
        has = _percent(facts.spectral.mono(k))
        text += f" Spectral: eigenvectors without training; they {reached} with k = {k}, {has}."
    return text


def _conflicts(coloring: Coloring) -> str:
    names, edges = coloring.graph.node_names, coloring.conflicting_edges
    rows = [(names[u], names[v], coloring.colors[u]) for u, v in edges[:LISTED].tolist()]
    more = f'<p class="soft">The first {LISTED} of {len(edges)}.</p>' if len(edges) > LISTED else ""
    return more + _table(("node", "node", "color of both"), rows)


def _classes(coloring: Coloring) -> str:
    names = coloring.graph.node_names
    rows = []
    for color, nodes in zip(np.unique(coloring.colors), coloring.classes, strict=True):
        listed = ", ".join(names[v] for v in nodes[:LISTED].tolist())
        more = f" and {len(nodes) - LISTED} more" if len(nodes) > LISTED else ""
        rows.append((color, len(nodes), listed + more))
    table = _table(("color", "count", "nodes"), rows)
    return f"<details><summary>{_count(coloring.k, 'color')}</summary>{table}</details>"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    top = "".join(f'<th scope="col">{safe(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{safe(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>{top}'
        f"</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _figure(picture: Picture, caption: str = "") -> str:
    below = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure>{picture.svg()}{below}</figure>"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _sentence(text: str) -> str:
    return safe(text.replace("<=", "≤").replace(">=", "≥"))


def _percent(share: float) -> str:
    return f"{100 * share:.3g}\N{NO-BREAK SPACE}%"
