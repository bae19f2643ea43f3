"""Does learning help? The shipped model beside the null, greedy, local search and random choices.

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/value.py [--graphs 10]

All graphs are held out: none is among the training graphs. Queen boards and Mycielski graphs have
no seeds, so they were also looked at when the recipe was chosen (``general.py``). A comparison is
made graph by graph in one process. Figures are kept in ``value.jsonl`` under the weights they are
of, so a run that was stopped goes on; the tables are written to ``value.md``, and in short to the
card of the model.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import concolor as cc
from concolor.decoding import guided, unguided
from concolor.decoding.guided import TRIES as DEFAULT
from concolor.goal import Progress
from concolor.models import load
from concolor.solvers.local_search import warm_up

HERE = Path(__file__).parent
CELLS = HERE / "value.jsonl"
FAMILIES = {
    "er sparse": ("er:150x0.066", "er:400x0.02"),
    "er dense": ("er:100x0.3", "er:80x0.5"),
    "geometric": ("geometric:150x0.2", "geometric:400x0.1"),
    "watts": ("watts:120x8x0.3", "watts:300x6x0.2"),
    "planted": ("planted:120x6x0.3", "planted:300x5x0.08"),
    "exam": ("exam:80x300", "exam:150x600"),
    "interval": ("interval:100x8", "interval:300x10"),
    "regular": ("regular:120x8", "regular:300x6"),
}
QUEENS = ("queen:8", "queen:10", "queen:11", "queen:12", "queen:10x12", "queen:13")
MYCIEL = ("myciel:4", "myciel:5", "myciel:6", "myciel:7")
ALLOWED, K_MAX, TRIES = 0.05, 64, 64
DRAWS = 4  # of the random features, as many as color draws
BEST_SECONDS, MOVES_SECONDS = 2.0, 2.0
SEEDS = 3  # of guided and the control with all tries
FIGURES = "Mean colors on held-out graphs, from benchmarks/value.md:"  # a line of the card
FIRST = 9200  # seeds from here on were never looked at while the model was made


def families(count: int, first: int = FIRST) -> dict[str, list[cc.Graph]]:
    """Held-out graphs by family; ``first`` is the first seed of those that are drawn."""
    drawn = {
        name: [cc.family(spec, seed=first + seed) for spec in specs for seed in range(count // 2)]
        for name, specs in FAMILIES.items()
    }
    cora = list(cc.dataset("cora-subgraphs").test[:count])
    named = {"queens": QUEENS, "myciel (never trained)": MYCIEL}
    return drawn | {"cora": cora} | {name: [*map(cc.family, v)] for name, v in named.items()}


def raw(colorer: cc.Colorer, graph: cc.Graph, seed: int = 0) -> dict[str, float]:
    """k at 5 percent conflicts: learned, null, DSATUR's proper k, TabuCol in the same time."""
    start = time.perf_counter()
    drawn = [colorer.embed(graph, seed=seed + draw) for draw in range(DRAWS)]
    sweeps = [colorer.sweep(graph, z=z, k_max=K_MAX, seed=seed) for z in drawn]
    spent = time.perf_counter() - start
    nulls = (k for k in range(1, K_MAX + 1) if cc.null(graph, k, seed=seed).mono <= ALLOWED)
    same_time = cc.solve(graph, "tabucol", max_mono=ALLOWED, seed=seed, time_limit=spent).coloring
    long = cc.solve(graph, "tabucol", max_mono=ALLOWED, seed=seed, time_limit=BEST_SECONDS).coloring
    return {
        "learned": min(sweep.k_star() for sweep in sweeps),
        "one draw": sweeps[0].k_star(),
        "hit": any(sweep.hit() for sweep in sweeps),
        "null": next(nulls, K_MAX),
        "DSATUR, proper": cc.dsatur(graph).k,
        "TabuCol, same time": same_time.k,
        f"TabuCol, {BEST_SECONDS:g} s": long.k,
        "seconds": spent,
    }


def proper(colorer: cc.Colorer, graph: cc.Graph, seed: int = 0) -> dict[str, float]:
    """Proper k: guided, DSATUR, the random-choice control with as many tries, best known."""
    z = np.stack([colorer.embed(graph, seed=seed + draw) for draw in range(DRAWS)])
    best = cc.solve(graph, "tabucol", seed=seed, time_limit=BEST_SECONDS).coloring
    found = {
        "guided": guided(graph, z, tries=TRIES, seed=seed).k,
        "control": unguided(graph, tries=TRIES, seed=seed).k,
        "DSATUR": cc.dsatur(graph).k,
    }
    return found | {"best known": graph.chi or min(best.k, *found.values())}


