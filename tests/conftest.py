"""One thread a test process, set before numpy and torch load: tests run side by side."""

import os

import pytest
from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")
settings.register_profile("compiled", deadline=None)  # the first call may compile
settings.load_profile("compiled")


@pytest.fixture(autouse=True)
def plugins_gone():
    """Plugins that a test loads are not those of the workers of a later one."""
    from concolor.cli import plugins

    before = list(plugins.loaded)
    yield
    plugins.loaded[:] = before
