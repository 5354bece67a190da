"""Dask clusters within the process, for all tests of a file."""

from __future__ import annotations

import pytest


def cluster(n_workers):
    from distributed import Client

    return Client(processes=False, n_workers=n_workers, threads_per_worker=1, dashboard_address=":0")


@pytest.fixture(scope="module", params=[1, 2, 3], ids="{} workers".format)
def any_client(request):
    with cluster(request.param) as client:
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster(2) as client:
        yield client
