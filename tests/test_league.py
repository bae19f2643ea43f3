"""The league table: its page is what its lines say, and a row is added as the page promises."""

import csv
import importlib
import os
from pathlib import Path

import pytest

import concolor as cc

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def league(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("league")


def test_the_committed_page_is_what_the_committed_lines_give(league):
    assert (FOLDER / "league.md").read_text() == league.page(league.CELLS)


def test_the_lines_are_of_known_graphs_and_methods_and_each_cell_is_there_once(league):
    seen = set()
    for cell in league.CELLS.like():
        assert cell["graph"] in league.FOLDERS
        if cell["table"] != "graph":
            methods, limit = league.TABLES[cell["table"]]
            assert cell["method"] in methods and cell["limit"] == limit
            assert cell["with"]["concolor"] == cc.__version__
            assert cell["table"] == "raw" or not cell["conflicts"]
        key = cell["table"], cell["graph"], cell.get("method")
        assert key not in seen
        seen.add(key)


@pytest.mark.skipif("CONCOLOR_DATA" not in os.environ, reason="CONCOLOR_DATA is not set")
def test_what_the_literature_has_is_what_the_data_says(league):
    for cell in league.CELLS.like(table="graph"):
        with open(league.data() / league.FOLDERS[cell["graph"]] / "known.csv") as file:
            (row,) = (row for row in csv.DictReader(file) if row["name"] == cell["graph"])
        assert all(cell[key] == int(row[key]) for key in ("n", "m", "chi_lower", "chi_upper"))


def one_each(graph, limit, tell):
    tell(range(graph.n))


def never(graph, limit, tell):
    """Answers at once where it is warmed up, and never else."""
    while graph.n > 36:
        pass


def wrong(graph, limit, tell):
    raise RuntimeError("a mistake of a method")


@pytest.fixture
def alone(league, monkeypatch, tmp_path):
    """A league of its own: one graph, no lines yet."""
    folder = tmp_path / "dimacs"
    folder.mkdir()
    cc.write(cc.family("queen:7x7"), folder / "queens.col")
    (folder / "known.csv").write_text("name,n,m,chi_lower,chi_upper\nqueens,49,476,7,7\n")
    (folder / "reference.csv").write_text("graph,head_1h_best\nqueens,7\n")
    monkeypatch.setenv("CONCOLOR_DATA", str(tmp_path))
    monkeypatch.setattr(league, "FOLDERS", {"queens": "dimacs"})
    monkeypatch.setattr(league, "CELLS", league.Cells(tmp_path / "league.jsonl"))
    return league


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_function_in_the_table_is_a_row(alone, monkeypatch, capfd):
    methods = {"mine": one_each, "never": never, "wrong": wrong}
    monkeypatch.setattr(alone, "GRACE", 0.0)
    monkeypatch.setattr(alone, "version", lambda name: "1.0")  # the peers need not be there
    monkeypatch.setitem(alone.TABLES, "proper", (methods, 0.5))
    alone.describe("queens")
    for method in ("mine", "never", "mine"):
        alone.measure("proper", "queens", method)
    mine, late = alone.CELLS.like(table="proper")
    assert (mine["k"], mine["conflicts"], mine["ended"]) == (49, 0, True)
    assert (late["k"], late["ended"]) == (None, False)
    page = alone.page(alone.CELLS)
    assert "| mine | 0 | 1 | 42 | 0 |" in page and "| never | 0 | 1 | 0 | 1 |" in page
    assert "| queens | 49 | 476 | 7 | **49** | - | 7 |" in page
    with pytest.raises(SystemExit, match="the method failed"):
        alone.measure("proper", "queens", "wrong")
    assert "a mistake of a method" in capfd.readouterr().err
