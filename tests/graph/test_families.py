import csv
import math
import os
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import InputError, UnknownName
from concolor.graph import families
from concolor.graph.cliques import quick_clique
from concolor.graph.core import Graph
from concolor.graph.families import FAMILIES, family, random

UNKNOWN = [
    "er",
    "planted",
    "geometric",
    "barabasi",
    "watts",
    "regular",
    "exam",
    "chords",
    "clubs",
]  # no chi
RANDOM = [*UNKNOWN, "interval"]

SMALL = """
cycle:3 cycle:4 cycle:7 path:1 path:2 path:5 complete:1 complete:5 bipartite:1x1 bipartite:3x4
multipartite:4 multipartite:1x2x3 turan:7x3 turan:5x5 turan:5x1 wheel:4 wheel:5 wheel:11
wheel:12 petersen icosahedral kneser:5x2 kneser:6x2 kneser:4x2 kneser:5x3 kneser:3x1 myciel:1
myciel:2 myciel:3 queen:1 queen:2 queen:3 queen:4 queen:5 queen:1x6 queen:2x5 queen:4x5
queen:3x7 grid:1x1 grid:1x4 grid:3x4 torus:3x3 torus:3x4 torus:4x4 torus:4x5 torus:5x5
hypercube:0 hypercube:1 hypercube:4
"""
BAD = """
cycle cycle: cycle:abc cycle:2 cycle:-5 cycle:3.5 cycle:3x4 cycle:nan path:0 complete:0
complete:-2 bipartite:3 bipartite:0x3 multipartite multipartite:3x0 turan:3x4 turan:3x0 wheel:3
petersen:5 kneser:3x4 kneser:3x0 kneser:3 myciel:0 queen:0 queen:3x queen:1x2x3 grid:4 grid:0x4
hypercube:-1 er:10 er:10x er:10x1.5 er:10x-0.1 er:10xnan er:0x0.5 er:1.5x0.5 planted:10x11x0.5
planted:10x0x0.5 planted:10x3 geometric:10x-1 geometric:10xinf geometric:0x1 barabasi:3x3
barabasi:3x0 watts:10x3x0.1 watts:10x10x0.1 watts:10x4x2 torus:2x5 torus:5 regular:5x5 regular:5x3
regular:5x-2 exam:0x5 exam:5x-1 exam:5 exam:5x1.5 interval:0x1 interval:5x-1 interval:5x6 interval:5
chords:0x5x1 chords:3x3x-1 chords:2x2x9 chords:3x3 clubs:1x1 clubs:5x-1 clubs:5
er:10: er::0.5 er:10xx0.5
"""
HUGE = """
cycle:1000000000 path:1000000000 complete:100000 bipartite:100000x100000 turan:100000x3
multipartite:100000x100000 wheel:1000000000 kneser:40x20 kneser:1000x500 myciel:30 myciel:99999
queen:10000 queen:1x100000 grid:100000x100000 hypercube:60 hypercube:99999 er:100000x0.5
er:1000000000x0 planted:100000x5x0.5 geometric:1000000x0.5 barabasi:100000000x3
watts:100000000x4x0.1 torus:100000x100000 regular:100000x50000 exam:5x100000000
interval:100000x50000 chords:100000x100000x5 clubs:5x100000000 cycle:99999999999999999999999999
"""


def as_networkx(graph):
    twin = nx.Graph(graph.edges.tolist())
    twin.add_nodes_from(range(graph.n))
    return twin


def chromatic_number(graph):
    """Slow and obvious: backtracking for k = 0, 1, ...; a node tries used colors and one more."""

    def extends(colors, k):
        node = len(colors)
        if node == graph.n:
            return True
        seen = {colors[v] for v in graph.neighbors(node) if v < node}
        tries = range(min(k, max(colors, default=-1) + 2))
        return any(extends([*colors, c], k) for c in tries if c not in seen)

    return next(k for k in range(graph.n + 1) if extends([], k))


@pytest.mark.parametrize("name", FAMILIES)
def test_every_entry_builds_its_example_under_its_own_name(name):
    entry = FAMILIES[name]
    graph = family(entry.example)

    assert graph.name == entry.example
    assert (graph.loops, graph.duplicates) == (0, 0)
    assert entry.doc


@pytest.mark.parametrize("name", FAMILIES)
def test_an_unknown_chromatic_number_is_left_out(name):
    assert (family(FAMILIES[name].example).chi is None) == (name in UNKNOWN)


