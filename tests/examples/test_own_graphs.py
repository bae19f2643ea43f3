import re

import pytest

import concolor as cc


@pytest.mark.slow
def test_figures_stand_beside_chance_and_classical_methods(run):
    lines = run("own_graphs", 10)
    assert lines[0] == "Trained on 30 graphs for 100 steps"
    loss, bound = map(float, re.findall(r"-?\d+\.\d+", lines[1]))
    assert bound < loss < 0

    colors = [float(line.split()[-1]) for line in lines if line.startswith("  ")]
    null, alone, shipped, search, dsatur, proper, learned = colors
    new = [cc.family("exam:50x60", seed=seed) for seed in range(100, 106)]
    assert dsatur == pytest.approx(sum(cc.dsatur(g).k for g in new) / 6, abs=0.01)
    lower = sum(len(cc.certify(g, cc.dsatur(g), time_limit=0.1).clique) for g in new) / 6
    assert lower - 0.01 <= min(proper, learned) and max(proper, learned) <= dsatur
    assert 1 <= search <= proper and max(alone, shipped) < null


def test_training_that_is_no_number_is_refused(refused):
    assert "forever" in refused("own_graphs", "forever")
