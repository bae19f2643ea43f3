"""Greedy in blocks: proper always, the same for every crew, and only news that somebody needs."""

import json
import os
import signal
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import InputError, MissingExtra
from concolor.fleet import WorkersLost
from concolor.goal import Task
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.formats import read, write
from concolor.solvers import solve
from concolor.solvers.blocks import Block, class_order, color_in_blocks, cut, recolor_in_blocks
from concolor.solvers.crews import Actors, Processes, Threads, threads
from concolor.solvers.kernels.speculative import lot
from concolor.solvers.speculative import Alone, Together, improved
from shell import concolor


def slow_twin(graph, bounds, seed, rounds):
    """Round by round in plain Python: colors, and for each round conflicts and bytes."""
    blocks = [range(a, b) for a, b in pairwise(bounds)]
    home = {v: i for i, block in enumerate(blocks) for v in block}
    left = [sorted(block, key=lambda v: (-graph.degrees[v], v)) for block in blocks]
    sizes = [-(-len(block) // rounds) for block in blocks]
    near = [set(graph.neighbors(v).tolist()) for v in range(graph.n)]
    colors, now, log = {}, [[] for _ in blocks], []
    while True:
        rank = lambda v: (lot(v, seed), v)  # noqa: E731
        lost = {
            v
            for nodes in now
            for v in nodes
            if any(colors.get(u) == colors[v] and rank(u) < rank(v) for u in near[v])
        }
        before = {v: c for v, c in colors.items()}
        following, sent = [], 0
        for i, nodes in enumerate(now):
            waiting = [v for v in nodes if v in lost]
            fresh = max(sizes[i] - len(waiting), 0)
            own = {v: c for v, c in before.items() if v not in waiting}
            nodes, left[i] = waiting + left[i][:fresh], left[i][fresh:]
            for v in nodes:
                taken = {own.get(u) for u in near[v]}
                own[v] = next(c for c in range(graph.n) if c not in taken)
            colors |= {v: own[v] for v in nodes}
            sent += sum(len({home[u] for u in near[v]} - {i}) for v in nodes)
            following.append(nodes)
        now = following
        if not any(now):
            return [colors[v] for v in range(graph.n)], log
        log.append((sum(map(len, now)), len(lost), 5 * sent))


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    p=st.sampled_from([0.05, 0.3, 0.9]),
    blocks=st.integers(1, 4),
    rounds=st.sampled_from([1, 3, 32]),
)
@settings(max_examples=40, deadline=None)
def test_it_is_the_slow_twin(seed, p, blocks, rounds):
    graph = family(f"er:40x{p}", seed=seed)
    bounds, log = cut(graph, blocks), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("concolor.solvers.blocks.ROUNDS", rounds)
        with threads(graph, blocks, seed, at_once=False) as crew:
            color_in_blocks(crew, log.append)
            found = np.concatenate(crew.each("result", ()))
    colors, expected = slow_twin(graph, bounds.tolist(), seed, rounds)
    assert found.tolist() == colors and Coloring(graph, found).is_proper
    assert [(r.colored, r.conflicts, r.bytes) for r in log] == expected
    assert found.max() <= graph.degrees.max()


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["er:3000x0.004", "barabasi:2000x5", "queen:20x20"])
def test_recoloring_is_proper_and_never_takes_more_colors(spec):
    graph = family(spec, seed=1)
    ks = []
    with threads(graph, 3, 0, at_once=True) as crew:
        color_in_blocks(crew, lambda now: None)
        rng = np.random.default_rng(0)
        for turn in range(6):
            colors = np.concatenate(crew.each("result", ()))
            assert Coloring(graph, colors).is_proper
            ks.append(len(np.unique(colors)))
            order, log = class_order(np.bincount(colors), turn, rng), []
            recolor_in_blocks(crew, order, log.append)
            assert sum(now.colored for now in log) == graph.n
            assert all(now.conflicts == 0 for now in log)
    assert ks == sorted(ks, reverse=True)
    alone = Alone(graph)
    colors = alone.first()
    assert len(np.unique(alone.again(colors, class_order(np.bincount(colors), 0, rng)))) <= max(ks)


def test_classes_come_in_three_orders_and_empty_ones_in_none():
    sizes = np.array([3, 0, 5, 1])
    rng = np.random.default_rng(0)
    assert class_order(sizes, 0, rng) == [3, 2, 0]
    assert class_order(sizes, 1, rng) == [2, 0, 3]
    assert sorted(class_order(sizes, 2, rng)) == [0, 2, 3]


def test_blocks_have_equally_many_arcs():
    graph = family("er:2000x0.01")
    bounds = cut(graph, 4)
    assert bounds[0] == 0 and bounds[-1] == graph.n
    arcs = np.diff(graph.indptr[bounds])
    assert arcs.max() - arcs.min() <= 2 * graph.degrees.max()