def default(colorer: cc.Colorer, graph: cc.Graph) -> dict[str, float]:
    """The same with as many tries as ``color`` makes, means of several seeds."""
    found = []
    for seed in range(SEEDS):
        draws = range(DRAWS * seed, DRAWS * (seed + 1))
        z = np.stack([colorer.embed(graph, seed=draw) for draw in draws])
        one = guided(graph, z, tries=DEFAULT, seed=seed)
        other = unguided(graph, tries=DEFAULT, seed=seed)
        found.append({f"guided, {DEFAULT}": one.k, f"control, {DEFAULT}": other.k})
    return means(found)


def moves(colorer: cc.Colorer, graph: cc.Graph, k: int, seed: int = 0) -> dict[str, float | None]:
    """TabuCol moves to a proper coloring with k colors from several starts; None: not in time."""
    z = colorer.embed(graph, seed=seed)
    learned = colorer.sweep(graph, z=z, k_max=k, full=True, seed=seed)
    starts = {
        "learned": learned.coloring(max(learned.curve)),
        "guided": guided(graph, z, tries=TRIES, seed=seed),
        "DSATUR": cc.dsatur(graph),
        "random": cc.null(graph, k, seed=seed, tries=1),
    }
    return {name: _moves(graph, k, start, seed) for name, start in starts.items()}


def start(colorer: cc.Colorer, graph: cc.Graph, k: int, seed: int = 0) -> dict[str, float | None]:
    """The same from where ``color`` starts: all draws and tries of guided, or DSATUR if better."""
    (found,) = cc.answers([graph], colorer, polish=False, seed=seed)
    best = min(found.raw, cc.dsatur(graph), key=lambda coloring: coloring.k)
    return {"color's": _moves(graph, k, best, seed)}


def _moves(graph: cc.Graph, k: int, start: cc.Coloring, seed: int) -> float | None:
    seen: list[Progress] = []
    found = cc.solve(
        graph,
        "tabucol",
        k=k,
        start=start,
        seed=seed,
        time_limit=MOVES_SECONDS,
        progress=seen.append,
    ).coloring
    return (seen[-1].steps if seen else 0) if found.is_proper else None


def throughput(colorer: cc.Colorer) -> dict[str, float]:
    """Graphs a second in a batch of 1000 small graphs: embedding, and embedding with decoding."""
    graphs = [cc.family("er:50x0.1", seed=9000 + seed) for seed in range(1000)]
    start = time.process_time()
    embedded = colorer.embed_many(graphs)
    middle = time.process_time()
    for graph, z in zip(graphs, embedded, strict=True):
        colorer.sweep(graph, z=z, k_max=K_MAX)
    end = time.process_time()
    single = time.process_time()
    for graph in graphs[:100]:
        colorer.embed(graph)
    alone = (time.process_time() - single) / 100
    return {
        "embedded a second, in batches": 1000 / (middle - start),
        "embedded a second, one by one": 1 / alone,
        "embedded and decoded a second": 1000 / (end - start),
    }


def weights(colorer: cc.Colorer) -> str:
    """A short digest of the weights."""
    parts = (part.numpy().tobytes() for part in colorer.model.network.state_dict().values())
    return hashlib.sha256(b"".join(parts)).hexdigest()[:8]


def measured(key: str, work: Callable[[], dict]) -> dict:
    """The figures of a key, from the file if they are there."""
    lines = CELLS.read_text().splitlines() if CELLS.exists() else []
    known = {line["key"]: line["figures"] for line in map(json.loads, lines)}
    if key not in known:
        known[key] = work()
        with CELLS.open("a") as file:
            file.write(json.dumps({"key": key, "figures": known[key]}) + "\n")
        print(key, known[key], flush=True)
    return known[key]


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows)]


def means(rows: list[dict]) -> dict[str, float]:
    return {name: statistics.fmean(float(row[name]) for row in rows) for name in rows[0]}


