"""The search space: what is asked of a trial, and what a text may say of it."""

import pytest

from concolor.errors import InputError, UnknownName
from concolor.graph.families import family
from concolor.learning.recipe import Recipe
from concolor.tuning import SPACE, Span, narrowed
from concolor.tuning.space import checked, own_values, recipe_of

GRAPHS = [family(f"cycle:{n}") for n in (9, 10)]


class First:
    """A trial that takes the first of everything, and notes what it was asked."""

    def __init__(self, **wishes):
        self.asked, self.wishes = [], wishes

    def suggest_categorical(self, name, choices):
        return self._noted(name, choices[0])

    def suggest_int(self, name, low, high, *, log=False):
        return self._noted(name, low)

    def suggest_float(self, name, low, high, *, log=False):
        return self._noted(name, low)

    def _noted(self, name, first):
        self.asked.append(name)
        return self.wishes.get(name, first)


def test_only_fields_that_matter_to_the_recipe_are_asked():
    base = Recipe(encoder="gcn", features="random")
    plain = First(pipeline="v1")
    recipe_of(plain, SPACE, base, GRAPHS)
    assert {"tau", "form", "lr"} <= set(plain.asked)
    assert not {"heads", "expander_degree", "lambda_soft", "passes"} & set(plain.asked)
    soft = First(pipeline="v2abs")
    found = recipe_of(soft, SPACE, base.but(encoder="gps_gcn", decoder="kmedoids"), GRAPHS)
    assert {"heads", "lambda_soft", "degree_power", "tau_soft", "passes"} <= set(soft.asked)
    assert soft.asked[0] == "pipeline" and found.pipeline == "v2abs" and found.encoder == "gps_gcn"


def test_a_base_outside_the_space_has_no_place_in_it():
    base = Recipe(features="random", pipeline="v1")
    own = own_values(SPACE, base, GRAPHS)
    assert own is not None and own["lr"] == 0.01 and own["tau"] == base.tau
    assert own_values(SPACE, base.but(tau=5.0), GRAPHS) is None
    assert own_values(SPACE, base.but(pipeline="v5"), GRAPHS) is None


def test_texts_narrow_widen_and_fix_the_space():
    found = narrowed(["tau=0.1..0.5", "encoder=gcn,gat", "layers=2"])
    assert found["tau"] == Span(0.1, 0.5) and found["encoder"] == ("gcn", "gat")
    assert found["layers"] == (2,) and found["lr"] == SPACE["lr"]
    assert list(narrowed([], only=["lr", "tau"])) == ["lr", "tau"]
    whole = narrowed(["layers=2..4"], only=["layers"])["layers"]
    assert isinstance(whole, Span) and 3 in whole and 5 not in whole


@pytest.mark.parametrize(
    "texts", [["tau"], ["tau="], ["tau=0.5..0.1"], ["tau=0..1:log"], ["tau=0.1..1:exp"]]
)
def test_a_text_that_is_no_space_is_refused(texts):
    with pytest.raises(InputError):
        narrowed(texts)


def test_words_are_no_span_and_unknown_fields_are_named():
    with pytest.raises(InputError, match="numbers"):
        narrowed(["encoder=gcn..gat"])
    with pytest.raises(UnknownName, match="layers"):
        narrowed(["layer=2..3"])
    with pytest.raises(UnknownName, match="tau"):
        narrowed([], only=["taus"])


def test_a_seed_or_nothing_is_not_to_be_searched():
    for space in ({"seed": (0, 1)}, {}, {"tau": ()}):
        with pytest.raises(InputError):
            checked(space, Recipe(features="random"), GRAPHS)
