"""``concolor certify`` and ``concolor verify`` as a user runs them."""

import json

import pytest

from shell import concolor


def test_certify_proves_queen_6_and_says_what_it_proves():
    code, out, _ = concolor("certify", "queen:6x6", "--json")
    result = json.loads(out)
    assert (code, result["lower"], result["upper"], result["proved"]) == (0, 7, 7, True)
    assert 6 < result["theta_lower"] <= result["theta_upper"] < 7
    _, out, _ = concolor("certify", "myciel:3")
    assert "χ is not proved: it is one of 3..4." in out


def test_a_certificate_verifies_and_a_tampered_one_is_refused(tmp_path):
    file = tmp_path / "c.json"
    assert concolor("certify", "petersen", "-o", file)[0] == 0
    code, out, _ = concolor("verify", "petersen", file, "--json")
    assert (code, json.loads(out)["verified"]) == (0, True)
    assert concolor("verify", "cycle:10", file)[0] == 1
    content = json.loads(file.read_text())
    content["lower"] += 1
    file.write_text(json.dumps(content))
    code, out, err = concolor("verify", "petersen", file, "--json")
    assert (code, json.loads(out)["verified"]) == (1, False)
    assert err.startswith("refused: ")
    file.write_text("{")
    assert concolor("verify", "petersen", file)[0] in (1, 2)


def test_a_given_coloring_is_certified_and_an_improper_one_refused(tmp_path):
    file = tmp_path / "colors.json"
    file.write_text(json.dumps({"colors": [0, 1, 2, 3, 4]}))
    _, out, _ = concolor("certify", "cycle:5", "--coloring", file, "--json")
    assert json.loads(out)["upper"] == 5
    file.write_text(json.dumps({"colors": [0, 0, 1, 0, 1]}))
    assert concolor("certify", "cycle:5", "--coloring", file)[0] == 2


@pytest.mark.parametrize("words", [["verify", "petersen", "nowhere.json"], ["certify", "nowhere"]])
def test_missing_files_are_bad_input(words, tmp_path):
    code, out, err = concolor(*words, cwd=tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1)
