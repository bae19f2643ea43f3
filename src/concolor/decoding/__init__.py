"""Points to colors: one sign for every line, clusterings, and the sweep over k."""

from concolor.decoding.cluster import DECODERS, Clustering, Decoder
from concolor.decoding.lines import canonicalize
from concolor.decoding.sweep import Sweep, sweep

__all__ = ["DECODERS", "Clustering", "Decoder", "Sweep", "canonicalize", "sweep"]
