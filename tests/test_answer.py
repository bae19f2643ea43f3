"""One call from a graph to a coloring, with the shipped model and with others."""

import os
import subprocess
import sys
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

import concolor as cc
from concolor import answer as course
from concolor.answer import answers, hidden, stages
from concolor.answer.part import Reduced
from concolor.errors import InputError, Interrupted, ModelError, UnknownName
from concolor.goal import Task
from concolor.models import WITHOUT_WEIGHTS, card, load, shipped
from concolor.solvers import local_search
from concolor.solvers.belief import believed
from limits import FakeTime, press
from timetables import FIXED, SLOTS, timetable

GRAPHS = [cc.family(name) for name in ("queen:5x5", "cycle:9", "complete:4", "path:7", "er:40:0.2")]


@pytest.fixture(scope="module")
def small():
    recipe = cc.Recipe(pipeline="v1abs", features="random", hidden=16, epochs=3)
    return cc.Colorer(recipe).fit([cc.family(f"cycle:{n}") for n in range(10, 30)])


@pytest.mark.slow
@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_the_shipped_model_gives_proper_colorings_with_no_more_colors_than_dsatur(graph):
    found = cc.color(graph, time_limit=0.5)
    assert found.graph == graph
    assert found.is_proper
    assert found.k <= cc.dsatur(graph).k
    assert graph.chi is None or found.k >= graph.chi


@pytest.mark.slow
def test_at_most_k_colors():
    graph = cc.family("queen:6x6")
    found = cc.color(graph, k=5, time_limit=0.5)
    assert found.k <= 5
    assert 0 < found.conflicts <= cc.null(graph, 5).conflicts


@pytest.mark.slow
def test_fewest_colors_within_a_budget_of_conflicts():
    graph = cc.family("queen:6x6")
    raw = cc.color(graph, max_mono=0.05, polish=False)
    found = cc.color(graph, max_mono=0.05, time_limit=0.5)
    assert raw.mono <= 0.05 and found.mono <= 0.05
    assert found.k <= raw.k


@pytest.mark.slow
def test_the_raw_method_is_proper_where_nothing_else_is_asked(small):
    for graph in GRAPHS:
        assert cc.color(graph, model=small, polish=False).is_proper


@pytest.mark.slow
def test_a_model_may_be_given_itself_as_a_file_or_by_name(small, tmp_path):
    graph, file = cc.family("cycle:21"), tmp_path / "m.safetensors"
    small.save(file)
    expected = cc.color(graph, model=small, max_mono=0.05, polish=False).colors
    for model in (file, str(file)):
        found = cc.color(graph, model=model, max_mono=0.05, polish=False)
        np.testing.assert_array_equal(found.colors, expected)
    with pytest.raises(UnknownName, match="did you mean 'general'"):
        cc.color(graph, model="genral")
    with pytest.raises(ModelError, match="nowhere"):
        cc.color(graph, model="nowhere.safetensors")


def test_presets_and_forbidden_colors_are_kept_and_the_raw_method_refuses_them(small):
    graph = cc.family("cycle:8")
    found = cc.color(graph, model=small, preset={0: 1, 2: 1}, forbidden={1: [0]}, time_limit=0.2)
    assert found.is_proper
    assert found.colors[0] == found.colors[2] == 1 and found.colors[1] != 0
    with pytest.raises(InputError, match="let it polish"):
        cc.color(graph, model=small, preset={0: 1}, polish=False)


