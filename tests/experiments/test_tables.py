"""Every printed cell of the paper has a place in our results."""

import pytest

from concolor.experiments.cells import Compared, Learned
from concolor.experiments.comparison import primary, value
from concolor.experiments.paper import printed, rows
from concolor.experiments.protocols import TUNED
from concolor.experiments.rows import place
from concolor.experiments.runner import jobs
from concolor.experiments.suites import SUITES
from concolor.experiments.tables import TABLES, beside, cells, table_rows
from concolor.graph.datasets import DATASETS

METRICS = {"k", "mono", "rho", "hit", "completed"}
WHOLE = {"k_zero", "k_0.005", "k_0.01", "k_0.02", "k_0.05", "rho_0.05"} | {
    "mono_at_0.05",
    "conflicts_at_chi",
    "mono_at_chi",
}
FACTS = {"graphs", "density", "features"} | {
    f"{word}{end}" for word in ("nodes", "edges", "chi_greedy") for end in ("", "_min", "_max")
}


@pytest.mark.parametrize("name", TABLES)
def test_every_printed_cell_has_a_value(name):
    found = table_rows(name)
    assert list(found) == list(rows(name))
    for record in printed(name):
        if record.mean is None:
            continue  # words, or no number printed
        row = found[record.row]
        tag, metric = place(record.column)
        suite = SUITES[row.suites[tag]]
        assert suite.data in DATASETS
        if metric in row.settings:
            assert row.settings[metric] == record.mean  # the paper prints our setting
            continue
        made = FACTS if row.method == "facts" else METRICS | (WHOLE if suite.whole else set())
        line = {
            "metrics": dict.fromkeys(made, 1),
            "graphs": {"k": [1], "conflicts": [1], "seconds": [1.0]},
            "params": 1,
            "seconds": {"train": 1.0, "graph": 1.0},
        }
        facts = {
            "metrics": {"graphs": 1, "chi_greedy": 1},
            "graphs": {"name": [row.graph], "nodes": [1], "chi": [1], "edges": [1]},
        }
        assert value(line, facts, row.graph, metric) is not None, record


@pytest.mark.parametrize("name", TABLES)
def test_learned_rows_use_the_decoder_of_the_paper_and_name_a_better_one(name):
    for row in table_rows(name).values():
        if row.method != "learned":
            assert row.improved is None
            continue
        assert row.recipe.decoder == "kmedoids"
        better = row.improved
        assert better.recipe.but(decoder="kmedoids", passes=row.recipe.passes) == row.recipe
        lines = row.recipe.objective.absolute and not row.recipe.signnet
        assert better.recipe.decoder == ("line_means" if lines else "kmeans")
        assert row.train in DATASETS


def test_the_tuned_settings_are_those_that_the_paper_prints():
    columns = ("layers", "heads", "dropout", "lr")
    for record in printed("nonmp-unitary-sweep"):
        if record.column in columns:
            assert TUNED[record.row][columns.index(record.column)] == record.mean


def test_cells_are_named_once_and_models_are_shared():
    every = cells(["bow-adapt-subgraph-v2-main", "bow-adapt-full-v2"], seeds=1)
    assert len({cell.key for cell in every}) == len(every)
    trained = [job for job in jobs(every) if isinstance(job[0], Learned)]
    assert len(trained) == 12  # 4 adaptations, 3 encoders: each trained once for 4 suites
    assert all(len(job) == 8 for job in trained)  # and 2 decoders


def test_a_key_says_what_differs_and_decoding_does_not_change_the_training():
    row = table_rows("full-encoder-sweep")["gcn/v1"]
    cell = row.cell("", 3)
    assert cell.key == (
        "train=cora-subgraphs encoder=gcn seed=3 decoder=kmedoids passes=1 on=cora-subgraphs"
    )
    assert row.improved.cell("", 3).training == cell.training != row.cell("", 4).training
    assert Compared("null", "book/id", seed=2).key == "method=null seed=2 on=book/id"


def test_every_suite_of_a_result_has_all_that_stands_beside():
    every = {cell.key for cell in cells(["small-per-graph"])}
    for group in beside("cycles/large").values():
        assert {cell.key for cell in group} <= every
    assert len(beside("cycles/large")["null"]) == 10


def test_the_whole_pubmed_with_attention_is_asked_once():
    found = table_rows("fullgraph-contrastive-results")
    assert found["pubmed/gps_gcn/v1"].seeds == 1
    assert found["pubmed/gated_gcn/v1"].seeds == found["cora/gps_gcn/v1"].seeds == 10


def test_primary_columns():
    assert primary(["k", "mono", "rho_id", "rho_ood"]) == ["rho_id", "rho_ood"]
    assert primary(["k_zero", "k_0.05", "k"]) == ["k_0.05"]
    assert primary(["k", "mono"]) == ["k"]
    assert primary(["train_s"]) == []
