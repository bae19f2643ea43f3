"""Several processes learn what one would, and end together."""

import json
import os
import shutil
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
import torch

import trained_together
from concolor.device import choose_device
from concolor.encoders import ENCODERS
from concolor.errors import ConcolorError, InputError
from concolor.learning.batches import TrainingData
from concolor.learning.ranks import ALONE, Ranks, together
from concolor.learning.recipe import Recipe, settle
from concolor.learning.train import FeatureMap, label, train
from shell import concolor
from trained_together import CASES, GRAPHS, SMALL

SCRIPT = trained_together.__file__
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}


def torchrun(processes, *words, **streams):
    """A process of torchrun, on a free port of its own."""
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    start += [f"--nproc-per-node={processes}", *map(str, words)]
    return subprocess.Popen(start, env=ENVIRONMENT, text=True, **streams)


def by_rank(processes, folder, *words):
    """What every rank of a torchrun of the script wrote."""
    process = torchrun(processes, SCRIPT, folder, *words, stderr=subprocess.PIPE)
    _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return [json.loads((folder / f"{processes}-{r}.json").read_text()) for r in range(processes)]


@pytest.fixture(scope="module")
def one():
    """What one process makes of it."""
    torch.set_num_threads(1)
    words = ("cases", "more", "labels")
    return {word: getattr(trained_together, word)(ALONE, None) for word in words}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where two ranks write; a checkpoint of one process is there for them."""
    folder = tmp_path_factory.mktemp("two")
    trained_together.cut(ALONE, folder)
    (folder / "cut").rename(folder / "resumed")
    return folder


@pytest.fixture(scope="module")
def two(folder):
    """What two ranks make of it, each of them."""
    words = ("cases", "more", "labels", "cut", "pressed", "resumed", "refused")
    return by_rank(2, folder, *words)


def assert_alike(found, expected, *, weights=True):
    """The same losses and the same weights, but for rounding."""
    assert found["losses"] == pytest.approx(expected["losses"], abs=1e-5, rel=1e-5)
    if weights:
        assert found["weights"] == pytest.approx(expected["weights"], abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_two_ranks_have_the_losses_of_one(case, one, two):
    first, second = (rank["cases"][case] for rank in two)
    # a bias before batch norm has no slope but rounding, of which Adam makes steps all the same
    assert_alike(first, one["cases"][case], weights=case != "batch norm")
    assert first == second
    assert len(set(first["losses"])) == 3


@pytest.mark.slow
def test_the_first_rank_judges_for_all(one, two):
    first, second = (rank["more"] for rank in two)
    assert first == second
    assert_alike(first, one["more"])
    assert first["judged"] == pytest.approx(one["more"]["judged"])
    assert first["judged"][0] == 2


@pytest.mark.slow
def test_every_label_is_computed_once(one, two):
    assert sorted(chain(*(rank["labels"]["seen"] for rank in two))) == list(range(len(GRAPHS)))
    assert all(len(rank["labels"]["seen"]) >= len(GRAPHS) // 2 for rank in two)
    assert_alike(two[1]["labels"], one["labels"])


@pytest.mark.slow
def test_a_time_limit_and_ctrl_c_at_one_rank_end_all_after_the_same_step(two):
    for rank in two:
        assert (rank["cut"]["stopped"], rank["cut"]["steps"]) == ("time limit", 1)
        assert (rank["pressed"]["stopped"], rank["pressed"]["steps"]) == ("interrupted", 4)
    assert two[0]["pressed"] == two[1]["pressed"]


@pytest.mark.slow
def test_an_error_of_one_rank_is_raised_at_all_and_unlike_ranks_are_refused(two):
    unlike = "the 2 processes were given unlike recipes, graphs or labels"
    assert [rank["refused"] for rank in two] == [["no label for this one", unlike]] * 2


@pytest.mark.slow
def test_a_training_goes_on_with_any_number_of_ranks(one, two, folder, tmp_path):
    whole = one["cases"]["gated_gcn with dropout"]
    assert_alike(two[0]["resumed"], whole)  # one, then two
    for name in ("cut", "pressed"):  # two, then one
        shutil.copy(folder / name, folder / f"{name}.copy")
        model = train(SMALL, GRAPHS, checkpoint=folder / f"{name}.copy", resume=True)
        assert_alike(trained_together.told(model), whole)
    shutil.copy(folder / "pressed", tmp_path / "resumed")
    ranks = by_rank(3, tmp_path, "resumed")  # two, then three
    assert_alike(ranks[2]["resumed"], whole)
    assert ranks[0] == ranks[1] == ranks[2]


@pytest.mark.slow
def test_ctrl_c_on_the_command_line_saves_the_model_and_ends_all(tmp_path):
    words = ["train", "cycle:12", "cycle:13", "cycle:14", "--set", "hidden=8", "--set", "layers=2"]
    words += ["--set", "epochs=1000000", "-o", str(tmp_path / "m"), "--json", "--threads", "1"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = torchrun(2, "-m", "concolor", *words, **streams)
    for line in process.stderr:
        if line.startswith("training"):
            process.send_signal(signal.SIGINT)  # torchrun hands it on
            break
    out, err = process.communicate(timeout=60)
    found = json.loads(out)  # one object: the first rank's
    assert found["stopped"] == "interrupted" and found["steps"] > 0
    assert err.count("concolor: interrupted") == 2  # exit code 130 at both
    assert process.returncode != 0 and "Warning" not in err
    assert {path.name for path in tmp_path.iterdir()} == {"m", "m.checkpoint"}

    code, out, _ = concolor(*words, "--resume", "--time-limit", "0")
    assert (code, json.loads(out)["steps"]) == (0, found["steps"] + 1)


@pytest.mark.parametrize("world", [1, 2, 3, 7])
@pytest.mark.parametrize("epoch", [0, 1])
def test_ranks_divide_each_step(world, epoch):
    settled = settle(SMALL, GRAPHS)
    features = FeatureMap.fit(settled.features, GRAPHS, dim=8)
    colors, cpu = label(GRAPHS), torch.device("cpu")

    def batches(ranks):
        data = TrainingData(settled, GRAPHS, colors, features, cpu, ranks)
        return [data.batch(epoch, place) for place in range(data.steps_per_epoch)]

    parts = [batches(Ranks(rank, world)) for rank in range(world)]
    for whole, *shares in zip(batches(ALONE), *parts, strict=True):
        own = [share for share in shares if share.share]
        assert sum(share.share for share in shares) == pytest.approx(1)
        assert torch.equal(torch.cat([share.x for share in own]), whole.x)
        assert torch.equal(torch.cat([share.colors for share in own]), whole.colors)
        assert max(share.graphs for share in own) - min(share.graphs for share in own) <= 1
        for share in shares:  # also of those that count for nothing
            rows = slice(share.start, share.start + len(share.x))
            assert torch.equal(whole.x[rows], share.x)
            assert (share.step_graphs, share.step_nodes) == (whole.graphs, len(whole.x))


def test_a_process_that_torchrun_did_not_start_is_alone(monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.setenv(name, "1")  # of some other launcher
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    with together() as ranks:
        assert ranks == ALONE
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    assert Ranks.here() == Ranks(1, 1, 1)


def test_a_machine_without_gpus_enough_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert Ranks(3, 4, 1).device("auto") == torch.device("cuda", 1)
    assert Ranks(3, 4, 3).device("cpu") == torch.device("cpu")
    assert ALONE.device("cuda:1", amp=True) == torch.device("cuda", 1)
    with pytest.raises(InputError, match="process 3 on this machine has no GPU of its own, ther"):
        Ranks(2, 3, 2).device("cuda")
    with pytest.raises(InputError, match="device 'cuda:1' cannot be that of 2 processes"):
        Ranks(0, 2).device("cuda:1")


def test_a_lost_process_is_one_line(monkeypatch):
    import torch.distributed as dist

    monkeypatch.setattr(Ranks, "here", classmethod(lambda cls: cls(0, 2)))
    monkeypatch.setattr(dist, "init_process_group", lambda *_, **__: None)
    monkeypatch.setattr(dist, "destroy_process_group", lambda: None)
    with pytest.raises(ConcolorError, match="another one ended"), together("cpu"):
        raise RuntimeError("[gloo/transport/tcp/pair.cc] Connection closed by peer")
    with pytest.raises(RuntimeError, match="a bug"), together("cpu"):
        raise RuntimeError("a bug")


no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


@no_gpu
def test_mixed_precision_without_a_gpu_is_refused(tmp_path):
    code, out, err = concolor("train", "cycle:5", "--amp", "-o", tmp_path / "m")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "mixed precision (amp) needs a GPU with CUDA" in err and "is cpu here" in err
    with pytest.raises(InputError, match="mixed precision"):
        train(SMALL, GRAPHS, amp=True, device="cpu")


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ENCODERS)
def test_every_encoder_can_multiply_in_16_bits(encoder, monkeypatch, tmp_path):
    """The way that a GPU would go, on a CPU: types fit, and what is learned is about the same."""
    monkeypatch.setattr(Ranks, "device", lambda self, name, amp=False: choose_device("cpu"))
    recipe = Recipe(
        pipeline="v2abs", encoder=encoder, hidden=16, epochs=2, batch_size=6, dropout=0.0, clip=1.0
    )
    short = train(recipe, GRAPHS, amp=True).history.losses
    assert short == pytest.approx(train(recipe, GRAPHS).history.losses, abs=0.01)
    assert short != train(recipe, GRAPHS).history.losses

    file = Path(tmp_path / "m")
    train(recipe, GRAPHS, amp=True, checkpoint=file, time_limit=0)
    assert train(recipe, GRAPHS, amp=True, checkpoint=file, resume=True).history.losses == short
