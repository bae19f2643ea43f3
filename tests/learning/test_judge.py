"""Held-out graphs: which they are, when they are asked, and that the best state is kept."""

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.learning import train as loop
from concolor.learning.embedder import clusters_of
from concolor.learning.judge import MOST, Judge, held_out, is_due
from concolor.learning.labels import label
from concolor.learning.recipe import Recipe
from concolor.learning.train import train

GRAPHS = [family(f"cycle:{n}") for n in range(10, 20)]
SMALL = Recipe(pipeline="v1abs", hidden=16, epochs=4, batch_size=4, feature_dim=8)


@pytest.fixture(scope="module")
def start():
    return train(SMALL.but(epochs=3), GRAPHS)


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.network.state_dict().values()])


class Scripted:
    """A judge that gives the conflicts of a list, one after the other."""

    def __init__(self, monkeypatch, *conflicts):
        self.left, self.seen = list(conflicts), []
        monkeypatch.setattr(Judge, "conflicts", lambda judge, network: self.told(network))

    def told(self, network):
        self.seen.append(torch.cat([p.detach().flatten() for p in network.state_dict().values()]))
        return self.left.pop(0)


@given(st.integers(0, 200), st.integers(2, 9))
def test_every_so_manyth_graph_with_edges_is_held_out(count, every):
    edge, none = Graph.from_edges(2, [(0, 1)]), Graph.from_edges(2, [])
    graphs = [none if i % 7 == 3 else edge for i in range(count)]
    places = held_out(graphs, every)
    assert all(graphs[i].m for i in places)
    assert len(places) == min(sum(g.m > 0 for g in graphs) // every, MOST)
    assert places == sorted(set(places))
    assert held_out(graphs, 0) == []


def test_judgments_become_rarer():
    due = [epoch for epoch in range(1, 1000) if is_due(epoch)]
    assert due[:4] == [1, 2, 3, 4]
    assert len(due) < 20
    assert all(b <= 2 * a for a, b in pairwise(due))


@pytest.mark.slow
def test_conflicts_are_those_of_clusters_into_the_k_of_the_labels(start):
    colors = label(GRAPHS)
    judge = Judge.of(start.recipe, start.features, GRAPHS, colors)
    shares = [
        Coloring(g, clusters_of(start.recipe, start.embed(g), 0)(int(c.max()) + 1).astype(int)).mono
        for g, c in zip(GRAPHS, colors, strict=True)
    ]
    assert judge.conflicts(start.network) == pytest.approx(sum(shares) / len(shares))


@pytest.mark.slow
def test_the_best_state_is_kept(start, monkeypatch):
    judge = Scripted(monkeypatch, 0.4, 0.3, 0.2, 0.35, 0.2)  # the start, then epochs 1 to 4
    found = train(SMALL, GRAPHS, start=start)
    assert torch.equal(judge.seen[0], weights(start))
    assert torch.equal(weights(found), judge.seen[2])
    history = found.history
    assert (history.judged, history.kept, history.before, history.after) == (2, 2, 0.4, 0.2)
    assert len(history.losses) == 4


@pytest.mark.slow
def test_the_start_is_kept_where_nothing_was_gained(start, monkeypatch):
    Scripted(monkeypatch, 0.1, *[0.1, 0.3, 0.2, 0.15])
    found = train(SMALL, GRAPHS, start=start)
    assert torch.equal(weights(found), weights(start))
    assert (found.history.kept, found.history.after) == (0, 0.1)


@pytest.mark.slow
def test_the_last_state_is_judged_where_the_clock_ends_it(start, monkeypatch, tmp_path):
    Scripted(monkeypatch, 0.4, 0.1)
    file = tmp_path / "m.checkpoint"
    part = train(SMALL, GRAPHS, start=start, time_limit=0, checkpoint=file)
    assert (part.history.stopped, part.history.kept) == ("time limit", 1)
    assert not torch.equal(weights(part), weights(start))


@pytest.mark.slow
def test_going_on_after_a_stop_keeps_what_an_unbroken_run_keeps(start, monkeypatch, tmp_path):
    file = tmp_path / "m.checkpoint"
    Scripted(monkeypatch, 0.4, 0.2, 0.3, 0.35, 0.3)
    whole = train(SMALL, GRAPHS, start=start)
    for spoiled in (0.25, 0.01):  # what the end of a part is judged to be decides no other part
        file.unlink(missing_ok=True)
        Scripted(monkeypatch, 0.4, spoiled)
        train(SMALL, GRAPHS, start=start, time_limit=0, checkpoint=file)
        Scripted(monkeypatch, 0.2, 0.3, 0.35, 0.3)
        resumed = train(SMALL, GRAPHS, start=start, checkpoint=file, resume=True)
        assert torch.equal(weights(resumed), weights(whole))
        assert replace(resumed.history, seconds=0) == replace(whole.history, seconds=0)


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "count"), [(SMALL, 4), (SMALL.but(held_out=0), 10)])
def test_too_few_graphs_or_none_asked_for_train_on_all(start, recipe, count, monkeypatch):
    Scripted(monkeypatch)  # is never asked
    seen = []
    real = loop.TrainingData
    monkeypatch.setattr(
        loop, "TrainingData", lambda r, graphs, *rest: seen.append(graphs) or real(r, graphs, *rest)
    )
    history = train(recipe, GRAPHS[:count], start=start).history
    assert seen == [GRAPHS[:count]]
    assert (history.judged, history.kept, history.after) == (0, None, None)


@pytest.mark.slow
def test_a_fresh_training_holds_nothing_out(monkeypatch):
    Scripted(monkeypatch)
    assert train(SMALL, GRAPHS).history.kept is None


@pytest.mark.parametrize("value", [-1, 1, 1001])
def test_a_share_that_makes_no_sense_is_refused(value):
    with pytest.raises(InputError, match=r"held_out must be 0, or in 2\.\.1000"):
        Recipe(held_out=value)
