"""Where learning pays on real work: the shipped model before and after five minutes on one's own.

    OMP_NUM_THREADS=1 python benchmarks/finetune.py [--only trials|table] [DISTRIBUTION ...]

What ``concolor train jobs/* --from general --time-limit 300`` does, on three distributions
(``finetune_graphs.py``). All limits, of training and of search, are seconds of CPU: a busy machine
makes no difference. Trials choose how to train on: short trainings without held-out graphs, judged
on graphs that are used for nothing else. The table is made with what ``train --from`` does by
itself, which holds out every fifth graph and keeps the best state, on graphs that were neither
trained on nor looked at before. Figures are kept in ``finetune.jsonl``, so a run that was
stopped goes on; models are kept in FOLDER. The tables are written to ``finetune.md``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import concolor as cc
from concolor import goal
from concolor.decoding import guided, unguided
from concolor.goal import Progress
from concolor.learning.embedder import clusters_of
from concolor.learning.labels import label
from concolor.models import load
from concolor.solvers.local_search import warm_up
from finetune_graphs import DISTRIBUTIONS

HERE = Path(__file__).parent
CELLS = HERE / "finetune.jsonl"
TAUGHT, TRIED, JUDGED = 0, 500, 900  # first seeds
GRAPHS, SECONDS = 120, 300.0
TRIAL_GRAPHS, TRIAL_SECONDS, TRIAL_COUNT = 40, 90.0, 8
ALLOWED, K_MAX, DRAWS, TRIES = 0.05, 64, 4, 64
LONG, BRIEF = 2.0, 1.0  # seconds of a search, and of one whose moves are counted
EARLIER = (
    "Rows with dashes are of a run before graphs were held out, when what was kept was the last",
    "state, and before there was a memetic search.",
)
SLOW = {"lr": 0.0005, "decay": False, "relabel": 0}
TRIALS: dict[str, tuple[str, dict, bool]] = {  # the model to begin with, changes, decay in time
    "not at all": ("general", {"epochs": 0}, False),
    "as it was trained": ("general", {}, False),
    "lr 0.0005": ("general", SLOW, False),
    "lr falls in time": ("general", {"relabel": 0}, True),
    "batches of 2": ("general", {"batch_size": 2}, False),
    "hidden, not at all": ("hidden", {"epochs": 0}, False),
    "hidden, lr falls in time": ("hidden", {"relabel": 0, "labels": "relaxed"}, True),
}


def drawn(name: str, first: int, count: int) -> list[cc.Graph]:
    return [DISTRIBUTIONS[name](seed) for seed in range(first, first + count)]


def taught(
    start: cc.Colorer, recipe: cc.Recipe, graphs: list[cc.Graph], limit: float | None
) -> tuple[cc.Colorer, float]:
    """The model after so many seconds, and those that were spent."""
    begun = time.process_time()
    colorer = cc.Colorer(recipe).fit(graphs, start=start, time_limit=limit)
    return colorer, time.process_time() - begun


def epochs_within(limit: float, recipe: cc.Recipe, graphs: list[cc.Graph]) -> int:
    """As many epochs as fit into so many seconds of CPU, by the time that a few graphs take."""
    few = graphs[:10]
    begun = time.process_time()
    label(few, recipe.labels)
    labels = time.process_time() - begun
    cc.Colorer(recipe.but(epochs=1)).fit(few)
    epoch = time.process_time() - begun - 2 * labels
    return max(int((limit * len(few) / len(graphs) - labels) / epoch), 1)


def trial(name: str, way: str) -> dict:
    """One short training: what is left at TabuCol's k, and raw k, in the mean over draws."""
    model, changes, falls = TRIALS[way]
    start = load(model)
    graphs = drawn(name, TAUGHT, TRIAL_GRAPHS)
    colorer, spent = start, 0.0
    if changes.get("epochs") != 0:
        recipe = start.recipe.but(**changes, held_out=0)
        if falls:
            recipe = recipe.but(epochs=epochs_within(TRIAL_SECONDS, recipe, graphs))
        colorer, spent = taught(start, recipe, graphs, None if falls else TRIAL_SECONDS)
    found = []
    for graph in drawn(name, TRIED, TRIAL_COUNT):
        k = cc.solve(graph, "tabucol", max_mono=ALLOWED, time_limit=LONG).coloring.k
        for seed in range(DRAWS):
            sweep = colorer.sweep(graph, k_max=K_MAX, seed=seed)
            found.append({"k": sweep.k_star(), "left": left(colorer, graph, k, seed)})
    return means(found) | {"seconds": spent, "epochs": len(colorer.model.history.losses)}


def left(colorer: cc.Colorer, graph: cc.Graph, k: int, seed: int) -> float:
    """The share of edges in conflict that clusters into k leave, in per cent."""
    clusters = clusters_of(colorer.model.recipe, colorer.embed(graph, seed=seed), seed)
    return 100 * cc.Coloring(graph, clusters(k).astype(np.int64)).mono


