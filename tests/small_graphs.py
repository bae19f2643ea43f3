"""Small graphs and rules, drawn by hypothesis, and what brute force says of them."""

from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from concolor.coloring import count_conflicts
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


def fewest_conflicts(graph, k):
    """Every coloring, one by one."""
    every = product(range(k), repeat=graph.n)
    return min(count_conflicts(graph, np.array(colors, np.int64)) for colors in every)


def fewest_colors(graph, budget=0):
    ks = range(1, graph.n + 1)
    return next((k for k in ks if fewest_conflicts(graph, k) <= budget), 0)


@st.composite
def weighted(draw, n=8):
    n = draw(st.integers(1, n))
    pairs = list(combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    weights = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    return Graph.from_edges(n, edges), np.array(weights)


def independent_sets(graph):
    """All of them, one by one."""
    for chosen in range(2**graph.n):
        nodes = [v for v in range(graph.n) if chosen >> v & 1]
        if not any(v in graph.neighbors(u) for u, v in combinations(nodes, 2)):
            yield frozenset(nodes)


@st.composite
def edge_weighted(draw, n=6, most=9):
    """A small graph whose edges have whole weights."""
    graph = draw(graphs(n))
    weights = draw(st.lists(st.integers(1, most), min_size=graph.m, max_size=graph.m))
    return graph.but(weights=np.array(weights, float))


def all_colorings(n, k):
    """Every coloring, one in each row: ``[k^n, n]``."""
    return np.indices((k,) * n).reshape(n, k**n).T
