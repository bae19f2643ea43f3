"""The paper's tables as data: which cells a printed row is, by the words that it is named with.

A row is named ``[target/][family or adaptation/]encoder/pipeline``; a protocol of the paper turns
such a name into a :class:`Row`. What the paper leaves open is settled here once, and written down
in results/README.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from concolor.experiments.cells import Cell, Compared, Learned
from concolor.experiments.paper import rows
from concolor.learning.recipe import RECIPES, Recipe

SEEDS = 10
NEURAL_SECONDS = 60.0  # for one graph; the paper gives 900
LONG_SECONDS = 900.0  # the paper's limit, on the suites below
LONG_SUITES = ("C_7000", "book/ood", "queen13", "citeseer", "cora/1336")
TABUCOL_SECONDS = 1.0
EXACT_SECONDS = 20.0


@dataclass(frozen=True)
class Row:
    """What gives a printed row.

    Attributes:
        suites: What tells suites apart in a column's name ("", "id", "small", ...) -> suite.
        method: ``learned``, a method of ``measure.METHODS``, or ``facts`` for what graphs are like.
        train: The data set of a learned row.
        recipe: Its recipe, seed 0.
        seconds: The time that a compared method has for one graph.
        graph: The one graph of the suite that the row is about, by name.
        settings: Constants of the row that the paper prints beside the results.
        seeds: How many are asked at most.
    """

    suites: Mapping[str, str]
    method: str = "learned"
    train: str = ""
    recipe: Recipe = field(default_factory=Recipe)
    seconds: float | None = None
    graph: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = SEEDS

    def cells(self, tag: str, seeds: int) -> list[Cell]:
        """The cells behind a column with this tag, seed by seed."""
        return [self.cell(tag, seed) for seed in range(min(seeds, self.seeds))]

    def cell(self, tag: str, seed: int) -> Cell:
        """One of them."""
        suite = self.suites[tag]
        if self.method == "learned":
            return Learned(self.train, _seeded(self.recipe, seed), suite)
        return Compared(self.method, suite, self.seconds, seed)

    @property
    def improved(self) -> Row | None:
        """The same training with a decoder that beats the paper's in benchmarks/learning.md."""
        if self.method != "learned":
            return None
        lines = self.recipe.objective.absolute and not self.recipe.signnet
        recipe = self.recipe.but(decoder="line_means" if lines else "kmeans", passes=1)
        return Row(self.suites, train=self.train, recipe=recipe, graph=self.graph, seeds=self.seeds)


@cache
def _seeded(recipe: Recipe, seed: int) -> Recipe:
    return recipe.but(seed=seed)


@dataclass(frozen=True)
class Table:
    """A table of the paper.

    Attributes:
        title: What it shows.
        protocol: From the name of a printed row to what gives it.
        main: Whether it stands in the main text.
        note: What a reader should know of our side.
    """

    title: str
    protocol: Callable[[str], Row]
    main: bool = False
    note: str = ""


def cells(names: Iterable[str], *, seeds: int = SEEDS) -> list[Cell]:
    """All cells of some tables: what stands beside, the learned rows seed by seed, the others.

    ``limits`` is a table of ours: the neural baselines with longer limits.
    """
    names = list(names)
    found = [row for name in names if name != "limits" for row in table_rows(name).values()]
    judged = dict.fromkeys(s for row in found if row.method != "facts" for s in row.suites.values())
    every = [cell for suite in judged for group in beside(suite, seeds).values() for cell in group]
    learned = [row for row in found if row.method == "learned"]
    both = [kind for row in learned for kind in (row, row.improved) if kind is not None]
    for seed in range(seeds):
        every += [row.cell(tag, seed) for row in both if seed < row.seeds for tag in row.suites]
    others = [row for row in found if row.method != "learned"]
    every += [cell for row in others for tag in row.suites for cell in row.cells(tag, seeds)]
    if "limits" in names:
        every += [Compared("facts", suite) for suite in LONG_SUITES]
        every += [cell for cells in limits().values() for cell in cells.values()]
    return list({cell.key: cell for cell in every}.values())


