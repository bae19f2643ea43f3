"""The pictures of the README: python docs/figures/tour.py"""

from pathlib import Path

import concolor as cc
from concolor.answer import answers
from concolor.models import load
from concolor.models.spectral import spectral_sweep
from concolor.viz import colored_graph, sphere, sweep_curve

HERE = Path(__file__).parent


def main() -> None:
    graph = cc.family("planted:60x4x0.3", seed=3)
    (found,) = answers([graph], load(), max_mono=0.05)
    proper = cc.color(graph)
    nulls = {k: cc.null(graph, k).conflicts for k in found.sweep.curve}
    colored_graph(proper).save(HERE / "graph.svg")
    sphere(found.sweep.best, found.z).save(HERE / "sphere.svg")
    linear = spectral_sweep(graph, k_max=max(found.sweep.curve), full=True).curve
    sweep_curve(found.sweep, nulls, linear).save(HERE / "sweep.svg")


if __name__ == "__main__":
    main()