@pytest.mark.slow
def test_an_answer_says_how_it_came_about(small):
    graphs = GRAPHS[:2]
    found = list(answers(graphs, small, k=3, seed=4, time_limit=2, bounds_first=False))
    for graph, answer in zip(graphs, found, strict=True):
        assert answer.coloring.graph == answer.raw.graph == graph
        assert answer.coloring.conflicts <= answer.raw.conflicts
        assert answer.hit == answer.coloring.is_proper
        assert {"bounds", "embed", "decode", "null", "spectral"} <= set(answer.seconds)
        assert answer.z.shape == (graph.n, 16)
        np.testing.assert_allclose(np.linalg.norm(answer.z, axis=1), 1, atol=1e-5)
        assert max(answer.sweep.curve) <= 3
        assert answer.dsatur == cc.dsatur(graph).k
        assert answer.null.coloring.conflicts == cc.null(graph, 3, seed=4).conflicts
        alone = next(answers([graph], "spectral", k=3, seed=4, polish=False))
        assert answer.spectral.coloring.conflicts == alone.sweep.coloring(3).conflicts
        assert answer.left_out == ()
        assert answer.start in {"dsatur", "rlf", "clusters", "exact"}
    raw = next(answers(graphs, small, k=3, seed=4, polish=False))
    assert raw.coloring is raw.raw and list(raw.seconds) == ["embed", "decode", "null", "spectral"]
    assert raw.start == "model"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_answer(small):
    graph = cc.family("queen:5x5")
    one, two = (cc.color(graph, model=small, k=6, seed=3, polish=False) for _ in range(2))
    np.testing.assert_array_equal(one.colors, two.colors)


def test_degenerate_graphs(small):
    none, lonely = cc.Graph.from_edges(0, []), cc.Graph.from_edges(4, [])
    assert (cc.color(none, model=small).k, cc.color(lonely, model=small).k) == (0, 1)
    for asked in ({}, {"k": 3}, {"max_mono": 0.1}):
        for graph in (none, lonely, cc.family("path:2")):
            (raw,) = answers([graph], small, polish=False, **asked)
            assert raw.null.hit and raw.spectral.hit and raw.spectral.coloring.k <= 3


def test_shipped_models_have_a_card_that_names_their_command():
    assert "general" in shipped()
    for name, title in shipped().items():
        assert title
        assert ("concolor train" in card(name)) == (name != WITHOUT_WEIGHTS)
        assert load(name).model.recipe.encoder


def spied(monkeypatch, home, name):
    """The answers that a function of ``home`` gave, as they come."""
    real, given = getattr(home, name), []

    def call(*args, **options):
        given.append(real(*args, **options))
        return given[-1]

    monkeypatch.setattr(home, name, call)
    return given


@pytest.mark.slow
@pytest.mark.parametrize("wish", [{}, {"k": 7}, {"max_mono": 0.05}])
def test_a_time_limit_that_suffices_changes_nothing(small, wish):
    (free,) = answers(GRAPHS[:1], small, polish=False, **wish)
    (limited,) = answers(GRAPHS[:1], small, polish=False, time_limit=1000, **wish)
    np.testing.assert_array_equal(limited.raw.colors, free.raw.colors)
    assert dict(limited.sweep.curve) == dict(free.sweep.curve)


def test_without_time_there_is_an_answer_and_the_model_alone_gives_its_own(small, monkeypatch):
    sweeps = spied(monkeypatch, stages, "sweep_of")
    graph = cc.family("complete:30")
    (found,) = answers([graph], small, k=30, time_limit=0, bounds_first=False)
    assert not sweeps and (found.raw, found.sweep, found.z) == (None, None, None)
    assert (found.coloring.k, found.coloring.is_proper, found.hit) == (30, True, True)
    (found,) = answers([graph], small, time_limit=0, polish=False)
    assert [sweep.is_cut for sweep in sweeps if sweep.graph == graph] == [True]
    assert list(found.sweep.curve) == [1]
    assert found.raw.is_proper


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{}, {"k": 9}, {"max_mono": 0.02}])
@pytest.mark.parametrize("limit", [0.5, 3.0])
def test_every_stage_looks_at_the_clock(small, monkeypatch, asked, limit):
    """Each look costs a hundredth of a second; none goes on without looking."""
    graph = cc.family("queen:10x10").but(chi=None)
    next(answers([graph], small, time_limit=0.1))  # loads what there is to load
    time = FakeTime(monkeypatch, 0.01)
    (found,) = answers([graph], small, time_limit=limit, **asked)
    assert time.now < 1.1 * limit + 0.5
    assert found.coloring.is_proper or asked
    assert sum(found.seconds.values()) < 1.1 * limit + 0.5


@pytest.mark.slow
def test_what_there_is_no_time_for_is_left_out_and_named(small, monkeypatch):
    graph = cc.family("queen:10x10").but(chi=None)
    monkeypatch.setattr(type(small.model), "embed_within", lambda *_, **__: None)
    (found,) = answers([graph], small, time_limit=0.3)
    assert any(text.startswith("the model (") for text in found.left_out)
    assert (found.raw, found.null) == (None, None) and found.coloring.is_proper


