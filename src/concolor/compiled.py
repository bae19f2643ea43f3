"""``compiled``: the one way in which this package compiles its loops.

Only what runs such loops imports this file, since it imports numba. The machine code is cached on
disk after the first call ever. Numba watches the file of a function but not the files of what it
calls, so no file calls compiled code of another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F, *, fastmath: Collection[str] = (), inline: bool = False) -> F:
    """Compile on first use, keep the machine code on disk, and let other threads run meanwhile.

    Args:
        inline: Put it into the loops that call it: a call that hands over a dozen arrays counts
            references to each, which takes as long as a short loop.
        fastmath: What the compiler may do to floating point, in the words of LLVM; nothing, unless
            said so: ``@partial(compiled, fastmath=["reassoc"])``. Then a division by zero is
            not looked for either, which no processor could do for eight numbers at once.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": set(fastmath)}
    options["inline"] = "always" if inline else "never"
    if fastmath:
        options["error_model"] = "numpy"
    try:
        return cast(F, njit(cache=True, **options)(function))
    except RuntimeError:  # no place on this machine where numba may write
        return cast(F, njit(**options)(function))


def when_compiling(call: Callable[[], None]) -> None:
    """Call back once, when numba begins to compile something that is not on disk yet.

    Only the last who asks is told.
    """
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            if _waiting:
                _waiting.pop()()

        def on_end(self, event: Any) -> None:
            pass

    if not _listening:
        _listening.append(Listener())
        event.register("numba:compile", _listening[0])  # type: ignore[no-untyped-call]
    _waiting[:] = [call]


_listening: list[Any] = []  # one listener for the whole process
_waiting: list[Callable[[], None]] = []  # who is to be told, at most one
