"""The one training loop: repeatable, resumable, stoppable."""

import os
import signal
import threading
from itertools import pairwise

import numpy as np
import pytest
import torch

from concolor.encoders import ENCODERS
from concolor.errors import InputError, ModelError, UnknownName
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.learning import train as loop
from concolor.learning.checkpoint import load_state
from concolor.learning.losses import contrastive
from concolor.learning.model import Network
from concolor.learning.recipe import PIPELINES, Recipe
from concolor.learning.train import learning_rate, train

CYCLES = [family(f"cycle:{n}") for n in range(10, 17)]
SMALL = Recipe(pipeline="v1abs", hidden=16, epochs=4, batch_size=3, feature_dim=8)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.network.state_dict().values()])


def test_a_seed_repeats_a_run_bit_for_bit_and_leaves_torch_alone():
    torch.manual_seed(1)
    first = train(SMALL, CYCLES)
    drawn = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(drawn, torch.rand(1))
    torch.manual_seed(2)
    assert torch.equal(weights(first), weights(train(SMALL, CYCLES)))
    assert not torch.equal(weights(first), weights(train(SMALL.but(seed=1), CYCLES)))


def test_the_loss_falls_and_stays_above_the_bound():
    history = train(SMALL.but(epochs=30), CYCLES).history
    assert history.losses[-1] < history.losses[0] - 0.05
    assert min(history.losses) > history.bound
    assert (len(history.losses), history.steps, history.stopped) == (30, 90, "")


@pytest.mark.parametrize("stop_at", [1, 4, 7])
def test_going_on_after_a_stop_is_the_same_as_no_stop(stop_at, tmp_path):
    file = tmp_path / "m.checkpoint"

    def interrupt(progress):
        if progress.step == stop_at:
            os.kill(os.getpid(), signal.SIGINT)

    stopped = train(SMALL, CYCLES, checkpoint=file, progress=interrupt)
    assert (stopped.history.stopped, stopped.history.steps) == ("interrupted", stop_at)
    resumed = train(SMALL, CYCLES, checkpoint=file, resume=True)
    whole = train(SMALL, CYCLES)
    assert torch.equal(weights(resumed), weights(whole))
    assert resumed.history.losses == whole.history.losses
    assert not torch.equal(weights(stopped), weights(whole))


def test_a_killed_run_leaves_a_checkpoint_to_go_on_from(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", 0.0)  # after every step
    file = tmp_path / "m.checkpoint"

    class Killed(Exception):
        pass

    def kill(progress):
        if progress.step == 6:
            raise Killed

    with pytest.raises(Killed):
        train(SMALL, CYCLES, checkpoint=file, progress=kill)
    resumed = train(SMALL, CYCLES, checkpoint=file, resume=True)
    assert torch.equal(weights(resumed), weights(train(SMALL, CYCLES)))


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    file = tmp_path / "m.checkpoint"
    train(SMALL, CYCLES, checkpoint=file, time_limit=0)
    with pytest.raises(ModelError, match="another recipe, other graphs or other labels"):
        train(SMALL.but(tau=0.4), CYCLES, checkpoint=file, resume=True)
    with pytest.raises(ModelError, match="another recipe"):
        train(SMALL, CYCLES[1:], checkpoint=file, resume=True)
    network = Network(SMALL, 8, 3)
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        load_state(file, network, torch.optim.AdamW(network.parameters()), "")


def test_more_training_begins_where_a_model_ended():
    first = train(SMALL.but(epochs=30), CYCLES)
    same = train(SMALL.but(epochs=0), CYCLES, start=first)
    more = train(SMALL.but(epochs=1), CYCLES, start=first)
    assert torch.equal(weights(same), weights(first))
    assert not torch.equal(weights(more), weights(first))
    assert more.history.losses[0] < train(SMALL.but(epochs=1), CYCLES).history.losses[0] - 0.03
    assert len(first.history.losses) == 30  # the model to start from is left as it is


def test_features_that_were_fitted_go_along():
    x = np.random.default_rng(0).normal(size=(16, 30)).astype(np.float32)
    here, there = (family("cycle:16").but(x=scale * x) for scale in (1, -3))
    recipe = SMALL.but(features="pca", feature_dim=8, epochs=1)
    first = train(recipe, [here])
    second = train(recipe, [there], start=first)
    np.testing.assert_array_equal(second.features(here), first.features(here))
    assert not np.allclose(train(recipe, [there]).features(here), first.features(here))


def test_a_model_that_does_not_fit_is_no_start():
    first = train(SMALL.but(epochs=0), CYCLES)
    with pytest.raises(ModelError, match="another network"):
        train(SMALL.but(hidden=8), CYCLES, start=first)
    with pytest.raises(ModelError, match="must be those of the model"):
        train(SMALL.but(features="structural"), CYCLES, start=first)
    with pytest.raises(ModelError, match="another network"):  # it has no color head
        train(SMALL.but(pipeline="v2abs"), CYCLES, start=first)
    head = train(SMALL.but(pipeline="v2abs", epochs=0), [family("cycle:8")])
    with pytest.raises(ModelError, match="have 3 colors, but the color head"):
        train(SMALL.but(pipeline="v2abs"), CYCLES, start=head)


def test_a_checkpoint_is_of_one_start(tmp_path):
    file, first = tmp_path / "m.checkpoint", train(SMALL.but(epochs=1), CYCLES)
    whole = train(SMALL, CYCLES, start=first)
    stopped = train(SMALL, CYCLES, start=first, checkpoint=file, time_limit=0)
    assert stopped.history.stopped == "time limit"
    with pytest.raises(ModelError, match="another recipe"):
        train(SMALL, CYCLES, checkpoint=file, resume=True)
    resumed = train(SMALL, CYCLES, start=first, checkpoint=file, resume=True)
    assert torch.equal(weights(resumed), weights(whole))


def test_the_time_limit_keeps_what_was_learned():
    model = train(SMALL.but(epochs=10**6), CYCLES, time_limit=0.2)
    assert model.history.stopped == "time limit"
    assert model.history.steps >= 1
    assert np.isfinite(model.embed(CYCLES[0])).all()


def test_training_works_off_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(train(SMALL, CYCLES)))
    thread.start()
    thread.join()
    assert found[0].history.steps == 12


