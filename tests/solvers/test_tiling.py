from itertools import product

import numpy as np
import pytest
from pysat.solvers import Minisat22

from concolor.coloring import Coloring
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.tiling import exactly_once, tiling


def test_queens_that_tile_the_board_and_queens_that_do_not():
    for side in (5, 7):
        graph = family(f"queen:{side}")
        found = Coloring(graph, tiling(graph, side, Clock()).ask(Clock(), patience=10**6))
        assert found.is_proper and found.k == side
    for side in (8, 9):
        assert tiling(family(f"queen:{side}"), side, Clock()).ask(Clock(), patience=10**6) is False


@pytest.mark.parametrize(
    ("graph", "k"), [(family("cycle:5"), 2), (family("path:6"), 3), (Graph.from_edges(4, []), 2)]
)
def test_other_graphs_are_not_cut_into_largest_sets(graph, k):
    assert tiling(graph, k, Clock()) is None


def test_once_time_is_over_nothing_is_listed():
    assert tiling(family("queen:8"), 8, Clock(0)) is None


def test_clauses_hold_exactly_for_exact_covers():
    sets = np.random.default_rng(0).random((8, 5)) < 0.5
    solver = Minisat22()
    for block in exactly_once(sets):
        solver.append_formula(block)
    for chosen in product([False, True], repeat=8):
        literals = [s + 1 if take else -s - 1 for s, take in enumerate(chosen)]
        assert solver.solve(literals) == (sets[np.array(chosen)].sum(axis=0) == 1).all()
