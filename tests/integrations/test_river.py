"""The adapters are river estimators, by river's own checks and in river's own company."""

from __future__ import annotations

import importlib
import pickle
import random
import sys
from enum import Enum

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from hedgerow import MondrianForestClassifier, MondrianForestRegressor
from models import bits

river = pytest.importorskip("river")

from river import checks, datasets, dummy, evaluate, metrics, preprocessing, stats, stream  # noqa: E402

from hedgerow.integrations.river import RiverClassifier, RiverRegressor  # noqa: E402
from thorough import THOROUGH  # noqa: E402

CLASSIFIERS = {
    "default": RiverClassifier(),
    "forest": RiverClassifier(MondrianForestClassifier(n_estimators=5)),
    "window": RiverClassifier(MondrianForestClassifier(n_estimators=5, window=50, base="empirical")),
}
REGRESSORS = {
    "default": RiverRegressor(),
    "hierarchy": RiverRegressor(MondrianForestRegressor(n_estimators=5)),
    "moments": RiverRegressor(MondrianForestRegressor(n_estimators=5, smoothing="moments", scaling="rank")),
    "window": RiverRegressor(MondrianForestRegressor(n_estimators=5, window=50)),
    "absent-is-zero": RiverRegressor(MondrianForestRegressor(n_estimators=5), absent=0.0),
    "pipeline": preprocessing.StandardScaler() | RiverRegressor(MondrianForestRegressor(n_estimators=5)),
}
ADAPTERS = REGRESSORS | {f"classifier-{name}": model for name, model in CLASSIFIERS.items()}
QUICK = {"hierarchy", "window", "classifier-forest"}
"""Those that river's checks are run on by default."""


def all_checks():
    for name, model in ADAPTERS.items():
        if not THOROUGH and name not in QUICK:
            continue
        for check in checks.yield_checks(model):
            yield pytest.param(model, check, id=f"{name}-{check.__name__}")


@pytest.mark.parametrize(("model", "check"), list(all_checks()))
def test_checks_of_river(model, check):
    random.seed(0)  # they drop and shuffle features at random
    check(model.clone())


@pytest.mark.parametrize("model", ADAPTERS.values(), ids=ADAPTERS)
def test_no_check_is_skipped(model):
    assert model._unit_test_skips() == set()
    names = {check.__name__ for check in checks.yield_checks(model)}
    assert {"check_emerging_features", "check_disappearing_features", "check_pickling"} <= names


def new(**parameters):
    return RiverRegressor(MondrianForestRegressor(n_estimators=10), **{"seed": 1, **parameters})


def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    for a, b, noise in rng.normal(size=(n, 3)):
        yield {"a": float(a), "b": float(b)}, float(a - b + 0.1 * noise)


def learned(model, pairs):
    for x, y in pairs:
        model.learn_one(x, y)
    return model


# What is in a row.


@pytest.mark.parametrize("window", [None, 30])
def test_the_same_as_the_model_alone(window):
    forest = MondrianForestRegressor(n_estimators=10, window=window, random_state=1)
    model = RiverRegressor(forest)
    for x, y in rows():
        assert model.predict_one(x) == forest.predict_one([x["a"], x["b"]])
        assert model.learn_one(x, y) is None
        forest.learn_one([x["a"], x["b"]], y)
    assert model.features_ == ("a", "b")


def test_an_absent_feature_has_its_mean_and_says_so():
    model = new()
    for x in ({"a": 1.0, "b": 10.0}, {"a": 3.0}, {"b": 40.0}, {"a": None, "b": 10.0}):
        model.learn_one(x, 1.0)
    np.testing.assert_allclose(model.row({}), [2.0, 20.0, 1.0, 1.0])
    np.testing.assert_allclose(model.row({"a": 7.0, "b": None}), [7.0, 20.0, 1.0, 0.0])
    assert model.predict_one({"a": 7.0}) == model.predict_one({"a": 7.0, "b": np.nan})
    np.testing.assert_allclose(seen_by(model.model_)[:, 2:], [[0, 0], [1, 0], [0, 1], [0, 1]])


def test_an_absent_feature_has_the_value_that_was_set():
    model = learned(new(absent=0.0), [({"a": 1.0, "b": 10.0}, 1.0), ({"a": 3.0, "c": 5.0}, 2.0)])
    np.testing.assert_array_equal(model.row({"b": 2.0}), [0.0, 2.0, 0.0])


def seen_by(forest):
    """Rows as the forest holds them; those of a forest without a window lie in the order in which they came."""
    return forest._learner.core.row_values()


@pytest.mark.parametrize(("absent", "before"), [(None, 5.0), (0.0, 0.0)])
def test_rows_before_a_feature_came(absent, before):
    model = learned(new(absent=absent), rows(20))
    model.learn_one({"a": 1.0, "b": 2.0, "c": 5.0}, 0.0)
    model.learn_one({"a": 1.0, "b": 2.0, "c": 7.0}, 0.0)
    np.testing.assert_allclose(seen_by(model.model_)[:, 2], [before] * 20 + [5.0, 7.0], atol=1e-5)
    expected = [[x["a"], x["b"]] for x, _ in rows(20)]
    np.testing.assert_allclose(seen_by(model.model_)[:20, :2], expected, atol=1e-5)
    assert model.model_.n_samples_ == 22
    assert model.model_.check_structure() == []


