import math
import re
from fractions import Fraction

import numpy as np
import pytest

from concolor.certificates.certificate import Certificate, Vectors
from concolor.certificates.search import certify
from concolor.certificates.theta import measure, prototypes
from concolor.coloring import Coloring
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur

BELOW, ABOVE = r"([\d.]+) <= (?:θ|theta)", r"(?:θ|theta) <= ([\d.]+)"


def test_what_is_printed_as_proved_is_true():
    """θ of the pentagon is √5, and each bound is rounded to its own side."""
    graph = family("cycle:5")
    text = "\n".join([str(found := certify(graph)), repr(found)])
    below = [Fraction(number) for number in re.findall(BELOW, text)]
    below += [Fraction(number) for number in re.findall(r"θ >= ([\d.]+)", text)]
    above = [Fraction(number) for number in re.findall(ABOVE, text)]
    assert (len(below), len(above)) == (3, 3)
    assert all(number**2 <= 5 for number in below)
    assert all(number**2 >= 5 and number >= Fraction("2.2381") for number in above)


@pytest.mark.parametrize("bound", [2.2360679774997896, 3.0000000001, 7.1234565, 4.00004999])
def test_bounds_keep_their_side_in_every_sentence(bound):
    graph = family("cycle:5")
    z, r = prototypes(dsatur(graph))
    vectors = Vectors("sharpened", z, r, bound)
    found = Certificate(graph, dsatur(graph), (0, 1), np.ones(5), bound, (vectors,))
    for text in (str(found), repr(found)):
        shown = re.findall(ABOVE, text)
        assert shown and all(float(number) >= min(bound, 3) for number in shown)
        shown = re.findall(BELOW, text)
        assert shown and all(float(number) <= bound for number in shown)


def embedded(graph, z, coloring):
    r = np.full(z.shape[1], z.shape[1] ** -0.5)
    raw = Vectors.of("embedding", z, r, graph)
    vectors = (raw,) if math.isfinite(raw.bound) else ()
    geometry = measure(z, r, graph, coloring)
    return Certificate(graph, coloring, (0, 1), vectors=vectors, embedding=geometry)


def test_the_lemma_and_the_corollary_are_told():
    coloring = dsatur(family("petersen"))
    found = embedded(coloring.graph, prototypes(coloring)[0], coloring)
    (line,) = [line for line in found.statements if line.startswith("The embedding has")]
    assert line.startswith("The embedding has ε = 0.0000, α = 0.5774, δ = 0.0000: the lemma shows")
    assert line.endswith("this does not bound χ.")
    lemma, corollary = map(float, re.findall(ABOVE, line))
    assert 3 <= found.vectors[0].bound <= lemma <= 3.00001 and 3 <= corollary <= 3.00001


def test_what_an_embedding_does_not_show_is_told():
    graph = family("path:2")
    astray = embedded(graph, np.array([[1.0, -1.0], [1.0, 1.0]]) / 2**0.5, dsatur(graph))
    assert "the lemma shows nothing" in str(astray)
    triangle = Coloring(family("complete:3"), np.arange(3))
    flat = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1]])
    few = embedded(triangle.graph, flat / np.linalg.norm(flat, axis=1, keepdims=True), triangle)
    assert "δ" not in str(few) and "corollary" not in str(few) and "the lemma shows θ" in str(few)
