from dataclasses import replace

import pytest
from hypothesis import given, settings

from concolor.goal import Clock
from concolor.graph.families import family
from concolor.solvers.cones import cones, is_cone
from small_graphs import fewest_colors, graphs


@pytest.mark.parametrize("spec", ["myciel:2", "myciel:3", "myciel:5", "complete:6", "wheel:6"])
def test_cones_show_the_chromatic_number(spec):
    assert len(cones(family(spec))) + 1 == family(spec).chi


@pytest.mark.slow
@given(graph=graphs(6))
@settings(max_examples=80, deadline=None)
def test_cones_are_cones_and_never_promise_too_much(graph):
    found = cones(graph)
    assert all(is_cone(graph, cone) for cone in found)
    assert len(found) + (graph.n > 0) <= fewest_colors(graph)
    inside = set(range(graph.n))
    for cone in found:
        assert inside >= {cone.apex, *cone.nodes, *cone.deputies}
        inside = set(cone.nodes)


def test_what_is_no_cone_is_seen():
    graph = family("myciel:3")
    cone = cones(graph)[0]
    assert is_cone(graph, cone)
    turned = (*cone.deputies[1:], cone.deputies[0])
    for wrong in ({"deputies": turned}, {"apex": cone.nodes[0]}, {"nodes": (), "deputies": ()}):
        assert not is_cone(graph, replace(cone, **wrong))
    assert not is_cone(graph, replace(cone, deputies=cone.deputies[:-1]))
    assert not is_cone(graph, replace(cone, deputies=cone.nodes))


def test_time_and_size_end_the_search():
    assert cones(family("myciel:5"), clock=Clock(0)) == ()
    assert cones(family("path:1000")) == ()
