"""``max_memory`` on Dask: a random sample that is a function of the seed and of the set of rows."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import chi2

from hedgerow import MondrianBoostingRegressor, MondrianForestClassifier, MondrianForestRegressor
from hedgerow.base.columns import numbers_by_type
from hedgerow.base.room import PROCESS, bytes_a_row, read_amount
from hedgerow.base.seed import draw_seed
from models import bits

pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")

import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask import delayed  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

from hedgerow.integrations._dask_sample import hashed, hedgerow_sample  # noqa: E402
from hedgerow.integrations._dask_tasks import Block  # noqa: E402
from hedgerow.integrations.dask import (  # noqa: E402
    DaskMondrianBoostingRegressor,
    DaskMondrianForestClassifier,
    DaskMondrianForestRegressor,
)

SIZES = {"n_estimators": 4, "random_state": 3}
N_KEPT = 200


def memory_for(n_rows, n_columns, word="forest", task="regression", n_trees=4):
    """An amount into which so many rows fit."""
    return int(PROCESS + (n_rows + 0.5) * bytes_a_row(word, task, n_trees, n_columns))


MEMORY = memory_for(N_KEPT, 3)


def draw(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    return X, np.sin(6 * X[:, 0]) + rng.normal(scale=0.1, size=n)


def arrays(n_parts, *given):
    """Arrays in so many partitions, of which every third is empty if they are many."""
    ends = np.linspace(0, len(given[0]), n_parts + 1).astype(int)
    if n_parts > 3:
        ends[2:-1:3] = ends[1:-2:3]
    chunks = tuple(np.diff(ends).tolist())
    return [da.from_array(array, chunks=(chunks, *array.shape[1:])) for array in given]


def kept(X, y, weights=None, n=N_KEPT, seed=3):
    """The sample on one machine, of rows that come once: those with the smallest hashes."""
    columns = [*numbers_by_type(X), *numbers_by_type({"y": y})] + ([] if weights is None else [weights])
    return np.argsort(hashed(draw_seed(seed), len(y), columns))[:n]


@pytest.fixture(scope="module")
def alone():
    X, y = draw()
    some = kept(X, y)
    return MondrianForestRegressor(**SIZES, cuts="keyed").fit(X[some], y[some])


@pytest.mark.parametrize("n_parts", [1, 7, 50])
def test_bits_do_not_tell_workers_partitions_and_order(any_client, n_parts, alone):
    X, y = draw()
    order = np.random.default_rng(n_parts).permutation(len(y))
    model = DaskMondrianForestRegressor(**SIZES, max_memory=MEMORY, client=any_client)
    model.fit(*arrays(n_parts, X[order], y[order]))
    assert bits(model.to_local()) == bits(alone)
    assert (model.n_rows_given_, model.n_samples_seen_) == (1500, N_KEPT)


def test_rows_that_fit_are_all_learned(client):
    X, y = draw(N_KEPT)
    rows = arrays(3, X, y)
    whole = MondrianForestRegressor(**SIZES, cuts="free").fit(X, y)
    for some in (rows, [dd.from_dask_array(part) for part in rows]):  # whose length is known, and is not
        model = DaskMondrianForestRegressor(**SIZES, cuts="free", max_memory=MEMORY, client=client).fit(*some)
        assert (model.predict(rows[0]).compute() == whole.predict(X)).all()
        assert model.n_rows_given_ == model.n_samples_seen_ == N_KEPT


def test_boosting_learns_the_sample_too(client):
    """Though the order of rows matters to it: samples have an order of their own."""
    X, y = draw()
    small = {"n_estimators": 2, "max_stages": 1, "stages": ["mondrian"], "random_state": 3}
    memory = memory_for(100, 3, "boosting", n_trees=2)
    models = [
        DaskMondrianBoostingRegressor(**small, max_memory=memory, client=client).fit(
            *arrays(parts, X[::step], y[::step])
        )
        for parts, step in ((2, 1), (9, -1))
    ]
    some = kept(X, y, n=100)
    expected = bits(MondrianBoostingRegressor(**small).fit(X[some], y[some]))
    assert [bits(model.to_local()) for model in models] == [expected, expected]


def test_weights(client):
    """They stay with their rows, and rows of weight zero are no rows."""
    X, y = draw()
    weights = np.resize([1.0, 2.0, 0.0, 0.5], len(y))
    model = DaskMondrianForestRegressor(**SIZES, max_memory=MEMORY, client=client).fit(*arrays(6, X, y, weights))
    present = weights > 0
    some = np.flatnonzero(present)[kept(X[present], y[present], weights[present])]
    expected = MondrianForestRegressor(**SIZES, cuts="keyed").fit(X[some], y[some], weights[some])
    assert bits(model.to_local()) == bits(expected)
    with pytest.raises(ValueError, match="negative"):
        model.fit(*arrays(6, X, y, -weights))


def test_a_row_that_comes_often_is_one_of_more_weight(client):
    """Copies are in one partition or in several; other rows are not crowded out by them."""
    X, y = draw(400)
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(400), np.resize([1, 2, 9], 400)))
    model = DaskMondrianForestRegressor(**SIZES, max_memory=MEMORY, client=client).fit(*arrays(7, X[order], y[order]))
    some = kept(X, y)
    expected = MondrianForestRegressor(**SIZES, cuts="keyed").fit(
        X[some], y[some], np.resize([1.0, 2.0, 9.0], 400)[some]
    )
    assert bits(model.to_local()) == bits(expected)
    few = np.resize(np.arange(30), 1500)
    model.fit(*arrays(7, X[few], y[few]))  # all that differ fit
    expected = MondrianForestRegressor(**SIZES, cuts="keyed").fit(X[:30], y[:30], np.full(30, 50.0))
    assert (model.predict(arrays(2, X)[0]).compute() == expected.predict(X)).all()


def test_frames_with_text_dates_and_missing_values(client):
    X, y = draw()
    frame = pd.DataFrame(X, columns=["p", "q", "r"])
    frame["text"] = np.resize(["ash", "birch", None, "elm"], len(y))
    frame["level"] = pd.Categorical(np.resize([3, 1, 2], len(y)))
    frame["day"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.resize(np.arange(50), len(y)), unit="D")
    frame.loc[::9, "r"] = np.nan
    labels = pd.Series(np.where(y > 0, "high", "low"))
    memory = memory_for(N_KEPT, 6, task="classification")
    some = kept(frame, labels)
    expected = MondrianForestClassifier(**SIZES, cuts="keyed").fit(frame.iloc[some], labels.iloc[some])
    for step, n_parts in ((1, 5), (-1, 11)):
        parts = [each.iloc[::step].reset_index(drop=True) for each in (frame, labels)]
        some = [dd.from_pandas(part, npartitions=n_parts) for part in parts]
        model = DaskMondrianForestClassifier(**SIZES, max_memory=memory, client=client).fit(*some)
        assert bits(model.to_local()) == bits(expected)


def test_sparse_chunks(client, alone):
    X, y = arrays(7, *draw())
    rows = X.map_blocks(csr_matrix)
    model = DaskMondrianForestRegressor(**SIZES, max_memory=MEMORY, client=client).fit(rows, y)
    assert bits(model.to_local()) == bits(alone)
    assert (model.predict(rows).compute() == alone.predict(draw()[0])).all()


def test_every_row_is_as_likely_as_another():
    """Twelve rows of 60, 4,000 seeds: counts of rows and of pairs of neighbours. False alarms: 1e-4 each.

    Rows are as alike as rows can be: whole numbers that follow each other.
    """
    X = np.column_stack([np.arange(60.0), np.zeros(60)])
    block, counts, pairs = Block(X, np.zeros(60), None), np.zeros(60), 0
    for seed in range(4000):
        sample = hedgerow_sample(0, block, 12, seed).block.X[:, 0].astype(int)
        chosen = np.isin(np.arange(60), sample)
        assert chosen.sum() == 12
        counts += chosen
        pairs += (chosen[1:] & chosen[:-1]).sum()
    # Rows of one sample exclude each other, so that counts vary less than a multinomial's, by 1 - 12 / 60.
    statistic = ((counts - 800) ** 2 / 800).sum() / 0.8 * 59 / 60
    assert chi2.ppf(5e-5, 59) < statistic < chi2.ppf(1 - 5e-5, 59)
    assert abs(pairs / (4000 * 59 * 12 * 11 / (60 * 59)) - 1) < 0.025


def test_hashes_have_no_pattern():
    """Each of 64 bits is set in half of the rows, also next to any other bit; 8,192 rows that differ little."""
    numbers = np.stack(np.meshgrid(np.arange(64.0), np.arange(128.0), indexing="ij"), axis=-1).reshape(-1, 2)
    hashes = hashed(5, len(numbers), numbers.T)
    assert np.unique(hashes).size == hashes.size
    signs = 2.0 * ((hashes[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(float) - 1
    found = np.abs(np.corrcoef(signs.T) - np.eye(64)).max(), np.abs(signs.mean(axis=0)).max()
    assert max(found) * np.sqrt(hashes.size) < 5.5  # of 2,080 normal numbers: a false alarm of 8e-5
    assert not np.isin(hashed(6, len(numbers), numbers.T), hashes).any()


def test_equal_cells_have_equal_hashes():
    one = pd.DataFrame({"a": [0.0, np.nan, 2.0], "b": pd.Categorical(["x", "y", None])})
    other = pd.DataFrame({"a": [-0.0, -np.nan, 2.0], "b": ["x", "y", np.nan]})
    assert bytes_of(one) == bytes_of(other)
    assert bytes_of(np.array([[1, 2]])) == bytes_of(np.array([[1.0, 2.0]], np.float32))


def bytes_of(table):
    return [column.tobytes() for column in numbers_by_type(table)]


# What is refused.


@pytest.mark.parametrize(
    ("max_memory", "message"),
    [("much", "such as 4GB"), (-3, "such as 4GB"), (True, "such as 4GB"), ("20MB", "331 MB are the least")],
)
def test_amounts_that_are_none(client, max_memory, message):
    with pytest.raises(ValueError, match=f"max_memory=.*{message}"):
        DaskMondrianForestRegressor(**SIZES, max_memory=max_memory, client=client).fit(*arrays(2, *draw()))


def test_amounts():
    assert [read_amount(each) for each in (5, "5", "2.5 GB", "1kB", "3T")] == [5, 5, 2_500_000_000, 1000, 3 * 10**12]


def test_a_window_is_no_sample(client):
    with pytest.raises(ValueError, match="max_memory is for a sample of the rows, and window"):
        DaskMondrianForestRegressor(**SIZES, window=9, max_memory=MEMORY, client=client).fit(*arrays(2, *draw()))


def test_what_does_not_fit_together_is_refused(client):
    X, y = draw()
    model = DaskMondrianForestRegressor(**SIZES, max_memory=MEMORY, client=client)
    frames = [pd.DataFrame(X[:800], columns=[*"abc"]), pd.DataFrame(X[800:], columns=[*"abx"])]
    rows = dd.from_delayed([delayed(part) for part in frames], meta=frames[0], verify_meta=False)
    targets = [pd.Series(y[:800]), pd.Series(y[800:])]
    labels = dd.from_delayed([delayed(part) for part in targets], meta=targets[0], verify_meta=False)
    with pytest.raises(ValueError, match=r"\('a', 'b', 'c'\) in partition 0, \('a', 'b', 'x'\) in partition 1"):
        model.fit(rows, labels)
    nothing = dd.from_pandas(frames[0], npartitions=5)
    nothing = nothing[nothing["a"] > 2]
    with pytest.raises(ValueError, match="all partitions are empty"):
        model.fit(nothing, nothing["a"])
    far = y.copy()
    far[700] = np.nan  # also in a row that would not be kept
    with pytest.raises(ValueError, match=r"y holds .* in partition 1"):
        model.fit(*arrays(3, X, far))
    with pytest.raises(ValueError, match="two dimensions"):
        model.fit(*arrays(3, y, y))
    assert not hasattr(model, "n_rows_given_")


# More rows than any worker has memory for.


def test_data_larger_than_any_worker():
    """480 MB for two workers of 450 MB each, of which about 200 are free: partitions come and go."""
    X = da.random.default_rng(1).uniform(size=(7_500_000, 8), chunks=(250_000, 8))
    y = X[:, 0] + da.sin(5 * X[:, 1])
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="450MB") as cluster,
        Client(cluster) as client,
    ):
        pids = set(client.run(os.getpid).values())
        model = DaskMondrianForestRegressor(2, random_state=3, client=client)
        with pytest.raises(MemoryError, match="max_memory=450000000 learns a random sample"):
            model.fit(X, y)
        model.set_params(max_memory="350MB").fit(X, y)
        found = model.to_local()
        assert (model.n_rows_given_, model.n_samples_seen_) == (7_500_000, found.n_samples_)
        assert 15_000 < found.n_samples_ < 20_000
        some = X[:2000].compute()
        errors = found.predict(some) - some[:, 0] - np.sin(5 * some[:, 1])
        assert np.sqrt(np.mean(errors**2)) < 0.2
        assert set(client.run(os.getpid).values()) == pids  # none was killed for its memory
