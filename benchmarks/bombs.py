"""Small files that unpack into large ones, and how soon each is refused.

    python benchmarks/bombs.py [--megabytes 400] [--budget 5.5G] [--most 9] [--folder FOLDER]

Each bomb is written to a temporary folder and read by a process of its own, with a budget of
memory and no more than ``most`` GiB of address space. *seconds* are CPU seconds of that process
and *peak* its resident memory, start-up included. Below them stand honest files: of the same size
as text, and with as many nodes as a file may declare. ``bombs.md`` is written in the folder, by
default that of this file.
"""

from __future__ import annotations

import argparse
import gzip
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np

from measure import Ended, ended, keep

READ = """
import sys, concolor as cc
try:
    print("read", cc.read(sys.argv[1]))
except cc.ConcolorError as error:
    print(str(error).partition(": ")[2])
"""


def packed(line: bytes) -> Callable[[Path, int], None]:
    """The same bytes again and again, as gzip."""

    def write(path: Path, size: int) -> None:
        part = line * (2**20 // len(line))
        with gzip.open(path, "wb", compresslevel=6) as file:
            for _ in range(size // len(part)):
                file.write(part)

    return write


def zipped(**shapes: tuple[tuple[int, ...], str]) -> Callable[[Path, int], None]:
    """An ``.npz`` of three nodes, with arrays of zeros of these shapes and types."""

    def write(path: Path, size: int) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in (("n", np.array(3)), ("edges", np.array([[0, 1]]))):
                file = BytesIO()
                np.save(file, array)
                archive.writestr(f"{name}.npy", file.getvalue())
            for name, (shape, kind) in shapes.items():
                head = BytesIO()
                described = {"descr": kind, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(head, described)
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    member.write(head.getvalue())
                    left = int(np.prod(shape)) * np.dtype(kind).itemsize
                    while left:
                        member.write(bytes(min(left, 2**24)))
                        left -= min(left, 2**24)

    return write


def pairs(path: Path, size: int) -> None:
    """An honest edge list of about that size."""
    ends = np.random.default_rng(0).integers(10**6, 3 * 10**6, (size // 16, 2))
    with gzip.open(path, "wb", compresslevel=1) as file:
        for part in np.array_split(ends, 100):
            file.write(("%d %d\n" * len(part) % tuple(part.ravel().tolist())).encode())


def declared(head: str) -> Callable[[Path, int], None]:
    return lambda path, size: path.write_text(head) and None


BOMBS: dict[str, Callable[[Path, int], None]] = {
    "names.csv.gz": packed(b"a,b\n"),
    "names.edges.gz": packed(b"a b\n"),
    "blank.edges.gz": packed(b"\n"),
    "comments.csv.gz": packed(b"#\n"),
    "quoted.csv.gz": packed(b'"a,b"\n'),
    "numbers.edges.gz": packed(b"1 2\n"),
    "comments.col.gz": packed(b"c\n"),
    "lists.json.gz": packed(b"[],"),
    "nodes.graphml.gz": packed(b'<node id="1"/>'),
    "features.npz": zipped(x=((10**9, 1), "|b1")),
    "names.npz": zipped(names=((2 * 10**8,), "<U1")),
}
HONEST: dict[str, Callable[[Path, int], None]] = {
    "honest.edges.gz": pairs,
    "isolated.col": declared("c name 1 first\np edge 50000000 0\n"),
    "isolated.mtx": declared(
        "%%MatrixMarket matrix coordinate pattern symmetric\n% name 1 first\n50000000 50000000 0\n"
    ),
}


def row(name: str, packed_size: int, found: Ended) -> str:
    said = found.output.strip() or f"exit code {found.code} {found.errors.strip()[-80:]}"
    cells = (name, f"{packed_size / 2**20:.1f}", f"{found.cpu:.1f}", f"{found.peak:.2f}", said)
    return f"| {' | '.join(cells)} |"


def report(size: int, most: float) -> Iterator[str]:
    yield from (
        "# Bombs",
        "",
        f"Written by `benchmarks/bombs.py`: text of {size // 2**20} MB unpacked, a boolean x of a "
        "gigabyte, 2 * 10^8 names for 3 nodes, and honest files below. CPU seconds and GiB of a "
        "process, start-up included.",
        "",
        "| file | MB packed | seconds | peak, GiB | answer |",
        "|---|---|---|---|---|",
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, write in {**BOMBS, **HONEST}.items():
            path = Path(folder) / name
            write(path, size)
            yield row(name, path.stat().st_size, ended(["-c", READ, str(path)], most=most))
            path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--budget", default="5.5G", help="CONCOLOR_MAX_MEMORY of the readers")
    parser.add_argument("--most", type=float, default=9.0, help="GiB of address space")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent, help="of the output")
    args = parser.parse_args()
    os.environ["CONCOLOR_MAX_MEMORY"] = args.budget
    keep(report(args.megabytes * 2**20, args.most), args.folder / "bombs.md")


if __name__ == "__main__":
    main()
