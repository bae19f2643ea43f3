"""``compiled``: the one way in which this package compiles its loops.

Only what runs such loops imports this file, since it imports numba. The machine code is cached on
disk after the first call ever. Numba watches the file of a function but not the files of what it
calls, so no file calls compiled code of another; :func:`prefetch`, which never changes, excepted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

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


def _prefetch(typing: Any, array: Any, index: Any) -> Any:
    """``prefetch(array, i)`` in a compiled loop: bring ``array[i]`` near, it is needed soon.

    Nothing else happens. A loop that jumps about in arrays larger than the cache waits for memory
    at every jump; where it can tell some jumps ahead, these waits are one. ``i`` is never counted
    from the end, and beyond it does no harm; of several dimensions the first counts.
    """

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind, word = signature.args[0], ir.IntType(32)
        made = context.make_array(kind)(context, builder, given[0])
        place = [given[1], *(context.get_constant(types.intp, 0) for _ in range(kind.ndim - 1))]
        where = cgutils.get_item_pointer(context, builder, kind, made, place, wraparound=False)
        call = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        wanted = cgutils.get_or_insert_function(builder.module, call, "llvm.prefetch.p0")
        read, keep, data = word(0), word(3), word(1)
        builder.call(wanted, [builder.bitcast(where, cgutils.voidptr_t), read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


prefetch = cast("Callable[[NDArray[Any], int], None]", intrinsic(_prefetch))


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
