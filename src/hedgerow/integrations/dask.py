"""hedgerow's models on a Dask cluster: fitted to Dask arrays and dataframes, with the bits that one machine gives.

Partitions are brought together on one worker, which learns the units of the columns; trees are then grown by all
workers, each from all rows, and put together. A forest holds its rows, so rows and trees must fit into the memory of a
worker; of more rows a sample can be learned. See the guide.
"""

from __future__ import annotations

from hedgerow import (
    MondrianBoostingClassifier,
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
)

try:
    from hedgerow.integrations._dask_models import DaskClassifier, DaskForest, DaskOnline, DaskRegressor
except ImportError as error:
    raise ImportError("hedgerow.integrations.dask needs dask and distributed: pip install 'hedgerow[dask]'") from error

__all__ = [
    "DaskMondrianBoostingClassifier",
    "DaskMondrianBoostingRegressor",
    "DaskMondrianForestClassifier",
    "DaskMondrianForestRegressor",
]


class DaskMondrianForestRegressor(DaskForest, DaskRegressor):
    """`MondrianForestRegressor` on a Dask cluster.

    Parameters
    ----------
    **parameters
        Those of `MondrianForestRegressor`; `cuts` is "keyed" by default, so that the order of rows does not
        matter. Each task has `n_jobs` threads, one by default.
    max_memory : int or str, optional
        Memory that learning may take in a worker, in bytes or as "4GB". Of more rows than can be learned with so much,
        `fit` learns a uniform random sample, which is a function of `random_state` and of the set of rows. By default
        all rows are learned, or MemoryError is raised if these would not fit the largest worker.
    client : distributed.Client, optional
        The cluster. By default the client that was started last.

    Attributes
    ----------
    n_rows_given_ : int
        Rows that were given.
    n_samples_seen_ : int
        Rows that were learned; fewer if a sample was, in which copies of a row are one row of more weight.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from hedgerow import MondrianForestRegressor
    >>> from hedgerow.integrations.dask import DaskMondrianForestRegressor
    >>> client = Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0")
    >>> X = da.random.default_rng(0).uniform(size=(200, 3), chunks=(50, 3))
    >>> y = X[:, 0] + X[:, 1]
    >>> forest = DaskMondrianForestRegressor(8, random_state=0, client=client).fit(X, y)
    >>> alone = MondrianForestRegressor(8, cuts="keyed", random_state=0).fit(X.compute(), y.compute())
    >>> bool((forest.predict(X).compute() == alone.predict(X.compute())).all())
    True
    >>> client.close()
    """

    _LOCAL = MondrianForestRegressor


class DaskMondrianForestClassifier(DaskForest, DaskClassifier):
    """`MondrianForestClassifier` on a Dask cluster; see `DaskMondrianForestRegressor`."""

    _LOCAL = MondrianForestClassifier


class DaskMondrianBoostingRegressor(DaskOnline, DaskRegressor):
    """`MondrianBoostingRegressor` on a Dask cluster: one worker fits it, in the order of the rows; all predict."""

    _LOCAL = MondrianBoostingRegressor


class DaskMondrianBoostingClassifier(DaskOnline, DaskClassifier):
    """`MondrianBoostingClassifier` on a Dask cluster: one worker fits it, in the order of the rows; all predict."""

    _LOCAL = MondrianBoostingClassifier
