"""Ctrl-C at a chosen place, whatever the speed of the machine."""

import signal


def press(monkeypatch, home, name, when):
    """Ctrl-C is pressed once: as ``home.name`` is called with arguments that ``when`` accepts."""
    real, pressed = getattr(home, name), []

    def call(*args, **options):
        if not pressed and when(*args, **options):
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)
        return real(*args, **options)

    monkeypatch.setattr(home, name, call)