@pytest.mark.parametrize("spec", SMALL.split())
def test_the_chromatic_number_is_the_true_one(spec):
    graph = family(spec)
    assert graph.chi == chromatic_number(graph)


@pytest.mark.parametrize(
    ("spec", "twin"),
    [
        ("cycle:9", nx.cycle_graph(9)),
        ("path:9", nx.path_graph(9)),
        ("complete:9", nx.complete_graph(9)),
        ("bipartite:4x6", nx.complete_bipartite_graph(4, 6)),
        ("multipartite:2x3x4", nx.complete_multipartite_graph(2, 3, 4)),
        ("turan:13x4", nx.turan_graph(13, 4)),
        ("wheel:9", nx.wheel_graph(9)),
        ("petersen", nx.petersen_graph()),
    ],
)
def test_equals_networkx_node_by_node(spec, twin):
    assert nx.utils.graphs_equal(as_networkx(family(spec)), nx.Graph(twin.edges))


@pytest.mark.parametrize(
    ("spec", "twin"),
    [
        ("icosahedral", nx.icosahedral_graph()),
        ("hypercube:4", nx.hypercube_graph(4)),
        ("grid:4x5", nx.grid_2d_graph(4, 5)),
        ("torus:4x5", nx.grid_2d_graph(4, 5, periodic=True)),
        ("myciel:4", nx.mycielski_graph(5)),
        ("myciel:2", nx.cycle_graph(5)),
        ("kneser:5x2", nx.petersen_graph()),
    ],
)
def test_equals_networkx_up_to_labels(spec, twin):
    assert nx.is_isomorphic(as_networkx(family(spec)), twin)


@pytest.mark.slow
@given(st.integers(1, 8), st.data())
def test_kneser_joins_disjoint_subsets_in_lexicographic_order(n, data):
    k = data.draw(st.integers(1, n))
    subsets = list(combinations(range(n), k))
    pairs = combinations(range(len(subsets)), 2)
    slow = [(a, b) for a, b in pairs if not set(subsets[a]) & set(subsets[b])]
    assert families.kneser(n, k) == Graph.from_edges(len(subsets), slow)


@pytest.mark.slow
@given(st.integers(1, 6), st.integers(1, 6))
def test_queens_and_grids_are_the_moves_on_a_board(rows, cols):
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    queen, grid = [], []
    for a, b in combinations(range(len(cells)), 2):
        down, right = (abs(p - q) for p, q in zip(cells[a], cells[b], strict=True))
        if 0 in (down, right) or down == right:
            queen.append((a, b))
        if down + right == 1:
            grid.append((a, b))
    assert families.queen(rows, cols) == Graph.from_edges(len(cells), queen)
    assert families.grid(rows, cols) == Graph.from_edges(len(cells), grid)


@pytest.mark.parametrize("n", [5, 7, 11, 13, 25, 35])
def test_boards_prime_to_six_have_the_linear_coloring(n):
    graph = families.queen(n)
    row, col = np.divmod(np.arange(n * n), n)
    coloring = Coloring(graph, (col - 2 * row) % n)
    assert coloring.is_proper
    assert coloring.k == graph.chi == n


@pytest.mark.slow
def test_queen_is_silent_where_mathematics_is():
    sizes = range(1, 34)
    unknown = [n for n in sizes if families.queen(n).chi is None]
    assert unknown == [27, 30, 33]
    assert families.queen(8, 12).chi == families.queen(12, 8).chi == 12
    assert families.queen(8, 9).chi is None
    growing = [families.queen(n).chi for n in range(1, 27)]
    assert growing == sorted(growing)  # a board is part of the next one


@pytest.mark.parametrize(("n", "nodes", "edges"), [(3, 11, 20), (5, 47, 236), (7, 191, 2360)])
def test_mycielski_graphs_have_no_triangle(n, nodes, edges):
    graph = families.myciel(n)
    assert (graph.n, graph.m, graph.chi) == (nodes, edges, n + 1)
    square = graph.adjacency() @ graph.adjacency()
    assert (square.multiply(graph.adjacency())).sum() == 0


color_files = pytest.mark.skipif(
    "CONCOLOR_DATA" not in os.environ, reason="needs the COLOR files: set CONCOLOR_DATA"
)


def color_folder():
    return Path(os.environ["CONCOLOR_DATA"]) / "color"


