import csv
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asked import coloring_of, solution_of
from concolor.coloring import Coloring
from concolor.errors import InputError, Interrupted
from concolor.goal import Task
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.formats import read
from concolor.solvers import local_search
from concolor.solvers.greedy import dsatur
from limits import ended_by

tabucol = coloring_of(local_search.tabucol)
discrete_color = coloring_of(local_search.discrete_color)
full_color = coloring_of(local_search.full_color)
SEARCHES = [tabucol, discrete_color, full_color]
SMALL = [
    *("cycle:31", "cycle:12", "path:1", "path:10", "complete:1", "complete:8", "bipartite:4x8"),
    *("multipartite:2x3x4", "turan:13x4", "wheel:11", "wheel:12", "petersen", "icosahedral"),
    *("kneser:5x2", "kneser:7x2", "kneser:6x3", "myciel:3", "myciel:4", "myciel:5"),
    *("queen:5x5", "queen:6x6", "queen:7x7", "queen:8x8", "hypercube:5", "grid:10x20"),
]
HARD = family("queen:10x10").but(chi=None)  # 11 colors; it does not know, and tries 10


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 12))
    node = st.integers(0, max(n - 1, 0))
    return Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=50)) if n else [])


@pytest.mark.parametrize("spec", SMALL)
def test_tabucol_finds_the_chromatic_number_of_small_graphs(spec):
    graph = family(spec)
    coloring = tabucol(graph, time_limit=10)
    assert coloring.is_proper and coloring.k == graph.chi


def test_tabucol_reaches_the_known_chromatic_numbers_of_color_graphs():
    """All but the queen graphs from 11 on, within seconds altogether."""
    if "CONCOLOR_DATA" not in os.environ:
        pytest.skip("CONCOLOR_DATA is not set: the COLOR graphs are not here")
    folder = Path(os.environ["CONCOLOR_DATA"]) / "color"
    rows = csv.DictReader((folder / "known.csv").read_text().splitlines())
    missed = {}
    for row in rows:
        if not re.fullmatch(r"queen1[1-6]_1[1-6]", row["name"]):
            chi = int(row["chi_upper"])
            coloring = tabucol(read(folder / f"{row['name']}.col").but(chi=chi), time_limit=5)
            assert coloring.is_proper
            if coloring.k != chi:
                missed[row["name"]] = coloring.k - chi
    assert missed == {}


@pytest.mark.parametrize("spec", ["queen:6x6", "myciel:4", "kneser:7x2", "cycle:9"])
def test_tabucol_does_not_need_to_be_told_the_chromatic_number(spec):
    graph = family(spec)
    assert tabucol(graph.but(chi=None), patience=20_000).k == graph.chi


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("spec", SMALL)
def test_every_search_is_proper_on_small_graphs(search, spec):
    graph = family(spec)
    coloring = search(graph)
    assert coloring.is_proper and coloring.k >= graph.chi


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
@given(graph=graphs(), k=st.integers(1, 14), seed=st.integers(0, 5))
@settings(deadline=None, max_examples=60)
def test_k_is_respected_on_any_graph(search, graph, k, seed):
    limit = {"patience": 500} if search is tabucol else {}
    coloring = search(graph, k=k, seed=seed, **limit)
    assert coloring.k <= k
    if k > graph.degrees.max(initial=0):
        assert coloring.is_proper
    assert coloring.conflicts <= graph.m / k  # no local minimum is worse than random


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
@given(graph=graphs(), max_mono=st.floats(0, 1))
@settings(deadline=None, max_examples=60)
def test_max_mono_is_respected_on_any_graph(search, graph, max_mono):
    limit = {"patience": 200} if search is tabucol else {}
    coloring = search(graph, max_mono=max_mono, **limit)
    assert coloring.mono <= max_mono
    assert np.unique(coloring.colors).tolist() == list(range(coloring.k))
    if max_mono == 1 and graph.n:
        assert coloring.k == 1


@pytest.mark.parametrize("search", SEARCHES)
def test_graphs_without_edges_and_without_nodes(search):
    nothing, edgeless = Graph.from_edges(0, []), Graph.from_edges(4, [])
    assert search(nothing).k == search(nothing, k=3).k == search(nothing, max_mono=0.5).k == 0
    assert search(edgeless).colors.tolist() == search(edgeless, k=3).colors.tolist() == [0] * 4


@pytest.mark.slow
@given(graph=graphs())
@settings(deadline=None, max_examples=60)
def test_the_lower_bound_is_a_clique_and_no_more_than_the_colors_needed(graph):
    lower = Task.of(graph).chi_lower
    assert lower <= tabucol(graph, patience=300).k  # proper, so at least χ
    assert lower >= min(graph.n, 1) + (graph.m > 0)


