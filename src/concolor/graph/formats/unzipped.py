"""An ``.npz`` file read piece by piece, as its arrays are unpacked, for :mod:`streaming`."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from concolor.errors import FormatError, InputError
from concolor.graph.core import IntArray
from concolor.graph.formats.external import Spool
from concolor.graph.formats.npz import heading
from concolor.graph.formats.scan import Say, checked_size
from concolor.graph.formats.streams import LONGEST, NameStore, Told


def read_npz(path: str | Path, spool: Spool, names: NameStore, say: Say) -> Told:
    """The arrays of an ``.npz`` file as they are unpacked; features and lists are left out."""
    try:
        with ZipFile(path) as archive:
            keys = {Path(name).stem for name in archive.namelist()}
            if "lists" in keys:
                say("the lists of colors are left out; .col and .npz keep them")
            key = "edges" if "edges" in keys else "edge_index"
            if key not in keys:
                raise FormatError(f"needs 'edges' [m, 2] or 'edge_index' [2, m], has {keys}")
            n = _size(archive, keys)
            for pairs in _unzipped(archive, key, spool.memory // 64):
                spool.add(pairs)
            if "names" in keys:
                for place, name in enumerate(_texts(archive, n, spool.memory)):
                    names.put(place, name)
    except (BadZipFile, zlib.error, EOFError, ValueError, KeyError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise FormatError(f"not a whole .npz without pickles: {error}") from error
    if spool.count and not 0 <= spool.low <= spool.high < n:
        bad = spool.low if spool.low < 0 else spool.high
        raise FormatError(f"node {bad} is out of range: nodes are 0..{n - 1}")
    return Told(n, both=key != "edges", named="names" in keys)


def _size(archive: ZipFile, keys: set[str]) -> int:
    for key in ("n", "x_shape"):
        if key in keys:
            with archive.open(f"{key}.npy") as file:
                shape, _, dtype = heading(file)
                if dtype.kind not in "iu" or shape != (() if key == "n" else (2,)):
                    raise FormatError(f"{key} must be a whole number, got {dtype} {shape}")
                return checked_size(int(_numbers(file, dtype, 1)[0]))
    if "x" not in keys:
        raise FormatError(f"needs 'n' or features to know the number of nodes, has {keys}")
    with archive.open("x.npy") as file:
        return checked_size(heading(file)[0][0])


def _texts(archive: ZipFile, n: int, memory: int) -> Iterator[str]:
    """The names of n nodes, some at a time."""
    with archive.open("names.npy") as file:
        shape, _, dtype = heading(file)
        if dtype.kind != "U" or len(shape) != 1:
            raise FormatError(f"names must be text of shape [n], got {dtype} {shape}")
        if shape != (n,):
            raise FormatError(f"{shape[0]} node names for {n} nodes")
        if dtype.itemsize > LONGEST:
            raise FormatError(f"names of up to {dtype.itemsize} bytes, the limit is {LONGEST}")
        length = max(memory // 64 // max(dtype.itemsize, 1), 1)
        for begin in range(0, n, length):
            here = min(length, n - begin)
            yield from np.frombuffer(_bytes(file, dtype, here), dtype, here).tolist()


def _unzipped(archive: ZipFile, key: str, length: int) -> Iterator[IntArray]:
    """The pairs of an array ``[m, 2]`` or ``[2, m]``, in pieces ``[c, 2]``."""
    length = max(length, 1)
    with archive.open(f"{key}.npy") as file, archive.open(f"{key}.npy") as other:
        shape, columns, dtype = heading(file)
        heading(other)
        along = key != "edges"  # pairs are columns
        if dtype.kind not in "iu" or len(shape) != 2 or shape[0 if along else 1] != 2:
            raise FormatError(
                f"{key} must be whole numbers, two for each edge, got {dtype} {shape}"
            )
        count = shape[1 if along else 0]
        if columns == along:  # u and v side by side
            for begin in range(0, count, length):
                rows = _numbers(file, dtype, 2 * min(length, count - begin))
                yield rows.reshape(-1, 2)
            return
        for begin in range(0, count, length):  # all u, then all v
            other.read(min(length, count - begin) * dtype.itemsize)
        for begin in range(0, count, length):
            here = min(length, count - begin)
            yield np.stack([_numbers(file, dtype, here), _numbers(other, dtype, here)], axis=1)


def _numbers(file: IO[bytes], dtype: np.dtype[Any], count: int) -> IntArray:
    return np.frombuffer(_bytes(file, dtype, count), dtype).astype(np.int64)


def _bytes(file: IO[bytes], dtype: np.dtype[Any], count: int) -> bytes:
    content = file.read(count * dtype.itemsize)
    if len(content) < count * dtype.itemsize:
        raise FormatError("truncated")
    return content
