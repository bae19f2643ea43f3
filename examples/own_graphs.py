"""Training on your own graphs: learn from some, color others like them, and judge it beside chance.

python examples/own_graphs.py [EPOCHS]
"""

import sys
from collections.abc import Callable
from tempfile import TemporaryDirectory

import numpy as np

import concolor as cc

SPEC = "exam:50x60"  # 50 courses, 60 students: a small conflict graph of a school
ALLOWED = 0.05  # of the edges may stay monochromatic where the model works alone


def main(epochs: str = "20") -> None:
    # yours would be [cc.read(path) for path in Path("jobs").glob("*.col")]
    old = [cc.family(SPEC, seed=seed) for seed in range(30)]
    new = [cc.family(SPEC, seed=seed) for seed in range(100, 106)]

    recipe = cc.Recipe(
        pipeline="v1abs",  # the absolute loss: colors are lines
        encoder="gated_rnn",
        features="random",
        redraw=True,  # other random features in every epoch
        hidden=32,
        layers=8,
        steps=16,  # of the encoder after training
        tau=0.2,
        lr=0.005,
        decay=True,
        batch_size=3,
        decoder="line_means",
        epochs=int(epochs),
    )
    colorer = cc.Colorer(recipe).fit(old)
    history = colorer.model.history
    print(f"Trained on {len(old)} graphs for {history.steps} steps")
    print(f"Loss {history.losses[-1]:.3f}, and it cannot go below {history.bound:.3f}")

    with TemporaryDirectory() as folder:  # the model is one file
        colorer.save(f"{folder}/school.safetensors")
        colorer = cc.Colorer.load(f"{folder}/school.safetensors")
    found = cc.evaluate(colorer, new, max_mono=ALLOWED)
    print(f"Mean colors on {len(new)} new graphs, up to {ALLOWED:.0%} of the edges in conflict:")
    show("null, the best of ten random colorings", found.mean("null_k"))
    show("this model alone", found.mean("k"))
    show("the shipped model alone", mean_k(cc.color, new, max_mono=ALLOWED, polish=False))
    show("tabu search", mean_k(tabu_search, new, max_mono=ALLOWED))

    print("Mean colors without any conflict:")
    show("DSATUR", mean_k(cc.dsatur, new))
    show("tabu search", mean_k(tabu_search, new))
    show("this model, then tabu search", mean_k(cc.color, new, model=colorer, time_limit=0.3))


def tabu_search(graph: cc.Graph, **goal) -> cc.Coloring:
    return cc.solve(graph, "tabucol", time_limit=0.3, **goal).coloring


def mean_k(color: Callable[..., cc.Coloring], graphs: list[cc.Graph], **asked) -> float:
    return float(np.mean([color(graph, **asked).k for graph in graphs]))


def show(what: str, colors: float) -> None:
    print(f"  {what:40}{colors:5.2f}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (cc.ConcolorError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
