"""Curves stand where their numbers say, with what they are compared to."""

import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest

from concolor.decoding import sweep
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.sweeps import Sweep
from concolor.viz import stage_bars, sweep_curve, training_curve
from concolor.viz.chart import Frame, ticks
from concolor.viz.curves import CHANCE, LEARNED, LINEAR, duration
from concolor.viz.palette import CONFLICT
from concolor.viz.picture import Boxes, Lines, Marks, Text, text_width


def made_up(curve, max_mono=0.05):
    graph = family("cycle:100")
    return Sweep(graph, {k: np.zeros(100, np.int32) for k in curve}, curve, max_mono)


def lines(picture, ink):
    return [item.points[0] for item in picture.items if isinstance(item, Lines) and item.ink == ink]


def texts(picture):
    return [item.text for item in picture.items if isinstance(item, Text)]


def test_the_sweep_stands_beside_the_null_and_below_the_threshold_at_k_star():
    picture = sweep_curve(made_up({1: 100, 2: 20, 3: 4, 4: 0}), {1: 100, 2: 50, 3: 33, 4: 25})
    ET.fromstring(picture.svg())
    learned, allowed = lines(picture, LEARNED)[0], lines(picture, CONFLICT)[0]
    null = lines(picture, CHANCE)[0]
    assert (learned[:, 1] > allowed[0, 1]).tolist() == [False, False, True, True]
    np.testing.assert_allclose(learned[:, 0], null[:, 0])
    assert (np.diff(learned[:, 1]) > 0).all() and (null[1:, 1] < learned[1:, 1]).all()
    assert "k* = 3" in texts(picture) and "allowed: 5 %" in texts(picture)
    (pole,) = (p for p in lines(picture, "soft") if p[0, 0] == p[1, 0])
    assert pole[0, 0] == pytest.approx(learned[2, 0])
    titles = [t for i in picture.items if isinstance(i, Marks) for t in i.titles]
    assert titles[2] == "embedding, k = 3: 4 conflicts (4.00 %)" and len(titles) == 8


def test_all_three_curves_have_their_ink_and_their_name():
    learned, null, linear = {1: 100, 2: 20}, {1: 100, 2: 50}, {1: 100, 2: 30, 3: 4}
    picture = sweep_curve(made_up(learned), null, linear)
    assert [len(lines(picture, ink)[0]) for ink in (LEARNED, CHANCE, LINEAR)] == [2, 2, 3]
    assert {"embedding", "null", "spectral"} <= set(texts(picture))
    titles = [t for i in picture.items if isinstance(i, Marks) for t in i.titles]
    assert titles[-1] == "spectral, k = 3: 4 conflicts (4.00 %)"


def test_a_missed_threshold_is_said():
    picture = sweep_curve(made_up({1: 100, 2: 20, 3: 20}))
    assert "lowest at k = 2" in texts(picture) and "threshold missed" in picture.label
    assert not lines(picture, CHANCE)


@pytest.mark.parametrize(
    "picture",
    [
        sweep_curve(made_up({8: 21, 9: 20, 99: 20}, 0.125), {8: 22, 99: 22}),
        sweep_curve(made_up({1: 100, 2: 0})),
        sweep_curve(made_up({1: 100, 2: 9}, 0.125), {1: 100, 2: 22}, {1: 100, 2: 10}),
        training_curve(SimpleNamespace(losses=(1.0, 1.0, 1.0), bound=-1.0)),
        training_curve(SimpleNamespace(losses=(0.0, 1.0), bound=-1.0)),
    ],
)
def test_the_legend_stands_above_every_curve_on_the_sheet(picture):
    inks = (LEARNED, CHANCE, LINEAR, CONFLICT, "soft")
    drawn = [item for item in picture.items if isinstance(item, Lines) and item.ink in inks]
    drawn_ink = {item.ink for item in drawn} - {"soft"}
    samples = [item for item in drawn if item.width == 2.5]
    curves = min(item.points[..., 1].min() for item in drawn if item.width != 2.5)
    assert {item.ink for item in samples} == drawn_ink
    letters = {item.text: item for item in picture.items if isinstance(item, Text)}
    for sample in samples:
        assert sample.points[..., 1].max() < curves - 5
        start = sample.points[..., 0].max()
        (name,) = (t for t in letters.values() if 0 < t.x - start < 10 and t.y < curves)
        assert name.y == sample.points[0, 0, 1] and name.anchor == "start"
        ends = name.x + text_width(name.text, name.size)
        others = [s.points[..., 0].min() for s in samples if s.points[..., 0].min() > start]
        assert ends < min([*others, picture.width])
    poles = [text for text in letters.values() if text.bold]
    assert all(samples[0].points[0, 0, 1] + 10 < text.y < curves for text in poles)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_sweeps_can_be_drawn(n):
    graph = Graph.from_edges(n, [(0, 1)] if n == 2 else [])
    ET.fromstring(sweep_curve(sweep(graph, np.ones((n, 2)), k_max=3), {1: 0}).svg())


@pytest.mark.parametrize("epochs", [1, 2, 200])
def test_the_loss_stays_above_its_bound(epochs):
    losses = tuple(-0.9 + 0.5 * 0.9**e for e in range(epochs))
    picture = training_curve(SimpleNamespace(losses=losses, bound=-0.95))
    ET.fromstring(picture.svg())
    (curve, _), bound = lines(picture, LEARNED), lines(picture, CONFLICT)[0]
    assert len(curve) == epochs and (curve[:, 1] < bound[0, 1]).all()
    assert {"epoch", "mean loss", "lower bound"} <= set(texts(picture))


def test_no_epoch_is_no_curve():
    with pytest.raises(InputError, match="no epoch"):
        training_curve(SimpleNamespace(losses=(), bound=0.0))


def test_bars_are_as_long_as_the_stages_took():
    picture = stage_bars({"embed": 0.5, "decode <b>": 2.0, "polish": 0.0})
    (bars,) = (item for item in picture.items if isinstance(item, Boxes))
    assert bars.boxes[1, 2] == pytest.approx(4 * bars.boxes[0, 2])
    assert texts(picture) == ["embed", "500 ms", "decode <b>", "2 s", "polish", "0.0 ms"]
    assert "<b>" not in picture.svg()
    with pytest.raises(InputError, match="for every stage"):
        stage_bars({"embed": float("nan")})


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 ms"),
        (0.0123, "12 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1 s"),
        (59.96, "60 s"),
        (119.7, "2 min 0 s"),
    ],
)
def test_durations_read_well(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-0.93, -0.2), (1, 32), (5, 5), (0, 3e6)])
def test_ticks_are_few_and_round_and_inside(low, high):
    found = list(ticks(low, high, 6))
    assert 1 <= len(found) <= 7
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in found)


def test_the_frame_puts_ends_on_its_sides():
    frame = Frame((10, 20, 100, 50), (1, 5), (0, 4), root=True)
    np.testing.assert_allclose(frame.at([1, 5, 5], [0, 4, 1]), [(10, 70), (110, 20), (110, 45)])
