"""A clique: its size is a lower bound of θ and of χ that anyone can check by hand."""

from __future__ import annotations

import numpy as np

from concolor.graph.core import Graph


def is_clique(graph: Graph, nodes: tuple[int, ...]) -> bool:
    """All nodes are distinct and in the graph, and every pair is an edge."""
    if len(set(nodes)) != len(nodes) or not all(0 <= v < graph.n for v in nodes):
        return False
    return all(np.isin(nodes, np.append(graph.neighbors(v), v)).all() for v in nodes)
