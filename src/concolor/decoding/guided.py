"""``guided``: proper by construction. DSATUR decides who is next, the embedding which color.

A clustering gives k prototype lines. Each node takes, of the colors that are free to it, the one
whose line its embedding is closest to; a color beyond k opens only where none is free. k is one
less than the best coloring so far has. A try costs little beside an embedding, so there are many,
by turns with the embeddings that are given, and after the first turn of each with some noise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import Coloring
from concolor.decoding.cluster import line_means
from concolor.decoding.distance import Floats, unit
from concolor.errors import InputError, interruptible
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.structure import greedy_clique
from concolor.rules import Rules
from concolor.solvers.greedy import saturated

TRIES = 256
NOISE = 0.4  # beside |cos| in 0..1; less repeats itself, more forgets what was learned

Scores: TypeAlias = Callable[[int, int], Floats]  # number of the try, k -> [n, k], high is wanted


def guided(
    graph: Graph,
    z: ArrayLike,
    *,
    tries: int = TRIES,
    seed: int = 0,
    time_limit: float | None = None,
) -> Coloring:
    r"""A proper coloring that follows the embedding as far as the edges let it.

    Node v scores color j by :math:`|\langle z_v, c_j \rangle| + \mathrm{noise}`, with :math:`c_j`
    the k centers of :func:`~concolor.decoding.cluster.line_means`. Blind to the signs of the rows.

    Args:
        graph: What to color.
        z: Unit vectors ``[n, d]``, or ``[draws, n, d]`` where random features were drawn several
            times; several draws are better than several clusterings of one.
        tries: Colorings made, ``O(n k + m log m)`` each; the first with the fewest colors is
            returned. They end early where a clique proves that fewer are impossible.
        seed: Decides the clusterings and the noise.
        time_limit: Seconds after which no new try begins, the first one excepted.

    Raises:
        Interrupted: On Ctrl-C, with the best coloring so far.

    >>> from concolor.graph.families import family
    >>> guided(family("cycle:6"), [[1, 0], [0, 1]] * 3)
    Coloring('cycle:6', k=2, conflicts=0)
    """
    draws, rng = _checked(graph, z), np.random.default_rng(seed)

    @lru_cache(len(draws))  # k only falls, so these are all that can be asked for again
    def closeness(draw: int, k: int) -> Floats:
        centers = line_means(draws[draw], seed)(k).centers
        return np.asarray(np.abs(draws[draw] @ centers.T))

    def scores(turn: int, k: int) -> Floats:
        again, draw = divmod(turn, len(draws))
        noise = rng.random((graph.n, k), np.float32) * np.float32(NOISE if again else 0)
        return closeness(draw, k) + noise

    return _fewest(graph, scores, tries, Clock(time_limit))


def unguided(graph: Graph, *, tries: int = TRIES, seed: int = 0) -> Coloring:
    """The control: :func:`guided` with a random free color for every node, as many tries."""
    rng = np.random.default_rng(seed)
    return _fewest(graph, lambda turn, k: rng.random((graph.n, k), np.float32), tries, Clock())


def _fewest(graph: Graph, scores: Scores, tries: int, clock: Clock) -> Coloring:
    if tries < 1:
        raise InputError(f"tries must be at least 1, got {tries}")
    rules, lower = Rules.of(graph), len(greedy_clique(graph))
    best = Coloring(graph, np.arange(graph.n))  # one color each
    k = lower
    with interruptible(lambda: best):
        for turn in range(tries):
            if best.k == lower or (turn and clock.is_over):
                break
            colors = saturated(graph, rules, scores(turn, k))
            found = Coloring(graph, np.unique(colors, return_inverse=True)[1])
            best = min(best, found, key=lambda coloring: coloring.k)
            k = max(best.k - 1, lower)
    return best


def _checked(graph: Graph, z: ArrayLike) -> list[Floats]:
    draws = np.asarray(z, dtype=np.float32)
    if draws.ndim == 2:
        draws = draws[None]
    if draws.ndim != 3 or len(draws) == 0 or draws.shape[1] != graph.n:
        raise InputError(
            f"the embedding must have shape [n={graph.n}, d] or [draws, n, d], "
            f"got {np.shape(np.asarray(z))}"
        )
    if not np.isfinite(draws).all():
        raise InputError("the embedding must be finite, found NaN or infinity")
    return [unit(draw) for draw in draws]
