"""Calls for fleets in tests: workers import them by name."""

import os
import signal
import sys
import time

import concolor as cc


def halved(number):
    if number % 7 == 3:
        raise ValueError(f"{number} cannot be halved")
    return number / 2


def slept(seconds):
    time.sleep(seconds)
    return seconds


def kills_once(folder, number):
    """The worker that gets number 5 is killed, the first time."""
    mark = folder / "killed"
    if number == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def kills(number):
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return number


def colored_without_torch(graph):
    """Colors, whether torch was loaded for them, and the threads that a worker may have."""
    return cc.color(graph).k, "torch" in sys.modules, os.environ["OMP_NUM_THREADS"]
