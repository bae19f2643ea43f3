"""Exam timetabling: from who takes what to a timetable in which nobody sits two exams at once.

    python examples/exam_timetable.py [ENROLMENTS.csv [FIXED.json [CLOSED.json]]] [--slots N]
                                      [--rooms R]

Slots are numbered from 0: two a day from Monday to Friday, then the next week, as many as are
needed. With --slots there are no more than N, and the timetable has the fewest clashes found. With
--rooms no more than R exams are held at once.
"""

import argparse
import csv
import json
from itertools import count
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import concolor as cc

DATA = Path(__file__).parent / "data"
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")


def main(enrolments: Path, fixed: Path, closed: Path, slots: int | None, rooms: int | None) -> None:
    courses, shared = read_enrolments(enrolments)
    pairs = np.stack(shared.nonzero(), axis=1)
    graph = cc.Graph.from_edges(len(courses), pairs, name="exams", names=courses)
    print(f"{graph.n} exams, {graph.m} pairs of them share a student")

    preset = read_rules(fixed, courses)  # the exam must be in this slot
    forbidden = read_rules(closed, courses)  # its room is not free in these slots
    last = max(preset.values(), default=-1)
    if slots is not None and last >= slots:
        raise SystemExit(f"{fixed}: slot {last} is not one of 0..{slots - 1}")

    proof = cc.certify(graph, time_limit=2)  # of the graph alone: rules can only ask for more
    print(f"No timetable without clashes has fewer than {proof.lower} slots", end="")
    if proof.lower == len(proof.clique):
        print(": each two of these exams share a student", end="")
        print("".join(f"\n  {courses[v]}" for v in proof.clique), end="")
    print()
    if slots is not None and slots < proof.lower:
        print(f"With only {slots} slots some exams must clash")

    least = max([1, last + 1, *map(first_open, forbidden.values())])  # that the rules leave room in
    if rooms is not None:
        least = max(least, -(-graph.n // rooms))
        print(f"{rooms} rooms for {graph.n} exams: at least {-(-graph.n // rooms)} slots")
    rules = {"preset": preset, "forbidden": forbidden, "max_class": rooms}
    tables = {}  # by the number of slots
    for k in count(max(proof.lower, least)) if slots is None else [slots]:
        tables[k] = cc.color(graph, k=k, **rules)
        if tables[k].is_proper:
            break
    print(f"A timetable with {k} slots and {tables[k].conflicts} clashes")
    show(tables[k], k, shared.diagonal())
    show_clashes(tables[k], shared)

    if slots is None and k > least:
        if k - 1 not in tables:
            tables[k - 1] = cc.color(graph, k=k - 1, **rules)
        print(f"With {k - 1} slots and the same rules, clashes: {tables[k - 1].conflicts}")
        show_clashes(tables[k - 1], shared)
    if preset or forbidden or rooms:
        counts = ", ".join(f"{k}: {found}" for k, found in without_rules(graph, tables).items())
        print(f"Without the rules, clashes by slots: {counts}")


def without_rules(graph: cc.Graph, tables: dict[int, cc.Coloring]) -> dict[int, int]:
    """The fewest clashes found by slots; a timetable that keeps the rules counts as well."""
    curve = {}
    for k, found in cc.pareto(graph, time_limit=1).items():
        kept = [table.conflicts for slots, table in tables.items() if slots <= k]
        curve[k] = min([found.conflicts, *kept])
        if curve[k] == 0:
            break
    return curve


def show(table: cc.Coloring, slots: int, sizes: np.ndarray) -> None:
    """Slot by slot the exams, with the students of each."""
    names = [slot_name(slot) for slot in range(slots)]
    for slot, name in enumerate(names):
        exams = np.flatnonzero(table.colors == slot)
        inside = ", ".join(f"{table.graph.node_names[v]} ({sizes[v]})" for v in exams)
        print(f"  {name:{max(map(len, names))}}  {sizes[exams].sum():3} students: {inside or '-'}")


def show_clashes(table: cc.Coloring, shared: sp.csr_array) -> None:
    courses = table.graph.node_names
    for u, v in table.conflicting_edges:
        print(f"  {courses[u]} and {courses[v]}: {shared[u, v]} students take both")


def slot_name(slot: int) -> str:
    """Two slots a day, five days a week."""
    day, half = divmod(slot, 2)
    week, day = divmod(day, len(DAYS))
    name = f"{DAYS[day]} {('morning', 'afternoon')[half]}"
    return name if week == 0 else f"{name}, week {week + 1}"


def first_open(closed: list[int]) -> int:
    """How many slots there must be for one of them to be open."""
    return next(slot for slot in count() if slot not in closed) + 1


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


def asked() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("enrolments", nargs="?", type=Path, default=DATA / "enrolments.csv")
    parser.add_argument("fixed", nargs="?", type=Path, default=DATA / "exams_fixed.json")
    parser.add_argument("closed", nargs="?", type=Path, default=DATA / "exams_closed.json")
    parser.add_argument("--slots", type=int, help="no more than so many; default: as needed")
    parser.add_argument("--rooms", type=int, help="no more exams at once; default: any number")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main(**vars(asked()))
    except (cc.ConcolorError, OSError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
