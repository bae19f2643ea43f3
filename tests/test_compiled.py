"""Compiled loops: that they are compiled is said once."""

import numpy as np

from concolor.compiled import compiled, when_compiling


def test_somebody_is_told_once_when_loops_are_compiled():
    calls = []
    when_compiling(lambda: calls.append("now"))

    def total(values):
        found = 0
        for value in values:
            found += value
        return found

    loop = compiled(total)
    assert calls == []
    assert loop(np.arange(4)) == 6 and calls == ["now"]
    assert loop(np.arange(4.0)) == 6.0 and calls == ["now"]
