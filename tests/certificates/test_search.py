import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates.certificate import Certificate, Vectors
from concolor.certificates.search import certify, known_sides, started
from concolor.certificates.theta import handle_bound, prototypes
from concolor.certificates.verify import verify
from concolor.coloring import Coloring
from concolor.errors import InputError, Interrupted
from concolor.graph.core import Graph
from concolor.graph.datasets import dataset
from concolor.graph.families import FAMILIES, family
from concolor.solvers import solve
from concolor.solvers.greedy import dsatur
from limits import ended_by

PROVED = [
    *("cycle:5", "cycle:6", "cycle:7", "cycle:1001", "petersen", "queen:5x5", "queen:6x6"),
    *("multipartite:2x3x4", "turan:12x4", "complete:7", "wheel:8", "hypercube:4", "grid:4x5"),
]


@pytest.mark.slow
@pytest.mark.parametrize("spec", PROVED)
def test_proves_the_chromatic_number_where_the_sides_meet(spec):
    graph = family(spec)
    found = certify(graph.but(chi=None))
    assert found.is_proved
    assert found.lower == found.upper == graph.chi
    assert found.statements[-1] == f"χ = {graph.chi} is proved."
    assert verify(graph, found).is_proved


EXAMPLES = [family(entry.example) for entry in FAMILIES.values()]


@pytest.mark.slow
@pytest.mark.parametrize("graph", [g for g in EXAMPLES if g.n <= 150], ids=lambda g: g.name)
def test_every_small_family_is_bracketed(graph):
    found = certify(graph)
    assert found.lower <= (graph.chi or found.upper) <= found.upper
    assert found.theta_lower <= found.theta_upper <= found.theta_lower * 1.01
    assert found.lower >= math.ceil(found.theta_lower)
    assert verify(graph, found).lower == found.lower
    assert found.gap == found.upper - found.lower


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), p=st.floats(0, 1))
@settings(max_examples=15, deadline=None)
def test_the_bounds_are_true_on_random_graphs(seed, p):
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(9, 1)
    graph = Graph.from_edges(9, np.c_[u, v][rng.random(len(u)) < p])
    chi = solve(graph, "exact").coloring.k
    found = certify(graph, dsatur(graph), embedding=rng.normal(size=(9, 4)))
    assert found.lower <= chi <= found.upper
    assert found.theta_lower <= found.theta_upper
    assert all(vectors.bound >= found.theta_lower for vectors in found.vectors)


def test_says_where_theta_cannot_prove_more():
    found = certify(family("kneser:7x2").but(chi=None))
    assert (found.lower, found.upper) == (4, 5)
    assert not found.is_proved
    assert found.theta_lower <= 3.5 + 1e-4 and found.theta_upper >= 3.5 - 1e-4
    assert found.statements[-1].startswith(
        f"No bound through θ can show more than χ >= {found.lower}"
    )
    assert "do not bound χ" in str(found)


def test_lists_of_colors_do_not_matter_to_chi():
    graph = family("petersen").but(lists={0: [7], 1: [4, 5]})
    cert = certify(graph)
    assert (cert.lower, cert.upper) == (3, 3)
    assert certify(graph, solve(graph).coloring).upper > 3  # a given one is judged as it is


def test_a_given_coloring_is_judged_as_it_is():
    graph = family("cycle:6")
    found = certify(graph, Coloring(graph, np.array([0, 1, 2, 0, 1, 2])))
    assert (found.lower, found.upper, found.gap) == (2, 3, 1)


def test_colorings_that_cannot_be_judged_are_refused():
    graph = family("cycle:5")
    with pytest.raises(InputError, match="5 monochromatic"):
        certify(graph, Coloring(graph, np.zeros(5, np.int64)))
    with pytest.raises(InputError, match="not of"):
        certify(graph, dsatur(family("cycle:7")))


def forbidden(stage, found):
    raise AssertionError(f"{stage} must not begin")


