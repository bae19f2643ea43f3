import csv
import re

import pytest


@pytest.mark.slow
def test_the_plan_leaves_what_it_says_and_less_than_counting_pairs(run, data):
    with open(data / "wifi.csv", newline="") as file:
        pairs = [
            (row["source"], row["target"], float(row["weight"])) for row in csv.DictReader(file)
        ]
    lines = run("wifi")
    channel = {}
    for line in lines:
        if match := re.match(r"  channel (\d+): (.*)", line):
            channel |= dict.fromkeys(match[2].split(", "), match[1])
    assert len(channel) == 105 and set(channel.values()) == {"1", "6", "11"}
    left = sum(weight for a, b, weight in pairs if channel[a] == channel[b])
    said, least = map(float, re.findall(r"leave ([\d.]+), at least ([\d.]+)", lines[1])[0])
    assert said == pytest.approx(left, rel=1e-4) and 0 < least <= said
    assert said < float(lines[2].rsplit(" ", 1)[1])
    curve = [float(found) for found in re.findall(r": ([\d.]+)", lines[-1].partition(": ")[2])]
    assert len(curve) == 4 and curve == sorted(curve, reverse=True)


def test_what_is_no_plan_is_refused(refused, tmp_path):
    (tmp_path / "two.csv").write_text("a,b,1\n")
    assert "there are 1 to 4" in refused("wifi", "two.csv", 9)
    assert "nothing.csv" in refused("wifi", "nothing.csv")
    (tmp_path / "bare.csv").write_text("source,target\na,b\n")
    assert "without a weight" in refused("wifi", "bare.csv")