def test_chunked_anchors_change_nothing_but_rounding(monkeypatch):
    from concolor.learning import losses

    graph = [family("er:120x0.05", seed=1)]
    recipe = SMALL.but(epochs=3)
    whole = train(recipe, graph)
    monkeypatch.setattr(losses, "BLOCK", 50)
    chunked = train(recipe, graph)
    assert chunked.history.losses == pytest.approx(whole.history.losses, rel=1e-5)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_pipeline_trains(pipeline):
    rng = np.random.default_rng(0)
    graphs = [g.but(x=rng.random((g.n, 5))) for g in CYCLES]
    model = train(SMALL.but(pipeline=pipeline, feature_dim=None, epochs=2), graphs)
    assert model.recipe.features == PIPELINES[pipeline].features
    assert (model.network.head is not None) == PIPELINES[pipeline].soft
    assert np.isfinite(model.history.losses).all()
    assert min(model.history.losses) >= model.history.bound
    np.testing.assert_allclose(np.linalg.norm(model.embed(graphs[0]), axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_every_encoder_trains(encoder):
    model = train(SMALL.but(encoder=encoder, epochs=1), CYCLES)
    assert np.isfinite(model.history.losses).all()


def test_signnet_makes_the_embedding_of_an_absolute_model():
    model = train(SMALL.but(signnet=True), CYCLES)
    assert np.isfinite(model.embed(CYCLES[0])).all()


def test_the_soft_term_waits_for_its_warmup():
    recipe = SMALL.but(pipeline="v2abs", epochs=1)
    with_head = train(recipe.but(warmup=5), CYCLES)
    at_once = train(recipe, CYCLES)
    assert at_once.history.losses[0] > with_head.history.losses[0] + 0.03


def test_redrawn_features_change_the_run():
    assert train(SMALL, CYCLES).history != train(SMALL.but(redraw=True), CYCLES).history


def test_the_learning_rate_falls_along_half_a_cosine_to_nothing():
    recipe = SMALL.but(lr=0.4, decay=True)
    rates = [learning_rate(recipe, done) for done in np.linspace(0, 1, 101)]
    assert rates[0] == 0.4
    assert rates[-1] == pytest.approx(0, abs=1e-12)
    assert all(after < before for before, after in pairwise(rates))
    np.testing.assert_allclose(np.add(rates, rates[::-1]), 0.4)  # fast in the middle
    assert {learning_rate(SMALL.but(lr=0.4), done) for done in (0, 0.3, 1)} == {0.4}


def test_steps_grow_small_with_the_learning_rate():
    def last(recipe):
        """The length of the last of twelve steps."""
        before, after = (weights(train(recipe, CYCLES, progress=_stop_at(s))) for s in (11, 12))
        return float((after - before).norm())

    assert last(SMALL.but(decay=True)) < last(SMALL) / 5


def _stop_at(step):
    def stop(progress):
        if progress.step == step:
            os.kill(os.getpid(), signal.SIGINT)

    return stop


def test_clipping_shortens_long_gradients_and_leaves_short_ones():
    lengths = []

    class Spy(torch.optim.SGD):
        def step(self, closure=None):
            grads = [p.grad for group in self.param_groups for p in group["params"]]
            lengths.append(float(torch.cat([g.flatten() for g in grads]).norm()))
            return super().step(closure)

    def run(clip):
        lengths.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.optim, "AdamW", Spy)
            return weights(train(SMALL.but(clip=clip), CYCLES)), max(lengths)

    free, longest = run(None)
    same, _ = run(2 * longest)
    clipped, cut = run(longest / 10)
    assert torch.equal(free, same)
    assert cut == pytest.approx(longest / 10, rel=1e-4)
    assert not torch.equal(free, clipped)


@pytest.mark.parametrize("stop_at", [1, 5])
def test_going_on_repeats_drawn_steps_decay_and_clipping(stop_at, tmp_path):
    recipe = SMALL.but(encoder="gated_rnn", layers=6, decay=True, clip=0.1, relabel=1)
    file = tmp_path / "m.checkpoint"
    train(recipe, CYCLES, checkpoint=file, progress=_stop_at(stop_at))
    resumed = train(recipe, CYCLES, checkpoint=file, resume=True)
    whole = train(recipe, CYCLES)
    assert torch.equal(weights(resumed), weights(whole))


@pytest.mark.parametrize("pipeline", ["v1", "v1abs", "v2abs"])
def test_labels_that_follow_the_embedding_are_easier_to_learn(pipeline):
    recipe = SMALL.but(pipeline=pipeline, epochs=20, redraw=True, lambda_soft=0.0)
    graphs = [family("er:30x0.15", seed=seed) for seed in range(6)]
    fixed, following = (train(recipe.but(relabel=start), graphs).history for start in (None, 5))
    assert following.losses[:5] == fixed.losses[:5]
    assert following.losses[-1] < fixed.losses[-1] - 0.02
    assert min(following.losses) > following.bound


def test_graphs_without_attributes_fall_back_to_random_features():
    assert train(SMALL.but(pipeline="v1", epochs=0), CYCLES).recipe.features == "random"
    with pytest.raises(InputError, match="random"):
        train(SMALL.but(features="bow"), CYCLES)


def test_no_epochs_give_an_untrained_model():
    assert train(SMALL.but(epochs=0), CYCLES).history.losses == ()


def test_what_cannot_be_trained_on_is_refused():
    with pytest.raises(InputError, match="no graphs"):
        train(SMALL, [])
    with pytest.raises(InputError, match="nothing to learn"):
        train(SMALL, [Graph.from_edges(3, [])])
    with pytest.raises(UnknownName, match="gated_gcn"):
        train(SMALL.but(encoder="gated_gnc"), CYCLES)
    with pytest.raises(InputError, match="not proper"):
        train(SMALL, [family("cycle:4")], labels=[[0, 0, 1, 1]])
    with pytest.raises(InputError, match="device 'tpu' is not usable"):
        train(SMALL, CYCLES, device="tpu")


def test_training_that_diverges_says_so_and_what_to_do():
    with pytest.raises(ModelError, match=r"diverged at step \d of 12.*lower lr \(now 1e\+30\)"):
        train(SMALL.but(lr=1e30), CYCLES)


def test_a_decoder_that_does_not_exist_is_refused_before_training():
    with pytest.raises(UnknownName, match="did you mean 'lines'"):
        train(SMALL.but(decoder="linse"), CYCLES)


def test_a_graph_without_edges_may_be_among_the_graphs():
    model = train(SMALL, [*CYCLES, Graph.from_edges(5, []), Graph.from_edges(1, [])])
    assert np.isfinite(model.history.losses).all()


def test_the_objective_of_v1_is_the_contrastive_loss():
    from concolor.learning.train import Batch, objective

    graph = family("cycle:8")
    network = Network(SMALL.but(pipeline="v1"), 3, 2).eval()
    x, edges = torch.rand(8, 3), torch.tensor(graph.edge_index)
    colors, one = torch.arange(8) % 2, torch.zeros(8, dtype=torch.long)
    value = objective(SMALL.but(pipeline="v1"), network, Batch(x, edges, colors, one, 1))
    torch.testing.assert_close(value, contrastive(network(x, edges), edges, colors, 0.3))