@cache
def beside(suite: str, seeds: int = SEEDS) -> dict[str, list[Cell]]:
    """What every table shows beside a suite, and the facts of its graphs."""
    return {
        "facts": [Compared("facts", suite)],
        "null": [Compared("null", suite, seed=seed) for seed in range(seeds)],
        "DSATUR": [Compared("dsatur", suite)],
        "TabuCol": [Compared("tabucol", suite, TABUCOL_SECONDS)],
        "exact": [Compared("exact", suite, EXACT_SECONDS)],
    }


def limits() -> dict[tuple[str, str], dict[float, Cell]]:
    """(suite, method) -> seconds -> cell: what the paper's longer limit changes."""
    return {
        (suite, method): {
            seconds: Compared(method, suite, seconds) for seconds in (NEURAL_SECONDS, LONG_SECONDS)
        }
        for suite in LONG_SUITES
        for method in ("pi-gnn", "full-gcn")
    }


@cache
def table_rows(name: str) -> dict[str, Row]:
    """The rows of a table in the paper's order."""
    protocol = TABLES[name].protocol
    return {row: protocol(row) for row in rows(name)}


def place(column: str) -> tuple[str, str]:
    """The tag and the metric in a column's name.

    >>> place("rho_ood"), place("small_test_s"), place("k_0.05")
    (('ood', 'rho'), ('small', 'test_s'), ('', 'k_0.05'))
    """
    for tag in ("id", "ood"):
        if column.endswith(f"_{tag}"):
            return tag, column.removesuffix(f"_{tag}")
    for tag in ("small", "large", "train", "id", "ood"):
        if column.startswith(f"{tag}_") and column != "train_s":
            return tag, column.removeprefix(f"{tag}_")
    return "", column


# --- recipes ---------------------------------------------------------------------------------

SOFT = {"lambda_soft": 0.30, "degree_power": 4.0, "tau_soft": 1.25}  # the paper's tuned v2
UNTUNED = {"lambda_soft": 0.20, "degree_power": 3.0, "tau_soft": 1.0}
TUNED = {  # table nonmp-unitary-sweep: layers, heads, dropout, learning rate
    "gps_gcn/v1": (3, 8, 0.2, 0.003),
    "gps_gcn/v2": (2, 4, 0.2, 0.003),
    "gps_sage/v1": (2, 4, 0.2, 0.003),
    "gps_sage/v2": (3, 4, 0.2, 0.01),
    "gps_gin/v1": (2, 8, 0.2, 0.003),
    "gps_gin/v2": (2, 4, 0.2, 0.01),
    "gps_gat/v1": (2, 8, 0.2, 0.003),
    "gps_gat/v2": (2, 8, 0.1, 0.003),
    "graph_vit/v1": (2, 8, 0.1, 0.003),
    "graph_vit/v2": (2, 8, 0.2, 0.003),
    "exphormer/v1": (2, 4, 0.2, 0.003),
    "exphormer/v2": (2, 4, 0.2, 0.003),
}
ADAPTATIONS = {"hybrid": "hybrid", "hybrid+ln": "hybrid_ln", "pca": "pca", "svd": "svd"}
CYCLE_EPOCHS = 40
COLOR_TAU = 0.1
SIGNS_TAU = 0.2
FULL = RECIPES["full"]  # the setting that the paper shares between its whole graphs


def faithful(encoder: str, pipeline: str, base: Recipe | None = None, **changes: Any) -> Recipe:
    """The paper's recipe: k-medoids, and the tuned soft term where the pipeline has one."""
    recipe = (base or Recipe()).but(encoder=encoder, pipeline=pipeline, decoder="kmedoids")
    soft = SOFT if recipe.objective.soft and recipe.objective.contrastive else {}
    return recipe.but(**(soft | changes))


def tuned(encoder: str, pipeline: str) -> Recipe:
    """With the settings of table nonmp-unitary-sweep, where it has the encoder."""
    name = encoder.replace("unitary_first_", "")
    if f"{name}/{pipeline}" not in TUNED:
        return faithful(encoder, pipeline)
    layers, heads, dropout, lr = TUNED[f"{name}/{pipeline}"]
    degree: dict[str, Any] = {"expander_degree": 2} if name == "exphormer" else {}
    return faithful(encoder, pipeline, layers=layers, heads=heads, dropout=dropout, lr=lr, **degree)


# --- protocols: from the name of a row to what gives it -----------------------------------------


