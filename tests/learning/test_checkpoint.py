"""Model files: whole, ours, and run no code."""

import json
import pickle
import sys
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save, save_file

from concolor.decoding import Decoder
from concolor.decoding.cluster import means
from concolor.encoders import build
from concolor.errors import ConcolorError, ModelError
from concolor.graph.families import family
from concolor.learning.checkpoint import load_model, save_model
from concolor.learning.recipe import Recipe
from concolor.learning.train import train
from concolor.solvers.greedy import dsatur

CYCLES = [family(f"cycle:{n}") for n in (10, 12, 15)]
SMALL = Recipe(pipeline="v2abs", hidden=8, epochs=1, feature_dim=4)


@pytest.fixture(scope="module")
def model():
    return train(SMALL, CYCLES)


@pytest.fixture
def file(model, tmp_path):
    save_model(model, tmp_path / "m.safetensors")
    return tmp_path / "m.safetensors"


def test_a_model_comes_back_whole(model, file):
    again = load_model(file)
    assert (again.recipe, again.history, again.slots) == (model.recipe, model.history, model.slots)
    graph = family("queen:5x5")
    np.testing.assert_array_equal(again.embed(graph), model.embed(graph))
    assert not again.network.training


@pytest.mark.slow
@pytest.mark.parametrize("features", ["pca", "svd", "bow", "hybrid_ln"])
def test_fitted_features_come_back_too(features, tmp_path):
    rng = np.random.default_rng(0)
    graphs = [g.but(x=rng.random((g.n, 30))) for g in CYCLES]
    model = train(SMALL.but(features=features, feature_dim=None, epochs=0), graphs)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.embed(graphs[0]), model.embed(graphs[0]))


@pytest.mark.parametrize("encoder", ["gps_sage", "graph_vit", "exphormer", "unitary_mp", "gat"])
def test_encoders_with_buffers_come_back(encoder, tmp_path):
    model = train(SMALL.but(encoder=encoder, signnet=True), CYCLES)
    save_model(model, tmp_path / "m")
    graph = family("wheel:8")
    np.testing.assert_array_equal(load_model(tmp_path / "m").embed(graph), model.embed(graph))


def tiny(sizes):
    """gated_gcn with one layer."""
    return build("gated_gcn", replace(sizes, layers=1))


def degrees(graph, dim, seed):
    return np.repeat(graph.degrees[:, None], dim, axis=1)


def by_greedy(graph):
    return dsatur(graph)


OWN = {
    "encoder": tiny,
    "features": degrees,
    "labels": by_greedy,
    "decoder": Decoder("k-means by another name", means, sees_lines=False),
}


@pytest.fixture(scope="module")
def own():
    return train(SMALL.but(**OWN), CYCLES)


def test_functions_of_the_users_own_are_given_again(own, tmp_path):
    save_model(own, tmp_path / "m")
    again = load_model(tmp_path / "m", **OWN)
    assert again.recipe == own.recipe
    graph = family("wheel:8")
    np.testing.assert_array_equal(again.embed(graph), own.embed(graph))
    save_model(again, tmp_path / "twice")
    assert header(tmp_path / "twice") == header(tmp_path / "m")


@pytest.mark.parametrize("missing", OWN)
def test_a_function_that_is_not_given_again_is_asked_for(own, missing, tmp_path):
    save_model(own, tmp_path / "m")
    given = {name: choice for name, choice in OWN.items() if name != missing}
    spelling = header(tmp_path / "m")["recipe"][missing]
    assert spelling.endswith(f":{getattr(OWN[missing], 'prepare', OWN[missing]).__name__}")
    with pytest.raises(ModelError, match=rf"load_model\(path, {missing}=...\)") as refused:
        load_model(tmp_path / "m", **given)
    assert f"its {missing} is a function of whoever trained it, {spelling}," in str(refused.value)


def test_loading_imports_nothing_that_the_file_names(file, tmp_path, monkeypatch):
    (tmp_path / "bomb.py").write_text("raise SystemExit('a model file ran code')")
    monkeypatch.syspath_prepend(tmp_path)
    tensors, about = load(file.read_bytes()), header(file)
    for field in OWN:
        named = {**about, "recipe": {**about["recipe"], field: "bomb:go"}}
        meta = {"kind": "concolor-model-1", "about": json.dumps(named)}
        file.write_bytes(save(tensors, metadata=meta))
        with pytest.raises(ModelError, match="bomb:go"):
            load_model(file)
        assert "bomb" not in sys.modules


def test_a_given_function_whose_weights_do_not_fit_is_refused(file):
    def wide(sizes):
        return build("gated_gcn", replace(sizes, hidden=2 * sizes.hidden))

    with pytest.raises(ModelError, match="do not fit"):
        load_model(file, encoder=wide)


def test_a_missing_file_says_how_to_make_one(tmp_path):
    with pytest.raises(ModelError, match="concolor train"):
        load_model(tmp_path / "none.safetensors")


def test_foreign_files_are_refused(tmp_path):
    file = tmp_path / "m"
    file.write_bytes(b"")
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        load_model(file)
    save_file({"a": torch.zeros(2)}, file)
    with pytest.raises(ModelError, match="not a concolor-model"):
        load_model(file)


class Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('a model file ran code')",))


def test_a_pickle_is_not_run(tmp_path):
    (tmp_path / "m").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ModelError):
        load_model(tmp_path / "m")


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_files_give_our_error_or_a_model(model, tmp_path_factory, data):
    file = tmp_path_factory.mktemp("damaged") / "m"
    save_model(model, file)
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, min(len(content) - 1, 3000)))
        content[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    file.write_bytes(content[:cut] if data.draw(st.booleans()) else content)
    with suppress(ConcolorError):
        load_model(file)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("recipe", {"encoder": "gcn"}),
        ("recipe", {"hidden": 10**12}),
        ("recipe", {"hidden": 65536, "layers": 1000}),
        ("recipe", {"nonsense": 1}),
        ("recipe", []),
        ("features", {"name": "random", "channels": 10**9}),
        ("features", {}),
        ("slots", "many"),
        ("history", None),
        ("recipe", {"decoder": None}),
        ("recipe", {"labels": "nonsense"}),
        ("recipe", {"features": "gaussian"}),
    ],
)
def test_a_header_that_does_not_fit_is_refused_before_memory_is_taken(file, key, value):
    tensors, about = load(file.read_bytes()), header(file)
    about[key] = {**about[key], **value} if isinstance(value, dict) and value else value
    meta = {"kind": "concolor-model-1", "about": json.dumps(about)}
    file.write_bytes(save(tensors, metadata=meta))
    with pytest.raises(ModelError, match="do not fit"):
        load_model(file)


def test_weights_that_are_not_finite_are_refused(file):
    tensors, about = load(file.read_bytes()), header(file)
    next(iter(tensors.values())).fill_(float("nan"))
    meta = {"kind": "concolor-model-1", "about": json.dumps(about)}
    file.write_bytes(save(tensors, metadata=meta))
    with pytest.raises(ModelError, match="not finite"):
        load_model(file)


def header(file):
    content = file.read_bytes()
    size = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["about"])


def test_a_failed_write_leaves_the_old_model(model, file, monkeypatch):
    before = file.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
    with pytest.raises(ConcolorError, match="disk full"):
        save_model(model, file)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]
