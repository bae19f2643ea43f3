"""What networkx tells its users about us; it asks whenever it is imported: this file is small."""

from __future__ import annotations

from typing import Any


def info() -> dict[str, Any]:
    """The facts in the words of networkx; the functions are in :mod:`concolor.networkx_backend`."""
    return {
        "backend_name": "concolor",
        "project": "concolor",
        "package": "concolor",
        "short_summary": "Graph coloring in compiled loops.",
        "functions": {
            "greedy_color": {
                "additional_docs": "All strategies given by name; no functions, no interchange."
            },
            "equitable_color": {"additional_docs": "Least full classes first, then exchanges."},
        },
    }