def subgraphs(data: str, make: Callable[[str, str], Recipe] = tuned) -> Callable[[str], Row]:
    """Train on subgraphs of a citation graph, test on others of the same."""

    def protocol(name: str) -> Row:
        encoder, pipeline = name.split("/")
        recipe = make(encoder.removesuffix("_full"), pipeline).but(unit_words=data != "cora")
        return Row({"": f"{data}-subgraphs"}, train=f"{data}-subgraphs", recipe=recipe)

    return protocol


def untuned_sweep(name: str) -> Row:
    """All encoders at default settings."""
    return subgraphs("cora", faithful)(name)


def tuned_sweep(name: str) -> Row:
    """Tuned encoders, with the settings printed beside them."""
    row = subgraphs("cora")(name)
    recipe = row.recipe
    settings = {
        "layers": recipe.layers,
        "heads": recipe.heads,
        "dropout": recipe.dropout,
        "lr": recipe.lr,
        "exp_degree": recipe.expander_degree if recipe.encoder == "exphormer" else None,
    }
    return Row(row.suites, train=row.train, recipe=recipe, settings=settings)


def variants(name: str) -> Row:
    """v1 to v5 with the plain GCN; v2 untuned, and PI-GNN with k = chi."""
    if name == "pi_gnn":
        return _neural({"": "cora-subgraphs"}, "pi-gnn at chi")
    changes: dict[str, Any] = UNTUNED if name == "v2" else {}
    return _cora(faithful("gcn", name, **changes))


def soft_tuning(name: str) -> Row:
    """The stages of tuning v2 with the plain GCN."""
    stages: dict[str, dict[str, Any]] = {
        "baseline": UNTUNED,
        "trial_1": {**UNTUNED, "lambda_soft": 0.30},
        "trial_2": SOFT,
    }
    return _cora(faithful("gcn", "v2", **stages[name]))


def signs(name: str) -> Row:
    """Absolute loss: canonical signs with the paper's passes, or the SignNet head."""
    encoder, kind = name.split("/")
    passes = {"gated_gcn": 4, "gps_gcn": 1, "gps_sage": 2}[encoder]
    if kind == "signnet":
        return _cora(faithful(encoder, "v1abs", signnet=True, tau=SIGNS_TAU))
    row = _cora(faithful(encoder, "v1abs", passes=passes, tau=SIGNS_TAU))
    return Row(row.suites, train=row.train, recipe=row.recipe, settings={"canon_passes": passes})


def whole(name: str) -> Row:
    """Train and test on the same whole graph."""
    data, encoder, pipeline = name.split("/")
    recipe = faithful(encoder, pipeline, FULL)
    slow = data == "pubmed" and encoder.startswith("gps")
    return Row({"": data}, train=data, recipe=recipe, seeds=1 if slow else SEEDS)


def whole_tuned(name: str) -> Row:
    """The setting that the paper tuned for each whole graph."""
    row = whole(name)
    changes: dict[str, dict[str, Any]] = {
        "cora": {"dropout": 0.2},
        "citeseer": {"degree_power": 1.0, "warmup": 10},
        "pubmed": {},
    }
    recipe = row.recipe.but(**changes[row.train])
    return Row(row.suites, train=row.train, recipe=recipe, seeds=row.seeds)


def transfer(suffix: str, features: str = "", **changes: Any) -> Callable[[str], Row]:
    """Train on Cora's subgraphs, test on another citation graph: ``-subgraphs`` or ``/far``."""

    def protocol(name: str) -> Row:
        way, *middle = name.split("/")
        suites = {"": way.removeprefix("cora->") + suffix}
        if len(middle) == 1:
            return _neural(suites, middle[0])
        *middle, encoder, pipeline = middle
        kind = ADAPTATIONS[middle[0]] if middle else features
        recipe = faithful(encoder, pipeline, features=kind, unit_words=bool(middle), **changes)
        return Row(suites, train="cora-subgraphs", recipe=recipe)

    return protocol


def color(name: str) -> Row:
    """Train on small graphs of a COLOR family, test on larger ones of it."""
    family, kind, *rest = name.split("/")
    suites = {tag: f"{family}/{tag}" for tag in ("id", "ood")}
    if kind == "baseline":
        return _neural(suites, rest[0])
    features = {"random": "random", "struct": "structural"}[kind]
    encoder, pipeline = rest
    base = RECIPES["color"].but(features=features, feature_dim=64, tau=COLOR_TAU)
    recipe = faithful(encoder, pipeline, base)
    return Row(suites, train=f"color-{family}", recipe=recipe)


