"""The theorems of the paper as functions: bound, stationarity, invariance, max margin, collapse.

Numpy in float64; only what evaluates the loss of a whole embedding (``loss``, ``lower_bound``,
``subgradient``, ``population``, ``invariance``) loads torch, when it is called.
"""

from concolor.theory.bound import (
    Attainment,
    Population,
    attains_bound,
    loss,
    lower_bound,
    population,
    subgradient,
)
from concolor.theory.collapse import Collapse, collapse
from concolor.theory.counts import Counts, neighbor_counts, quotient
from concolor.theory.dynamics import Dynamics, kkt_residual, margin_loss, margins, max_margin
from concolor.theory.equitable import Invariance, equitable, invariance
from concolor.theory.stationarity import (
    Stationarity,
    prototype_loss,
    prototype_subgradient,
    stationarity,
    weights,
)

__all__ = [
    "Attainment",
    "Collapse",
    "Counts",
    "Dynamics",
    "Invariance",
    "Population",
    "Stationarity",
    "attains_bound",
    "collapse",
    "equitable",
    "invariance",
    "kkt_residual",
    "loss",
    "lower_bound",
    "margin_loss",
    "margins",
    "max_margin",
    "neighbor_counts",
    "population",
    "prototype_loss",
    "prototype_subgradient",
    "quotient",
    "stationarity",
    "subgradient",
    "weights",
]
