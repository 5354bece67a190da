"""What `make fuzz` once found, input by input, whatever its generators draw today."""

from __future__ import annotations

import gzip
import hashlib
import pickle
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from typer.testing import CliRunner

import hedgerow
from hedgerow import MondrianFeatures, MondrianForestRegressor, MondrianKernelRidge
from hedgerow.cli import app
from hedgerow.files.codec import decode
from hedgerow.metrics import ClassTally, IntervalTally
from hedgerow.optimize import Optimizer
from hedgerow.stream import evaluate, rows
from hedgerow.stream._checkpoint import MAGIC
from models import BY_NAME, bits, every
from stored import Stored

TABLE = b"x,y\n" + b"".join(f"{k % 7},{k}\n".encode() for k in range(500))
PACKED = gzip.compress(TABLE, mtime=0)
DAMAGED = {
    "cut off": PACKED[:-20],
    "cut off in its header": PACKED[:5],
    "another byte in the middle": PACKED[:40] + bytes([PACKED[40] ^ 0xFF]) + PACKED[41:],
    "not compressed": TABLE,
    "not text": gzip.compress(TABLE + b"\xff\xfe\0,1\n"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_gzip_files_are_refused_in_words(damage, tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(DAMAGED[damage])
    with pytest.raises(ValueError, match=r"damaged|not text") as caught:
        list(rows(path, target="y"))
    assert type(caught.value) is ValueError
    for command in ("fit", "stream"):
        result = CliRunner().invoke(app, [command, str(path), "--target", "y", "--out", str(tmp_path / "out")])
        assert result.exit_code == 1
        assert "error:" in result.output


def test_kinds_that_are_no_mapping(tmp_path):
    (tmp_path / "table.csv").write_bytes(TABLE)
    with pytest.raises(TypeError, match="kinds must be a mapping"):
        rows(tmp_path / "table.csv", target="y", kinds="a")


@pytest.mark.parametrize("column", ["x", "y"])
@pytest.mark.parametrize("line", [1, 3])
def test_integers_beyond_all_numbers(column, line, tmp_path):
    lines = ['{"x": 1, "y": 2}\n'] * 4
    lines[line - 1] = lines[line - 1].replace(f'"{column}": ', f'"{column}": 9{"0" * 400}')
    (tmp_path / "table.jsonl").write_text("".join(lines))
    with pytest.raises(ValueError, match=f"line {line}: column '{column}' is 9000.*finite number"):
        list(rows(tmp_path / "table.jsonl", target="y").chunks())


def test_distributions_of_classes_on_the_command_line(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    result = CliRunner().invoke(app, ["stream", str(path), "--target", "y", "--distribution"])
    assert result.exit_code == 2
    assert "--distribution is for regression" in result.output


@every("online", "weighs")
def test_first_rows_without_weight_leave_nothing(case):
    X, y = case.data(4)
    model = case.new()
    model.partial_fit(X, y, sample_weight=np.zeros(4))
    assert set(vars(model)) == set(vars(case.new()))
    model.partial_fit(X[:, :2], y)
    assert model.n_features_in_ == 2


# Numbers in files that are finite, and whose squares are not: an array, a place in it.
TOO_LARGE = {
    "forest": [("seen.labels", 1), ("seen.labels", 2), ("rows.labels", 0)],
    "forest, moments": [("seen.labels", 1), ("rows.labels", 0)],
    "kernel ridge": [("solution/inverse", 3)],
    "kernel ridge, iterative": [("solution/start", 0)],
    "class forest, balanced": [("rows.weights", 2)],
    "forest, two targets": [("units/scale", 0), ("units/origin", 1)],
    "BART, particles": [("chain0.draws.notes", 0), ("chain0.draws.notes", 4)],
    "online forest": [("seen.labels", 1), ("leaves.moments", 1), ("leaves.moments", 3), ("rows.labels", 0)],
    "Bayesian tree": [("leaves.numbers", 1), ("leaves.numbers", 2)],
}


@pytest.mark.parametrize(("name", "place"), [(name, place) for name in TOO_LARGE for place in TOO_LARGE[name]], ids=str)
def test_numbers_too_large_to_square(name, place, tmp_path):
    stored = Stored.of(BY_NAME[name].fitted(13))
    with pytest.raises(ValueError, match="cannot load"):
        stored.with_number(stored.full_name(place[0]), place[1], 1e305).load(tmp_path / "model")


@pytest.mark.parametrize("place", [0, 1, 2, 4, 7])
def test_calibrations_that_are_out_of_range(place, tmp_path):
    forest = Stored.of(BY_NAME["forest"].fitted(60))
    numbers = forest.learned["learner"]["labels"]["calibration"]
    changed = [1e299 if k == place else number for k, number in enumerate(numbers)]
    with pytest.raises(ValueError, match="calibration is out of range"):
        forest.with_learned({"learner/labels/calibration": changed}).load(tmp_path / "model")


def test_a_ridge_that_is_out_of_range(tmp_path):
    model = Stored.of(BY_NAME["kernel ridge, iterative"].fitted(13))
    with pytest.raises(ValueError, match="cannot load"):
        model.with_learned({"learner/found/path/alpha": 1e200}).load(tmp_path / "model")


@pytest.mark.parametrize("share", [1e-30, 1.0])
def test_shares_of_classes_that_do_not_sum_to_one(share, tmp_path):
    stored = Stored.of(BY_NAME["class boosting"].fitted(30))
    with pytest.raises(ValueError, match="sum to one"):
        stored.with_number(stored.full_name("calibration/base"), 0, share).load(tmp_path / "model")


def test_numbers_too_small_to_divide_by(tmp_path):
    forest = Stored.of(BY_NAME["forest, two targets"].fitted(30))
    numbers = forest.learned["learner"]["labels"]["calibration"]["of_each"][1]["numbers"]
    for place in (0, 3, 5, 6, 7):
        changed = [5e-324 if k == place else number for k, number in enumerate(numbers)]
        with pytest.raises(ValueError, match="cannot load"):
            forest.with_learned({"learner/labels/calibration/of_each/1/numbers": changed}).load(tmp_path / "m")
    online = Stored.of(BY_NAME["online forest"].fitted(12))
    name = online.full_name("seen.labels")
    with pytest.raises(ValueError, match="cannot load"):
        online.with_number(name, 0, 1e-310).with_number(name, 2, 1e150).load(tmp_path / "m")


def test_a_whole_number_beyond_all_others_is_no_point():
    optimizer = Optimizer({"x": (0, 1)}, random_state=0)
    with pytest.raises(ValueError, match="must be a finite number, got 1000"):
        optimizer.tell({"x": 10**400}, 1.0)
    with pytest.raises(ValueError, match="must be a finite number, got 1000"):
        Optimizer({"x": (0, 10**400)})


def test_a_checkpoint_that_holds_another_model(tmp_path):
    case, path = BY_NAME["online forest"], tmp_path / "checkpoint"
    X, y = case.data(40)
    evaluate(case.new(), (X[:30], y[:30]), checkpoint=path, progress=False)
    body = Stored.parse(path.read_bytes()[len(MAGIC) + 65 :])
    other = np.frombuffer(BY_NAME["forest"].fitted(12)._to_bytes(), np.uint8)
    forged = body.with_array("model", other).to_bytes()
    path.write_bytes(MAGIC + hashlib.sha256(forged).hexdigest().encode() + b"\n" + forged)
    model = case.new()
    with pytest.raises(ValueError, match="holds a MondrianForestRegressor"):
        evaluate(model, (X, y), checkpoint=path, progress=False)
    assert set(vars(model)) == set(vars(case.new()))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_more_rows_than_there_can_be(place, tmp_path):
    stored = Stored.of(BY_NAME["forest"].fitted(12))
    with pytest.raises(ValueError, match="cannot load"):
        stored.with_number(stored.full_name("core/counters"), place, 2**64 - 1).load(tmp_path / "model")


@pytest.mark.parametrize("kind", [MondrianFeatures, MondrianKernelRidge])
def test_more_columns_than_a_kernel_can_cut(kind):
    for X in (np.zeros((3, 5001)), sparse.csr_matrix((3, 1_000_000))):
        with pytest.raises(
            ValueError, match=f"X has {X.shape[1]:,} columns, and a Mondrian kernel takes at most 5,000"
        ):
            kind(random_state=0).fit(X, np.arange(3.0))


def test_a_sparse_matrix_of_other_columns_is_not_made_dense():
    X = np.column_stack([np.arange(30.0), np.arange(30) % 3])
    forest = MondrianForestRegressor(2, categorical_features=[1], random_state=0).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="X has 1000000 features"):
        forest.predict(sparse.csr_matrix((1000, 1_000_000)))


def test_a_category_beyond_all_floating_point_numbers():
    X = [[float(k), 10**400 if k % 2 else "b"] for k in range(30)]
    forest = MondrianForestRegressor(2, categorical_features=[1], random_state=0).fit(X, np.arange(30.0) % 2)
    assert forest.predict_one([3.0, 10**400]) > 0.5 > forest.predict_one([4.0, "b"])
    assert np.isfinite(forest.predict_one([3.0, 10**401]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("verb", ["partial_fit", "predict_then_learn"])
def test_rows_that_a_review_refuses_are_not_learned(verb):
    """Neither those before them, nor columns that came with them."""
    new = partial(MondrianKernelRidge, n_estimators=5, alpha=1e-10, random_state=0)
    good = pd.DataFrame({"colour": ["red", "blue", "red", "white"], "size": [0.5, 0.1, 0.6, 0.2]})
    bad = pd.DataFrame({"colour": ["green", "red", "red", "red", "red"], "size": [0.3, 0.5, 0.5, 0.5, 0.5]})
    model, y, heavy = new(), np.arange(5.0), np.array([1.0, 1e20, 1e20, 1e20, 1e20])
    for n in (0, 2):
        before = bits(model) if n else vars(model).copy()
        with pytest.raises(ValueError, match=r"singular|too large next to"):
            getattr(model, verb)(bad, y, sample_weight=heavy)
        assert (bits(model) if n else vars(model)) == before
        model.partial_fit(good[n : n + 2], y[n : n + 2])
    assert bits(model) == bits(new().partial_fit(good, y[:4]))


@pytest.mark.parametrize("weight", [np.datetime64("2024-01-01"), np.timedelta64(3, "s")])
def test_dates_are_neither_weights_nor_targets(weight):
    model = MondrianForestRegressor(2)
    with pytest.raises(ValueError, match="sample_weight must be numbers"):
        model.fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=weight)
    in_utc = pd.Series(pd.date_range("2024-01-01", periods=2, tz="UTC"))
    for targets in (np.array([weight] * 2), pd.Series([weight] * 2), in_utc):
        with pytest.raises(ValueError, match=r"targets must be numbers, got (datetime|timedelta)64"):
            model.fit([[0.0], [1.0]], targets)


def test_decimal_numbers_that_signal():
    model = MondrianForestRegressor(2, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    for verb in (model.log_density, model.unlearn, model.partial_fit):
        with pytest.raises(ValueError, match=r"signalling NaN|must be"):
            verb([[0.5]], Decimal("sNaN"))


def test_a_call_that_learns_nothing_leaves_what_a_kernel_has_found():
    X = np.random.default_rng(0).uniform(size=(60, 2))
    ridge = MondrianKernelRidge(5, random_state=0).fit(X[:40], X[:40, 0]).partial_fit(X[40:50], X[40:50, 0])
    found = ridge._learner.found
    ridge.set_params(selection="nothing")
    with pytest.raises(ValueError, match="selection must be one of"):
        ridge.partial_fit(X[50:], X[50:, 0])
    assert ridge._learner.found is found


def test_a_weight_that_outweighs_all_rows_before():
    """A mean of labels, rounded beyond the new label, made their spread negative, and a file was refused."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        forest = MondrianForestRegressor(2, hyperparameters="paper", random_state=0)
        forest.fit(rng.uniform(size=(2, 1)), rng.normal(size=2))
        forest.partial_fit(rng.uniform(size=(1, 1)), rng.normal(size=1), sample_weight=[2.0**63])
        assert bits(pickle.loads(pickle.dumps(forest))) == bits(forest)


def test_a_span_of_time_is_no_whole_number():
    """NumPy registers it as one."""
    three = np.timedelta64(3, "s")
    X = np.random.default_rng(0).uniform(size=(30, 2))
    for name, parameter in (
        ("MondrianForestRegressor", "n_estimators"),
        ("BARTRegressor", "n_draws"),
        ("BayesianTreeRegressor", "max_features"),
        ("OnlineForestRegressor", "max_features"),
        ("MondrianBoostingRegressor", "n_jobs"),
    ):
        with pytest.raises(ValueError, match=f"{parameter} must be"):
            getattr(hedgerow, name)(**{parameter: three}).fit(X, X[:, 0])
    for options in ({"n_initial": three}, {"n_candidates": three}):
        with pytest.raises(ValueError, match="must be an integer"):
            Optimizer([(0.0, 1.0)], **options)
    dist = MondrianForestRegressor(2, random_state=0).fit(X, X[:, 0]).predict_dist(X)
    with pytest.raises(ValueError, match="size must be a whole number"):
        dist.rvs(size=three)


def test_whole_numbers_of_numpy_count_first_points():
    assert Optimizer([(0.0, 1.0)], n_initial=np.int64(3), random_state=0).ask() is not None


def test_a_space_that_is_an_array_in_a_file():
    """Its parts were looked up by name, which NumPy refuses with an IndexError."""
    with pytest.raises(ValueError, match="'value', is malformed"):
        decode({"$value": ["Space", {"$array": "a"}]}, {"a": np.zeros(3)})


@pytest.mark.parametrize("damage", ["a name", "a text", "a date"])
def test_parquet_files_whose_values_python_cannot_hold(damage, tmp_path):
    path = tmp_path / "table.parquet"
    frame = pd.DataFrame({"ab\xfc": ["tree", "bush\xfc"], "y": [1.0, 2.0]})
    if damage == "a date":
        pq.write_table(pa.table({"ab": pa.array([2**62, 0], pa.timestamp("us")), "y": [1.0, 2.0]}), path)
    else:
        frame.to_parquet(path, compression=None)
        what = {"a name": "ab\xfc", "a text": "bush\xfc"}[damage].encode()
        path.write_bytes(path.read_bytes().replace(what, what[:-1] + b"("))
    with pytest.raises(ValueError, match="not a Parquet file, or damaged") as caught:
        list(rows(path, target="y"))
    assert type(caught.value) is ValueError


@pytest.mark.parametrize("count", [np.inf, -1.0, 0.5])
def test_tallies_count_rows_in_whole_numbers(count):
    for tally, place in ((IntervalTally(), 5), (ClassTally(), 4)):
        state = tally.state
        state[place] = count
        with pytest.raises(ValueError, match="counts rows"):
            tally.restore(state)
        state[place] = 3.0
        assert tally.restore(state).scores()
