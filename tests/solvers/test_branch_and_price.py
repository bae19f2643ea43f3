import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.branch_and_price import Branch, BranchAndPrice
from small_graphs import fewest_colors, graphs


def ask(graph, k, **options):
    return BranchAndPrice(graph, k, []).ask(Clock(), **{"patience": 10_000, **options})


@pytest.mark.slow
@given(graph=graphs(6), k=st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_agrees_with_brute_force(graph, k):
    if graph.n == 0:
        return
    answer = ask(graph, k)
    if k < fewest_colors(graph):
        assert answer is False
    else:
        found = Coloring(graph, answer)
        assert found.is_proper and found.k <= k


@pytest.mark.parametrize(("spec", "chi"), [("queen:6", 7), ("myciel:3", 4), ("kneser:7x2", 5)])
def test_chromatic_numbers_above_the_fractional_one(spec, chi):
    graph = family(spec)
    assert ask(graph, chi - 1) is False
    assert Coloring(graph, ask(graph, chi)).is_proper


def test_it_goes_on_where_patience_ended():
    graph = family("myciel:3")
    asked, answers = BranchAndPrice(graph, 3, []), []
    while not answers or answers[-1] is None:
        answers.append(asked.ask(Clock(), patience=1))
    assert len(answers) > 2 and answers[-1] is False
    assert BranchAndPrice(graph, 3, []).ask(Clock(0), patience=10) is None


def test_contracting_and_joining_two_nodes():
    path = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)]).adjacency().toarray().astype(bool)
    columns = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]], bool)
    branch = Branch(path, np.arange(4), columns)
    one = branch.contracted(0, 3)
    assert one.adjacency.astype(int).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert one.member.tolist() == [0, 1, 2, 0]
    assert one.columns.astype(int).tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    two = branch.joined(0, 2)
    assert two.adjacency[0, 2] and two.adjacency[2, 0] and not path[0, 2]
    assert all(not (row[0] and row[2]) for row in two.columns) and len(two.columns) == 4
