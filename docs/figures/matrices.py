"""The picture of docs/matrices.md: python docs/figures/matrices.py"""

from pathlib import Path

import numpy as np

import concolor as cc
from concolor.viz import colored_matrix


def main() -> None:
    band = np.eye(12) + np.eye(12, k=1) + np.eye(12, k=-1)
    band[0], band[:, 0] = 1, 1
    coloring = cc.color_matrix(band, "bidirectional", time_limit=None)
    colored_matrix(coloring).save(Path(__file__).with_name("matrix.svg"))


if __name__ == "__main__":
    main()
