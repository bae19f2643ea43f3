"""The seeds of the fuzzer: small files of every kind, written by the package itself, and some that
were written by hand to lead into corners."""

from __future__ import annotations

import gzip
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np

import concolor as cc
from concolor.errors import Doubt
from concolor.graph.core import Graph
from concolor.graph.formats import FORMATS
from fuzz_targets import MODES, PROVED, SEEDS, proved

GRAPHS = {
    "plain": Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]),
    "named": Graph.from_edges(3, [(0, 1), (1, 2)], names=["a b", 'q"o', "é"]),
    "weights": Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], weights=[1.0, 2.0, 3.0]),
    "lists": Graph.from_edges(3, [(0, 1)], lists={0: [0, 1], 2: [1]}),
    "features": Graph.from_edges(3, [(0, 1)], x=np.eye(3, dtype=np.float32)),
}
BY_HAND = {
    "dimacs": [b"c x\np col 3 2\nn 1 4\nf 2 1 3\ne 1 2\ne 2 3\ne 2 3\n", b"p edge 0 0\n"],
    "edges": [b"# c\n0 1\n1 2 0.5\n", b"a;b\nb;c\n", b'"a b" c\n'],
    "csv": [b"source,target,weight\na,b,1\nb,c,2.5\n", b'"x ""y""",z\n'],
    "mtx": [b"%%MatrixMarket matrix coordinate pattern symmetric\n% c\n3 3 2\n2 1\n3 2\n"],
    "metis": [b"% c\n3 2 001\n2 1.0\n1 1 3 2\n2 2\n", b"3 2\n2\n1 3\n2\n"],
    "graphml": [b"<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>"],
    "json": [b'{"nodes":[{"id":1},{"id":2}],"links":[{"source":1,"target":2,"weight":3}]}'],
}


def put(target: str, name: str, content: bytes) -> None:
    """One seed."""
    path = SEEDS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def write_seeds() -> None:
    """All of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Doubt)
        for kind, form in FORMATS.items():
            for name, graph in GRAPHS.items():
                put(kind, name, form.write(graph))
            put(kind, "zipped", gzip.compress(form.write(GRAPHS["plain"]), mtime=0))
    for kind, contents in BY_HAND.items():
        for number, content in enumerate(contents):
            put(kind, f"hand{number}", content)
    for number, name in enumerate(PROVED):
        put("certificate", name.replace(":", ""), json.dumps(proved(name)[1]).encode())
        put("edited-certificate", f"edit{number}", bytes([number, 0, number, 60]))
    _models()
    colors = cc.dsatur(proved("petersen")[0])
    for kind, mode in MODES.items():
        with tempfile.TemporaryDirectory() as folder:
            colors.save(Path(folder, f"c{kind}"))
            put("coloring", kind[1:], bytes([mode]) + Path(folder, f"c{kind}").read_bytes())
    put("rules", "preset", b'\x80{"0": 1, "7": 0}')
    put("rules", "forbidden", b'\x00{"0": [1, 2], "7": []}')
    put("rules", "lists", b'\x00{"0": [10], "7": [[], "6"], "6": [3]}')
    put("page", "names", b"<b>&amp;\"'\x1b[0m\xe2\x80\xae</script><img src=x onerror=y>")


def _models() -> None:
    """Two models that are compiled and as small as they can be."""
    for encoder in ("gated_rnn", "light_rnn"):
        recipe = cc.Recipe(
            encoder=encoder, hidden=4, layers=1, steps=2, epochs=1, features="random"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m.safetensors")
            cc.Colorer(recipe).fit([cc.family("cycle:5")]).save(path)
            put("model", encoder.replace("_", "-"), path.read_bytes())
    put("edited-model", "recipe", bytes([0, 0, 3, 60]))
    put("edited-model", "header", bytes([200, 0, 3, 60]))
