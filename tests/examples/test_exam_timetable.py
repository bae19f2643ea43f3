import csv
import json
import re
from collections import Counter, defaultdict
from itertools import combinations

import pytest

WEEK = [f"{d} {h}" for d in ("Mon", "Tue", "Wed", "Thu", "Fri") for h in ("morning", "afternoon")]
SLOTS = WEEK + [f"{slot}, week 2" for slot in WEEK]


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
        if match := re.match(
            r"  (\w+ (?:morning|afternoon)(?:, week 2)?) +(\d+) students: (.*)", line
        ):
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

    (at,) = [place for place, line in enumerate(lines) if line.startswith("No timetable without")]
    needed = int(lines[at].split()[7])
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


@pytest.mark.slow
@pytest.mark.parametrize("rooms", [3, 4])
def test_no_more_exams_at_once_than_rooms(run, data, taken, rooms):
    lines = run("exam_timetable", "--rooms", rooms)
    slot = timetable(lines)
    assert max(Counter(slot.values()).values()) <= rooms
    least = -(-len(slot) // rooms)
    assert f"{rooms} rooms for {len(slot)} exams: at least {least} slots" in lines
    for courses in taken.values():
        assert len({slot[course] for course in courses}) == len(courses)
    for course, fixed in json.loads((data / "exams_fixed.json").read_text()).items():
        assert slot[course] == fixed


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
    found = refused("exam_timetable", data / "enrolments.csv", "fixed.json", "--slots", 10)
    assert found == "fixed.json: slot 12 is not one of 0..9"


@pytest.mark.slow
def test_slots_go_on_until_the_last_that_a_rule_names(run, data, tmp_path, taken):
    (tmp_path / "fixed.json").write_text('{"Law": 12}')
    (tmp_path / "closed.json").write_text(json.dumps({"Ethics": list(range(13))}))
    lines = run("exam_timetable", data / "enrolments.csv", "fixed.json", "closed.json")
    slot = timetable(lines)
    assert (slot["Law"], slot["Ethics"]) == (12, 13)
    assert "A timetable with 14 slots and 0 clashes" in lines
    assert not any(line.startswith("With ") for line in lines)
    for courses in taken.values():
        assert len({slot[course] for course in courses}) == len(courses)


@pytest.mark.slow
def test_too_few_slots_leave_clashes_and_the_timetable_says_so(run, tmp_path):
    everyone = [f"ann,C{course:02}" for course in range(11)]
    (tmp_path / "busy.csv").write_text("\n".join(["student,course", *everyone]) + "\n")
    (tmp_path / "none.json").write_text("{}")
    lines = run("exam_timetable", "busy.csv", "none.json", "none.json", "--slots", 10)
    assert (
        "No timetable without clashes has fewer than 11 slots: each two of these exams share a "
        "student" in lines
    )
    assert "With only 10 slots some exams must clash" in lines
    assert "A timetable with 10 slots and 1 clashes" in lines
    clashes = [line for line in lines if line.endswith("students take both")]
    (pair,) = [re.match(r"  (C\d\d) and (C\d\d): 1 students", line) for line in clashes]
    slot = timetable(lines)
    assert slot[pair[1]] == slot[pair[2]] and len(set(slot.values())) == 10


@pytest.mark.slow
def test_the_days_go_on_where_a_week_is_too_short(run, tmp_path):
    taken = {"ann": range(13), "bob": range(10, 16), "cid": range(4), "dan": [15, 0]}
    rows = [f"{student},C{course:02}" for student, courses in taken.items() for course in courses]
    (tmp_path / "busy.csv").write_text("\n".join(["student,course", *rows]) + "\n")
    (tmp_path / "none.json").write_text("{}")
    (tmp_path / "fixed.json").write_text('{"C03": 11}')
    lines = run("exam_timetable", "busy.csv", "fixed.json", "none.json")
    slot = timetable(lines)
    for courses in taken.values():
        assert len({slot[f"C{course:02}"] for course in courses}) == len(courses)
    assert slot["C03"] == 11 and max(slot.values()) == 12
    said = "\n".join(lines)
    assert "No timetable without clashes has fewer than 13 slots: each two of these" in said
    assert "A timetable with 13 slots and 0 clashes" in said
    assert "  Mon morning, week 2" in said and "  Tue morning, week 2" in said
    assert "With 12 slots and the same rules, clashes: 1" in said
    assert lines[-1].endswith(", 12: 1, 13: 0")


def test_no_slot_at_all_is_refused(refused, tmp_path, data):
    (tmp_path / "none.json").write_text("{}")
    words = (data / "enrolments.csv", "none.json", "none.json", "--slots", 0)
    assert "k must be" in refused("exam_timetable", *words)


def test_a_file_that_is_not_there_is_named(refused):
    assert "nothing.csv" in refused("exam_timetable", "nothing.csv")
