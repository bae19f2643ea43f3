"""Graphs to choose settings by are in no training and in no table."""

import os

import pytest

from concolor.graph.datasets import dataset
from concolor.graph.families import family
from concolor.graph.validation import MOST, VALIDATION, unseen, validation_graphs

FILES = pytest.mark.skipif("CONCOLOR_DATA" not in os.environ, reason="CONCOLOR_DATA is not set")
FREE = ("color-myciel", "color-queen", "cycles")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [n if n in FREE else pytest.param(n, marks=FILES) for n in VALIDATION]
)
def test_no_table_and_no_training_has_one_of_them(name):
    found = validation_graphs(name)
    digests = {graph.digest for graph in found}
    assert 1 < len(digests) == len(found) <= MOST
    data = dataset(name)
    for split in (data.train, *data.splits.values()):
        assert not digests & {graph.digest for graph in split}
    assert [g.digest for g in validation_graphs(name)] == [g.digest for g in found]


def test_a_data_set_without_any_has_none():
    assert validation_graphs("general") == ()


def test_unseen_ones_are_each_there_once():
    drawn = [family(f"cycle:{n}") for n in (5, 6, 5, 7)]
    assert [g.n for g in unseen(drawn, [family("cycle:6")])] == [5, 7]
    many = [family(f"cycle:{n}") for n in range(3, 60)]
    assert len(unseen(many, [])) == MOST
