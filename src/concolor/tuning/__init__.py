"""Searches over recipes: settings are chosen on graphs that neither training nor tables see.

- :mod:`space`: which fields of a recipe are searched, and among which values.
- :mod:`attempt`: one recipe, trained and judged, given up early where it falls behind.
- :mod:`study`: many of them, by Optuna, on disk and resumable.

Optuna comes with the extra ``tune``. Nothing here loads it, or torch, before a search begins.
"""

from concolor.tuning.space import SPACE, Space, Span, narrowed

__all__ = ["SPACE", "Space", "Span", "narrowed"]
