"""``for_many``: a call for one graph, made one for many."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from concolor.errors import InputError
from concolor.fleet.parcels import Failed
from concolor.fleet.stream import Errors, many
from concolor.graph.core import Graph

if TYPE_CHECKING:
    from concolor.graph.formats.convert import GraphLike

T = TypeVar("T")
GRAPHS = inspect.Parameter(
    "graphs", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Iterable[GraphLike]"
)
WHERE = [
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
    for name, default, kind in (
        ("executor", None, "Executor | None"),
        ("errors", "keep", "Errors"),
    )
]


def for_many(call: Callable[..., T]) -> Callable[..., Iterator[T | Failed]]:
    """The call with graphs in the place of its graph, and :func:`many`'s executor and errors.

    All its other words are said once, for every graph, and are checked before anything is done.
    """
    signature = inspect.signature(call)
    name = call.__name__

    def run(
        graphs: Iterable[GraphLike],
        *words: Any,
        executor: Executor | None = None,
        errors: Errors = "keep",
        **options: Any,
    ) -> Iterator[T | Failed]:
        try:
            given = signature.bind(None, *words, **options).arguments
        except TypeError as problem:
            raise InputError(f"{name}_many: {problem}") from None
        given.pop(next(iter(signature.parameters)))
        return many(partial(call, **given), arrays(graphs), executor=executor, errors=errors)

    others = list(signature.parameters.values())[1:]
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [GRAPHS, *others, *WHERE],
        return_annotation=f"Iterator[{signature.return_annotation} | Failed]",
    )
    run.__name__ = run.__qualname__ = f"{name}_many"
    run.__module__ = call.__module__
    run.__doc__ = f"""``{name}`` for many graphs, on an executor or one after the other.

    Results come in the order of the graphs, as soon as each is done; the graphs may come from a
    generator. A graph that fails is a :class:`~concolor.Failed` in its place. See
    :func:`concolor.many` for ``executor`` and ``errors``, and ``{name}`` for all the others, which
    are the same for every graph: seeds and time limits, too.
    """
    return run


def arrays(graphs: Iterable[GraphLike]) -> Iterator[Graph | Failed]:
    """Graphs of any kind as ours; one that cannot be converted is a failure in its place."""
    for given in graphs:
        if isinstance(given, (Graph, Failed)):
            yield given
            continue
        from concolor.graph.formats.convert import as_graph

        try:
            yield as_graph(given)
        except Exception as error:
            yield Failed.of(given, error)
