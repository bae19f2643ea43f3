"""Where a study is kept: one file that grows line by line, or a database of Optuna's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from concolor.errors import InputError, MissingExtra, in_one_line

if TYPE_CHECKING:
    import optuna

NAME = "concolor"  # of the study in its storage
STARTUP = 4  # trials before any is given up, or chosen by what the others gave


@contextmanager
def kept(storage: str | Path | None) -> Iterator[str]:
    """Where the study is kept: as asked, or in a folder that is gone afterwards."""
    if storage is not None:
        yield str(storage)
        return
    with TemporaryDirectory() as folder:
        yield f"{folder}/study.log"


def opened(where: str, about: dict[str, Any]) -> optuna.Study:
    """The study of a storage, new or gone on with.

    Args:
        about: What it is of; another one in the storage is refused.
    """
    study: optuna.Study = _using(
        where,
        lambda: library().create_study(
            storage=storage_at(where), pruner=_pruner(), study_name=NAME, load_if_exists=True
        ),
    )
    about = json.loads(json.dumps(about))
    known = study.user_attrs.get("about", about)
    if known != about:
        unlike = ", ".join(name for name in about if known.get(name) != about[name])
        raise InputError(
            f"{where} holds a search with other {unlike}: give another storage, or the same words"
        )
    study.set_user_attr("about", about)
    give_up_running(study)
    return study


def loaded(where: str) -> tuple[optuna.Study, Any]:
    """The study and its storage, for a trial that is under way."""
    storage = storage_at(where)
    return library().load_study(storage=storage, pruner=_pruner(), study_name=NAME), storage


def give_up_running(study: optuna.Study) -> None:
    """Trials that Ctrl-C, the clock or a kill left running count for nothing."""
    states = library().trial.TrialState
    for trial in study.get_trials(deepcopy=False, states=(states.RUNNING,)):
        study.tell(trial.number, state=states.FAIL)


def storage_at(where: str) -> Any:
    """Optuna's storage at a URL, or its journal in a file."""
    optuna = library()
    if "://" in where:
        return optuna.storages.RDBStorage(where)
    from optuna.storages.journal import JournalFileBackend

    Path(where).parent.mkdir(parents=True, exist_ok=True)
    return optuna.storages.JournalStorage(JournalFileBackend(where))


def library() -> Any:
    """Optuna, which is silent but for errors."""
    try:
        import optuna
    except ModuleNotFoundError as missing:
        if missing.name != "optuna":
            raise
        raise MissingExtra(
            "a search needs optuna, which is missing: pip install 'concolor[tune]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def _using(where: str, call: Any) -> Any:
    try:
        return call()
    except OSError as error:
        raise InputError(f"{where}: cannot be used ({error.strerror or error})") from error
    except Exception as error:  # Optuna has no error of its own for a file of another kind
        raise InputError(f"{where} holds no study of Optuna ({in_one_line(error)})") from error


def _pruner() -> Any:
    return library().pruners.MedianPruner(n_startup_trials=STARTUP)
