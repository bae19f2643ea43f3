"""Draw docs/figures/dynamics.svg: free prototypes of a complete tripartite graph over log t.

    python docs/figures/dynamics.py

It also prints how many of 20 random starts end separated, with 3 dimensions and with 2. Needs
matplotlib.
"""

from pathlib import Path

import matplotlib
import numpy as np

from concolor.graph.families import family
from concolor.theory import Counts, max_margin, neighbor_counts

TAU = 0.3


def main() -> None:
    counts = neighbor_counts(family("multipartite:1x2x3"), np.repeat([0, 1, 2], [1, 2, 3]))
    draw(counts, Path(__file__).with_suffix(".svg"))
    for d in (3, 2):
        starts = (np.random.default_rng(seed).normal(size=(3, d)) / 2 for seed in range(20))
        separated = sum(max_margin(counts, w, TAU, steps=2000).separated for w in starts)
        print(f"d = {d}: {separated} of 20 random starts end with all margins positive")


def draw(counts: Counts, path: Path) -> None:
    """Left the squared norm over log t beside the slope of the theory, right the margins."""
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "concolor", "font.size": 9})
    from matplotlib import pyplot as plt

    run = max_margin(counts, np.random.default_rng(0).normal(size=(3, 3)) / 2, TAU, steps=5000)
    slope = TAU * counts.k  # tau / mu with the largest possible margin mu = 1/k
    print(f"slope of rho^2 over log t: {run.growth:.3f}, in the limit {slope:.3f}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 2.8), layout="constrained")
    left.plot(run.log_time, run.rho**2, label=r"$\rho(t)^2$")
    left.plot(run.log_time, slope * run.log_time, "k:", label=r"$(\tau/\mu^*)\,\log t$")
    left.set(xlabel=r"$\log t$", title="squared norm: a line in log t")
    left.legend(frameon=False)
    for pair, mu in zip(run.pairs + 1, run.mu.T, strict=True):
        right.plot(run.log_time, mu, label=rf"$\mu_{{{pair[0]}{pair[1]}}}$", linewidth=1)
    right.axhline(1 / counts.k, color="k", linestyle=":")
    right.set(xlabel=r"$\log t$", title=r"margins settle at $\mu^* = 1/3$", xlim=(-2, 40))
    right.legend(frameon=False, ncols=2)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
