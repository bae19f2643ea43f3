"""Headless Chromium over its debugging pipe, with nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = (
    "--headless",
    "--hide-scrollbars",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "about:blank",
)
# Chromium reads its orders from file 3 and answers on file 4
START = """
import fcntl, os, sys
orders, answers = (fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3])
os.dup2(orders, 3)
os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page. ``events`` keeps what the browser told; ``call`` asks it something."""

    def __init__(self, seconds: float = 60) -> None:
        self.events: list[dict] = []
        self._deadline = time.monotonic() + seconds
        self._count, self._unread, self._session = 0, b"", None

    def __enter__(self) -> Browser:
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        ends = (to_browser, from_browser)
        command = [PROGRAM, f"--user-data-dir={self._home.name}", *FLAGS]
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, *map(str, ends), *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=ends,
        )
        os.close(to_browser)
        os.close(from_browser)
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._home.cleanup()

    def call(self, method: str, **params: object) -> dict:
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._count:
                assert "error" not in found, found
                return found["result"]
            self.events.append(found)

    def _next(self) -> dict:
        while b"\0" not in self._unread:
            left = max(self._deadline - time.monotonic(), 0)
            assert select.select([self._in], [], [], left)[0], "the browser did not answer in time"
            self._unread += os.read(self._in, 1 << 20)
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)

    def open(self, file: Path) -> None:
        self.call("Page.navigate", url=file.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def run(self, script: str) -> object:
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def screen(self, width: int, *, dark: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, file: Path) -> None:
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    @property
    def complaints(self) -> list[dict]:
        """Console messages, uncaught errors, and what the log says."""
        loud = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event["method"] in loud]

    @property
    def requests(self) -> list[str]:
        """Addresses that were asked for, without those that hold their data themselves."""
        asked = (e for e in self.events if e["method"] == "Network.requestWillBeSent")
        urls = [event["params"]["request"]["url"] for event in asked]
        return [url for url in urls if not url.startswith("data:")]
