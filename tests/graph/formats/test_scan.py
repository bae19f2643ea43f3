import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.graph.formats import scan

numbers = st.integers(0, 10**18 - 1) | st.integers(0, 10**8 - 1) | st.integers(0, 9)
tokens = numbers.map(str) | st.sampled_from(["0012", "-1", "1.5", "a", "9" * 19, "\x00", "\x0b"])
blanks = st.sampled_from([" ", "\t", "  "])
lines = st.lists(st.tuples(tokens, blanks), max_size=3).map(
    lambda parts: "".join(map("".join, parts))
)
texts = st.lists(lines, max_size=6).map(lambda rows: "".join(row + "\n" for row in rows))


def slow_ragged(text):
    """The twin: the numbers of each line, or None where there is anything else."""
    rows = [line.replace("\t", " ").split(" ") for line in text.split("\n")[:-1]]
    rows = [[token for token in row if token] for row in rows]
    fine = all(token.isdecimal() and len(token) <= 18 for row in rows for token in row)
    return [[int(token) for token in row] for row in rows] if fine else None


@pytest.fixture(params=[1, 2**18])
def block(request, monkeypatch):
    """Blocks of a single line, and blocks that hold everything."""
    monkeypatch.setattr(scan, "_BLOCK", request.param)


@pytest.mark.usefixtures("block")
class TestAgainstTheSlowTwin:
    @given(text=texts)
    @settings(deadline=None)
    def test_ragged(self, text):
        expected, found = slow_ragged(text), scan.ragged(text.encode())
        if expected is None:
            assert found is None
            return
        values, starts, counts = found
        assert values.tolist() == [number for row in expected for number in row]
        assert counts.tolist() == [len(row) for row in expected]
        assert [int(text[start:].split()[0]) for start in starts] == values.tolist()

    @given(text=texts, columns=st.integers(1, 3))
    @settings(deadline=None)
    def test_table(self, text, columns):
        expected, found = slow_ragged(text), scan.table(text.encode(), columns)
        if expected is None or any(len(row) != columns for row in expected):
            assert found is None
        else:
            assert found.tolist() == expected

    @given(text=texts)
    @settings(deadline=None)
    def test_set_aside(self, text):
        text = text or "\n"
        rows = list(enumerate(text.split("\n")[:-1], 1))
        body, aside = scan.set_aside(text.encode(), scan.begins_with(b"0a "))
        marked = [(i, row.encode()) for i, row in rows if row[:1] in tuple("0a ")]
        assert aside == marked
        assert body.decode() == "".join(
            f"{row}\n" for i, row in rows if row[:1] not in tuple("0a ")
        )


def test_weights_are_parted_from_the_nodes():
    ends, weights = scan.weighted_table(b"1 2 .5\n30\t4  -1e3 \n", 3)
    np.testing.assert_array_equal(ends, [[1, 2], [30, 4]])
    np.testing.assert_array_equal(weights, [[0.5], [-1000]])
    for bad in (b"1 2 nan\n", b"1 2 1e999\n", b"1.0 2 3\n", b"1 2 1.2.3\n", b"1 2 -\n", b"1 2\n"):
        assert scan.weighted_table(bad, 3) is None
