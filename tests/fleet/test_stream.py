"""Fleets on a process pool, a thread pool, our workers and Dask: the same answers as here."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from multiprocessing import get_context

import networkx as nx
import numpy as np
import pytest

import concolor as cc
from concolor.errors import InputError
from concolor.fleet import Failed, Workers, WorkersLost, in_order, many, whoever_is_first
from concolor.fleet import stream as flow
from concolor.fleet.executors import dask_cluster
from concolor.fleet.parcels import packed, unpacked
from concolor.graph.core import Graph
from fleet_calls import colored_without_torch, halved, kills, kills_once, slept

pytestmark = pytest.mark.slow
GRAPHS = [cc.family(f"er:{n}x0.12", seed=n) for n in range(24, 64, 2)]


@pytest.fixture(scope="module")
def workers():
    with Workers(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
    ) as made:
        yield made


@pytest.fixture
def dask(cluster):
    with dask_cluster(cluster.scheduler_address) as executor:
        yield executor


def colors(found):
    return [c.colors.tobytes() for c in found]


def test_a_graph_travels_as_its_arrays_alone():
    graph = cc.Graph.from_edges(
        3, [(0, 1)], name="g", names="abc", x=np.eye(3), lists={0: (1,)}
    ).but(chi=2)
    bare = len(pickle.dumps(graph))
    assert graph.edges.size and graph.digest and graph.node("b") == 1  # derived, and remembered
    assert len(pickle.dumps(graph)) == bare
    again = pickle.loads(pickle.dumps(graph))
    assert vars(again).keys() == {field.name for field in fields(Graph)} and again == graph
    for name in ("indptr", "indices"):
        assert getattr(again, name).dtype == np.int64 and not getattr(again, name).flags.writeable
    assert (again.name, again.chi) == ("g", 2) and not again.x.flags.writeable
    long = cc.family("cycle:300")
    assert len(pickle.dumps(long)) < 2 * (300 + 600) + 1000  # two bytes a number


def test_a_result_names_the_graph_that_was_sent():
    graph = cc.family("queen:12x12")
    coloring = cc.dsatur(graph)
    data = packed(coloring, [graph])
    assert len(data) < len(packed(coloring)) / 2
    assert unpacked(data, [graph]).graph is graph


def test_every_executor_gives_the_colors_of_one_process(workers, dask):
    expected = colors(cc.color_many(GRAPHS, seed=3))
    assert colors(answer.coloring for answer in cc.answers(GRAPHS, seed=3)) == expected
    found = list(cc.color_many(iter(GRAPHS), seed=3, executor=workers))
    assert colors(found) == expected
    assert all(c.graph is graph for c, graph in zip(found, GRAPHS, strict=True))
    assert colors(cc.color_many(GRAPHS, seed=3, executor=dask)) == expected
    with ThreadPoolExecutor(2) as threads:
        assert colors(cc.color_many(GRAPHS, seed=3, executor=threads)) == expected
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert colors(cc.color_many(GRAPHS, seed=3, executor=pool)) == expected
    answers = cc.answers(GRAPHS[:3], polish=False, seed=3, executor=workers)
    for answer, alone in zip(answers, cc.answers(GRAPHS[:3], polish=False, seed=3), strict=True):
        np.testing.assert_array_equal(answer.z, alone.z)
        assert answer.sweep.graph is answer.coloring.graph


@pytest.mark.parametrize("name", ["solve", "certify", "pareto"])
def test_other_calls_have_fleets_too(name, workers):
    call, fleet, graphs = getattr(cc, name), getattr(cc, f"{name}_many"), GRAPHS[:4]
    options = {"solve": {"method": "tabucol", "k": 3}}.get(name, {})
    alone = [call(graph, seed=2, **options) for graph in graphs]
    for found in (
        fleet(graphs, seed=2, executor=workers, **options),
        fleet(graphs, seed=2, **options),
    ):
        if name == "pareto":
            assert list(found) == alone
        else:
            assert colors(f.coloring for f in found) == colors(f.coloring for f in alone)
    with pytest.raises(InputError, match=f"{name}_many: .*sede"):
        fleet(graphs, sede=2)


def test_a_failure_is_one_error_in_its_place(workers):
    for executor in (None, workers):
        found = list(many(halved, range(40), executor=executor))
        assert [place for place, f in enumerate(found) if isinstance(f, Failed)] == [
            *(3, 10, 17, 24, 31, 38)
        ]
        assert found[10].graph == "10" and isinstance(found[10].error, ValueError)
        assert found[11] == 5.5
        with pytest.raises(ValueError, match="3 cannot be halved"):
            list(many(halved, range(40), executor=executor, errors="raise"))
    assert "in halved" in found[10].error.__notes__[0]  # where in the worker it was


def test_graphs_that_cannot_be_used_or_sent_fail_in_their_places(workers):
    odd = cc.Graph.from_edges(2, [(0, 1)], name="odd", names=["a", lambda: 0])
    listed = cc.family("cycle:6").but(lists={0: (1,)}, name="listed")
    graphs = [GRAPHS[0], "text", odd, listed, nx.path_graph(3), Failed("lost", OSError("gone"))]
    found = list(cc.color_many(graphs, polish=False, executor=workers))
    names = {f.graph: type(f.error).__name__ for f in found if isinstance(f, Failed)}
    assert names.pop("odd") in ("PicklingError", "AttributeError")
    assert names == {"text": "InputError", "listed": "InputError", "lost": "OSError"}
    assert found[4].by_node().keys() == {0, 1, 2}
    with pytest.raises(InputError, match="cannot be sent to workers"):
        many(lambda graph: graph, graphs, executor=workers)
    with pytest.raises(InputError, match=r"concurrent\.futures\.Executor, got int"):
        cc.color_many(graphs, executor=2)
    with pytest.raises(InputError, match="k must be"):
        cc.color_many(iter([]), k=0, executor=workers)


def test_results_stream_and_few_items_are_taken_ahead(workers):
    """The first answer comes long before the last item is asked for, whatever the source."""
    taken = []

    def source():
        for number in range(60):
            taken.append(number)
            yield 0.02

    results = many(slept, source(), executor=workers)
    next(results)
    assert len(taken) < 30
    assert len(list(results)) == 59


def test_a_long_one_does_not_hold_the_others_up(workers):
    seconds = [1.5, *[0.01] * 100]
    began, order = time.monotonic(), []
    for place, _ in whoever_is_first(slept, seconds, workers):
        order.append(place)
    assert sorted(order) == list(range(101)) and order.index(0) > 80
    list(many(slept, seconds, executor=workers))
    assert time.monotonic() - began < 20


def test_no_more_is_sent_than_may_wait(workers, monkeypatch):
    monkeypatch.setattr(flow, "HELD", 10_000)
    ahead = []
    found = in_order(slept, iter([0.5, *[0.0] * 200]), workers, progress=ahead.append)
    assert [place for place, _ in found] == list(range(201))
    assert max(now.sent for now in ahead if not now.done) < 20


def test_an_error_of_the_source_comes_after_what_was_before_it(workers):
    def source():
        yield from range(3)
        raise OSError("the disk is gone")

    found = []
    with pytest.raises(OSError, match="gone"):
        for value in many(abs, source(), executor=workers):
            found.append(value)
    assert found == [0, 1, 2]


def test_a_killed_worker_of_ours_loses_nothing(tmp_path):
    with Workers(2) as pool:
        assert list(many(partial(kills_once, tmp_path), range(20), executor=pool)) == [*range(20)]
        found = list(many(kills, range(12), executor=pool))
    assert [f for f in found if not isinstance(f, Failed)] == [n for n in range(12) if n != 5]
    assert found[5].graph == "5" and "its worker was lost" in str(found[5].error)


def test_a_broken_pool_says_what_is_done_and_keeps_it():
    given = []
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        with pytest.raises(WorkersLost, match=r"executor is broken.*results were given") as lost:
            for found in many(kills, range(12), executor=pool):
                given.append(found)
        assert given == [*range(len(given))] and len(given) <= 5
        assert all(place == value for place, value in lost.value.best)


def test_a_killed_worker_of_dask_loses_nothing(cluster, dask):
    """One of two processes is killed amid the fleet; the other does its graphs again."""
    pids = [nanny.pid for nanny in cluster.workers.values()]
    expected = [0.05] * 60
    results = many(slept, expected, executor=dask)
    found = [next(results)]
    os.kill(pids[0], signal.SIGKILL)
    found += results
    assert found == expected


PROGRAM = """
import os, sys, time
from concolor.errors import Interrupted
from concolor.fleet import Workers, many

