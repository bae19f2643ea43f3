"""Ctrl-C comes through."""

import signal
import time

import pytest

from concolor.errors import Interrupted, interruptible
from limits import ended_by


class Pressed:
    """Ctrl-C is pressed as it is destroyed, where Python prints exceptions and goes on."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_amid_a_destructor_is_not_lost():
    with ended_by(0), pytest.raises(Interrupted) as stop, interruptible(lambda: "best"):
        Pressed()
        while True:
            time.sleep(0.01)
    assert stop.value.best == "best"


def test_without_anything_found_it_is_a_plain_one():
    with pytest.raises(KeyboardInterrupt) as stop, interruptible(lambda: None):
        raise KeyboardInterrupt
    assert not isinstance(stop.value, Interrupted)
