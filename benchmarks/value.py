"""Does learning help? The shipped models beside the null, eigenvectors, greedy and local search.

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/value.py [--graphs 10]

All graphs are held out: none is among the training graphs. Queen boards and Mycielski graphs have
no seeds, so they were also looked at when the recipe was chosen (``general.py``). A comparison is
made graph by graph in one process. Figures are kept in ``value.jsonl`` under the weights they are
of, so a run that was stopped goes on; the tables are written to ``value.md``, and in short to the
cards of the models. All seconds are of CPU, those of limits too, since others may be busy on the
machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import concolor as cc
from concolor import goal
from concolor.decoding import guided, sweep, unguided
from concolor.decoding.cluster import Clustering, sphere_means
from concolor.decoding.distance import unit
from concolor.decoding.guided import TRIES as DEFAULT
from concolor.features.spectral import lowest_vectors
from concolor.goal import Progress
from concolor.models import FLEET, LIGHT, OVERLAP, SPARSE, load, suited
from concolor.solvers.local_search import warm_up
from value_page import (
    DRAWS,
    GENERAL_UP_TO,
    SEEDS,
    SETS,
    SPECTRAL_K,
    TRIES,
    light_figures,
    means,
    render,
    table,
    with_figures,
)

__all__ = ["ALLOWED", "DRAWS", "FAMILIES", "K_MAX", "TRIES", "families", "spectral", "table"]

HERE = Path(__file__).parent
FAST = (LIGHT, SPARSE, OVERLAP)  # one network, and which weights is for ``suited`` to say
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
LARGE = {  # of about the same degrees at every size
    "er": "er:{n}x{a:g}".format,
    "geometric": "geometric:{n}x{b:g}".format,
    "watts": "watts:{n}x6x0.2".format,
    "planted": "planted:{n}x5x{c:g}".format,
    "exam": "exam:{n}x{d}".format,
    "interval": "interval:{n}x10".format,
    "regular": "regular:{n}x6".format,
}
SIZES = (1_000, 10_000, 100_000)
QUEENS = ("queen:8", "queen:10", "queen:11", "queen:12", "queen:10x12", "queen:13")
MYCIEL = ("myciel:4", "myciel:5", "myciel:6", "myciel:7")
ALLOWED, K_MAX = 0.05, 64
BEST_SECONDS, MOVES_SECONDS = 1.0, 1.0
LIMITS = (
    f"{BEST_SECONDS:g} s of CPU"  # in the keys of figures, so that others are not taken for them
)
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
    start = time.process_time()
    drawn = [colorer.embed(graph, seed=seed + draw) for draw in range(DRAWS)]
    sweeps = [colorer.sweep(graph, z=z, k_max=K_MAX, seed=seed) for z in drawn]
    spent = time.process_time() - start
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


def spectral(graph: cc.Graph, k_max: int, seed: int = 0) -> cc.Sweep:
    """The untrained control: k clusters of the k - 1 lowest eigenvectors of the Bethe Hessian."""
    vectors = lowest_vectors(graph, min(k_max, graph.n) - 1)[1]

    def cluster(k: int) -> Clustering:
        return sphere_means(unit(vectors[:, : max(k - 1, 1)]), seed)(k)

    return sweep(graph, vectors, k_max=k_max, decoder=lambda z, seed: cluster, max_mono=ALLOWED)


def beside(general: cc.Colorer, light: cc.Colorer, graph: cc.Graph) -> dict[str, float]:
    """k at 5 percent conflicts of light, as many draws; seconds of a draw of both models."""

    def embedded(colorer: cc.Colorer) -> tuple[list[np.ndarray], float]:
        start = time.process_time()
        drawn = [colorer.embed(graph, seed=draw) for draw in range(DRAWS)]
        return drawn, (time.process_time() - start) / DRAWS

    _, slow = embedded(general)
    drawn, fast = embedded(light)
    sweeps = [light.sweep(graph, z=z, k_max=K_MAX, seed=0) for z in drawn]
    return {
        "light": min(sweep.k_star() for sweep in sweeps),
        "light, one draw": sweeps[0].k_star(),
        "general embeds": slow,
        "light embeds": fast,
    }


def untrained(graph: cc.Graph) -> dict[str, float]:
    """k at 5 percent conflicts of the eigenvectors, with as many clusterings."""
    return {"spectral": min(spectral(graph, K_MAX, seed).k_star() for seed in range(DRAWS))}


def chance(colorer: cc.Colorer, graph: cc.Graph) -> list[int]:
    """Raw k of several sets of draws, the best of each; the first is that of :func:`raw`."""
    found = []
    for first in range(0, SETS * DRAWS, DRAWS):
        drawn = (colorer.embed(graph, seed=first + draw) for draw in range(DRAWS))
        sweeps = [colorer.sweep(graph, z=z, k_max=K_MAX, seed=first) for z in drawn]
        found.append(min(sweep.k_star() for sweep in sweeps))
    return found


def large(
    general: cc.Colorer | None, light: cc.Colorer, graph: cc.Graph, seed: int = 0
) -> dict[str, float | None]:
    """k at 5 percent conflicts, and the seconds that it took; None where left out."""
    found: dict[str, float | None] = {}

    def timed(name: str, work: Callable[[], int]) -> None:
        start = time.process_time()
        found[name] = work()
        found[f"{name}, s"] = time.process_time() - start

    def learned(colorer: cc.Colorer, draws: int = 1) -> int:
        drawn = (colorer.embed(graph, seed=seed + draw) for draw in range(draws))
        made = [colorer.sweep(graph, z=z, k_max=K_MAX, seed=seed) for z in drawn]
        return min(sweep.k_star() if sweep.hit() else K_MAX for sweep in made)

    def by_vectors() -> int:
        made = spectral(graph, SPECTRAL_K, seed)
        return made.k_star() if made.hit() else 0

    timed("light", lambda: learned(light))
    timed(f"light, {DRAWS} draws", lambda: learned(light, DRAWS))
    if general is None:
        found |= {"general": None, "general, s": None}
    else:
        timed("general", lambda: learned(general))
    timed("spectral", by_vectors)
    found["spectral"] = found["spectral"] or None  # no k within SPECTRAL_K was enough
    nulls = (k for k in range(1, K_MAX + 1) if cc.null(graph, k, seed=seed).mono <= ALLOWED)
    found["null"] = next(nulls, K_MAX)
    timed("DSATUR, proper", lambda: cc.dsatur(graph).k)
    limit = found[f"light, {DRAWS} draws, s"]
    same = cc.solve(graph, "tabucol", max_mono=ALLOWED, seed=seed, time_limit=limit).coloring
    found["TabuCol, light's time"] = same.k
    return found


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
    colorer.sweep(graphs[0], z=colorer.embed_many(graphs[:2])[0])  # loads what there is to load
    start = time.process_time()
    embedded = colorer.embed_many(graphs)
    middle = time.process_time()
    colors = [
        colorer.sweep(graph, z=z, k_max=K_MAX).k_star()
        for graph, z in zip(graphs, embedded, strict=True)
    ]
    end = time.process_time()
    single = time.process_time()
    for graph in graphs[:100]:
        colorer.embed(graph)
    alone = (time.process_time() - single) / 100
    return {
        "embedded a second, in batches": 1000 / (middle - start),
        "embedded a second, one by one": 1 / alone,
        "embedded and decoded a second": 1000 / (end - start),
        "mean k at 5 %": statistics.fmean(colors),
    }


def small_controls() -> dict[str, float]:
    """Mean k of the same 1000 graphs without learning."""
    graphs = [cc.family("er:50x0.1", seed=9000 + seed) for seed in range(1000)]

    def null(graph: cc.Graph) -> int:
        fits = (k for k in range(1, K_MAX + 1) if cc.null(graph, k).mono <= ALLOWED)
        return next(fits, K_MAX)

    def tabu(graph: cc.Graph) -> int:
        return cc.solve(graph, "tabucol", max_mono=ALLOWED, time_limit=0.01).coloring.k

    ways: dict[str, Callable[[cc.Graph], int]] = {
        "null": null,
        "spectral": lambda graph: spectral(graph, K_MAX).k_star(),
        "TabuCol, 0.01 s": tabu,
        "DSATUR, proper": lambda graph: cc.dsatur(graph).k,
    }
    return {name: statistics.fmean(map(way, graphs)) for name, way in ways.items()}


def weights(colorer: cc.Colorer) -> str:
    """A short digest of the weights."""
    parts = (part.numpy().tobytes() for part in colorer.model.network.state_dict().values())
    return hashlib.sha256(b"".join(parts)).hexdigest()[:8]


def measured(key: str, work: Callable[[], Any]) -> Any:
    """The figures of a key, from the file if they are there."""
    lines = CELLS.read_text().splitlines() if CELLS.exists() else []
    known = {line["key"]: line["figures"] for line in map(json.loads, lines)}
    if key not in known:
        known[key] = work()
        with CELLS.open("a") as file:
            file.write(json.dumps({"key": key, "figures": known[key]}) + "\n")
        print(key, known[key], flush=True)
    return known[key]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=10, help="held-out graphs of a family")
    options = parser.parse_args()
    torch.set_num_threads(1)
    goal.perf_counter = time.process_time  # every limit below is one of CPU seconds
    warm_up()
    colorer, fast = load("general"), {name: load(name) for name in FAST}
    trained = {graph.digest for graph in cc.dataset("general").train}
    of, *of_fast = (f"{LIMITS}/{weights(m)}-{m.recipe.steps}" for m in (colorer, *fast.values()))
    named = dict(zip(fast, of_fast, strict=True))
    for model in (colorer, *fast.values()):
        model.sweep(cc.family("cycle:5"))
    guided(cc.family("cycle:5"), np.eye(5))
    found: dict[str, dict[str, list[dict]]] = {}
    for name, graphs in families(options.graphs).items():
        parts: dict[str, list[dict]] = {"raw": [], "draws": [], "proper": [], "moves": []}
        for graph in graphs:
            if graph.digest in trained:
                raise SystemExit(f"{graph.name} is a training graph, so it is not held out")
            key = f"{of}/{name}/{graph.name}/{graph.digest[:8]}"
            which = suited(graph, FLEET)
            light, place = fast[which], f"{named[which]}/{name}/{graph.name}/{graph.digest[:8]}"
            parts["raw"].append(
                measured(f"raw/{key}", lambda g=graph: raw(colorer, g))
                | measured(f"light/{place}", lambda g=graph, m=light: beside(colorer, m, g))
                | measured(f"spectral/{name}/{graph.digest}", lambda g=graph: untrained(g))
            )
            parts["draws"].append(
                {
                    "general": measured(f"draws/{key}", lambda g=graph: chance(colorer, g)),
                    "light": measured(f"draws/{place}", lambda g=graph, m=light: chance(m, g)),
                }
            )
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
    sizes = {}
    for n in SIZES:
        numbers = {"n": n, "a": 10 / n, "b": (12 / np.pi / n) ** 0.5, "c": 24 / n, "d": 4 * n}
        for spec in (write(**numbers) for write in LARGE.values()):
            graph = cc.family(spec, seed=FIRST)
            which = suited(graph, FLEET)
            key = f"large/{of}/{named[which]}/{spec}/{DRAWS} draws"
            slow = colorer if n <= GENERAL_UP_TO else None
            sizes[spec] = measured(key, lambda g=graph, slow=slow, m=fast[which]: large(slow, m, g))
    speeds = {
        "general": measured(f"throughput/{of}", lambda: throughput(colorer)),
        "light": measured(f"throughput/{named['light']}", lambda: throughput(fast["light"])),
    }
    controls = measured(f"throughput/{LIMITS}/controls", small_controls)
    (HERE / "value.md").write_text(render("general", found, sizes, speeds, controls))
    models = HERE.parent / "src/concolor/models"
    for name, written in (("general", with_figures), ("light", light_figures)):
        card = models / f"{name}.md"
        card.write_text(written(card.read_text(), found))


if __name__ == "__main__":
    main()