def slept(seconds):
    time.sleep(seconds)
    return os.getpid()

if __name__ == "__main__":
    try:
        with Workers(2) as pool:
            for pid in many(slept, [0.01, 0.01, 60, 0.01, 0.01], executor=pool):
                print(pid, flush=True)
    except Interrupted as stop:
        print("kept", [place for place, _ in stop.best], flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_ctrl_c_keeps_what_is_done_and_workers_end_however_we_end(how, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    running = subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    pids = {int(running.stdout.readline()) for _ in range(2)}
    time.sleep(0.5)
    running.send_signal(how)
    out, err = running.communicate(timeout=30)  # the 60 seconds are not waited for
    if how == signal.SIGINT:
        assert (running.returncode, out, err) == (0, "kept [3, 4]\n", "")
    deadline = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, pids))


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_workers_share_the_cores_and_load_no_torch(workers):
    with Workers(2) as fresh:
        for k, torch, threads in many(colored_without_torch, GRAPHS[:4], executor=fresh):
            assert k and not torch and int(threads) == 1
    with pytest.raises(InputError, match="workers must be a whole number"):
        Workers(0)


def test_a_cluster_that_is_not_there_is_named_within_seconds():
    began = time.monotonic()
    with pytest.raises(InputError, match=r"no Dask .* answers at tcp://127\.0\.0\.1:1 "):
        dask_cluster("tcp://127.0.0.1:1").__enter__()
    assert time.monotonic() - began < 15
    with pytest.raises(InputError, match="no Dask scheduler answers at nonsense"):
        dask_cluster("nonsense:x").__enter__()


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(cc.ConcolorError, match=r"pip install 'concolor\[cluster\]'"):
        dask_cluster("tcp://127.0.0.1:1").__enter__()


def test_threads_may_ask_at_once(workers):
    """Two fleets on one executor do not get in each other's way."""
    found = {}

    def ask(seed):
        found[seed] = colors(cc.color_many(GRAPHS[:6], seed=seed, executor=workers))

    asking = [threading.Thread(target=ask, args=(seed,)) for seed in (1, 2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert found == {seed: colors(cc.color_many(GRAPHS[:6], seed=seed)) for seed in (1, 2)}
