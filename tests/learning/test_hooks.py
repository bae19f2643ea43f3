"""Hooks hear of every epoch, may stop a training and change nothing else in it."""

from dataclasses import asdict

import numpy as np
import pytest
import torch

from concolor.errors import InputError, MissingExtra
from concolor.graph.families import family
from concolor.learning import hooks
from concolor.learning.hooks import TensorBoard
from concolor.learning.recipe import Recipe
from concolor.learning.train import train
from concolor.learning.validation import Validator
from concolor.solvers.greedy import dsatur

GRAPHS = [family(f"cycle:{n}") for n in range(10, 16)]
JUDGES = [family("cycle:21"), family("wheel:9")]
RECIPE = Recipe(
    features="random", pipeline="v2abs", hidden=8, feature_dim=4, epochs=6, batch_size=3
)


@pytest.mark.slow
def test_a_hook_hears_of_every_epoch_and_changes_nothing():
    seen = []
    watched = train(
        RECIPE, GRAPHS, device="cpu", hook=seen.append, validator=Validator(JUDGES, every=2)
    )
    alone = train(RECIPE, GRAPHS, device="cpu")
    assert watched.history.losses == alone.history.losses
    for mine, theirs in zip(watched.network.parameters(), alone.network.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert [at.epoch for at in seen] == [1, 2, 3, 4, 5, 6]
    assert [at.loss for at in seen] == pytest.approx(list(alone.history.losses))
    assert all(sum(at.parts.values()) == pytest.approx(at.loss, abs=1e-5) for at in seen)
    assert [at.validation is not None for at in seen] == [False, True] * 3
    assert {at.epochs for at in seen} == {6} and seen[-1].step == alone.history.steps


@pytest.mark.slow
def test_a_hook_stops_a_training():
    found = train(RECIPE, GRAPHS, device="cpu", hook=lambda at: at.epoch == 2)
    assert found.history.stopped == "hook" and len(found.history.losses) == 2


@pytest.mark.slow
def test_validation_is_the_rule_of_the_tables():
    model = train(RECIPE, GRAPHS, device="cpu")
    k_max, rows = 3, []
    for graph in JUDGES:
        found = cc_sweep(model, graph, k_max)
        k, hit, greedy = found.k_star(), found.hit(), dsatur(graph).k
        reached = k if hit else k_max + 1
        rows.append((k, k / greedy, found.mono(k), hit, reached, reached / greedy))
    figures = Validator(JUDGES, k_max=k_max).of(model)
    assert list(asdict(figures).values()) == pytest.approx(np.mean(rows, axis=0).tolist())


def cc_sweep(model, graph, k_max):
    from concolor.learning.embedder import sweep_of

    z = model.embed(graph, seed=model.recipe.seed)
    return sweep_of(model.recipe, graph, z, max_mono=0.05, k_max=k_max)


def test_when_validation_is_due():
    sometimes = Validator(JUDGES, every=4)
    assert [e for e in range(1, 11) if sometimes.is_due(e, 10)] == [4, 8, 10]
    rarer = [e for e in range(1, 201) if Validator(JUDGES).is_due(e, 200)]
    assert rarer[0] == 1 and rarer[-1] == 200 and len(rarer) < 60


def test_validation_needs_graphs():
    with pytest.raises(InputError, match="no graphs to validate on"):
        Validator([])
    with pytest.raises(InputError, match="at least 1 epoch"):
        Validator(JUDGES, every=0)


@pytest.mark.slow
def test_event_files_hold_every_curve(tmp_path):
    board = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    hook = TensorBoard(tmp_path / "run")
    assert not (tmp_path / "run").exists()  # nothing before the first epoch
    model = train(RECIPE, GRAPHS, device="cpu", hook=hook, validator=Validator(JUDGES, every=3))
    hook.close()
    events = board.EventAccumulator(str(tmp_path / "run"))
    events.Reload()
    tags = set(events.Tags()["scalars"])
    assert {"loss", "bound", "lr", "parts/contrastive", "parts/soft"} <= tags
    assert {"validation/rho", "validation/k", "validation/mono", "validation/hit"} <= tags
    losses = [event.value for event in events.Scalars("loss")]
    assert losses == pytest.approx(list(model.history.losses), rel=1e-5)
    assert [event.step for event in events.Scalars("validation/rho")] == [3, 6]


def test_where_tensorboard_is_missing_the_extra_is_named(tmp_path, monkeypatch):
    def missing():
        raise MissingExtra("event files need tensorboard")

    monkeypatch.setattr(hooks, "_writer", missing)
    with pytest.raises(MissingExtra, match="tensorboard"):
        TensorBoard(tmp_path)
