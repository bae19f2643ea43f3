"""The page ``hidden.md``: what is asked, and the tables made of the rows of ``hidden.py``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, inf, sqrt
from statistics import median
from typing import NamedTuple

GOAL = 0.9  # of the graphs


class Case(NamedTuple):
    kind: str
    n: int
    k: int
    ratio: float  # d / (k - 1)^2


class Plan(NamedTuple):
    """Which graphs of a section a way is given."""

    way: str
    seeds: int = 1
    most: int = 20_000  # nodes
    ks: tuple[int, ...] = (3, 4, 5, 6)

    def covers(self, case: Case) -> bool:
        return case.n <= self.most and case.k in self.ks

    def limits(self, cases: Sequence[Case]) -> str:
        """What it is not given, in words; empty where it is given all."""
        sizes = sorted({case.n for case in cases if case.n > self.most})
        ks = sorted({case.k for case in cases if case.k not in self.ks})
        parts = [f"n = {n}" for n in sizes] + [f"k = {k}" for k in ks]
        return f"{self.way} on {', '.join(parts)}" if parts else ""


class Section(NamedTuple):
    name: str
    title: str
    about: str
    cases: Sequence[Case]
    plans: Sequence[Plan]
    limit: float  # CPU seconds a graph


def asked(section: Section) -> Iterator[tuple[Case, str, int]]:
    """Cases, ways and seeds, all seeds of a case together."""
    for case in section.cases:
        for plan in section.plans:
            for seed in range(plan.seeds if plan.covers(case) else 0):
                yield case, plan.way, seed


def chosen(section: Section, rows: Sequence[dict]) -> list[dict]:
    """The rows of a section."""
    wanted = set(asked(section))
    here = [row for row in rows if row["limit"] == section.limit]
    return [row for row in here if (row["case"], row["way"], row["seed"]) in wanted]


def is_solved(row: dict) -> bool:
    return row["left"] <= row["hidden"]


def table(section: Section, rows: Sequence[dict]) -> Iterator[str]:
    """A line for each case, a column for each way."""
    found = chosen(section, rows)
    ways = [plan.way for plan in section.plans]
    yield f"## {section.title}"
    yield ""
    parts = [text for plan in section.plans if (text := plan.limits(section.cases))]
    dash = f" Left out, for want of CPU: {'; '.join(parts)}." if parts else ""
    if section.about or dash:
        yield f"{section.about}{dash}".strip()
        yield ""
    yield f"| kind | n | k | d / (k-1)^2 | {' | '.join(ways)} |"
    yield "|---|---|---|---|" + "---|" * len(ways)
    for case in section.cases:
        same = [row for row in found if row["case"] == case]
        cells = [_cell([row for row in same if row["way"] == way]) for way in ways]
        yield f"| {' | '.join(map(str, case))} | {' | '.join(cells)} |"
    by_way = [[is_solved(row) for row in found if row["way"] == way] for way in ways]
    yield f"| all | | | | {' | '.join(f'{sum(way)} of {len(way)}' for way in by_way)} |"


def _cell(same: Sequence[dict]) -> str:
    if not same:
        return "-"
    solved = [row["seconds"] for row in same if is_solved(row)]
    text = f"{len(solved)} of {len(same)}" + (f", {median(solved):.2g} s" if solved else "")
    raw = [100 * row["raw"] for row in same if row["raw"] is not None]
    return text + (f" ({median(raw):.1f})" if raw else "")


def wilson(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share by the score of Wilson (1927).

    >>> [round(end, 3) for end in wilson(9, 10)]
    [0.596, 0.982]
    """
    share, spread = hits / of, z * z / of
    middle = share + spread / 2
    half = z * sqrt(share * (1 - share) / of + spread / (4 * of))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def summary(section: Section, rows: Sequence[dict], beside: str) -> Iterator[str]:
    """The shares of the ways over all cases, and what the way ``beside`` does in their time."""
    found = chosen(section, rows)
    sizes = sorted({case.n for case in section.cases})
    heads = ["way", "found", "95 % interval", *(f"n = {n}" for n in sizes), "median, s"]
    heads += [f"{100 * GOAL:g} % after, s", f"{beside} by then"]
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    reached = []
    for plan in section.plans:
        own = [row for row in found if row["way"] == plan.way]
        if not own:
            continue
        seconds = sorted(row["seconds"] for row in own if is_solved(row))
        low, high = wilson(len(seconds), len(own))
        cells = [plan.way, f"{len(seconds)} of {len(own)}", f"{low:.2f} to {high:.2f}"]
        cells += [_share([row for row in own if row["case"].n == n]) for n in sizes]
        cells.append(f"{median(seconds):.2g}" if seconds else "-")
        needed = ceil(GOAL * len(own))
        if len(seconds) >= needed:
            latest = seconds[needed - 1]
            other = [row for row in found if row["way"] == beside]
            by_then = [row for row in other if is_solved(row) and row["seconds"] <= latest]
            cells += [f"{latest:.2g}", f"{len(by_then)} of {len(other)}"]
            if not by_then and all(map(plan.covers, section.cases)):
                reached.append(f"{plan.way} (interval from {low:.2f})")
        else:
            cells += ["-", "-"]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield (
        f"The goal, {100 * GOAL:g} % of the graphs within a time in which {beside} finds none, is "
        f"reached by: {', '.join(reached) or 'none'}."
    )


