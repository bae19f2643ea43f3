"""What PI-GNN and full-GCN share, and what is asked of both."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from asked import coloring_of
from concolor.coloring import Coloring
from concolor.errors import InputError, Interrupted
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.full_gcn import degree_weighted, full_gcn, full_gcn_sweep
from concolor.solvers.neural import Neighbors, soft_conflicts
from concolor.solvers.pi_gnn import pi_gnn, pi_gnn_sweep
from concolor.sweeps import choose_k
from limits import CtrlC, ended_by

CPU = torch.device("cpu")
SOLVERS = {
    "pi-sage": partial(coloring_of(pi_gnn), variant="sage"),
    "pi-gcn": partial(coloring_of(pi_gnn), variant="gcn"),
    "full-gcn": coloring_of(full_gcn),
}
SWEEPS = {"pi-sage": pi_gnn_sweep, "full-gcn": full_gcn_sweep}
every = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 7))
    node = st.integers(0, max(n - 1, 0))
    return Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=20)) if n else [])


def slow_conflicts(graph, p, weight):
    return sum(weight(u, v) * float(p[u] @ p[v]) for u, v in graph.edges.tolist())


@pytest.mark.parametrize("spec", ["wheel:9", "queen:4", "er:20x0.2"])
def test_the_losses_match_the_sum_over_edges(spec):
    graph = family(spec)
    p = torch.rand(graph.n, 3, generator=torch.Generator().manual_seed(1)).softmax(dim=1)
    degrees = graph.degrees.tolist()

    plain = soft_conflicts(p, Neighbors.of(graph, CPU))
    weighted = soft_conflicts(p, degree_weighted(graph, CPU))

    assert float(plain) == pytest.approx(slow_conflicts(graph, p, lambda u, v: 1), rel=1e-5)
    slow = slow_conflicts(graph, p, lambda u, v: (degrees[u] ** 3 + degrees[v] ** 3) / 2)
    assert float(weighted) == pytest.approx(slow, rel=1e-5)


@pytest.mark.slow
@given(graph=graphs())
@settings(max_examples=30, deadline=None)
def test_products_and_their_gradients_are_those_of_the_dense_matrix(graph):
    dense = torch.tensor(graph.adjacency().toarray(), dtype=torch.float32)
    scale = dense.sum(dim=1).rsqrt().nan_to_num(posinf=0)
    for matrix, twin in (
        (Neighbors.of(graph, CPU), dense),
        (Neighbors.normalized(graph, CPU), scale[:, None] * dense * scale),
        (degree_weighted(graph, CPU), dense * (dense.sum(1)[:, None] ** 3 + dense.sum(1) ** 3) / 2),
    ):
        x = torch.randn(graph.n, 2, generator=torch.Generator().manual_seed(0), requires_grad=True)
        weights = torch.randn(graph.n, 2, generator=torch.Generator().manual_seed(1))
        for fast, slow in (
            ((matrix @ x * weights).sum(), (twin @ x * weights).sum()),
            (soft_conflicts(x, matrix), (x * (twin @ x)).sum() / 2),
        ):
            torch.testing.assert_close(fast, slow, rtol=1e-4, atol=1e-4)
            (one,), (two,) = torch.autograd.grad(fast, x), torch.autograd.grad(slow, x)
            torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@every
@pytest.mark.parametrize("spec", ["cycle:8", "cycle:15", "bipartite:5x7", "wheel:8", "petersen"])
def test_proper_at_the_chromatic_number_of_easy_graphs(solver, spec):
    """With one of a few seeds: an even cycle in two colors is a trap for descents."""
    graph = family(spec)
    assert any(solver(graph, k=graph.chi, seed=seed, time_limit=5).is_proper for seed in range(5))


@pytest.mark.slow
@every
def test_finds_the_fewest_colors_by_its_sweep(solver):
    found = solver(family("cycle:9"), time_limit=10)
    assert found.is_proper and found.k == 3
    assert solver(family("cycle:30"), max_mono=0.1, time_limit=10).k == 2
    assert solver(family("cycle:30"), max_mono=1.0, time_limit=10).k == 1


@pytest.mark.slow
@every
@given(graph=graphs(), k=st.integers(1, 8))
@settings(max_examples=8, deadline=None)
def test_any_graph_gets_at_most_k_colors(solver, graph, k):
    found = solver(graph, k=k, time_limit=0.1)
    assert found.k <= k
    assert found.is_proper or k < graph.n
    assert solver(graph, max_mono=0.5, time_limit=0.1).graph is graph


@pytest.mark.slow
@every
def test_graphs_that_are_hardly_there(solver):
    assert solver(Graph.from_edges(0, [])).k == 0
    assert solver(Graph.from_edges(1, [])).k == 1
    assert solver(Graph.from_edges(4, []), k=3).k == 1
    assert solver(family("complete:4"), k=4).is_proper


@pytest.mark.slow
@every
def test_the_seed_decides_and_nothing_outside_notices(solver):
    graph = family("cycle:9")
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()

    def colors(seed):
        return solver(graph, k=3, seed=seed).colors.tolist()

    assert colors(1) == colors(1)
    assert colors(1) != colors(2)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == threads


@pytest.mark.slow
@every
@pytest.mark.parametrize("goal", [{"k": 5}, {}])
def test_the_time_limit_holds(solver, goal):
    with ended_by(0.4):
        found = solver(family("queen:8"), time_limit=0.4, **goal)
    assert found.k <= goal.get("k", 32)


@pytest.mark.slow
@every
def test_an_interrupt_leaves_the_best_so_far(solver):
    graph = family("queen:9")
    press = CtrlC()
    with ended_by(0), pytest.raises(Interrupted) as stop:
        solver(graph, k=4, time_limit=300, progress=press)
    found = stop.value.best.coloring
    assert press.pressed
    assert found.k <= 4 and found.conflicts < graph.m


@every
def test_a_better_start_is_kept_and_a_wrong_one_refused(solver):
    graph = family("queen:5")
    proper = Coloring(graph, (np.arange(25) % 5 - 2 * (np.arange(25) // 5)) % 5)
    assert proper.is_proper
    assert solver(graph, k=5, start=proper, time_limit=0.05).is_proper
    with pytest.raises(InputError, match="the start colors"):
        solver(graph, k=5, start=Coloring(family("path:2"), [0, 1]), time_limit=0.05)
    with pytest.raises(InputError, match="seed"):
        solver(graph, seed=-1)


@pytest.mark.slow
@every
def test_progress_shows_what_would_be_returned(solver):
    seen = []
    found = solver(family("cycle:15"), k=3, progress=seen.append)
    assert seen[-1].best.colors.tolist() == found.colors.tolist()
    assert [step.steps for step in seen] == sorted(step.steps for step in seen)
    assert [step.best.conflicts for step in seen] == sorted(
        (step.best.conflicts for step in seen), reverse=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", SWEEPS)
@pytest.mark.parametrize(("spec", "max_mono"), [("cycle:9", 0.0), ("petersen", 0.2)])
def test_the_protocol_tries_every_k_and_the_solver_gives_its_best(name, spec, max_mono):
    graph, wish = family(spec), {"seed": 3, "time_limit": None}
    found = SWEEPS[name](graph, k_max=6, max_mono=max_mono, **wish)
    assert list(found.curve) == list(range(1, found.k_star() + 1))
    assert found.curve[1] == graph.m
    assert (found.k_star(), True) == choose_k(found.curve, graph.m, max_mono)

    alone = SOLVERS[name](graph, max_mono=max_mono, **wish)
    assert alone.colors.tolist() == found.best.colors.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=SWEEPS)
def test_the_full_protocol_goes_on_behind_its_max_mono(sweep):
    graph = family("queen:5")
    whole = sweep(graph, k_max=3, max_mono=1.0, full=True, time_limit=1)
    assert list(whole.curve) == [1, 2, 3] and whole.k_star() == 1
    assert all(whole.coloring(k).conflicts == whole.curve[k] for k in whole.curve)


@pytest.mark.slow
def test_the_protocol_says_when_it_ran_out_of_time():
    found = pi_gnn_sweep(family("queen:9"), k_max=20, max_mono=0.0, time_limit=0.2)
    assert found.is_cut and not found.hit()
    assert not pi_gnn_sweep(family("petersen"), k_max=4, time_limit=10).is_cut
    with pytest.raises(InputError, match="k_max"):
        pi_gnn_sweep(family("petersen"), k_max=0)


@pytest.mark.slow
@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=SWEEPS)
def test_an_interrupted_protocol_has_the_k_that_are_done(sweep):
    def interrupt(progress):
        if progress.k == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stop:
        sweep(family("queen:6"), k_max=6, max_mono=0.0, time_limit=60, progress=interrupt)
    found = stop.value.best
    assert found.is_cut and list(found.curve) == list(found.colors) == [1, 2]


def test_a_wrong_start_is_refused_before_any_work():
    def fail(progress):
        raise AssertionError("it was trained")

    for solver in SOLVERS.values():
        with pytest.raises(InputError, match="the start colors"):
            wrong = Coloring(family("path:2"), [0, 1])
            solver(family("queen:5"), k=3, start=wrong, progress=fail)