def test_eigenvectors_that_take_too_long_are_left_out_and_named(small, monkeypatch):
    graph = cc.family("queen:6x6")
    monkeypatch.setattr(stages, "CONTROL", 0.0)
    (found,) = answers([graph], small, polish=False)
    assert found.null is not None and found.spectral is None
    assert found.left_out[0].startswith("the eigenvectors alone (about")
    monkeypatch.setattr(stages, "CONTROL", 2.0)
    monkeypatch.setattr(stages, "spectral_of", lambda *_, **__: None)  # as where the sweep is cut
    (found,) = answers([graph], small, polish=False)
    assert found.left_out == ("the eigenvectors alone (more than 2 s)",)


def test_a_draw_that_time_cut_short_does_not_pass_for_few_colors(small, monkeypatch):
    real, calls = stages.sweep_of, []

    def sweep(*args, **options):
        calls.append(args)
        return real(*args, **{**options, "time_limit": 0 if len(calls) == 2 else None})

    monkeypatch.setattr(stages, "sweep_of", sweep)
    (found,) = answers([cc.family("complete:6")], small, k=3, polish=False)
    assert list(found.sweep.curve) == [1, 2, 3] and not found.sweep.is_cut
    assert len(calls) == 2  # no further draw is begun


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sweep", "second draw", "guided"])
def test_ctrl_c_in_the_decoding_ends_it_and_skips_the_search(small, monkeypatch, place):
    graph = cc.family("queen:10x10").but(chi=None)
    sweeps, seen = spied(monkeypatch, stages, "sweep_of"), []
    if place == "sweep":
        home = sys.modules["concolor.decoding.sweep"]
        press(monkeypatch, home, "count_conflicts", lambda *_: seen.append(1) or len(seen) == 3)
    elif place == "second draw":
        press(monkeypatch, stages, "sweep_of", lambda *_, **__: seen.append(1) or len(seen) == 2)
    else:
        press(monkeypatch, stages, "guided", lambda *_, **__: True)
    proper = spied(monkeypatch, stages, "guided")
    later = [spied(monkeypatch, course, name) for name in ("repaired", "searched", "compared")]
    with pytest.raises(Interrupted) as stop:
        list(answers([graph], small, preset={0: 15}))
    found = stop.value.best
    assert len(sweeps) == {"sweep": 0, "second draw": 1, "guided": 4}[place]  # that came to an end
    assert list(found.sweep.curve)[:2] == [1, 2] and found.sweep.is_cut == (place == "sweep")
    assert not proper and not any(later)
    assert found.raw is found.sweep.best
    assert found.coloring.is_proper and found.coloring.colors[0] == 15


@pytest.mark.slow
def test_ctrl_c_in_the_search_carries_the_answer_and_color_its_coloring(small, monkeypatch):
    graph = cc.family("queen:9x9").but(chi=None)
    for call, kind in (
        (lambda: list(answers([graph], small)), cc.Answer),
        (lambda: cc.color(graph, model=small), cc.Coloring),
        (lambda: small.color(graph), cc.Coloring),
    ):
        with monkeypatch.context() as patch:
            press(patch, local_search, "tabu_search", lambda *_: True)
            with pytest.raises(Interrupted) as stop:
                call()
        assert isinstance(stop.value.best, kind)
        coloring = getattr(stop.value.best, "coloring", stop.value.best)
        assert coloring.is_proper and coloring.graph == graph


def test_arguments_are_checked_before_the_first_answer_is_asked_for(small):
    graph = cc.family("cycle:5")
    for wrong, message in (
        ({"k": 0}, "k must be"),
        ({"max_mono": 2}, "max_mono is a fraction"),
        ({"time_limit": -1}, "time_limit must be"),
        ({"draws": 0}, "draws must be at least 1"),
        ({"seed": -1}, "the seed must be"),
        ({"preset": {9: 0}}, "out of range"),
    ):
        with pytest.raises(InputError, match=message):
            answers([graph], small, **wrong)
    with pytest.raises(UnknownName):
        answers([graph], "genral")
    with pytest.raises(InputError, match=r"expected a Graph, a networkx .*, got builtins\.list"):
        answers([[(0, 1)]], small)
    with pytest.raises(InputError, match="the networkx graph is directed"):
        answers([nx.DiGraph([(0, 1)])], small)


