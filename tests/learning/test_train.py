"""The one training loop: repeatable, resumable, stoppable."""

import os
import signal
import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from concolor.colorer import Colorer
from concolor.decoding import Clustering, Decoder, canonicalize
from concolor.encoders import ENCODERS, Encoder, build
from concolor.errors import InputError, Interrupted, ModelError, UnknownName
from concolor.features import Feature
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.learning.checkpoint import load_state
from concolor.learning.model import Network
from concolor.learning.pipelines import PIPELINES
from concolor.learning.recipe import Recipe
from concolor.learning.train import learning_rate, train
from concolor.solvers import solve
from concolor.solvers.greedy import dsatur

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


@pytest.mark.slow
def test_a_seed_repeats_a_run_bit_for_bit_and_leaves_torch_alone():
    torch.manual_seed(1)
    first = train(SMALL, CYCLES)
    drawn = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(drawn, torch.rand(1))
    torch.manual_seed(2)
    assert torch.equal(weights(first), weights(train(SMALL, CYCLES)))
    assert not torch.equal(weights(first), weights(train(SMALL.but(seed=1), CYCLES)))


@pytest.mark.slow
def test_the_loss_falls_and_stays_above_the_bound():
    history = train(SMALL.but(epochs=30), CYCLES).history
    assert history.losses[-1] < history.losses[0] - 0.05
    assert min(history.losses) > history.bound
    assert (len(history.losses), history.steps, history.stopped) == (30, 90, "")


@pytest.mark.slow
@pytest.mark.parametrize("stop_at", [1, 4, 7])
def test_going_on_after_a_stop_is_the_same_as_no_stop(stop_at, tmp_path):
    file = tmp_path / "m.checkpoint"

    part = stopped(SMALL, at=stop_at, checkpoint=file)
    assert (part.history.stopped, part.history.steps) == ("interrupted", stop_at)
    resumed = train(SMALL, CYCLES, checkpoint=file, resume=True)
    whole = train(SMALL, CYCLES)
    assert torch.equal(weights(resumed), weights(whole))
    assert resumed.history.losses == whole.history.losses
    assert not torch.equal(weights(part), weights(whole))


@pytest.mark.slow
def test_ctrl_c_in_the_last_step_comes_with_the_whole_model():
    with pytest.raises(Interrupted) as stop:
        train(SMALL, CYCLES, progress=_stop_at(12))
    whole = stop.value.best
    assert (whole.history.stopped, whole.history.steps) == ("", 12)
    assert torch.equal(weights(whole), weights(train(SMALL, CYCLES)))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_before_the_first_step_passes_through():
    def labels(graph):
        os.kill(os.getpid(), signal.SIGINT)
        return dsatur(graph)

    with pytest.raises(KeyboardInterrupt) as stop:
        train(SMALL, CYCLES, labels=labels)
    assert not isinstance(stop.value, Interrupted)


def test_the_second_ctrl_c_does_not_wait_for_the_step():
    def twice(progress):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as stop:
        train(SMALL, CYCLES, progress=twice)
    assert not isinstance(stop.value, Interrupted)


@pytest.mark.slow
def test_a_killed_run_leaves_a_checkpoint_to_go_on_from(tmp_path):
    file = tmp_path / "m.checkpoint"

    class Killed(Exception):
        pass

    def kill(progress):
        if progress.step == 6:
            raise Killed

    with pytest.raises(Killed):
        train(SMALL, CYCLES, checkpoint=file, checkpoint_every=0.0, progress=kill)
    resumed = train(SMALL, CYCLES, checkpoint=file, resume=True)
    assert torch.equal(weights(resumed), weights(train(SMALL, CYCLES)))


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    file = tmp_path / "m.checkpoint"
    train(SMALL, CYCLES, checkpoint=file, time_limit=0)
    with pytest.raises(ModelError, match="another recipe, other graphs, other labels or"):
        train(SMALL.but(tau=0.4), CYCLES, checkpoint=file, resume=True)
    with pytest.raises(ModelError, match="another recipe"):
        train(SMALL, CYCLES[1:], checkpoint=file, resume=True)
    network = Network(SMALL, 8, 3)
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        load_state(file, network, torch.optim.AdamW(network.parameters()), "")


@pytest.mark.slow
def test_more_training_begins_where_a_model_ended():
    first = train(SMALL.but(epochs=30), CYCLES)
    same = train(SMALL.but(epochs=0), CYCLES, start=first)
    more = train(SMALL.but(epochs=1, held_out=0), CYCLES, start=first)
    assert torch.equal(weights(same), weights(first))
    assert not torch.equal(weights(more), weights(first))
    assert more.history.losses[0] < train(SMALL.but(epochs=1), CYCLES).history.losses[0] - 0.03
    assert len(first.history.losses) == 30  # the model to start from is left as it is


