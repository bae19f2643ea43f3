"""Graphs side by side, and the batches of an epoch."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from concolor.features import FeatureMap
from concolor.graph.families import family
from concolor.learning.batches import TrainingData, seed_of, side_by_side
from concolor.learning.labels import label
from concolor.learning.recipe import Recipe

CYCLES = [family(f"cycle:{n}") for n in range(3, 10)]


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 4)), min_size=1, max_size=5))
def test_graphs_side_by_side_keep_their_edges_and_share_none(shapes):
    rng = np.random.default_rng(len(shapes))
    edges = [torch.tensor(rng.integers(0, n, size=(2, m))) for n, m in shapes]

    joined, graph = side_by_side(edges, [n for n, _ in shapes])

    moved, home, before = [], [], 0
    for i, (n, _) in enumerate(shapes):
        moved += [(before + int(u), before + int(v)) for u, v in edges[i].T]
        home += [i] * n
        before += n
    assert [tuple(pair) for pair in joined.T.tolist()] == moved
    assert graph.tolist() == home


def data(**changes):
    recipe = Recipe(features="random", feature_dim=4, batch_size=3, **changes)
    features = FeatureMap.fit("random", CYCLES, 4)
    return TrainingData(recipe, CYCLES, label(CYCLES), features, torch.device("cpu"))


def test_an_epoch_visits_every_graph_once_in_an_order_of_its_own():
    made = data()
    assert made.steps_per_epoch == 3
    epochs = [[made.batch(e, place).members for place in range(3)] for e in range(4)]
    for batches in epochs:
        assert sorted(i for members in batches for i in members) == list(range(7))
    assert len({tuple(batches) for batches in map(tuple, epochs)}) == 4


def test_a_batch_holds_its_members_in_their_order():
    made = data()
    batch = made.batch(0, 0)
    assert batch.graphs == len(batch.members) == 3
    parts = batch.x.split([CYCLES[i].n for i in batch.members])
    for part, i in zip(parts, batch.members, strict=True):
        np.testing.assert_array_equal(part, made.features(CYCLES[i], 0))
    colors = np.concatenate([label([CYCLES[i]])[0] for i in batch.members])
    np.testing.assert_array_equal(batch.colors, colors)


def rows_of_the_first(made, epoch):
    """The features that the first training graph has in an epoch."""
    batches = [made.batch(epoch, place) for place in range(made.steps_per_epoch)]
    (batch,) = [batch for batch in batches if 0 in batch.members]
    return batch.x.split([CYCLES[i].n for i in batch.members])[batch.members.index(0)]


def test_redrawn_features_differ_from_epoch_to_epoch_and_repeat():
    fixed, redrawn = data(), data(redraw=True)
    assert torch.equal(rows_of_the_first(fixed, 0), rows_of_the_first(fixed, 1))
    first, second = (rows_of_the_first(redrawn, epoch) for epoch in (0, 1))
    assert not torch.equal(first, second)
    assert torch.equal(second, rows_of_the_first(data(redraw=True), 1))


@pytest.mark.slow
@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=3), st.text("abc", min_size=1))
def test_seeds_are_what_torch_takes(numbers, word):
    seed = seed_of(*numbers, word)
    assert 0 <= seed < 2**63
    assert seed == seed_of(*numbers, word) != seed_of(*numbers, word + "d")
