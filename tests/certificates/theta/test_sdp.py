import math

import pytest

from concolor.certificates.theta.sdp import exact_theta
from concolor.errors import ConcolorError
from concolor.graph.families import family

THETA = {"cycle:5": math.sqrt(5), "petersen": 2.5, "myciel:4": 2.5294, "queen:6x6": 6.0416}


def test_the_extra_is_named_where_cvxpy_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cvxpy", None)
    with pytest.raises(ConcolorError, match=r"concolor\[sdp\]"):
        exact_theta(family("cycle:5"))


@pytest.mark.slow
@pytest.mark.parametrize("spec", THETA)
def test_exact_theta(spec):
    pytest.importorskip("cvxpy", reason="cvxpy is not installed (extra sdp)")
    assert exact_theta(family(spec)) == pytest.approx(THETA[spec], abs=1e-3)