@pytest.mark.slow
def test_a_graph_is_asked_for_and_embedded_when_its_answer_is_asked_for(small, monkeypatch):
    """So that thousands of graphs neither wait for each other nor are in memory together."""
    made, embedded = [], spied(monkeypatch, type(small.model), "embed_within")

    def graphs():
        for n in range(9, 12):
            made.append(n)
            yield cc.family(f"cycle:{n}")

    found = answers(graphs(), small, polish=False, draws=1)
    assert (made, embedded) == ([], [])
    next(found)
    assert made == [9] and len(embedded) == 1
    assert len(list(found)) == 2 and made == [9, 10, 11] and len(embedded) == 3


@pytest.mark.slow
def test_one_verb_means_one_thing(small):
    graph = cc.family("queen:5x5")
    for wish in ({}, {"k": 4}, {"max_mono": 0.1, "polish": False}):
        one, two = small.color(graph, seed=2, **wish), cc.color(graph, model=small, seed=2, **wish)
        np.testing.assert_array_equal(one.colors, two.colors)
    assert small.color(graph).is_proper


@pytest.mark.slow
def test_learning_more_leaves_the_shipped_model_alone():
    graph, before = cc.family("queen:5x5"), load().embed(cc.family("queen:5x5"), seed=0)
    mine = load()
    mine.recipe = mine.recipe.but(epochs=1, relabel=None)
    mine.fit([cc.family("cycle:8"), cc.family("cycle:9")])
    assert mine is not load()
    np.testing.assert_array_equal(load().embed(graph, seed=0), before)
    assert not np.array_equal(mine.embed(graph, seed=0), before)


def never():
    raise AssertionError("no model is needed")


@pytest.mark.parametrize(
    ("name", "asked", "value"),
    [
        ("cycle:9", {}, 3),
        ("complete:6", {}, 6),
        ("queen:5x5", {"k": 9}, 0),
        ("complete:10", {"max_mono": 0.0}, 10),
        ("path:5", {"preset": {0: 1}, "forbidden": {1: [1]}}, 2),
        ("complete:6", {"k": 4}, 2),
    ],
)
def test_bounds_settle_a_graph_without_a_model(name, asked, value):
    (found,) = answers([cc.family(name)], never, **asked)
    assert found.solution.is_proved and found.solution.lower == value
    assert found.hit == (asked != {"k": 4})
    assert (found.raw, found.sweep, found.null, found.spectral) == (None, None, None, None)
    assert list(found.seconds) == ["bounds"]


@pytest.mark.parametrize(("name", "chi"), [("queen:6x6", 7), ("queen:8x8", 9), ("myciel:5", 6)])
def test_a_brief_exact_search_settles_small_graphs_without_a_model(name, chi):
    (found,) = answers([cc.family(name).but(chi=None)], never, time_limit=60)
    assert found.solution.is_proved and found.coloring.k == chi
    assert {"search", "exact"} & set(found.seconds)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["hidden", "belief", "spectral", "clusters"])
def test_clusters_are_starts_of_the_search_and_the_answer_says_which_won(monkeypatch, start):
    """A hidden coloring that greedy colorings and a brief search are far from; all four see it."""
    if start == "clusters":
        monkeypatch.setattr(course, "revealed", lambda *_: None)
    if start in ("belief", "spectral"):
        monkeypatch.setattr(hidden, "_by_model", lambda *_: {})
    if start == "spectral":
        monkeypatch.setattr(hidden, "believed", only_with_a_hint)
    graph = cc.family("planted:1000x5x0.025").but(chi=None)
    (found,) = answers([graph], "general", time_limit=6)
    assert (found.coloring.k, found.start) == (5, start)
    assert found.dsatur > 7
    assert ("hidden" in found.seconds) == (start != "clusters")


def only_with_a_hint(graph, k, *, hint, **asked):
    return np.zeros(graph.n, np.int64) if hint is None else believed(graph, k, hint=hint, **asked)


