"""``Recurrence``: a trained gated_rnn in NumPy and compiled loops, many times faster than in torch.

The gate of an edge depends on its ends only through a sum, so its exponential is a product of two
that belong to the nodes:

.. math:: \\sigma(a_u + b_v) = \\frac{1}{1 + e^{-a_u} e^{-b_v}}

An edge costs a division and no exponential, torch need not be loaded, and after every step there is
an embedding, so that a clock can end it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.errors import ModelError
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.threads import one_blas_thread, worth

Floats = NDArray[np.float32]
OnStep: TypeAlias = Callable[[int, int], None]
STEEPEST = 40.0  # e^40 e^40 is still a float; a gate of 40 is open or closed to the last bit


@dataclass(frozen=True, eq=False)
class Recurrence:
    """One gated layer with fixed weights, to be applied again and again.

    Attributes:
        project, bias: Of the features, ``[f, c]`` and ``[c]``.
        maps, offsets: ``W_0``, ``-W_t``, ``W_m`` and ``-W_s`` side by side, ``[c, 4c]``, ``[4c]``.
        scale, shift: Of the LayerNorm, ``[c]``.
        fewest: Steps below which nothing was learned.
        steps: Steps after which it ends.
    """

    project: Floats
    bias: Floats
    maps: Floats
    offsets: Floats
    scale: Floats
    shift: Floats
    fewest: int
    steps: int

    @classmethod
    def of(cls, weights: Mapping[str, NDArray[Any]], *, layers: int, steps: int) -> Recurrence:
        """The layer with the weights of a :class:`~concolor.encoders.gated_rnn.Recurrent`.

        Args:
            weights: By their names in torch.
            layers: The most steps in training, where at least half of them were taken.
            steps: Those after training.
        """
        try:
            w = {name: np.asarray(value, np.float32) for name, value in weights.items()}
            parts = [("own", 1), ("gate_target", -1), ("message", 1), ("gate_source", -1)]
            maps = [sign * w[f"layer.conv.{name}.weight"].T for name, sign in parts]
            offsets = [sign * w[f"layer.conv.{name}.bias"] for name, sign in parts]
            found = cls(
                np.ascontiguousarray(w["project.weight"].T),
                w["project.bias"],
                np.concatenate(maps, axis=1),
                np.concatenate(offsets),
                w["layer.norm.weight"].copy(),
                w["layer.norm.bias"].copy(),
                (layers + 1) // 2,
                steps,
            )
        except (KeyError, ValueError) as problem:
            raise ModelError(f"not the weights of a gated_rnn: {problem}") from None
        f, c = found.project.shape if found.project.ndim == 2 else (0, 0)
        expected = {"project": (f, c), "maps": (c, 4 * c), "offsets": (4 * c,)}
        require_shapes(
            found, expected | dict.fromkeys(("bias", "scale", "shift"), (c,)), "gated_rnn"
        )
        return found

    def fits(self, graph: Graph, clock: Clock) -> bool:
        """Whether the fewest steps fit, as far as the size of the graph tells."""
        c = len(self.bias)
        a_step = 6e-11 * graph.n * 4 * c * c + 3e-10 * 2 * graph.m * c  # seconds, on one core
        return clock.expected(self.fewest * a_step) <= clock.left

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
        h = x @ self.project + self.bias
        maps = np.empty((graph.n, self.maps.shape[1]), np.float32)
        sides = graph.indptr.copy(), graph.indices.astype(np.int32)
        rows = min(max(graph.n // 8, 128), 4096)  # at a time, whoever does it: the same bits
        blocks = [(a, min(a + rows, graph.n)) for a in range(0, graph.n, rows)]
        workers = min(worth(self._work(graph)), threads or 64)

        def mapped(block: tuple[int, int]) -> bool:
            rows = slice(*block)
            np.matmul(h[rows], self.maps, out=maps[rows])
            maps[rows] += self.offsets
            for quarter in (1, 3):
                gate = maps[rows, quarter * h.shape[1] : (quarter + 1) * h.shape[1]]
                np.exp(np.clip(gate, -STEEPEST, STEEPEST, out=gate), out=gate)
            return not clock.is_over

        def updated(block: tuple[int, int]) -> bool:
            from concolor.encoders.kernels import gated_update

            gated_update(*sides, maps, h, self.scale, self.shift, *block)
            return not clock.is_over

        with ThreadPoolExecutor(workers) as pool, one_blas_thread():
            each: Callable[..., Any] = map if workers == 1 else pool.map

            def step() -> bool:
                return all(each(mapped, blocks)) and all(each(updated, blocks))

            enough = stepped(step, self.fewest, self.steps, clock, progress)
        return on_the_sphere(h) if enough else None

    def embed_many(self, graphs: Sequence[Graph], xs: Sequence[Floats]) -> list[Floats]:
        """The same of many graphs, one after the other."""
        found = (self.embed(graph, x) for graph, x in zip(graphs, xs, strict=True))
        return [z for z in found if z is not None]  # all: no clock

    def _work(self, graph: Graph) -> int:
        """Multiplications of a step."""
        c = len(self.bias)
        return graph.n * 4 * c * c + 2 * graph.m * c


def require_shapes(found: object, expected: Mapping[str, tuple[int, ...]], encoder: str) -> None:
    """Refuse weights of other shapes: compiled loops would read beyond their ends."""
    for name, shape in expected.items():
        given = getattr(found, name).shape
        if given != shape or 0 in given:
            raise ModelError(
                f"not the weights of a {encoder}: {name} has shape {given}, expected {shape}"
            )


def stepped(
    step: Callable[[], bool], fewest: int, steps: int, clock: Clock, progress: OnStep | None
) -> bool:
    """Take steps as long as the clock lets it; whether these were enough.

    Args:
        step: Takes one; False where the clock was over before it was done.
        fewest: Steps below which nothing was learned.
        steps: The most.
        progress: Called after every step with its number and the number of all.
    """
    done, began = 0, clock.seconds
    while done < steps:
        in_time = step()
        done += 1
        if progress is not None:
            progress(done, steps)
        a_step = (clock.seconds - began) / done
        if clock.left < max(fewest - done, 0) * a_step or not (in_time or done > 1):
            return False
        if clock.left < a_step:
            break
    return done >= min(fewest, steps)


def on_the_sphere(h: Floats) -> Floats:
    """Unit rows; one of length 0 goes to the pole, as in
    :func:`~concolor.encoders.stack.to_sphere`."""
    length = np.linalg.norm(h, axis=1, keepdims=True)
    pole = np.eye(1, h.shape[1], dtype=np.float32)
    return np.where(length < 1e-12, pole, h / np.maximum(length, np.float32(1e-12)))
