import json
from dataclasses import asdict

import pytest

from concolor.errors import InputError, UnknownName
from concolor.learning.recipe import PIPELINES, RECIPES, Recipe


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_survive_json(name):
    recipe = RECIPES[name]
    assert Recipe.from_dict(json.loads(json.dumps(asdict(recipe)))) == recipe


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
    ],
)
def test_values_out_of_range_are_refused_by_name(changes):
    with pytest.raises(InputError, match=next(iter(changes))):
        Recipe().but(**changes)


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
