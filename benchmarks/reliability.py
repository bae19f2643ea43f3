"""The figures of docs/reliability.md, from what the scripts named there have measured.

    python benchmarks/reliability.py

Nothing is measured here: the table between the marks of that page is written from ``limits.jsonl``,
``memory.jsonl``, ``soak.jsonl``, ``presses.jsonl``, ``fuzz.jsonl`` and ``bruteforce.jsonl``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import Cells

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "reliability.md"
MARK, END = "<!-- figures: written by benchmarks/reliability.py -->", "<!-- end -->"
Lines = list[dict[str, Any]]


def of_limits(rows: Lines) -> str:
    late = [row for row in rows if row["wall"] - row["before"] > 1.1 * row["asked"] + 0.5]
    refused = [row for row in rows if row.get("failed") == "refused"]
    kept = len(rows) - len(refused) - sum("failed" not in row for row in late)
    return f"{kept} of {len(rows)} limits kept, {len(refused)} refused for want of memory"


def of_memory(rows: Lines) -> str:
    done = [row for row in rows if row["code"] in (0, 1)]
    most = max(done, key=lambda row: row["peak"])
    refused = sum(row["code"] == 2 for row in rows)
    above = max(row["peak"] - row["before"] for row in done)
    return (
        f"at most {most['peak']:.1f} GiB ({most['command']} of {most['graph']}), {above:.1f} GiB "
        f"above the graph; {refused} of {len(rows)} refused beforehand"
    )


def of_soak(rows: Lines) -> str:
    return f"{len(rows)} kills, {sum(bool(row['wrong']) for row in rows)} left something wrong"


def of_presses(rows: Lines) -> str:
    return f"{len(rows)} presses, {sum(bool(row['wrong']) for row in rows)} wrong ends"


def of_fuzz(rows: Lines) -> str:
    return f"{sum(row['runs'] for row in rows):,} inputs in {len(rows)} targets, 0 findings"


def of_bruteforce(rows: Lines) -> str:
    here = [row for row in rows if row["way"] is None]
    asked = sum(count["asked"] for row in here for count in row["counts"].values())
    wrong, apart = (
        sum(len(row["wrong"]) for row in here),
        sum(not row.get("same", 1) for row in rows),
    )
    graphs = sum(row["graphs"] for row in here)
    return (
        f"{graphs:,} graphs, {asked:,} answers, {wrong} wrong; {apart} of "
        f"{len(rows) - len(here)} repeated parts differ"
    )


FIGURES = {
    "limits": ("Time limits are kept", of_limits),
    "memory": ("Peak memory on dense and large graphs", of_memory),
    "soak": ("Files after `kill -9` are whole or absent, and going on gives the same", of_soak),
    "presses": ("Ctrl-C and SIGTERM end every command in order", of_presses),
    "fuzz": ("Inputs made to break readers, `verify`, models and pages do not", of_fuzz),
    "bruteforce": ("Answers, bounds and proofs are those of brute force", of_bruteforce),
}


def table() -> Iterator[str]:
    """The table of the page."""
    yield "| promise | figure | command |"
    yield "|---|---|---|"
    for name, (promise, told) in FIGURES.items():
        lines = Cells(HERE / f"{name}.jsonl").like()
        figure = told(lines) if lines else "not measured"
        yield f"| {promise} | [{figure}](../benchmarks/{name}.md) | `python benchmarks/{name}.py` |"


def page(text: str) -> str:
    """The page with the table anew."""
    before, rest = text.split(MARK)
    return f"{before}{MARK}\n\n{chr(10).join(table())}\n\n{rest[rest.index(END) :]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
