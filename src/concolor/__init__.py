"""concolor: graph coloring by contrastive learning.

Train once on graphs like yours, then color new ones in milliseconds, with as few conflicts as you
allow. The names below load on first use, so ``import concolor`` needs no torch. What trains comes
with the extra ``learn``.
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from concolor.errors import needing_torch
from concolor.threads import wait_quietly

if TYPE_CHECKING:
    from concolor.answer import Answer as Answer
    from concolor.answer import answers as answers
    from concolor.answer import color as color
    from concolor.certificates import Certificate as Certificate
    from concolor.certificates import certify as certify
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
    from concolor.learning.recipe import Recipe as Recipe
    from concolor.matrices import MatrixColoring as MatrixColoring
    from concolor.matrices import color_matrix as color_matrix
    from concolor.solvers import solve as solve
    from concolor.solvers.greedy import dsatur as dsatur
    from concolor.solvers.null import null as null
    from concolor.solvers.pareto import pareto as pareto
    from concolor.solvers.recolor import Recoloring as Recoloring
    from concolor.solvers.recolor import recolor as recolor

__version__ = _version("concolor")
wait_quietly()

_HOMES = {
    "Answer": "answer",
    "Certificate": "certificates",
    "Coloring": "coloring",
    "Colorer": "colorer",
    "ConcolorError": "errors",
    "Doubt": "errors",
    "Evaluation": "evaluation",
    "Graph": "graph.core",
    "Interrupted": "errors",
    "MatrixColoring": "matrices",
    "Recipe": "learning.recipe",
    "Recoloring": "solvers.recolor",
    "Solution": "goal",
    "Sweep": "decoding",
    "answers": "answer",
    "certify": "certificates",
    "color": "answer",
    "color_matrix": "matrices",
    "convert": "graph.formats",
    "dataset": "graph.datasets",
    "dsatur": "solvers.greedy",
    "evaluate": "evaluation",
    "family": "graph.families",
    "from_networkx": "graph.formats",
    "from_pyg": "graph.formats",
    "from_scipy": "graph.formats",
    "line_graph": "graph.transform",
    "null": "solvers.null",
    "pareto": "solvers.pareto",
    "power": "graph.transform",
    "read": "graph.formats",
    "recolor": "solvers.recolor",
    "solve": "solvers",
    "sweep": "decoding",
    "to_networkx": "graph.formats",
    "to_pyg": "graph.formats",
    "to_scipy": "graph.formats",
    "verify": "certificates",
    "write": "graph.formats",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'concolor' has no attribute {name!r}")
    with needing_torch():
        return getattr(import_module(f"concolor.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
