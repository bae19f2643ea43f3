"""``concolor certify`` and ``concolor verify`` as a user runs them."""

import json
import signal

import pytest

from concolor.certificates import certify, search
from shell import concolor


@pytest.mark.slow
def test_certify_proves_queen_6_and_says_what_it_proves():
    code, out, _ = concolor("certify", "queen:6x6", "--json")
    result = json.loads(out)
    assert (code, result["lower"], result["upper"], result["proved"]) == (0, 7, 7, True)
    assert 6 < result["theta_lower"] <= result["theta_upper"] < 7
    _, out, _ = concolor("certify", "myciel:3")
    assert "χ >= 4: 3 cones inside each other" in out
    _, out, _ = concolor("certify", "kneser:7x2")
    assert "χ is not proved: it is one of 4..5." in out


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_given_coloring_is_certified_and_an_improper_one_refused(tmp_path):
    file = tmp_path / "colors.json"
    file.write_text(json.dumps({"colors": [0, 1, 2, 3, 4]}))
    _, out, _ = concolor("certify", "cycle:5", "--coloring", file, "--json")
    assert json.loads(out)["upper"] == 5
    file.write_text(json.dumps({"colors": [0, 0, 1, 0, 1]}))
    assert concolor("certify", "cycle:5", "--coloring", file)[0] == 2


def test_what_is_printed_of_theta_is_rounded_to_its_side(tmp_path):
    _, out, _ = concolor("certify", "cycle:5", "-o", tmp_path / "c.json")
    _, verified, _ = concolor("verify", "cycle:5", tmp_path / "c.json")
    assert "θ >= 2.236067 " in out and "2.236067 <= θ" in out
    assert "2.236067 <= theta" in verified
    assert "2.236068" not in out + verified


@pytest.mark.slow
def test_the_geometry_of_an_embedding_is_told():
    _, out, _ = concolor("certify", "petersen", "--model", "general", "--json")
    result = json.loads(out)
    found = result["embedding"]
    assert found.keys() == {"eps", "alpha", "delta", "lemma", "sharper", "corollary"}
    assert found["lemma"] == pytest.approx((1 + 3 * found["eps"]) / found["alpha"] ** 2)
    assert found["sharper"] == pytest.approx(result["vectors"]["embedding"], rel=1e-6)
    assert "Infinity" not in out and "NaN" not in out
    assert any("the lemma shows" in line for line in result["statements"])
    _, out, _ = concolor("certify", "petersen", "--json")
    assert json.loads(out)["embedding"] is None


@pytest.mark.parametrize("words", [["--json"], []])
def test_ctrl_c_gives_what_is_proved_and_exits_with_130(words, tmp_path, monkeypatch):
    def pressed(*args, **kwargs):
        signal.raise_signal(signal.SIGINT)

    file = tmp_path / "c.json"
    monkeypatch.setattr(search, "sharper_sides", pressed)
    code, out, _ = concolor("certify", "queen:6x6", "-o", file, *words)
    assert code == 130
    if words:
        assert (json.loads(out)["lower"], json.loads(out)["upper"]) == (6, 7)
    else:
        assert "χ is not proved: it is one of 6..7." in out
    assert concolor("verify", "queen:6x6", file)[0] == 0


@pytest.mark.parametrize("words", [[], ["--time-limit", 7]])
def test_color_leaves_the_rest_of_its_time_to_the_certificate(words, monkeypatch):
    limits = []

    def noted(*args, time_limit, **kwargs):
        limits.append(time_limit)
        return certify(*args, time_limit=time_limit, **kwargs)

    monkeypatch.setattr("concolor.certificates.certify", noted)
    code, out, _ = concolor("color", "petersen", "--certify", "--json", *words)
    assert (code, json.loads(out)["certificate"]["lower"]) == (0, 3)
    (left,) = limits
    assert left is None if not words else 0.2 * 7 <= left < 7


def test_color_writes_a_certificate_that_verifies(tmp_path):
    graphs = ("petersen", "queen:5x5")
    for words, files in ((graphs[:1], [tmp_path / "c.json"]), (graphs, [])):
        where = files[0] if files else tmp_path / "proofs"
        code, out, _ = concolor("color", *words, "--certificate", where, "--json")
        assert code == 0 and "certificate" in out
        found = files or sorted(where.iterdir())
        for graph, file in zip(words, found, strict=True):
            assert concolor("verify", graph, file)[0] == 0


@pytest.mark.parametrize("words", [["verify", "petersen", "nowhere.json"], ["certify", "nowhere"]])
def test_missing_files_are_bad_input(words, tmp_path):
    code, out, err = concolor(*words, cwd=tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1)
