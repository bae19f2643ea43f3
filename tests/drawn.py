"""Small graphs and rules, drawn by hypothesis."""

from itertools import combinations

from hypothesis import strategies as st

from concolor.graph.core import Graph


@st.composite
def graphs(draw, n=7):
    n = draw(st.integers(0, n))
    pairs = list(combinations(range(n), 2))
    return Graph.from_edges(n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


@st.composite
def ruled(draw, top=4):
    """A small graph, presets that no edge contradicts, and forbidden colors, all below ``top``."""
    graph, color = draw(graphs(6)), st.integers(0, top - 1)
    nodes = range(graph.n)
    preset = {}
    for v in nodes:
        c = draw(st.none() | st.none() | color)
        if c is not None and c not in {preset.get(u) for u in graph.neighbors(v).tolist()}:
            preset[v] = c
    banned = {v: draw(st.just(set()) | st.sets(color, max_size=top)) for v in nodes}
    return graph, preset, {v: banned[v] - {preset.get(v)} for v in nodes}
