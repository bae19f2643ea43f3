from functools import partial

import pytest

from concolor.encoders import ENCODERS, Encoder
from concolor.errors import InputError, UnknownName
from concolor.registry import chosen, first_line, resolve, spelled
from concolor.solvers import SOLVERS


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_is_at_home(name):
    pytest.importorskip("pysat")
    assert callable(SOLVERS[name].run)


@pytest.mark.parametrize("name", ENCODERS)
def test_every_encoder_is_at_home(name):
    entry = ENCODERS[name]
    assert callable(entry.make)
    assert entry.doc and not entry.doc.endswith(".")


def test_a_home_that_is_not_there_is_an_error():
    with pytest.raises(AttributeError):
        resolve("math:hypotenuse")
    with pytest.raises(ModuleNotFoundError):
        resolve("concolor.nowhere:thing")


def test_a_choice_is_a_name_an_entry_or_a_function():
    entry, table = Encoder("an entry", max), {"largest": max, "smallest": min}
    assert chosen("largest", table, "way", Encoder) is max
    assert chosen(sum, table, "way", Encoder) is sum
    assert chosen(entry, table, "way", Encoder) is entry
    with pytest.raises(UnknownName, match="unknown way 'largets'; did you mean 'largest'"):
        chosen("largets", table, "way", Encoder)
    for given in (3, None, [max]):
        with pytest.raises(InputError, match="Names: largest, smallest"):
            chosen(given, table, "way", Encoder)
    with pytest.raises(InputError, match=r"must be a name or a function of yours, got Encoder"):
        chosen(entry, table, "way")


class Callable:
    def method(self):
        pass

    def __call__(self):
        pass


def test_choices_are_spelled_by_their_home():
    here = f"{__name__}:Callable"
    assert spelled("tabucol") == "tabucol"
    assert spelled(Callable) == spelled(Callable()) == spelled(partial(Callable())) == here
    assert spelled(Callable().method) == f"{here}.method"
    assert spelled(Encoder("", "gated_gcn:gated_gcn")) == "concolor.encoders.gated_gcn:gated_gcn"


def test_the_first_line_of_a_docstring_or_the_spelling():
    assert first_line(spelled) == spelled.__doc__.splitlines()[0]
    assert first_line(Callable.method) == f"{__name__}:Callable.method"
