"""Solvers as tests like to call them: with the words of a user, for the coloring alone."""

import inspect

from concolor.goal import Task

WORDS = set(inspect.signature(Task.of).parameters)


def solution_of(method):
    """``method(task, **options)`` as ``run(graph, k=3, patience=100) -> Solution``."""

    def run(graph, **words):
        task = Task.of(graph, **{name: word for name, word in words.items() if name in WORDS})
        return method(task, **{name: word for name, word in words.items() if name not in WORDS})

    return run


def coloring_of(method):
    """The same for the coloring alone."""
    return lambda graph, **words: solution_of(method)(graph, **words).coloring
