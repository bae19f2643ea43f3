"""``compiled``: with and without a place for the machine code."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from concolor.compiled import compiled

USERS = (
    *("graph.kernels", "solvers.kernels.greedy", "solvers.kernels.search", "features.kernels"),
    *(
        "viz.layout",
        "certificates.theta.pairs",
        "certificates.elimination",
    ),
)


def in_no_file(text):
    """The function ``f`` of a program that numba has no place beside."""
    space = {"np": np}
    exec(text, space)
    return space["f"]


def test_code_that_cannot_be_cached_is_compiled_all_the_same():
    assert compiled(in_no_file("def f(x): return 2 * x"))(21) == 42


@pytest.mark.slow
def test_sums_are_reordered_only_where_it_is_allowed():
    """A compiler that may reassociate finds (x + big) - big = x; rounding says 0."""
    program = "def f(x, big): return (x + big) - big"
    assert compiled(in_no_file(program))(1.0, 1e30) == 0.0
    loose = partial(compiled, fastmath=["reassoc", "nsz"])
    assert loose(in_no_file(program))(1.0, 1e30) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("where", ["somewhere", "nowhere"])
def test_every_compiled_loop_can_be_loaded(where):
    """Nowhere: as on a machine where no folder may be written, at home or beside the package."""
    program = "from numba.core.caching import CacheImpl\nfrom importlib import import_module\n"
    if where == "nowhere":
        program += "CacheImpl._locator_classes = []\n"
    program += f"for user in {USERS}: import_module('concolor.' + user)\n"
    subprocess.run([sys.executable, "-c", program], check=True)
