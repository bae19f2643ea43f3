import re

import numpy as np
import pytest
import scipy.sparse as sp

import concolor as cc


@pytest.mark.slow
def test_newton_needs_one_call_a_color_and_ends_where_it_should(run):
    flame, jacobian, film, *hessians = run("derivatives", 12)
    steps, highest = re.fullmatch(
        r"Bratu's .* 144 unknowns: (\d+) steps, highest (.*)", flame
    ).groups()
    assert float(highest) == pytest.approx(0.27, abs=0.01)
    colors, calls, error = re.fullmatch(
        r"  column: (\d+) colors, (\d+) calls of the function, error (.*)", jacobian
    ).groups()
    assert int(colors) == 5 and float(error) < 1e-6
    assert int(calls) == int(steps) * (1 + int(colors)) + 1
    assert film.startswith("Soap film, 144 unknowns: ")
    low, high = map(float, re.search(r"from (.*) to (.*)", film).groups())
    assert low == pytest.approx(-high, abs=1e-3)  # the frame is a saddle
    found = {line.split(":")[0].strip(): int(line.split()[1]) for line in hessians}
    assert found["column"] == 9 >= found["star"] > found["acyclic"] >= 5


@pytest.mark.parametrize("kind", ["column", "star", "acyclic"])
def test_the_hessian_by_differences_is_the_whole_hessian(functions, kind):
    script, side = functions("derivatives"), 5
    rng = np.random.default_rng(0)
    u = rng.normal(size=side**2)

    def gradient(x):
        return script.area_gradient(x, side)

    one_by_one = np.stack(
        [(gradient(u + 1e-6 * e) - gradient(u)) / 1e-6 for e in np.eye(side**2)], axis=1
    )
    near = np.eye(side) + np.eye(side, k=1) + np.eye(side, k=-1)
    coloring = cc.color_matrix(sp.kron(near, near), kind, time_limit=0)
    found = script.differences(gradient, u, gradient(u), coloring).toarray()
    np.testing.assert_allclose(found, one_by_one, atol=1e-6)
    np.testing.assert_allclose(one_by_one, one_by_one.T, atol=1e-6)


def test_the_gradient_is_that_of_the_area(functions):
    script, side, h = functions("derivatives"), 3, 1e-6
    u = np.random.default_rng(1).normal(size=9)

    def area(x):
        edge = np.linspace(-1, 1, side + 2)
        heights = edge[:, None] ** 2 - edge**2
        heights[1:-1, 1:-1] = x.reshape(side, side)
        total = 0.0
        for i in range(side + 1):
            for j in range(side + 1):
                (a, b), (c, d) = heights[i : i + 2, j : j + 2]
                total += np.sqrt(0.25 + ((c + d - a - b) / 2) ** 2 + ((b + d - a - c) / 2) ** 2)
        return total

    slow = [(area(u + h * e) - area(u - h * e)) / (2 * h) for e in np.eye(9)]
    np.testing.assert_allclose(script.area_gradient(u, side), slow, atol=1e-6)


def test_what_is_no_number_is_refused(refused):
    assert refused("derivatives", "many")
