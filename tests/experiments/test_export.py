"""Tables as CSV and LaTeX say what the page says."""

import csv
from pathlib import Path

import pytest

from concolor.experiments.export import as_latex
from concolor.experiments.paper import figures
from concolor.experiments.render import as_records
from concolor.experiments.store import Store
from concolor.experiments.tables import TABLES
from shell import concolor

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_command_writes_csv_and_latex(tmp_path):
    table, tex, values = "full-encoder-sweep", tmp_path / "t.tex", tmp_path / "t.csv"
    words = ("reproduce", table, "--no-run", "--latex", tex, "--csv", values)
    assert concolor(*words, "--results", ROOT / "results", "--json")[0] == 0
    with values.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    expected = list(as_records(table, Store(ROOT / "results").lines()))
    assert [row["ours"] for row in found] == [str(record["ours"]) for record in expected]
    assert len(found) == len(figures(table))
    text = tex.read_text(encoding="utf-8")
    assert text.count(r"\\") == len({record["row"] for record in expected}) + 1
    assert r"gated\_gcn/v1" in text and r"(1.40 $\pm$ 0.14)" in text


@pytest.mark.slow
def test_every_table_has_as_many_columns_in_each_line():
    for name in TABLES:
        text = as_latex([name], {})
        counts = {
            line.count("&") - line.count(r"\&")
            for line in text.splitlines()
            if line.endswith(r"\\")
        }
        assert len(counts) == 1, name
        assert "->" not in text and "±" not in text, name


@pytest.mark.slow
def test_a_table_is_drawn_beside_the_papers(tmp_path):
    words = ("reproduce", "--no-run", "--json", "--results", ROOT / "results", "--plot")
    assert concolor(*words, tmp_path / "t.svg", "v2-tuning")[0] == 0
    text = (tmp_path / "t.svg").read_text(encoding="utf-8")
    (record,) = (r for r in figures("v2-tuning") if (r.row, r.column) == ("trial_1", "rho"))
    assert f"paper, trial_1: {record.mean:.4g}<" in text
    for name, told in (("limits", "one table"), ("cora-subgraph-stats", "no column of colors")):
        code, _, err = concolor(*words, tmp_path / "t.svg", name)
        assert code == 2 and told in err
    code, _, err = concolor(*words, tmp_path / "t.txt", "v2-tuning")
    assert code == 2 and ".svg or .png" in err


def test_the_table_of_limits_alone_is_refused(tmp_path):
    code, _, err = concolor(
        "reproduce", "limits", "--no-run", "--csv", tmp_path / "t.csv", "--results", tmp_path
    )
    assert code == 2 and "table of the paper" in err
