"""Models on Dask clusters: the bits of one machine, whatever the workers, the partitions and the order of rows, and
whatever becomes of the workers."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import time
from contextvars import Context

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hedgerow import (
    MondrianBoostingClassifier,
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
)
from models import answers, bits

pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")

import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask import delayed  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

from hedgerow.integrations.dask import (  # noqa: E402
    DaskMondrianBoostingClassifier,
    DaskMondrianBoostingRegressor,
    DaskMondrianForestClassifier,
    DaskMondrianForestRegressor,
)
from thorough import THOROUGH  # noqa: E402

N = 3000 if THOROUGH else 300
SIZES = {"n_estimators": 13, "random_state": 3}
KEYED = {**SIZES, "cuts": "keyed"}
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # which ends a process of Windows at once
FIXED = {"scaling": "none", "hyperparameters": "paper", "drift_rate": 0.5, "signal_to_noise": 20.0}


def draw(n=N, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    X[:, 1] = np.round(8 * X[:, 1])
    return X, np.sin(6 * X[:, 0]) + 0.2 * X[:, 1] + rng.normal(scale=0.1, size=n)


def labels_of(y):
    return np.array(["low", "middle", "high"])[np.digitize(y, [0.5, 1.5])]


def divided(n_parts, *arrays):
    """Arrays in so many partitions."""
    ends = np.linspace(0, len(arrays[0]), n_parts + 1).astype(int)
    chunks = tuple(np.diff(ends).tolist())
    return [da.from_array(array, chunks=(chunks, *array.shape[1:])) for array in arrays]


@pytest.fixture(scope="module")
def processes():
    """Workers that can be killed. Others are started for them, which may take long on a busy machine."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="600MB") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def alone():
    X, y = draw()
    return MondrianForestRegressor(**KEYED).fit(X, y)


# The same bits.


@pytest.mark.parametrize("n_parts", [1, 7, 50])
def test_bits_do_not_tell_workers_partitions_and_order(any_client, n_parts, alone):
    X, y = draw()
    order = np.random.default_rng(n_parts).permutation(len(y))
    model = DaskMondrianForestRegressor(**SIZES, client=any_client).fit(*divided(n_parts, X[order], y[order]))
    found, expected = answers(model.to_local(), X[:20], y[:20]), answers(alone, X[:20], y[:20])
    assert found.pop("loo_predict") != expected.pop("loo_predict")  # which comes in the order of rows
    assert found == expected
    asked = divided(n_parts, X)[0]
    assert model.predict(asked).compute().tobytes() == alone.predict(X).tobytes()


def test_in_the_same_order_files_are_equal(client, alone):
    model = DaskMondrianForestRegressor(**SIZES, client=client).fit(*divided(7, *draw()))
    assert bits(model.to_local()) == bits(alone)


@pytest.mark.parametrize(
    ("kind", "ordinary", "parameters"),
    [
        (DaskMondrianForestRegressor, MondrianForestRegressor, {"cuts": "free"}),
        (DaskMondrianForestRegressor, MondrianForestRegressor, {"cuts": "keyed", **FIXED}),
        (DaskMondrianForestRegressor, MondrianForestRegressor, {"cuts": "keyed", "smoothing": "moments"}),
        (DaskMondrianForestRegressor, MondrianForestRegressor, {"cuts": "keyed", "target": "count", "window": 150}),
        (DaskMondrianForestRegressor, MondrianForestRegressor, {"cuts": "keyed", "n_estimators": 3}),
        (DaskMondrianForestClassifier, MondrianForestClassifier, {"cuts": "keyed", "class_weight": "balanced"}),
        (DaskMondrianBoostingRegressor, MondrianBoostingRegressor, {"n_estimators": 3, "max_stages": 2}),
        (DaskMondrianBoostingClassifier, MondrianBoostingClassifier, {"n_estimators": 3, "max_stages": 2}),
    ],
    ids=str,
)
def test_every_model_is_the_ordinary_one(client, kind, ordinary, parameters):
    X, y = draw()
    y = labels_of(y) if "Classifier" in kind.__name__ else np.floor(3 * np.abs(y))
    weights = np.resize([1.0, 2.0, 0.0, 0.5], len(y))
    parameters = {**SIZES, **parameters}
    model = kind(**parameters, client=client).fit(*divided(5, X, y, weights))
    assert bits(model.to_local()) == bits(ordinary(**parameters).fit(X, y, weights))


def test_online_is_the_ordinary_model_online(client):
    X, y = draw()
    local = MondrianForestRegressor(**KEYED, **FIXED).partial_fit(X[:90], y[:90]).partial_fit(X[90:], y[90:])
    model = DaskMondrianForestRegressor(**SIZES, **FIXED, client=client).partial_fit(*divided(3, X[:90], y[:90]))
    model.partial_fit(*divided(4, X[90:], y[90:]))
    assert bits(model.to_local()) == bits(local)
    fitted = DaskMondrianForestRegressor(**SIZES, **FIXED, client=client).fit(*divided(2, X[::-1], y[::-1]))
    assert (fitted.predict(divided(2, X)[0]).compute() == local.predict(X)).all()


