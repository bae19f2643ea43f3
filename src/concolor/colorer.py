"""``Colorer``: the thin class on top. Fit once, then embed and color graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concolor.coloring import Coloring
from concolor.decoding.cluster import DecoderChoice
from concolor.encoders import EncoderChoice
from concolor.errors import Interrupted, ModelError
from concolor.features import FeatureChoice
from concolor.graph.core import Graph
from concolor.learning.checkpoint import load_model, save_model
from concolor.learning.embedder import sweep_of
from concolor.learning.hooks import Hook
from concolor.learning.labels import LabelChoice
from concolor.learning.model import Model
from concolor.learning.ranks import ALONE, Ranks
from concolor.learning.recipe import Recipe
from concolor.learning.train import TrainingStep, train
from concolor.learning.validation import Validator
from concolor.rules import Forbidden, Preset
from concolor.sweeps import K_MAX, Sweep


class Colorer:
    """Learns to color from graphs and colors new ones.

    Without a recipe it is the paper's, ``Recipe()``, on node features where the graphs have them
    and on random ones elsewhere. For graphs without, ``Recipe.named("featureless")`` learns far
    more; ``concolor train`` chooses it by itself.

    >>> from concolor.graph.families import family
    >>> colorer = Colorer(Recipe(pipeline="v1abs", hidden=16, epochs=2))
    >>> colorer = colorer.fit([family("cycle:12"), family("cycle:15")])
    >>> colorer.color(family("cycle:9"), k=3).k <= 3
    True
    """

    def __init__(self, recipe: Recipe | None = None) -> None:
        self.recipe = recipe or Recipe()
        self._model: Model | None = None

    @property
    def model(self) -> Model:
        """The trained model; an error where there is none yet."""
        if self._model is None:
            raise ModelError("this Colorer is not trained: call fit(graphs) or Colorer.load(file)")
        return self._model

    def fit(
        self,
        graphs: Sequence[Graph],
        *,
        labels: LabelChoice | Sequence[ArrayLike | Coloring] | None = None,
        start: Colorer | None = None,
        device: str = "auto",
        amp: bool = False,
        ranks: Ranks = ALONE,
        time_limit: float | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        progress: Callable[[TrainingStep], None] | None = None,
        hook: Hook | None = None,
        validator: Validator | None = None,
        executor: Executor | None = None,
    ) -> Colorer:
        """Train on the graphs, see :func:`concolor.learning.train.train`.

        Weights are fresh, or those of ``start``: a trained colorer that is to learn more, whose
        recipe is the same but for the training (``start.recipe.but(epochs=5)``, say).

        Raises:
            Interrupted: On Ctrl-C, with a colorer that holds what was learned so far; this one
                stays as it was.
        """
        try:
            self._model = train(
                self.recipe,
                graphs,
                labels=labels,
                start=None if start is None else start.model,
                device=device,
                amp=amp,
                ranks=ranks,
                time_limit=time_limit,
                checkpoint=None if checkpoint is None else Path(checkpoint),
                resume=resume,
                progress=progress,
                hook=hook,
                validator=validator,
                executor=executor,
            )
        except Interrupted as stop:
            raise Interrupted(Colorer.of(stop.best)) from stop
        return self

    def embed(self, graph: Graph, *, seed: int | None = None) -> NDArray[np.float32]:
        """Unit vectors ``[n, d]``: nodes of one color on one line, neighbors on orthogonal ones."""
        return self.model.embed(graph, seed=seed)

    def embed_many(
        self, graphs: Sequence[Graph], *, seed: int | None = None
    ) -> list[NDArray[np.float32]]:
        """The same of many graphs, in batches through the encoder."""
        return self.model.embed_many(graphs, seed=seed)

    def sweep(
        self,
        graph: Graph,
        *,
        z: NDArray[np.float32] | None = None,
        max_mono: float = 0.05,
        k_max: int = K_MAX,
        seed: int | None = None,
        decoder: DecoderChoice | None = None,
        passes: int | None = None,
        full: bool = False,
        time_limit: float | None = None,
    ) -> Sweep:
        """The model alone: decode the embedding with k = 1, 2, ... colors.

        See :func:`concolor.decoding.sweep`. ``z`` is what :meth:`embed` gave, where that is at
        hand.
        """
        return sweep_of(
            self.model.recipe,
            graph,
            self.embed(graph, seed=seed) if z is None else z,
            max_mono=max_mono,
            k_max=k_max,
            seed=seed,
            decoder=decoder,
            passes=passes,
            full=full,
            time_limit=time_limit,
        )

    def color(
        self,
        graph: Graph,
        *,
        k: int | None = None,
        max_mono: float | None = None,
        polish: bool = True,
        seed: int = 0,
        time_limit: float | None = None,
        preset: Preset | None = None,
        forbidden: Forbidden | None = None,
    ) -> Coloring:
        """:func:`concolor.color` with this model: proper, unless asked for something else.

        ``polish=False`` is the model alone; so is :meth:`sweep`, which shows every k.
        """
        from concolor.answer import color

        return color(
            graph,
            model=Colorer.of(self.model),  # an error where there is none yet
            k=k,
            max_mono=max_mono,
            polish=polish,
            seed=seed,
            time_limit=time_limit,
            preset=preset,
            forbidden=forbidden,
        )

    def save(self, path: str | Path) -> None:
        """Write the trained model to a safetensors file."""
        save_model(self.model, path)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        device: str = "auto",
        encoder: EncoderChoice | None = None,
        features: FeatureChoice | None = None,
        labels: LabelChoice | None = None,
        decoder: DecoderChoice | None = None,
    ) -> Colorer:
        """Read a model that :meth:`save` wrote.

        A file only names what was a function of yours: give the same ``encoder``, ``features``,
        ``labels`` or ``decoder`` again.
        """
        model = load_model(
            path,
            device=device,
            encoder=encoder,
            features=features,
            labels=labels,
            decoder=decoder,
        )
        return cls.of(model)

    @classmethod
    def of(cls, model: Model) -> Colorer:
        """The colorer of a trained model."""
        colorer = cls(model.recipe)
        colorer._model = model
        return colorer
