import pytest

from concolor.errors import InputError, OverBudget
from concolor.memory import SHARE, VARIABLE, Room, _of_the_machine, budget, shown


@pytest.mark.parametrize(
    ("given", "size"),
    [(1000, 1000), ("1000", 1000), ("2K", 2048), ("1.5m", 3 * 2**19), ("4GiB", 2**32), ("1 ", 1)],
)
def test_a_budget_is_bytes_or_a_number_with_a_unit(monkeypatch, given, size):
    assert budget(given) == size
    monkeypatch.setenv(VARIABLE, str(given))
    assert budget() == size


@pytest.mark.parametrize("given", ["", "many", "-1", "4 apples", "1e9", True])
def test_what_is_no_budget_is_named(given):
    if given == "":
        assert budget(given) == budget()
        return
    with pytest.raises(InputError, match="max_memory is a number of bytes such as 500M"):
        budget(given)


def test_by_default_it_is_a_share_of_the_machine(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert budget() == int(SHARE * _of_the_machine()) > 0


def test_room_counts_what_is_taken_and_refuses_with_the_numbers():
    room = Room("reading it", "give less", 1000)
    room.take(600)
    room.check(400)
    room.check(400)  # a check takes nothing
    with pytest.raises(
        OverBudget, match=r"reading it needs about 1.1 KiB .* budget is 1000 B: giv"
    ):
        room.take(500)
    room.take(400)
    with pytest.raises(OverBudget):
        room.take(1)


def test_sizes_are_shown_in_their_units():
    assert [shown(size) for size in (0, 1023, 1024, 2**40)] == [
        "0 B",
        "1023 B",
        "1.0 KiB",
        "1.0 TiB",
    ]
