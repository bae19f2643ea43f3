"""Coverage-guided fuzzing of what reads files: graphs, certificates, models, colorings, rules; and
of pages, which show what was read.

    python benchmarks/fuzz.py [--runs 1000000] [--only certificate] [--folder FOLDER]
    python benchmarks/fuzz.py --seeds

Atheris mutates the seeds of ``tests/fuzz`` and keeps what reaches new lines of the package, in
``build/fuzz``, so that another run goes on from there; what ``fuzz_targets.py`` lets through as an
exception ends it, and the input is kept beside. A target is a process of its own, with a share of
the runs; an input that takes ten seconds or 2 GiB is a finding as well. A line of ``fuzz.jsonl``
is a target that is done, and is not run again; ``fuzz.md`` is written from all of them.
``--seeds`` writes the seeds anew.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import Cells, keep

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "fuzz"
SHARES = {  # of the runs: what is slow gets fewer; the others 1
    "certificate": 0.25,
    "edited certificate": 0.1,
    "model": 0.5,
    "edited model": 0.2,
    "page": 0.01,
}
LONGEST, HANGS, MEMORY = 4096, 10, 2048  # bytes, seconds, MiB
ALL = "all"  # every target in one process, by the first byte


def compiled_modules() -> list[str]:
    """Modules with compiled loops, which cannot be instrumented."""
    source = ROOT / "src"
    files = [path for path in source.rglob("*.py") if "@compiled" in path.read_text()]
    files += [path for path in source.rglob("*.py") if "(compiled, " in path.read_text()]
    return [".".join(path.relative_to(source).with_suffix("").parts) for path in files]


def fuzz(target: str, words: list[str]) -> None:
    """Fuzz one target in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(include=["concolor"], exclude=compiled_modules()):
        from fuzz_targets import TARGETS, tried
    names = list(TARGETS)

    def one(data: bytes) -> None:
        if target != ALL:
            tried(target, data)
        elif data:
            tried(names[data[0] % len(names)], data[1:])

    atheris.Setup([sys.argv[0], *words], one)
    atheris.Fuzz()


def fuzzed(target: str, runs: int) -> dict[str, Any]:
    """Fuzz one target in a process of its own."""
    folder = WORK / target.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    words = [f"-runs={runs}", f"-max_len={LONGEST}", f"-timeout={HANGS}", "-len_control=0"]
    words += [f"-rss_limit_mb={MEMORY}", f"-artifact_prefix={WORK}/", "-seed=20"]
    words += [str(folder), str(ROOT / "tests" / "fuzz" / folder.name)]
    done = subprocess.run(
        [sys.executable, __file__, "--target", target, "--", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    ended = re.search(r"^Done (\d+) runs in (\d+) second", done.stdout, re.MULTILINE)
    seen = re.findall(r"cov: (\d+)", done.stdout)
    if done.returncode or ended is None:
        print(done.stdout[-4000:], file=sys.stderr)
        raise SystemExit(f"{target}: a finding, kept in {WORK}")
    return {
        "target": target,
        "runs": int(ended[1]),
        "seconds": int(ended[2]),
        "covered": int(seen[-1]),
        "kept": len(list(folder.iterdir())),
    }


def page(cells: list[dict[str, Any]]) -> Iterator[str]:
    """The lines of the page."""
    yield "# Fuzzing"
    yield ""
    yield "Written by `python benchmarks/fuzz.py` from `fuzz.jsonl`: inputs that atheris made from"
    yield "the seeds in `tests/fuzz`, in search of places in the package not reached before."
    yield ""
    total = sum(cell["runs"] for cell in cells)
    yield f"**{total} inputs, 0 findings**: each gave a value that stands, or our own error."
    yield "(A finding ends the run, and this page is not written.)"
    yield ""
    yield "| target | inputs | places of the code reached | inputs kept | seconds |"
    yield "|---|---:|---:|---:|---:|"
    for cell in cells:
        kept = " | ".join(str(cell[name]) for name in ("runs", "covered", "kept", "seconds"))
        yield f"| {cell['target']} | {kept} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--runs", type=int, default=1_000_000, help="inputs of all targets")
    parser.add_argument("--only", help="one target")
    parser.add_argument("--seeds", action="store_true", help="write the seeds, and end")
    parser.add_argument("--target", help="fuzz it in this process; words of libFuzzer after --")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    asked, words = parser.parse_known_args()
    if asked.target:
        fuzz(asked.target, [word for word in words if word != "--"])
    if asked.seeds:
        from fuzz_seeds import write_seeds

        write_seeds()
        return
    from fuzz_targets import TARGETS

    cells = Cells(asked.folder / "fuzz.jsonl")
    names = [asked.only] if asked.only else list(TARGETS)
    shares = {name: SHARES.get(name, 1.0) for name in TARGETS}
    for name in names:
        if not cells.like(target=name):
            share = shares[name] / sum(shares.values())
            cells.record(**fuzzed(name, math.ceil(asked.runs * share)))
    keep(page(cells.like()), asked.folder / "fuzz.md")


if __name__ == "__main__":
    main()
