"""How each claim of :mod:`claims` is judged: a function of our results each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from concolor.experiments.comparison import Lines, others, ours, primary
from concolor.experiments.paper import figures
from concolor.experiments.rows import place
from concolor.experiments.standings import standings
from concolor.experiments.tables import TABLES, table_rows

BESIDE = ("null", "spectral", "DSATUR", "TabuCol")
FAMILIES = ("book", "myciel", "queen")
TRANSFER = ("cora->citeseer", "cora->pubmed")
SECOND = 0.1  # "well under" so many seconds for a large cycle
CHEAP = 20.0  # seconds of training at most, as the paper has it


@dataclass(frozen=True)
class Judged:
    """What became of a claim.

    Attributes:
        verdict: ``holds``, ``holds partly``, ``does not hold``, or ``not run``.
        ours: Our figures in words.
        beside: Null, spectral, DSATUR, TabuCol -> theirs, where they are of the same kind.
        tables: Where the rows are.
    """

    verdict: str
    ours: str
    tables: tuple[str, ...]
    beside: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """The means behind printed cells; what is missing raises :class:`NotRun`."""

    lines: Lines

    def mean(self, table: str, row: str, column: str) -> float:
        """Our mean of a cell."""
        tag, metric = place(column)
        found = ours(table_rows(table)[row], tag, metric, self.lines)
        if not found.is_run:
            raise NotRun(f"{table}/{row}/{column}")
        return float("inf") if found.mean is None else found.mean

    def beside(self, table: str, row: str, column: str) -> dict[str, float]:
        """The same of the controls and of classical methods."""
        tag, metric = place(column)
        found = others(table_rows(table)[row], tag, metric, self.lines)
        return {
            name: float("inf") if found[name].mean is None else found[name].mean or 0.0
            for name in BESIDE
        }


class NotRun(LookupError):
    """A cell that a claim needs is not among the results."""


def _verdict(parts: Iterable[bool]) -> str:
    """All, some or none of the parts."""
    there = list(parts)
    return "holds" if all(there) else "holds partly" if any(there) else "does not hold"


def _span(values: Sequence[float], digits: int = 2) -> str:
    low, high = min(values), max(values)
    return f"{low:.{digits}f}" if low == high else f"{low:.{digits}f} to {high:.{digits}f}"


def _spans(found: Sequence[dict[str, float]]) -> dict[str, str]:
    return {name: _span([one[name] for one in found]) for name in BESIDE}


def _learned(table: str) -> list[str]:
    """The learned rows of a table that have a primary column."""
    rows = table_rows(table)
    return [name for name, row in rows.items() if row.method == "learned" and _columns(table, name)]


def _columns(table: str, row: str) -> list[str]:
    return primary([record.column for record in figures(table) if record.row == row])


def generalizes(found: Results) -> Judged:
    """Rows of the main text against both controls."""
    mine = [
        one
        for one in standings(found.lines, [name for name in TABLES if TABLES[name].main])
        if one.method == "learned"
    ]
    if any(one.verdict == "not run" for one in mine):
        raise NotRun("main text")
    both = sum(all(one.beats.values()) for one in mine)
    words = (
        f"{both} of {len(mine)} learned rows of the main text need fewer colors than both controls"
    )
    verdict = "holds" if both == len(mine) else "holds partly" if both else "does not hold"
    return Judged(verdict, words, tuple(name for name in TABLES if TABLES[name].main))


def matches_greedy(found: Results) -> Judged:
    """rho against DSATUR's, which is proper, and against TabuCol with the same conflicts."""
    cells = [
        (found.mean(table, row, column), found.beside(table, row, column))
        for table in TABLES
        for row in _learned(table)
        for column in _columns(table, row)
        if place(column)[1] == "rho"
    ]
    greedy = sum(rho <= other["DSATUR"] for rho, other in cells)
    to_tabu = [round(rho - other["TabuCol"], 2) for rho, other in cells]  # as printed
    tabu, even = sum(gap < 0 for gap in to_tabu), to_tabu.count(0)
    words = (
        f"{greedy} of {len(cells)} rho are at most DSATUR's, with up to 5 % conflicts where "
        f"DSATUR has none; with the same conflicts {tabu} are below one second of TabuCol, "
        f"{even} equal"
    )
    verdict = "does not hold" if not greedy else "holds" if tabu else "holds partly"
    return Judged(verdict, words, ("full-encoder-sweep", "color-book-detail", "avg-v1"))


