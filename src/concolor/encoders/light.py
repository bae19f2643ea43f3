"""``LightRecurrence``: a trained light_rnn in compiled loops, for many graphs in one call.

A node maps itself where it is updated, and only what it tells its neighbors is kept for all nodes.
Small graphs go through all steps one by one, and stay in the cache meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concolor.aligned import aligned
from concolor.encoders.recurrence import (
    Floats,
    OnStep,
    on_the_sphere,
    require_shapes,
    stepped,
)
from concolor.errors import ModelError
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.threads import one_blas_thread, worth

BLOCK = 4096  # nodes updated at a time, by whichever thread
BRIEF = 0.05  # seconds of all steps below which the clock is not looked at in between


@dataclass(frozen=True, eq=False)
class LightRecurrence:
    """One layer of a light_rnn with fixed weights, to be applied again and again.

    Attributes:
        project, bias: Of the features, ``[f, c]`` and ``[c]``.
        tell, tell_offset: ``W_m``, ``[c, c]`` and ``[c]``.
        keep, keep_offset: ``W_0``, the same way.
        weights: a and b, ``[2]``.
        scale, shift: Of the LayerNorm, ``[c]``.
        fewest: Steps below which nothing was learned.
        steps: Steps after which it ends.
    """

    project: Floats
    bias: Floats
    tell: Floats
    tell_offset: Floats
    keep: Floats
    keep_offset: Floats
    weights: Floats
    scale: Floats
    shift: Floats
    fewest: int
    steps: int

    @classmethod
    def of(cls, weights: Mapping[str, NDArray[Any]], *, layers: int, steps: int) -> LightRecurrence:
        """The layer with the weights of :func:`~concolor.encoders.light_rnn.light_rnn`.

        Args:
            weights: By their names in torch.
            layers: The most steps in training, where at least half of them were taken.
            steps: Those after training.
        """
        try:
            w = {name: np.asarray(value, np.float32) for name, value in weights.items()}

            def mapped(name: str) -> tuple[Floats, Floats]:
                return np.ascontiguousarray(w[f"{name}.weight"].T), w[f"{name}.bias"].copy()

            found = cls(
                *mapped("project"),
                *mapped("layer.conv.message"),
                *mapped("layer.conv.own"),
                np.concatenate([w["layer.conv.alike"], w["layer.conv.plain"]]),
                w["layer.norm.weight"].copy(),
                w["layer.norm.bias"].copy(),
                (layers + 1) // 2,
                steps,
            )
        except (KeyError, ValueError) as problem:
            raise ModelError(f"not the weights of a light_rnn: {problem}") from None
        f, c = found.project.shape if found.project.ndim == 2 else (0, 0)
        vectors = ("bias", "tell_offset", "keep_offset", "scale", "shift")
        expected = {"project": (f, c), "tell": (c, c), "keep": (c, c), "weights": (2,)}
        require_shapes(found, expected | dict.fromkeys(vectors, (c,)), "light_rnn")
        return found

    def fits(self, graph: Graph, clock: Clock) -> bool:
        """Whether the fewest steps fit, as far as the size of the graph tells."""
        return clock.expected(self.fewest * self._a_step(graph)) <= clock.left

    def embed(
        self,
        graph: Graph,
        x: Floats,
        *,
        clock: Clock | None = None,
        threads: int | None = None,
        progress: OnStep | None = None,
    ) -> Floats | None:
        """Unit rows ``[n, c]`` from the features ``x [n, f]``.

        Args:
            clock: When it is over the steps end. None is returned where not even the fewest steps
                of training fit, as soon as that is seen.
            threads: At most so many; by default as many as the work is worth.
            progress: Called after every step with its number and the number of all.
        """
        clock = clock or Clock()
        if not self.fits(graph, clock):
            return None
        sides = graph.indptr.copy(), graph.indices.astype(np.uint32)
        if clock.expected(self.steps * self._a_step(graph)) <= min(BRIEF, clock.left):
            return self._at_once(*sides, np.array([0, graph.n]), x)
        h, told = self._projected(x), aligned((graph.n + 1, len(self.bias)))
        blocks = [(a, min(a + BLOCK, graph.n)) for a in range(0, graph.n, BLOCK)]
        workers = min(worth(self._work(graph)), threads or 64)

        def telling(block: tuple[int, int]) -> bool:
            from concolor.encoders.kernels import light_told

            light_told(h, told, self.tell, self.tell_offset, *block)
            return not clock.is_over

        def updated(block: tuple[int, int]) -> bool:
            from concolor.encoders.kernels import light_update

            rest = self.keep, self.keep_offset, self.weights, self.scale, self.shift
            light_update(*sides, told, h, *rest, *block)
            return not clock.is_over

        with ThreadPoolExecutor(workers) as pool, one_blas_thread():
            each: Callable[..., Any] = map if workers == 1 else pool.map

            def step() -> bool:
                return all(each(telling, blocks)) and all(each(updated, blocks))

            enough = stepped(step, self.fewest, self.steps, clock, progress)
        return on_the_sphere(h) if enough else None

    def embed_many(self, graphs: Sequence[Graph], xs: Sequence[Floats]) -> list[Floats]:
        """The same of many graphs, side by side in one compiled call."""
        if len(graphs) > 1:
            return self._side_by_side(graphs, xs)
        found = (self.embed(graph, x) for graph, x in zip(graphs, xs, strict=True))
        return [z for z in found if z is not None]  # all: no clock

    def _side_by_side(self, graphs: Sequence[Graph], xs: Sequence[Floats]) -> list[Floats]:
        starts = np.cumsum([0, *(graph.n for graph in graphs)])
        ends = np.cumsum([0, *(len(graph.indices) for graph in graphs)])
        indptr = [graph.indptr[:-1] + end for graph, end in zip(graphs, ends, strict=False)]
        indices = [graph.indices + start for graph, start in zip(graphs, starts, strict=False)]
        sides = np.concatenate([*indptr, ends[-1:]]), np.concatenate(indices).astype(np.uint32)
        return np.split(self._at_once(*sides, starts, np.concatenate(xs)), starts[1:-1])

    def _at_once(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.uint32],
        starts: NDArray[np.int64],
        x: Floats,
    ) -> Floats:
        """All steps in one compiled call, of the graphs that begin at ``starts``."""
        from concolor.encoders.kernels import light_embed

        h = self._projected(x)
        maps = self.tell, self.tell_offset, self.keep, self.keep_offset
        rest = self.weights, self.scale, self.shift, self.steps
        light_embed(indptr, indices, starts, h, *maps, *rest)
        return on_the_sphere(h)

    def _projected(self, x: Floats) -> Floats:
        return np.asarray(x @ self.project + self.bias)

    def _work(self, graph: Graph) -> int:
        """Multiplications of a step."""
        return graph.n * 2 * self.tell.size + 2 * graph.m * len(self.bias)

    def _a_step(self, graph: Graph) -> float:
        """Seconds of a step on one core, about."""
        return 5e-11 * graph.n * 2 * self.tell.size + 1.5e-10 * 2 * graph.m * len(self.bias)
