"""The registry and the one call, and the greedy methods and the null behind it."""

import inspect
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import InputError, UnknownName
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers import SOLVERS, solve, understood
from concolor.solvers.greedy import dsatur
from concolor.solvers.null import null, null_sweep
from limits import ended_by

FAST = [name for name in SOLVERS if name not in ("exact", "pi-gnn", "full-gcn")]
GREEDY = ["dsatur", "largest-first", "smallest-last", "rlf"]


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 10))
    node = st.integers(0, max(n - 1, 0))
    return Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=40)) if n else [])


@pytest.mark.slow
def test_importing_the_solvers_imports_none_of_what_they_need():
    heavy = "numba torch pysat ortools"
    code = (
        f"import sys, concolor.solvers; sys.exit(any(m in sys.modules for m in '{heavy}'.split()))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.slow
def test_dsatur_needs_no_torch():
    code = (
        "import sys, concolor; from concolor.solvers import solve;"
        "solve(concolor.family('queen:5x5'), 'dsatur', k=6);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_takes_what_it_says(name):
    solver = SOLVERS[name]
    first, *others = inspect.signature(solver.run).parameters.values()
    assert first.name == "task" and all(p.kind is p.KEYWORD_ONLY for p in others)
    own = set(solver.options) - {"start", "preset", "forbidden"}  # these are in the task
    assert own <= {p.name for p in others}
    assert solver.doc


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_every_solution_says_what_is_proved(name):
    graph = family("complete:6")
    found = solve(graph, name)
    assert (found.coloring.k, found.lower, found.is_proved, found.hit) == (6, 6, True, True)
    few = solve(graph.but(chi=None), name, k=4, time_limit=1)
    assert (few.coloring.conflicts, few.lower, few.is_proved, few.hit) == (2, 2, True, False)
    assert solve(family("myciel:4").but(chi=None), name).lower == 2  # no clique shows more


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
@given(graph=graphs(), k=st.integers(1, 11))
@settings(deadline=None, max_examples=40)
def test_at_most_k_colors_or_a_proper_coloring_on_any_graph(name, graph, k):
    limit = 0.02 if "threads" in SOLVERS[name].options else None  # the others end by themselves
    assert solve(graph, name, k=k, time_limit=limit).coloring.k <= k
    assert solve(graph, name, time_limit=limit).coloring.is_proper
    assert solve(graph, name, max_mono=0.2, time_limit=limit).coloring.mono <= 0.2


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize(
    "spec", ["complete:6", "wheel:12", "queen:5x5", "hypercube:4", "kneser:5x2"]
)
def test_proper_and_never_below_the_chromatic_number(name, spec):
    graph = family(spec)
    coloring = solve(graph, name, time_limit=5).coloring
    assert coloring.is_proper and coloring.k >= graph.chi


@pytest.mark.parametrize("name", FAST)
def test_enough_colors_are_no_conflicts(name):
    graph = family("complete:5")
    assert solve(graph, name, k=5).coloring.is_proper
    assert solve(graph, name, k=3, time_limit=1).coloring.conflicts == 2
    assert solve(Graph.from_edges(0, []), name).coloring.k == 0
    assert solve(Graph.from_edges(3, []), name).coloring.k == 1
    assert solve(Graph.from_edges(1, []), name, k=4).coloring.k == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_the_same_seed_gives_the_same_coloring(name):
    graph = family("queen:8x8")
    one, two = (solve(graph, name, k=8, seed=2, time_limit=None).coloring.colors for _ in range(2))
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize("name", GREEDY)
def test_greedy_is_cut_only_where_it_must_be(name):
    graph = family("queen:8x8")
    whole = solve(graph, name).coloring
    assert solve(graph, name, k=whole.k).coloring.colors.tolist() == whole.colors.tolist()
    less = solve(graph, name, k=whole.k - 2).coloring
    assert less.k == whole.k - 2 and 0 < less.conflicts < 60
    loose = solve(graph, name, max_mono=0.05).coloring
    assert loose.k < whole.k and loose.mono <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in FAST if "preset" in SOLVERS[n].options])
def test_preset_and_forbidden_colors_are_honored(name):
    graph = family("queen:6x6")
    rules = {"preset": {0: 3, 35: 1}, "forbidden": {7: [0, 1], 8: [2]}}
    for goal in ({"k": 8}, {"k": 5}, {}, {"max_mono": 0.1}):
        coloring = solve(graph, name, time_limit=0.2, **goal, **rules).coloring
        assert coloring.colors[[0, 35]].tolist() == [3, 1]
        assert coloring.colors[7] > 1 and coloring.colors[8] != 2
        assert coloring.colors.max() < goal.get("k", 100)


def test_null_is_the_null_of_the_sweep():
    graph = family("queen:6x6")
    four = solve(graph, "null", k=4, seed=3).coloring
    assert four.colors.tolist() == null(graph, 4, seed=3).colors.tolist()
    k, coloring, hit = null_sweep(graph, k_max=36, max_mono=0.05, seed=3)
    found = solve(graph, "null", max_mono=0.05, seed=3).coloring
    assert hit and found.k == k and found.colors.tolist() == coloring.colors.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_time_limits_are_respected(name):
    graph = family("er:2000x0.02")
    with ended_by(0.3):
        solve(graph, name, time_limit=0.3)


def test_options_are_understood_or_refused_without_a_run():
    assert understood("exact", {"start": 1, "threads": None}) == {"start": 1}
    with pytest.raises(InputError, match=r"exact does not understand variant; .* pi-gnn"):
        understood("exact", {"start": None, "variant": "sage"})


def test_an_option_that_a_method_does_not_understand_is_refused():
    graph = family("path:3")
    with pytest.raises(InputError, match=r"dsatur does not understand threads; .* tabucol"):
        solve(graph, "dsatur", threads=2)
    with pytest.raises(InputError, match="rlf does not understand start"):
        solve(graph, "rlf", start=dsatur(graph))
    with pytest.raises(InputError, match="null does not understand preset"):
        solve(graph, "null", preset={0: 1})
    with pytest.raises(InputError, match="not both"):
        solve(graph, "tabucol", k=3, max_mono=0.1)
    with pytest.raises(UnknownName, match="did you mean 'tabucol'"):
        solve(graph, "tabuco")


@pytest.mark.parametrize("name", [name for name in FAST if "threads" in SOLVERS[name].options])
def test_one_color_leaves_nothing_to_search_for(name):
    graph = family("cycle:5")
    assert solve(graph, name, k=1, time_limit=0.3).coloring.conflicts == graph.m
