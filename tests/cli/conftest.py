"""What the command leaves behind in this process is gone after a test."""

import pytest

from concolor.decoding.cluster import DECODERS
from concolor.encoders import ENCODERS
from concolor.features import FEATURES
from concolor.learning.labels import LABELERS


@pytest.fixture(autouse=True)
def registries():
    """What a plugin adds to a registry."""
    tables = (ENCODERS, FEATURES, LABELERS, DECODERS)
    before = [dict(table) for table in tables]
    yield
    for table, names in zip(tables, before, strict=True):
        table.clear()
        table.update(names)