def revealed(monkeypatch, hints, believed):
    """The ks that the hidden stage searches at, in turn, and where it ends, for such hints."""
    turns, repaired = [], hidden._is_repaired

    def noted(course, part, k, *rest):
        turns.append(k)
        return repaired(course, part, k, *rest)

    monkeypatch.setattr(hidden, "_is_repaired", noted)
    monkeypatch.setattr(hidden, "_by_model", lambda *_: hints)
    monkeypatch.setattr(hidden, "believed", believed)
    way = stages.Course(Task.of(UNEVEN, time_limit=5))
    stages.greedy(way)
    hidden.revealed(way, stages.Reduced(way))
    return turns, way.best.k


CLASSES = np.minimum(np.arange(640) // 200, 3)  # 200, 200, 200 and 40 nodes
PAIRS = np.random.default_rng(0).integers(0, 640, (6000, 2))
UNEVEN = cc.Graph.from_edges(640, PAIRS[CLASSES[PAIRS[:, 0]] != CLASSES[PAIRS[:, 1]]])


def test_a_number_of_colors_that_is_too_small_gets_its_search_last(monkeypatch):
    hints = {3: np.minimum(CLASSES, 2), 4: CLASSES}
    turns, k = revealed(monkeypatch, hints, lambda graph, k, hint, **_: hint)
    assert (turns, k) == ([4, 3], 4)


def test_a_weak_hint_is_heard_where_a_stronger_one_misleads(monkeypatch):
    """Every fifth node is wrong in the hint for 4; that for 5 is near, and messages disagree."""
    weak = np.where(np.random.default_rng(1).random(640) < 0.22, 3, CLASSES)
    hints = {4: weak, 5: np.where(np.arange(640) % 100, CLASSES, 4)}

    def told(graph, k, **_):
        return CLASSES if k == 4 else np.zeros(640, np.int64)

    turns, k = revealed(monkeypatch, hints, told)
    assert (turns, k) == ([4], 4)


def test_eigenvectors_for_which_there_is_no_time_are_not_begun(monkeypatch):
    def never(*_):
        raise AssertionError("begun")

    def unsure(graph, k, **_):
        return np.zeros(graph.n, np.int64)

    monkeypatch.setattr(hidden, "believed", unsure)
    monkeypatch.setattr(hidden, "lowest_vectors", never)
    monkeypatch.setattr(hidden, "embedder", lambda name: SimpleNamespace(
        features=SimpleNamespace(channels=16), embed_within=never))  # fmt: skip
    monkeypatch.setattr(hidden, "vector_seconds", lambda graph, count: 60.0)
    way = stages.Course(Task.of(UNEVEN, time_limit=60))
    stages.greedy(way)
    hidden.revealed(way, stages.Reduced(way))
    assert "hidden" in way.seconds


def test_nodes_outside_the_core_are_colored_last():
    """A clique with a long tail: the search sees a part of the graph, the answer is whole."""
    hard, n = cc.family("queen:10x10"), 100
    tail = [(v, v + 1) for v in range(n - 1, n + 3000)]
    graph = cc.Graph.from_edges(n + 3001, [*hard.edges.tolist(), *tail])
    part = Reduced(_greedy_course(graph))
    assert part.task.graph.n == n
    part.search.offer(np.arange(n) % 50)
    (found,) = answers([graph], time_limit=0.5)
    assert found.coloring.is_proper and found.coloring.k <= 12


def _greedy_course(graph):
    begun = stages.Course(Task.of(graph))
    stages.greedy(begun)
    return begun


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("er:100x0.5", {}),  # nobody knows chi
        ("er:100x0.5", {"k": 8}),
        ("er:100x0.5", {"max_mono": 0.05}),
        ("cycle:9", {"polish": False}),
        ("cycle:9", {"bounds_first": False}),
    ],
)
def test_the_model_is_asked_where_bounds_do_not_settle_the_goal_or_it_is_wanted(name, asked):
    with pytest.raises(AssertionError, match="no model is needed"):
        list(answers([cc.family(name)], never, **asked))


