"""The first lines of the command, before its imports, which take half a second.

Nothing is begun by then, so Ctrl-C and SIGTERM end the process at once, in one line. A module of
its own, since the import of anything inside ``concolor`` runs the package first.
"""

import os
import signal
import sys


def listen() -> None:
    """From now on, until the command line listens itself."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)


def _end(number: int, frame: object) -> None:
    os.write(2, b"concolor: interrupted\n")
    os._exit(128 + number)


def main() -> None:
    """The command ``concolor``."""
    listen()
    from concolor.cli import main

    try:
        main()
    except SystemExit as end:  # all is said; a press has nothing to end any more
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if end.code in (128 + signal.SIGINT, 128 + signal.SIGTERM):
            _leave(end.code)
        raise


def _leave(code: int) -> None:
    """End with this code. Python would kill itself where Ctrl-C came inside an `exec` somewhere."""
    import atexit
    from contextlib import suppress

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or nobody reads
            stream.flush()
    os._exit(code)