def test_a_wrong_embedding_is_refused_before_any_search():
    with pytest.raises(InputError, match="embedding must have shape"):
        certify(family("cycle:5"), embedding=np.ones((4, 2)), progress=forbidden)
    with pytest.raises(AssertionError, match="clique must not begin"):
        certify(family("cycle:5"), embedding=np.ones((5, 2)), progress=forbidden)


def test_the_embedding_is_reported_apart_from_the_sharpened_vectors():
    graph = family("petersen")
    z = prototypes(dsatur(graph))[0] + 0.05 * np.random.default_rng(0).normal(size=(10, 3))
    found = certify(graph, embedding=z)
    raw, sharpened = found.vectors
    assert (raw.source, sharpened.source) == ("embedding", "sharpened")
    assert sharpened.bound < 2.51 < raw.bound
    assert found.embedding is not None
    assert raw.bound == pytest.approx(found.embedding.sharper, rel=1e-6)
    assert found.theta_upper == sharpened.bound


@pytest.mark.parametrize("n", [0, 1, 4])
def test_graphs_without_edges(n, tmp_path):
    graph = Graph.from_edges(n, [])
    found = certify(graph)
    assert found.lower == found.upper == min(n, 1)
    assert found.is_proved and found.theta_lower == found.theta_upper == min(n, 1)
    found.save(tmp_path / "c.json")
    assert verify(graph, tmp_path / "c.json").is_proved


@pytest.mark.slow
def test_large_graphs_learn_weights_on_their_core():
    """Rings of five, and on each of their nodes twenty leaves, which are no part of any proof."""
    rings = [family("cycle:5").edges + 5 * copy for copy in range(20)]
    leaves = np.c_[np.arange(2000) % 100, np.arange(100, 2100)]
    graph = Graph.from_edges(2100, np.concatenate([*rings, leaves]))
    found = certify(graph, dsatur(graph), time_limit=4.0)
    assert found.is_proved and found.upper == 3
    assert found.weights is not None
    on_leaf = (graph.edges >= 100).any(axis=1)
    assert not found.weights[on_leaf].any() and found.weights[~on_leaf].any()
    assert verify(graph, found).lower == 3


@pytest.mark.slow
def test_where_no_proof_could_follow_the_clique_remains():
    """An expander, whose factor would fill up: no weights are claimed."""
    graph, stages = family("er:2100x0.01"), []
    found = certify(
        graph, dsatur(graph), time_limit=2.0, progress=lambda stage, _: stages.append(stage)
    )
    assert {"sharpening", "proof"} <= set(stages)
    assert found.weights is None and found.lower == len(found.clique) == 3


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_the_time_limit_holds_on_large_graphs(limit):
    graph = family("er:3000x0.01")
    with ended_by(limit):
        found = certify(graph, time_limit=limit)
    assert found.lower >= 3 and verify(graph, found).lower == found.lower


