"""Time limits and interrupts, tested without a stopwatch.

The searches of these tests would go on for minutes. One that keeps its limit ends long before that,
however busy the machine is; only one that forgot it is as late as ``LATE``.
"""

import os
import signal
import threading
import time
from contextlib import contextmanager

LATE = 30.0


@contextmanager
def ended_by(limit):
    """The block ends near its time limit, not by itself much later."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < limit + LATE


class CtrlC:
    """A progress callback: Ctrl-C is pressed a moment after the first call, amid the search."""

    def __init__(self, after=0.3):
        self.timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
        self.pressed = False

    def __call__(self, progress):
        if not self.pressed:
            self.pressed = True
            self.timer.start()


def press(monkeypatch, home, name, when):
    """Ctrl-C is pressed once: as ``home.name`` is called with arguments that ``when`` accepts."""
    real, pressed = getattr(home, name), []

    def call(*args, **options):
        if not pressed and when(*args, **options):
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)
        return real(*args, **options)

    monkeypatch.setattr(home, name, call)


class FakeTime:
    """Seconds that pass only when somebody looks at the clock."""

    def __init__(self, monkeypatch, a_look):
        self.now, self.a_look = 0.0, a_look
        for home in ("concolor.goal", "concolor.answer.course"):
            monkeypatch.setattr(f"{home}.perf_counter", self)

    def __call__(self):
        self.now += self.a_look
        return self.now