def size(found: Results) -> Judged:
    """Larger graphs of the same family, and long cycles, against the null."""
    table = "color-best-by-family"
    cells = [
        (found.mean(table, row, "rho_ood"), found.beside(table, row, "rho_ood"))
        for row in table_rows(table)
    ]
    long = [
        (found.mean("avg-v1", row, "rho"), found.beside("avg-v1", row, "rho"))
        for row in table_rows("avg-v1")
        if row.startswith("large/")
    ]
    both = cells + long
    spans = [_span([mean for mean, _ in part]) for part in (cells, long)]
    words = f"COLOR out of distribution {spans[0]}, 7000-cycles {spans[1]}"
    better = [mean < other["null"] for mean, other in both]
    return Judged(_verdict(better), words, (table, "avg-v1"), _spans([other for _, other in both]))


def features(found: Results) -> Judged:
    """The best kind of features of each family, by rho out of distribution."""
    best = {}
    for family in FAMILIES:
        table = f"color-{family}-detail"
        rho = {row: found.mean(table, row, "rho_ood") for row in _learned(table)}
        best[family] = min(rho, key=lambda row: rho[row])
    claimed = {"book": "random", "myciel": "struct", "queen": "random"}
    right = [best[family].split("/")[1] == claimed[family] for family in FAMILIES]
    words = "; ".join(f"{family}: {row.split('/', 1)[1]}" for family, row in best.items())
    return Judged(
        _verdict(right),
        f"best out of distribution: {words}",
        tuple(f"color-{f}-detail" for f in FAMILIES),
    )


def absolute(found: Results) -> Judged:
    """Absolute losses on COLOR: within a tenth of the best, and not the best."""
    close, best = [], []
    for family in FAMILIES:
        table = f"color-{family}-detail"
        rho = {row: found.mean(table, row, "rho_ood") for row in _learned(table)}
        mine = min(value for row, value in rho.items() if row.endswith("abs"))
        others_best = min(value for row, value in rho.items() if not row.endswith("abs"))
        close.append(mine / others_best)
        best.append(mine > others_best)
    words = f"rho out of distribution {_span(close)} times that of the best signed row"
    return Judged(
        _verdict([*(ratio <= 1.1 for ratio in close), *best]),
        words,
        tuple(f"color-{f}-detail" for f in FAMILIES),
    )


def finishes(found: Results) -> Judged:
    """Whether the neural baselines run out of time on COLOR."""
    hits = [
        found.mean(f"color-{family}-detail", f"{family}/baseline/{method}", column)
        for family in FAMILIES
        for method in ("pi_gnn", "full_gcn")
        for column in ("hit_id", "hit_ood")
    ]
    late = sum(hit < 1 for hit in hits)
    words = f"with 60 s a graph, {late} of {len(hits)} cells have a graph that was not done"
    return Judged(
        "does not hold" if not late else "holds partly",
        words,
        tuple(f"color-{f}-detail" for f in FAMILIES),
    )


def structural(found: Results) -> Judged:
    """Structural transfer: hits and rho beside the null, and training on the target."""
    table = "cora-transfer-subgraph-main"
    parts, words = [], []
    for way, own in zip(
        TRANSFER, ("citeseer-transfer-results", "pubmed-transfer-results"), strict=True
    ):
        rows = [row for row in table_rows(table) if row.startswith(way)]
        rho = min(found.mean(table, row, "rho") for row in rows)
        hit = max(found.mean(table, row, "hit") for row in rows)
        trained = min(found.mean(own, row, "rho") for row in _learned(own))
        parts += [rho < found.beside(table, rows[0], "rho")["null"], trained < rho]
        words.append(f"{way}: rho {rho:.2f}, hit {hit:.2f}, trained there {trained:.2f}")
    beside = [found.beside(table, row, "rho") for row in table_rows(table)]
    return Judged(_verdict(parts), "; ".join(words), (table,), _spans(beside))