@pytest.mark.slow
def test_loading_compiled_code_does_not_count():
    """In a fresh process, which has to load all of it."""
    code = (
        "import sys, time; from concolor.certificates.search import started\n"
        "began = time.perf_counter(); clock = started(5.0); seconds = clock.seconds\n"
        "assert 'numba' in sys.modules\n"
        "assert seconds < (time.perf_counter() - began) / 2, seconds"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert started(None).limit is None


def stages_of(*args, **options):
    """The stages in their order, each once, and the certificate."""
    stages = {}
    found = certify(*args, **options, progress=lambda stage, _: stages.setdefault(stage))
    return list(stages), found


@pytest.mark.slow
def test_stages_are_told_in_their_order_and_only_where_they_help():
    graph, z = family("myciel:4").but(chi=None), np.random.default_rng(0).normal(size=(23, 8))
    every = ["clique", "coloring", "embedding", "sharpening", "proof", "cones"]
    assert stages_of(graph, embedding=z)[0] == every
    assert stages_of(graph)[0] == ["clique", "coloring", "sharpening", "proof", "cones"]
    assert stages_of(graph, dsatur(graph))[0] == ["clique", "sharpening", "proof", "cones"]
    kneser = family("kneser:7x2").but(chi=None)
    found = stages_of(kneser, dsatur(kneser))[0]
    assert found == ["clique", "sharpening", "proof", "cones", "fractions"]
    assert stages_of(family("complete:7"))[0] == ["clique"]


@pytest.mark.slow
def test_what_is_told_is_proved_and_gets_no_worse():
    graph, told = family("queen:6x6").but(chi=None), []
    found = certify(graph, progress=lambda _, best: told.append(best))
    told.append(found)
    for before, after in pairwise(told):
        assert before.lower <= after.lower <= after.upper <= before.upper
    for best in told:
        assert verify(graph, best).gap == best.gap
    assert told[0].gap > told[-1].gap == 0


def test_once_time_is_over_nothing_more_is_searched():
    stages, found = stages_of(family("myciel:4").but(chi=None), time_limit=0.0)
    assert stages == ["clique"]
    assert (found.lower, found.upper) == (2, 5)


def test_what_sharpening_begins_from_is_not_evaluated_again():
    """Prototypes show the number of colors, and a clique its size; both are known exactly."""
    graph = family("queen:6x6")
    found = Certificate(graph, dsatur(graph), tuple(range(6)))
    sides = known_sides(found)
    assert sides.upper == found.upper != handle_bound(sides.z, sides.r, graph)
    assert sides.lower == 6 and sides.weights.sum() == 15
    raw = Vectors("embedding", sides.z, sides.r, 6.5)
    assert known_sides(replace(found, vectors=(raw,))).upper == 6.5


class Press:
    """A progress callback that presses Ctrl-C at every look that ``when`` accepts."""

    def __init__(self, when):
        self.when, self.stages = when, []

    def __call__(self, stage, found):
        self.stages.append(stage)
        if self.when(self.stages, found):
            raise KeyboardInterrupt


def interrupted(graph, when, **options):
    """What Interrupted carries, and the stages that were told."""
    press = Press(when)
    with pytest.raises(Interrupted) as stop:
        certify(graph, progress=press, **options)
    assert isinstance(stop.value.__cause__, KeyboardInterrupt)
    return stop.value.best, press.stages


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["clique", "embedding", "sharpening", "proof"])
def test_an_interrupt_leaves_what_is_proved_by_then(stage):
    graph, z = family("queen:6x6").but(chi=None), np.random.default_rng(0).normal(size=(36, 8))
    found, stages = interrupted(
        graph, lambda stages, found: stages[-1] == stage and len(found.clique) == 6, embedding=z
    )
    assert stages[-1] == stage
    assert found.lower == 6
    assert found.upper == (7 if stage != "clique" else dsatur(graph).k)
    assert (found.embedding is not None) == (stage in ("sharpening", "proof"))
    assert verify(graph, found).upper == found.upper


@pytest.mark.slow
def test_an_interrupted_coloring_search_keeps_its_best_and_ends_the_search():
    graph = family("queen:6x6").but(chi=None)
    best = solve(graph, "exact").coloring.k
    found, stages = interrupted(
        graph, lambda stages, found: stages[-1] == "coloring" and found.upper == best
    )
    assert dsatur(graph).k > found.upper == best
    assert set(stages) == {"clique", "coloring"}


@pytest.mark.slow
def test_what_interrupted_sharpening_found_is_proved():
    graph, told = family("queen:6x6").but(chi=None), []
    certify(graph, progress=lambda stage, _: told.append(stage))
    last = told.count("sharpening")
    assert last > 2

    def once(stages, found):
        return stages[-1] == "sharpening" and stages.count("sharpening") == last

    found, stages = interrupted(graph, once)
    assert stages[-2:] == ["proof", "proof"]
    assert found.is_proved and found.weights is not None
    assert [vectors.source for vectors in found.vectors] == ["sharpened"]


