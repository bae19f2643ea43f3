"""Exam timetabling: from who takes what to a timetable in which nobody sits two exams at once.

python examples/exam_timetable.py [ENROLMENTS.csv [FIXED.json [CLOSED.json]]]
"""

import csv
import json
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import concolor as cc

DATA = Path(__file__).parent / "data"
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
SLOTS = [f"{day} {half}" for day in DAYS for half in ("morning", "afternoon")]


def main(
    enrolments: str = f"{DATA}/enrolments.csv",
    fixed: str = f"{DATA}/exams_fixed.json",
    closed: str = f"{DATA}/exams_closed.json",
) -> None:
    courses, shared = read_enrolments(Path(enrolments))
    pairs = np.stack(shared.nonzero(), axis=1)
    graph = cc.Graph.from_edges(len(courses), pairs, name="exams", names=courses)
    print(f"{graph.n} exams, {graph.m} pairs of them share a student")

    preset = read_rules(Path(fixed), courses)  # the exam must be in this slot
    forbidden = read_rules(Path(closed), courses)  # its room is not free in these slots
    last = max(preset.values(), default=0)
    if last >= len(SLOTS):
        raise SystemExit(f"{fixed}: slot {last} is not one of 0..{len(SLOTS) - 1}")

    proof = cc.certify(graph, time_limit=2)  # of the graph alone: rules can only ask for more
    print(f"No timetable has fewer than {proof.lower} slots", end="")
    if proof.lower == len(proof.clique):
        print(": each two of these exams share a student", end="")
        print("".join(f"\n  {courses[v]}" for v in proof.clique), end="")
    print()

    for k in range(min(max(proof.lower, last + 1), len(SLOTS)), len(SLOTS) + 1):
        table = cc.color(graph, k=k, preset=preset, forbidden=forbidden)
        if table.is_proper:
            break
    print(f"A timetable with {k} slots and {table.conflicts} clashes")
    sizes = shared.diagonal()
    for slot, exams in zip(np.unique(table.colors), table.classes, strict=True):
        names = ", ".join(f"{courses[v]} ({sizes[v]})" for v in exams)
        print(f"  {SLOTS[slot]:14} {sizes[exams].sum():3} students: {names}")

    if k > last + 1:
        fewer = cc.color(graph, k=k - 1, preset=preset, forbidden=forbidden, time_limit=1)
        print(f"With {k - 1} slots and the same rules, clashes: {fewer.conflicts}")
        for u, v in fewer.conflicting_edges:
            print(f"  {courses[u]} and {courses[v]}: {shared[u, v]} students take both")
    curve = cc.pareto(graph, time_limit=1)
    counts = ", ".join(f"{k}: {found.conflicts}" for k, found in curve.items())
    print(f"Without the rules, clashes by slots: {counts}")


def read_enrolments(path: Path) -> tuple[list[str], sp.csr_array]:
    """Courses, and for every two of them how many students take both: ``[courses, courses]``."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if not {"student", "course"} <= set(rows.fieldnames or ()):
            raise SystemExit(f"{path}: needs the columns student and course, has {rows.fieldnames}")
        taken = np.array(sorted({(row["student"], row["course"]) for row in rows}), ndmin=2)
    if not taken.size:
        raise SystemExit(f"{path}: has no rows")
    students, who = np.unique(taken[:, 0], return_inverse=True)
    courses, what = np.unique(taken[:, 1], return_inverse=True)
    ones = np.ones(len(taken), int)
    takes = sp.csr_array((ones, (who, what)), shape=(len(students), len(courses)))
    return courses.tolist(), takes.T @ takes


def read_rules(path: Path, courses: list[str]) -> dict:
    """A JSON object keyed by courses."""
    rules = json.loads(path.read_text(encoding="utf-8"))
    if unknown := set(rules) - set(courses):
        raise SystemExit(f"{path}: nobody takes {', '.join(sorted(unknown))}")
    return rules


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (cc.ConcolorError, OSError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
