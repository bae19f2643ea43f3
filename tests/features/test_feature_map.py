import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from concolor.errors import InputError, ModelError, UnknownName
from concolor.features import FEATURES, FeatureMap
from concolor.graph.core import Graph


def cycle(n: int, width: int, seed: int = 0) -> Graph:
    words = sp.csr_array(np.random.default_rng(seed).random((n, width)) < 0.1, dtype=np.float32)
    return Graph.from_edges(n, [(v, (v + 1) % n) for v in range(n)], x=words)


SOURCES = [cycle(30, 90, seed=1), cycle(40, 90, seed=2)]
TARGET = cycle(20, 70, seed=3)
TRAVELERS = sorted(set(FEATURES) - {"bow"})


@pytest.mark.slow
@pytest.mark.parametrize("name", FEATURES)
def test_a_map_makes_its_channels_and_survives_a_checkpoint(name):
    fitted = FeatureMap.fit(name, SOURCES)
    rebuilt = FeatureMap.rebuild(name, fitted.channels, fitted.tensors())

    rows = fitted(SOURCES[0])

    assert fitted.channels == (FEATURES[name].dim or 90)
    assert rows.shape == (30, fitted.channels)
    assert rows.dtype == np.float32
    assert rows.flags.writeable
    assert np.isfinite(rows).all()
    np.testing.assert_array_equal(rebuilt(SOURCES[0]), rows)
    assert all(array.dtype == np.float32 for array in fitted.tensors().values())


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAVELERS)
def test_all_but_bow_travel_to_another_data_set(name):
    assert FeatureMap.fit(name, SOURCES)(TARGET).shape == (20, FEATURES[name].dim)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAVELERS)
def test_dim_decides_the_channels(name):
    assert FeatureMap.fit(name, SOURCES, 48)(TARGET).shape == (20, 48)


@pytest.mark.slow
@pytest.mark.parametrize("name", FEATURES)
def test_the_seed_matters_only_where_it_is_said(name):
    fitted = FeatureMap.fit(name, SOURCES)

    moved = not np.array_equal(fitted(SOURCES[0], 1), fitted(SOURCES[0], 2))

    assert moved == FEATURES[name].stochastic


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pca", "svd"])
def test_the_basis_is_the_sources_and_does_not_depend_on_the_cut(name):
    fitted = FeatureMap.fit(name, SOURCES)
    words = sp.vstack([graph.x for graph in SOURCES])
    one = Graph.from_edges(70, [], x=words)

    np.testing.assert_allclose(FeatureMap.fit(name, [one])(TARGET), fitted(TARGET), atol=1e-4)
    distance = np.linalg.norm(fitted(SOURCES[0])[0] - fitted(SOURCES[0])[1])
    hashed = FeatureMap.fit("hash", SOURCES, 1024)(SOURCES[0])  # full rank: lengths are kept
    assert distance == pytest.approx(np.linalg.norm(hashed[0] - hashed[1]), rel=1e-4)


@pytest.mark.slow
def test_pca_is_centered_at_the_source_and_svd_is_not():
    pca, svd = (
        np.concatenate([FeatureMap.fit(name, SOURCES)(graph) for graph in SOURCES])
        for name in ("pca", "svd")
    )
    assert np.abs(pca.mean(axis=0)).max() < 1e-5
    assert np.abs(svd.mean(axis=0)).max() > 0.1


def test_bow_stays_at_home():
    bow = FeatureMap.fit("bow", SOURCES)
    with pytest.raises(ModelError, match=r"has 70 node features.* reads 90: one with .*=hash"):
        bow(TARGET)
    with pytest.raises(InputError, match=r"different widths \[70, 90\]"):
        FeatureMap.fit("bow", [*SOURCES, TARGET])
    with pytest.raises(InputError, match="own 90 columns, got dim=64"):
        FeatureMap.fit("bow", SOURCES, 64)


@pytest.mark.parametrize("name", ["bow", "hash", "hybrid", "pca"])
def test_words_must_be_there(name):
    reason = r"no node features of its own \(words\), which the model reads: take one, or train one"
    with pytest.raises(InputError, match=reason):
        FeatureMap.fit(name, [SOURCES[0].but(x=None)])(SOURCES[0].but(x=None))


@pytest.mark.parametrize("name", ["bow", "pca", "svd"])
def test_fitted_features_need_graphs(name):
    with pytest.raises(InputError, match="got none"):
        FeatureMap.fit(name, [])


@pytest.mark.slow
def test_wrong_maps_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'random'"):
        FeatureMap.fit("randon", SOURCES)
    with pytest.raises(InputError, match="dim=0"):
        FeatureMap.fit("random", SOURCES, 0)
    with pytest.raises(ModelError, match="a basis"):
        FeatureMap.rebuild("pca", 256, {})
    with pytest.raises(ModelError, match="no basis"):
        FeatureMap.rebuild("hash", 256, FeatureMap.fit("pca", SOURCES).tensors())
    with pytest.raises(ModelError, match="shapes"):
        FeatureMap.rebuild("pca", 200, FeatureMap.fit("pca", SOURCES).tensors())
    with pytest.raises(ModelError, match="got \\['mean'\\]"):
        FeatureMap.rebuild("pca", 256, {"mean": np.zeros(1024)})


@pytest.mark.slow
@pytest.mark.skipif("CONCOLOR_DATA" not in os.environ, reason="CONCOLOR_DATA is not set")
def test_cora_travels_to_pubmed():
    cora, pubmed = (planetoid(name) for name in ("cora", "pubmed"))
    for name in TRAVELERS:
        rows = FeatureMap.fit(name, [cora])(pubmed)
        assert rows.shape == (19717, FEATURES[name].dim)
        assert np.isfinite(rows).all()


def planetoid(name: str) -> Graph:
    raw = np.load(Path(os.environ["CONCOLOR_DATA"]) / "planetoid" / f"{name}.npz")
    x = sp.csr_array((raw["x_data"], raw["x_indices"], raw["x_indptr"]), shape=raw["x_shape"])
    return Graph.from_edges(x.shape[0], raw["edge_index"].T, x=x)


@pytest.mark.slow
def test_unit_words_are_read_as_directions():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, size=(6, 9)).astype(np.float32)
    x[2] = 0  # a node without words
    graph = Graph.from_edges(6, [(0, 1), (2, 3)], x=sp.csr_array(x))
    longer = graph.but(x=sp.csr_array(x * rng.uniform(0.1, 9, size=(6, 1)).astype(np.float32)))
    for name in ("bow", "hash", "hybrid", "pca"):
        fitted = FeatureMap.fit(name, [graph], 4 if name == "pca" else None, unit_words=True)
        np.testing.assert_allclose(fitted(longer), fitted(graph), atol=1e-6)
        plain = FeatureMap.fit(name, [graph], 4 if name == "pca" else None)
        assert not np.allclose(plain(longer), plain(graph))
    lengths = np.linalg.norm(FeatureMap.fit("bow", [graph], unit_words=True)(graph), axis=1)
    np.testing.assert_allclose(lengths, [1, 1, 0, 1, 1, 1], atol=1e-6)
    dense = graph.but(x=x)
    np.testing.assert_allclose(
        FeatureMap.fit("bow", [dense], unit_words=True)(dense),
        FeatureMap.fit("bow", [graph], unit_words=True)(graph),
        atol=1e-6,
    )
    silent = Graph.from_edges(2, [(0, 1)])
    assert FeatureMap.fit("structural", [silent], unit_words=True)(silent).shape == (2, 64)
