from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.certificates.clique import is_clique
from concolor.graph.families import family


@pytest.mark.slow
@given(nodes=st.lists(st.integers(-2, 8), max_size=5))
def test_is_clique_is_what_it_says(nodes):
    graph = family("wheel:7")
    edges = {frozenset(edge) for edge in graph.edges.tolist()}
    inside = len(set(nodes)) == len(nodes) and all(0 <= v < 7 for v in nodes)
    pairs = all(frozenset(pair) in edges for pair in combinations(nodes, 2))
    assert is_clique(graph, tuple(nodes)) == (inside and pairs)