def model_after(name: str, folder: Path) -> cc.Colorer:
    """``general`` after five minutes on graphs of a distribution, kept in a file."""
    file = folder / f"{name}.safetensors"
    if not file.exists():
        general = load()
        graphs = drawn(name, TAUGHT, GRAPHS)
        colorer, spent = taught(general, general.recipe, graphs, SECONDS)
        history = colorer.model.history
        about = {"seconds": spent, "epochs": len(history.losses)}
        about |= {"first": history.losses[0], "last": history.losses[-1]}
        about |= {"judged": history.judged, "kept": history.kept}
        about |= {"before": history.before, "after": history.after}
        measured(f"training/{name}", lambda: about)
        colorer.save(file)
    return cc.Colorer.load(file)


def raw(models: dict[str, cc.Colorer], graph: cc.Graph) -> dict[str, float]:
    """k at 5 per cent conflicts."""
    found: dict[str, float] = {}
    for word, colorer in models.items():
        begun = time.process_time()
        draws = DRAWS if colorer.model.features.is_stochastic else 1
        sweeps = [colorer.sweep(graph, k_max=K_MAX, seed=seed) for seed in range(draws)]
        spent = time.process_time() - begun
        found[word] = min(sweep.k_star() for sweep in sweeps)
        if word == "before":
            same = cc.solve(graph, "tabucol", max_mono=ALLOWED, time_limit=spent).coloring.k
    nulls = (k for k in range(1, K_MAX + 1) if cc.null(graph, k).mono <= ALLOWED)
    found |= {"null": next(nulls, K_MAX), "TabuCol, same time": same}
    found[f"TabuCol, {LONG:g} s"] = cc.solve(
        graph, "tabucol", max_mono=ALLOWED, time_limit=LONG
    ).coloring.k
    evolved = cc.solve(graph, "memetic", max_mono=ALLOWED, time_limit=LONG)
    found[f"memetic, {LONG:g} s"] = evolved.coloring.k
    k = int(found[f"TabuCol, {LONG:g} s"])
    found |= {f"left, {word}": left(colorer, graph, k, 0) for word, colorer in models.items()}
    found["left, null"] = 100 * cc.null(graph, k).mono
    return found


def proper(models: dict[str, cc.Colorer], graph: cc.Graph) -> dict[str, float]:
    """Proper k: guided by each model, by chance, greedy, by search, and the least of all."""
    found: dict[str, float] = {}
    for word, colorer in models.items():
        draws = DRAWS if colorer.model.features.is_stochastic else 1
        z = np.stack([colorer.embed(graph, seed=seed) for seed in range(draws)])
        found[word] = guided(graph, z, tries=TRIES).k
    found |= {"control": unguided(graph, tries=TRIES).k, "DSATUR": cc.dsatur(graph).k}
    found[f"TabuCol, {LONG:g} s"] = cc.solve(graph, "tabucol", time_limit=LONG).coloring.k
    found[f"memetic, {LONG:g} s"] = cc.solve(graph, "memetic", time_limit=LONG).coloring.k
    return found | {"best known": min(found.values())}


def moves(models: dict[str, cc.Colorer], graph: cc.Graph, k: int) -> dict[str, float | None]:
    """TabuCol's moves to a proper coloring with k colors from several starts; None: not in time."""
    starts = {"DSATUR": cc.dsatur(graph), "random": cc.null(graph, k, tries=1)}
    for word, colorer in models.items():
        clusters = clusters_of(colorer.model.recipe, colorer.embed(graph, seed=0), 0)
        starts[word] = cc.Coloring(graph, clusters(k).astype(np.int64))
    return {word: _moves(graph, k, starts[word]) for word in (*models, "DSATUR", "random")}


def _moves(graph: cc.Graph, k: int, start: cc.Coloring) -> float | None:
    seen: list[Progress] = []
    found = cc.solve(
        graph, "tabucol", k=k, start=start, time_limit=BRIEF, progress=seen.append
    ).coloring
    return (seen[-1].steps if seen else 0) if found.is_proper else None


def judge(name: str, models: dict[str, cc.Colorer], count: int) -> None:
    """All figures of a distribution, graph by graph."""
    for graph in drawn(name, JUDGED, count):
        key = f"{name}/{graph.name}/{graph.digest[:8]}"
        measured(f"raw/{key}", lambda g=graph: raw(models, g))
        k = int(measured(f"proper/{key}", lambda g=graph: proper(models, g))["best known"])
        measured(f"moves/{key}", lambda g=graph, k=k: moves(models, g, k))


def known() -> dict[str, dict]:
    lines = CELLS.read_text().splitlines() if CELLS.exists() else []
    return {line["key"]: line["figures"] for line in map(json.loads, lines)}


def measured(key: str, work: Callable[[], dict]) -> dict:
    """The figures of a key, from the file if they are there."""
    found = known()
    if key not in found:
        found[key] = work()
        with CELLS.open("a") as file:
            file.write(json.dumps({"key": key, "figures": found[key]}) + "\n")
        print(key, found[key], flush=True)
    return found[key]


