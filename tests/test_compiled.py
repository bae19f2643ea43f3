"""Compiled loops: that they are compiled is said once, and not at all where they are on disk."""

from importlib.util import module_from_spec, spec_from_file_location

import numpy as np

from concolor.compiled import when_compiling

LOOP = """
from concolor.compiled import compiled

@compiled
def total(values):
    found = values[0]
    for value in values[1:]:
        found += value
    return found
"""


def loaded(file):
    """The module in a file, as a new process would see it."""
    spec = spec_from_file_location("loop", file)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_somebody_is_told_once_when_loops_are_compiled(tmp_path):
    file = tmp_path / "loop.py"
    file.write_text(LOOP)
    told = []
    when_compiling(lambda: told.append("now"))
    loop = loaded(file)
    assert told == []
    assert loop.total(np.arange(4)) == 6 and told == ["now"]
    assert loop.total(np.arange(4.0)) == 6.0 and told == ["now"]

    when_compiling(lambda: told.append("again"))
    assert loaded(file).total(np.arange(4)) == 6 and told == ["now"]  # it is on disk


def test_only_the_last_who_asks_is_told(tmp_path):
    file = tmp_path / "loop.py"
    file.write_text(LOOP)
    told = []
    when_compiling(lambda: told.append("first"))
    when_compiling(lambda: told.append("second"))
    assert loaded(file).total(np.arange(4)) == 6 and told == ["second"]


def test_prefetch_changes_nothing():
    from concolor.compiled import compiled, prefetch

    @compiled
    def total(rows, places):
        found = 0.0
        for i in range(len(places)):
            prefetch(rows, places[min(i + 4, len(places) - 1)])
            found += rows[places[i], 1]
        return found

    rows, places = np.arange(12.0).reshape(6, 2), np.array([5, 0, 3])
    assert total(rows, places) == 11 + 1 + 7
    assert rows.tolist() == np.arange(12.0).reshape(6, 2).tolist()