def test_boosting_learns_online(client):
    X, y = draw(80)
    parameters = {"n_estimators": 2, "max_stages": 1, "stages": ["mondrian"], "random_state": 3}
    model = DaskMondrianBoostingRegressor(**parameters, client=client).fit(*divided(2, X[:50], y[:50]))
    model.partial_fit(*divided(3, X[50:], y[50:]))
    local = MondrianBoostingRegressor(**parameters).fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    assert bits(model.to_local()) == bits(local)


def test_a_stream_through_a_window(client):
    X, y = draw()
    local = MondrianForestClassifier(**KEYED, window=40).partial_fit(X, labels_of(y), classes=["low", "new"])
    model = DaskMondrianForestClassifier(**SIZES, window=40, client=client)
    model.partial_fit(*divided(6, X, labels_of(y)), classes=["low", "new"])
    assert bits(model.to_local()) == bits(local)
    assert model.classes_.tolist() == local.classes_.tolist()


# Frames and answers.


@pytest.fixture
def frame():
    X, y = draw()
    frame = pd.DataFrame(X, columns=["p", "q", "r"], index=np.arange(len(y)) * 2)
    frame["text"] = np.resize(["ash", "birch", "elm"], len(y))
    frame.loc[frame.index[::9], "r"] = np.nan
    frame["y"] = y
    return frame


def test_frames_with_text_and_missing_values(client, frame):
    local = MondrianForestRegressor(**KEYED).fit(frame.drop(columns="y"), frame["y"])
    table = dd.from_pandas(frame, npartitions=4)
    X = table.drop(columns="y")
    model = DaskMondrianForestRegressor(**SIZES, client=client).fit(X, table["y"])
    assert bits(model.to_local()) == bits(local)
    assert model.feature_names_in_.tolist() == ["p", "q", "r", "text"]
    mean, std = (part.compute() for part in model.predict(X, return_std=True))
    assert mean.index.equals(frame.index)
    np.testing.assert_array_equal(np.stack([mean, std]), local.predict(frame.drop(columns="y"), return_std=True))
    interval = model.predict_interval(X, confidence=0.5).compute()
    assert interval.columns.tolist() == ["lower", "upper"]
    np.testing.assert_array_equal(interval, local.predict_interval(frame.drop(columns="y"), 0.5))


def test_categories_whose_levels_differ_between_partitions(client):
    """Levels that are numbers stay categories."""
    X, y = draw()
    kinds = np.where(np.arange(len(y)) < 150, np.resize([1, 2], len(y)), np.resize([2, 3, 4], len(y)))
    parts = [pd.DataFrame({"x": X[a:b, 0], "kind": pd.Categorical(kinds[a:b])}) for a, b in ((0, 150), (150, len(y)))]
    targets = [pd.Series(y[:150]), pd.Series(y[150:])]
    model = DaskMondrianForestRegressor(**SIZES, client=client).fit(from_parts(*parts), from_parts(*targets))
    whole = pd.DataFrame({"x": X[:, 0], "kind": pd.Categorical(kinds)})
    assert model.to_local().column_kinds_["kind"] == "category"
    assert bits(model.to_local()) == bits(MondrianForestRegressor(**KEYED).fit(whole, y))


def test_answers_are_lazy_and_have_the_shape_they_say(client, alone):
    X, y = draw()
    asked = divided(6, X)[0]
    model = DaskMondrianForestRegressor(**SIZES, client=client).fit(*divided(2, X, y))
    said = {
        "predict": (model.predict(asked), alone.predict(X)),
        "std": (model.predict(asked, return_std=True)[1], alone.predict(X, return_std=True)[1]),
        "interval": (model.predict_interval(asked, 0.8), alone.predict_interval(X, 0.8)),
        "quantiles": (model.predict_quantiles(asked, [0.1, 0.6]), alone.predict_quantiles(X, [0.1, 0.6])),
    }
    for lazy, expected in said.values():
        assert isinstance(lazy, da.Array)
        assert (lazy.shape, lazy.dtype, lazy.numblocks[0]) == (expected.shape, expected.dtype, 6)
        assert lazy.compute().tobytes() == np.ascontiguousarray(expected).tobytes()


def test_classes(client, frame):
    X, y = draw()
    y = labels_of(y)
    local = MondrianForestClassifier(**KEYED).fit(X, y)
    model = DaskMondrianForestClassifier(**SIZES, client=client).fit(*divided(3, X, y))
    asked = divided(4, X)[0]
    assert model.predict(asked).compute().tolist() == local.predict(X).tolist()
    assert model.predict_proba(asked).compute().tobytes() == local.predict_proba(X).tobytes()
    table = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    assert model.predict_proba(table).compute().columns.tolist() == ["high", "low", "middle"]


# Partitions that are empty, or do not fit.


