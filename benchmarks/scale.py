"""How time and memory grow: stages from 10^3 to 10^6 nodes, and one graph of ten million nodes.

    python benchmarks/scale.py [--only growth] [--name embed] --graphs FOLDER

Every row is measured in processes of its own and appended to ``scale.jsonl``; what is there is not
measured again: delete a line to do so. ``scale.md`` is written from all rows. Sections:

- *growth*: CPU seconds and memory of each stage on random graphs of mean degree 10, and the
  exponents of a least-squares line through their logarithms.
- *improve*: what makes greedy colorings of 100,000 nodes better, block by block or as a whole.
- *giant*: ``concolor convert`` and ``concolor solve`` on er:10000000x1e-06 (50 million edges) as a
  user runs them, and the greedy colorings of other libraries with at most 12 GiB of address space.

Memory is sampled five times a second over the tree of processes: *private* pages are theirs
alone, *mapped* ones belong to files (the CSR folder, libraries), which the system may drop at any
time. Others use the machine, so CPU seconds count, not those on the wall.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import concolor as cc
from concolor import goal
from concolor.rules import Rules
from measure import keep

Row = dict[str, Any]
HERE = Path(__file__).parent
SIZES = (1000, 10_000, 100_000, 1_000_000)
GIANT = "er:10000000x1e-06"
CAP = 12 * 2**30  # address space of other libraries
PORT = 18786


def stages() -> dict[str, Callable[[Any], Callable[[], Any]]]:
    """By name, what prepares a stage on a graph and gives what is measured."""
    import numpy as np

    from concolor.decoding import guided
    from concolor.graph.structure import by_degree
    from concolor.models import load
    from concolor.solvers.greedy import saturated
    from concolor.solvers.speculative import speculative

    def embed(graph: Any) -> Callable[[], Any]:
        model = load("light")
        return lambda: model.embed(graph)

    def decode(graph: Any) -> Callable[[], Any]:
        z = np.asarray(load("light").embed(graph))
        return lambda: guided(graph, z, tries=1)

    def tabu(graph: Any) -> Callable[[], Any]:
        start = cc.dsatur(graph)
        return lambda: cc.solve(graph, "tabucol", start=start, time_limit=0)

    def certify(graph: Any) -> Callable[[], Any]:
        coloring = cc.dsatur(graph)
        return lambda: cc.certify(graph, coloring, time_limit=0)

    def blocks(graph: Any) -> Callable[[], Any]:
        from concolor.solvers.crews import threads
        from concolor.solvers.speculative import Together

        def run() -> Any:
            with threads(graph, 2, 0, at_once=False) as crew:
                return Together(crew).first()

        return run

    return {
        "embed": embed,
        "decode": decode,
        "first fit": lambda graph: lambda: speculative(graph, by_degree(graph), threads=1),
        "blocks": blocks,
        "dsatur": lambda graph: lambda: saturated(graph, Rules.of(graph)),
        "tabu start": tabu,
        "certify": certify,
    }


def growth(name: str, folder: Path) -> Row:
    """CPU seconds and MiB of one stage on graphs of all sizes."""
    make = stages()[name]
    make(cc.family("er:2000x0.005"))()  # compiles
    return {"sizes": {str(n): _measured(make(cc.family(f"er:{n}x{10 / n:.12g}"))) for n in SIZES}}


def _measured(call: Callable[[], Any]) -> Row:
    """The fewest CPU seconds of some calls, and how far memory rose above what was held before."""
    ctypes.CDLL(None).malloc_trim(0)  # what was freed before would be used again unseen
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now
    before, best, spent = _status("VmRSS"), math.inf, 0.0
    while spent < 1:
        begun = time.process_time()
        call()
        best = min(best, time.process_time() - begun)
        spent += time.process_time() - begun + 0.02
    return {"cpu": best, "mib": (_status("VmHWM") - before) / 2**20}


def _status(key: str, pid: int | str = "self") -> int:
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
            peak["private"] = max(peak["private"], sum(_status("RssAnon", p) for p in there))
            peak["mapped"] = max(peak["mapped"], sum(_status("RssFile", p) for p in there))
            for i, pid in enumerate(also):
                held = sum(_status("VmRSS", p) for p in tree(pid))
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
        words = [sys.executable, __file__, "--peer", name, "--graphs", str(folder)]
        found = watched(words, cap=CAP)
        kept = {key: found[key] for key in ("private", "mapped", "cpu", "wall", "code")}
        if found["code"] == 0:
            return {**kept, **json.loads(found["out"])}
        last = (found["err"].strip().splitlines() or [""])[-1]
        refused = "memory" in found["err"].lower() or found["code"] < 0
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


def improve(spec: str, folder: Path) -> Row:
    """Colors and CPU seconds after greedy in eight blocks, and of what may make them fewer."""
    import numpy as np

    from concolor.decoding import guided
    from concolor.graph.structure import by_degree
    from concolor.models import load
    from concolor.solvers.crews import threads
    from concolor.solvers.speculative import Together, improved, speculative

    graph = cc.family(spec).but(chi=None)
    model = load("light")

    def in_blocks(recolored: bool) -> Any:
        with threads(graph, 8, 0, at_once=False) as crew:
            way = Together(crew)
            return improved(goal.Task.of(graph), way).coloring.colors if recolored else way.first()

    def block_by_block() -> Any:
        """`light` and `guided` inside each block; nodes in conflict across blocks choose again."""
        from concolor.solvers.blocks import cut
        from concolor.solvers.greedy import fitted

        colors = np.full(graph.n, -1)
        bounds = cut(graph, 8)
        for begin, end in pairwise(bounds):
            part = graph.subgraph(np.arange(begin, end))
            colors[begin:end] = guided(part, np.asarray(model.embed(part)), tries=1).colors
        u, v = graph.edges.T
        colors[np.unique(v[colors[u] == colors[v]])] = -1
        return fitted(graph, by_degree(graph), Rules.of(graph), colors)

    ways: dict[str, Callable[[], Any]] = {
        "first fit, one block": lambda: speculative(graph, by_degree(graph), threads=1),
        "first fit, eight blocks": lambda: in_blocks(False),
        "the same, recolored": lambda: in_blocks(True),
        "light and guided, block by block": block_by_block,
        "light and guided, whole": lambda: guided(graph, model.embed(graph), tries=1).colors,
        "dsatur, whole": lambda: cc.dsatur(graph).colors,
        "focused, whole, 10 s": lambda: (
            cc.solve(graph, "focused", time_limit=10, threads=1).coloring.colors
        ),
    }
    vars(goal)["perf_counter"] = time.process_time  # others may be on the machine
    row: Row = {}
    for name, way in ways.items():
        begun = time.process_time()
        coloring = cc.Coloring(graph, np.asarray(way(), np.int64))
        assert coloring.is_proper
        row[name] = {"k": coloring.k, "cpu": time.process_time() - begun}
    return {"ways": row}


IMPROVE = ("er:100000x0.0001", "barabasi:100000x5", "geometric:100000x0.008")
GROWTH = ("embed", "decode", "first fit", "blocks", "dsatur", "tabu start", "certify")
SECTIONS = {"growth": GROWTH, "improve": IMPROVE, "giant": tuple(GIANTS)}


def exponent(sizes: Row, key: str, least: float) -> float | None:
    """The slope of log(value) over log(n), of values that are large enough to be measured."""
    import numpy as np

    points = [(int(n), cell[key]) for n, cell in sizes.items() if cell[key] >= least]
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def known(file: Path) -> dict[tuple[str, str], Row]:
    lines = file.read_text().splitlines() if file.exists() else []
    return {(row["section"], row["name"]): row for row in map(json.loads, lines)}


def run(file: Path, sections: list[str], chosen: list[str], folder: Path) -> None:
    """Measure what is missing."""
    for section in sections:
        for name in SECTIONS[section]:
            if (section, name) in known(file) or (chosen and name not in chosen):
                continue
            if section == "giant":
                row = GIANTS[name](folder)
            else:
                words = [sys.executable, __file__, "--one", name, "--graphs", str(folder)]
                one = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
                done = subprocess.run(words, capture_output=True, text=True, check=False, env=one)
                if done.returncode:
                    print(done.stderr, file=sys.stderr)
                    continue
                row = json.loads(done.stdout)
            with file.open("a") as lines:
                lines.write(json.dumps({"section": section, "name": name, **row}) + "\n")
            print(section, name, flush=True)


def of_growth(found: dict[tuple[str, str], Row]) -> Iterator[str]:
    heads = " | ".join(f"n = {n:,}, s | MiB" for n in SIZES)
    yield f"| stage | {heads} | exponent of time | of memory |"
    yield "|---" * (2 * len(SIZES) + 3) + "|"
    for name in GROWTH:
        row = found.get(("growth", name))
        if row is None:
            continue
        cells = [f"{c['cpu']:.3g} | {c['mib']:.3g}" for c in row["sizes"].values()]
        slopes = (exponent(row["sizes"], "cpu", 1e-9), exponent(row["sizes"], "mib", 2.0))
        told = ("-" if slope is None else f"{slope:.2f}" for slope in slopes)
        yield f"| {name} | {' | '.join(cells)} | {' | '.join(told)} |"


def of_improve(found: dict[tuple[str, str], Row]) -> Iterator[str]:
    rows = {name: found["improve", name]["ways"] for name in IMPROVE if ("improve", name) in found}
    yield f"| | {' | '.join(rows)} |"
    yield "|---" * (len(rows) + 1) + "|"
    for way in next(iter(rows.values()), ()):
        cells = (f"{row[way]['k']} ({row[way]['cpu']:.2g} s)" for row in rows.values())
        yield f"| {way} | {' | '.join(cells)} |"


def of_giant(found: dict[tuple[str, str], Row]) -> Iterator[str]:
    yield "| | colors | proper | CPU, s | wall, s | private, GiB | mapped, GiB | each worker, GiB |"
    yield "|---" * 8 + "|"
    for name in GIANTS:
        row = found.get(("giant", name))
        if row is None:
            continue
        k = "out of memory" if row.get("out_of_memory") else row.get("k", "-")
        proper = {True: "yes", False: "no"}.get(row.get("proper"), "-")
        workers = " and ".join(f"{held / 2**30:.2f}" for held in row.get("workers", ())) or "-"
        memory = (f"{row[kind] / 2**30:.2f}" for kind in ("private", "mapped"))
        times = (f"{row[kind]:.0f}" for kind in ("cpu", "wall"))
        yield f"| {name} | {k} | {proper} | {' | '.join((*times, *memory))} | {workers} |"
    missing = [name for name in GIANTS if ("giant", name) not in found]
    if missing:
        yield from ("", f"Not measured yet: {', '.join(missing)}.")


def of_rounds(found: dict[tuple[str, str], Row]) -> Iterator[str]:
    for (_, name), row in found.items():
        rounds = row.get("rounds") or []
        if not rounds:
            continue
        sent, first = [each["bytes"] for each in rounds], [r for r in rounds if r["conflicts"]]
        lost = sum(each["conflicts"] for each in rounds)
        yield (
            f"- {name}: {len(rounds)} rounds, {sum(sent) / 2**20:.0f} MiB in all, at most "
            f"{max(sent) / 2**20:.1f} MiB in one; {lost:,} conflicts in {len(first)} rounds "
            f"({100 * lost / row['n']:.1f} % of the nodes chose again)."
        )


def of_model(found: dict[tuple[str, str], Row]) -> Iterator[str]:
    """A billion edges at the same degree: all that is measured grows in proportion."""
    run, made = (found.get(("giant", name)) for name in ("speculative --workers 2", "convert"))
    if run is None or made is None:
        return
    times = 1e9 / run["m"]
    n, sent = times * run["n"], times * sum(each["bytes"] for each in run["rounds"])
    yield (
        f"A random graph of mean degree {2 * run['m'] / run['n']:.0f} with a billion edges and "
        f"{n / 1e6:.0f} million nodes, from the figures above in proportion: a folder of "
        f"{times * made['bytes'] / 1e9:.0f} GB, converted in {times * made['cpu'] / 3600:.1f} CPU "
        f"hours; {times * run['cpu'] / 3600:.1f} CPU hours to color it in all, those of the "
        f"machine that asks included. A worker of k holds 4 n + 24 n / k bytes and maps 16 m / k. "
        "News are five bytes for each node and other block in which it has neighbors, which are "
        "spread over all blocks here; they go through the machine that asks. This is a model, not "
        "a measurement."
    )
    yield from (
        "",
        "| k | private, GB | mapped, GB | news, GB | of 1 Gbit/s, min |",
        "|---" * 5 + "|",
    )
    for k in (2, 4, 8, 16, 32):
        news = sent * _touched(k, 2 * run["m"] / run["n"]) / _touched(2, 2 * run["m"] / run["n"])
        cells = (4 * n + 24 * n / k, 16e9 / k, news)
        told = (f"{cell / 1e9:.1f}" for cell in cells)
        yield f"| {k} | {' | '.join(told)} | {news * 8 / 1e9 / 60:.0f} |"


def _touched(k: int, degree: float) -> float:
    """Other blocks of k in which a node with so many neighbors has one, in the mean."""
    return (k - 1) * (1 - (1 - 1 / k) ** degree)


def into_page(file: Path, found: dict[tuple[str, str], Row]) -> None:
    """Put the tables between their marks on the page of the docs."""
    tables = {"giant": of_giant, "growth": of_growth, "improve": of_improve, "model": of_model}
    text = file.read_text()
    for name, table in tables.items():
        mark = f"<!-- {name}: written by benchmarks/scale.py -->"
        before, _, rest = text.partition(mark)
        more = ["", *of_rounds(found)] if name == "giant" else []
        lines = [mark, "", *table(found), *more, "", ""]
        text = before + "\n".join(lines) + rest[rest.index("<!-- end -->") :]
    file.write_text(text)


def report(file: Path) -> Iterator[str]:
    found = known(file)
    yield from (
        "# How time and memory grow",
        "",
        "Written by `benchmarks/scale.py`, which says what is measured; raw rows are in "
        "`scale.jsonl`. A shared machine with two cores.",
        "",
        "## Stages, from a thousand to a million nodes",
        "",
        "Random graphs of mean degree 10, one core: CPU seconds, and how far memory rises above "
        "graph and input. Exponents are slopes of a line through the logarithms (of memory where "
        "it is at least 2 MiB). *embed* is the model `light`; *decode* one try of `guided`; "
        "*blocks* two blocks one after the other; *tabu start* and *certify* with no time to go "
        "on: what they do before any search.",
        "",
    )
    yield from of_growth(found)
    yield from (
        "",
        "## Fewer colors after greedy",
        "",
        "Colors, and CPU seconds of one core. Blocks are ranges of nodes; recoloring goes class by "
        "class, in all blocks at the same time.",
        "",
    )
    yield from of_improve(found)
    yield from (
        "",
        "## Ten million nodes, fifty million edges",
        "",
        f"{GIANT}, drawn and written by `convert` with its budget of 1 GiB, then colored by "
        "`concolor solve giant.csr --method ...`, which checks every edge at the end; the last "
        f"three with at most {CAP // 2**30} GiB of address space. *mapped* pages are of files.",
        "",
    )
    yield from of_giant(found)
    yield from ("", "Sent between blocks:", "")
    yield from of_rounds(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="this section")
    parser.add_argument("--name", action="append", default=[], help="this row")
    parser.add_argument("--folder", type=Path, default=HERE, help="of the output")
    parser.add_argument("--graphs", type=Path, help="where the giant graph is kept between runs")
    parser.add_argument("--one", help="measure the growth of one stage here")
    parser.add_argument("--peer", help="color by another library here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (args.graphs or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if args.one:
            measure = improve if args.one in IMPROVE else growth
            print(json.dumps(measure(args.one, folder)))
            return
        if args.peer:
            print(json.dumps(color_by(args.peer, folder)))
            return
        file = args.folder / "scale.jsonl"
        run(file, args.only or list(SECTIONS), args.name, folder)
    keep(report(file), file.with_suffix(".md"))
    if args.folder == HERE:
        into_page(HERE.parent / "docs" / "scaling.md", known(file))


if __name__ == "__main__":
    main()