@color_files
@pytest.mark.parametrize(
    ("spec", "file"),
    [(f"queen:{n}", f"queen{n}_{n}") for n in range(5, 17)]
    + [("queen:8x12", "queen8_12")]
    + [(f"myciel:{n}", f"myciel{n}") for n in range(3, 8)],
)
def test_equals_the_dimacs_file_node_by_node(spec, file):
    lines = (color_folder() / f"{file}.col").read_text().splitlines()
    n = next(int(line.split()[2]) for line in lines if line.startswith("p"))
    edges = [(int(u) - 1, int(v) - 1) for _, u, v in (x.split() for x in lines if x[:2] == "e ")]
    with (color_folder() / "known.csv").open() as table:
        known = {row["name"]: row for row in csv.DictReader(table)}[file]

    graph = family(spec)
    assert graph == Graph.from_edges(n, edges)
    assert str(graph.chi) == known["chi_lower"] == known["chi_upper"]


@pytest.mark.slow
@pytest.mark.parametrize("name", RANDOM)
def test_the_seed_decides_the_graph(name):
    example = FAMILIES[name].example
    assert family(example, seed=1) == family(example, seed=1)
    assert family(example, seed=1) != family(example, seed=2)
    with pytest.raises(InputError, match="seed"):
        family(example, seed=-1)


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.003, 0.1, 0.9])
def test_er_chooses_every_pair_with_the_same_probability(p):
    n, draws = 12, 400
    counts = np.zeros((n, n))
    for seed in range(draws):
        u, v = family(f"er:{n}x{p}", seed=seed).edges.T
        counts[u, v] += 1
    pairs = counts[np.triu_indices(n, 1)]
    spread = math.sqrt(draws * p * (1 - p))
    assert abs(pairs.mean() - draws * p) < 5 * spread / math.sqrt(len(pairs))
    assert np.abs(pairs - draws * p).max() < 5 * spread + 2
    assert pairs.var() < 2 * spread**2  # no pair is preferred
    assert pairs.var() > spread**2 / 2


def test_er_at_the_ends():
    assert family("er:30x0").m == 0
    assert family("er:30x1") == family("complete:30")
    assert family("er:1x0.5").m == 0
    assert family("er:2x1e-15").m == 0


@pytest.mark.slow
def test_er_does_not_need_all_pairs_in_memory():
    graph = family("er:1000000x0.000001")  # 5e11 pairs
    assert graph.m == pytest.approx(500_000, rel=0.01)


@pytest.mark.slow
@given(st.integers(2, 10**9), st.integers(-1, 1))
def test_the_index_of_a_pair_is_exact_where_the_root_is_rounded(v, step):
    index = v * (v - 1) // 2 + step  # rows of pairs begin here
    ((a, b),) = random._pair_of(np.array([index])).tolist()
    assert 0 <= a < b
    assert b * (b - 1) // 2 + a == index


def test_planted_classes_color_the_graph():
    n, k, p = 60, 3, 0.5
    graph = family(f"planted:{n}x{k}x{p}", seed=9)
    assert graph.m == pytest.approx(p * 3 * 20 * 20, rel=0.15)
    complement = nx.complement(as_networkx(family(f"planted:{n}x{k}x1", seed=9)))
    classes = [sorted(part) for part in nx.connected_components(complement)]
    assert [len(part) for part in classes] == [20, 20, 20]
    for part in classes:
        assert graph.subgraph(part).m == 0
    assert family("planted:9x1x0.5").m == 0


def test_geometric_joins_all_close_points():
    points = np.random.default_rng(2).random((80, 2))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    u, v = np.nonzero(np.triu(distances <= 0.2, 1))
    assert family("geometric:80x0.2", seed=2) == Graph.from_edges(80, np.stack([u, v], axis=1))


def test_barabasi_and_watts_have_their_sizes():
    grown = family("barabasi:200x3")
    assert grown.degrees.min() >= 1
    assert grown.m == pytest.approx(3 * 200, abs=10)
    assert nx.is_connected(as_networkx(grown))
    assert family("watts:50x4x0.5").m == 100
    assert (family("watts:50x4x0").degrees == 4).all()


def test_chords_are_a_grid_and_as_many_edges_more():
    graph, grid = family("chords:6x7x50", seed=1), family("grid:6x7")
    assert graph.m == grid.m + 50
    assert set(map(tuple, grid.edges.tolist())) <= set(map(tuple, graph.edges.tolist()))
    assert family("chords:1x1x0").m == 0


def test_clubs_have_cliques_and_few_people_are_in_many():
    graph = family("clubs:2000x1500", seed=1)
    assert len(quick_clique(graph)) >= 15
    assert graph.degrees.max() > 10 * np.median(graph.degrees)
    assert 2 * graph.m < 30 * graph.n


