"""The page beside the paper is what the results say, and judges by its stated rules."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from concolor.experiments.ablations import changes_of
from concolor.experiments.comparison import Comparison, Ours, compared
from concolor.experiments.explanations import TRADED, UNEXPLAINED, explanation
from concolor.experiments.measure import METHODS
from concolor.experiments.paper import Record, printed
from concolor.experiments.render import _number, page, section, summary
from concolor.experiments.standings import standings
from concolor.experiments.store import Store
from concolor.experiments.tables import TABLES, beside, cells, table_rows
from shell import concolor

ROOT = Path(__file__).parents[2]


def rho(values, raw="1.00±0.10", *, metric="rho", asked=10):
    mean, _, std = raw.partition("±")
    number = None if mean in ("NA", "timeout", "--") else float(mean)
    record = Record("row", metric, number, float(std) if std else None, raw)
    return Comparison(record, Ours(tuple(values), asked), metric)


@pytest.mark.slow
def test_the_committed_page_is_what_the_committed_results_give():
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == page(
        Store(ROOT / "results").lines()
    )


def test_the_distance_is_in_standard_deviations_of_the_paper():
    assert rho([1.2, 1.4]).distance == pytest.approx(3.0)
    assert rho([1.001, 0.999]).distance == 0.0  # equal as printed
    ours_is_the_unit = rho([1.2, 1.4], "1.00")
    assert ours_is_the_unit.distance == pytest.approx(0.3 / (0.2 / 2**0.5))
    assert rho([1.3], "1.00").distance is None


@pytest.mark.parametrize(
    ("comparison", "verdict"),
    [
        (rho([1.1, 1.2]), "same"),
        (rho([1.2, 1.4]), "worse"),
        (rho([0.7, 0.7]), "better"),
        (rho([1.0, 0.2], metric="hit"), "worse"),
        (rho([0.02, 0.03], "0.0100±0.0010", metric="mono"), "other"),
        (rho([4.0, None], "4.0±0.1", metric="k_0.05"), "worse"),
        (rho([4.0, 4.0], "NA", metric="k_0.05"), "better"),
        (rho([None], "NA", metric="k_0.05"), "same"),
        (rho([None], "NA", metric="mono"), ""),
        (rho([3.0], "4.0±0.0", metric="k_0.05"), "better"),
        (rho([4.0, 5.0], "4.0±0.0", metric="k_0.05"), "same"),
        (rho([5.0, 5.0], "4.0±0.0", metric="k_0.05"), "worse"),
        (rho([5.0], "4.0", metric="k_0.05"), ""),
        (rho([]), ""),
        (rho([3.0], "--"), ""),
    ],
)
def test_verdicts(comparison, verdict):
    assert comparison.verdict == verdict


def test_hits_are_never_averaged_with_misses():
    assert Ours((4.0, None, 5.0), 10).mean is None
    assert Ours((4.0, 5.0), 10).mean == 4.5
    assert Ours((4.0,), 10).std is None


def lines_of(table, row, *, rho, null, spectral=2.2, hit=1.0):
    """Results of one learned row, as the runner would have left them."""
    found = table_rows(table)[row]
    lines = {}

    def add(cell, value):
        graphs = {"k": [4], "conflicts": [0], "seconds": [0.1]}
        metrics = {"k": 4, "mono": 0.01, "rho": value, "hit": hit, "graphs": 1, "chi_greedy": 4}
        facts = {"name": ["g"], "edges": [10], "nodes": [5], "chi": [4]}
        line = {"key": cell.key, **cell.about, "metrics": metrics, "graphs": graphs | facts}
        lines[cell.key] = json.loads(json.dumps(line | {"params": 7}))

    for cell in found.cells("", 10):
        add(cell, rho + 0.01 * cell.seed)
    for name, group in beside(found.suites[""]).items():
        for cell in group:
            add(cell, {"null": null, "spectral": spectral}.get(name, 1.0))
    return lines


def test_a_row_is_judged_beside_the_paper_and_the_controls():
    table, row = "full-encoder-sweep", "gcn/v1"  # the paper has 1.40 +- 0.14
    (good, *rest) = standings(lines_of(table, row, rho=1.3, null=2.5), [table])
    assert (good.row, good.verdict, good.tested) == (row, "same", "same")
    assert good.beats == {"null": True, "spectral": True}
    assert {standing.verdict for standing in rest} == {"not run"}
    (bad, *_) = standings(lines_of(table, row, rho=1.9, null=1.5), [table])
    assert (bad.verdict, bad.tested) == ("worse", "worse")
    assert bad.beats == {"null": False, "spectral": True}
    (plain, *_) = standings(lines_of(table, row, rho=1.1, null=2.5, spectral=1.1), [table])
    assert plain.beats == {"null": True, "spectral": False}
    assert (plain.verdict, plain.tested) == ("same", "better")  # 1.8 std, and 6 standard errors
    counted = list(summary([good, bad, plain]))
    assert counted[6] == "| all learned: 3 | 2 std | 0 | 2 | 1 | 0 | 0 | 0 | 1 | 1 |"
    assert counted[7] == "|  | Welch | 1 | 1 | 1 | 0 | 0 | 0 | 1 | 1 |"
    assert counted[8].startswith("| different ones: 1 | 2 std | 0 | 0 | 1 |")


def test_a_row_that_is_worse_in_another_column_is_marked():
    table, row = "full-encoder-sweep", "gcn/v1"
    lines = lines_of(table, row, rho=1.3, null=2.5, hit=0.5)
    (found, *_) = standings(lines, [table])
    assert found.verdict == "same" and "hit" in found.elsewhere
    assert f"| {row} † |" in section(table, lines)
    (fine, *_) = standings(lines_of(table, row, rho=1.3, null=2.5, hit=1.0), [table])
    assert "hit" not in fine.elsewhere


def test_the_correction_is_for_all_rows_together():
    table, row = "full-encoder-sweep", "gcn/v1"
    alone = lines_of(table, row, rho=1.47, null=2.5)  # p = 0.03
    others = {r.row: r.mean for r in printed(table) if r.column == "rho" and r.row != row}
    many = {}
    for name, mean in others.items():
        many |= lines_of(table, name, rho=mean - 0.045, null=2.5)  # equal to the paper's
    (found, *_) = standings(alone, [table])
    assert (found.row, found.verdict, found.tested) == (row, "same", "worse")
    (found, *_) = standings(many | alone, [table])
    assert (found.row, found.verdict, found.tested) == (row, "same", "same")


def test_the_section_marks_what_is_far_and_says_what_was_not_run():
    table, row = "full-encoder-sweep", "gcn/v1"
    text = section(table, lines_of(table, row, rho=1.91, null=2.5))
    line = next(line for line in text.splitlines() if line.startswith(f"| {row} ⊖ |"))
    assert "1.96 ± 0.03 (1.40 ± 0.14; +4.0σ) ▲" in line
    assert "| 2.50 ± 0.00 | 2.20 ± 0.00 |" in line  # the null, then spectral
    assert "not run (1.43±0.13)" in text  # gcn/v2
    assert "gcn/v1 rho" in text.split("Marked")[1]


@pytest.mark.parametrize(
    ("table", "row", "mark"),
    [
        ("fullgraph-contrastive-results", "pubmed/gps_gcn/v1", " [1 seed]"),
        ("fullgraph-contrastive-results", "pubmed/gated_gcn/v1", ""),
        ("baseline-summary", "large/pi_gnn", " [3 seeds, 60 s a graph]"),
        ("fullgraph-BOW-specs", "pubmed", ""),  # facts have no seeds
    ],
)
def test_rows_with_fewer_seeds_or_less_time_than_the_paper_are_marked(table, row, mark):
    names = [line.split(" | ")[0] for line in section(table, {}).splitlines()]
    assert f"| {row}{mark}" in names


@pytest.mark.slow
def test_every_marked_cell_has_its_reason():
    lines = Store(ROOT / "results").lines()
    for name in TABLES:
        rows, text = table_rows(name), section(name, lines)
        for row_name, row in rows.items():
            records = [r for r in printed(name) if r.row == row_name and r.mean is not None]
            mine = {record.column: compared(record, row, lines) for record in records}
            for column, found in mine.items():
                if found.verdict in UNEXPLAINED:
                    why = explanation(name, found, mine, lines)
                    (line,) = (x for x in text.splitlines() if x.startswith(f"- {why}: "))
                    assert f"{row_name} {column}" in line


def test_settings_explain_a_cell_only_if_they_reach_the_figure():
    table, row = "citeseer-transfer-results", "gps_gin/v2"  # the paper has 1.06 +- 0.08
    lines = lines_of(table, row, rho=1.4, null=2.5)
    (change,) = changes_of(table, row)
    cell = compared(
        next(r for r in printed(table) if (r.row, r.column) == (row, "rho")),
        table_rows(table)[row],
        lines,
    )
    assert explanation(table, cell, {"rho": cell}, lines) == "Unexplained"
    for rho, words in (
        (1.1, f"`{change.words}` reaches it (3 seeds)"),
        (1.5, f"Unexplained (`{change.words}` gives 1.51 ± 0.01 with 3 seeds)"),
    ):
        more = dict(lines)
        for tried in change.row(table_rows(table)[row]).cells("", 3):
            key = table_rows(table)[row].cell("", tried.seed).key
            metrics = {**lines[key]["metrics"], "rho": rho + 0.01 * tried.seed}
            more[tried.key] = {**lines[key], **tried.about, "metrics": metrics}
        assert explanation(table, cell, {"rho": cell}, more) == words
        del more[tried.key]  # two seeds explain nothing
        assert explanation(table, cell, {"rho": cell}, more) == "Unexplained"


def test_a_neural_baseline_is_also_asked_by_its_published_rules():
    row = table_rows("color-book-detail")["book/baseline/pi_gnn"]
    (change,) = changes_of("color-book-detail", "book/baseline/pi_gnn")
    asked = change.row(row).cell("id", 2)
    assert asked.key == "method=pi-gnn faithful seconds=60 seed=2 on=book/id"
    assert asked.key in {cell.key for cell in cells(["ablations"])}
    assert asked.method in METHODS


def test_the_papers_other_figure_for_the_same_explains_a_cell():
    table, row = "color-best-by-family", "queen/random/gps_sage/v2"
    lines = Store(ROOT / "results").lines()
    (change,) = changes_of(table, row)  # as if it had not been tried, which would come first
    for seed in range(3):
        del lines[change.row(table_rows(table)[row]).cell("id", seed).key]
    record = next(r for r in printed(table) if (r.row, r.column) == (row, "rho_id"))
    cell = compared(record, table_rows(table)[row], lines)
    why = explanation(table, cell, {"rho_id": cell}, lines)
    assert why == "The paper has 0.97 ± 0.05 for it in `color-queen-detail`"


@pytest.mark.parametrize(("k", "traded"), [(5.0, True), (5.88, False), (6.9, False)])
def test_more_conflicts_are_explained_by_fewer_colors_and_by_nothing_else(k, traded):
    row = {
        "k": rho([k], "5.88±0.54", metric="k"),
        "mono": rho([0.0437], "0.0290±0.0032", metric="mono"),
    }
    mono = replace(row["mono"], record=replace(row["mono"].record, row="gin/v1"))
    why = explanation("full-encoder-sweep", mono, row, {})
    assert why == (TRADED if traded else UNEXPLAINED["other"])


def test_averages_over_missed_seeds_are_no_figure_to_compare_with():
    name = "bow-adapt-full-v2"
    raw = {(r.row, r.column): r for r in printed(name)}
    missed = raw["cora->citeseer/hybrid/gated_gcn/v2", "k_0.02"]
    assert missed.raw == "3.8±8.0" and missed.mean is None
    assert Comparison(missed, Ours((5.0, None), 10), "k_0.02").verdict == ""
    assert raw["cora->citeseer/hybrid/gated_gcn/v2", "k_0.05"].mean is not None


def test_what_ran_out_of_time_is_called_so():
    lines = Store(ROOT / "results").lines()
    text = section("cora-transfer-abs-random-fullgraph", lines)
    (cut,) = (line for line in text.splitlines() if line.startswith("| cora->pubmed/full_gcn"))
    assert cut.split(" | ")[1].startswith("NA (1 timeout) (timeout)") and "43931" not in cut
    alone = {key: line for key, line in lines.items() if "seed=0" in key}
    (cut,) = (
        line
        for line in section("cora-transfer-abs-random-fullgraph", alone).splitlines()
        if line.startswith("| cora->pubmed/full_gcn")
    )
    assert cut.split(" | ")[1].startswith("timeout [1 of 3]") and "43931" not in cut


@pytest.mark.parametrize(
    ("values", "late", "shown"),
    [
        ((None, 3.0, 4.0), 0, "NA (1 missed)"),
        ((None, 3.0, None), 1, "NA (1 timeout, 1 missed)"),
        ((None, None, None), 0, "NA"),
        ((None, None, None), 2, "NA (2 timeout, 1 missed)"),
        ((None, None, None), 3, "timeout"),
    ],
)
def test_seeds_that_ran_out_of_time_did_not_miss(values, late, shown):
    assert _number(Ours(values, 3, late), 2) == shown


def test_fewer_seeds_are_said():
    table, row = "full-encoder-sweep", "gcn/v1"
    lines = lines_of(table, row, rho=1.2, null=2.5)
    del lines[table_rows(table)[row].cell("", 9).key]
    assert "1.24 ± 0.03 [9 of 10] (1.40" in section(table, lines)


def test_why_a_row_has_one_seed_is_said_by_what_its_trainings_took():
    table, rows = "fullgraph-threshold-rerun", ("pubmed/gps_gcn/v1", "pubmed/gps_sage/v1")
    lines = Store(ROOT / "results").lines()
    for row, seconds in zip(rows, (3000, 1200), strict=True):
        lines[table_rows(table)[row].cell("", 0).key]["seconds"]["train"] = seconds
    told = "One seed where a training takes 20 to 50 minutes on one core"
    assert told in section(table, lines).splitlines()[-1]
    assert "One seed where" not in section(table, {})


@pytest.mark.slow
def test_the_command_lists_shows_and_renders(tmp_path):
    code, out, _ = concolor("reproduce", "--list", "--json", "--results", tmp_path)
    assert code == 0 and len(json.loads(out)) == 47
    code, out, _ = concolor(
        "reproduce", "full-encoder-sweep", "--no-run", "--results", ROOT / "results"
    )
    assert code == 0 and out.strip() == section(
        "full-encoder-sweep", Store(ROOT / "results").lines()
    )
    target = tmp_path / "page.md"
    assert concolor("reproduce", "--render", target, "--results", ROOT / "results")[0] == 0
    assert target.read_text(encoding="utf-8") == page(Store(ROOT / "results").lines())


@pytest.mark.slow
@pytest.mark.skipif("CONCOLOR_DATA" not in os.environ, reason="CONCOLOR_DATA is not set")
def test_the_command_runs_a_table_and_does_not_run_it_again(tmp_path):
    words = ("reproduce", "color-family-splits", "--results", tmp_path)
    code, out, _ = concolor(*words)
    assert code == 0 and "not run" not in out
    lines = (tmp_path / "compared.jsonl").read_bytes()
    assert lines.count(b"\n") == 9
    assert concolor(*words)[:2] == (0, out)
    assert (tmp_path / "compared.jsonl").read_bytes() == lines


def test_the_command_refuses_what_is_no_table_and_no_folder(tmp_path):
    code, _, err = concolor("reproduce", "full-encoder-swep", "--results", tmp_path)
    assert code == 2 and "full-encoder-sweep" in err
    code, _, err = concolor("reproduce", "--results", tmp_path)
    assert code == 2 and "--list" in err
    file = tmp_path / "file"
    file.touch()
    code, _, err = concolor("reproduce", "--list", "--results", file)
    assert code == 2 and "is a file" in err


@pytest.mark.slow
def test_longer_limits_are_shown_as_text_and_as_json(tmp_path):
    words = ("reproduce", "limits", "--no-run", "--results", ROOT / "results")
    code, text, _ = concolor(*words)
    rows = [line for line in text.splitlines() if line.startswith("| ")][2:]
    records = json.loads(concolor(*words, "--json")[1])
    assert code == 0 and len(records) == len(rows) == 24
    for row, record in zip(rows, records, strict=True):
        assert row.startswith(f"| {record['suite']} | {record['method']} | {record['limit']:g} |")
        assert ("not run" in row) == (record["k"] is None)