def test_empty_partitions(client, alone):
    X, y = draw()
    parts = [X[:0], X[:100], X[:0], X[100:], X[:0]], [y[:0], y[:100], y[:0], y[100:], y[:0]]
    arrays = [da.concatenate([da.from_array(part, chunks=-1) for part in each]) for each in parts]
    model = DaskMondrianForestRegressor(**SIZES, client=client).fit(*arrays)
    assert bits(model.to_local()) == bits(alone)
    assert model.predict(arrays[0]).compute().tobytes() == alone.predict(X).tobytes()
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    some = frame[frame[0] > 2.0]  # of which there are none
    assert len(model.predict(some).compute()) == 0
    with pytest.raises(ValueError, match="all partitions are empty"):
        model.fit(some, some[0])


def from_parts(*parts):
    return dd.from_delayed([delayed(part) for part in parts], meta=parts[0], verify_meta=False)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (lambda X, y: divided(3, X)[0], lambda X, y: divided(3, y[:-1])[0], "X has 300 rows and y 299"),
        (lambda X, y: dd.from_array(X), lambda X, y: dd.from_array(y[:50]), "partition 0 of X has 300 rows"),
        (
            lambda X, y: dd.from_array(X, chunksize=100),
            lambda X, y: dd.from_array(y, chunksize=50),
            "X has 3 partitions and y 6",
        ),
        (
            lambda X, y: from_parts(pd.DataFrame(X[:9], columns=[*"abc"]), pd.DataFrame(X[:9], columns=[*"abx"])),
            lambda X, y: from_parts(pd.Series(y[:9]), pd.Series(y[:9])),
            r"different columns: \('a', 'b', 'c'\) in partition 0, \('a', 'b', 'x'\) in partition 1",
        ),
        (lambda X, y: X, lambda X, y: divided(3, y)[0], "X must be a Dask array or dataframe, got ndarray"),
        (lambda X, y: divided(2, X)[0], lambda X, y: y.tolist(), "y must be a Dask array or dataframe, got list"),
        (
            lambda X, y: pd.DataFrame(X),
            lambda X, y: divided(2, y)[0],
            "DataFrame; dask.dataframe.from_pandas makes",
        ),
        (lambda X, y: divided(2, X)[0], lambda X, y: divided(2, X)[0], "y has 3 columns in partition 0"),
        (lambda X, y: divided(2, X + np.inf)[0], lambda X, y: divided(2, y)[0], "infinity"),
    ],
    ids=["rows", "lengths", "partitions", "columns", "array", "list", "frame", "targets", "infinity"],
)
def test_what_does_not_fit_is_refused(client, X, y, message):
    rows = draw(300)
    model = DaskMondrianForestRegressor(**SIZES, client=client)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(X(*rows), y(*rows))
    with pytest.raises(NotFittedError, match="call fit first"):
        model.predict(divided(2, rows[0])[0])


def test_a_fit_that_fails_leaves_the_model_as_it_was(client):
    X, y = draw()
    model = DaskMondrianForestRegressor(**SIZES, client=client).fit(*divided(2, X, y))
    before = bits(model.to_local())
    with pytest.raises(ValueError, match="NaN"):
        model.fit(*divided(2, X[:, :2], y * np.nan))
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(*divided(2, X[:, :2], y))
    assert bits(model.to_local()) == before
    assert model.n_features_in_ == 3


def test_other_columns_in_a_question(client):
    X, y = draw()
    model = DaskMondrianForestRegressor(**SIZES, client=client).fit(*divided(2, X, y))
    with pytest.raises(ValueError, match="2 features"):
        model.predict(divided(2, X[:, :2])[0]).compute()


# Parameters.


def test_parameters_are_those_of_the_model():
    model = DaskMondrianForestRegressor(7, lifetime=2.0, client="some")
    assert model.get_params() == {
        **MondrianForestRegressor(7, lifetime=2.0, cuts="keyed").get_params(),
        "max_memory": None,
        "client": "some",
    }
    again = clone(model.set_params(client=None, n_estimators=9))
    assert (again.client, again.get_params()["n_estimators"], again.get_params()["lifetime"]) == (None, 9, 2.0)
    with pytest.raises(TypeError, match="lifetimes"):
        DaskMondrianForestRegressor(lifetimes=2.0)


def test_no_client(monkeypatch):
    monkeypatch.setattr("distributed.client._global_clients", {})
    with pytest.raises(ValueError, match=r"found no Dask client: start one by distributed.Client\(\)"):
        Context().run(lambda: DaskMondrianForestRegressor().fit(*divided(2, *draw())))


def test_a_seed_of_its_own(client):
    X, y = divided(2, *draw())
    one, other = (DaskMondrianForestRegressor(3, client=client).fit(X, y).to_local() for _ in range(2))
    assert one._learner.seed != other._learner.seed
    state = np.random.RandomState(5)
    again = DaskMondrianForestRegressor(3, random_state=state, client=client)
    assert again.fit(X, y).to_local()._learner.seed != again.fit(X, y).to_local()._learner.seed


@pytest.mark.parametrize("missing", ["dask", "distributed"])
def test_without_dask_there_is_advice(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    for name in [name for name in sys.modules if name.startswith("hedgerow.integrations.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"pip install 'hedgerow\[dask\]'"):
        importlib.import_module("hedgerow.integrations.dask")


# Workers that are killed, and memory that is short.


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