def render(model: str, found: dict[str, dict[str, list[dict]]], speed: dict[str, float]) -> str:
    text = [
        "# Does learning help?",
        "",
        f"Written by `benchmarks/value.py`: the shipped model `{model}` on held-out graphs, the",
        f"best of {DRAWS} draws of its random features. torch {torch.__version__}, one thread.",
        "None of the graphs was trained on; queens and myciel were looked at when the recipe was",
        "chosen.",
        "",
        "## Raw k with at most 5 % conflicts",
        "",
    ]
    heads = list(next(iter(found.values()))["raw"][0])
    text += table(
        ["family", "graphs", *heads],
        [
            [name, str(len(parts["raw"])), *(f"{v:.2f}" for v in means(parts["raw"]).values())]
            for name, parts in found.items()
        ],
    )
    heads = list(next(iter(found.values()))["proper"][0])
    text += [
        "",
        f"## Proper k; guided and control have {DEFAULT} tries ({SEEDS} seeds), or {TRIES} (one)",
        "",
    ]
    text += table(
        ["family", *heads],
        [
            [name, *(f"{v:.2f}" for v in means(parts["proper"]).values())]
            for name, parts in found.items()
        ],
    )
    heads = list(next(iter(found.values()))["moves"][0])
    text += ["", "## Median TabuCol moves to the best known k; in brackets, graphs not done", ""]
    rows = []
    for name, parts in found.items():
        row = [name]
        for head in heads:
            values = [line[head] for line in parts["moves"]]
            done = [value for value in values if value is not None]
            late = f" ({len(values) - len(done)})" if len(done) < len(values) else ""
            middle = statistics.median(v if v is not None else float("inf") for v in values)
            row.append(f"{middle:.0f}{late}" if middle != float("inf") else f"-{late}")
        rows.append(row)
    text += table(["family", *heads], rows)
    text += ["", "## A batch of 1000 graphs of 50 nodes", ""]
    text += table(["", "graphs"], [[name, f"{value:.0f}"] for name, value in speed.items()])
    return "\n".join(text) + "\n"


def with_figures(card: str, found: dict[str, dict[str, list[dict]]]) -> str:
    """The card with a short table in place of what is between its figures and its limits."""
    shown = {
        "raw": ("learned", "null", "TabuCol, same time"),
        "proper": ("guided", "control", "DSATUR", "best known"),
    }
    rows = [
        [
            name,
            *(f"{means(parts[kind])[head]:.2f}" for kind, heads in shown.items() for head in heads),
        ]
        for name, parts in found.items()
    ]
    heads = ["family", "raw k at 5 %", "null", "TabuCol, same time"]
    lines = table([*heads, *shown["proper"]], rows)
    before, rest = card.split(FIGURES)
    limits = rest[rest.index("**Limits.**") :]
    return before + FIGURES + "\n\n" + "\n".join(lines) + "\n\n" + limits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=10, help="held-out graphs of a family")
    parser.add_argument("--model", default="general")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warm_up()
    colorer = load(options.model)
    trained, of = {g.digest for g in cc.dataset("general").train}, weights(colorer)
    guided(cc.family("cycle:5"), np.eye(5))
    found: dict[str, dict[str, list[dict]]] = {}
    for name, graphs in families(options.graphs).items():
        parts: dict[str, list[dict]] = {"raw": [], "proper": [], "moves": []}
        for graph in graphs:
            if graph.digest in trained:
                raise SystemExit(f"{graph.name} is a training graph, so it is not held out")
            key = f"{of}/{name}/{graph.name}/{graph.digest[:8]}"
            parts["raw"].append(measured(f"raw/{key}", lambda g=graph: raw(colorer, g)))
            colors = measured(f"proper/{key}", lambda g=graph: proper(colorer, g))
            parts["proper"].append(
                measured(f"default/{key}", lambda g=graph: default(colorer, g)) | colors
            )
            k = int(colors["best known"])
            parts["moves"].append(
                measured(f"moves/{key}", lambda g=graph, k=k: moves(colorer, g, k))
                | measured(f"start/{key}", lambda g=graph, k=k: start(colorer, g, k))
            )
        found[name] = parts
    speed = measured(f"throughput/{of}", lambda: throughput(colorer))
    (HERE / "value.md").write_text(render(options.model, found, speed))
    card = HERE.parent / f"src/concolor/models/{options.model}.md"
    if card.exists():
        card.write_text(with_figures(card.read_text(), found))


if __name__ == "__main__":
    main()
