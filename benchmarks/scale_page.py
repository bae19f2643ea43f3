"""The tables of :mod:`scale`, for ``scale.md`` and for the page of the docs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scale_giant import CAP, GIANT, GIANTS
from scale_growth import (
    BY_NODES,
    COLORS,
    DEGREES,
    GRAPHS,
    NEAR,
    NODES,
    OF_COLORS,
    OF_DEGREES,
    STAGES,
)
from scale_improve import IMPROVE

Row = dict[str, Any]
Found = Mapping[tuple[str, str], Row]
ASKED = 1.1  # exponents at most


def exponent(sizes: Row, key: str, least: float) -> float | None:
    """The slope of log(value) over log(size), of values that are large enough to be measured."""
    points = [(int(n), cell[key]) for n, cell in sizes.items() if cell[key] >= least]
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def _slopes(sizes: Row) -> Iterator[str]:
    """Of time, and of memory where that is at least 2 MiB."""
    for slope in (exponent(sizes, "cpu", 1e-9), exponent(sizes, "mib", 2.0)):
        yield "-" if slope is None else f"{slope:.2f}"


def of_n(found: Found) -> Iterator[str]:
    heads = " | ".join(f"n = {n:,}, s | MiB" for n in NODES)
    yield f"| stage | neighbors | {heads} | exponent of time | of memory |"
    yield "|---" * (2 * len(NODES) + 4) + "|"
    for name in BY_NODES:
        row = found.get(("n", name), {})
        for kind in ("random", "near"):
            if kind in row:
                cells = [f"{c['cpu']:.3g} | {c['mib']:.3g}" for c in row[kind].values()]
                yield f"| {name} | {kind} | {' | '.join((*cells, *_slopes(row[kind])))} |"
    yield from ("", *_verdict(found))


def _verdict(found: Found) -> Iterator[str]:
    """Which stages grow faster than asked, and on which graphs."""
    slopes = {
        (name, kind): exponent(found["n", name][kind], "cpu", 1e-9) or 0.0
        for name in STAGES
        if ("n", name) in found
        for kind in ("random", "near")
    }
    for kind, where in (("random", "anywhere in memory"), ("near", "near in memory")):
        above = [
            f"{name} ({slope:.2f})"
            for (name, of), slope in slopes.items()
            if of == kind and round(slope, 2) > ASKED
        ]
        told = f"above it are {', '.join(above)}" if above else "none is above it"
        yield f"Asked for are exponents of at most {ASKED}: with neighbors {where}, {told}."


def _grown(found: Found, section: str, word: str, sizes: Iterable[int]) -> Iterator[str]:
    """A table of one section with a column for each size."""
    heads = " | ".join(f"{word} = {size:,}, s | MiB" for size in sizes)
    yield f"| stage | {heads} | exponent of time | of memory |"
    yield "|---" * (heads.count("|") + 4) + "|"
    for (of, name), row in found.items():
        if of == section:
            cells = [f"{c['cpu']:.3g} | {c['mib']:.3g}" for c in row["random"].values()]
            yield f"| {name} | {' | '.join((*cells, *_slopes(row['random'])))} |"


def of_m(found: Found) -> Iterator[str]:
    return _grown(found, "m", "m", (OF_DEGREES * degree // 2 for degree in DEGREES))


def of_k(found: Found) -> Iterator[str]:
    return _grown(found, "k", "k", COLORS)


def of_graphs(found: Found) -> Iterator[str]:
    return _grown(found, "graphs", "graphs", GRAPHS)


def of_improve(found: Found) -> Iterator[str]:
    rows = {name: found["improve", name]["ways"] for name in IMPROVE if ("improve", name) in found}
    yield f"| | {' | '.join(rows)} |"
    yield "|---" * (len(rows) + 1) + "|"
    for way in next(iter(rows.values()), ()):
        cells = (f"{row[way]['k']} ({row[way]['cpu']:.2g} s)" for row in rows.values())
        yield f"| {way} | {' | '.join(cells)} |"


def of_giant(found: Found) -> Iterator[str]:
    yield "| | colors | proper | CPU, s | wall, s | private, GiB | mapped, GiB | each worker, GiB |"
    yield "|---" * 8 + "|"
    for name in GIANTS:
        row = found.get(("giant", name))
        if row is None:
            continue
        k = "out of memory" if row.get("out_of_memory") else row.get("k", "-")
        proper = {True: "yes", False: "no"}.get(row.get("proper"), "-")
        workers = " and ".join(f"{held / 2**30:.2f}" for held in row.get("workers", ())) or "-"
        memory = (f"{row[kind] / 2**30:.2f}" for kind in ("private", "mapped"))
        times = (f"{row[kind]:.0f}" for kind in ("cpu", "wall"))
        yield f"| {name} | {k} | {proper} | {' | '.join((*times, *memory))} | {workers} |"
    missing = [name for name in GIANTS if ("giant", name) not in found]
    if missing:
        yield from ("", f"Not measured yet: {', '.join(missing)}.")


def of_rounds(found: Found) -> Iterator[str]:
    for (_, name), row in found.items():
        rounds = row.get("rounds") or []
        if not rounds:
            continue
        sent, first = [each["bytes"] for each in rounds], [r for r in rounds if r["conflicts"]]
        lost = sum(each["conflicts"] for each in rounds)
        yield (
            f"- {name}: {len(rounds)} rounds, {sum(sent) / 2**20:.0f} MiB in all, at most "
            f"{max(sent) / 2**20:.1f} MiB in one; {lost:,} conflicts in {len(first)} rounds "
            f"({100 * lost / row['n']:.1f} % of the nodes chose again)."
        )


def of_model(found: Found) -> Iterator[str]:
    """A billion edges at the same degree: all that is measured grows in proportion."""
    run, made = (found.get(("giant", name)) for name in ("speculative --workers 2", "convert"))
    if run is None or made is None:
        return
    times = 1e9 / run["m"]
    n, sent = times * run["n"], times * sum(each["bytes"] for each in run["rounds"])
    yield (
        f"A random graph of mean degree {2 * run['m'] / run['n']:.0f} with a billion edges and "
        f"{n / 1e6:.0f} million nodes, from the figures above in proportion: a folder of "
        f"{times * made['bytes'] / 1e9:.0f} GB, converted in {times * made['cpu'] / 3600:.1f} CPU "
        f"hours; {times * run['cpu'] / 3600:.1f} CPU hours to color it in all, those of the "
        f"machine that asks included. A worker of k holds 4 n + 24 n / k bytes and maps 16 m / k. "
        "News are five bytes for each node and other block in which it has neighbors, which are "
        "spread over all blocks here; they go through the machine that asks. This is a model, not "
        "a measurement."
    )
    yield from (
        "",
        "| k | private, GB | mapped, GB | news, GB | of 1 Gbit/s, min |",
        "|---" * 5 + "|",
    )
    for k in (2, 4, 8, 16, 32):
        news = sent * _touched(k, 2 * run["m"] / run["n"]) / _touched(2, 2 * run["m"] / run["n"])
        cells = (4 * n + 24 * n / k, 16e9 / k, news)
        told = (f"{cell / 1e9:.1f}" for cell in cells)
        yield f"| {k} | {' | '.join(told)} | {news * 8 / 1e9 / 60:.0f} |"


def _touched(k: int, degree: float) -> float:
    """Other blocks of k in which a node with so many neighbors has one, in the mean."""
    return (k - 1) * (1 - (1 - 1 / k) ** degree)


TABLES = {
    "giant": of_giant,
    "n": of_n,
    "m": of_m,
    "k": of_k,
    "graphs": of_graphs,
    "improve": of_improve,
    "model": of_model,
}


def into_page(file: Path, found: Found) -> None:
    """Put the tables between their marks on the page of the docs."""
    text = file.read_text()
    for name, table in TABLES.items():
        mark = f"<!-- {name}: written by benchmarks/scale.py -->"
        before, _, rest = text.partition(mark)
        more = ["", *of_rounds(found)] if name == "giant" else []
        lines = [mark, "", *table(found), *more, "", ""]
        text = before + "\n".join(lines) + rest[rest.index("<!-- end -->") :]
    file.write_text(text)


def report(found: Found) -> Iterator[str]:
    yield from (
        "# How time and memory grow",
        "",
        "Written by `benchmarks/scale.py`, which says what is measured; raw rows are in "
        "`scale.jsonl`. A shared machine with two cores, which others used at the same time: what "
        "waits for memory waits longer then. Rows were measured at different times, the sizes of "
        "one row soon after each other: compare what is in a row, not rows.",
        "",
        "CPU seconds of one core for one graph, and how far memory rises above graph and input. "
        "Exponents are slopes of a line through the logarithms (of memory where it is at least 2 "
        "MiB). *embed* is the model `light`; *decode* one try of `guided`; *blocks* two blocks "
        "one after the other; *tabu start* and *certify* all that they do before any search.",
        "",
        "## With nodes: from a thousand to a million",
        "",
        "Mean degree 10. *random*: neighbors are anywhere in memory; *near*: their numbers are at "
        f"most {NEAR} away. Small graphs come in numbers: {_told(NODES)}. The last rows are no "
        "stages: loops of numpy and scipy that read what neighbors have and do next to nothing "
        "with it, and what one small graph gains that the processor has seen again and again.",
        "",
        *of_n(found),
        "",
        "## With edges: mean degrees from 2 to 2,000",
        "",
        f"Random graphs of {OF_DEGREES:,} nodes.",
        "",
        *of_m(found),
        "",
        "## With colors: from 4 to 4,000",
        "",
        f"Random graphs of {OF_COLORS:,} nodes and mean degree 10; *decode* clusters into k lines "
        "and lets every node choose among k colors, *tabu start* counts neighbors of each color.",
        "",
        *of_k(found),
        "",
        "## With graphs: from 10 to 10,000",
        "",
        "`color_many` of random graphs of 50 to 100 nodes and mean degree 6 from a generator, in "
        "one process.",
        "",
        *of_graphs(found),
        "",
        "## Fewer colors after greedy",
        "",
        "Colors, and CPU seconds of one core. Blocks are ranges of nodes; recoloring goes class by "
        "class, in all blocks at the same time.",
        "",
        *of_improve(found),
        "",
        "## Ten million nodes, fifty million edges",
        "",
        f"{GIANT}, drawn and written by `convert` with its budget of 1 GiB, then colored by "
        "`concolor solve giant.csr --method ...`, which checks every edge at the end; the last "
        f"three with at most {CAP // 2**30} GiB of address space. *mapped* pages are of files.",
        "",
        *of_giant(found),
        "",
        "Sent between blocks:",
        "",
        *of_rounds(found),
    )


def _told(counts: Mapping[int, int]) -> str:
    return ", ".join(f"{count} of {size:,}" for size, count in counts.items())
