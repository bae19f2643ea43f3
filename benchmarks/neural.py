"""What PI-GNN and full-GCN cost: a long odd cycle, one step, and one product with the neighbors.

    OMP_NUM_THREADS=1 python benchmarks/neural.py [--limit 60] [--runs 5]

Every comparison is made in alternating runs of one process. Seconds are CPU seconds. The tables are
printed and written to ``neural.md`` beside this file.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import torch
from torch import Tensor
from torch_geometric.nn import GCNConv

import concolor
from concolor import Graph, family
from concolor.goal import Progress, Solution, Task
from concolor.solvers.full_gcn import full_gcn
from concolor.solvers.local_search import warm_up
from concolor.solvers.neural import Neighbors
from concolor.solvers.pi_gnn import GCN, pi_gnn
from measure import keep

CPU = torch.device("cpu")
SOLVERS: dict[str, Callable[..., Solution]] = {
    "PI-SAGE": partial(pi_gnn, variant="sage", device="cpu"),
    "PI-GCN": partial(pi_gnn, variant="gcn", device="cpu"),
    "full-GCN": partial(full_gcn, device="cpu"),
}
STEPS = (("queen:16", 10), ("er:1000x0.01", 3), ("cycle:7001", 2), ("er:20000x0.0005", 4))
PRODUCTS = ("queen:16", "cycle:7001", "er:20000x0.0005")


def trained(solver: Callable[..., Solution], graph: Graph, **goal: float) -> tuple[Progress, float]:
    """The last report, and CPU seconds."""
    seen: list[Progress] = []
    start = time.process_time()
    solver(Task.of(graph, progress=seen.append, **goal))
    return seen[-1], time.process_time() - start


def long_cycle(limit: float) -> Iterator[str]:
    graph = family("cycle:7001")
    yield "| method | conflicts | steps | CPU seconds |"
    yield "|---|---|---|---|"
    for name, solver in SOLVERS.items():
        last, taken = trained(solver, graph, k=3, time_limit=limit)
        yield f"| {name} | {last.best.conflicts} | {last.steps} | {taken:.1f} |"


def medians(work: Mapping[str, Callable[[], float]], runs: int) -> dict[str, float]:
    """Medians of numbers that are measured in turn."""
    every = [{name: measure() for name, measure in work.items()} for _ in range(runs)]
    return {name: statistics.median(run[name] for run in every) for name in work}


def per_step(solver: Callable[..., Solution], graph: Graph, k: int) -> float:
    """Milliseconds of a step, where no coloring ends the training."""
    last, taken = trained(solver, graph, k=k, time_limit=2)
    return 1e3 * taken / last.steps


def steps(runs: int) -> Iterator[str]:
    yield f"| graph, k | n | m | {' | '.join(SOLVERS)} | full-GCN / PI-SAGE | full-GCN / PI-GCN |"
    yield "|---|---|---|---|---|---|---|---|"
    for spec, k in STEPS:
        graph = family(spec)
        work = {name: partial(per_step, solver, graph, k) for name, solver in SOLVERS.items()}
        found = medians(work, runs)
        sage, gcn, full = found.values()
        cells = " | ".join(f"{value:.2f}" for value in found.values())
        about = f"{graph.name}, {k} | {graph.n} | {graph.m}"
        yield f"| {about} | {cells} | {full / sage:.2f} | {full / gcn:.2f} |"


def milliseconds(step: Callable[[], Tensor], repeat: int = 20) -> float:
    """Of a forward and a backward pass."""
    step().sum().backward()
    start = time.process_time()
    for _ in range(repeat):
        step().sum().backward()
    return 1e3 * (time.process_time() - start) / repeat


def products(runs: int) -> Iterator[str]:
    names = ("ours", "index_add", "torch CSR", "PI-GCN, ours", "PI-GCN, PyG layers")
    yield f"| graph | {' | '.join(names)} |"
    yield "|---|---|---|---|---|---|"
    for spec in PRODUCTS:
        found = medians(_products(family(spec)), runs)
        yield f"| {family(spec).name} | {' | '.join(f'{found[name]:.2f}' for name in names)} |"


def _products(graph: Graph) -> dict[str, Callable[[], float]]:
    x = torch.randn(graph.n, 64, requires_grad=True)
    edge_index = torch.tensor(graph.edge_index)
    u, v = edge_index
    ours = Neighbors.of(graph, CPU)
    rows = torch.tensor(graph.indptr), torch.tensor(graph.indices), torch.ones(2 * graph.m)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls its CSR a beta
        csr = torch.sparse_csr_tensor(*rows, size=(graph.n, graph.n))
    network = GCN(graph, 4, CPU)
    first, second = (GCNConv(64, size, add_self_loops=False, cached=True) for size in (64, 4))

    def by_pyg() -> Tensor:
        hidden = network.dropout(first(network.x, edge_index).relu())
        result: Tensor = second(hidden, edge_index)
        return result

    return {
        "ours": lambda: milliseconds(lambda: ours @ x),
        "index_add": lambda: milliseconds(lambda: torch.zeros_like(x).index_add(0, u, x[v])),
        "torch CSR": lambda: milliseconds(lambda: csr @ x),
        "PI-GCN, ours": lambda: milliseconds(network),
        "PI-GCN, PyG layers": lambda: milliseconds(by_pyg),
    }


def report(args: argparse.Namespace) -> Iterator[str]:
    yield "# PI-GNN and full-GCN"
    yield ""
    yield (
        f"concolor {concolor.__version__}, torch {torch.__version__}, Python "
        f"{platform.python_version()}, {platform.machine()}, {torch.get_num_threads()} thread. "
        f"Medians of {args.runs} alternating runs."
    )
    yield ""
    yield f"## C_7001 with 3 colors, {args.limit:g} s at most"
    yield ""
    yield from long_cycle(args.limit)
    yield ""
    yield "## CPU milliseconds of one training step"
    yield ""
    yield from steps(args.runs)
    yield ""
    yield "## CPU milliseconds of a forward and a backward pass"
    yield ""
    yield (
        "The sum over the neighbors of 64 channels, three ways; and the two layers of PI-GCN with "
        "it and with PyTorch Geometric's."
    )
    yield ""
    yield from products(args.runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    warm_up()
    keep(report(args), Path(__file__).with_suffix(".md"))


if __name__ == "__main__":
    main()