def _share(rows: Sequence[dict]) -> str:
    return f"{sum(map(is_solved, rows))} of {len(rows)}" if rows else "-"


def smallest(section: Section, rows: Sequence[dict]) -> Iterator[str]:
    """The smallest d / (k - 1)^2 by k and way from which on at least half were found."""
    ways = [plan.way for plan in section.plans]
    yield f"| k | {' | '.join(ways)} |"
    yield "|---|" + "---|" * len(ways)
    for k in sorted({case.k for case in section.cases}):
        least = min(case.ratio for case in section.cases if case.k == k)
        found = [_from_which_on(section, rows, k, way) for way in ways]
        cells = [f"{'at most ' * (ratio == least)}{_short(ratio)}" for ratio in found]
        yield f"| {k} | {' | '.join('none' if cell == 'inf' else cell for cell in cells)} |"


def _short(ratio: float) -> str:
    """With two digits, or three where it is between two cells."""
    return f"{ratio:.3f}".removesuffix("0")


def compared(section: Section, rows: Sequence[dict], learned: str, control: str) -> str:
    """For which k a way finds half from a smaller d on than its control does."""
    below, above = [], []
    for k in sorted({case.k for case in section.cases}):
        ends = [_from_which_on(section, rows, k, way) for way in (learned, control)]
        below += [str(k)] if ends[0] < ends[1] else []
        above += [str(k)] if ends[0] > ends[1] else []
    found = chosen(section, rows)
    shares = [_share([row for row in found if row["way"] == way]) for way in (learned, control)]
    return (
        f"{learned} ({shares[0]}) begins at a smaller d than {control} ({shares[1]}) for "
        f"k = {', '.join(below) or 'none'}, at a larger one for k = {', '.join(above) or 'none'}"
    )


def _from_which_on(section: Section, rows: Sequence[dict], k: int, way: str) -> float:
    """The smallest ratio such that there and above it at least half were found; inf for none."""
    by_ratio: dict[float, list[bool]] = {}
    for row in chosen(section, rows):
        if (row["way"], row["case"].k) == (way, k):
            by_ratio.setdefault(row["case"].ratio, []).append(is_solved(row))
    found = inf
    for ratio in sorted(by_ratio, reverse=True):
        if 2 * sum(by_ratio[ratio]) < len(by_ratio[ratio]):
            break
        found = ratio
    return found