@pytest.mark.slow
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


def worded(x):
    """The cycles with node features of their own, 5 columns."""
    return [g.but(x=x(np.random.default_rng(g.n).random((g.n, 5)))) for g in CYCLES]


@pytest.mark.slow
@pytest.mark.parametrize("stored", [np.array, sp.csr_array])
def test_a_checkpoint_is_of_one_set_of_node_features(stored, tmp_path):
    file, recipe = tmp_path / "m.checkpoint", SMALL.but(features="hash")
    train(recipe, worded(stored), checkpoint=file, time_limit=0)
    for other in (worded(lambda x: stored(2 * x)), worded(lambda x: stored(x[::-1]))):
        with pytest.raises(ModelError, match="another recipe, other graphs, other labels or"):
            train(recipe, other, checkpoint=file, resume=True)
    resumed = train(recipe, worded(stored), checkpoint=file, resume=True)
    assert torch.equal(weights(resumed), weights(train(recipe, worded(stored))))


@pytest.mark.slow
def test_a_checkpoint_is_of_the_features_and_slots_of_its_start(tmp_path):
    file, recipe = tmp_path / "m.checkpoint", SMALL.but(features="pca")
    graphs = worded(np.array)
    start = train(recipe.but(epochs=0), graphs)
    basis = replace(start.features.basis, mean=start.features.basis.mean + 1)
    moved = replace(start, features=replace(start.features, basis=basis))
    train(recipe, graphs, start=start, checkpoint=file, time_limit=0)
    for other in (moved, replace(start, slots=start.slots + 1)):
        with pytest.raises(ModelError, match="another recipe"):
            train(recipe, graphs, start=other, checkpoint=file, resume=True)
    train(recipe, graphs, start=start, checkpoint=file, resume=True)


@pytest.mark.slow
def test_a_checkpoint_is_of_one_start(tmp_path):
    file, first = tmp_path / "m.checkpoint", train(SMALL.but(epochs=1), CYCLES)
    whole = train(SMALL, CYCLES, start=first)
    part = train(SMALL, CYCLES, start=first, checkpoint=file, time_limit=0)
    assert part.history.stopped == "time limit"
    with pytest.raises(ModelError, match="another recipe"):
        train(SMALL, CYCLES, checkpoint=file, resume=True)
    resumed = train(SMALL, CYCLES, start=first, checkpoint=file, resume=True)
    assert torch.equal(weights(resumed), weights(whole))


@pytest.mark.slow
def test_the_time_limit_keeps_what_was_learned():
    model = train(SMALL.but(epochs=10**6), CYCLES, time_limit=0.2)
    assert model.history.stopped == "time limit"
    assert model.history.steps >= 1
    assert np.isfinite(model.embed(CYCLES[0])).all()


@pytest.mark.slow
def test_training_works_off_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(train(SMALL, CYCLES)))
    thread.start()
    thread.join()
    assert found[0].history.steps == 12


@pytest.mark.slow
def test_chunked_anchors_change_nothing_but_rounding(monkeypatch):
    from concolor.learning import losses

    graph = [family("er:120x0.05", seed=1)]
    recipe = SMALL.but(epochs=3)
    whole = train(recipe, graph)
    monkeypatch.setattr(losses, "BLOCK", 50)
    chunked = train(recipe, graph)
    assert chunked.history.losses == pytest.approx(whole.history.losses, rel=1e-5)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("features", ["random", "spectral"])
def test_every_encoder_trains(encoder, features):
    model = train(SMALL.but(encoder=encoder, features=features, epochs=1, redraw=True), CYCLES)
    assert np.isfinite(model.history.losses).all()
    np.testing.assert_allclose(np.linalg.norm(model.embed(CYCLES[0]), axis=1), 1, atol=1e-5)


@pytest.mark.slow
def test_signnet_makes_the_embedding_of_an_absolute_model():
    model = train(SMALL.but(signnet=True), CYCLES)
    assert np.isfinite(model.embed(CYCLES[0])).all()


def test_the_soft_term_waits_for_its_warmup():
    recipe = SMALL.but(pipeline="v2abs", epochs=1)
    with_head = train(recipe.but(warmup=5), CYCLES)
    at_once = train(recipe, CYCLES)
    assert at_once.history.losses[0] > with_head.history.losses[0] + 0.03


