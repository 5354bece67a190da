"""Models on Dask clusters whose workers are killed, or have little memory."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from dask_rows import SIZES, divided, draw
from hedgerow import MondrianForestRegressor
from models import bits
from thorough import THOROUGH

pytest.importorskip("distributed")

import dask.array as da
from distributed import Client, LocalCluster

from hedgerow.integrations.dask import DaskMondrianForestRegressor

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # which ends a process of Windows at once


@pytest.fixture(scope="module")
def processes():
    """Workers that can be killed. Others are started for them, which may take long on a busy machine."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="600MB") as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_killed_workers_lose_nothing(processes):
    X, y = draw(8000 if THOROUGH else 2000)
    parameters = {**SIZES, "n_estimators": 60}
    expected = MondrianForestRegressor(**{**parameters, "cuts": "keyed"}).fit(X, y)
    model = DaskMondrianForestRegressor(**parameters, client=processes)
    rows, killed = divided(6, X, y), []
    killer = threading.Thread(target=lambda: killed.append(kill_when_busy(processes, "hedgerow_trees")))
    killer.start()
    model.fit(*rows)
    killer.join()
    assert killed[0] is not None
    processes.wait_for_workers(2, timeout=300)
    killer = threading.Thread(target=lambda: killed.append(kill_when_busy(processes, "")))
    killer.start()
    asked = da.concatenate([rows[0]] * (40 if THOROUGH else 20))
    assert model.predict(asked).compute()[-len(y) :].tobytes() == expected.predict(X).tobytes()
    killer.join()
    assert killed[1] is not None
    assert bits(model.to_local()) == bits(expected)
    if THOROUGH:
        processes.wait_for_workers(2, timeout=300)
        (holder, *_) = processes.who_has([model._model])[model._model.key]
        os.kill(processes.run(os.getpid, workers=[holder])[holder], KILL)  # the model itself is lost now
        assert bits(model.to_local()) == bits(expected)


def kill_when_busy(client, name):
    """Kill a worker that has begun a task whose name begins so; return its number, or None if none ever had."""
    pids = client.run(os.getpid)
    for _ in range(3000):
        for worker, keys in client.processing().items():
            if any(str(key).startswith(name) for key in keys):
                os.kill(pids[worker], KILL)
                return pids[worker]
        time.sleep(0.01)
    return None


def test_a_forest_that_cannot_fit_is_refused_before_it_grows(processes):
    X = da.zeros((2_000_000, 8), chunks=(100_000, 8))  # 128 MB; 50 trees of these rows take 10 GB
    with pytest.raises(MemoryError, match="a forest holds its rows: 2000000 rows of 8 columns"):
        DaskMondrianForestRegressor(client=processes).fit(X, X[:, 0])


@pytest.mark.skipif(not THOROUGH, reason="a minute")
def test_questions_may_be_larger_than_memory(processes):
    X, y = draw(100)
    model = DaskMondrianForestRegressor(2, random_state=3, client=processes).fit(*divided(2, X, y))
    asked = da.zeros((30_000_000, 3), chunks=(500_000, 3))  # 720 MB
    assert model.predict(asked).max().compute() == model.to_local().predict([[0.0, 0.0, 0.0]])[0]
