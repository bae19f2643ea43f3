"""Frequency assignment: transmitters that can be heard at one place get different frequencies.

python examples/frequencies.py [TRANSMITTERS.csv [PICTURE.svg]]
"""

import csv
import sys
from pathlib import Path

import numpy as np
from scipy.spatial import KDTree

import concolor as cc
from concolor import viz

DATA = Path(__file__).parent / "data"
FIRST, STEP = 88.0, 0.4  # MHz


def main(
    transmitters: str = f"{DATA}/transmitters.csv", picture: str = "out/frequencies.svg"
) -> None:
    names, places, reach = read_transmitters(Path(transmitters))
    pairs = overlapping(places, reach)
    graph = cc.Graph.from_edges(len(names), pairs, name="transmitters", names=names)
    plan = cc.color(graph)
    proof = cc.certify(graph, plan, time_limit=2)
    print(f"{graph.n} transmitters, {graph.m} pairs can be heard at one place")
    print(f"{plan.k} frequencies, {plan.conflicts} disturbances; {proof.lower} are needed")
    for color, stations in zip(np.unique(plan.colors), plan.classes, strict=True):
        print(f"  {FIRST + STEP * color:.1f} MHz: {', '.join(names[v] for v in stations)}")

    if plan.k > 1:
        fewer = cc.color(graph, k=plan.k - 1, time_limit=1)
        print(f"With {plan.k - 1} frequencies, disturbances: {fewer.conflicts}")
        for u, v in fewer.conflicting_edges:
            apart = np.linalg.norm(places[u] - places[v])
            print(f"  {names[u]} and {names[v]}, {apart:.1f} km apart")
    viz.colored_graph(plan, positions=places).save(picture)
    print(f"The picture is in {picture}")


def read_transmitters(path: Path) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, places ``[n, 2]`` and ranges ``[n]`` in km."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        wanted = ["name", "x_km", "y_km", "range_km"]
        if not set(wanted) <= set(rows.fieldnames or ()):
            raise SystemExit(f"{path}: needs the columns {', '.join(wanted)}")
        found = [[row[column] for column in wanted] for row in rows]
    numbers = np.array([row[1:] for row in found], float).reshape(-1, 3)
    if not np.isfinite(numbers).all() or (numbers[:, 2] < 0).any():
        raise SystemExit(f"{path}: places and ranges must be numbers, ranges not below 0")
    return [row[0] for row in found], numbers[:, :2], numbers[:, 2]


def overlapping(places: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Pairs ``[m, 2]`` whose circles overlap: nearer than their two ranges together."""
    near = KDTree(places).query_pairs(2 * reach.max(), output_type="ndarray")
    u, v = near.T
    return near[np.linalg.norm(places[u] - places[v], axis=1) < reach[u] + reach[v]]


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (cc.ConcolorError, OSError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