def adapted(found: Results) -> Judged:
    """The best adapted row beside the best structural one."""
    table, plain = "bow-adapt-subgraph-v2-main", "cora-transfer-subgraph-main"
    parts, words = [], []
    for way in TRANSFER:
        adapted = {r: found.mean(table, r, "rho") for r in table_rows(table) if r.startswith(way)}
        structural = min(
            found.mean(plain, r, "rho") for r in table_rows(plain) if r.startswith(way)
        )
        best = min(adapted, key=lambda row: adapted[row])
        parts.append(adapted[best] < structural)
        words.append(f"{best.removesuffix('/v2')} {adapted[best]:.2f}, structural {structural:.2f}")
    beside = [found.beside(table, row, "rho") for row in table_rows(table)]
    return Judged(_verdict(parts), "; ".join(words), (table, plain), _spans(beside))


def winners(found: Results) -> Judged:
    """Which adapted row has the lowest rho and the lowest mono."""
    table = "bow-adapt-subgraph-v2-main"
    claimed = {
        ("cora->citeseer", "rho"): "hybrid/gps_sage",
        ("cora->citeseer", "mono"): "hybrid/gps_sage",
        ("cora->pubmed", "rho"): "hybrid/gated_gcn",
        ("cora->pubmed", "mono"): "hybrid/gps_sage",
    }
    parts, words = [], []
    for (way, column), row in claimed.items():
        mine = {r: found.mean(table, r, column) for r in table_rows(table) if r.startswith(way)}
        best = min(mine, key=lambda name: mine[name]).removeprefix(f"{way}/").removesuffix("/v2")
        parts.append(best == row)
        words.append(f"{way} {column}: {best}")
    return Judged(_verdict(parts), "; ".join(words), (table,))


def strongest(found: Results) -> Judged:
    """The cycle-trained recipe with the lowest rho on each suite."""
    parts, words = [], []
    for size in ("small", "large"):
        rho = {
            row: found.mean(table, row, "rho")
            for table in ("avg-v1", "avg-v2")
            for row in table_rows(table)
            if row.startswith(size)
        }
        best = min(rho, key=lambda row: rho[row])
        parts.append(best == f"{size}/gated_gcn/v1abs")
        words.append(
            f"{best} {rho[best]:.2f} (gated_gcn/v1abs {rho[f'{size}/gated_gcn/v1abs']:.2f})"
        )
    return Judged(_verdict(parts), "; ".join(words), ("avg-v1", "avg-v2"))


def efficient(found: Results) -> Judged:
    """Neural baselines beside the learned row on small graphs."""
    table = "baseline-summary"
    mine = found.mean(table, "small/gated_gcn/v1abs", "rho")
    theirs = [found.mean(table, f"small/{method}", "rho") for method in ("pi_gnn", "full_gcn")]
    words = f"learned {mine:.2f}, PI-GNN {theirs[0]:.2f}, full-GCN {theirs[1]:.2f}"
    beside = found.beside(table, "small/gated_gcn/v1abs", "rho")
    return Judged(_verdict([rho < mine for rho in theirs]), words, (table,), _spans([beside]))


def costs(found: Results) -> Judged:
    """Seconds a small graph, training not counted."""
    learned = found.mean("our-runtime", "gated_gcn/v1abs", "small_test_s")
    theirs = [
        found.mean("baseline-runtime", f"small/{m}", "avg_all_s") for m in ("pi_gnn", "full_gcn")
    ]
    words = f"learned {learned:.3f} s a graph, PI-GNN {theirs[0]:.2f} s, full-GCN {theirs[1]:.2f} s"
    return Judged(
        _verdict([seconds > learned for seconds in theirs]),
        words,
        ("our-runtime", "baseline-runtime"),
    )


