"""concolor: graph coloring by contrastive learning.

Train once on graphs like yours, then color new ones in milliseconds, with as few conflicts as you
allow. The names below load on first use, so ``import concolor`` needs no torch. What trains comes
with the extra ``learn``.
"""

import sys

if sys.argv[:1] == ["-m"]:  # `python -m concolor`, of which this is the first line
    import concolor_start

    concolor_start.listen()

from importlib import import_module
from typing import TYPE_CHECKING, Any

from concolor.errors import needing_torch
from concolor.threads import wait_quietly

if TYPE_CHECKING:
    from concolor.answer import Answer as Answer
    from concolor.answer import answers as answers
    from concolor.answer import color as color
    from concolor.answer import color_many as color_many
    from concolor.certificates import Certificate as Certificate
    from concolor.certificates import certify as certify
    from concolor.certificates import certify_many as certify_many
    from concolor.certificates import verify as verify
    from concolor.colorer import Colorer as Colorer
    from concolor.coloring import Coloring as Coloring
    from concolor.decoding import Sweep as Sweep
    from concolor.decoding import sweep as sweep
    from concolor.errors import ConcolorError as ConcolorError
    from concolor.errors import Doubt as Doubt
    from concolor.errors import Interrupted as Interrupted
    from concolor.evaluation import Evaluation as Evaluation
    from concolor.evaluation import evaluate as evaluate
    from concolor.fleet import Failed as Failed
    from concolor.fleet import Workers as Workers
    from concolor.fleet import WorkersLost as WorkersLost
    from concolor.fleet import many as many
    from concolor.goal import Solution as Solution
    from concolor.graph.core import Graph as Graph
    from concolor.graph.datasets import dataset as dataset
    from concolor.graph.families import family as family
    from concolor.graph.formats import convert as convert
    from concolor.graph.formats import from_networkx as from_networkx
    from concolor.graph.formats import from_pyg as from_pyg
    from concolor.graph.formats import from_scipy as from_scipy
    from concolor.graph.formats import read as read
    from concolor.graph.formats import to_networkx as to_networkx
    from concolor.graph.formats import to_pyg as to_pyg
    from concolor.graph.formats import to_scipy as to_scipy
    from concolor.graph.formats import write as write
    from concolor.graph.transform import line_graph as line_graph
    from concolor.graph.transform import power as power
    from concolor.learning.hooks import TensorBoard as TensorBoard
    from concolor.learning.hooks import TrainingEpoch as TrainingEpoch
    from concolor.learning.recipe import Recipe as Recipe
    from concolor.learning.validation import Validator as Validator
    from concolor.matrices import MatrixColoring as MatrixColoring
    from concolor.matrices import color_matrix as color_matrix
    from concolor.solvers import solve as solve
    from concolor.solvers import solve_many as solve_many
    from concolor.solvers.frequencies import Frequencies as Frequencies
    from concolor.solvers.frequencies import frequencies as frequencies
    from concolor.solvers.greedy import dsatur as dsatur
    from concolor.solvers.null import null as null
    from concolor.solvers.pareto import pareto as pareto
    from concolor.solvers.pareto import pareto_many as pareto_many
    from concolor.solvers.recolor import Recoloring as Recoloring
    from concolor.solvers.recolor import recolor as recolor
    from concolor.tuning import Span as Span
    from concolor.tuning.study import Tuning as Tuning
    from concolor.tuning.study import tune as tune

    __version__: str

wait_quietly()

_HOMES = {
    "Answer": "answer",
    "answers": "answer",
    "Certificate": "certificates",
    "certify": "certificates",
    "certify_many": "certificates",
    "color": "answer",
    "color_many": "answer",
    "color_matrix": "matrices",
    "Colorer": "colorer",
    "Coloring": "coloring",
    "ConcolorError": "errors",
    "convert": "graph.formats",
    "dataset": "graph.datasets",
    "Doubt": "errors",
    "dsatur": "solvers.greedy",
    "evaluate": "evaluation",
    "Evaluation": "evaluation",
    "Failed": "fleet",
    "family": "graph.families",
    "Frequencies": "solvers.frequencies",
    "frequencies": "solvers.frequencies",
    "from_networkx": "graph.formats",
    "from_pyg": "graph.formats",
    "from_scipy": "graph.formats",
    "Graph": "graph.core",
    "Interrupted": "errors",
    "line_graph": "graph.transform",
    "many": "fleet",
    "MatrixColoring": "matrices",
    "null": "solvers.null",
    "pareto": "solvers.pareto",
    "pareto_many": "solvers.pareto",
    "power": "graph.transform",
    "read": "graph.formats",
    "Recipe": "learning.recipe",
    "recolor": "solvers.recolor",
    "Recoloring": "solvers.recolor",
    "Solution": "goal",
    "solve": "solvers",
    "solve_many": "solvers",
    "Span": "tuning",
    "Sweep": "decoding",
    "sweep": "decoding",
    "TensorBoard": "learning.hooks",
    "to_networkx": "graph.formats",
    "to_pyg": "graph.formats",
    "to_scipy": "graph.formats",
    "TrainingEpoch": "learning.hooks",
    "tune": "tuning.study",
    "Tuning": "tuning.study",
    "Validator": "learning.validation",
    "verify": "certificates",
    "Workers": "fleet",
    "WorkersLost": "fleet",
    "write": "graph.formats",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":  # to look it up takes longer than all the rest
        from importlib.metadata import version

        globals()[name] = version("concolor")
        return globals()[name]
    if name not in _HOMES:
        raise AttributeError(f"module 'concolor' has no attribute {name!r}")
    with needing_torch():
        return getattr(import_module(f"concolor.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
