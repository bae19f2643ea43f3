import numpy as np
import pytest

from concolor.decoding import DECODERS, canonicalize, cluster, kernels
from concolor.decoding.distance import EUCLIDEAN, PROJECTIVE, unit

ALL_COLUMNS = [name for name in DECODERS if name != "leading_means"]
SEE_LINES = [name for name in ALL_COLUMNS if DECODERS[name].sees_lines]
SEE_POINTS = [name for name in ALL_COLUMNS if not DECODERS[name].sees_lines]


def planted(n=90, k=4, d=12, noise=0.03, signs=False, seed=0):
    """Classes ``[n]`` and their points: noisy orthonormal prototypes, each row with its sign."""
    rng = np.random.default_rng(seed)
    prototypes = np.linalg.qr(rng.normal(size=(d, d)))[0][:k]
    classes = rng.permutation(np.arange(n) % k)
    z = prototypes[classes] + noise * rng.normal(size=(n, d))
    if signs:
        z *= rng.choice([-1, 1], size=(n, 1))
    return classes, unit(z.astype(np.float32))


def labels(name, z, k, seed=0):
    return DECODERS[name].prepare(z, seed)(k).clusters


def partition(labels):
    """The same array for the same partition: classes numbered by their first node."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def assert_same_partition(one, other):
    np.testing.assert_array_equal(partition(one), partition(other))


@pytest.fixture(params=["exact", "sampled"])
def path(request, monkeypatch):
    """Both ways to the medoids, on the same small data."""
    if request.param == "sampled":
        monkeypatch.setattr(cluster, "EXACT", 0)
        monkeypatch.setattr(cluster, "SAMPLE", 40)
        monkeypatch.setattr(cluster, "MEANS_SAMPLE", 40)
        monkeypatch.setattr(cluster, "PER_CLUSTER", 8)
        monkeypatch.setattr(cluster, "BLOCK", 32)
    return request.param


@pytest.mark.slow
@pytest.mark.parametrize("name", SEE_POINTS)
def test_points_near_prototypes_are_their_classes(name, path):
    classes, z = planted()
    assert_same_partition(labels(name, z, 4), classes)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEE_LINES)
def test_lines_near_prototypes_are_their_classes_without_canonical_signs(name, path):
    classes, z = planted(signs=True)
    assert_same_partition(labels(name, z, 4), classes)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEE_POINTS)
def test_canonical_signs_bring_the_classes_of_lines_back(name, path):
    classes, z = planted(signs=True, noise=0.01)
    assert_same_partition(labels(name, canonicalize(z, 2, k=4), 4), classes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL_COLUMNS)
def test_a_rotation_changes_nothing(name, path):
    _, z = planted(noise=0.15)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 12)))[0].astype(np.float32)
    assert_same_partition(labels(name, z @ turn, 4), labels(name, z, 4))


@pytest.mark.parametrize("name", SEE_LINES)
def test_signs_change_nothing_for_lines(name, path):
    _, z = planted(noise=0.3)
    signs = np.random.default_rng(1).choice(np.float32([-1, 1]), size=(len(z), 1))
    np.testing.assert_array_equal(labels(name, signs * z, 5), labels(name, z, 5))


@pytest.mark.parametrize("name", DECODERS)
def test_the_seed_decides(name, path):
    z = unit(np.random.default_rng(0).normal(size=(120, 8)).astype(np.float32))
    runs = [labels(name, z, 6, seed) for seed in (0, 0, 1, 2, 3)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert any(not np.array_equal(runs[0], run) for run in runs[2:])


@pytest.mark.slow
@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_every_k_up_to_n_gives_labels_below_k(name, n, path):
    z = unit(np.random.default_rng(n).normal(size=(n, 3)).astype(np.float32))
    for k in range(1, n + 1):
        found = DECODERS[name].prepare(z, 0)(k)
        assert found.clusters.dtype == np.int32
        assert found.clusters.shape == (n,)
        assert found.clusters.min() >= 0
        assert found.clusters.max() < k
        assert found.centers.shape == (k, 3)


@pytest.mark.parametrize("name", DECODERS)
def test_fewer_distinct_points_than_k_leave_colors_unused(name, path):
    z = np.repeat(np.eye(3, dtype=np.float32), 30, axis=0)
    found = labels(name, z, 6)
    assert_same_partition(found, np.repeat([0, 1, 2], 30))


@pytest.mark.parametrize("name", DECODERS)
def test_rows_of_zeros_do_no_harm(name, path):
    z = np.concatenate([planted()[1], np.zeros((3, 12), np.float32)])
    assert labels(name, z, 5).shape == (93,)


@pytest.mark.parametrize("distance", [EUCLIDEAN, PROJECTIVE], ids=["euclidean", "projective"])
def test_medoids_are_points_and_no_single_exchange_is_better(distance):
    """The definition of a PAM optimum, by trying all exchanges slowly."""
    z = unit(np.random.default_rng(5).normal(size=(25, 4)).astype(np.float32))
    centers = cluster.medoids(z, 0, distance=distance)(3).centers
    chosen = [int(np.flatnonzero((z == center).all(axis=1))[0]) for center in centers]

    def cost(medoids):
        return float(distance.of(z @ z[medoids].T).min(axis=1).sum())

    exchanges = [
        [*chosen[:spot], new, *chosen[spot + 1 :]] for spot in range(3) for new in range(25)
    ]
    assert cost(chosen) <= min(map(cost, exchanges)) + 1e-4


@pytest.mark.parametrize("distance", [EUCLIDEAN, PROJECTIVE], ids=["euclidean", "projective"])
def test_swaps_with_central_points_lower_the_cost(distance):
    z = planted(n=400, noise=0.3)[1]
    start = z[:4]
    swapped = cluster._swapped(z, start, cluster._central(z, start, distance), distance)
    before = cluster._assign(z, start, distance).cost
    after = cluster._assign(z, swapped, distance).cost
    assert after < before
    assert all((z == center).all(axis=1).any() for center in swapped)


@pytest.mark.parametrize("distance", [EUCLIDEAN, PROJECTIVE], ids=["euclidean", "projective"])
def test_assignment_in_blocks_is_the_assignment_of_a_slow_loop(distance, monkeypatch):
    monkeypatch.setattr(cluster, "BLOCK", 7)
    z = planted(noise=0.3)[1]
    centers = z[[0, 1, 2]]
    found = cluster._assign(z, centers, distance)
    apart = np.array([[distance.of(point @ center) for center in centers] for point in z])
    np.testing.assert_array_equal(found.clusters, apart.argmin(axis=1))
    assert found.cost == pytest.approx(apart.min(axis=1).sum(), rel=1e-5)
    sums = np.zeros_like(centers)
    for point, label in zip(z, found.clusters, strict=True):
        sums[label] += distance.pull(point @ centers[label]) * point
    np.testing.assert_allclose(found.moved, unit(sums), atol=1e-5)


def test_line_means_never_raise_the_cost():
    z = planted(noise=0.5, signs=True)[1]
    centers = z[:5]
    costs = []
    for _ in range(10):
        found = cluster._assign(z, centers, PROJECTIVE)
        costs.append(found.cost)
        centers = found.moved
    assert np.all(np.diff(costs) <= 1e-4)
    assert costs[-1] < costs[0]


def test_compiled_assignment_to_lines_is_that_in_numpy():
    z = planted(noise=0.5, signs=True, n=600)[1]
    centers = np.concatenate([z[:5], np.zeros((1, 12), np.float32)])  # one without points
    clusters, moved = np.empty(len(z), np.int32), np.empty_like(centers)
    cost = kernels.assign_lines(z, centers, clusters, moved)
    slow = cluster._assign(z, centers, PROJECTIVE)
    np.testing.assert_array_equal(clusters, slow.clusters)
    assert cost == pytest.approx(slow.cost, rel=1e-5)
    np.testing.assert_allclose(moved, slow.moved, atol=1e-5)


def test_rows_that_are_spread_are_points_and_far_apart():
    z = np.repeat(np.eye(4, dtype=np.float32), 25, axis=0)
    for seed in range(10):
        centers = np.empty((4, 4), np.float32)
        kernels.spread_lines(z, np.random.default_rng(seed).random(4), centers)
        np.testing.assert_array_equal(np.sort(centers @ np.arange(1, 5)), np.arange(1, 5))


@pytest.mark.parametrize("n", [60, 3000])
def test_compiled_line_means_are_no_worse_than_those_in_numpy(n):
    """Other starts are drawn, so they agree on average only."""
    drawn = np.random.default_rng(3)
    ratios = []
    for seed in range(12):
        z = unit(drawn.normal(size=(n, 6)).astype(np.float32))
        fast = cluster.line_means(z, seed)(5)
        slow = cluster.spherical_means(z, seed, distance=PROJECTIVE)(5)
        costs = [cluster._assign(z, found.centers, PROJECTIVE).cost for found in (fast, slow)]
        ratios.append(costs[0] / costs[1])
    assert np.mean(ratios) == pytest.approx(1, abs=0.01)


@pytest.mark.slow
def test_large_and_small_paths_agree_on_clear_data(monkeypatch):
    _, z = planted(n=3000, k=6, signs=True)
    sampled = labels("lines", z, 6)
    monkeypatch.setattr(cluster, "EXACT", 3000)
    monkeypatch.setattr(cluster, "RESTARTS", 1)
    assert_same_partition(sampled, labels("lines", z, 6))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kmedoids", "lines", "line_means"])
def test_the_cheapest_of_the_restarts_wins(name, monkeypatch):
    z = unit(np.random.default_rng(2).normal(size=(80, 5)).astype(np.float32))
    distance = EUCLIDEAN if name == "kmedoids" else PROJECTIVE

    def mean_cost(restarts):
        monkeypatch.setattr(cluster, "RESTARTS", restarts)
        found = [DECODERS[name].prepare(z, seed)(6).centers for seed in range(12)]
        return np.mean([cluster._assign(z, centers, distance).cost for centers in found])

    assert mean_cost(8) < mean_cost(1)


def test_a_center_without_points_stays_where_it_was():
    z = np.float32([[1, 0, 0], [0.8, 0.6, 0]])
    centers = np.float32([[1, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(cluster._assign(z, centers, PROJECTIVE).moved[1], centers[1])


@pytest.mark.parametrize("k", [1, 2, 4, 20])
def test_leading_means_sees_the_first_columns_and_no_others(k):
    _, z = planted(noise=0.3)
    seen = max(k - 1, 1)
    other = z.copy()
    other[:, seen:] = np.random.default_rng(1).normal(size=other[:, seen:].shape)
    np.testing.assert_array_equal(labels("leading_means", z, k), labels("leading_means", other, k))
    expected = labels("sphere_means", unit(z[:, :seen]), k)
    np.testing.assert_array_equal(labels("leading_means", z, k), expected)
    assert DECODERS["leading_means"].prepare(z, 0)(k).centers.shape == (k, 12)
