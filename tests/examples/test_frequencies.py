import csv
import math
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest


@pytest.fixture
def disturbing(data):
    with open(data / "transmitters.csv", newline="") as file:
        _, *table = csv.reader(file)
    rows = [(name, *map(float, numbers)) for name, *numbers in table]
    return {
        frozenset((a, b))
        for (a, *p, r), (b, *q, s) in combinations(rows, 2)
        if math.dist(p, q) < r + s
    }


@pytest.mark.slow
def test_transmitters_in_range_have_different_frequencies(run, tmp_path, disturbing):
    lines = run("frequencies")
    plan = {}
    for line in lines:
        if match := re.match(r"  (\d+\.\d) MHz: (.*)", line):
            plan |= dict.fromkeys(match[2].split(", "), match[1])
    assert lines[0] == f"40 transmitters, {len(disturbing)} pairs can be heard at one place"
    assert len(plan) == 40
    assert all(len({plan[name] for name in pair}) == 2 for pair in disturbing)

    used, bad, needed = map(int, re.findall(r"\d+", lines[1]))
    assert (used, bad) == (len(set(plan.values())), 0) and needed <= used

    left = set(map(frozenset, re.findall(r"  (\w+) and (\w+), .* km", "\n".join(lines))))
    assert left <= disturbing and f"With {used - 1} frequencies, disturbances: {len(left)}" in lines

    drawn = ElementTree.parse(tmp_path / "out" / "frequencies.svg").getroot()
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    titles = {title.text.split(" ")[0] for title in drawn.iter("{http://www.w3.org/2000/svg}title")}
    assert plan.keys() <= titles


def test_far_away_from_each_other_one_frequency_is_enough(run, tmp_path):
    (tmp_path / "two.csv").write_text("name,x_km,y_km,range_km\nA,0,0,5\nB,100,0,5\n")
    lines = run("frequencies", "two.csv", "two.svg")
    assert lines[1] == "1 frequencies, 0 disturbances; 1 are needed"
    assert "  88.0 MHz: A, B" in lines and (tmp_path / "two.svg").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name,x,y\nA,0,0\n", "needs the columns"),
        ("name,x_km,y_km,range_km\nA,here,0,5\n", "could not convert"),
        ("name,x_km,y_km,range_km\nA,0,0,-5\n", "ranges not below 0"),
        ("name,x_km,y_km,range_km\nA,0,0,5\nA,1,0,5\n", "'A' is there twice"),
    ],
)
def test_what_is_no_list_of_transmitters_is_refused(refused, tmp_path, text, reason):
    (tmp_path / "bad.csv").write_text(text)
    assert reason in refused("frequencies", "bad.csv")


@pytest.mark.slow
def test_a_picture_of_an_unknown_kind_is_refused(refused, data):
    assert ".svg or .png" in refused("frequencies", data / "transmitters.csv", "plan.bmp")