def cycles(name: str) -> Row:
    """Train on cycles, test on small graphs and on very long cycles; averages."""
    size, *method = name.split("/")
    return _cycles({"": f"cycles/{size}"}, method)


def cycles_time(name: str) -> Row:
    """The same trainings, for their seconds."""
    suites = {"": "cycles/small", "small": "cycles/small", "large": "cycles/large"}
    return _cycles(suites, name.split("/"))


def cycles_by_graph(name: str) -> Row:
    """The same, one graph at a time."""
    graph, *method = name.split("/")
    suites = {"": f"cycles/{'large' if graph.startswith('C_70') else 'small'}"}
    if not method:
        return Row(suites, method="facts", graph=named(graph), seeds=1)
    row = _cycles(suites, method)
    return Row(
        suites,
        method=row.method,
        train=row.train,
        recipe=row.recipe,
        seconds=row.seconds,
        graph=named(graph),
        seeds=row.seeds,
    )


def facts(name: str) -> Row:
    """What a whole graph is like."""
    return Row({"": name}, method="facts", seeds=1)


def family_facts(name: str) -> Row:
    """What the graphs of a COLOR family are like."""
    suites = {tag: f"{name}/{tag}" for tag in ("train", "id", "ood")}
    return Row(suites, method="facts", seeds=1)


def local_facts(name: str) -> Row:
    """Sizes of the sampled subgraphs; ``test`` are all 50 that were sampled."""
    data, split = name.split("/")
    end = {"train": "train", "test": "heldout"}[split]
    return Row({"": f"{data}-subgraphs/{end}"}, method="facts", seeds=1)


def named(graph: str) -> str:
    """Our name of a graph in the paper's spelling.

    >>> named("C_30"), named("K_4_8"), named("KG_9_3"), named("Mycielski_C5_3")
    ('cycle:30', 'bipartite:4x8', 'kneser:9x3', 'myciel:5')
    """
    word, *numbers = graph.split("_")
    if word == "Mycielski":
        return f"myciel:{int(numbers[-1]) + 2}"
    if word == "K":
        return ("complete:" if len(numbers) == 1 else "bipartite:") + "x".join(numbers)
    families = {"C": "cycle", "W": "wheel", "KG": "kneser"}
    return f"{families[word]}:{'x'.join(numbers)}" if numbers else word.lower()


def _cora(recipe: Recipe) -> Row:
    return Row({"": "cora-subgraphs"}, train="cora-subgraphs", recipe=recipe)


def _neural(suites: Mapping[str, str], name: str) -> Row:
    method = name.replace("_", "-")
    return Row(suites, method=method, seconds=NEURAL_SECONDS, seeds=1)


def _cycles(suites: Mapping[str, str], method: list[str]) -> Row:
    if len(method) == 1:
        return _neural(suites, method[0])
    encoder, pipeline = method
    recipe = faithful(encoder, pipeline, RECIPES["cycles"], epochs=CYCLE_EPOCHS)
    return Row(suites, train="cycles", recipe=recipe)


_FULL_NOTE = "k up to 16; NA where one seed or more does not reach the threshold."

