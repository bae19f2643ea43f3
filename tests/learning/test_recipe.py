import json
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from concolor.decoding import Decoder
from concolor.decoding.cluster import means
from concolor.encoders import ENCODERS, Encoder
from concolor.errors import InputError, UnknownName
from concolor.features import FEATURES, Feature
from concolor.graph.families import family
from concolor.learning.labels import LABELERS
from concolor.learning.pipelines import PIPELINES
from concolor.learning.recipe import RECIPES, Recipe, Settled, settle


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_survive_json(name):
    recipe = RECIPES[name]
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


def test_the_key_tells_recipes_apart_and_nothing_else():
    assert Recipe().key == Recipe().key
    assert Recipe().key != Recipe(tau=0.1).key


def test_text_assignments_take_the_type_of_their_field():
    recipe = Recipe(features="random").parsed(
        ["tau=0.1", "epochs=3", "signnet=true", "features=none", "lr=1", "encoder=gcn"]
    )
    assert (recipe.tau, recipe.epochs, recipe.signnet) == (0.1, 3, True)
    assert (recipe.features, recipe.lr, recipe.encoder) == (None, 1.0, "gcn")


@pytest.mark.parametrize(
    "bad", ["epochs=1.5", "signnet=maybe", "tau=cold", "tau", "epochs=none", "tau=nan", "lr=-1"]
)
def test_bad_assignments_are_refused(bad):
    with pytest.raises(InputError):
        Recipe().parsed([bad])


@pytest.mark.parametrize(
    "changes",
    [
        {"tau": 0.0},
        {"tau": float("inf")},
        {"dropout": 1.0},
        {"hidden": 0},
        {"hidden": 10**9},
        {"form": "sum"},
        {"epochs": True},
        {"encoder": 3},
        {"seed": -1},
        {"batch_size": 0},
        {"steps": 0},
        {"clip": 0.0},
        {"decay": 1},
        {"relabel": -1},
        {"hidden": "16"},
        {"hidden": None},
        {"hidden": 16.0},
        {"lr": "fast"},
        {"signnet": "yes"},
        {"pipeline": 3},
        {"form": None},
        {"features": 5},
        {"labels": None},
        {"labels": [0, 1]},
        {"decoder": 3.5},
        {"encoder": Feature("not an encoder", np.zeros, 3)},
        {"decoder": Encoder("not a decoder", max)},
        {"expander_degree": 3},
        {"heads": 3, "encoder": "gat"},
    ],
)
def test_values_out_of_range_and_of_wrong_types_are_refused_by_name(changes):
    name = next(iter(changes))
    with pytest.raises(InputError, match=name) as refused:
        Recipe(**changes)
    assert repr(changes[name]) in str(refused.value) or name == "heads"
    with pytest.raises(InputError, match=name):
        Recipe().but(**changes)


def test_refusals_say_what_was_given_and_what_is_expected():
    with pytest.raises(InputError, match="hidden must be a whole number, got '16'"):
        Recipe(hidden="16")
    with pytest.raises(InputError, match="lr must be a number or none, got 'fast'"):
        Recipe(lr="fast")
    with pytest.raises(InputError, match="decoder must be a name or a function of yours or Decode"):
        Recipe(decoder=3)


@pytest.mark.parametrize(
    ("field", "table"),
    [("encoder", ENCODERS), ("features", FEATURES), ("labels", LABELERS)],
)
def test_names_are_looked_up_when_the_recipe_is_made(field, table):
    for name in table:
        assert getattr(Recipe(**{field: name}), field) == name
        with pytest.raises(UnknownName, match=f"unknown {field} '{name}x'; did you mean"):
            Recipe(**{field: name + "x"})


def test_a_decoder_is_looked_up_when_the_recipe_is_made():
    with pytest.raises(UnknownName, match="unknown decoder 'linse'; did you mean 'lines'"):
        Recipe(decoder="linse")


def test_unknown_names_come_with_a_guess():
    with pytest.raises(UnknownName, match="did you mean 'epochs'"):
        Recipe().parsed(["epoch=3"])
    with pytest.raises(UnknownName, match="Known: v1"):
        Recipe(pipeline="v9")


