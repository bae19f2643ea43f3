import re

import numpy as np
import pytest

MATRICES = {
    "I": np.eye(2),
    "X": np.array([[0, 1], [1, 0]]),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]),
}


def matrix(pauli):
    product = np.eye(1)
    for letter in pauli:
        product = np.kron(product, MATRICES[letter])
    return product


def commute(one, two):
    a, b = matrix(one), matrix(two)
    return np.array_equal(a @ b, b @ a)


def test_edges_are_the_pairs_whose_matrices_do_not_commute(functions):
    example, rng = functions("pauli_groups"), np.random.default_rng(0)
    paulis = sorted({"".join(rng.choice(list("IXYZ"), 4)) for _ in range(40)})
    general, wise = (example.clashes(paulis, qubit_wise) for qubit_wise in (False, True))
    for i, one in enumerate(paulis):
        for j, two in enumerate(paulis[:i]):
            assert (j in general.neighbors(i)) == (not commute(one, two))
            letters = [commute(a, b) for a, b in zip(one, two, strict=True)]
            assert (j in wise.neighbors(i)) == (not all(letters))


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--qubit-wise",)])
def test_every_group_can_be_measured_together(run, functions, words):
    lines = run("pauli_groups", *words, "--time-limit", 1)
    known = set(functions("pauli_groups").molecule(6))
    settings, greedy = map(int, re.findall(r"\d+", lines[1]))
    needed = int(re.search(r"\d+", lines[2])[0])
    assert needed <= settings <= greedy
    for line in lines[3:]:
        count, group = line.split(" together: ")
        paulis = group.split()
        assert len(paulis) == int(count) and set(paulis) <= known
        assert all(commute(one, two) for one in paulis for two in paulis)


def test_strings_of_ones_own(run, refused, tmp_path):
    (tmp_path / "h.txt").write_text("XX 0.5\nYY 0.5\nZZ 1\nXI 2\nXX 3\n")
    lines = run("pauli_groups", "h.txt")
    assert lines[0] == "4 strings on 2 qubits; 2 pairs do not commute in general"
    assert lines[1].startswith("2 settings")
    (tmp_path / "bad.txt").write_text("XX\nXQ\n")
    assert refused("pauli_groups", "bad.txt") == "bad.txt: XQ is not 2 letters of I, X, Y, Z"
    (tmp_path / "empty.txt").write_text("\n")
    assert refused("pauli_groups", "empty.txt") == "empty.txt: has no strings"
    assert "nothing.txt" in refused("pauli_groups", "nothing.txt")
