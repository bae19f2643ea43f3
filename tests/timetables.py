"""A made-up exam timetable with some exams fixed, as hard for a search as a real one."""

from itertools import combinations

import numpy as np

from concolor.graph.core import Graph

SLOTS = 24
FIXED = {70: 6, 46: 1, 96: 23, 61: 5, 7: 4, 159: 14}  # exam to slot


def timetable(exams=180, students=600, seed=2):
    """Every student takes six exams; an early one is more popular than a late one."""
    rng = np.random.default_rng(seed)
    popular = 1 / np.arange(3, exams + 3)
    taken = [
        rng.choice(exams, 6, replace=False, p=popular / popular.sum()) for _ in range(students)
    ]
    return Graph.from_edges(exams, [pair for six in taken for pair in combinations(six, 2)])