def test_what_was_learned_stays_when_a_feature_comes():
    model = learned(new(), rows())
    before = [model.predict_one(x) for x, _ in rows(50)]
    wide = [{**x, "c": 3.0} for x, _ in rows(50)]
    assert [model.predict_one(x) for x in wide] == before  # a feature that was never learned is ignored
    model.learn_one({"a": 0.0, "b": 0.0, "c": 3.0}, 0.0)
    after = [model.predict_one(x) for x in wide]
    assert np.corrcoef(before, after)[0, 1] > 0.99


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_a_late_feature_is_used_soon_whatever_its_unit(scale, offset):
    """Before its range is known it may be measured far too finely or far too coarsely, but not for long."""
    rng = np.random.default_rng(0)
    model, errors = new(), []
    for i, (a, b) in enumerate(rng.normal(size=(900, 2))):
        x, y = {"a": a}, a + (3 * b if i >= 550 else 0.0)
        if i >= 550:  # the model alone would look at its units after 512 rows, and then after 1024
            x["b"] = scale * (offset + b)
        if i >= 650:
            errors.append(abs(y - model.predict_one(x)))
        model.learn_one(x, y)
    assert np.mean(errors) < 1.6  # 2.4 without the feature


def test_order_of_features_does_not_matter():
    shuffled = learned(new(), ((dict(reversed(x.items())), y) for x, y in rows()))
    model = learned(new(), rows())
    assert pickle.dumps(model.model_) == pickle.dumps(shuffled.model_)


def test_asking_changes_nothing():
    model = learned(new(), rows(10))
    before = pickle.dumps(model)
    for x in ({}, {"a": 5.0}, {"b": 5.0, "c": 5.0}):
        model.row(x)
        model.predict_one(x)
        model.predict_dist_one(x)
    assert pickle.dumps(model) == before


def test_features_need_not_be_named_by_strings():
    model = learned(new(), [({0: 1.0, ("b", 2): 2.0, "0": 3.0}, 1.0), ({0: 2.0}, 3.0)])
    assert set(model.features_) == {0, ("b", 2), "0"}
    assert model.row({0: 7.0})[model.features_.index(0)] == 7.0


@pytest.mark.parametrize("value", [True, np.bool_(True), np.float32(1), np.int8(1), 1])
def test_kinds_of_numbers(value):
    assert learned(new(), [({"a": value}, 1.0)]).row({"a": value}) == [1.0]


@pytest.mark.parametrize("call", ["learn_one", "predict_one"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("red", "'a' is 'red', a category; it was a number when it came first. Name it in the model's categorical"),
        ("3", "'a' is '3', a category"),
        ([1.0], r"'a' holds \[1.0\]"),
        (1j, "'a' holds 1j"),
        (-np.inf, "'a' is -inf; give a finite number"),
    ],
)
def test_values_that_are_no_numbers(call, value, message):
    model = learned(new(), rows(10))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        getattr(model, call)({"a": value, "b": 1.0}, *([1.0] if call == "learn_one" else []))
    assert pickle.dumps(model) == before


def test_a_row_that_is_refused_changes_nothing():
    model = learned(new(), rows(10))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="a target must be a finite number"):
        model.learn_one({"a": 1.0, "c": 1.0}, "late")
    assert pickle.dumps(model) == before
    fresh = new()
    with pytest.raises(ValueError, match="no features"):
        fresh.learn_one({}, 1.0)
    assert pickle.dumps(fresh) == pickle.dumps(new())


def test_an_empty_row_later_is_a_row():
    model = learned(new(), rows(10))
    model.learn_one({}, 1.0)
    assert model.model_.n_samples_ == 11


# Parameters.


def test_clone_has_learned_nothing():
    model = learned(new(absent=0.5), rows(10))
    fresh = model.clone()
    assert (fresh.features_, fresh.seed, fresh.absent) == ((), 1, 0.5)
    assert fresh.predict_one({"a": 1.0}) == 0.0
    assert not hasattr(model.model, "n_features_in_")  # the parameter is left alone
    assert model.clone({"seed": 2}).model_.random_state == 2


def test_a_pickled_model_goes_on_learning_as_the_other_would():
    model = learned(new(), rows(50))
    other = pickle.loads(pickle.dumps(model))
    for one in (model, other):
        learned(one, (({**x, "c": y}, y) for x, y in rows(50, seed=1)))
    assert bits(model.model_) == bits(other.model_)
    assert model.features_ == other.features_


def test_seed_stands_for_the_random_state():
    forest = MondrianForestRegressor(n_estimators=3, random_state=5)
    assert RiverRegressor(forest).model_.random_state == 5
    assert RiverRegressor(forest, seed=7).model_.random_state == 7
    assert forest.random_state == 5


@pytest.mark.parametrize("absent", [np.nan, "zero", np.inf])
def test_bad_absent(absent):
    with pytest.raises(ValueError, match="absent"):
        RiverRegressor(absent=absent)