TABLES: dict[str, Table] = {
    "color-best-by-family": Table("The paper's best row of each COLOR family", color, main=True),
    "cora-transfer-subgraph-main": Table(
        "From Cora to other subgraphs with structural features",
        transfer("-subgraphs", "structural", feature_dim=16),
        main=True,
    ),
    "bow-adapt-subgraph-v2-main": Table(
        "From Cora to other subgraphs with adapted words, v2", transfer("-subgraphs"), main=True
    ),
    "small-per-graph": Table("Trained on cycles, eleven graphs", cycles_by_graph, main=True),
    "full-encoder-sweep": Table("Ten encoders at default settings, Cora subgraphs", untuned_sweep),
    "nonmp-unitary-sweep": Table("Tuned attention encoders, Cora subgraphs", tuned_sweep),
    "gated-gcn-ablation": Table("Parts of gated_gcn and res_gcn left out, Cora", subgraphs("cora")),
    "appendix-signnet": Table("Canonical signs against the SignNet head, Cora", signs),
    "cora-v1-v5": Table("Losses and features with the plain GCN, Cora", variants),
    "v2-tuning": Table("Stages of tuning v2 with the plain GCN, Cora", soft_tuning),
    "gps-unitary-subgraph": Table("GPS with a unitary first layer, Cora", subgraphs("cora")),
    "citeseer-transfer-results": Table("Encoders on CiteSeer subgraphs", subgraphs("citeseer")),
    "pubmed-transfer-results": Table("Encoders on PubMed subgraphs", subgraphs("pubmed")),
    "cora-transfer-subgraph": Table(
        "From Cora to other subgraphs with structural features (appendix)",
        transfer("-subgraphs", "structural", feature_dim=16),
    ),
    "bow-adapt-subgraph-v1": Table(
        "From Cora to other subgraphs with adapted words, v1", transfer("-subgraphs")
    ),
    "bow-adapt-subgraph-v2": Table(
        "From Cora to other subgraphs with adapted words, v2 (appendix)", transfer("-subgraphs")
    ),
    "cora-transfer-abs-random-subgraph": Table(
        "From Cora to other subgraphs, absolute losses, random features",
        transfer("-subgraphs", "random", feature_dim=64),
    ),
    "cora-transfer-fullgraph": Table(
        "From Cora to whole graphs with structural features",
        transfer("/far", "structural", feature_dim=16),
    ),
    "bow-adapt-full-v1": Table(
        "From Cora to whole graphs with adapted words, v1",
        transfer("/far"),
        note="The paper averages seeds that miss the threshold as k = -1; we print NA.",
    ),
    "bow-adapt-full-v2": Table(
        "From Cora to whole graphs with adapted words, v2",
        transfer("/far"),
        note="The paper averages seeds that miss the threshold as k = -1; we print NA.",
    ),
    "cora-transfer-abs-random-fullgraph": Table(
        "From Cora to whole graphs, absolute losses, random features",
        transfer("/far", "random", feature_dim=64),
    ),
    "color-book-detail": Table("COLOR, Book", color),
    "color-myciel-detail": Table("COLOR, Mycielski", color),
    "color-queen-detail": Table("COLOR, Queen", color),
    "color-best-by-family-app": Table(
        "The paper's best row of each COLOR family (appendix)", color
    ),
    "avg-v1": Table("Trained on cycles, v1abs, averages", cycles),
    "avg-v2": Table("Trained on cycles, v2abs, averages", cycles),
    "baseline-summary": Table("Trained on cycles, beside the neural baselines", cycles),
    "our-runtime": Table("Seconds of training on cycles and of decoding", cycles_time),
    "baseline-runtime": Table("Seconds of the neural baselines", cycles),
    "small-cycles-per-graph": Table("Trained on cycles, C_20 to C_39", cycles_by_graph),
    "small-noncycle-per-graph": Table("Trained on cycles, twenty named graphs", cycles_by_graph),
    "fullgraph-contrastive-results": Table("Whole citation graphs", whole, note=_FULL_NOTE),
    "fullgraph-threshold-rerun": Table(
        "Whole citation graphs, all thresholds", whole, note=_FULL_NOTE
    ),
    "fullgraph-tuning-overall": Table(
        "Whole citation graphs, a setting for each", whole_tuned, note=_FULL_NOTE
    ),
    "fullgraph-tuning-shared": Table(
        "Whole citation graphs, one setting for all", whole, note=_FULL_NOTE
    ),
    "gps-unitary-fullgraph": Table(
        "Whole citation graphs, GPS with a unitary first layer", whole, note=_FULL_NOTE
    ),
    "cora-subgraph-stats": Table("The sampled subgraphs of Cora", local_facts),
    "citeseer-pubmed-subgraph-stats": Table(
        "The sampled subgraphs of CiteSeer and PubMed", local_facts
    ),
    "citation-full-specs": Table(
        "The citation graphs, with sizes as in an earlier paper",
        facts,
        note="The paper repeats edge counts of an earlier paper here; ours are those of the files.",
    ),
    "fullgraph-BOW-specs": Table("The citation graphs as used", facts),
    "color-family-splits": Table("The graphs of COLOR", family_facts),
}