def test_all_separators_give_the_same_graph():
    graph = family("planted:40x3x0.3", seed=5)
    assert family("planted:40:3:0.3", seed=5) == family("planted:40,3,0.3", seed=5) == graph


@pytest.mark.parametrize(("n", "d"), [(10, 3), (20, 6), (7, 0), (8, 7)])
def test_regular_graphs_are_regular(n, d):
    assert (family(f"regular:{n}x{d}", seed=3).degrees == d).all()


def slow_intervals(n, load, seed):
    rng = np.random.default_rng(seed)
    begin = rng.random(n)
    return begin, begin + rng.exponential(load / n, n)


@pytest.mark.slow
@given(st.integers(1, 25), st.floats(0, 1), st.integers(0, 99))
def test_intervals_are_adjacent_when_they_overlap(n, share, seed):
    load = round(share * n, 3)
    begin, end = slow_intervals(n, load, seed)
    pairs = combinations(range(n), 2)
    slow = [(a, b) for a, b in pairs if begin[a] < end[b] and begin[b] < end[a]]
    assert families.interval(n, load, seed=seed) == Graph.from_edges(n, slow)


@pytest.mark.slow
@given(st.integers(1, 10), st.integers(0, 99))
def test_intervals_need_as_many_colors_as_are_alive_at_once(n, seed):
    graph = families.interval(n, min(n, 4), seed=seed)
    clique = max(map(len, nx.find_cliques(as_networkx(graph))))
    assert graph.chi == clique == chromatic_number(graph)


def test_the_load_of_intervals_is_the_mean_number_alive():
    begin, end = slow_intervals(20000, 9, seed=1)
    alive = [((begin <= t) & (t < end)).sum() for t in np.linspace(0.1, 0.9, 99)]
    assert np.mean(alive) == pytest.approx(9, rel=0.1)
    graph = family("interval:20000x9", seed=1)
    assert max(alive) <= graph.chi <= 3 * 9
    assert graph.m == pytest.approx(20000 * 9, rel=0.1)


def slow_exam(courses, students, seed):
    """One student after another, from the same random numbers."""
    rng = np.random.default_rng(seed)
    programs = max(courses // 10, 1)
    own = rng.integers(programs, size=(students, 1))
    inside = rng.integers((courses - 1 - own) // programs + 1, size=(students, 5))
    stays = rng.random((students, 5)) < 0.8
    anywhere = rng.integers(courses, size=(students, 5))
    few = rng.integers(2, 6, size=students)
    timetable = []
    for s in range(students):
        of_program = [c for c in range(courses) if c % programs == own[s, 0]]
        picks = [of_program[inside[s, i]] if stays[s, i] else anywhere[s, i] for i in range(few[s])]
        timetable.append(set(picks))
    return timetable


@pytest.mark.slow
@given(st.integers(1, 45), st.integers(0, 30), st.integers(0, 99))
def test_courses_are_adjacent_when_a_student_takes_both(courses, students, seed):
    taken = slow_exam(courses, students, seed)
    pairs = combinations(range(courses), 2)
    slow = [(a, b) for a, b in pairs if any({a, b} <= picks for picks in taken)]
    assert families.exam(courses, students, seed=seed) == Graph.from_edges(courses, slow)


def test_exams_of_one_program_collide_more_often():
    graph = family("exam:80x300", seed=4)
    u, v = graph.edges.T
    assert np.mean(u % 8 == v % 8) > 0.4  # by chance it would be 0.11


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("queen:8", "queen:8x8"),
        ("Queen:8,12", "queen:8x12"),
        (" er:10X0.50 ", "er:10x0.5"),
        ("er:10:0.5", "er:10x0.5"),
        ("planted:30:3x0.2", "planted:30x3x0.2"),
        ("interval:30x4.0", "interval:30x4"),
    ],
)
def test_specs_are_normalized(spec, name):
    assert family(spec).name == name


@pytest.mark.parametrize("spec", BAD.split())
def test_bad_specs_are_refused_with_an_example(spec):
    example = FAMILIES[spec.partition(":")[0]].example
    with pytest.raises(InputError, match=example):
        family(spec)


@pytest.mark.parametrize("spec", HUGE.split())
def test_huge_specs_are_refused_before_they_are_built(spec):
    with pytest.raises(InputError, match="too large"):
        family(spec)


@pytest.mark.parametrize("spec", ["quen:8", "", ":", "8x8", "queen8x8"])
def test_unknown_families_are_told_the_known_ones(spec):
    with pytest.raises(UnknownName, match="Known: barabasi"):
        family(spec)
