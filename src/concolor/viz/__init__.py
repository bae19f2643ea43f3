"""Pictures of colorings and embeddings as SVG or PNG, and the report: one page that stands alone.

Every picture is a function that returns a :class:`Picture`; ``svg()`` needs nothing, ``png()``
needs matplotlib. Nothing here loads torch or matplotlib on import.
"""

from concolor.viz.curves import importance_bars, stage_bars, sweep_curve, training_curve
from concolor.viz.embedding import gram_map, sphere
from concolor.viz.graph import colored_graph, sorted_matrix
from concolor.viz.matrix import colored_matrix
from concolor.viz.page import Report, report
from concolor.viz.picture import Picture
from concolor.viz.rows import marked_rows

__all__ = [
    "Picture",
    "Report",
    "colored_graph",
    "colored_matrix",
    "gram_map",
    "importance_bars",
    "marked_rows",
    "report",
    "sorted_matrix",
    "sphere",
    "stage_bars",
    "sweep_curve",
    "training_curve",
]
