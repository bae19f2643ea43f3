"""The page that ``value.py`` writes, and the tables in the cards of the models."""

from __future__ import annotations

import statistics

import torch

from concolor.decoding.guided import TRIES as DEFAULT
from concolor.models import FEW

DRAWS = 4  # of the random features, as many as color draws
SETS = 4  # of so many draws, to see what chance does
TRIES = 64
SEEDS = 3  # of guided and the control with all tries
GENERAL_UP_TO = 10_000  # nodes; beyond, an embedding takes longer than one may wait
SPECTRAL_K = 16  # colors up to which eigenvectors are tried on large graphs
FIGURES = "Mean colors on held-out graphs, from benchmarks/value.md:"  # a line of the card
WORDS = ("lowest", "mean", "highest")


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows)]


def means(rows: list[dict]) -> dict[str, float]:
    return {name: statistics.fmean(float(row[name]) for row in rows) for name in rows[0]}


def render(
    model: str,
    found: dict[str, dict[str, list[dict]]],
    sizes: dict[str, dict],
    speeds: dict[str, dict[str, float]],
    controls: dict[str, float],
) -> str:
    text = [
        "# Does learning help?",
        "",
        f"Written by `benchmarks/value.py`: the shipped model `{model}` (*learned*) and `light` on",
        f"held-out graphs, the best of {DRAWS} draws of their random features. torch",
        f"{torch.__version__}, one thread. Where cliques overlap (geometric, interval), *light* is",
        f"`overlap`, elsewhere with a mean degree of at most {FEW} `sparse`: the same network with",
        "other weights, as `color` takes it.",
        "None of the graphs was trained on; queens and myciel were looked at when the recipes were",
        "chosen. *spectral* is the control without training: k clusters of the k - 1 lowest",
        "eigenvectors of the Bethe Hessian, the best of as many clusterings; where no k is enough,",
        "the k of the fewest conflicts counts. All seconds are of CPU, and so are limits.",
        "",
        "## Raw k with at most 5 % conflicts",
        "",
    ]
    heads = [head for head in next(iter(found.values()))["raw"][0] if "embeds" not in head]
    text += table(
        ["family", "graphs", *heads],
        [
            [name, str(len(parts["raw"])), *(f"{means(parts['raw'])[head]:.2f}" for head in heads)]
            for name, parts in found.items()
        ],
    )
    text += ["", "## light beside general: raw k, and CPU seconds of an embedding", ""]
    rows, ratios = [], []
    for name, parts in found.items():
        mean = means(parts["raw"])
        ratios.append(
            (mean["light"] / mean["learned"], mean["general embeds"] / mean["light embeds"])
        )
        cells = [f"{mean[head]:.5f}" for head in ("general embeds", "light embeds")]
        rows.append([name, f"{ratios[-1][0]:.3f}", *cells, f"{ratios[-1][1]:.1f}"])
    means_of = [statistics.fmean(column) for column in zip(*ratios, strict=True)]
    rows.append(["mean", f"{means_of[0]:.3f}", "", "", f"{means_of[1]:.1f}"])
    text += table(["family", "light's k / general's", "general", "light", "faster by"], rows)
    text += _spread(found)
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
    text += [
        "",
        "## Large graphs: raw k with at most 5 % conflicts; in brackets, seconds",
        "",
        f"One draw, unless said. A dash at general: left out above {GENERAL_UP_TO} nodes, where it",
        f"takes long; at spectral: no k up to {SPECTRAL_K} was enough. TabuCol has the seconds of",
        f"light with {DRAWS} draws.",
        "",
    ]
    heads = [
        "general",
        "light",
        f"light, {DRAWS} draws",
        "spectral",
        "null",
        "DSATUR, proper",
        "TabuCol, light's time",
    ]

    def cell(line: dict, head: str) -> str:
        if line[head] is None:
            return "-"
        seconds = line.get(f"{head}, s")
        return f"{line[head]:g}" + ("" if seconds is None else f" ({seconds:.2f})")

    text += table(
        ["graph", *heads],
        [[name, *(cell(line, head) for head in heads)] for name, line in sizes.items()],
    )
    text += ["", "## A batch of 1000 graphs of 50 nodes, CPU seconds", ""]
    rows = [
        [
            name,
            *(
                f"{speed[name]:.2f}" if "mean" in name else f"{speed[name]:.0f}"
                for speed in speeds.values()
            ),
        ]
        for name in next(iter(speeds.values()))
    ]
    text += table(["", *speeds], rows)
    beside = ", ".join(f"{name} {value:.2f}" for name, value in controls.items())
    text += ["", f"Mean k of the same graphs without learning: {beside}."]
    return "\n".join(text) + "\n"


def _spread(found: dict[str, dict[str, list[dict]]]) -> list[str]:
    """How far other draws move the means of the families, and which of them are the table's."""
    rows = []
    for name, parts in found.items():
        row = [name]
        for model in ("general", "light"):
            sets = [*zip(*(line[model] for line in parts["draws"]), strict=True)]
            means_of = sorted(statistics.fmean(ks) for ks in sets)
            row += [f"{v:.2f}" for v in (means_of[0], statistics.fmean(means_of), means_of[-1])]
        rows.append([*row, f"{float(row[5]) / float(row[2]):.3f}"])
    text = [
        "",
        f"## Chance: the same raw k with {SETS} sets of {DRAWS} draws",
        "",
        "The lowest, the mean and the highest of the means over a family. The first set is that of",
        "the tables above.",
        "",
    ]
    words = [f"{model}, {word}" for model in ("general", "light") for word in WORDS]
    return text + table(["family", *words, "light's mean / general's"], rows)


def light_figures(card: str, found: dict[str, dict[str, list[dict]]]) -> str:
    """The card of light with its figures."""
    heads = ["light", "learned", "null", "spectral", "TabuCol, same time", "DSATUR, proper"]
    rows = [
        [name, *(f"{means(parts['raw'])[head]:.2f}" for head in heads)]
        for name, parts in found.items()
    ]
    names = [
        "family",
        "raw k at 5 %",
        "general",
        *heads[2:4],
        "TabuCol, general's time",
        "DSATUR, proper",
    ]
    return filled(card, table(names, rows))


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
    return filled(card, table([*heads, *shown["proper"]], rows))


def filled(card: str, lines: list[str]) -> str:
    """The card with these lines between its figures and its limits."""
    before, rest = card.split(FIGURES)
    limits = rest[rest.index("**Limits.**") :]
    return before + FIGURES + "\n\n" + "\n".join(lines) + "\n\n" + limits
