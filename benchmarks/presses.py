"""Ctrl-C and SIGTERM at many moments: commands are started, pressed, and judged by how they end.

    python benchmarks/presses.py [--presses 300] [--folder FOLDER]

A press comes between 0 and a little more than what the undisturbed command takes; half of them in
the first 0.6 seconds, where modules are loaded; one in four is a SIGTERM. How a command must end:

- with 130 (143 after a SIGTERM), or as if nothing had been pressed, where it came too late;
- with no traceback;
- `color` and `solve` with JSON that can be read or none at all, `color` with a proper coloring from
  the moment on when its modules are loaded.

What happens before the first line of ours is Python's: presses in the first moments, until the
interpreter has found the command, are counted apart. A line of ``presses.jsonl`` is a press;
``presses.md`` is written from all of them.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import Cells, keep

COMMANDS = {
    "color": ["color", "er:2000x0.02", "--json", "-o", "OUT.json"],
    "color -k": ["color", "er:600x0.1", "-k", "8", "--json"],
    "color, several": ["color", "queen:9x9", "er:1000x0.01", "myciel:6", "--json"],
    "color --weights": ["color", "GRAPH.csv", "-k", "3", "--weights", "--json"],
    "solve": ["solve", "er:1000x0.1", "--time-limit", "3", "--json"],
    "pareto": ["pareto", "er:300x0.1", "--time-limit", "3", "--json"],
    "certify": ["certify", "er:100x0.2", "--time-limit", "3", "--json", "-o", "OUT.json"],
    "train": ["train", "cycle:20", "cycle:30", "--set", "epochs=60", "-o", "OUT.safetensors"],
    "list": ["list", "families", "--json"],
}
PYTHON = "before our first line"


def words_of(command: str, folder: Path) -> list[str]:
    graph = folder / "GRAPH.csv"
    if not graph.exists():
        edges = [(u, v) for u in range(60) for v in range(u) if (u * v + u) % 7 == 1]
        graph.write_text("".join(f"{u},{v},{1 + (u + v) % 5}\n" for u, v in edges))
    return [
        word.replace("OUT", str(folder / "out")).replace("GRAPH.csv", str(graph))
        for word in COMMANDS[command]
    ]


def pressed(command: str, number: int, after: float | None, folder: Path) -> dict[str, Any]:
    """Start, press, and wait for the end."""
    for old in folder.glob("out*"):
        old.unlink()
    began = time.monotonic()
    running = subprocess.Popen(
        [sys.executable, "-m", "concolor", *words_of(command, folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    if after is not None:
        time.sleep(max(after - (time.monotonic() - began), 0))
        running.send_signal(number)
    out, err = running.communicate(timeout=300)
    return {
        "code": running.returncode,
        "out": out.decode(),
        "err": err.decode(),
        "seconds": time.monotonic() - began,
    }


def found(command: str, out: str) -> int:
    """How many graphs were answered; a `ValueError` where the output is not whole."""
    if not out.strip():
        return 0
    if command == "train":
        return 1
    value = json.loads(out)
    answers = value if isinstance(value, list) else [value]
    for answer in answers if command.startswith("color") else ():
        if command in ("color", "color, several") and not answer["proper"]:
            raise ValueError("not a proper coloring")
    return len(answers)


def judged(command: str, number: int, ran: dict[str, Any]) -> tuple[str, str]:
    """How it ended, and what is wrong with that."""
    code, wrong = ran["code"], ""
    lines = [line for line in ran["err"].splitlines() if line.strip()]
    ours = "concolor_start.py" in ran["err"] or "/concolor/" in ran["err"]
    if not ran["out"] and (code == -number or ("Traceback" in ran["err"] and not ours)):
        return PYTHON, ""
    if "Traceback" in ran["err"] or "Exception" in ran["err"]:
        wrong = "traceback: " + lines[-1][:200]
    elif code not in (0, 1, 128 + number):
        wrong = f"exit code {code}"
    else:
        try:
            count = found(command, ran["out"])
        except ValueError as error:
            return "answered", f"output: {error}"
        if code == 128 + number:
            return ("interrupted with an answer" if count else "interrupted, nothing to give"), ""
        return "too late", ""
    return "wrong", wrong


def page(cells: list[dict[str, Any]]) -> Iterator[str]:
    kinds = (PYTHON, "interrupted, nothing to give", "interrupted with an answer", "too late")
    yield "# Presses"
    yield ""
    yield "Written by `python benchmarks/presses.py` from `presses.jsonl`, whose head says what is"
    yield "pressed and how a command must end. Last: the latest press that gave nothing, in seconds"
    yield "after the start of the process."
    yield ""
    wrong = [cell for cell in cells if cell["wrong"]]
    yield f"**{len(cells)} presses, {len(wrong)} wrong ends.**"
    yield ""
    yield from (f"- {c['command']} after {c['after']:.2f} s: {c['wrong']}" for c in wrong)
    yield from [""] * bool(wrong)
    yield f"| command | {' | '.join(kinds)} | latest with nothing |"
    yield "|---|" + "---:|" * (len(kinds) + 1)
    for command in COMMANDS:
        own = [cell for cell in cells if cell["command"] == command]
        ends = Counter(cell["end"] for cell in own)
        empty = [cell["after"] for cell in own if cell["end"] == kinds[1]]
        latest = f"{max(empty):.2f} s" if empty else "-"
        yield f"| {command} | {' | '.join(str(ends[kind]) for kind in kinds)} | {latest} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--presses", type=int, default=300)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    asked = parser.parse_args()
    cells = Cells(asked.folder / "presses.jsonl")
    with tempfile.TemporaryDirectory() as place:
        takes: dict[str, float] = {}
        for turn in range(len(cells.like()), asked.presses):
            command = list(COMMANDS)[turn % len(COMMANDS)]
            if command not in takes:
                takes[command] = pressed(command, signal.SIGINT, None, Path(place))["seconds"]
            draw = random.Random(turn)
            number = draw.choice([signal.SIGINT] * 3 + [signal.SIGTERM])
            after = (
                draw.uniform(0, 0.6)
                if draw.random() < 0.5
                else draw.uniform(0, 1.1 * takes[command])
            )
            ran = pressed(command, number, after, Path(place))
            end, wrong = judged(command, number, ran)
            cells.record(
                turn=turn,
                command=command,
                signal=number.name,
                after=round(after, 3),
                code=ran["code"],
                end=end,
                wrong=wrong,
            )
    keep(page(cells.like()), asked.folder / "presses.md")


if __name__ == "__main__":
    main()
