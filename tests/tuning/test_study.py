"""A search is repeatable, resumable, and judges by graphs that it does not train on."""

import json
from dataclasses import asdict

import pytest

import concolor as cc
from concolor.errors import InputError, Interrupted
from concolor.graph.families import family
from concolor.learning.recipe import Recipe
from concolor.learning.train import train
from concolor.learning.validation import Validator
from concolor.tuning import Span
from concolor.tuning.attempt import Question, attempt
from concolor.tuning.study import tune

GRAPHS = [family(f"cycle:{n}") for n in range(10, 18)]
JUDGES = [family("cycle:20"), family("wheel:8")]
BASE = Recipe(features="random", pipeline="v1abs", hidden=8, feature_dim=4, epochs=2)
SPACE = {"tau": Span(0.1, 0.5), "lr": Span(0.001, 0.03, log=True)}


def search(trials=3, **more):
    more = {"base": BASE, "space": SPACE, "k_max": 6, "validation": JUDGES} | more
    return tune(GRAPHS, trials=trials, **more)


def plain(found):
    """A search without the seconds that it took."""
    return [{**asdict(trial), "seconds": 0.0} for trial in found.trials]


@pytest.mark.slow
def test_the_first_trial_is_the_base_and_the_best_is_the_lowest():
    found = search()
    first = found.trials[0]
    assert first.settings == {"tau": BASE.tau, "lr": 0.01}
    validator = Validator(JUDGES, k_max=6)
    assert first.figures == asdict(validator.of(train(BASE, GRAPHS, device="cpu")))
    assert found.best.value == min(t.value for t in found.trials if t.state == "complete")
    assert found.recipe == BASE.but(**found.best.settings)
    assert json.loads(json.dumps(found.to_dict()))["best"]["number"] == found.best.number


@pytest.mark.slow
def test_a_search_that_goes_on_is_the_search_that_was_never_stopped(tmp_path):
    file = tmp_path / "one.study"
    whole = plain(search(5))
    assert plain(search(2, storage=file)) == whole[:2]
    assert plain(search(5, storage=file)) == whole
    assert plain(search(3, storage=file)) == whole  # what is there stays
    assert plain(search(5, seed=1))[1:] != whole[1:]


@pytest.mark.slow
def test_ctrl_c_carries_the_search_so_far_and_leaves_one_that_goes_on(tmp_path):
    file = tmp_path / "cut.study"

    def press(found, asked):
        if len(found.trials) == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stop:
        search(4, storage=file, progress=press)
    assert len(stop.value.best.trials) == 2 and stop.value.best.stopped == "interrupted"
    assert plain(search(4, storage=file)) == plain(search(4))


@pytest.mark.slow
def test_another_search_is_not_gone_on_with(tmp_path):
    file = tmp_path / "a.study"
    search(1, storage=file)
    with pytest.raises(InputError, match="other base"):
        search(2, storage=file, base=BASE.but(hidden=16))
    with pytest.raises(InputError, match="graphs"):
        search(2, storage=file, validation=JUDGES[:1])
    file.write_text("no study")
    with pytest.raises(InputError, match="no study of Optuna"):
        search(1, storage=file)


def test_a_judge_that_is_trained_on_is_refused_and_too_few_graphs_hold_none_out():
    with pytest.raises(InputError, match="among the training graphs"):
        search(validation=GRAPHS[:1])
    with pytest.raises(InputError, match="every fifth"):
        tune(GRAPHS[:3], base=BASE, space=SPACE, trials=1)


@pytest.mark.slow
def test_a_trial_that_falls_behind_is_given_up():
    question = Question(GRAPHS, Validator(JUDGES, k_max=6), "rho", "cpu")
    seen = []

    def at_once(epoch, value):
        seen.append((epoch, value))
        return True

    found = attempt(question, BASE.but(epochs=8), at_once)
    assert (found.state, found.epochs, len(seen)) == ("pruned", 2, 1)
    assert attempt(question, BASE, lambda epoch, value: False).state == "complete"
    assert attempt(question, BASE.but(epochs=8), at_once, time_limit=0.0).state == "cut"


@pytest.mark.slow
def test_a_training_that_diverges_is_no_end_of_the_search():
    found = search(5, space={"lr": (0.01, 1e30)})
    failed = [trial for trial in found.trials if trial.error]
    assert failed and {trial.state for trial in failed} == {"pruned"}
    assert {trial.settings["lr"] for trial in failed} == {1e30} and found.recipe.lr == 0.01
    with pytest.raises(InputError, match="all 1 trials failed, the first: "):
        search(1, base=BASE.but(lr=1e30, epochs=4), space={"tau": (0.1,)})


@pytest.mark.slow
def test_a_search_within_no_time_says_so():
    with pytest.raises(InputError, match="no trial was finished within 0"):
        search(2, time_limit=0.0)


def test_the_public_name_is_the_search():
    assert cc.tune is tune
