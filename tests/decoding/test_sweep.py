import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.decoding import DECODERS, Clustering, Decoder, Sweep, cluster, sweep
from concolor.decoding.distance import unit
from concolor.errors import InputError, Interrupted, UnknownName
from concolor.graph.core import Graph
from concolor.sweeps import choose_k

ALL_COLUMNS = [name for name in DECODERS if name != "leading_means"]


def cycle(n):
    return Graph.from_edges(n, [(v, (v + 1) % n) for v in range(n)])


def complete(n):
    return Graph.from_edges(n, [(u, v) for v in range(n) for u in range(v)])


def random_points(n, d=6, seed=0):
    return unit(np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32))


def prototypes(classes, d=6):
    return np.eye(d, dtype=np.float32)[classes]


def slow_conflicts(graph, colors):
    return sum(
        int(colors[u] == colors[v]) for v in range(graph.n) for u in graph.neighbors(v) if u < v
    )


@pytest.fixture
def scripted(monkeypatch):
    """A decoder whose labels are written down: k -> colors."""

    def install(script):
        def prepare(z, seed):
            return lambda k: Clustering(np.array(script(k), np.int32), z[:k])

        monkeypatch.setitem(DECODERS, "scripted", Decoder("test", prepare, sees_lines=True))

    return install


def test_stops_at_the_smallest_k_with_few_enough_conflicts():
    found = sweep(cycle(6), prototypes([0, 1, 0, 1, 0, 1]), k_max=6)
    assert list(found.curve.items()) == [(1, 6), (2, 0)]
    assert (found.k_star(), found.hit(), found.k_zero, found.best.k) == (2, True, 2, 2)


def test_a_threshold_is_hit_when_it_is_met_exactly(scripted):
    scripted(lambda k: [0] * 20 if k == 1 else [0, *([0, 1] * 9), 1])
    found = sweep(cycle(20), random_points(20), k_max=5, decoder="scripted", max_mono=0.1)
    assert found.curve == {1: 20, 2: 2}
    assert found.hit()


def test_missing_the_threshold_gives_the_smallest_k_of_the_lowest_mono(scripted):
    rows = {1: [0, 0, 0, 0], 2: [0, 0, 1, 1], 3: [0, 1, 2, 0], 4: [3, 1, 2, 3]}
    scripted(rows.__getitem__)
    found = sweep(complete(4), random_points(4), k_max=4, decoder="scripted")
    assert found.curve == {1: 6, 2: 2, 3: 1, 4: 1}
    assert (found.k_star(), found.hit(), found.k_within(0.05), found.k_zero) == (
        3,
        False,
        None,
        None,
    )
    assert found.best.colors.tolist() == [0, 1, 2, 0]
    assert found.k_within(0.4) == 2


def test_a_sweep_answers_every_max_mono_at_or_above_its_own(scripted):
    rows = {1: [0] * 6, 2: [0, 0, 1, 0, 1, 1], 3: [0, 1, 2, 0, 1, 1], 4: [0, 1, 2, 0, 1, 2]}
    scripted(rows.__getitem__)
    points = random_points(6)
    found = sweep(cycle(6), points, k_max=6, decoder="scripted", max_mono=0.2)
    assert found.curve == {1: 6, 2: 2, 3: 1}
    assert (found.k_star(0.4), found.best.k, found.k_star(), found.k_zero) == (2, 3, 3, None)

    on = sweep(cycle(6), points, k_max=6, decoder="scripted", max_mono=0.4, full=True)
    assert (on.k_star(), on.k_zero) == (2, 4)


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_cap_is_never_above_n(decoder):
    found = sweep(complete(5), random_points(5), k_max=100, decoder=decoder, max_mono=0.0)
    assert max(found.curve) <= 5
    assert found.k_zero == 5


def test_the_cap_ends_the_sweep():
    found = sweep(complete(9), random_points(9), k_max=3)
    assert list(found.curve) == [1, 2, 3]
    assert not found.hit()


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("n", [1, 5])
def test_without_edges_one_color_is_enough(decoder, n):
    found = sweep(Graph.from_edges(n, []), random_points(n), k_max=4, decoder=decoder, full=True)
    assert (found.k_star(), found.hit(), found.mono(1), found.best.k) == (1, True, 0.0, 1)


@pytest.mark.parametrize("decoder", DECODERS)
def test_without_nodes_no_color_is_enough(decoder):
    empty = np.empty((0, 4))
    found = sweep(Graph.from_edges(0, []), empty, k_max=4, decoder=decoder, absolute=True)
    assert (found.k_star(), found.hit(), found.best.k, found.is_cut) == (0, True, 0, False)


@pytest.mark.parametrize("decoder", ALL_COLUMNS)
def test_k_counts_the_clusters_asked_for_and_the_coloring_the_colors_used(decoder):
    """Three distinct points on K_6: more clusters cannot separate more."""
    found = sweep(complete(6), prototypes([0, 0, 1, 1, 2, 2]), k_max=6, decoder=decoder)
    assert (found.k_star(), found.hit(), found.best.conflicts) == (3, False, 3)
    assert found.coloring(6).k == 3


@pytest.mark.parametrize("decoder", ALL_COLUMNS)
@pytest.mark.parametrize("passes", [1, 2])
def test_lines_with_random_signs_are_decoded_when_they_are_told_to_be_lines(decoder, passes):
    rng = np.random.default_rng(0)
    classes = np.tile([0, 1, 2], 10)
    signs = rng.choice([-1, 1], size=(30, 1))
    z = signs * (prototypes(classes) + 0.01 * rng.random((30, 6)))
    found = sweep(cycle(30), z, k_max=6, decoder=decoder, absolute=True, passes=passes, full=True)
    assert found.k_zero == 3


