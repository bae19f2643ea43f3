"""One graph of ten million nodes, as a user colors it, and other libraries beside: the section
*giant* of :mod:`scale`.

Memory is sampled five times a second over the tree of processes: *private* pages are theirs
alone, *mapped* ones belong to files (the CSR folder, libraries), which the system may drop at any
time.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import concolor as cc

Row = dict[str, Any]
HERE = Path(__file__).parent
GIANT = "er:10000000x1e-06"
CAP = 12 * 2**30  # address space of other libraries
PORT = 18786


def status(key: str, pid: int | str = "self") -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(key)), 0)


def tree(pid: int) -> list[int]:
    """A process and those that it started, and they."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [one for child in task.read_text().split() for one in tree(int(child))]
        except OSError:
            continue
    return found


def watched(words: list[str], also: tuple[int, ...] = (), cap: int | None = None) -> Row:
    """Run a command: CPU and wall seconds, peak memory of its tree, what it printed.

    Args:
        also: Processes that were there before and work for it; each peak is told apart.
        cap: Bytes of address space.
    """

    def limit() -> None:
        if cap is not None:
            resource.setrlimit(resource.RLIMIT_AS, (cap, cap))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = sum(map(_cpu, also))
    peak: Row = {"private": 0, "mapped": 0, "workers": [0] * len(also)}
    begun = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(words, stdout=out, stderr=err, preexec_fn=limit, cwd=HERE)
        while process.poll() is None:
            there = [pid for root in (process.pid, *also) for pid in tree(root)]
            peak["private"] = max(peak["private"], sum(status("RssAnon", p) for p in there))
            peak["mapped"] = max(peak["mapped"], sum(status("RssFile", p) for p in there))
            for i, pid in enumerate(also):
                held = sum(status("VmRSS", p) for p in tree(pid))
                peak["workers"][i] = max(peak["workers"][i], held)
            time.sleep(0.2)
        wall = time.perf_counter() - begun
        out.seek(0)
        err.seek(0)
        printed, said = out.read(), err.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(getattr(after, kind) - getattr(before, kind) for kind in ("ru_utime", "ru_stime"))
    cpu += sum(map(_cpu, also)) - spent
    return {
        **peak,
        "cpu": cpu,
        "wall": wall,
        "code": process.returncode,
        "out": printed,
        "err": said,
    }


def _cpu(pid: int) -> float:
    """CPU seconds of a process and of those that it started."""
    total = 0.0
    for one in tree(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return total


def concolor(*words: str) -> list[str]:
    return [sys.executable, "-m", "concolor", *words]


def _solved(run: Row) -> Row:
    """What a run of ``solve`` found, without its colors."""
    found = json.loads(run.pop("out"))
    run.pop("err")
    kept = {key: found[key] for key in ("n", "m", "k", "conflicts", "proper")}
    return {**run, **kept, "rounds": found.get("rounds", [])}


def convert(folder: Path) -> Row:
    target = folder / "giant.csr"
    run = watched(concolor("convert", GIANT, str(target), "--json", "--quiet"))
    size = sum(part.stat().st_size for part in target.iterdir())
    kept = {key: run[key] for key in ("private", "mapped", "cpu", "wall", "code")}
    return {**kept, "bytes": size}


def solve(*options: str) -> Callable[[Path], Row]:
    def run(folder: Path) -> Row:
        words = ("solve", str(folder / "giant.csr"), *options, "--json", "--quiet")
        return _solved(watched(concolor(*words)))

    return run


def dask(folder: Path) -> Row:
    """A scheduler and two workers of 2 GiB each, as in three shells."""
    address = f"tcp://127.0.0.1:{PORT}"
    quiet: Row = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    place = ["--host", "127.0.0.1", "--no-dashboard"]
    dask_words = [sys.executable, "-m", "dask"]
    started = [subprocess.Popen([*dask_words, "scheduler", *place, "--port", str(PORT)], **quiet)]
    try:
        worker = ["worker", address, *place, "--nthreads", "1", "--memory-limit", "2GiB"]
        started += [subprocess.Popen([*dask_words, *worker], **quiet) for _ in range(2)]
        _wait_for_workers(address)
        words = ("solve", str(folder / "giant.csr"), "--method", "speculative")
        call = concolor(*words, "--cluster", address, "--json", "--quiet")
        return _solved(watched(call, tuple(process.pid for process in started[1:])))
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()


def _wait_for_workers(address: str) -> None:
    from distributed import Client

    with Client(address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)


def peer(name: str) -> Callable[[Path], Row]:
    def run(folder: Path) -> Row:
        words = [sys.executable, str(HERE / "scale.py"), "--peer", name, "--graphs", str(folder)]
        found = watched(words, cap=CAP)
        kept = {key: found[key] for key in ("private", "mapped", "cpu", "wall", "code")}
        if found["code"] == 0:
            return {**kept, **json.loads(found["out"])}
        last = (found["err"].strip().splitlines() or [""])[-1]
        by_hand = found["code"] in (-signal.SIGTERM, -signal.SIGINT)
        refused = "memory" in found["err"].lower() or (found["code"] < 0 and not by_hand)
        return {**kept, "out_of_memory": refused, "error": last[:200]}

    return run


def color_by(name: str, folder: Path) -> Row:
    """The greedy coloring of another library, checked by us; the graph comes piece by piece."""
    import numpy as np

    graph = cc.read(folder / "giant.csr")
    if name == "igraph":
        import igraph

        edges = np.concatenate(list(graph.edge_pieces())).astype(np.int32)
        other = igraph.Graph(n=graph.n, edges=edges)
        colors = np.array(other.vertex_coloring_greedy("colored_neighbors"))
    elif name == "rustworkx":
        import rustworkx as rx

        arcs = rx.PyGraph(multigraph=True)
        arcs.add_nodes_from([None] * graph.n)
        for piece in graph.edge_pieces():
            arcs.add_edges_from_no_data(list(map(tuple, piece.tolist())))
        found = rx.graph_greedy_color(arcs)
        colors = np.fromiter((found[v] for v in range(graph.n)), np.int64, graph.n)
    else:
        import networkx as nx

        plain = nx.Graph()
        plain.add_nodes_from(range(graph.n))
        for piece in graph.edge_pieces():
            plain.add_edges_from(piece.tolist())
        found = nx.greedy_color(plain)
        colors = np.fromiter((found[v] for v in range(graph.n)), np.int64, graph.n)
    coloring = cc.Coloring(graph, colors)
    return {"k": coloring.k, "conflicts": coloring.conflicts, "proper": coloring.is_proper}


GIANTS: dict[str, Callable[[Path], Row]] = {
    "convert": convert,
    "speculative": solve("--method", "speculative"),
    "speculative --workers 2": solve("--method", "speculative", "--workers", "2"),
    "speculative --cluster, two of 2 GiB": dask,
    "dsatur": solve("--method", "dsatur"),
    "rustworkx greedy_color": peer("rustworkx"),
    "igraph, colored neighbors": peer("igraph"),
    "networkx greedy_color": peer("networkx"),
}
