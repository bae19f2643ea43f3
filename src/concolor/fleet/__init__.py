"""Fleets: one call for many graphs, here or on any ``concurrent.futures.Executor``.

- :mod:`parcels`: what travels between processes, and the part of a worker.
- :mod:`stream`: batches out, results back in order, a bounded number of them on the way.
- :mod:`calls`: a call for one graph, made one for many.
- :mod:`executors`: worker processes of this machine, and a Dask cluster.

This room knows nothing of colorings. The calls of the rooms above come as arguments.
"""

from concolor.fleet.calls import arrays, for_many
from concolor.fleet.executors import Workers, dask_cluster
from concolor.fleet.parcels import Failed
from concolor.fleet.stream import Standing, WorkersLost, in_order, many, whoever_is_first

__all__ = [
    "Failed",
    "Standing",
    "Workers",
    "WorkersLost",
    "arrays",
    "dask_cluster",
    "for_many",
    "in_order",
    "many",
    "whoever_is_first",
]
