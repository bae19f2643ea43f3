"""Run the command line in tests: words in, exit code and streams out."""

import io
import subprocess
import sys
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from unittest.mock import patch

from concolor.cli import main


def process(*words, cwd=None):
    """Run the command as a process of its own; (exit code, standard output, standard error)."""
    words = [sys.executable, "-m", "concolor", *map(str, words)]
    done = subprocess.run(words, capture_output=True, cwd=cwd, timeout=300)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def concolor(*words, stdin=b"", cwd=None):
    """The same without a new process, which would load torch every time."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        stack.enter_context(chdir(cwd or "."))
        stack.enter_context(patch("sys.argv", ["concolor", *map(str, words)]))
        stack.enter_context(patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin))))
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    return code, out.getvalue(), err.getvalue()
