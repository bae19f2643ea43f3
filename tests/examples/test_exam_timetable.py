import csv
import json
import re
from collections import defaultdict
from itertools import combinations

import pytest

SLOTS = [f"{d} {h}" for d in ("Mon", "Tue", "Wed", "Thu", "Fri") for h in ("morning", "afternoon")]


@pytest.fixture
def taken(data):
    """Student -> courses."""
    found = defaultdict(set)
    with open(data / "enrolments.csv", newline="") as file:
        for row in csv.DictReader(file):
            found[row["student"]].add(row["course"])
    return found


def timetable(lines):
    """Course -> slot."""
    found = {}
    for line in lines:
        if match := re.match(r"  (\w+ (?:morning|afternoon)) +(\d+) students: (.*)", line):
            exams = re.findall(r"(\w+) \((\d+)\)", match[3])
            assert int(match[2]) == sum(int(size) for _, size in exams)
            found |= {course: SLOTS.index(match[1]) for course, _ in exams}
    return found


@pytest.mark.slow
def test_nobody_sits_two_exams_at_once_and_every_claim_holds(run, data, taken):
    lines = run("exam_timetable")
    slot = timetable(lines)
    assert slot.keys() == set().union(*taken.values())
    for courses in taken.values():
        assert len({slot[course] for course in courses}) == len(courses)

    for course, fixed in json.loads((data / "exams_fixed.json").read_text()).items():
        assert slot[course] == fixed
    for course, closed in json.loads((data / "exams_closed.json").read_text()).items():
        assert slot[course] not in closed

    used = len(set(slot.values()))
    assert f"A timetable with {used} slots and 0 clashes" in lines
    pairs = {pair for courses in taken.values() for pair in combinations(sorted(courses), 2)}
    assert lines[0] == f"{len(slot)} exams, {len(pairs)} pairs of them share a student"

    (at,) = [place for place, line in enumerate(lines) if line.startswith("No timetable has fewer")]
    needed = int(lines[at].split()[5])
    clique = [line.strip() for line in lines[at + 1 : at + 1 + needed]]
    assert set(combinations(sorted(clique), 2)) <= pairs and len(set(clique)) == needed <= used

    (at,) = [place for place, line in enumerate(lines) if line.startswith("With ")]
    assert lines[at].startswith(f"With {used - 1} slots")
    clashes = [re.match(r"  (\w+) and (\w+): (\d+) ", line) for line in lines[at + 1 : -1]]
    assert len(clashes) == int(lines[at].rpartition(" ")[2]) > 0
    for clash in clashes:
        assert sum({clash[1], clash[2]} <= courses for courses in taken.values()) == int(clash[3])

    curve = {int(k): int(count) for k, count in re.findall(r"(\d+): (\d+)", lines[-1])}
    assert curve[1] == len(pairs)
    assert list(curve.values()) == sorted(curve.values(), reverse=True)
    assert max(curve) >= needed


def test_an_exam_that_nobody_takes_is_named(refused, data, tmp_path):
    (tmp_path / "fixed.json").write_text('{"Alchemy": 0}')
    found = refused("exam_timetable", data / "enrolments.csv", "fixed.json")
    assert found == "fixed.json: nobody takes Alchemy"


def test_two_exams_of_one_student_cannot_be_fixed_to_one_slot(refused, data, tmp_path):
    (tmp_path / "fixed.json").write_text('{"Statistics": 3, "Law": 3, "Ethics": 3}')
    found = refused("exam_timetable", data / "enrolments.csv", "fixed.json")
    assert "both preset to color 3" in found


@pytest.mark.parametrize(
    ("text", "reason"),
    [("name,exam\nann,Law\n", "needs the columns"), ("student,course\n", "has no rows")],
)
def test_a_table_of_something_else_is_refused(refused, tmp_path, text, reason):
    (tmp_path / "other.csv").write_text(text)
    assert reason in refused("exam_timetable", "other.csv")


def test_a_slot_after_the_last_is_refused(refused, data, tmp_path):
    (tmp_path / "fixed.json").write_text('{"Law": 12}')
    found = refused("exam_timetable", data / "enrolments.csv", "fixed.json")
    assert found == "fixed.json: slot 12 is not one of 0..9"


@pytest.mark.slow
def test_too_few_slots_leave_clashes_and_the_timetable_says_so(run, tmp_path):
    everyone = [f"ann,C{course:02}" for course in range(11)]
    (tmp_path / "busy.csv").write_text("\n".join(["student,course", *everyone]) + "\n")
    (tmp_path / "none.json").write_text("{}")
    lines = run("exam_timetable", "busy.csv", "none.json", "none.json")
    assert "No timetable has fewer than 11 slots: each two of these exams share a student" in lines
    assert "A timetable with 10 slots and 1 clashes" in lines


def test_a_file_that_is_not_there_is_named(refused):
    assert "nothing.csv" in refused("exam_timetable", "nothing.csv")