def test_models_that_are_not_ours():
    with pytest.raises(TypeError, match="online model of hedgerow's, got RandomForestRegressor"):
        RiverRegressor(RandomForestRegressor())
    with pytest.raises(TypeError, match="RiverClassifier needs an online model"):
        RiverClassifier(MondrianForestRegressor())


def test_without_river(monkeypatch):
    monkeypatch.setitem(sys.modules, "river", None)
    monkeypatch.delitem(sys.modules, "hedgerow.integrations.river")
    with pytest.raises(ImportError, match=r"pip install 'hedgerow\[river\]'"):
        importlib.import_module("hedgerow.integrations.river")


# In river's company.


def test_pipeline_and_progressive_validation():
    model = preprocessing.StandardScaler() | new()
    metric = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    mean = evaluate.progressive_val_score(
        datasets.TrumpApproval(), dummy.StatisticRegressor(stats.Mean()), metrics.MAE()
    )
    assert metric.get() < 0.7 * mean.get()


def test_features_that_words_are_made_of():
    model = preprocessing.OneHotEncoder() | new(absent=0.0)
    colours = {"red": 1.0, "green": 5.0, "blue": 9.0}
    for i in range(90):
        colour = list(colours)[i % 3]
        model.learn_one({"colour": colour}, colours[colour])
    for colour, y in colours.items():
        assert model.predict_one({"colour": colour}) == pytest.approx(y, abs=0.5)


def test_streams_with_numbered_features():
    X, y = np.random.default_rng(0).normal(size=(2, 50, 3))
    metric = evaluate.progressive_val_score(stream.iter_array(X, y[:, 0]), new(), metrics.RMSE())
    assert np.isfinite(metric.get())


def test_memory_counts_the_core():
    forest = MondrianForestRegressor(n_estimators=10, window=100)
    all_rows, latest = new(), RiverRegressor(forest, seed=1)
    pipeline = preprocessing.StandardScaler() | all_rows
    used = {}
    for n, (x, y) in enumerate(rows(2000), start=1):
        learned(all_rows, [(x, y)])
        learned(latest, [(x, y)])
        if n in (1000, 2000):
            used[n] = pipeline._raw_memory_usage, latest._raw_memory_usage
    assert used[2000][0] > 1.5 * used[1000][0] > 10 * 1000 * 8
    assert used[2000][1] < 1.2 * used[1000][1]


def test_whole_distributions():
    model = learned(new(), rows(500))
    near, far = (model.predict_dist_one(x) for x in ({"a": 0.0, "b": 0.0}, {"a": 50.0}))
    assert near.mean() == pytest.approx([model.predict_one({"a": 0.0, "b": 0.0})])
    assert far.std() > 1.5 * near.std()


@pytest.mark.parametrize("model", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_classifiers(model):
    adapter = model.clone({"seed": 1})
    assert adapter.predict_one({"a": 1.0}) is None
    assert adapter.predict_proba_one({"a": 1.0}) == {}
    score = metrics.Accuracy() + metrics.LogLoss()
    pipeline = preprocessing.StandardScaler() | adapter
    accuracy, loss = evaluate.progressive_val_score(datasets.Phishing(), pipeline, score).get()
    assert accuracy > 0.5
    assert loss < 1.0
    assert set(adapter.predict_proba_one({})) == {False, True}


def test_weights_of_classes_stay_when_a_feature_comes():
    rng = np.random.default_rng(3)
    rows = [dict(enumerate(row)) for row in rng.normal(size=(40, 3))]
    labels = ["rare" if rng.uniform() < 0.2 else "other" for _ in rows]
    weights = {"rare": 4.0}
    weighted = RiverClassifier(MondrianForestClassifier(4, class_weight=weights), absent=0.0, seed=1)
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        weighted.learn_one({0: row[0], 1: row[1]} if i < 20 else row, label)
    assert weighted.model_.class_weight == weights
    of_classes = dict(zip(weighted.model_._classes.numbers, weighted.model_._learner.core.class_weights, strict=True))
    assert of_classes == {"rare": 4.0 * labels.count("rare"), "other": labels.count("other")}
    assert pickle.loads(pickle.dumps(weighted)).predict_proba_one(rows[0]) == weighted.predict_proba_one(rows[0])
    assert weighted.clone().model_.class_weight == weights


def test_labels_of_any_kind():
    adapter = RiverClassifier(MondrianForestClassifier(n_estimators=5), seed=1)
    kind = Enum("kind", ["NEW"])
    learned(adapter, [({"a": 1.0}, "late"), ({"b": 2.0}, kind.NEW), ({"a": 3.0}, ("a", 1)), ({"c": 1.0}, "late")])
    found = adapter.predict_proba_one({"b": 1.0})
    assert set(found) == {"late", kind.NEW, ("a", 1)}
    assert sum(found.values()) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="a label is missing"):
        adapter.learn_one({"a": 1.0}, None)


def test_the_default_classifier():
    assert isinstance(RiverClassifier().model, MondrianForestClassifier)
