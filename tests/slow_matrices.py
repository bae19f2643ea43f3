"""Matrix colorings by their definitions, slowly."""

from itertools import combinations, pairwise, permutations, product

import networkx as nx
import numpy as np


def is_column(there, colors):
    """Columns that share a row have different colors."""
    return all(
        colors[j] != colors[h] for row in there for j, h in combinations(np.flatnonzero(row), 2)
    )


def graph_of(there):
    graph = nx.Graph()
    graph.add_nodes_from(range(len(there)))
    graph.add_edges_from((i, j) for i, j in np.argwhere(there) if i < j)
    return graph


def is_proper(graph, colors):
    return all(colors[u] != colors[v] for u, v in graph.edges)


def is_star(there, colors):
    """Proper, and no path on four nodes has two colors; -1 is a node that is not colored yet."""
    graph = graph_of(there)
    known = graph.subgraph(v for v in graph if colors[v] >= 0)
    paths = (
        path
        for path in permutations(known, 4)
        if all(known.has_edge(*step) for step in pairwise(path))
    )
    return is_proper(known, colors) and all(len({colors[v] for v in p}) > 2 for p in paths)


def is_acyclic(there, colors):
    """Proper, and no cycle has two colors."""
    graph = graph_of(there)
    known = graph.subgraph(v for v in graph if colors[v] >= 0)
    pairs = combinations({colors[v] for v in known}, 2)
    return is_proper(known, colors) and all(
        nx.is_forest(part)
        for pair in pairs
        if len(part := known.subgraph(v for v in known if colors[v] in pair))
    )


def is_bicoloring(there, rows, columns, direct):
    """By the definition of Coleman and Verma: -1 is their neutral color 0.

    Every entry has a line with a color; the lines across a neutral one have different colors, all
    but neutral; and no path on four lines (direct), no cycle (substitution) has two colors.
    """
    m, n = there.shape
    colors = {**{("row", i): ("row", int(rows[i])) for i in range(m)}}
    colors |= {("column", j): ("column", int(columns[j])) for j in range(n)}
    graph = nx.Graph()
    graph.add_nodes_from(colors)
    graph.add_edges_from((("row", i), ("column", j)) for i, j in np.argwhere(there))
    for line in graph:
        across = [colors[other] for other in graph[line]]
        if colors[line][1] < 0 and (
            len(set(across)) < len(across) or any(color < 0 for _, color in across)
        ):
            return False
    known = graph.subgraph(line for line in graph if colors[line][1] >= 0)
    if direct:
        return all(
            len({colors[line] for line in path}) > 2
            for path in permutations(known, 4)
            if all(known.has_edge(*step) for step in pairwise(path))
        )
    classes = {color for line, color in colors.items() if color[1] >= 0}
    return all(
        nx.is_forest(part)
        for pair in combinations(classes, 2)
        if len(part := known.subgraph(line for line in known if colors[line] in pair))
    )


def is_coloring(there, kind, method, columns, rows):
    match kind:
        case "column":
            return is_column(there, columns)
        case "row":
            return is_column(there.T, rows)
        case "star":
            return is_star(there, columns)
        case "acyclic":
            return is_acyclic(there, columns)
    return is_bicoloring(there, rows, columns, method == "direct")


def fewest(there, kind, method, valid):
    """Colors of the best coloring; ``valid(columns, rows)`` judges, -1 is no color."""
    m, n = there.shape
    sizes = {"column": (n, 0), "row": (0, m), "bidirectional": (n, m)}.get(kind, (n, 0))
    least = 0 if kind not in ("column", "row") else 1
    for k in range(least, m + n + 1):
        for p in range(k + 1) if min(sizes) else [k]:
            sides = (p, k - p) if min(sizes) else (k, k)
            ranges = [range(-1, sides[0])] * sizes[0] + [range(-1, sides[1])] * sizes[1]
            for colors in product(*ranges):
                columns, rows = np.array(colors[: sizes[0]], int), np.array(colors[sizes[0] :], int)
                if valid(columns if sizes[0] else None, rows if sizes[1] else None):
                    return k
    raise AssertionError("no coloring at all")


def first_fit(n, order, fits, wish=None):
    """For each node the color that it wishes, or the first, such that ``fits(colors)`` holds.

    -1 is no color yet, and no wish.
    """
    colors = np.full(n, -1)
    for v in order:
        colors[v] = -1 if wish is None else wish[v]
        if colors[v] >= 0 and fits(colors):
            continue
        colors[v] = 0
        while not fits(colors):
            colors[v] += 1
    return colors