@pytest.mark.slow
def test_colors_beyond_k_do_not_settle_a_goal_with_rules():
    """DSATUR may name a color above k where colors have names."""
    path = cc.family("path:3")
    asked = {"k": 2, "preset": {0: 0}, "forbidden": {2: [0]}}
    (found,) = answers([path], "general", time_limit=0.1, **asked)
    assert found.coloring.colors.max() < 2 and found.coloring.colors[2] != 0


def test_settled_graphs_are_answered_before_the_others_are_embedded(small):
    graphs = [cc.family("cycle:9"), cc.family("er:100x0.5"), cc.family("complete:5")]
    found = answers(graphs, never)
    assert next(found).raw is None
    with pytest.raises(AssertionError):
        next(found)
    assert [a.raw is None for a in answers(graphs, small, time_limit=1)] == [True, False, True]


@pytest.mark.slow
def test_what_is_found_under_rules_without_k_is_found_with_k(small):
    """A timetable with some exams fixed: the colors are slots, numbered from 0 without gaps."""
    graph = timetable()
    free = cc.color(graph, model=small, preset=FIXED, time_limit=4)
    fixed = cc.color(graph, model=small, preset=FIXED, k=SLOTS, time_limit=8)
    for found in (free, fixed):
        assert found.is_proper and found.colors.max() < SLOTS
        assert all(found.colors[exam] == slot for exam, slot in FIXED.items())


def test_the_model_alone_does_not_know_lists_and_says_so(small):
    graph = cc.family("cycle:6").but(lists={0: (1,)})
    with pytest.raises(InputError, match="let it polish"):
        cc.color(graph, model=small, polish=False)
    assert cc.color(graph, model=small).colors[0] == 1


def test_arguments_are_checked_at_once_where_graphs_come_one_by_one(small):
    with pytest.raises(InputError, match="k must be"):
        answers(iter([]), small, k=0)


@pytest.mark.slow
def test_a_model_file_is_read_once_and_again_when_it_changed(small, tmp_path, monkeypatch):
    import concolor.models as models

    file = tmp_path / "m.safetensors"
    small.save(file)
    read = spied(monkeypatch, models, "load_embedder")
    graph = cc.family("cycle:21")
    for _ in range(2):
        cc.color(graph, model=file, polish=False)
    assert len(read) == 1
    small.save(file)
    os.utime(file, ns=(1, 1))
    cc.color(graph, model=file, polish=False)
    assert len(read) == 2


@pytest.mark.parametrize(
    ("name", "asked", "model"),
    [
        ("er:100x0.1", {}, "general"),
        ("er:600x0.6", {}, "light"),  # more than 100000 nodes and edges
        ("grid:200x200", {}, "sparse"),
        ("interval:10000x10", {}, "overlap"),
        ("er:600x0.6", {"model": "general"}, "general"),
        ("er:100x0.1", {"model": "light"}, "light"),
    ],
)
def test_a_large_graph_gets_the_light_model_unless_one_is_named(name, asked, model):
    (found,) = answers([cc.family(name)], polish=False, draws=1, max_mono=0.05, **asked)
    assert found.model == model
    assert found.z.shape[1] == (96 if model == "general" else 32)


def test_many_graphs_get_the_light_model_and_one_at_a_time_the_default(monkeypatch):
    monkeypatch.setattr("concolor.models.FLEET", 3)
    graphs = [cc.family(f"cycle:{n}") for n in (9, 11, 13)]
    assert [answer.model for answer in answers(graphs, polish=False)] == ["sparse"] * 3
    assert [answer.model for answer in answers(graphs[:2], polish=False)] == ["general"] * 2
    assert next(answers(iter(graphs), polish=False)).model == "general"  # nobody knows how many


def test_no_model_is_named_where_none_was_asked_and_a_colorer_has_no_name(small):
    (settled,) = answers([cc.family("cycle:9")])
    assert settled.model is None
    (found,) = answers([cc.family("cycle:9")], small, polish=False)
    assert found.model == "given"


@pytest.mark.slow
def test_the_shipped_model_needs_no_torch():
    code = (
        "import sys, concolor as cc; from concolor.answer import answers; "
        "graphs = [cc.family('er:100x0.5'), cc.family('er:600x0.6')]; "
        "found = list(answers(graphs, time_limit=3)); "
        "assert [a.model for a in found] == ['general', 'light'], found; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
