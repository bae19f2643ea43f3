"""The compiled loops of the solvers. Only what runs them imports these files, and so numba."""
