"""Trainings by one process or several; started by torchrun, each rank writes what it saw.

    torchrun --nproc-per-node 2 tests/trained_together.py FOLDER WORD...

A WORD is the name of a function below.
"""

import json
import os
import signal
import sys
from pathlib import Path

import torch

from concolor.errors import InputError, Interrupted
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.learning.ranks import together
from concolor.learning.recipe import Recipe
from concolor.learning.train import train
from concolor.solvers.greedy import dsatur

# eleven of unlike size in steps of five: 2 and 3 for two ranks, 1, 2 and 2 for three, and a last
# step with one graph for all; one is a lone node, of which batch norm sees no variance
GRAPHS = [
    *(family(f"cycle:{n}") for n in range(10, 16)),
    *(family("er:20x0.3", seed=seed) for seed in range(4)),
    Graph.from_edges(1, []),
]
SMALL = Recipe(pipeline="v1abs", hidden=16, epochs=3, batch_size=5, feature_dim=8)
CASES = {
    "gated_gcn with dropout": SMALL,
    "a color head that warms up": SMALL.but(pipeline="v2", warmup=1, dropout=0.3),
    "soft conflicts only": SMALL.but(pipeline="v5", features="random", encoder="gcn"),
    "light_rnn with run-in": SMALL.but(encoder="light_rnn", layers=6, run_in=4, clip=1.0),
    "labels that follow": SMALL.but(
        encoder="gated_rnn", redraw=True, relabel=1, features="random", decay=True
    ),
    "batch norm": SMALL.but(encoder="gps_gin"),
    "attention": SMALL.but(encoder="graph_vit", signnet=True),
}


def told(model):
    """What is compared of a model."""
    history = model.history
    weights = torch.cat([p.flatten().double() for p in model.network.state_dict().values()])
    return {
        "losses": history.losses,
        "weights": weights.tolist(),
        "stopped": history.stopped,
        "steps": history.steps,
        "judged": [history.judged, history.kept, history.before, history.after],
    }


def cases(ranks, folder):
    """All recipes."""
    return {name: told(train(recipe, GRAPHS, ranks=ranks)) for name, recipe in CASES.items()}


def more(ranks, folder):
    """A training that goes on from a model, with held-out graphs."""
    start = train(SMALL, GRAPHS)
    return told(train(SMALL.but(epochs=6), GRAPHS, start=start, ranks=ranks))


def cut(ranks, folder):
    """A training that ends at its time limit."""
    return told(train(SMALL, GRAPHS, ranks=ranks, time_limit=0, checkpoint=folder / "cut"))


def pressed(ranks, folder):
    """A training in which Ctrl-C is pressed at the last rank."""

    def press(progress):
        if progress.step == 4 and ranks.rank == ranks.world - 1:
            os.kill(os.getpid(), signal.SIGINT)

    try:
        train(SMALL, GRAPHS, ranks=ranks, checkpoint=folder / "pressed", progress=press)
    except Interrupted as stop:
        return told(stop.best)


def resumed(ranks, folder):
    """A training that goes on from a checkpoint of others."""
    return told(train(SMALL, GRAPHS, ranks=ranks, checkpoint=folder / "resumed", resume=True))


def labels(ranks, folder):
    """The graphs that are labeled at this rank."""
    seen = []

    def labeler(graph):
        seen.append(GRAPHS.index(graph))
        return dsatur(graph)

    found = told(train(SMALL, GRAPHS, labels=labeler, ranks=ranks))
    return {**found, "seen": seen}


def refused(ranks, folder):
    """What is said where one rank cannot go on, and where ranks are not alike."""

    def labeler(graph):
        if graph == GRAPHS[1]:
            raise InputError("no label for this one")
        return dsatur(graph)

    def complaint(**given):
        try:
            train(**{"recipe": SMALL, "graphs": GRAPHS, "ranks": ranks, **given})
        except InputError as error:
            return str(error)

    return [complaint(labels=labeler), complaint(recipe=SMALL.but(seed=ranks.rank))]


def main(folder, *words):
    torch.set_num_threads(1)
    with together("cpu") as ranks:
        found = {word: globals()[word](ranks, Path(folder)) for word in words}
        file = Path(folder) / f"{ranks.world}-{ranks.rank}.json"
        file.write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