@pytest.mark.parametrize("decoder", DECODERS)
def test_signs_of_lines_change_no_color(decoder):
    z, graph = random_points(40), cycle(40)
    signs = np.random.default_rng(1).choice([-1, 1], size=(40, 1))
    runs = [
        sweep(graph, points, k_max=4, decoder=decoder, absolute=True, passes=2, full=True)
        for points in (z, signs * z)
    ]
    for k in runs[0].colors:
        np.testing.assert_array_equal(runs[0].colors[k], runs[1].colors[k])


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_same_seed_gives_the_same_sweep_and_the_cap_does_not_matter(decoder):
    z, graph = random_points(50), cycle(50)
    short, long = (sweep(graph, z, k_max=cap, decoder=decoder, seed=4, full=True) for cap in (4, 6))
    for k in short.colors:
        np.testing.assert_array_equal(short.colors[k], long.colors[k])


@pytest.mark.slow
@given(
    n=st.integers(1, 8),
    pairs=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=16),
    decoder=st.sampled_from(sorted(DECODERS)),
    absolute=st.booleans(),
    max_mono=st.sampled_from([0.0, 0.05, 0.3]),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_every_coloring_is_valid_and_the_curve_is_its_recount(
    n, pairs, decoder, absolute, max_mono, seed
):
    graph = Graph.from_edges(n, [(u % n, v % n) for u, v in pairs])
    points = random_points(n, d=3, seed=seed)
    found = sweep(graph, points, k_max=5, decoder=decoder, absolute=absolute, max_mono=max_mono)
    for k, conflicts in found.curve.items():
        coloring = found.coloring(k)
        assert coloring.k <= k
        assert coloring.colors.max() < k
        assert conflicts == slow_conflicts(graph, coloring.colors)
    assert found.hit() == (found.best.mono <= max_mono)
    assert found.best.conflicts == min(found.curve.values())


@pytest.mark.slow
def test_a_large_graph_goes_the_sampled_way_to_the_same_answer():
    assert cluster.EXACT < 3000
    rng = np.random.default_rng(0)
    z = prototypes(np.arange(3000) % 3) + 0.1 * rng.normal(size=(3000, 6))
    assert sweep(cycle(3000), z, k_max=5, max_mono=0.0).k_zero == 3


def test_a_time_limit_returns_the_best_so_far():
    tried = []
    found = sweep(
        complete(8), random_points(8), k_max=8, time_limit=0, progress=lambda k, _: tried.append(k)
    )
    assert found.is_cut
    assert tried == [1]
    assert (found.k_star(), found.hit()) == (1, False)


def test_a_sweep_that_ends_by_itself_is_not_stopped():
    assert not sweep(cycle(6), random_points(6), k_max=6, time_limit=60).is_cut


def test_progress_hears_k_and_mono():
    heard = []
    sweep(
        cycle(4),
        prototypes([0, 1, 0, 1]),
        k_max=4,
        progress=lambda k, mono: heard.append((k, mono)),
    )
    assert heard == [(1, 1.0), (2, 0.0)]


def test_ctrl_c_keeps_what_was_decoded_and_is_raised_when_there_is_nothing(scripted):
    def interrupted_at(when):
        def script(k):
            if k == when:
                raise KeyboardInterrupt
            return [0] * 6

        return script

    scripted(interrupted_at(3))
    with pytest.raises(Interrupted) as stop:
        sweep(cycle(6), random_points(6), k_max=6, decoder="scripted")
    assert stop.value.best.is_cut and list(stop.value.best.curve) == [1, 2]

    scripted(interrupted_at(1))
    with pytest.raises(KeyboardInterrupt) as stop:
        sweep(cycle(6), random_points(6), k_max=6, decoder="scripted")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"z": np.ones((3, 2))}, r"shape \[n=4, d\], got \(3, 2\)"),
        ({"z": np.full((4, 2), np.nan)}, "finite"),
        ({"k_max": 0}, "k_max=0"),
        ({"passes": 0}, "passes=0"),
        ({"max_mono": -0.1}, "fraction"),
        ({"max_mono": 5}, "fraction of the edges in 0..1"),
    ],
)
def test_what_cannot_be_used_is_refused_at_the_door(change, message):
    with pytest.raises(InputError, match=message):
        sweep(**{"graph": cycle(4), "z": random_points(4), "k_max": 4, **change})


def test_unknown_names_come_with_a_hint():
    with pytest.raises(UnknownName, match="did you mean 'kmeans'"):
        sweep(cycle(4), random_points(4), k_max=4, decoder="kmean")
    with pytest.raises(InputError, match=r"k=9 was not tried, only 1\.\.2"):
        sweep(cycle(4), prototypes([0, 1, 0, 1]), k_max=4).coloring(9)


@pytest.mark.slow
@given(
    curve=st.dictionaries(st.integers(1, 20), st.integers(0, 30), min_size=1),
    max_mono=st.floats(0, 1),
)
def test_choose_k_is_the_rule_said_slowly(curve, max_mono):
    graph = Graph.from_edges(31, [(0, v) for v in range(1, 31)])
    k, hit = choose_k(curve, graph.m, max_mono)
    reached = [k for k in sorted(curve) if curve[k] / graph.m <= max_mono]
    lowest = [k for k in sorted(curve) if curve[k] == min(curve.values())]
    assert (k, hit) == ((reached[0], True) if reached else (lowest[0], False))


def test_best_is_the_coloring_of_k_star():
    graph = cycle(4)
    colors = {1: np.zeros(4, np.int32), 2: np.array([0, 1, 0, 1], np.int32)}
    found = Sweep(graph, colors, {1: 4, 2: 0}, max_mono=1.0)
    assert isinstance(found.best, Coloring)
    assert found.best.k == 1
    assert found.k_zero == 2
