"""Trained models and half-done trainings in files, see :mod:`concolor.learning.model_file`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from concolor.decoding.cluster import DecoderChoice
from concolor.device import choose_device
from concolor.encoders import PLAIN, EncoderChoice
from concolor.errors import ModelError
from concolor.features import FeatureChoice
from concolor.graph.core import Features, Graph, IntArray
from concolor.learning.labels import LabelChoice
from concolor.learning.model import History, Model, Network
from concolor.learning.model_file import MODEL, STATE, fitting, read, stored_model, under, write
from concolor.learning.ranks import ALONE, Ranks
from concolor.learning.recipe import Recipe


def save_model(model: Model, path: str | Path) -> None:
    """Write the model to one file; a reader sees the old file or the new one, never a half."""
    if model.recipe.encoder == PLAIN:
        raise ModelError("a model without weights needs no file: it goes by its name")
    weights = _arrays_of(model.network.state_dict())
    arrays = {f"network.{k}": v for k, v in weights.items()}
    arrays |= {f"features.{k}": v for k, v in model.features.tensors().items()}
    about = {
        "recipe": model.recipe.to_dict(),
        "features": {"name": model.features.name, "channels": model.features.channels},
        "slots": model.slots,
        "history": asdict(model.history),
    }
    write(Path(path), MODEL, about, arrays)


def load_model(
    path: str | Path,
    *,
    device: str = "auto",
    encoder: EncoderChoice | None = None,
    features: FeatureChoice | None = None,
    labels: LabelChoice | None = None,
    decoder: DecoderChoice | None = None,
) -> Model:
    """Read a model that :func:`save_model` wrote; anything else is a :class:`ModelError`.

    ``encoder``, ``features``, ``labels`` and ``decoder`` stand in for what the recipe in the file
    names. They are needed where it was trained with functions of your own: a file cannot hold them.
    """
    path, where = Path(path), choose_device(device)
    own = {"encoder": encoder, "features": features, "labels": labels, "decoder": decoder}
    stored = stored_model(path, own)
    with fitting(path):
        slots, written = int(stored.about["slots"]), stored.about["history"]
        history = History(**{**written, "losses": tuple(written["losses"])})
        with torch.device("meta"):  # no memory for what the header only claims
            network = Network(stored.recipe, stored.features.channels, slots)
        network.load_state_dict(_tensors(stored.weights), assign=True)
    return Model(stored.recipe, stored.features, network.to(where).eval(), slots, history)


@dataclass(frozen=True)
class State:
    """Where a training stands between two steps, besides network and optimizer."""

    mark: str  # fingerprint of what is trained
    step: int = 0
    losses: tuple[float, ...] = ()  # of the finished epochs
    running: float = 0.0  # sum of the losses of the graphs seen in this epoch
    seen: int = 0
    parts: dict[str, float] = field(default_factory=dict)  # its summands, or the last mean's
    seconds: float = 0.0
    kept: int | None = None  # epochs behind the best weights; None where nothing judges them
    before: float | None = None  # conflicts on held-out graphs at the beginning
    after: float | None = None  # those of the best weights
    scaler: dict[str, Any] = field(default_factory=dict)  # of gradients in mixed precision

    @property
    def epoch(self) -> int:
        """Epochs finished."""
        return len(self.losses)

    @property
    def mean(self) -> float:
        """Mean loss of this epoch so far, or of the last one at its end."""
        return self.running / self.seen if self.seen else self.losses[-1]

    @property
    def all_losses(self) -> tuple[float, ...]:
        """The losses of the finished epochs and of the one that was cut, if any."""
        return (*self.losses, self.mean) if self.seen else self.losses

    def one_later(
        self, loss: float, parts: Mapping[str, float], graphs: int, *, ends_epoch: bool
    ) -> State:
        """The state one step later; the loss of that was the sum of these parts."""
        earlier = self.parts if self.seen else {}
        running, seen = self.running + loss * graphs, self.seen + graphs
        sums = {name: earlier.get(name, 0.0) + value * graphs for name, value in parts.items()}
        later = replace(self, step=self.step + 1, running=running, seen=seen, parts=sums)
        if not ends_epoch:
            return later
        means = {name: value / seen for name, value in sums.items()}
        return replace(
            later, losses=(*self.losses, running / seen), running=0.0, seen=0, parts=means
        )


def save_state(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    state: State,
    best: Network | None = None,
) -> None:
    """Write all that is needed to go on training as if nothing had happened.

    Args:
        best: The network with the best weights so far, where some are chosen.
    """
    tensors = {f"network.{k}": v for k, v in network.state_dict().items()}
    if best is not None:
        tensors |= {f"best.{k}": v for k, v in best.state_dict().items()}
    for i, slot in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{i}.{k}": v for k, v in slot.items()}
    write(path, STATE, asdict(state), _arrays_of(tensors))


def load_state(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    mark: str,
    best: Network | None = None,
    ranks: Ranks = ALONE,
) -> State:
    """Fill the networks and the optimizer from a checkpoint of the same recipe, graphs, labels.

    The first rank reads it for all.
    """
    about, arrays = ranks.first(lambda: read(path, STATE))
    if about.get("mark") != mark:
        raise ModelError(
            f"{path}: this checkpoint is of another recipe, other graphs, other labels or another "
            "model to start from; delete it, or leave --resume out, to start anew"
        )
    try:
        state = State(**{**about, "losses": tuple(about["losses"])})
        network.load_state_dict(_tensors(under(arrays, "network.")))
        if best is not None:
            best.load_state_dict(_tensors(under(arrays, "best.")))
        slots: dict[int, dict[str, Tensor]] = {}
        for key, value in _tensors(under(arrays, "optimizer.")).items():
            number, name = key.split(".")
            slots.setdefault(int(number), {})[name] = value
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": slots, "param_groups": groups})
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ModelError(f"{path}: damaged checkpoint ({error})") from error
    return state


def fingerprint(
    recipe: Recipe,
    graphs: Sequence[Graph],
    colors: Sequence[IntArray],
    start: Model | None = None,
) -> str:
    """Hash of all that decides a training: recipe, graphs with their features, labels, start."""
    content = hashlib.sha256(json.dumps(recipe.to_dict(), sort_keys=True).encode())
    for graph, labels in zip(graphs, colors, strict=True):
        content.update(graph.digest.encode())
        for array in (labels, *_arrays(graph.x)):
            content.update(_bytes(array))
    if start is not None:
        content.update(f"{start.features.name} {start.features.channels} {start.slots}".encode())
        weights = (tensor.cpu().numpy() for tensor in start.network.state_dict().values())
        for array in (*start.features.tensors().values(), *weights):
            content.update(_bytes(array))
    return content.hexdigest()


def _arrays(x: Features | None) -> tuple[NDArray[Any], ...]:
    """The arrays that node features are stored in, dense or CSR."""
    if isinstance(x, sp.csr_array):
        return (x.data, x.indices, x.indptr, np.array(x.shape))
    return () if x is None else (x,)


def _bytes(array: NDArray[Any]) -> bytes:
    return f"{array.dtype} {array.shape} ".encode() + array.tobytes()


def _arrays_of(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[Any]]:
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}


def _tensors(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Tensor]:
    return {name: torch.tensor(array) for name, array in arrays.items()}
