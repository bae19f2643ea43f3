"""Both sides of theta beside the exact one, what is proved about chi, and the time it takes.

    CONCOLOR_DATA=... python benchmarks/certificates.py > benchmarks/certificates.md
    python benchmarks/certificates.py --only cycle:5 petersen      # a short look

Exact theta and the comparison of times need cvxpy (``pip install 'concolor[sdp]'``); without it
their columns stay empty. Without CONCOLOR_DATA the books and citation graphs are left out.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

import concolor as cc
from concolor.certificates import (
    Sides,
    certify,
    exact_theta,
    largest_clique,
    prototypes,
    sharpen,
    verify,
)
from measure import peak_memory

SMALL = [
    *("cycle:5", "petersen", *(f"myciel:{k}" for k in range(3, 7))),
    *(f"queen:{k}x{k}" for k in range(5, 9)),
    *("er:60x0.3", "er:150x0.1", "kneser:7x2"),
]
PROVED = [*(f"cycle:{n}" for n in (7, 51, 301, 1001)), "multipartite:3x5x7", "turan:60x7"]
SUBGRAPHS = 20
TIMED = [  # to 1 percent; the first ones also by the SDP, which takes minutes
    *("er:300x0.1", "planted:300x6x0.1"),
    *("er:300x0.05", "er:300x0.3", "geometric:300x0.1", "watts:300x10x0.3"),
]
TIMED_BY_SDP = 2
REPEATS = 5  # of ours, whose median counts
LADDER = (1e-2, 3e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5)  # tolerances of SCS, loosest first
SDP_NODES = 200  # above, exact theta takes many minutes
HAS_SDP = find_spec("cvxpy") is not None
HAS_DATA = "CONCOLOR_DATA" in os.environ


def against_theta(graphs: list[cc.Graph]) -> Iterator[str]:
    """Both sides, and how far each is from theta."""
    for graph in graphs:
        began = time.perf_counter()
        found = certify(graph.but(chi=None))
        seconds = time.perf_counter() - began
        verify(graph, found)
        low, high = found.theta_lower, found.theta_upper
        meet = high - low < 1e-6  # then theta is known, and the largest graphs need no SDP
        affordable = HAS_SDP and graph.n <= SDP_NODES
        theta = low if meet else exact_theta(graph) if affordable else None
        exact = "" if theta is None else f"{theta:.5f}"
        yield (
            f"| {graph.name} | {graph.n} | {graph.m} | {low:.5f} | {_off(low, theta)} | {exact} | "
            f"{high:.5f} | {_off(high, theta)} | {100 * (high / low - 1):.2f} % | "
            f"{found.lower}..{found.upper} | {'yes' if found.is_proved else 'no'} | {seconds:.2f} |"
        )


def against_time() -> Iterator[str]:
    """CPU seconds until theta is known to 1 percent, beside the SDP at two tolerances.

    Ours is a bracket with witnesses, both sides within 1 percent; clique, coloring and start are
    in its time. The SDP is solved by SCS (an interior point method runs out of memory here), once
    with cvxpy's own tolerance and once with the loosest of LADDER whose number is within 1
    percent of theta: that tolerance is a gift, since only who knows theta can choose it.
    """
    _bracket(cc.family("myciel:3"), gap=0.01)  # compiled now, and not on the clock
    for place, spec in enumerate(TIMED):
        graph = cc.family(spec)
        seconds = []
        for _ in range(REPEATS):  # always the same steps; only the time differs
            began = time.process_time()
            found = _bracket(graph, gap=0.01)
            seconds.append(time.process_time() - began)
        ours = float(np.median(seconds))
        yield f"| {spec} | ours | {found.lower:.4f}..{found.upper:.4f} | {ours:.2f} | |"
        if HAS_SDP and place < TIMED_BY_SDP:
            finer = _bracket(graph, gap=0.001)
            for name, theta, theirs in _by_scs(graph, (finer.lower + finer.upper) / 2):
                yield f"| {spec} | SCS, {name} | {theta:.4f} | {theirs:.1f} | {theirs / ours:.0f} |"


def _bracket(graph: cc.Graph, gap: float) -> Sides:
    clique = np.isin(graph.edges, largest_clique(graph)).all(axis=1).astype(float)
    return sharpen(*prototypes(cc.dsatur(graph)), graph, weights=clique, gap=gap)


def _by_scs(graph: cc.Graph, theta: float) -> Iterator[tuple[str, float, float]]:
    """Tolerance, what SCS finds, and its CPU seconds: by default, and at the loosest that does."""
    for eps in (None, *LADDER):
        began = time.process_time()
        with warnings.catch_warnings(action="ignore"):  # cvxpy finds loose solutions inaccurate
            found = exact_theta(graph, solver="SCS", eps=eps)
        seconds = time.process_time() - began
        if eps is None:
            yield "default", found, seconds
        elif abs(found / theta - 1) <= 0.01:
            yield f"eps {eps:g}", found, seconds
            return


def large() -> Iterator[str]:
    """PubMed: time and memory of certifying and of verifying."""
    (graph,) = cc.dataset("pubmed").splits["test"][:1]
    began = time.perf_counter()
    found = certify(graph, time_limit=60)
    middle = time.perf_counter()
    verify(graph, found)
    end = time.perf_counter()
    sides = f"{found.lower}..{found.upper} | {found.theta_lower:.3f}..{found.theta_upper:.3f}"
    yield (
        f"| {graph.name} | {graph.n} | {graph.m} | {sides} | {middle - began:.1f} | "
        f"{end - middle:.2f} | {peak_memory():.2f} |"
    )


def _off(side: float, theta: float | None) -> str:
    return "" if theta is None else f"{100 * abs(side / theta - 1):.3f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="GRAPH", help="families, the first table only")
    only = parser.parse_args().only
    graphs = [cc.family(spec) for spec in only or [*SMALL, *PROVED]]
    if HAS_DATA and not only:
        graphs += [g for part in cc.dataset("color-book").splits.values() for g in part]
        graphs += cc.dataset("cora-subgraphs").splits["test"][:SUBGRAPHS]
    print("# Certificates\n")
    print("`python benchmarks/certificates.py > benchmarks/certificates.md`, one thread of")
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__},")
    print(f"{'cvxpy ' + version('cvxpy') if HAS_SDP else 'cvxpy not installed: no exact theta'}.\n")
    print("## Both sides of theta of the complement; all certificates were verified\n")
    print("| graph | n | m | lower | off | theta | upper | off | gap | chi | proved | seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in against_theta(graphs):
        print(row, flush=True)
    if only:
        return
    print("\n## CPU seconds until theta is known to 1 percent, compilation not counted\n")
    print(f"Ours: both sides, with witnesses, the median of {REPEATS} runs. SCS: a number within 1")
    print("percent of theta, at cvxpy's default tolerance and at the loosest that gives one of")
    print(f"{', '.join(f'{eps:g}' for eps in LADDER)}.\n")
    print("| graph | method | theta | seconds | over ours |")
    print("|---|---|---|---|---|")
    for row in against_time():
        print(row, flush=True)
    if HAS_DATA:
        print("\n## Large and sparse\n")
        print("| graph | n | m | chi | theta | certify s | verify s | peak GiB |")
        print("|---|---|---|---|---|---|---|---|")
        print(*large(), sep="\n")


if __name__ == "__main__":
    main()
