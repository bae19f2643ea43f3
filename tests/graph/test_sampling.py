import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph.families import family
from concolor.graph.sampling import sample_subgraphs, split_centers, two_hop


@pytest.mark.slow
@given(st.integers(0, 300), st.integers(0, 5))
def test_split_cuts_all_nodes_in_two_halves(n, seed):
    train, test = split_centers(n, seed)
    assert sorted([*train, *test]) == list(range(n))
    assert abs(len(train) - len(test)) <= 1


@pytest.mark.parametrize(("n", "train"), [(2708, 1354), (3327, 1664), (19717, 9858)])
def test_split_rounds_half_to_even(n, train):
    assert len(split_centers(n)[0]) == train


def test_split_follows_its_seed():
    assert split_centers(50, 1)[0].tolist() == split_centers(50, 1)[0].tolist()
    assert split_centers(50, 1)[0].tolist() != split_centers(50, 2)[0].tolist()
    assert split_centers(10)[0].tolist() == [7, 8, 1, 5, 3]


@pytest.mark.parametrize("spec", ["er:40x0.05", "path:6", "wheel:9", "planted:60x4x0.03"])
def test_two_hop_is_the_ball_of_radius_two(spec):
    graph = family(spec, seed=3)
    twin = nx.Graph(graph.edges.tolist())
    twin.add_nodes_from(range(graph.n))
    for center in range(graph.n):
        ball = nx.single_source_shortest_path_length(twin, center, cutoff=2)
        assert two_hop(graph, center).tolist() == sorted(ball)


@pytest.mark.parametrize("center", [-1, 6])
def test_two_hop_refuses_centers_outside(center):
    with pytest.raises(InputError, match=r"nodes of path:6 are 0\.\.5"):
        two_hop(family("path:6"), center)


def test_samples_are_induced_neighborhoods_of_the_asked_size():
    whole = family("geometric:400x0.06", seed=1)
    whole = whole.but(x=sp.csr_array(np.arange(1, 401)[:, None]))
    samples = sample_subgraphs(whole, range(0, 400, 2), 30, size=(10, 20), seed=4)

    assert len(samples) == 30
    for sample in samples:
        center = int(sample.name.removeprefix("geometric:400x0.06/"))
        nodes = two_hop(whole, center)
        assert center % 2 == 0
        assert 10 <= sample.n <= 20
        assert sample == whole.subgraph(nodes)
        assert (sample.x.toarray()[:, 0] == nodes + 1).all()


def test_samples_follow_their_seed():
    whole = family("er:200x0.02")
    names = [
        [g.name for g in sample_subgraphs(whole, range(200), 20, size=(5, 30), seed=seed)]
        for seed in (1, 1, 2)
    ]
    assert names[0] == names[1] != names[2]


def test_a_small_pool_repeats_itself():
    samples = sample_subgraphs(family("cycle:9"), [3, 4], 20, size=(5, 5), seed=0)
    assert {sample.name for sample in samples} == {"cycle:9/3", "cycle:9/4"}


def test_says_when_no_neighborhood_has_the_size():
    with pytest.raises(InputError, match=r"none of the 9 centers of cycle:9 .* 6\.\.7 nodes"):
        sample_subgraphs(family("cycle:9"), range(9), 1, size=(6, 7), seed=0)
    with pytest.raises(InputError, match="no centers"):
        sample_subgraphs(family("cycle:9"), [], 1, seed=0)
