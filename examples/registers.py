"""Register allocation: from a block of code to registers, and to spills where they are too few.

python examples/registers.py [BLOCK.txt [REGISTERS]]
"""

import sys
from pathlib import Path

import numpy as np

import concolor as cc

DATA = Path(__file__).parent / "data"


def main(block: str = f"{DATA}/block.txt", registers: str = "5") -> None:
    names, ranges = live_ranges(Path(block))
    graph = interference(names, ranges)
    plenty = cc.color(graph)
    proof = cc.certify(graph, plenty, time_limit=2)
    print(f"{graph.n} values, {graph.m} pairs live at once")
    print(f"{plenty.k} registers are enough, and {proof.lower} are needed")
    show(plenty, ranges)

    few = int(registers)
    tight = cc.color(graph, k=few, time_limit=0.5)
    print(f"With {few} registers, pairs that share one while both are live: {tight.conflicts}")
    for u, v in tight.conflicting_edges:
        print(f"  {names[u]} and {names[v]} in r{tight.colors[u]}")
    kept, spilled = spill(graph, few)
    print(f"Spilled to memory: {', '.join(spilled) or 'none'}; the others fit in {few} registers")
    show(kept, [ranges[names.index(name)] for name in kept.graph.node_names])


def live_ranges(path: Path) -> tuple[list[str], list[tuple[int, int]]]:
    """Values, and for each the line that makes it and the last line that reads it."""
    born: dict[str, int] = {}
    dies: dict[str, int] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        words = line.partition("#")[0].split()
        target, read = (None, words[1:]) if words[:1] == ["out"] else (words[:1], words[3:])
        if target and (words[1:2] != ["="] or len(words) < 3 or words[0] in born):
            raise SystemExit(f"{path}:{number}: expected a new name = operation, got {line!r}")
        for name in read:
            if name not in born:
                raise SystemExit(f"{path}:{number}: {name} is read before it is made")
            dies[name] = number
        for name in target or ():
            born[name] = dies[name] = number
    return list(born), [(born[name], dies[name]) for name in born]


def interference(names: list[str], ranges: list[tuple[int, int]]) -> cc.Graph:
    """Two values disturb each other if one is made while the other is still to be read."""
    start, end = np.array(ranges).reshape(-1, 2).T
    made_within = (start[:, None] <= start) & (start < end[:, None])
    return cc.Graph.from_edges(len(names), np.argwhere(made_within), name="block", names=names)


def spill(graph: cc.Graph, registers: int) -> tuple[cc.Coloring, list[str]]:
    """Send values to memory, the one with most conflicts first, until the others fit."""
    spilled: list[str] = []
    while True:
        found = cc.color(graph, k=registers, time_limit=0.2)
        if found.is_proper:
            return found, spilled
        counts = np.bincount(found.conflicting_edges.ravel(), minlength=graph.n)
        worst = np.lexsort((graph.degrees, counts))[-1]  # of equal ones the most constrained
        spilled.append(graph.node_names[worst])
        graph = graph.subgraph(np.delete(np.arange(graph.n), worst))


def show(coloring: cc.Coloring, ranges: list[tuple[int, int]]) -> None:
    for register, values in zip(np.unique(coloring.colors), coloring.classes, strict=True):
        inside = ", ".join(
            f"{coloring.graph.node_names[v]} {ranges[v][0]}-{ranges[v][1]}" for v in values
        )
        print(f"  r{register}: {inside}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (cc.ConcolorError, OSError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
