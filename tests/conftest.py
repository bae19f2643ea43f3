"""What all tests share: one thread each, and where the real data is."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy and torch: tests run side by side

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data():
    """The folder with planetoid/ and color/; tests that need it are skipped where it is not."""
    folder = os.environ.get("CONCOLOR_DATA")
    if folder is None:
        pytest.skip("needs real data: set CONCOLOR_DATA")
    return Path(folder)