@pytest.mark.parametrize("spec", ["complete:8", "queen:8x8", "turan:13x4", "wheel:12"])
def test_the_lower_bound_finds_obvious_cliques(spec):
    clique = {"queen:8x8": 8, "wheel:12": 3}.get(spec, family(spec).chi)
    assert Task.of(family(spec).but(chi=None)).chi_lower == clique
    assert Task.of(family(spec)).chi_lower == family(spec).chi


def test_a_solution_knows_what_is_proved():
    solve = solution_of(local_search.tabucol)
    proved = solve(family("queen:7x7").but(chi=None))
    assert (proved.lower, proved.upper, proved.is_proved, proved.hit) == (7, 7, True, True)
    open_ = solve(HARD, k=9, patience=1000)
    assert (open_.lower, open_.is_proved, open_.hit) == (1, False, False)  # a clique of 10
    assert open_.upper == open_.coloring.conflicts > 1
    forced = solve(family("complete:30").but(chi=None), k=20)
    assert (forced.lower, forced.upper, forced.is_proved, forced.hit) == (10, 10, True, False)
    few = solve(family("complete:10").but(chi=None), max_mono=0.2)
    assert few.lower == few.upper == 4 and few.is_proved


def test_a_clique_stops_the_search_at_once():
    """No time limit, and a patience that would take minutes."""
    with ended_by(0):
        assert tabucol(family("queen:7x7").but(chi=None), patience=10**12).k == 7
        assert tabucol(family("complete:30").but(chi=None), k=20, patience=10**12).conflicts == 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "options"),
    [
        (tabucol, {"patience": 30_000}),
        (tabucol, {"patience": 30_000, "threads": 3}),
        (tabucol, {"k": 9, "patience": 30_000, "threads": 2}),
        (discrete_color, {"max_mono": 0.05}),
        (discrete_color, {"k": 9}),
        (full_color, {}),
    ],
)
def test_the_same_seed_gives_the_same_coloring(search, options):
    one, two, other = (search(HARD, seed=seed, **options) for seed in (4, 4, 5))
    assert one.colors.tolist() == two.colors.tolist()
    assert one.colors.tolist() != other.colors.tolist()


@pytest.mark.slow
def test_several_threads_find_what_one_finds():
    assert tabucol(HARD, seed=1, patience=200_000, threads=4).k == 11


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("options", [{}, {"k": 8}, {"max_mono": 0.001}])
def test_time_limits_are_respected(options, threads):
    for limit in (0, 0.3):
        start = time.monotonic()
        with ended_by(limit):
            coloring = tabucol(HARD, time_limit=limit, threads=threads, **options)
        assert time.monotonic() - start >= limit - 0.01  # used to the end
        assert coloring.k <= options.get("k", HARD.n)


@pytest.mark.slow
def test_time_limits_are_respected_on_a_large_graph():
    graph = family("er:50000x0.0004")
    for search in (tabucol, full_color):
        with ended_by(1):
            search(graph, k=3, time_limit=1)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"k": 8}])
def test_an_interrupt_is_raised_with_the_best_so_far(options):
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stop:
        tabucol(HARD, progress=interrupt, patience=10**12, **options)
    coloring = stop.value.best.coloring
    assert len(seen) == 4
    assert coloring.conflicts <= seen[-1].best.conflicts
    assert coloring.k <= seen[-1].best.k
    assert coloring.k <= options.get("k", 12)