@pytest.mark.slow
def test_redrawn_features_change_the_run():
    assert train(SMALL, CYCLES).history != train(SMALL.but(redraw=True), CYCLES).history


def test_the_learning_rate_falls_along_half_a_cosine_to_nothing():
    rates = [learning_rate(0.4, done, decay=True) for done in np.linspace(0, 1, 101)]
    assert rates[0] == 0.4
    assert rates[-1] == pytest.approx(0, abs=1e-12)
    assert all(after < before for before, after in pairwise(rates))
    np.testing.assert_allclose(np.add(rates, rates[::-1]), 0.4)  # fast in the middle
    assert {learning_rate(0.4, done) for done in (0, 0.3, 1)} == {0.4}


@pytest.mark.slow
def test_steps_grow_small_with_the_learning_rate():
    def last(recipe):
        """The length of the last of twelve steps."""
        before, after = (weights(stopped(recipe, at=step)) for step in (11, 12))
        return float((after - before).norm())

    assert last(SMALL.but(decay=True)) < last(SMALL) / 5


def stopped(recipe, *, at, checkpoint=None):
    """The model that Ctrl-C leaves after so many steps."""
    with pytest.raises(Interrupted) as stop:
        train(recipe, CYCLES, checkpoint=checkpoint, progress=_stop_at(at))
    return stop.value.best


def _stop_at(step):
    def stop(progress):
        if progress.step == step:
            os.kill(os.getpid(), signal.SIGINT)

    return stop


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("stop_at", [1, 5])
def test_going_on_repeats_drawn_steps_decay_and_clipping(stop_at, tmp_path):
    recipe = SMALL.but(encoder="gated_rnn", layers=6, decay=True, clip=0.1, relabel=1)
    file = tmp_path / "m.checkpoint"
    stopped(recipe, at=stop_at, checkpoint=file)
    resumed = train(recipe, CYCLES, checkpoint=file, resume=True)
    whole = train(recipe, CYCLES)
    assert torch.equal(weights(resumed), weights(whole))


@pytest.mark.slow
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


def degrees(graph, dim, seed):
    """Degrees and noise."""
    noise = np.random.default_rng(seed).random((graph.n, dim - 1))
    return np.concatenate([graph.degrees[:, None], noise], axis=1)


def shallow(sizes):
    """gated_gcn with one layer."""
    return build("gated_gcn", replace(sizes, layers=1))


def halves(z, seed):
    """Every clustering is the first k coordinates' largest."""
    return lambda k: Clustering(np.abs(z[:, :k]).argmax(axis=1).astype(np.int32), np.eye(k))


def smallest_last(graph):
    """Greedy, from the core outwards."""
    return solve(graph, "smallest-last").coloring


OWN = SMALL.but(
    encoder=shallow, features=degrees, feature_dim=3, labels=smallest_last, decoder=halves
)


@pytest.mark.slow
def test_functions_of_the_users_own_train_embed_and_decode():
    colorer = Colorer(OWN).fit(CYCLES)
    named = OWN.but(encoder="gated_gcn", layers=1, decoder="lines")
    assert torch.equal(weights(colorer.model), weights(train(named, CYCLES)))
    z = colorer.embed(CYCLES[0])
    assert z.shape == (10, 16)
    found = colorer.sweep(CYCLES[0], k_max=4, max_mono=0)
    np.testing.assert_array_equal(
        found.colors[2], np.abs(canonicalize(z)[:, :2]).argmax(axis=1).astype(np.int32)
    )


@pytest.mark.slow
def test_entries_of_the_users_own_train_as_their_functions_do():
    entries = OWN.but(
        encoder=Encoder("", shallow),
        features=Feature("", degrees, 3, stochastic=True),
        decoder=Decoder("", halves, sees_lines=True),
    )
    assert torch.equal(weights(train(entries, CYCLES)), weights(train(OWN, CYCLES)))


def test_labels_of_the_users_own_are_what_is_learned():
    def rainbow(graph):
        return np.arange(graph.n)

    model = train(SMALL.but(pipeline="v2abs", labels=rainbow, epochs=1), CYCLES)
    assert model.slots == 16  # the longest cycle has as many nodes, each with its own color


def test_features_of_another_width_than_asked_for_are_refused():
    def two(graph, dim, seed):
        return np.ones((graph.n, 2))

    with pytest.raises(InputError, match=r"two gave .* shape \(10, 2\) .*expected \(10, 8\); set"):
        train(SMALL.but(features=two), CYCLES)
    assert train(SMALL.but(features=two, feature_dim=2, epochs=1), CYCLES).features.channels == 2
