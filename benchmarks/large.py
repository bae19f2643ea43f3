"""Large sparse graphs: a million nodes in a minute, greedy colorings a second, χ proved.

    python benchmarks/large.py [--only million] [--name er] [--label before] [--graphs FOLDER]

Every row is measured in a process of its own, so that its peak memory is its own, and appended to
``large.jsonl``; what is there is not measured again: delete a line to do so. ``large.md`` is
written from all rows. Sections:

- *million*: ``concolor color G.npz --time-limit 60 --certify --certificate C.json`` and ``concolor
  verify G.npz C.json`` as a user runs them, on graphs of a million nodes and five million edges.
- *greedy*: nodes colored a second on the same graphs, by our loops and by other libraries, once
  the graph is in the form that each of them wants. The best of three.
- *walk*: k after ten seconds of one core, of ``focused`` and of searches with a table, on random
  graphs.
- *proofs*: ``color`` on the files of ``CONCOLOR_DATA`` with 5 seconds of one core each, and on
  large sparse families with 20. ``--label`` names the version, for a look back at an older one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import concolor as cc
from concolor import goal
from measure import keep, peak_memory

Row = dict[str, Any]
HERE = Path(__file__).parent
MILLION = {
    "er": "er:1000000x1e-05",
    "barabasi": "barabasi:1000000x5",
    "geometric": "geometric:1000000x0.00178412",
    "chords": "chords:1000x1000x3002000",
}
WALK = ("er:5000x0.0016", "er:20000x0.0004", "er:100000x7.5e-05", "er:20000x0.00075")
SEARCHES = ("focused", "tabucol", "weighted")
SECONDS = 10  # for each of them
SPARSE = (
    "clubs:100000x100000",
    "clubs:1000000x600000",
    "barabasi:100000x5",
    "geometric:100000x0.008",
    "exam:100000x300000",
    "interval:100000x40",
    "watts:100000x10x0.1",
)
FILES = ("color/*.col", "dimacs/*.col", "planetoid/*.npz")


def stored(spec: str, folder: Path) -> Path:
    """The file of a graph; to make it is not timed."""
    path = folder / f"{spec.replace(':', '_')}.npz"
    if not path.exists():
        cc.write(cc.family(spec), path)
    return path


def command(words: list[str]) -> tuple[float, float, str]:
    """``concolor WORDS``: seconds on the wall, peak GiB, and what it printed."""
    code = (
        "import sys; from concolor.cli import main; from measure import peak_memory\n"
        "try: main()\nfinally: print(peak_memory(), file=sys.stderr)"
    )
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=HERE, capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - begun
    if done.returncode not in (0, 1):
        raise RuntimeError(f"concolor {' '.join(words)}: {done.stderr}")
    return wall, float(done.stderr.split()[-1]), done.stdout


def million(name: str, folder: Path) -> Row:
    """Color, certify and verify one graph."""
    path, proof = stored(MILLION[name], folder), folder / f"{name}.json"
    words = ["color", str(path), "--time-limit", "60", "--certify", "--certificate", str(proof)]
    wall, peak, printed = command([*words, "--json", "--quiet"])
    found = json.loads(printed)
    checked, verify_peak, verdict = command(["verify", str(path), str(proof), "--json"])
    return {
        **{key: found[key] for key in ("n", "m", "k", "dsatur", "start", "seconds", "removed")},
        **{"lower": found["certificate"]["lower"], "proved": found["certificate"]["gap"] == 0},
        **{"wall": wall, "verify": checked, "peak": max(peak, verify_peak)},
        "verified": json.loads(verdict)["verified"],
    }


def timed(call: Callable[[], Any], rounds: int = 3) -> tuple[float, Any]:
    """The fewest seconds on the wall, and what it gave."""
    best, found = float("inf"), None
    for _ in range(rounds):
        begun = time.perf_counter()
        found = call()
        best = min(best, time.perf_counter() - begun)
    return best, found


def greedy(name: str, folder: Path) -> Row:
    """Nodes a second of every library on one graph, and the colors that it needs."""
    import igraph
    import networkx as nx
    import numpy as np
    import rustworkx as rx

    from concolor.graph.structure import by_degree
    from concolor.rules import Rules
    from concolor.solvers.greedy import fitted, saturated
    from concolor.solvers.speculative import speculative

    graph = cc.read(stored(MILLION[name], folder))
    rules, order = Rules.of(graph), by_degree(graph)
    peers = igraph.Graph(n=graph.n, edges=graph.edges)
    arcs = rx.PyGraph(multigraph=False)
    arcs.add_nodes_from(range(graph.n))
    arcs.extend_from_edge_list(list(map(tuple, graph.edges.tolist())))
    plain = nx.Graph()
    plain.add_nodes_from(range(graph.n))
    plain.add_edges_from(graph.edges.tolist())

    def ordered(colors: dict[int, int]) -> list[int]:
        return [colors[node] for node in range(graph.n)]

    methods: dict[str, Callable[[], Any]] = {
        "first fit by degree, one core": lambda: fitted(graph, by_degree(graph), rules),
        "the same, speculative on two": lambda: speculative(graph, by_degree(graph)),
        "dsatur": lambda: saturated(graph, rules),
        "rustworkx greedy_color": lambda: ordered(rx.graph_greedy_color(arcs)),
        "igraph, colored neighbors": lambda: peers.vertex_coloring_greedy("colored_neighbors"),
        "igraph, dsatur": lambda: peers.vertex_coloring_greedy("dsatur"),
        "networkx greedy_color": lambda: ordered(nx.greedy_color(plain)),
    }
    small = cc.family("path:9")
    fitted(small, np.arange(9), Rules.of(small))
    speculative(small, np.arange(9))
    saturated(small, Rules.of(small))
    row: Row = {"n": graph.n, "order": len(order)}
    for method, call in methods.items():
        seconds, colors = timed(call, 1 if "networkx" in method else 3)
        coloring = cc.Coloring(graph, np.array(colors, np.int64))
        assert coloring.is_proper
        row[method] = {"per_second": graph.n / seconds, "k": coloring.k}
    return row


def count_own_seconds() -> None:
    """From now on clocks count the seconds of this process: others may be on the machine."""
    vars(goal)["perf_counter"] = time.process_time


def walk(spec: str, folder: Path) -> Row:
    """Colors after some seconds of each search."""
    count_own_seconds()
    graph = cc.read(stored(spec, folder)).but(chi=None)
    return {method: cc.solve(graph, method, time_limit=SECONDS).coloring.k for method in SEARCHES}


def proof(spec: str, folder: Path) -> Row:
    """What ``color`` proves of a file or a family."""
    count_own_seconds()
    from_file = Path(spec).suffix in (".col", ".npz")
    path = Path(os.environ["CONCOLOR_DATA"]) / spec if from_file else stored(spec, folder)
    graph = cc.read(path).but(chi=None)
    cpu = time.process_time()
    (answer,) = cc.answers([graph], time_limit=5 if from_file else 20)
    return {
        **{"n": graph.n, "m": graph.m, "k": answer.coloring.k, "lower": answer.solution.lower},
        **{
            "proved": answer.solution.is_proved,
            "removed": dict(getattr(answer, "removed", {}) or {}),
        },
        "cpu": time.process_time() - cpu,
    }


SECTIONS: dict[str, Callable[[str, Path], Row]] = {
    "million": million,
    "greedy": greedy,
    "walk": walk,
    "proofs": proof,
}


def names(section: str) -> list[str]:
    """The rows of a section."""
    if section == "walk":
        return list(WALK)
    if section != "proofs":
        return list(MILLION)
    data = Path(os.environ.get("CONCOLOR_DATA", "nowhere"))
    files = [path.relative_to(data) for pattern in FILES for path in sorted(data.glob(pattern))]
    return [*map(str, files), *SPARSE]


def known(file: Path) -> dict[tuple[str, str, str], Row]:
    lines = file.read_text().splitlines() if file.exists() else []
    rows = map(json.loads, lines)
    return {(row["label"], row["section"], row["name"]): row for row in rows}


def run(file: Path, sections: list[str], chosen: list[str], label: str, folder: Path) -> None:
    """Measure what is missing, each row in a process of its own, once all loops are compiled."""
    command(["color", "er:4000x0.002", "--time-limit", "2", "--certify", "--json", "--quiet"])
    for section in sections:
        for name in names(section):
            if (label, section, name) in known(file) or (chosen and name not in chosen):
                continue
            words = [__file__, "--one", section, name, "--graphs", str(folder)]
            done = subprocess.run(
                [sys.executable, *words], capture_output=True, text=True, check=False
            )
            if done.returncode:
                print(done.stderr, file=sys.stderr)
                continue
            row = {"label": label, "section": section, "name": name, **json.loads(done.stdout)}
            with file.open("a") as lines:
                lines.write(json.dumps(row) + "\n")
            print(section, name, *(row.get(key) for key in ("lower", "k")), flush=True)


def of_million(rows: list[Row]) -> Iterator[str]:
    yield (
        "| graph | k | χ >= | proved | read, s | color, s | certify, s | all, s | verify, s | "
        "peak, GiB | peeled | dominated | left |"
    )
    yield "|---" * 13 + "|"
    for row in rows:
        seconds, removed = row["seconds"], row["removed"] or {}
        color = sum(seconds.values()) - seconds["read"] - seconds.get("certify", 0)
        cells = [
            MILLION[row["name"]],
            row["k"],
            row["lower"],
            "yes" if row["proved"] else "no",
            f"{seconds['read']:.1f}",
            f"{color:.1f}",
            f"{seconds.get('certify', 0):.1f}",
            f"{row['wall']:.1f}",
            f"{row['verify']:.1f}",
            f"{row['peak']:.2f}",
            *(removed.get(rule, "-") for rule in ("peeled", "dominated", "left")),
        ]
        yield f"| {' | '.join(map(str, cells))} |"


def of_greedy(rows: list[Row]) -> Iterator[str]:
    methods = [name for name, cell in rows[0].items() if isinstance(cell, dict)] if rows else []
    yield f"| method | {' | '.join(row['name'] for row in rows)} |"
    yield "|---" * (len(rows) + 1) + "|"
    for method in methods:
        cells = (f"{row[method]['per_second'] / 1e6:.2f} ({row[method]['k']})" for row in rows)
        yield f"| {method} | {' | '.join(cells)} |"


def of_walk(rows: list[Row]) -> Iterator[str]:
    yield f"| graph | {' | '.join(SEARCHES)} |"
    yield "|---" * (len(SEARCHES) + 1) + "|"
    for row in rows:
        yield f"| {row['name']} | {' | '.join(str(row[method]) for method in SEARCHES)} |"


def of_proofs(found: dict[tuple[str, str, str], Row]) -> Iterator[str]:
    labels = sorted({label for label, section, _ in found if section == "proofs"}, reverse=True)
    listed = [name for name in names("proofs") if any((a, "proofs", name) in found for a in labels)]
    listed = listed or sorted({name for _, section, name in found if section == "proofs"})
    for label in labels:
        rows = [found[label, "proofs", name] for name in listed if (label, "proofs", name) in found]
        files = [row for row in rows if Path(row["name"]).suffix in (".col", ".npz")]
        yield f"- {label}: {sum(row['proved'] for row in files)} of {len(files)} files are proved; "
        yield f"  {sum(row['proved'] for row in rows) - sum(row['proved'] for row in files)} of "
        yield f"  {len(rows) - len(files)} families."
    yield ""
    heads = " | ".join(f"χ, {label} | s" for label in labels)
    yield f"| graph | n | m | {heads} | removed | left |"
    yield "|---" * (2 * len(labels) + 5) + "|"
    for name in listed:
        cells = [found.get((label, "proofs", name)) for label in labels]
        known_rows = [cell for cell in cells if cell is not None]
        if not known_rows or all(row["proved"] and row["cpu"] < 0.5 for row in known_rows):
            continue
        first = known_rows[0]
        counts = first["removed"] or {}
        left = counts.get("left", "-")
        gone = first["n"] - left if counts else "-"
        yield (
            f"| {name} | {first['n']} | {first['m']} | "
            + " | ".join("- | -" if cell is None else _bracket(cell) for cell in cells)
            + f" | {gone} | {left} |"
        )


def _bracket(row: Row) -> str:
    chi = str(row["k"]) if row["proved"] else f"{row['lower']}..{row['k']}"
    return f"{chi} | {row['cpu']:.1f}"


HEADS = {  # of each section, and what stands below
    "million": (
        "A million nodes, five million edges",
        "`concolor color G.npz --time-limit 60 --certify --certificate C.json`, then `concolor "
        "verify G.npz C.json`. *all* is the whole command on the wall, with its start and its "
        "output; *peeled*, *dominated* and *left*: nodes that reductions took away at the lower "
        "bound before the search, and what it was left with; dashes where the bounds met before.",
    ),
    "greedy": (
        "Greedy colorings",
        "Million nodes colored a second, and the number of colors; graphs as above, already in the "
        "form of each library. The speculative one gives the same colors whoever is faster.",
    ),
    "walk": (
        "Search without a table",
        f"Colors after {SECONDS} seconds of one core, random graphs of mean degree 8 and 15.",
    ),
    "proofs": (
        "χ proved",
        "`color` with 5 seconds of one core a file and 20 a family, χ never told; *s* are such "
        "seconds. Proved graphs that took less than half of one are not listed. *removed*, "
        "*left*: nodes, by reductions.",
    ),
}


def report(file: Path, label: str) -> Iterator[str]:
    found = known(file)
    yield from (
        "# Large sparse graphs",
        "",
        "Written by `benchmarks/large.py`, which says what is measured; raw rows are in "
        "`large.jsonl`. A shared machine with two cores.",
    )
    tables = {"million": of_million, "greedy": of_greedy, "walk": of_walk}
    for section, (head, words) in HEADS.items():
        rows = [row for (a, b, _), row in found.items() if (a, b) == (label, section)]
        missing = len(names(section)) - len(rows)
        yield from ("", f"## {head}", "", words, "")
        if missing > 0:
            yield from (f"{missing} of {len(names(section))} rows are not measured yet.", "")
        if rows:
            yield from of_proofs(found) if section == "proofs" else tables[section](rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="this section")
    parser.add_argument("--name", action="append", default=[], help="this row")
    parser.add_argument("--label", default="now", help="the version that is measured")
    parser.add_argument("--folder", type=Path, default=HERE, help="of the output")
    parser.add_argument("--graphs", type=Path, help="where graphs are kept between runs")
    parser.add_argument("--one", nargs=2, metavar=("SECTION", "NAME"), help="measure one row here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.graphs or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if args.one:
            section, name = args.one
            print(json.dumps({**SECTIONS[section](name, folder), "gib": peak_memory()}))
            return
        file = args.folder / "large.jsonl"
        run(file, args.only or list(SECTIONS), args.name, args.label, folder)
    keep(report(file, "now"), file.with_suffix(".md"))


if __name__ == "__main__":
    main()