@pytest.mark.parametrize("n", [0, 1, 3])
def test_graphs_that_are_hardly_there(n):
    graph = Graph.from_edges(n, [])
    with threads(graph, 2, 0, at_once=False) as crew:
        solution = improved(Task.of(graph), Together(crew))
    assert solution.coloring.colors.tolist() == [0] * n


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("blocks") / "g.csr"
    write(family("er:2000x0.005", seed=4).but(name="g"), path)
    return path


def twin(graph, blocks, seed=0):
    with threads(graph, blocks, seed, at_once=False) as crew:
        return improved(Task.of(graph, seed=seed), Together(crew))


@pytest.mark.slow
def test_two_processes_give_what_one_gives(folder):
    graph = read(folder)
    expected, found = twin(graph, 2), solve(graph, "speculative", workers=2)
    assert found.coloring == expected.coloring and found.coloring.is_proper
    assert found.rounds == expected.rounds and found.rounds[0]["bytes"] > 0
    in_memory = solve(family("er:2000x0.005", seed=4), "speculative", workers=2)
    assert in_memory.coloring.colors.tolist() == found.coloring.colors.tolist()


@pytest.fixture
def killing(monkeypatch):
    """So many times, a worker is killed after a few calls; told by how."""

    def begin(crew, kill, times):
        plain, left, calls = crew.each, [times], [0]

        def each(self, method, arguments):
            calls[0] += 1
            if left[0] and calls[0] % 5 == 0:
                left[0] -= 1
                kill(self)
            return plain(self, method, arguments)

        monkeypatch.setattr(crew, "each", each)
        return left

    return begin


def kill_a_process(crew):
    (pid,) = crew.pools[1]._processes
    os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_process_that_is_killed_changes_nothing(folder, killing):
    graph, left = read(folder), killing(Processes, kill_a_process, 1)
    found = solve(graph, "speculative", workers=2)
    assert left == [0]
    assert found.coloring == twin(graph, 2).coloring and found.coloring.is_proper


@pytest.mark.slow
def test_processes_that_are_killed_again_and_again_end_it(folder, killing):
    killing(Processes, kill_a_process, 99)
    with pytest.raises(WorkersLost, match="lost 3 times"):
        solve(read(folder), "speculative", workers=2)


@pytest.fixture(scope="module")
def scheduler():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_two_workers_of_dask_give_what_one_process_gives(folder, scheduler):
    graph = read(folder)
    expected = twin(graph, 2, seed=7)
    found = solve(graph, "speculative", cluster=scheduler, seed=7)
    assert found.coloring == expected.coloring and found.rounds == expected.rounds
    with pytest.raises(InputError, match="map a CSR folder"):
        solve(family("queen:5x5"), "speculative", cluster=scheduler)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_worker_of_dask_that_is_killed_is_done_without(folder, scheduler, killing):
    from distributed import Client

    def kill(crew):
        with Client(scheduler) as client:
            pids = client.run(os.getpid)
        os.kill(pids[crew.places[1]], signal.SIGKILL)

    left = killing(Actors, kill, 1)
    found = solve(read(folder), "speculative", cluster=scheduler)
    assert left == [0] and found.coloring.is_proper


@pytest.mark.slow
def test_the_command_line_says_what_the_rounds_took(folder):
    words = ["solve", folder, "--method", "speculative", "--workers", 2, "--json", "-q"]
    code, out, err = concolor(*words)
    found = json.loads(out)
    assert (code, found["proper"], found["dsatur"]) == (0, True, None), err
    assert {"conflicts", "recolored", "bytes", "colored"} == set(found["rounds"][0])


@pytest.mark.slow
def test_k_and_conflicts_can_be_asked_for(folder):
    graph = read(folder)
    few = solve(graph, "speculative", k=3)
    assert few.coloring.k <= 3 and few.coloring.conflicts > 0
    with pytest.raises(InputError, match="does not understand preset"):
        solve(graph, "speculative", preset={0: 1})
    with pytest.raises(InputError, match="does not understand workers"):
        solve(graph, "tabucol", workers=2)


def test_what_cannot_be_is_refused(folder, monkeypatch):
    graph = read(folder)
    with pytest.raises(InputError, match="not both"):
        solve(graph, "speculative", workers=2, cluster="tcp://127.0.0.1:1")
    with pytest.raises(InputError, match=r"1\.\.64 blocks"), threads(graph, 65, 0, at_once=False):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"concolor\[cluster\]"):
        solve(graph, "speculative", cluster="tcp://127.0.0.1:1")


@pytest.mark.slow
def test_ctrl_c_gives_the_best_so_far(folder):
    graph = read(folder)

    class Pressed(Together):
        def again(self, colors, order):
            raise KeyboardInterrupt

    from concolor.errors import Interrupted

    bounds, most = cut(graph, 2), int(graph.degrees.max())
    crew = Threads([Block(graph, bounds, own, 0, most) for own in range(2)])
    with pytest.raises(Interrupted) as stop:
        improved(Task.of(graph), Pressed(crew))
    assert stop.value.best.coloring.is_proper and stop.value.best.rounds
