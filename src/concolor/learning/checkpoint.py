"""Model files: safetensors with the recipe as JSON in the header.

Loading runs no code of the file. What it names is looked up in our registries and among the entry
points that installed packages offer by that name; nothing else is imported. Functions of the user's
own in a recipe are stored by their spelling, and must be given again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from concolor.decoding.cluster import DecoderChoice
from concolor.device import choose_device
from concolor.encoders import EncoderChoice
from concolor.errors import ModelError
from concolor.features import FeatureChoice, FeatureMap
from concolor.files import write_atomically
from concolor.graph.core import Features, Graph, IntArray
from concolor.learning.labels import LabelChoice
from concolor.learning.model import History, Model, Network
from concolor.learning.recipe import Recipe, Settled

MODEL, STATE = "concolor-model-1", "concolor-state-1"  # kinds of file


def save_model(model: Model, path: str | Path) -> None:
    """Write the model to one file; a reader sees the old file or the new one, never a half."""
    tensors = {f"network.{k}": v for k, v in model.network.state_dict().items()}
    tensors |= {f"features.{k}": torch.tensor(v) for k, v in model.features.tensors().items()}
    about = {
        "recipe": model.recipe.to_dict(),
        "features": {"name": model.features.name, "channels": model.features.channels},
        "slots": model.slots,
        "history": asdict(model.history),
    }
    _write(Path(path), MODEL, about, tensors)


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
    about, tensors = _read(path, MODEL)
    own = {"encoder": encoder, "features": features, "labels": labels, "decoder": decoder}
    values = _with_own(path, about.get("recipe"), own)
    try:
        recipe = Settled.from_dict(values)
        if about["features"]["name"] != about["recipe"]["features"]:
            raise ValueError("the features of the recipe are not those of the network")
        feature_map = FeatureMap.rebuild(
            recipe.features,
            int(about["features"]["channels"]),
            {k: v.numpy() for k, v in _under(tensors, "features.").items()},
            unit_words=recipe.unit_words,
        )
        slots = int(about["slots"])
        history = History(**{**about["history"], "losses": tuple(about["history"]["losses"])})
        with torch.device("meta"):  # no memory for what the header only claims
            network = Network(recipe, feature_map.channels, slots)
        network.load_state_dict(_under(tensors, "network."), assign=True)
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise ModelError(f"{path}: the header and the weights do not fit: {reason}") from error
    return Model(recipe, feature_map, network.to(where).eval(), slots, history)


def _with_own(path: Path, stored: Any, own: Mapping[str, object | None]) -> dict[str, Any]:
    """The fields of a stored recipe with the user's own functions in place."""
    if not isinstance(stored, dict):
        raise ModelError(f"{path}: the header and the weights do not fit: the recipe is {stored!r}")
    for name, given in own.items():
        spelling = stored.get(name)
        if given is None and isinstance(spelling, str) and ":" in spelling:
            raise ModelError(
                f"{path}: its {name} is a function of whoever trained it, {spelling}, which a "
                f"model file cannot hold; give it again: load_model(path, {name}=...)"
            )
    return {**stored, **{name: given for name, given in own.items() if given is not None}}


@dataclass(frozen=True)
class State:
    """Where a training stands between two steps, besides network and optimizer."""

    mark: str  # fingerprint of what is trained
    step: int = 0
    losses: tuple[float, ...] = ()  # of the finished epochs
    running: float = 0.0  # sum of the losses of the graphs seen in this epoch
    seen: int = 0
    seconds: float = 0.0

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

    def after(self, loss: float, graphs: int, *, ends_epoch: bool) -> State:
        """The state one step later."""
        running, seen = self.running + loss * graphs, self.seen + graphs
        if ends_epoch:
            done = (*self.losses, running / seen)
            return replace(self, step=self.step + 1, losses=done, running=0.0, seen=0)
        return replace(self, step=self.step + 1, running=running, seen=seen)


def save_state(
    path: Path, network: Network, optimizer: torch.optim.Optimizer, state: State
) -> None:
    """Write all that is needed to go on training as if nothing had happened."""
    tensors = {f"network.{k}": v for k, v in network.state_dict().items()}
    for i, slot in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{i}.{k}": v for k, v in slot.items()}
    _write(path, STATE, asdict(state), tensors)


def load_state(path: Path, network: Network, optimizer: torch.optim.Optimizer, mark: str) -> State:
    """Fill network and optimizer from a checkpoint of the same recipe, graphs and labels."""
    about, tensors = _read(path, STATE)
    if about.get("mark") != mark:
        raise ModelError(
            f"{path}: this checkpoint is of another recipe, other graphs, other labels or another "
            "model to start from; delete it, or leave --resume out, to start anew"
        )
    try:
        state = State(**{**about, "losses": tuple(about["losses"])})
        network.load_state_dict(_under(tensors, "network."))
        slots: dict[int, dict[str, Tensor]] = {}
        for key, value in _under(tensors, "optimizer.").items():
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


def _write(path: Path, kind: str, about: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    data = save(
        {k: v.detach().cpu().contiguous() for k, v in tensors.items()},
        metadata={"kind": kind, "about": json.dumps(about)},
    )
    write_atomically(path, data)


def _read(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    if path.is_dir():
        raise ModelError(f"{path}: a folder, expected a model file")
    if not path.is_file():
        raise ModelError(f"{path}: no such model file; `concolor train ... -o {path}` makes one")
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        about = json.loads(header["about"]) if header.get("kind") == kind else None
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise ModelError(f"{path}: not a whole safetensors file ({error})") from error
    if not isinstance(about, dict):
        raise ModelError(f"{path}: not a {kind} file but {header.get('kind', 'something else')!r}")
    if not all(bool(t.isfinite().all()) for t in tensors.values()):
        raise ModelError(f"{path}: holds weights that are not finite")
    return about, tensors


def _under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
