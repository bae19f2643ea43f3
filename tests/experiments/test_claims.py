"""The page of claims is what the results say."""

import re
from pathlib import Path

import pytest

from concolor.experiments.claims import CLAIMS, claims_page, judged
from concolor.experiments.judges import Results
from concolor.experiments.store import Store
from concolor.experiments.tables import table_rows

ROOT = Path(__file__).parents[2]
VERDICTS = {"holds", "holds partly", "does not hold"}


@pytest.fixture(scope="module")
def lines():
    return Store(ROOT / "results").lines()


@pytest.mark.slow
def test_the_committed_page_is_what_the_committed_results_give(lines):
    assert (ROOT / "docs" / "claims.md").read_text(encoding="utf-8") == claims_page(lines)


@pytest.mark.slow
def test_every_claim_is_judged_and_none_without_results(lines):
    assert {what.verdict for _, what in judged(lines)} <= VERDICTS
    assert {what.verdict for _, what in judged({})} == {"not run"}


@pytest.mark.slow
def test_links_lead_to_headings_of_the_page_of_results(lines):
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w\- ]", "", line[3:].lower()).replace(" ", "-")
        for line in page.splitlines()
        if line.startswith("## ")
    }
    links = re.findall(r"results\.md#([^)]+)\)", claims_page(lines))
    assert links and set(links) <= headings


def changed(lines, table, row, **metrics):
    """The results with other figures in every cell of a row."""
    keys = {cell.key for cell in table_rows(table)[row].cells("", 10)}
    return {
        key: {**line, "metrics": {**line["metrics"], **metrics}} if key in keys else line
        for key, line in lines.items()
    }


@pytest.mark.slow
def test_verdicts_follow_the_results(lines):
    by_words = {claim.says: claim for claim in CLAIMS}

    def verdict(words, given):
        return by_words[words].judge(Results(given)).verdict

    tuning = "Tuning the soft term of v2 lowers rho."
    assert verdict(tuning, lines) == "does not hold"
    assert verdict(tuning, changed(lines, "v2-tuning", "trial_2", rho=0.9)) == "holds"
    weak = "Exphormer is the weakest encoder on Cora."
    worse = changed(lines, "full-encoder-sweep", "exphormer/v1", rho=9.0)
    assert verdict(weak, worse) == "holds partly"
    efficient = "On small graphs PI-GNN and full-GCN need fewer colors."
    assert verdict(efficient, changed(lines, "baseline-summary", "small/pi_gnn", rho=9.0)) == (
        "holds partly"
    )


def test_a_claim_is_said_once():
    assert len({claim.says for claim in CLAIMS}) == len(CLAIMS)
