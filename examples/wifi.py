"""Channels for access points: the pairs that disturb each other most get different ones.

python examples/wifi.py [PAIRS.csv [CHANNELS]]

Each line of the CSV is a pair of access points and how much they disturb each other on one channel.
"""

import sys
from pathlib import Path

import concolor as cc

DATA = Path(__file__).parent / "data"
NUMBERS = (1, 6, 11, 14)  # of channels that do not overlap


def main(pairs: str = f"{DATA}/wifi.csv", channels: str = "3") -> None:
    graph, k = cc.read(pairs, weights=True), int(channels)
    if not 1 <= k <= len(NUMBERS):
        raise SystemExit(f"{k} channels: there are 1 to {len(NUMBERS)} that do not overlap")
    plan = next(cc.answers([graph], k=k, time_limit=3))
    blind = cc.color(graph.but(weights=None), k=k, time_limit=1)
    print(f"{graph.n} access points, {graph.m} pairs, {graph.weights.sum():g} in all")
    print(f"{k} channels leave {plan.coloring.weight:g}, at least {plan.solution.lower:g}")
    print(f"Counting pairs only leaves {cc.Coloring(graph, blind.colors).weight:g}")
    for color, points in enumerate(plan.coloring.classes):
        print(f"  channel {NUMBERS[color]}: {', '.join(graph.node_names[v] for v in points)}")
    curve = cc.pareto(graph, k_max=len(NUMBERS), time_limit=2)
    print("By channels: " + ", ".join(f"{k}: {found.weight:g}" for k, found in curve.items()))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (cc.ConcolorError, OSError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
