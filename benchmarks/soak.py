"""A soak: commands are killed by SIGKILL at random moments, and what they leave is judged.

    python benchmarks/soak.py [--kills 200] [--folder FOLDER]

Every command that writes: `color` with all its files, `solve -o`, `certify -o`, `convert` to a
file, to a CSR folder and from a streamed list, `train`, and the runner of `reproduce`. Before half
of the kills there are older files in place. The modules are loaded once and every command is a fork
of that process, so that a kill falls into the work and the writing, not into the loading; it comes
at a moment between 0 and what the undisturbed command takes.

After each kill every file is what it was before, or what the undisturbed command writes, or (where
there was none before) not there; of results, every line that can be read is one of the undisturbed.
Then the same command is given again (`train` with ``--resume``), and its files must be those of the
undisturbed one, byte for byte; but pages and models say how long it took, so a page must be whole,
and the weights of a model count. A CSR folder is one file. Hidden files that end in ``.part`` may
be left; nobody reads them. A line of ``soak.jsonl`` is a kill; ``soak.md`` is written from all.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from measure import Cells, keep

COLORS = ["color", "er:30x0.3", "-q"]
TRAIN = ["train", "cycle:12", "cycle:14", "--set", "epochs=12", "--set", "hidden=16", "-q"]
COMMANDS: dict[str, list[str]] = {
    "color -o": [*COLORS, "-o", "c.json", "--certificate", "p.json", "--report", "r.html"],
    "solve -o": ["solve", "er:200x0.1", "--method", "dsatur", "-q", "-o", "c.csv"],
    "certify -o": ["certify", "myciel:4", "-q", "-o", "p.json"],
    "convert, file": ["convert", "er:2000x0.01", "g.col.gz", "-q"],
    "convert, folder": ["convert", "er:2000x0.01", "g.csr", "-q"],
    "convert, streamed": ["convert", "../names.edges", "n.csr", "-q", "--memory", "1M"],
    "train": [*TRAIN, "--resume", "--threads", "1", "-o", "m.safetensors"],
    "reproduce": [],
}
Files = dict[str, str]


def started(command: str, seed: int, folder: Path) -> int:
    """Fork a process that does the command in a folder; its number."""
    child = os.fork()
    if child:
        return child
    os.chdir(folder)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    try:
        _work(command, seed)
    except SystemExit as end:
        os._exit(int(end.code or 0))
    finally:
        os._exit(70)


def _work(command: str, seed: int) -> None:
    from concolor.cli import main
    from concolor.experiments import runner
    from concolor.experiments.store import Store

    if command == "reproduce":
        runner.run(cells(), Store("results"))
        raise SystemExit(0)
    sys.argv = ["concolor", *COMMANDS[command]]
    if command != "convert, streamed":
        sys.argv += ["--seed", str(seed)]
    main()


def cells() -> list[Any]:
    """Cells that take a moment each."""
    from concolor.experiments.cells import Compared

    return [Compared("null", "myciel/id", seed=seed) for seed in range(6)]


def ended(child: int) -> int:
    """The exit code of a process, below 0 the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def state(folder: Path) -> Files:
    """Digests of the files that someone reads: without seconds, and without what is on its way."""
    shown = [p for p in sorted(folder.iterdir()) if not p.name.startswith(".")]
    return {p.name: _digest(p) for p in shown if p.suffix != ".checkpoint"}


def _digest(path: Path) -> str:
    if path.is_dir() and path.name == "results":
        return json.dumps(sorted({line for p in path.iterdir() for line in _lines(p.read_bytes())}))
    if path.is_dir():
        return " ".join(f"{p.name} {_digest(p)}" for p in sorted(path.iterdir()))
    content = path.read_bytes()
    if path.suffix == ".safetensors":
        content = content[8 + int.from_bytes(content[:8], "little") :]  # its header has seconds
    if path.suffix == ".html":
        return "a page" if content.endswith(b"</html>\n") else "half a page"
    return hashlib.sha256(content).hexdigest()[:16]


def _lines(content: bytes) -> Iterator[str]:
    """The results in a file that can be read, without what differs from run to run."""
    for text in content.splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        yield json.dumps([line["key"], line["metrics"]], sort_keys=True)


