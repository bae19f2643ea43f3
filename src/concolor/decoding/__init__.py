"""Points to colors: clusterings, the sweep over k, and colorings proper by construction."""

from concolor.decoding.cluster import DECODERS, Clustering, Decoder
from concolor.decoding.guided import guided, unguided
from concolor.decoding.lines import canonicalize
from concolor.decoding.sweep import sweep
from concolor.sweeps import Sweep

__all__ = [
    "DECODERS",
    "Clustering",
    "Decoder",
    "Sweep",
    "canonicalize",
    "guided",
    "sweep",
    "unguided",
]
