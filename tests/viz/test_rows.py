"""Rows of a table stand where their numbers say."""

import xml.etree.ElementTree as ET

import pytest

from concolor.errors import InputError
from concolor.viz import marked_rows
from concolor.viz.picture import Lines, Marks, Text

ROWS = {
    "gcn/v1": {"ours": (1.4, 0.1), "paper": (1.5, None)},
    "gat/v1": {"ours": (1.2, 0.0), "null": (2.5, 0.2)},
}


def test_means_are_in_order_and_bars_reach_one_deviation():
    picture = marked_rows(ROWS, axis="rho")
    ET.fromstring(picture.svg())
    null, paper, ours = (item for item in picture.items if isinstance(item, Marks))
    assert ours.at[1, 0] < ours.at[0, 0] < paper.at[0, 0] < null.at[0, 0]
    assert ours.at[0, 1] == paper.at[0, 1] < ours.at[1, 1] == null.at[0, 1]  # first row on top
    bars = [item for item in picture.items if isinstance(item, Lines) and item.width == 2.0]
    ends = bars[-1].points[0][:, 0]
    unit = (paper.at[0, 0] - ours.at[0, 0]) / 0.1
    assert ends == pytest.approx([ours.at[0, 0] - 0.1 * unit, ours.at[0, 0] + 0.1 * unit])
    assert [len(bar.points) for bar in bars] == [1, 1]  # no deviation, no bar
    assert ours.titles[0] == "ours, gcn/v1: 1.4 ± 0.1"
    words = [item.text for item in picture.items if isinstance(item, Text)]
    assert {"gcn/v1", "gat/v1", "rho", "ours", "paper", "null"} <= set(words)


def test_every_row_lies_on_the_sheet():
    many = {f"row {i}": {"ours": (float(i), 1.0)} for i in range(40)}
    picture = marked_rows(many, axis="k")
    for item in picture.items:
        if isinstance(item, Marks):
            assert (item.at >= 0).all() and (item.at <= [picture.width, picture.height]).all()


def test_nothing_to_draw_is_said():
    for rows in ({}, {"gcn/v1": {}}):
        with pytest.raises(InputError, match="no figure"):
            marked_rows(rows, axis="rho")
