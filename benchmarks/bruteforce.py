"""Wrong answers, looked for: everything that colors or bounds, beside brute force on small graphs.

    OMP_NUM_THREADS=1 python benchmarks/bruteforce.py [--random 10000] [--again 8] [--folder FOLDER]

The graphs are all 1253 of networkx's atlas, with up to seven nodes, and random ones with up to
nine. ``truth.py`` looks at all colorings of each. An answer is *wrong* where its own count of
conflicts or colors is not what we count, a rule or a goal is broken, something is better than
brute force can be, a bound is crossed, what is called proved is not the optimum, or a certificate
fails in rational arithmetic. That an answer is not optimal and does not say so is no mistake; how
often it happens stands beside. What searches until its patience ends comes by turns: one such
method, two decoders, and one goal of the models, a graph. Neural methods, k-means of scikit-learn
and the model ``general`` take a graph in a hundred.

Then parts of the same graphs again: in two threads at once, in spawned and in forked processes,
and under two hash seeds. Every answer must be the one that it was before: colors, bounds, all.

A part of 50 graphs is a line of ``bruteforce.jsonl``, and is not run again: delete the file to
start anew. ``bruteforce.md`` is written from the lines there are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import concolor as cc
import concolor.solvers.local_search as local_search
import concolor.solvers.portfolio as portfolio
from concolor.answer import answers
from concolor.certificates import Refused
from concolor.coloring import Coloring
from concolor.decoding import DECODERS, guided, sweep
from concolor.goal import Solution
from concolor.graph.core import Graph
from concolor.solvers import SOLVERS
from measure import Cells, keep
from truth import Truth, Wrong, check_certificate

ATLAS = 1253  # graphs of networkx's atlas
PART = 50  # graphs a line
RARE = 100  # what takes long takes one graph in so many
MOVES = 20_000  # in vain, after which a search ends
SLOW = ("pi-gnn", "full-gcn")
STARTS = {"spawned": "spawn", "forked": "fork"}  # of processes
WAYS = ("two threads", *STARTS, "PYTHONHASHSEED=1", "PYTHONHASHSEED=2")
RULED = [name for name in SOLVERS if {"preset", "forbidden"} <= {*SOLVERS[name].options}]
STARTED = [name for name in SOLVERS if "start" in SOLVERS[name].options and name not in SLOW]
WEIGHED = [name for name in SOLVERS if SOLVERS[name].weighed]
QUICK = [name for name in SOLVERS if name not in SLOW]
PATIENT = ("portfolio", "tabucol", "weighted", "partialcol", "memetic", "focused", "belief")


class Case:
    """One graph, what is asked of it, and what came of that.

    Attributes:
        counts: By what was asked: how often, how often the optimum came, how often it was proved.
        wrong: What must not be, in words.
    """

    def __init__(self, place: int, n: int, edges: Iterable[tuple[int, int]]) -> None:
        self.place, self.rng = place, np.random.default_rng([20, place])
        self.graph = Graph.from_edges(n, list(edges), name=f"small {place}")
        pairs = self.graph.edges.tolist()
        self.heavy = self.graph.but(weights=self.rng.integers(1, 10, len(pairs)).astype(float))
        self.truth = Truth(n, pairs, [int(w) for w in self.heavy.weights])
        self.counts: dict[str, Counter[str]] = {}
        self.wrong: list[str] = []
        self.digest = hashlib.sha256()

    @property
    def is_rare(self) -> bool:
        """One of the graphs for what takes long."""
        return self.place % RARE == 0

    def turn(self, names: Sequence[str]) -> str:
        """The one whose turn it is."""
        return names[self.place % len(names)]

    def note(self, what: str, found: Any, *, best: bool, proved: bool = False) -> None:
        """One more answer; ``found`` is all of it that must be the same another time."""
        count = self.counts.setdefault(what, Counter())
        count.update(asked=1, optimal=int(best), proved=int(proved))
        if not what.startswith(SLOW):  # those are ended by time
            self.digest.update(json.dumps([what, found]).encode())

    def refuse(self, what: str, why: str) -> None:
        """A wrong answer."""
        graph = f"n={self.graph.n} edges={self.graph.edges.tolist()}"
        self.wrong.append(f"{what}: {why}; small {self.place}, {graph}")

    def counted(self, what: str, coloring: Coloring, weights: bool = False) -> int:
        """The conflicts of a coloring as we count them, or their weight."""
        colors = coloring.colors.tolist()
        mono = [colors[u] == colors[v] for u, v in self.truth.edges]
        if len(colors) != self.graph.n or len(set(colors)) != coloring.k:
            self.refuse(what, f"k={coloring.k} of {colors}")
        if sum(mono) != coloring.conflicts:
            self.refuse(what, f"{coloring.conflicts} conflicts claimed, {sum(mono)} counted")
        return (
            sum(w for w, same in zip(self.truth.weights, mono, strict=True) if same)
            if weights
            else sum(mono)
        )

    def judge(
        self,
        what: str,
        found: Solution,
        best: int,
        *,
        k: int | None = None,
        budget: int = 0,
        weights: bool = False,
        exact: bool = False,
    ) -> None:
        """A solution beside the optimum of what it minimizes, ``best``."""
        cost = self.counted(what, found.coloring, weights)
        upper = cost if k is not None else found.coloring.k
        if k is not None and found.coloring.k > k:
            self.refuse(what, f"{found.coloring.k} colors, {k} allowed")
        if k is None and found.hit != (cost <= budget):
            self.refuse(what, f"hit={found.hit} with {cost} conflicts of {budget}")
        if found.hit or k is not None:
            if upper != found.upper or upper < best:
                self.refuse(what, f"upper {found.upper}, counted {upper}, the optimum is {best}")
            if found.is_proved and upper != best:
                self.refuse(what, f"{upper} proved, the optimum is {best}")
        if found.lower > best:
            self.refuse(what, f"lower {found.lower}, the optimum is {best}")
        if exact and not found.is_proved:
            self.refuse(what, "not proved")
        seen = [found.coloring.colors.tolist(), found.lower, found.is_proved]
        self.note(what, seen, best=bool(found.hit or k) and upper == best, proved=found.is_proved)


def check(case: Case) -> Case:
    """All that is asked of one graph."""
    for ask in (colored, solved, traded, ruled, decoded, weighed, sized, certified):
        try:
            ask(case)
        except Exception as error:
            case.refuse(ask.__name__, f"{type(error).__name__}: {error}")
    return case


def goals(case: Case) -> Iterator[tuple[str, dict[str, Any], int]]:
    """What may be asked for: words, arguments, the optimum."""
    truth = case.truth
    yield "fewest colors", {}, truth.chi
    k = int(case.rng.integers(1, max(truth.chi, 1) + 1))
    yield "k given", {"k": k}, truth.least(k)
    budget = int(case.rng.integers(0, len(truth.edges) + 1))
    mono = budget / max(len(truth.edges), 1)
    yield "conflicts allowed", {"max_mono": mono}, truth.fewest_colors(budget)


def colored(case: Case) -> None:
    """``color``: as it comes, with the model whatever the bounds say, and the model alone."""
    models = ["light", *["general"] * case.is_rare]
    for turn, (about, words, best) in enumerate(goals(case)):
        budget = round(words.get("max_mono", 0) * case.graph.m)
        asked = {"k": words.get("k"), "budget": budget}
        found = next(answers([case.graph], **words))
        case.judge(f"color, {about}", found.solution, best, **asked)
        for model in models if case.place % 3 == turn else ():
            found = next(answers([case.graph], model, bounds_first=False, **words))
            case.judge(f"color by {model}, {about}", found.solution, best, **asked)
            found = next(answers([case.graph], model, polish=False, **words))
            case.judge(f"{model} alone, {about}", found.solution, best, **asked)


def solved(case: Case) -> None:
    """``solve`` by every method."""
    for about, words, best in goals(case):
        budget = round(words.get("max_mono", 0) * case.graph.m)
        for name in (*QUICK, *SLOW * case.is_rare):
            if name in PATIENT and name != case.turn(PATIENT):
                continue
            limit = {"time_limit": 0.3} if name in SLOW else {}
            found = cc.solve(case.graph, name, **words, **limit)
            proof = name == "exact" and not budget
            case.judge(
                f"{name}, {about}", found, best, k=words.get("k"), budget=budget, exact=proof
            )


def traded(case: Case) -> None:
    """``pareto``: every k is beside the fewest conflicts."""
    for weights in (False, True):
        what = "pareto by weight" if weights else "pareto"
        found = cc.pareto(case.heavy if weights else case.graph, patience=2000)
        for k, coloring in found.items():
            cost, best = (
                case.counted(what, coloring, weights),
                case.truth.least(k, weighted=weights),
            )
            if cost < best or coloring.k > k:
                case.refuse(what, f"{cost} with {coloring.k} colors at k={k}, best is {best}")
            case.note(what, coloring.colors.tolist(), best=cost == best)
        ends = list(found.values())[-1:]
        if any(case.counted(what, coloring) for coloring in ends) or len(found) < case.truth.chi:
            case.refuse(what, f"ends at {list(found)}")


def rules(case: Case, k: int) -> tuple[dict[int, int], dict[int, set[int]]]:
    """Presets that no edge contradicts, and forbidden colors that leave each node one of k."""
    preset: dict[int, int] = {}
    bans: dict[int, set[int]] = {}
    for v in range(case.graph.n):
        near = {preset.get(u) for u in case.graph.neighbors(v).tolist()}
        color = int(case.rng.integers(k))
        if case.rng.random() < 0.3 and color not in near:
            preset[v] = color
        elif case.rng.random() < 0.4:
            few = case.rng.permutation(k)[: int(case.rng.integers(1, k))]
            bans[v] = {int(c) for c in few}
    return preset, bans


def ruled(case: Case) -> None:
    """Presets and forbidden colors, with k given and without."""
    k = 4 if case.graph.n <= 7 else 3
    preset, bans = rules(case, k)
    words = {"preset": preset, "forbidden": {v: sorted(colors) for v, colors in bans.items()}}
    least = case.truth.least_ruled(k, preset, bans)
    fewest = case.truth.fewest_ruled(preset, bans)
    assert least is not None
    calls: dict[str, Callable[..., Solution]] = {
        "color": lambda **more: next(answers([case.graph], **words, **more)).solution,
        **{
            name: lambda name=name, **more: cc.solve(case.graph, name, **words, **more)
            for name in RULED
        },
    }
    for name, call in calls.items():
        if name in PATIENT and name != case.turn(PATIENT[:5]):
            continue
        for about, best, more in (("k given", least, {"k": k}), ("fewest colors", fewest, {})):
            found, what = call(**more), f"{name}, rules, {about}"
            colors = found.coloring.colors.tolist()
            kept = all(colors[v] == c for v, c in preset.items())
            if not kept or any(colors[v] in banned for v, banned in bans.items()):
                case.refuse(what, f"{colors} breaks {preset} or {bans}")
            if more and max(colors, default=0) >= k:
                case.refuse(what, f"{colors} has a name above {k - 1}")
            case.judge(what, found, best, exact=name == "exact", **more)


def decoded(case: Case) -> None:
    """Every decoder, and its clusters as a start of every method that takes one."""
    if case.graph.n == 0:
        return
    z = case.rng.normal(size=(case.graph.n, 3))
    names = [name for name in DECODERS if name != "kmeans"]
    turns = [case.turn(names), case.turn([*names[1:], names[0]])]
    for turn, name in enumerate([*turns, *["kmeans"] * case.is_rare]):
        found = sweep(case.graph, z, k_max=case.graph.n, decoder=name, full=True)
        for k, colors in found.colors.items():
            clusters = Coloring(case.graph, np.asarray(colors, np.int64))
            cost, best = case.counted(f"decoder {name}", clusters), case.truth.least(k)
            if cost < best or cost != found.curve[k] or clusters.k > k:
                case.refuse(f"decoder {name}", f"{cost} conflicts at k={k}, best is {best}")
            case.note(f"decoder {name}", clusters.colors.tolist(), best=cost == best)
        k = min(case.truth.chi, max(found.colors))
        start = Coloring(case.graph, np.asarray(found.colors[k], np.int64))
        method = case.turn([*STARTED[turn:], *STARTED[:turn]])
        better = cc.solve(case.graph, method, start=start)
        case.judge(f"{method} from clusters", better, case.truth.chi, exact=method == "exact")
    colors = guided(case.graph, z, tries=4)
    case.counted("guided", colors)
    if not colors.is_proper or colors.k < case.truth.chi:
        case.refuse("guided", f"{colors.k} colors, {colors.conflicts} conflicts")
    case.note("guided", colors.colors.tolist(), best=colors.k == case.truth.chi)


def weighed(case: Case) -> None:
    """Edges with weights: the least weight in conflict."""
    k = int(case.rng.integers(1, max(case.truth.chi, 1) + 1))
    best = case.truth.least(k, weighted=True)
    calls: dict[str, Callable[[], Solution]] = {
        "color": lambda: next(answers([case.heavy], k=k)).solution,
        **{name: lambda name=name: cc.solve(case.heavy, name, k=k) for name in WEIGHED},
    }
    for name, call in calls.items():
        case.judge(f"{name}, weights", call(), best, k=k, weights=True, exact=name == "exact")


def sized(case: Case) -> None:
    """At most so many nodes of each color."""
    most = int(case.rng.integers(1, max(case.graph.n, 1) + 1))
    best = case.truth.fewest_colors(most=most)
    for name in ("smallest-last", "exact"):
        found = cc.solve(case.graph, name, max_class=most)
        if np.bincount(found.coloring.colors).max(initial=0) > most:
            case.refuse(f"{name}, sizes", f"{found.coloring.colors.tolist()}, at most {most}")
        case.judge(f"{name}, sizes", found, best)


def certified(case: Case) -> None:
    """Certificates, and one that says more than it proves."""
    z = case.rng.normal(size=(case.graph.n, 3))
    kinds = {"certify an embedding": {"embedding": z}} if case.place % 4 == 0 else {}
    for what, words in ({"certify": {}} | kinds).items():
        found = cc.certify(case.graph, **words)
        claims = found.to_dict()
        try:
            check_certificate(case.truth, claims)
        except Wrong as reason:
            case.refuse(what, str(reason))
        again = cc.verify(case.graph, found)
        if (again.lower, again.upper) != (found.lower, found.upper):
            case.refuse(what, f"verify says {again}")
        case.note(what, claims, best=found.is_proved, proved=found.is_proved)
    bold = claims["lower"] + 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bold.json")
        path.write_text(json.dumps({**claims, "lower": bold, "proved": bold == claims["upper"]}))
        try:
            cc.verify(case.graph, path)
            case.refuse("verify", "believes a bound that is too high")
        except Refused:
            case.note("verify, refused a lie", None, best=True)


def cases(places: Iterable[int]) -> Iterator[Case]:
    """The graphs at some places: first the atlas, then random graphs of every density."""
    import networkx as nx

    atlas = nx.graph_atlas_g()
    assert len(atlas) == ATLAS
    for place in places:
        if place < ATLAS:
            yield Case(place, atlas[place].number_of_nodes(), atlas[place].edges())
            continue
        rng = np.random.default_rng([place])
        n, p = int(rng.integers(1, 10)), rng.random()
        yield Case(place, n, [(u, v) for v in range(n) for u in range(v) if rng.random() < p])


def part(number: int, random: int) -> dict[str, Any]:
    """The lines of so many graphs; everything but the seconds is the same every time."""
    local_search.PATIENCE = portfolio.PATIENCE = MOVES
    began, counts, wrong, digest = time.process_time(), {}, [], hashlib.sha256()
    done = 0
    for case in cases(range(number * PART, min((number + 1) * PART, ATLAS + random))):
        check(case)
        done += 1
        for what, count in case.counts.items():
            counts.setdefault(what, Counter()).update(count)
        wrong += case.wrong
        digest.update(case.digest.digest())
    return {
        "part": number,
        "graphs": done,
        "seconds": round(time.process_time() - began, 2),
        "counts": {what: dict(count) for what, count in sorted(counts.items())},
        "wrong": wrong,
        "digest": digest.hexdigest()[:16],
    }


def again(way: str, numbers: list[int], random: int) -> list[str]:
    """The digests of parts, run in another way."""
    pairs = [numbers, [random] * len(numbers)]
    if way == "two threads":
        with ThreadPoolExecutor(2) as pool:
            return [line["digest"] for line in pool.map(part, *pairs)]
    if way in STARTS:
        with ProcessPoolExecutor(1, get_context(STARTS[way])) as pool:
            return [line["digest"] for line in pool.map(part, *pairs)]
    name, _, value = way.partition("=")
    words = [sys.executable, __file__, "--digests", *map(str, numbers), "--random", str(random)]
    space = {**os.environ, name: value}
    done = subprocess.run(words, env=space, stdout=subprocess.PIPE, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def page(lines: list[dict[str, Any]], others: list[dict[str, Any]]) -> Iterator[str]:
    """What the lines say, as a page."""
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        for what, count in line["counts"].items():
            counts.setdefault(what, Counter()).update(count)
    graphs, asked = sum(line["graphs"] for line in lines), sum(c["asked"] for c in counts.values())
    wrong = [text for line in lines for text in line["wrong"]]
    yield "# Brute force"
    yield ""
    yield f"Written by `OMP_NUM_THREADS=1 python {' '.join(['benchmarks/bruteforce.py', *ASKED])}`"
    yield "from `bruteforce.jsonl`; its head says what is asked and what counts as wrong."
    yield ""
    yield f"{graphs} graphs, {asked} answers, **{len(wrong)} wrong**, "
    yield f"{sum(line['seconds'] for line in lines):.0f} CPU seconds."
    yield ""
    yield from (f"- wrong: {text}" for text in wrong)
    yield from [""] * bool(wrong)
    yield "| asked | answers | optimal | proved |"
    yield "|---|---:|---:|---:|"
    for what, count in sorted(counts.items()):
        yield f"| {what} | {count['asked']} | {count['optimal']} | {count['proved']} |"
    yield ""
    yield "The same answers, down to every color and bound, another time:"
    yield ""
    yield "| way | graphs | parts that differ |"
    yield "|---|---:|---:|"
    for way in WAYS:
        parts = [line for line in others if line["way"] == way]
        apart = sum(not line["same"] for line in parts)
        yield f"| {way} | {sum(line['graphs'] for line in parts)} | {apart} |"


ASKED = ("--random", "10000", "--again", "8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--random", type=int, default=10_000, help="graphs beyond the atlas")
    parser.add_argument("--again", type=int, default=8, help="parts that every other way repeats")
    parser.add_argument("--digests", type=int, nargs="+", help="print those of these parts, only")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    asked = parser.parse_args()
    if asked.digests:
        print(json.dumps([part(number, asked.random)["digest"] for number in asked.digests]))
        return
    cells = Cells(asked.folder / "bruteforce.jsonl")
    parts = -(-(ATLAS + asked.random) // PART)
    for number in range(parts):
        if not cells.like(part=number, way=None):
            cells.record(way=None, **part(number, asked.random))
    here = {line["part"]: line for line in cells.like(way=None)}
    numbers = [number * parts // asked.again for number in range(asked.again)]
    for way in WAYS:
        missing = [number for number in numbers if not cells.like(way=way, part=number)]
        digests = again(way, missing, asked.random) if missing else []
        for number, digest in zip(missing, digests, strict=True):
            line = here[number]
            same = digest == line["digest"]
            cells.record(way=way, part=number, graphs=line["graphs"], same=same)
    others = [line for line in cells.like() if line["way"] is not None]
    keep(page(list(here.values()), others), asked.folder / "bruteforce.md")


if __name__ == "__main__":
    main()