def times_out(found: Results) -> Judged:
    """Neural baselines on 7000-cycles."""
    table, slow = "baseline-summary", "baseline-runtime"
    words, parts = [f"learned rho {found.mean(table, 'large/gated_gcn/v1abs', 'rho'):.2f}"], []
    for method in ("pi_gnn", "full_gcn"):
        late = found.mean(slow, f"large/{method}", "timeouts")
        seconds = found.mean(slow, f"large/{method}", "avg_all_s")
        parts.append(late > 0)
        rho = found.mean(table, f"large/{method}", "rho")
        words.append(f"{method} {seconds:.0f} s a graph, rho {rho:.2f}")
    beside = found.beside(table, "large/gated_gcn/v1abs", "rho")
    return Judged(_verdict(parts), "; ".join(words), (table, slow), _spans([beside]))


def instant(found: Results) -> Judged:
    """Seconds to embed and decode a 7000-cycle, on one core."""
    seconds = [found.mean("our-runtime", row, "large_test_s") for row in table_rows("our-runtime")]
    words = f"{_span(seconds)} s a graph on one core (the paper had a GPU)"
    return Judged(_verdict([one < SECOND for one in seconds]), words, ("our-runtime",))


def training(found: Results) -> Judged:
    """Seconds of training on cycles."""
    seconds = [found.mean("our-runtime", row, "train_s") for row in table_rows("our-runtime")]
    words = f"{_span(seconds, 0)} s on one core (the paper had a GPU)"
    return Judged(_verdict([one <= CHEAP for one in seconds]), words, ("our-runtime",))


def tuning(found: Results) -> Judged:
    """The stages of tuning v2."""
    rho = [found.mean("v2-tuning", stage, "rho") for stage in table_rows("v2-tuning")]
    words = "rho " + ", ".join(f"{one:.2f}" for one in rho)
    beside = found.beside("v2-tuning", "baseline", "rho")
    return Judged(
        _verdict([rho[-1] < rho[0], rho[-1] < rho[1]]), words, ("v2-tuning",), _spans([beside])
    )


def signnet(found: Results) -> Judged:
    """SignNet beside canonical signs."""
    table = "appendix-signnet"
    rho = {row: found.mean(table, row, "rho") for row in table_rows(table)}
    encoders = dict.fromkeys(row.split("/")[0] for row in rho)
    parts = [rho[f"{one}/signnet"] < rho[f"{one}/canon"] for one in encoders]
    words = "; ".join(
        f"{e}: {rho[f'{e}/canon']:.2f} -> {rho[f'{e}/signnet']:.2f}" for e in encoders
    )
    return Judged(
        _verdict(parts), words, (table,), _spans([found.beside(table, next(iter(rho)), "rho")])
    )


def weak(found: Results) -> Judged:
    """Exphormer among the untuned encoders on Cora."""
    table = "full-encoder-sweep"
    rho = {row: found.mean(table, row, "rho") for row in table_rows(table)}
    order = sorted(rho, key=lambda row: rho[row])
    places = [order.index(f"exphormer/{v}") + 1 for v in ("v1", "v2")]
    values = " and ".join(f"{rho[f'exphormer/{v}']:.2f}" for v in ("v1", "v2"))
    words = f"places {places[0]} and {places[1]} of {len(order)}, rho {values}"
    return Judged(_verdict([place > len(order) * 3 / 4 for place in places]), words, (table,))


def best_encoders(found: Results) -> Judged:
    """The encoders that the paper goes on with, among the untuned and tuned ones."""
    tables = ("full-encoder-sweep", "nonmp-unitary-sweep")
    rho = {(t, row): found.mean(t, row, "rho") for t in tables for row in table_rows(t)}
    best: dict[str, float] = {}
    for (_, row), value in rho.items():
        encoder = row.split("/")[0]
        best[encoder] = min(best.get(encoder, value), value)
    top = sorted(best, key=lambda encoder: best[encoder])[:4]
    kept = ("gated_gcn", "unitary_mp", "gps_sage", "gps_gcn")
    words = ", ".join(f"{encoder} {best[encoder]:.2f}" for encoder in top)
    mean = fmean(found.beside(tables[0], row, "rho")["null"] for row in table_rows(tables[0]))
    return Judged(
        _verdict([encoder in top for encoder in kept]),
        f"best four: {words}",
        tables,
        {"null": f"{mean:.2f}"},
    )
