import numpy as np
import pytest
import scipy.sparse as sp

from concolor.errors import InputError
from concolor.features.structural import structural
from concolor.features.text import (
    bow,
    fit_basis,
    hybrid,
    layer_norm,
    signed_hash,
)
from concolor.graph.core import Graph

RNG = np.random.default_rng(0)
WORDS = (RNG.random((20, 50)) < 0.2).astype(np.float32)
GRAPH = Graph.from_edges(20, [(v, v + 1) for v in range(19)], x=WORDS)
SPARSE = GRAPH.but(x=sp.csr_array(WORDS))


def test_bow_is_a_writable_copy_of_the_words():
    for graph in (GRAPH, SPARSE):
        rows = bow(graph)
        np.testing.assert_array_equal(rows, WORDS)
        assert rows.dtype == np.float32
        rows[0, 0] = 7
        assert bow(graph)[0, 0] == WORDS[0, 0]


def test_without_words_the_way_out_is_named():
    with pytest.raises(InputError, match="features=random or structural"):
        bow(GRAPH.but(x=None))


@pytest.mark.slow
def test_every_word_goes_to_one_slot_with_a_sign():
    table = signed_hash(np.eye(3000, dtype=np.float32), 64)

    assert ((table != 0).sum(axis=1) == 1).all()
    assert set(np.unique(table)) == {-1, 0, 1}
    per_slot, signs = np.abs(table).sum(axis=0), table.sum()
    assert per_slot.min() > 20 and per_slot.max() < 80  # 47 on average
    assert abs(signs) < 5 * np.sqrt(3000)


def test_the_table_never_changes():
    table = signed_hash(np.eye(4, dtype=np.float32), 256)
    slots = np.abs(table).argmax(axis=1)
    signs = table.sum(axis=1)

    assert list(zip(slots.tolist(), signs.tolist(), strict=True)) == [
        slow_hash(j) for j in range(4)
    ]


def slow_hash(j: int, dim: int = 256) -> tuple[int, float]:
    """splitmix64 in Python's integers, as published."""
    full = 2**64
    z = (j + 1) * 0x9E3779B97F4A7C15 % full
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % full
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % full
    z = z ^ (z >> 31)
    return (z >> 32) % dim, -1.0 if z & 1 else 1.0


def test_sparse_and_dense_words_hash_alike():
    dense, sparse = signed_hash(WORDS, 16), signed_hash(SPARSE.x, 16)

    assert dense.dtype == sparse.dtype == np.float32
    np.testing.assert_allclose(dense, sparse, atol=1e-6)
    np.testing.assert_allclose(dense, WORDS @ signed_hash(np.eye(50, dtype=np.float32), 16))


def test_hashing_keeps_inner_products_on_average():
    words = (np.random.default_rng(1).random((60, 1433)) < 0.02).astype(np.float32)
    hashed = signed_hash(words, 1024)
    error = hashed @ hashed.T - words @ words.T

    assert abs(error[np.triu_indices(60, 1)].mean()) < 0.1


def test_hybrid_is_hash_then_structure():
    rows = hybrid(GRAPH)

    assert rows.shape == (20, 288)
    np.testing.assert_array_equal(rows[:, :256], signed_hash(WORDS, 256))
    np.testing.assert_array_equal(rows[:, 256:], structural(GRAPH, 32))
    with pytest.raises(InputError, match="dim > 32"):
        hybrid(GRAPH, 32)


def test_layer_norm_is_torchs():
    torch = pytest.importorskip("torch")
    rows = hybrid(GRAPH)
    rows[0] = 3.0  # a constant row has no scale
    expected = torch.nn.functional.layer_norm(torch.from_numpy(rows), (288,)).numpy()

    np.testing.assert_allclose(layer_norm(rows), expected, atol=1e-5)


@pytest.mark.parametrize("center", [True, False])
def test_the_basis_spans_the_top_singular_directions(center):
    blocks = [RNG.normal(size=(n, 30)).astype(np.float32) + 1 for n in (7, 40, 13)]
    basis = fit_basis(blocks, 5, center=center)

    stacked = np.concatenate(blocks)
    mean = stacked.mean(axis=0) if center else np.zeros(30)
    _, _, directions = np.linalg.svd(stacked - mean, full_matrices=False)
    np.testing.assert_allclose(basis.mean, mean, atol=1e-5)
    cosines = np.abs((basis.components * directions[:5].T).sum(axis=0))
    np.testing.assert_allclose(cosines, 1, atol=1e-4)
    np.testing.assert_allclose(basis(stacked), (stacked - mean) @ basis.components, atol=1e-4)
    assert (basis.components.max(axis=0) >= -basis.components.min(axis=0)).all()


def test_directions_the_source_does_not_span_are_zero():
    rows = RNG.normal(size=(4, 30)).astype(np.float32)

    for center, rank in ((True, 3), (False, 4)):
        basis = fit_basis([rows], 10, center=center)
        assert basis.components.shape == (30, 10)
        gram = basis.components.T @ basis.components
        np.testing.assert_allclose(gram, np.diag([1] * rank + [0] * (10 - rank)), atol=1e-5)
    assert not fit_basis([np.ones((5, 30), np.float32)], 10, center=True).components.any()
    assert fit_basis([rows], 40, center=False).components.shape == (30, 40)
