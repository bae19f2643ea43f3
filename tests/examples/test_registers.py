import re
from itertools import combinations

import pytest


def ranges_of(path):
    """Name -> (line that makes it, last line that reads it), the slow way."""
    lines = [line.partition("#")[0].split() for line in path.read_text().splitlines()]
    made = {words[0]: at for at, words in enumerate(lines, start=1) if words[1:2] == ["="]}
    return {
        name: (at, max([at, *(n for n, words in enumerate(lines, 1) if name in words[1:])]))
        for name, at in made.items()
    }


def allocations(lines):
    """The printed allocations: register -> [(name, first, last)], one dict after the other."""
    found = []
    for line in lines:
        if match := re.match(r"  r(\d+): (.*)", line):
            inside = re.findall(r"(\w+) (\d+)-(\d+)", match[2])
            if match[1] == "0":
                found.append({})
            found[-1][match[1]] = [(name, int(a), int(b)) for name, a, b in inside]
    return found


def fewest_spills(ranges, registers):
    """Where too many are live, the one that lives longest goes: optimal on intervals."""
    live, spilled = [], 0
    for start, end in sorted(ranges.values()):
        live = sorted([last for last in live if last > start] + [end])
        if len(live) > registers:
            live.pop()
            spilled += 1
    return spilled


@pytest.mark.slow
@pytest.mark.parametrize("registers", [3, 5])
def test_no_two_live_values_share_a_register(run, data, registers):
    lines = run("registers", data / "block.txt", registers)
    ranges = ranges_of(data / "block.txt")
    plenty, tight = allocations(lines)
    for allocation in (plenty, tight):
        for values in allocation.values():
            assert all(ranges[name] == (first, last) for name, first, last in values)
            for (_, a, b), (_, c, d) in combinations(values, 2):
                assert b <= c or d <= a

    crowded = max(sum(a <= at < b for a, b in ranges.values()) for at in range(1, 30))
    assert lines[1] == f"{crowded} registers are enough, and {crowded} are needed"
    assert sorted(name for values in plenty.values() for name, *_ in values) == sorted(ranges)

    (line,) = [line for line in lines if line.startswith("Spilled")]
    spilled = line.removeprefix("Spilled to memory: ").partition(";")[0].split(", ")
    kept = [name for values in tight.values() for name, *_ in values]
    assert sorted(kept + spilled) == sorted(ranges) and len(tight) <= registers
    assert len(spilled) >= fewest_spills(ranges, registers)


@pytest.mark.slow
def test_conflicts_are_pairs_in_one_register_that_live_at_once(run, data):
    lines = run("registers")
    ranges = ranges_of(data / "block.txt")
    pairs = [m for line in lines if (m := re.fullmatch(r"  (\w+) and (\w+) in r\d+", line))]
    assert int(re.search(r"live: (\d+)$", "\n".join(lines), re.MULTILINE)[1]) == len(pairs) > 0
    for pair in pairs:
        (a, b), (c, d) = ranges[pair[1]], ranges[pair[2]]
        assert max(a, c) < min(b, d)


def test_enough_registers_spill_nothing(run, data):
    assert any("memory: none" in line for line in run("registers", data / "block.txt", 12))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = load\nb = add a c\n", "block.txt:2: c is read before it is made"),
        ("a = load\na = load\n", "block.txt:2: expected a new name"),
        ("load a\n", "block.txt:1: expected a new name"),
    ],
)
def test_code_that_makes_no_sense_is_refused_with_its_line(refused, tmp_path, text, reason):
    (tmp_path / "block.txt").write_text(text)
    assert reason in refused("registers", "block.txt")


def test_no_register_at_all_is_refused(refused, data):
    assert "k must be" in refused("registers", data / "block.txt", 0)
