import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concolor.graph.formats import scan

numbers = st.integers(0, 10**18 - 1) | st.integers(0, 10**8 - 1) | st.integers(0, 9)
tokens = numbers.map(str) | st.sampled_from(
    ["0012", "0" * 20 + "7", "-1", "1.5", "a", "9" * 18, "9" * 19, "9" * 30, "\x00", "\x0b", "\xa0"]
)
blanks = st.sampled_from([" ", "\t", "  "])
lines = st.lists(st.tuples(tokens, blanks), max_size=3).map(
    lambda parts: "".join(map("".join, parts))
)
texts = st.lists(lines, max_size=6).map(lambda rows: "".join(row + "\n" for row in rows))


def slow_ragged(text):
    """The twin: the numbers of each line, or None where there is anything else."""
    rows = [line.replace("\t", " ").split(" ") for line in text.split("\n")[:-1]]
    rows = [[token for token in row if token] for row in rows]
    tokens = [token for row in rows for token in row]
    fine = all(token.isdecimal() and int(token) < 10**18 for token in tokens)
    return [[int(token) for token in row] for row in rows] if fine else None


@pytest.fixture(params=[0, 2**18])
def block(request, monkeypatch):
    """Blocks of a single line, and blocks that hold everything."""
    monkeypatch.setattr(scan._blocks, "__defaults__", (request.param,))


@pytest.mark.slow
@pytest.mark.usefixtures("block")
@given(text=texts)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ragged_matches_the_slow_twin(text):
    expected, found = slow_ragged(text), scan.ragged(text.encode())
    if expected is None:
        assert found is None
        return
    values, starts, counts = found
    assert values.tolist() == [number for row in expected for number in row]
    assert counts.tolist() == [len(row) for row in expected]
    assert [int(text[start:].split()[0]) for start in starts] == values.tolist()


@pytest.mark.slow
@pytest.mark.usefixtures("block")
@given(text=texts, columns=st.integers(1, 3))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_table_matches_the_slow_twin(text, columns):
    expected, found = slow_ragged(text), scan.table(text.encode(), columns)
    if expected is None or any(len(row) != columns for row in expected):
        assert found is None
    else:
        assert found.tolist() == expected


@pytest.mark.slow
@pytest.mark.usefixtures("block")
@given(text=texts)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_set_aside_matches_the_slow_twin(text):
    text = text or "\n"
    rows = list(enumerate(text.split("\n")[:-1], 1))
    body, aside = scan.set_aside(text.encode(), scan.begins_with(b"0a "))
    marked = [(i, row.encode()) for i, row in rows if row[:1] in tuple("0a ")]
    assert aside == marked
    assert body.decode() == "".join(f"{row}\n" for i, row in rows if row[:1] not in tuple("0a "))


@pytest.mark.slow
@given(
    ends=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=4),
    weights=st.data(),
    columns=st.integers(3, 4),
)
@settings(deadline=None)
def test_weighted_table_matches_the_slow_twin(ends, weights, columns):
    number = (
        st.floats().map(repr) | st.integers().map(str) | st.sampled_from([".5", "1.", "-", "x"])
    )
    kinds = st.lists(number, min_size=columns - 2, max_size=columns - 2)
    rows = [[str(u), str(v), *weights.draw(kinds)] for u, v in ends]
    u = weights.draw(st.sampled_from([rows[-1][0], "-1", "+1", "1.0", "1e3", "9" * 19]))
    rows[-1][0] = u
    found = scan.weighted_table("".join(" ".join(row) + "\n" for row in rows).encode(), columns)
    try:
        values = [[float(weight) for weight in row[2:]] for row in rows]
    except ValueError:
        values = [[np.nan]]
    if u.isdecimal() and int(u) < 10**18 and np.isfinite(values).all():
        assert found[0].tolist() == [[int(row[0]), int(row[1])] for row in rows]
        assert found[1].tolist() == values
    else:
        assert found is None


def test_weights_are_parted_from_the_nodes():
    ends, weights = scan.weighted_table(b"1 2 .5\n30\t4  -1e3 \n", 3)
    np.testing.assert_array_equal(ends, [[1, 2], [30, 4]])
    np.testing.assert_array_equal(weights, [[0.5], [-1000]])
    for bad in (
        b"\n",
        b"1 2 nan\n",
        b"1 2 1e999\n",
        b"1.0 2 3\n",
        b"1 2 1.2.3\n",
        b"1 2 -\n",
        b"1 2\n",
    ):
        assert scan.weighted_table(bad, 3) is None


def test_nothing_is_a_table_without_rows():
    assert scan.table(b"", 2).shape == (0, 2)
    assert [part.shape for part in scan.weighted_table(b"", 4)] == [(0, 2), (0, 2)]
