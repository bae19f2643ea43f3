"""Memetic search, the portfolio and the weighted search: what they share with TabuCol, and more."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asked import coloring_of, solution_of
from concolor.coloring import Coloring
from concolor.errors import ConcolorError, InputError, Interrupted
from concolor.goal import Clock, Goal, Task
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers import local_search, memetic, portfolio
from concolor.solvers.descent import go_down
from concolor.solvers.memetic import Evolution, are_twins, evolved
from concolor.solvers.search import Search
from limits import ended_by

METHODS = {
    "weighted": (local_search.weighted_tabu, {"patience": 20_000}),
    "partialcol": (local_search.partialcol, {"patience": 20_000}),
    "memetic": (memetic.memetic, {"populations": 1}),
    "portfolio": (portfolio.portfolio, {}),
}
HARD = family("queen:10x10").but(chi=None)  # 11 colors; it does not know, and tries 10
SMALL = ["cycle:31", "path:1", "complete:8", "wheel:12", "petersen", "myciel:4", "queen:7x7"]


@pytest.fixture(params=METHODS)
def method(request, monkeypatch):
    """A method that gives up early where no time limit does, and its options."""
    monkeypatch.setattr(portfolio, "PATIENCE", 20_000)
    monkeypatch.setattr(memetic, "GENERATIONS", 30)
    return METHODS[request.param]


@st.composite
def tasks(draw, top=4):
    """Any small graph, goal and rules, with colors below ``top``."""
    n = draw(st.integers(1, 8))
    node, color = st.integers(0, n - 1), st.integers(0, top - 1)
    graph = Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=24)))
    preset = {}
    for v, c in draw(st.dictionaries(node, color, max_size=3)).items():
        if c not in {preset.get(u) for u in graph.neighbors(v).tolist()}:
            preset[v] = c
    banned = draw(st.dictionaries(node, st.sets(color, max_size=top - 1), max_size=4))
    forbidden = {v: colors - {preset.get(v)} for v, colors in banned.items()}
    goal = draw(st.sampled_from([{}, {"k": 4}, {"max_mono": 0.3}]))
    return Task.of(graph, preset=preset, forbidden=forbidden, **goal)


class Ticks(Clock):
    """A clock that goes on by a second whenever it is looked at."""

    def __init__(self, limit):
        super().__init__(limit, 0.0)
        object.__setattr__(self, "count", itertools.count())

    @property
    def seconds(self):
        return float(next(self.count))

    def share(self, part):
        return self


@pytest.mark.parametrize("spec", SMALL)
def test_small_graphs_get_their_chromatic_number(method, spec):
    run, options = method
    graph = family(spec)
    coloring = coloring_of(run)(graph, **options)
    assert coloring.is_proper and coloring.k == graph.chi


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
@given(task=tasks(), seed=st.integers(0, 3))
@settings(deadline=None, max_examples=40)
def test_goals_and_rules_are_kept_on_any_graph(name, task, seed):
    found = METHODS[name][0](task.but(seed=seed, clock=Ticks(60))).coloring
    goal = task.goal
    assert goal.has_room(found.colors) and goal.rules.accept(found.colors).all()
    assert goal.k is not None or found.conflicts <= goal.budget


def test_graphs_without_edges_and_without_nodes(method):
    run = coloring_of(method[0])
    nothing, edgeless = Graph.from_edges(0, []), Graph.from_edges(4, [])
    assert run(nothing).k == run(nothing, k=3).k == run(nothing, max_mono=0.5).k == 0
    assert run(edgeless).colors.tolist() == run(edgeless, k=3).colors.tolist() == [0] * 4


@pytest.mark.parametrize("goal", [{}, {"k": 9}])
def test_the_same_seed_gives_the_same_coloring_with_one_thread_and_with_two(method, goal):
    run, options = method
    found = [
        coloring_of(run)(HARD, seed=seed, threads=threads, **goal, **options).colors.tolist()
        for seed, threads in ((4, 1), (4, 2), (5, 1), (4, 1))
    ]
    assert found[0] == found[3]
    if run in (memetic.memetic, portfolio.portfolio):  # elsewhere threads are searches
        assert found[0] == found[1]
    assert found[0] != found[2]


def test_time_that_is_over_ends_the_search_with_an_allowed_coloring(method):
    run = method[0]
    for limit in (0, 3, 20):
        task = Task(HARD, Goal.of(HARD), clock=Ticks(limit))
        assert run(task).coloring.is_proper
        few = run(Task(HARD, Goal.of(HARD, k=9), clock=Ticks(limit))).coloring
        assert few.k <= 9 and few.conflicts > 0


@pytest.mark.parametrize(
    ("goal", "left"),
    [
        ({"k": 1}, (1, 5)),
        ({"max_mono": 0.7}, (2, 1)),  # one color makes five conflicts, and three are allowed
    ],
)
def test_one_color_leaves_nothing_to_try_and_takes_no_time(method, goal, left):
    graph, clock = family("cycle:5").but(chi=None), Ticks(1000)
    found = method[0](Task(graph, Goal.of(graph, **goal), clock=clock)).coloring
    assert (found.k, found.conflicts) == left
    assert not clock.is_over


@pytest.mark.parametrize("threads", [1, 2])
def test_time_limits_end_what_has_no_other_end(method, threads):
    with ended_by(0.3):
        assert coloring_of(method[0])(HARD, time_limit=0.3, threads=threads).is_proper


@pytest.mark.parametrize("goal", [{}, {"k": 8}])
def test_an_interrupt_is_raised_with_the_best_so_far(method, goal):
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stop:
        solution_of(method[0])(HARD, progress=interrupt, time_limit=600, **goal)
    coloring = stop.value.best.coloring
    assert len(seen) == 4
    assert coloring.conflicts <= seen[-1].best.conflicts
    assert coloring.k <= min(seen[-1].best.k, goal.get("k", 12))


def test_presets_that_fit_a_coloring_do_not_cost_a_color(method):
    run, options = method
    graph = family("queen:7x7")
    answer = coloring_of(run)(graph, **options)
    preset = {v: int(answer.colors[v]) for v in range(0, 49, 3)}
    for goal in ({}, {"k": 7}):
        found = coloring_of(run)(graph, preset=preset, **goal, **options)
        assert found.is_proper and found.k == 7
        assert all(found.colors[v] == c for v, c in preset.items())


def test_a_start_is_never_made_worse(method):
    run, options = method
    good = coloring_of(local_search.tabucol)(HARD, k=11, time_limit=10)
    assert good.is_proper
    assert coloring_of(run)(HARD, start=good, time_limit=0, **options).k == 11
    worse = Coloring(HARD, np.arange(100) % 9)
    assert coloring_of(run)(HARD, k=9, start=worse, time_limit=0).conflicts <= worse.conflicts


def test_memetic_progress_counts_generations(monkeypatch):
    monkeypatch.setattr(memetic, "GENERATIONS", 30)
    seen = []
    coloring_of(memetic.memetic)(HARD, populations=1, progress=seen.append)
    generations = [p.generation for p in seen if p.k == 10]
    assert generations[0] == 0 and max(generations) > 3
    assert generations == sorted(generations)
    assert [p.steps for p in seen] == sorted(p.steps for p in seen)


def test_a_population_ends_and_the_next_gets_more_moves(monkeypatch):
    monkeypatch.setattr(memetic, "GENERATIONS", 30)
    search = Search(Task.of(HARD, k=9))
    evolution = Evolution(search, np.arange(9))
    evolution.go_on(0, populations=1)
    one = search.moves
    evolution.go_on(0, populations=2)
    assert evolution.ended == 2 and search.moves > one
    assert evolution.best[0] == Coloring(HARD, evolution.best[1]).conflicts > 0


def test_an_evolution_that_is_left_goes_on_where_it_was():
    whole, parts = (Search(Task.of(HARD, k=9)) for _ in range(2))
    one, two = Evolution(whole, np.arange(9)), Evolution(parts, np.arange(9))
    one.go_on(0, most=200_000)
    while parts.moves < whole.moves:
        two.go_on(0, most=1)  # one generation
    assert one.best[0] == two.best[0] and one.best[1].tolist() == two.best[1].tolist()
    assert one.generation == two.generation > 1


def test_twins_end_a_population():
    """With one color there is one coloring, so the first two are twins."""
    search = Search(Task.of(family("complete:4"), k=1))
    evolution = Evolution(search, np.arange(1))
    evolution.go_on(0, populations=1)
    assert evolution.ended == 1 and search.moves < 10


def test_children_are_made_by_the_crossover_that_is_given(monkeypatch):
    monkeypatch.setattr(memetic, "GENERATIONS", 5)
    asked = []

    def first_parent(one, two, k):
        asked.append((one.copy(), two.copy(), k))
        return one

    evolved(1, first_parent)(
        search := Search(Task.of(HARD, k=9)), [(np.arange(9), -np.ones(100, int))], 0
    )
    assert {k for _, _, k in asked} == {9} and search.best.k <= 9
    assert all(set(np.r_[one, two]) <= set(range(9)) for one, two, _ in asked)


@pytest.mark.parametrize(
    ("one", "two", "twins"),
    [([0, 1, 0], [4, 2, 4], True), ([0, 1, 0], [0, 1, 1], False), ([0, 1, 1], [0, 0, 0], False)],
)
def test_twins_have_the_same_classes(one, two, twins):
    assert are_twins(np.array(one), np.array(two)) is twins


def test_weighted_search_finds_what_plain_search_misses_on_a_geometric_graph():
    graph = family("geometric:300x0.5").but(chi=None)
    task = Task.of(graph)
    found = coloring_of(local_search.weighted_tabu)(graph, patience=100_000)
    assert found.is_proper and found.k == task.chi_lower
    assert coloring_of(local_search.tabucol)(graph, patience=100_000).k > found.k


def test_the_portfolio_remembers_who_won():
    way = portfolio.InTurns()
    search = Search(Task.of(family("geometric:300x0.5").but(chi=None)))
    colors = local_search.tabucol(search.task, patience=1).coloring.colors
    search.offer(colors)
    assert way.leader is local_search.plain
    go_down(search, way)
    assert way.leader is local_search.weighted and search.is_proved


def test_what_found_the_last_coloring_goes_first_and_has_four_times_the_moves(monkeypatch):
    asked, way, brief = [], portfolio.InTurns(), portfolio.OPENING * 300
    colors = np.arange(100) % 9

    class Wins:
        def __init__(self, search, palette, first):
            assert first[0].max() < len(palette)

        def go_on(self, target, most):
            asked.append(("memetic", most // 4))
            return target, colors

    def in_vain(search, starts, target, pair, patience):
        asked.append((pair, patience))
        return 99, colors

    monkeypatch.setattr(portfolio, "Evolution", Wins)
    monkeypatch.setattr(way, "_both", in_vain)
    search = Search(Task.of(HARD, k=9, time_limit=600))
    for _ in range(2):
        assert way(search, [(np.arange(9), colors)], 0)[0] == 0
    first, level = portfolio.PAIRS[0], portfolio.LEVEL  # a clique of nine: nothing to dive for
    turn = [(first, brief), (level, portfolio.LIGHT * brief), ("memetic", brief)]
    assert asked == [*turn, ("memetic", 4 * brief)]


def test_turns_grow_until_the_time_is_over(monkeypatch):
    asked, way = [], portfolio.InTurns()
    monkeypatch.setattr(portfolio, "OPENING", 1)
    monkeypatch.setattr(
        way, "_both", lambda *words: asked.append(words[-1]) or (99, np.arange(100) % 9)
    )
    monkeypatch.setattr(Evolution, "go_on", lambda self, target, most: asked.append(most) or (9, 9))
    search = Search(Task(HARD, Goal.of(HARD, k=9), clock=Ticks(14)))
    way(search, [(np.arange(9), np.arange(100) % 9)], 0)
    turns = [asked[i : i + 3] for i in range(0, len(asked) - 2, 3)]
    dives = 300 * portfolio.LIGHT
    assert turns == [[300 << i, dives << i, 1200 << i] for i in range(len(turns))]
    assert len(turns) > 1


def test_every_dive_is_for_a_little_more_colors():
    start = np.arange(30), np.arange(30)
    search = searched("er:30x0.9", k=30)
    assert search.task.chi_lower < 20
    ks = [len(portfolio.dive(search, start, before)[0]) for before in range(12)]
    assert ks == [20, 20, 25, 26, 27, 28, 28, 28, 28, 28, 29, 29]


def test_no_dive_is_for_colors_that_are_proved_too_few_or_have_rules():
    start = np.arange(8), np.arange(64)
    assert portfolio.dive(searched("queen:8x8"), start, 0) is None
    under_rules = searched("cycle:64", k=8, preset={0: 3})
    assert portfolio.dive(under_rules, start, 0) is None


def test_a_coloring_that_is_hidden_far_below_others_is_found_by_a_dive(monkeypatch):
    rng = np.random.default_rng(0)  # 20 classes of 10 nodes, half of the edges between them
    u, v = np.triu_indices(200, 1)
    graph = Graph.from_edges(200, np.c_[u, v][(u % 20 != v % 20) & (rng.random(len(u)) < 0.5)])
    assert coloring_of(local_search.tabucol)(graph, patience=30_000).k > 21
    way, search = portfolio.InTurns(), Search(Task.of(graph, time_limit=60))
    both = way._both

    def only_dives(search, starts, target, pair, patience):
        deep = starts[1:] * 2 if pair is portfolio.DIVE else []
        return both(search, deep, target, pair, patience) if deep else (99, starts[0][1])

    way.leader = lambda patience: local_search.discrete
    monkeypatch.setattr(way, "_both", only_dives)
    monkeypatch.setattr(Evolution, "go_on", lambda self, target, most: self.best)
    way(search, [(np.arange(24), rng.integers(0, 24, 200))], 0)  # down to 16, 16, and 20 colors
    assert search.best.is_proper and search.best_k <= 20


def test_what_cannot_be_is_refused(method):
    with pytest.raises(InputError, match="threads"):
        coloring_of(method[0])(HARD, threads=-1)


def searched(spec, **goal):
    return Search(Task.of(family(spec).but(chi=None), time_limit=60, **goal))


def test_largest_sets_that_cover_the_graph_are_a_coloring():
    search, palette = searched("queen:7x7"), np.arange(10, 17)
    conflicts, colors = portfolio.Tiles(search, palette).go_on(0, 10**6)
    assert conflicts == 0 and set(colors.tolist()) == set(palette.tolist())
    assert Coloring(search.graph, colors).is_proper and search.best_k == 7


@pytest.mark.parametrize(
    ("spec", "k", "target", "goal"),
    [
        ("queen:8x8", 8, 0, {}),  # eight sets of eight do not cover the board
        ("queen:7x7", 8, 0, {}),  # 49 is not a multiple of 8
        ("queen:7x7", 7, 1, {"k": 7}),
        ("queen:7x7", 7, 0, {"preset": {0: 3}}),
        ("queen:7x7", 7, 0, {"forbidden": {0: [3]}}),
    ],
)
def test_where_sets_cannot_cover_it_or_rules_are_given_nothing_is_found(spec, k, target, goal):
    search = searched(spec, **goal)
    tiles = portfolio.Tiles(search, np.arange(k))
    for _ in range(2):  # asked again, too
        conflicts, colors = tiles.go_on(target, 10**6)
        assert conflicts > search.graph.m and len(colors) == search.graph.n
    assert search.best is None


def test_the_portfolio_asks_for_such_sets_where_searches_are_in_vain(monkeypatch):
    class InVain:
        def __init__(self, search, palette, first):
            self.found = search.graph.m, first[0]

        def go_on(self, target, most):
            return self.found

    monkeypatch.setattr(portfolio, "Evolution", InVain)
    way, search = portfolio.InTurns(), searched("queen:7x7")
    monkeypatch.setattr(way, "_both", lambda search, start, *rest: (search.graph.m, start[1]))
    monkeypatch.setattr(portfolio, "OPENING", 0)
    start = np.arange(7), np.arange(49) % 7
    assert way(search, [start], 0)[0] == 0 and search.best_k == 7
    assert way.favorite is None  # no search has won


def test_without_python_sat_the_portfolio_goes_without_it(monkeypatch):
    def missing(graph, k, clock):
        raise ConcolorError("not installed")

    monkeypatch.setattr(portfolio, "tiling", missing)
    assert portfolio.Tiles(searched("queen:7x7"), np.arange(7)).go_on(0, 1)[0] > 0