def test_what_later_versions_added_is_off_where_an_older_file_does_not_name_it():
    recipe = Recipe.from_dict({"encoder": "gcn"})
    assert (recipe.steps, recipe.decay, recipe.clip, recipe.relabel) == (None, False, None, None)


def test_pipelines_are_those_of_the_paper():
    assert list(PIPELINES) == ["v1", "v1abs", "v2", "v2abs", "v3", "v4", "v5"]
    assert [name for name, p in PIPELINES.items() if p.absolute] == ["v1abs", "v2abs"]
    assert [name for name, p in PIPELINES.items() if p.soft] == ["v2", "v2abs", "v5"]
    assert [name for name, p in PIPELINES.items() if not p.contrastive] == ["v5"]


def my_encoder(sizes):
    raise AssertionError("a recipe builds nothing")


OWN = {
    "encoder": my_encoder,
    "features": partial(my_encoder),
    "labels": my_encoder,
    "decoder": Decoder("k-means by another name", means, sees_lines=False),
}


def test_functions_of_the_users_own_make_a_recipe():
    recipe = Recipe(**OWN)
    assert recipe == Recipe(**OWN) != Recipe()
    assert hash(recipe) == hash(Recipe(**OWN))
    assert {recipe: 1}[Recipe(**OWN)] == 1
    assert recipe.but(tau=0.1).but(tau=0.3) == recipe
    assert recipe.but(tau=0.1).decoder is OWN["decoder"]


def test_functions_are_spelled_by_their_home():
    recipe, here = Recipe(**OWN), f"{__name__}:my_encoder"
    plain = recipe.to_dict()
    assert (plain["encoder"], plain["features"], plain["labels"]) == (here, here, here)
    assert plain["decoder"] == "concolor.decoding.cluster:means"
    assert json.loads(json.dumps(plain)) == plain
    assert f"encoder={here} features={here}" in recipe.describe()
    assert recipe.key == Recipe(**OWN).key != Recipe().key
    with pytest.raises(UnknownName, match="my_encoder"):  # no code is found by a text
        Recipe.from_dict(plain)


def test_the_key_of_a_recipe_of_names_is_what_it_always_was():
    assert Recipe().key == "a07828c6fc"
    assert Recipe(run_in=8).key != Recipe().key
    assert Recipe.named("general").key == "8ba4a1d29b"


def test_a_settled_recipe_leaves_nothing_open():
    bare, worded = [family("cycle:5")], [family("cycle:5").but(x=np.ones((5, 2)))]
    first = settle(Recipe(), worded)
    assert (first.features, first.lr, first.decoder) == ("bow", 0.01, "kmedoids")
    assert settle(Recipe(), bare).features == "random"
    assert settle(Recipe(pipeline="v3"), bare).features == "structural"
    assert settle(Recipe(encoder="gps"), bare).lr == 0.003
    assert settle(Recipe(encoder=Encoder("", my_encoder, beyond_neighbors=True)), bare).lr == 0.003
    assert settle(Recipe(encoder=my_encoder), bare).lr == 0.01
    assert settle(Recipe(pipeline="v1abs"), bare).decoder == "lines"
    own = settle(Recipe(**OWN, lr=0.5), bare)
    assert (own.features, own.lr, own.decoder) == (OWN["features"], 0.5, OWN["decoder"])
    assert settle(own, worded) == own


def test_a_settled_recipe_equals_the_recipe_that_says_the_same():
    recipe = Recipe.named("general")
    settled = settle(recipe, [])
    assert type(settled) is Settled
    assert settled == recipe and recipe == settled and hash(settled) == hash(recipe)
    assert settled.key == recipe.key
    assert type(settled.but(features=None)) is Recipe
    with pytest.raises(InputError, match="lr must be settled, got None"):
        replace(settled, lr=None)


@pytest.mark.slow
def test_recipes_need_no_torch():
    program = (
        "import sys\n"
        "from concolor.learning.recipe import RECIPES, Recipe\n"
        "Recipe(encoder='gps', features='pca', labels='optimal', decoder='kmeans')\n"
        "assert not {'torch', 'torch_geometric', 'numba', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