def means(rows: list[dict]) -> dict[str, float]:
    return {name: statistics.fmean(float(row[name]) for row in rows) for name in rows[0]}


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows)]


def render() -> str:
    found = known()

    def part(kind: str, name: str) -> list[dict]:
        """The figures of a distribution; of a run before, where there is none of this version."""
        for start in (f"{kind}/{name}", f"earlier {kind}/{name}"):
            lines = [v for key, v in found.items() if f"{key}/".startswith(f"{start}/")]
            if lines:
                return lines
        return []

    def compared(kind: str, wanted: Callable[[str], bool]) -> list[str]:
        """Means over the graphs of each distribution; a dash where a method was not there yet."""
        by_name = {name: means(part(kind, name)) for name in here}
        heads = [h for h in max(by_name.values(), key=len) if wanted(h)]
        rows = []
        for name, row in by_name.items():
            cells = [f"{row[head]:.2f}" if head in row else "-" for head in heads]
            rows.append([name, str(len(part(kind, name))), *cells])
        short = [head.removeprefix("left, ") for head in heads]
        return [*table(["distribution", "graphs", *short], rows), ""]

    here = [name for name in DISTRIBUTIONS if part("moves", name)]
    text = [
        "# Fine-tuning on graphs of one's own",
        "",
        f"Written by `benchmarks/finetune.py`: `general` before and after {SECONDS / 60:g} minutes",
        f"on {GRAPHS} graphs of one distribution (`concolor train jobs/* --from general",
        f"--time-limit {SECONDS:g}`), on other graphs of it. Models have {DRAWS} draws of their",
        "features; `spectral`, the eigenvectors alone, needs none. All limits are seconds of CPU,",
        "one thread.",
        *(EARLIER if any(f"training/{name}" not in found for name in here) else ()),
        "",
        "## Raw k with at most 5 % conflicts",
        "",
        *compared("raw", lambda head: not head.startswith("left")),
        f"## Conflicts that one clustering leaves at the k of TabuCol, {LONG:g} s, in % of edges",
        "",
        *compared("raw", lambda head: head.startswith("left")),
        f"## Proper k; guided by each model with {TRIES} tries, control by chance",
        "",
        *compared("proper", lambda head: True),
        "## Median moves of TabuCol to the best known proper k; in brackets, graphs not done",
        "",
    ]
    rows, heads = [], []
    for name in here:
        lines = part("moves", name)
        heads = list(lines[0])
        rows.append([name, *(_middle([line[head] for line in lines]) for head in heads)])
    text += [*table(["from clusters", *heads], rows), "", "## The trainings", ""]
    rows = [
        [
            name,
            f"{t['seconds']:.0f}",
            f"{t['epochs']}",
            f"{t['first']:.3f}",
            f"{t['last']:.3f}",
            f"{t['kept']}" if "kept" in t else "-",
            *(f"{t[word]:.2%}" if word in t else "-" for word in ("before", "after")),
        ]
        for name in here
        for t in part("training", name)
    ]
    heads = ["distribution", "seconds", "epochs", "loss, first", "loss, last", "kept epoch"]
    text += [
        "Every fifth graph, and at most twenty, is held out; what is kept is the epoch with the",
        "fewest conflicts on these, 0 being the beginning.",
        "",
        *table([*heads, "held-out conflicts, before", "after"], rows),
        "",
    ]
    rows = [
        [name, way, *(f"{t[word]:.2f}" for word in ("k", "left")), f"{t['seconds']:.0f}"]
        for name in DISTRIBUTIONS
        for way in TRIALS
        if (t := found.get(f"trial/{name}/{way}"))
    ]
    text += [
        "## How to train on",
        "",
        f"Short trainings, {TRIAL_SECONDS:g} s on {TRIAL_GRAPHS} graphs; raw k at 5 %, and what",
        f"one clustering leaves at TabuCol's k, on {TRIAL_COUNT} others, mean of {DRAWS} draws.",
        "",
        *table(["distribution", "way", "raw k", "left, %", "seconds"], rows),
    ]
    return "\n".join(text) + "\n"


def _middle(values: list[float | None]) -> str:
    late = sum(value is None for value in values)
    middle = statistics.median(float("inf") if value is None else value for value in values)
    return ("-" if middle == float("inf") else f"{middle:.0f}") + (f" ({late})" if late else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(DISTRIBUTIONS), metavar="DISTRIBUTION")
    parser.add_argument("--graphs", type=int, default=10, help="to judge by")
    parser.add_argument("--only", choices=("trials", "table"))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "finetune"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    goal.perf_counter = time.process_time  # every limit below is one of CPU seconds
    warm_up()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        if options.only != "table":
            for way in TRIALS:
                measured(f"trial/{name}/{way}", lambda name=name, way=way: trial(name, way))
        if options.only == "trials":
            continue
        after = model_after(name, options.folder)
        judge(
            name, {"before": load(), "after": after, "spectral": load("spectral")}, options.graphs
        )
    (HERE / "finetune.md").write_text(render())


if __name__ == "__main__":
    main()
