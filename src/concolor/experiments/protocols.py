"""The paper's protocols: from the name of a printed row to what gives it.

A row is named ``[target/][family or adaptation/]encoder/pipeline``. What the paper leaves open is
settled here once, and written down in results/README.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from concolor.encoders import encoder_of
from concolor.experiments.rows import SEEDS, Row
from concolor.learning.recipe import RECIPES, Recipe

NEURAL_SECONDS = 60.0  # for one graph; the paper gives 900
NEURAL_SEEDS = 3  # the paper has a single run
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


def subgraphs(data: str, make: Callable[[str, str], Recipe] = tuned) -> Callable[[str], Row]:
    """Train on subgraphs of a citation graph, test on others of the same."""

    def protocol(name: str) -> Row:
        encoder, pipeline = name.split("/")
        recipe = make(encoder.removesuffix("_full"), pipeline).but(unit_words=data != "cora")
        return Row({"": f"{data}-subgraphs"}, train=f"{data}-subgraphs", recipe=recipe)

    return protocol


def untuned_sweep(name: str) -> Row:
    """All encoders at default settings, the learning rate of message passing included."""
    row = subgraphs("cora", faithful)(name)
    rate = 0.01 if encoder_of(row.recipe.encoder).beyond_neighbors else None
    return replace(row, recipe=row.recipe.but(lr=rate))


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
    return replace(row, settings=settings)


def variants(name: str) -> Row:
    """v1 to v5 with the plain GCN; v2 untuned, v5 longer, and PI-GNN with k = chi."""
    if name == "pi_gnn":
        return _neural({"": "cora-subgraphs"}, "pi-gnn at chi")
    changes: dict[str, dict[str, Any]] = {"v2": UNTUNED, "v5": {"epochs": 100}}
    return _cora(faithful("gcn", name, **changes.get(name, {})))


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
    return replace(row, settings={"canon_passes": passes})


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
    return replace(row, recipe=row.recipe.but(**changes[row.train]))


def transfer(suffix: str, features: str = "", **changes: Any) -> Callable[[str], Row]:
    """Train on Cora's subgraphs, test on another citation graph: ``-subgraphs`` or ``/far``."""

    def protocol(name: str) -> Row:
        way, *middle = name.split("/")
        suites = {"": way.removeprefix("cora->") + suffix}
        if len(middle) == 1:
            return _neural(suites, middle[0])
        *middle, encoder, pipeline = middle
        kind = ADAPTATIONS[middle[0]] if middle else features
        recipe = _transferred(encoder, pipeline, kind)
        recipe = recipe.but(features=kind, unit_words=bool(middle), **changes)
        return Row(suites, train="cora-subgraphs", recipe=recipe)

    return protocol


def _transferred(encoder: str, pipeline: str, features: str) -> Recipe:
    """Tuned settings; those of message passing are not printed, and words need the usual rate."""
    recipe = tuned(encoder, pipeline)
    if features != "structural":
        return recipe.but(lr=None)
    return recipe if encoder_of(encoder).beyond_neighbors else recipe.but(layers=3, dropout=0.2)


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
    return replace(_cycles(suites, method), graph=named(graph))


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
    return Row(suites, method=method, seconds=NEURAL_SECONDS, seeds=NEURAL_SEEDS)


def _cycles(suites: Mapping[str, str], method: list[str]) -> Row:
    if len(method) == 1:
        return _neural(suites, method[0])
    encoder, pipeline = method
    recipe = faithful(encoder, pipeline, RECIPES["cycles"], epochs=CYCLE_EPOCHS)
    return Row(suites, train="cycles", recipe=recipe)
