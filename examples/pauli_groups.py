"""Measuring a Hamiltonian: Pauli strings that commute are measured together.

    python examples/pauli_groups.py [STRINGS.txt] [--qubit-wise] [--time-limit S]

One string of I, X, Y and Z a line, all of one length; the rest of a line (a coefficient) is passed
over. Without a file the strings are those of a molecule-like Hamiltonian on 6 orbitals, mapped to
qubits by Jordan and Wigner. Two strings commute if they differ, both not I, at an even number of
qubits; qubit-wise they do if they differ so nowhere, which needs no entangling gates to measure.
Strings that do not commute are joined by an edge, and a color is one setting of the apparatus.
"""

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np
import rustworkx as rx

import concolor as cc

SHOWN = 3  # groups that are printed in full


def main(strings: Path | None, qubit_wise: bool, time_limit: float) -> None:
    paulis = molecule(6) if strings is None else read_strings(strings)
    graph = clashes(paulis, qubit_wise)
    how = "qubit-wise" if qubit_wise else "in general"
    print(f"{graph.n} strings on {len(paulis[0])} qubits; {graph.m} pairs do not commute {how}")

    groups = cc.color(graph, time_limit=time_limit)
    greedy = len(set(rx.graph_greedy_color(as_rustworkx(graph)).values()))
    print(f"{groups.k} settings; rustworkx's greedy coloring needs {greedy}")
    print(f"Fewer than {cc.certify(graph, groups, time_limit=2).lower} are impossible")
    for members in sorted(groups.classes, key=len, reverse=True)[:SHOWN]:
        print(f"  {len(members):3} together: {' '.join(paulis[v] for v in members)}")


def clashes(paulis: list[str], qubit_wise: bool) -> cc.Graph:
    """Strings as nodes, adjacent where they do not commute.

    With x and z the bits of a string (X: 10, Y: 11, Z: 01), two of them anticommute where
    ``x_a z_b + z_a x_b`` is odd.
    """
    letters = np.array([list(pauli) for pauli in paulis])  # [strings, qubits]
    x, z = np.isin(letters, ["X", "Y"]).astype(int), np.isin(letters, ["Y", "Z"]).astype(int)
    if not qubit_wise:
        apart = (x @ z.T + z @ x.T) % 2 == 1
    else:
        apart = np.zeros((len(paulis), len(paulis)), bool)
        for one, two in combinations("XYZ", 2):
            has = (letters == one).astype(int) @ (letters == two).astype(int).T
            apart |= (has + has.T) > 0
    return cc.from_scipy(apart.astype(int), name="paulis", names=paulis)


def molecule(orbitals: int) -> list[str]:
    """The strings of one- and two-body terms ``a_p^ a_q`` and ``a_p^ a_q^ a_r a_s``.

    (Jordan and Wigner 1928.) A hop from p to q is XX and YY at its ends with Z between them; two
    hops at once have an even number of X and of Y at their four ends.
    """

    def string(ends: dict[int, str], between: set[int]) -> str:
        return "".join(ends.get(q, "Z" if q in between else "I") for q in range(orbitals))

    found = [string({p: "Z"}, set()) for p in range(orbitals)]
    found += [string({p: "Z", q: "Z"}, set()) for p, q in combinations(range(orbitals), 2)]
    for p, q in combinations(range(orbitals), 2):
        found += [string({p: e, q: e}, set(range(p + 1, q))) for e in "XY"]
    for p, q, r, s in combinations(range(orbitals), 4):
        between = {*range(p + 1, q), *range(r + 1, s)}
        for ends in ("XXXX", "XXYY", "XYXY", "XYYX", "YXXY", "YXYX", "YYXX", "YYYY"):
            found.append(string(dict(zip((p, q, r, s), ends, strict=True)), between))
    return found


def as_rustworkx(graph: cc.Graph) -> rx.PyGraph:
    twin = rx.PyGraph(multigraph=False)
    twin.add_nodes_from(range(graph.n))
    twin.extend_from_edge_list(list(map(tuple, graph.edges.tolist())))
    return twin


def read_strings(path: Path) -> list[str]:
    """The first word of every line, each once."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = list(dict.fromkeys(line.split()[0] for line in lines if line.strip()))
    if not found:
        raise SystemExit(f"{path}: has no strings")
    for pauli in found:
        if set(pauli) - set("IXYZ") or len(pauli) != len(found[0]):
            raise SystemExit(f"{path}: {pauli} is not {len(found[0])} letters of I, X, Y, Z")
    return found


def asked() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("strings", nargs="?", type=Path)
    parser.add_argument("--qubit-wise", action="store_true")
    parser.add_argument("--time-limit", type=float, default=2.0, help="seconds of search")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main(**vars(asked()))
    except (cc.ConcolorError, OSError) as problem:
        raise SystemExit(f"{problem}") from None
