"""The paper's experiments: tables as data, one resumable runner, a renderer beside the paper.

- :mod:`suites`: the graphs that a method is judged on.
- :mod:`cells`: the unit of work, a method with a seed on a suite.
- :mod:`rows`: what gives a printed row. :mod:`protocols`: from its name to that.
- :mod:`tables`: the tables, and the cells that they ask for.
- :mod:`measure`: a cell -> its figures.
- :mod:`store`: the figures of all cells, one JSON line each.
- :mod:`runner`: what is asked and not yet there.
- :mod:`paper`: the printed numbers. :mod:`render`: ours beside them.
- :mod:`comparison`, :mod:`standings`, :mod:`significance`: how far ours are from the paper's.
- :mod:`ablations`, :mod:`explanations`: what may explain that. :mod:`repeat`: do results repeat?
- :mod:`claims`, :mod:`judges`: what the paper claims. :mod:`export`: tables as CSV and LaTeX.
"""