SLOW = """
import sys
import time
from concolor.graph.families import family
from concolor.graph.formats import read
from concolor.solvers import solve
say = lambda progress: print("going", flush=True)
graph = family("queen:10x10").but(chi=None)
try:
    for turn in range(100):  # one Ctrl-C ends a loop over graphs
        solve(graph, threads=int(sys.argv[1]), time_limit=60, progress=say)
        print("not interrupted", flush=True)
except KeyboardInterrupt as stop:
    c = stop.best.coloring
    print("done", turn, c.k, c.conflicts)
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_ends_a_loop_over_graphs_with_the_best_so_far(threads):
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW, threads],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert child.stdout.readline() == "going\n"
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert child.returncode == 0
    word, turn, k, conflicts = out.splitlines()[-1].split()
    assert (word, turn, conflicts) == ("done", "0", "0") and int(k) in (11, 12, 13)


def test_progress_tells_where_the_search_stands():
    seen = []
    best = tabucol(HARD, patience=50_000, progress=seen.append)
    assert seen[-1].best.k == best.k
    assert seen[-1].k == best.k - 1 and seen[-1].conflicts > 0
    assert [p.steps for p in seen] == sorted(p.steps for p in seen)
    assert [p.seconds for p in seen] == sorted(p.seconds for p in seen)
    keys = [(p.best.conflicts, p.best.k) for p in seen]
    assert keys == sorted(keys, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("search", [tabucol, discrete_color])
@given(graph=graphs(), data=st.data())
@settings(deadline=None, max_examples=60)
def test_a_start_is_never_made_worse(search, graph, data):
    colors = data.draw(st.lists(st.integers(0, 5), min_size=graph.n, max_size=graph.n))
    start = Coloring(graph, np.array(colors, int))
    k = max(start.k, 1)

    assert search(graph, k=k, start=start, time_limit=0).conflicts <= start.conflicts
    proper = search(graph, start=start, time_limit=0)
    assert proper.is_proper
    if start.is_proper:
        assert proper.k <= start.k
    assert search(graph, max_mono=start.mono, start=start, time_limit=0).k <= k


def test_a_start_that_is_almost_proper_is_mended_with_its_own_colors():
    graph = family("queen:11x11").but(chi=None)
    good = tabucol(graph, k=12, time_limit=10)
    assert good.is_proper
    broken = good.colors.copy()
    broken[:3] = broken[3]
    mended = tabucol(graph, start=Coloring(graph, broken), patience=1)
    assert mended.is_proper and mended.k == 12 < dsatur(graph).k


def test_discrete_color_keeps_what_needs_no_change():
    graph = family("queen:8x8")
    good = tabucol(graph, k=9, time_limit=10)
    colors = good.colors.copy()
    colors[0] = colors[1]
    polished = discrete_color(graph, k=9, start=Coloring(graph, colors))
    assert polished.is_proper
    assert Coloring(graph, polished.colors * 9 + good.colors).k <= 10  # one class lost one node


def test_full_color_goes_on_from_a_start():
    graph = family("queen:8x8")
    start = full_color(graph, k=6, seed=1)
    seen = []
    full_color(graph, k=8, start=start, progress=seen.append)
    assert [progress.k for progress in seen] == [6, 7, 8]


def rules_for(graph, data, top):
    """Preset colors below ``top`` that no edge contradicts, and forbidden ones beside them."""
    color = st.integers(0, top - 1)
    drawn = data.draw(st.lists(st.none() | color, min_size=graph.n, max_size=graph.n))
    preset = {}
    for v, c in enumerate(drawn):
        if c is not None and c not in {preset.get(u) for u in graph.neighbors(v).tolist()}:
            preset[v] = c
    few = st.sets(color, max_size=top - 1)
    banned = data.draw(st.lists(few, min_size=graph.n, max_size=graph.n))
    return preset, {v: colors - {preset.get(v)} for v, colors in enumerate(banned)}


def honors(coloring, preset, forbidden):
    right = all(coloring.colors[v] == c for v, c in preset.items())
    return right and all(coloring.colors[v] not in colors for v, colors in forbidden.items())


@pytest.mark.slow
@pytest.mark.parametrize("search", [tabucol, discrete_color])
@given(graph=graphs(), data=st.data())
@settings(deadline=None, max_examples=100)
def test_preset_and_forbidden_colors_are_honored(search, graph, data):
    preset, forbidden = rules_for(graph, data, 4)
    rules = {"preset": preset, "forbidden": forbidden}
    colors = data.draw(st.lists(st.integers(0, 5), min_size=graph.n, max_size=graph.n))
    start = data.draw(st.none() | st.just(Coloring(graph, np.array(colors, int))))
    limit = {"patience": 200} if search is tabucol else {}

    free = search(graph, start=start, **rules, **limit)
    assert free.is_proper and honors(free, preset, forbidden)
    four = search(graph, k=4, start=start, **rules, **limit)
    assert four.colors.max(initial=0) < 4 and honors(four, preset, forbidden)
    some = search(graph, max_mono=0.3, start=start, **rules, **limit)
    assert some.mono <= 0.3 and honors(some, preset, forbidden)


def test_presets_that_fit_a_coloring_do_not_cost_a_color():
    graph = family("queen:7x7")
    answer = tabucol(graph)
    preset = {v: int(answer.colors[v]) for v in range(0, 49, 3)}
    found = tabucol(graph, k=7, preset=preset, threads=2, patience=200_000)
    assert found.is_proper and honors(found, preset, {})
    assert tabucol(graph, preset=preset, patience=200_000).k == 7


def test_forbidden_colors_may_cost_colors():
    graph = family("cycle:5")
    assert tabucol(graph, k=5).is_proper
    only_two = {v: [2, 3, 4] for v in range(5)}
    assert tabucol(graph, k=5, forbidden=only_two, patience=100).conflicts == 1
    assert tabucol(graph, forbidden={0: [0, 1, 2, 3]}).colors[0] == 4


def test_what_cannot_be_is_refused():
    graph = family("path:3")
    with pytest.raises(InputError, match="0 and 1 are adjacent and both preset to color 1"):
        tabucol(graph, preset={0: 1, 1: 1})
    with pytest.raises(InputError, match="start colors"):
        tabucol(graph, start=dsatur(family("path:4")))
    with pytest.raises(InputError, match="threads"):
        tabucol(graph, threads=0)
    with pytest.raises(InputError, match="seed"):
        tabucol(graph, seed=-1)