@pytest.mark.slow
def test_a_second_interrupt_ends_the_proofs_and_what_is_proved_by_then_is_kept():
    graph, told = family("queen:6x6").but(chi=None), []
    certify(graph, progress=lambda stage, _: told.append(stage))
    last = told.count("sharpening")

    def twice(stages, found):
        return stages.count("sharpening") == last and stages.count("proof") in (0, 2)

    found, stages = interrupted(graph, twice)
    assert stages[-2:] == ["proof", "proof"]
    assert found.is_proved and found.weights is not None  # by the first proof
    assert found.vectors == ()  # by the second


@pytest.mark.slow
def test_an_interrupt_of_the_first_proof_leaves_the_clique():
    graph = family("queen:6x6").but(chi=None)
    found, stages = interrupted(graph, lambda stages, _: stages[-1] == "proof")
    assert stages.count("proof") == 1
    assert (found.lower, found.upper, found.weights, found.vectors) == (6, 7, None, ())


@pytest.mark.slow
def test_the_time_limit_holds():
    graph = family("er:300x0.3")
    with ended_by(1.0):
        found = certify(graph, time_limit=1.0)
    assert found.lower <= found.upper


@pytest.mark.slow
def test_the_same_seed_gives_the_same_certificate():
    one, two = (certify(family("er:20x0.3"), seed=5).to_dict() for _ in range(2))
    assert json.dumps(one) == json.dumps(two)


@pytest.mark.slow
def test_no_torch_is_imported():
    code = (
        "import sys; from concolor.certificates import certify, verify\n"
        "from concolor.graph.families import family\n"
        "g = family('cycle:5'); verify(g, certify(g)); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.skipif("CONCOLOR_DATA" not in os.environ, reason="CONCOLOR_DATA is not set")
def test_the_books_are_proved():
    books = [g for part in dataset("color-book").splits.values() for g in part]
    assert len(books) == 5
    for graph in books:
        found = certify(graph.but(chi=None))
        assert found.is_proved and verify(graph, found).is_proved


def test_weights_of_nodes_prove_what_edge_weights_do_not(tmp_path):
    """θ of a board of 8 x 8 is 8, and its fractional chromatic number 76/9 (OEIS has χ = 9)."""
    graph = family("queen:8").but(chi=None)
    found = certify(graph)
    assert found.is_proved and found.fractional is not None and found.lower == 9
    assert "no independent set more than" in str(found)
    found.save(tmp_path / "c.json")
    assert verify(graph, tmp_path / "c.json").is_proved


def test_cones_prove_mycielski_graphs(tmp_path):
    graph = family("myciel:5").but(chi=None)
    found = certify(graph)
    assert found.is_proved and found.lower == 6 and "5 cones inside each other" in str(found)
    found.save(tmp_path / "c.json")
    assert verify(graph, tmp_path / "c.json").is_proved


def test_what_fractions_showed_before_ctrl_c_is_kept():
    graph = family("queen:8").but(chi=None)

    def interrupted(stage, best):
        if stage == "fractions" and best.fractional is not None:
            signal.raise_signal(signal.SIGINT)

    certify(graph, time_limit=60)  # compiles; without a limit fractions have five seconds
    with pytest.raises(Interrupted) as stop:
        certify(graph, progress=interrupted)
    assert stop.value.best.fractional is not None and verify(graph, stop.value.best).lower == 9


def test_a_clique_that_is_known_is_kept_and_one_that_is_none_refused():
    graph = family("queen:6x6").but(chi=None)
    found = certify(graph, dsatur(graph), clique=range(6), time_limit=0.0)
    assert found.clique == tuple(range(6))
    with pytest.raises(InputError, match=r"\[0, 8, 9\] is not a clique"):
        certify(graph, clique=(0, 8, 9))
