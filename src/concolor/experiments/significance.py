"""Whether two means over seeds differ by more than chance, and by how much more than many rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control, ttest_ind_from_stats

LEVEL = 0.05  # of the rows that are called different, so many may be by chance alone


def welch(mean: float, std: float, seeds: int, other: tuple[float, float, int]) -> float:
    r"""The p-value of Welch's test that two means are equal, from means, deviations and counts.

    .. math:: t = (m_1 - m_2) / \sqrt{s_1^2 / n_1 + s_2^2 / n_2}

    with Welch and Satterthwaite's degrees of freedom. Where neither side varies there is no chance:
    1 for equal means, else 0.

    >>> round(welch(1.2, 0.1, 10, (1.3, 0.1, 10)), 4)
    0.0382
    """
    if std == other[1] == 0:
        return float(mean == other[0])
    return float(ttest_ind_from_stats(mean, std, seeds, *other, equal_var=False).pvalue)


def adjusted(p: Sequence[float]) -> NDArray[np.float64]:
    r"""p-values of many tests, corrected after Benjamini and Hochberg: at most :data:`LEVEL` of
    those that stay below it are expected to be by chance.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \; \frac{N}{j} p_{(j)}

    >>> adjusted([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return np.asarray(false_discovery_control(p)) if len(p) else np.empty(0)
