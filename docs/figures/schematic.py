"""What the paper's schematic figure shows, drawn from a real run: python docs/figures/schematic.py

Trains on graphs with a hidden coloring in three colors (some seconds) and writes four pictures: a
training graph with its labels, its nodes on the sphere before and after training, and a test graph
that was never seen, colored by clusters of its points. It prints what they show in numbers.
"""

from pathlib import Path

import numpy as np

import concolor as cc
from concolor.viz import colored_graph, sphere

HERE = Path(__file__).parent
RECIPE = cc.Recipe(
    pipeline="v1abs",
    encoder="gated_rnn",
    features="random",
    redraw=True,
    hidden=32,
    layers=8,
    tau=0.2,
    batch_size=4,
    epochs=20,
)


def main() -> None:
    graphs = [cc.family("planted:45x3x0.25", seed=seed) for seed in range(32)]
    unseen = cc.family("planted:60x3x0.2", seed=1000)
    start = cc.Colorer(RECIPE.but(epochs=1, lr=1e-9)).fit(graphs)  # as good as untrained
    end = cc.Colorer(RECIPE).fit(graphs)
    shown = graphs[0]
    labels = cc.dsatur(shown)
    colored_graph(labels).save(HERE / "schematic-labels.svg")
    for word, colorer in (("start", start), ("end", end)):
        z = colorer.embed(shown)
        sphere(labels, z).save(HERE / f"schematic-{word}.svg")
        cosines = np.abs(z @ z.T)
        i, j = shown.edges.T
        same = labels.colors[:, None] == labels.colors
        print(
            f"{word}: mean |cosine| of neighbors {cosines[i, j].mean():.2f}, "
            f"of one color {cosines[same].mean():.2f}"
        )
    found = end.color(unseen, max_mono=0.05, polish=False)
    colored_graph(found).save(HERE / "schematic-test.svg")
    untrained = start.color(unseen, max_mono=0.05, polish=False)
    print(
        f"unseen graph: {found.k} colors, {found.conflicts} of {unseen.m} edges in conflict; "
        f"untrained {untrained.k} colors; DSATUR {cc.dsatur(unseen).k}"
    )


if __name__ == "__main__":
    main()
