import pytest


@pytest.fixture(scope="session", autouse=True)
def warm():
    """Compile, or load what was compiled, before any test looks at a clock."""
    from concolor.graph.families import family
    from concolor.solvers.greedy import rlf
    from concolor.solvers.local_search import warm_up

    rlf(family("path:2"))
    warm_up()
