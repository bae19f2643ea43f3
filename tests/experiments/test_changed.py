"""Searches for settings and rows with what they found: asked, shown, and never mixed up."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from concolor.experiments.cells import Learned, Studied
from concolor.experiments.changed import (
    ablated,
    changed_records,
    logarithmic,
    studies_section,
    study_records,
    tuned,
)
from concolor.experiments.render import TUNED, section
from concolor.experiments.runner import run
from concolor.experiments.store import Store
from concolor.experiments.studies import SEARCHED, studies, study, tuned_row
from concolor.experiments.suites import SUITES
from concolor.experiments.tables import cells, main_studies, main_tables, table_rows
from concolor.graph.validation import validation_graphs
from concolor.learning.recipe import Recipe
from concolor.tuning.study import Trial

ROOT = Path(__file__).parents[2]
FREE = ("color-myciel", "color-queen", "cycles")  # need no files
TABLE, ROW = "color-best-by-family", "queen/random/gps_sage/v2"


def found(settings):
    """The line of the search for the row above, as the runner would have left it."""
    row = table_rows(TABLE)[ROW]
    cell = main_studies()[Learned(row.train, row.recipe, "").training]
    trial = asdict(Trial(3, settings, "complete", 1.1, {}, 80, 1.0))
    first = {**trial, "number": 0, "value": 1.2}
    line = {"settings": settings, "best": trial, "first": first, "trials": [first, trial]}
    about = json.loads(json.dumps({"key": cell.key, **cell.about}))
    return {cell.key: {**about, **line, "importance": {"tau": 0.7, "lr": 0.3}}}


def test_every_learned_row_of_the_main_text_has_a_search_on_graphs_of_its_suites():
    for table in main_tables():
        for row in table_rows(table).values():
            if row.method != "learned":
                continue
            cell = main_studies()[Learned(row.train, row.recipe, "").training]
            assert cell.recipe.but(features=row.recipe.features) == row.recipe
            assert {SUITES[suite].data for suite in row.suites.values()} <= set(cell.judges)
            assert all(validation_graphs(name) for name in cell.judges if name in FREE)
    assert len({cell.key for cell in main_studies().values()}) == len(list(study_records({})))


def test_rows_are_tuned_only_by_a_search_that_is_done():
    row = table_rows(TABLE)[ROW]
    assert tuned_row(row, main_studies(), {}) is None
    assert list(tuned({})) == [] and cells(["tuned"], lines={}) == []
    lines = found({"tau": 0.2, "form": "log"})
    better = tuned_row(row, main_studies(), lines)
    assert better is not None and better.recipe == row.recipe.but(tau=0.2, form="log")
    assert better.seeds == 10
    (one,) = tuned(lines)
    assert (one.name, one.words) == (ROW, "tau=0.2 form=log")
    asked = cells(["tuned"], lines=lines)
    assert {cell.suite for cell in asked} == {"queen/id", "queen/ood"} and len(asked) == 20
    other = {key: {**line, "recipe": {**line["recipe"], "tau": 0.9}} for key, line in lines.items()}
    assert tuned_row(row, main_studies(), other) is None  # of another recipe


def test_a_search_that_changed_nothing_gives_the_row_itself():
    row = table_rows(TABLE)[ROW]
    better = tuned_row(row, main_studies(), found({}))
    assert better is not None and better.cells("id", 10) == row.cells("id", 10)
    (one,) = tuned(found({}))
    assert one.words == "as it is"


def test_the_page_shows_what_was_searched_and_what_was_found():
    text = studies_section(found({"tau": 0.23456, "form": "log"}))
    (line,) = (x for x in text.splitlines() if "color-queen" in x)
    assert "| 2 | 1.200 | 1.100 | tau=0.235 form=log |" in line
    assert text.count("| not run |") == len(list(study_records({}))) - 1
    heads = next(x for x in section(TABLE, {}).splitlines() if x.startswith("| row |"))
    assert f"{TUNED}, rho_id / rho_ood" in heads
    assert TUNED not in section("v2-tuning", {})  # of the appendix


def test_tuned_cells_stand_in_the_column_of_the_main_text():
    lines = Store(ROOT / "results").lines() | found({})  # the row itself, which is there
    (line,) = (x for x in section(TABLE, lines).splitlines() if x.startswith(f"| {ROW}"))
    heads = next(x for x in section(TABLE, lines).splitlines() if x.startswith("| row |"))
    at = [head.split(",")[0] for head in heads.strip("| ").split(" | ")].index(TUNED)
    cell = line.strip("| ").split(" | ")
    for part, whole in zip(cell[at].split(" / "), (cell[1], cell[4]), strict=True):
        assert whole.startswith(part)


def test_the_logarithmic_form_is_asked_of_message_passing_with_ten_seeds():
    rows = list(logarithmic())
    assert {one.name.split("/")[0] for one in rows} == {"cora", "citeseer", "pubmed"}
    assert not any("gps" in one.name for one in rows)
    assert {(one.row.recipe.form, one.row.seeds) for one in rows} == {("log", 10)}
    assert len(cells(["log-form"])) == 10 * len(rows)
    assert all(record["seeds"] == 0 for record in changed_records(rows, {}))


def test_ablations_have_three_seeds_each():
    assert {one.row.seeds for one in ablated()} == {3}


@pytest.mark.slow
def test_a_search_is_a_cell_that_is_run_once(tmp_path, monkeypatch):
    monkeypatch.setattr("concolor.experiments.studies.JUDGES", 1)
    base = Recipe(features="random", pipeline="v1abs", hidden=8, feature_dim=4, epochs=1)
    cell = Studied("color-myciel", base.but(decoder="kmedoids"), ("color-myciel",), 2)
    run([cell], Store(tmp_path))
    run([cell], Store(tmp_path))
    assert (tmp_path / "studies.jsonl").read_text().count("\n") == 1
    line = Store(tmp_path).lines()[cell.key]
    again = json.loads(json.dumps(study(cell)))
    assert again["settings"] == line["settings"] and again["best"]["value"] == line["best"]["value"]
    assert set(line["best"]["settings"]) <= set(SEARCHED)
    assert set(line["settings"].items()) <= set(line["best"]["settings"].items())
    assert line["validation"] == [validation_graphs("color-myciel")[0].name]


def test_rows_that_differ_in_the_adaptation_of_words_share_a_search():
    rows = table_rows("bow-adapt-subgraph-v2-main").values()
    learned = [row for row in rows if row.method == "learned"]
    assert len({cell.key for cell in studies(learned).values()}) == 3  # one an encoder