def is_fine(name: str, now: str | None, before: str | None, whole: str | None) -> bool:
    """A file after a kill: as before, as it should be, or for results, a part of that."""
    if name == "results" and now is not None and whole is not None:
        return set(json.loads(now)) <= set(json.loads(whole))
    return now in (before, whole)


def killed(command: str, turn: int, takes: float, wholes: dict[int, Files], place: Path) -> str:
    """One kill, and going on; what is wrong with what it left, or nothing."""
    draw = random.Random(turn)
    folder = Path(tempfile.mkdtemp(dir=place))
    if draw.random() < 0.5:
        ended(started(command, 2, folder))  # older files of another seed
        (folder / "m.safetensors.checkpoint").unlink(missing_ok=True)
    before, whole = state(folder), wholes[1]
    child = started(command, 1, folder)
    time.sleep(draw.uniform(0, takes))
    os.kill(child, signal.SIGKILL)
    code, now = ended(child), state(folder)
    for name in {*now, *whole, *before}:
        if not is_fine(name, now.get(name), before.get(name), whole.get(name)):
            return f"{name} is neither old nor new nor absent after the kill"
    again = ended(started(command, 1, folder))
    if again:
        return f"going on ends with {again}"
    if state(folder) != whole:
        odd = [name for name in whole if state(folder).get(name) != whole[name]]
        return f"going on gives another {', '.join(odd) or 'set of files'}"
    return "" if code == -signal.SIGKILL else "too late"


def soak(kills: int, kept: Cells) -> None:
    with tempfile.TemporaryDirectory() as root:
        place = Path(root)
        names = "".join(f"node{v} node{(7 * v + 3) % 900}\n" for v in range(3000))
        (place / "names.edges").write_text(names)
        warm_up(place)
        known: dict[str, tuple[float, dict[int, Files]]] = {}
        for turn in range(len(kept.like()), kills):
            command = list(COMMANDS)[turn % len(COMMANDS)]
            if command not in known:
                known[command] = undisturbed(command, place)
            takes, wholes = known[command]
            wrong = killed(command, turn, takes, wholes, place)
            end = "too late" if wrong == "too late" else "killed"
            kept.record(turn=turn, command=command, end=end, wrong="" if end != "killed" else wrong)


def warm_up(place: Path) -> None:
    """Do every command here once, so that its forks find all code loaded."""
    with chdir(tempfile.mkdtemp(dir=place)), redirect_stdout(io.StringIO()):
        for command in COMMANDS:
            with suppress(SystemExit):
                _work(command, 1)


def undisturbed(command: str, place: Path) -> tuple[float, dict[int, Files]]:
    """Seconds that a command takes, and the files of two seeds."""
    wholes, takes = {}, 0.0
    for seed in (2, 1):
        folder = Path(tempfile.mkdtemp(dir=place))
        began = time.monotonic()
        code = ended(started(command, seed, folder))
        takes, wholes[seed] = time.monotonic() - began, state(folder)
        assert code in (0, 1) and wholes[seed], (command, code)
    return takes, wholes


def page(cells: list[dict[str, Any]]) -> Iterator[str]:
    wrong = [cell for cell in cells if cell["wrong"]]
    yield "# Soak"
    yield ""
    yield "Written by `python benchmarks/soak.py` from `soak.jsonl`: SIGKILL at random moments. Its"
    yield "head says what must hold after each, and after the command was given once more."
    yield ""
    yield f"**{len(cells)} kills, {len(wrong)} that left something wrong.**"
    yield ""
    yield from (f"- {cell['command']}, kill {cell['turn']}: {cell['wrong']}" for cell in wrong)
    yield from [""] * bool(wrong)
    yield "| command | kills | of these, after its end | wrong |"
    yield "|---|---:|---:|---:|"
    for command in COMMANDS:
        own = [cell for cell in cells if cell["command"] == command]
        late = Counter(cell["end"] for cell in own)["too late"]
        yield f"| {command} | {len(own)} | {late} | {sum(bool(c['wrong']) for c in own)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    asked = parser.parse_args()
    kept = Cells(asked.folder / "soak.jsonl")
    soak(asked.kills, kept)
    keep(page(kept.like()), asked.folder / "soak.md")


if __name__ == "__main__":
    main()
