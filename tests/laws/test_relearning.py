"""`unlearn(..., relearn=True)` leaves the model that `fit` on the other rows makes, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import MondrianForestClassifier, MondrianForestRegressor, load
from hedgerow.mondrian import _learner, _sowing
from models import bits

RNG = np.random.default_rng(3)
N = 330  # enough for everything to be learned: rates, smoothing, distance, noise that varies
X = RNG.normal(size=(N, 3))
# Labels are whole numbers of 1/1024, so that no origin of labels rounds them.
Y = np.round(1024 * (np.sin(2 * X[:, 0]) + (0.1 + 0.3 * (X[:, 1] > 0)) * RNG.normal(size=N))) / 1024
CLASSES = np.array(["low", "high"])[(Y > 0).astype(int)]
WEIGHTS = RNG.choice([0.5, 1.0, 3.0], size=N)
QUERIES = 2.0 * RNG.normal(size=(40, 3))

# A row that spoils whatever learns from it, in the middle of the others.
AT = 200
OUTLIER, FAR_LABEL = np.array([1e6, -1e9, 50.0]), 12345.5
WITH = np.insert(X, AT, OUTLIER, axis=0)
LABELS, NAMES = np.insert(Y, AT, FAR_LABEL), np.insert(CLASSES.astype("<U8"), AT, "strange")

REGRESSORS = {
    "default": {},
    "paper": {"hyperparameters": "paper"},
    "range": {"scaling": "range"},
    "rank": {"scaling": "rank", "lifetime": 3.0},
    "none": {"scaling": "none", "hyperparameters": "paper", "min_samples_split": 5},
    "moments": {"smoothing": "moments"},
}
CLASSIFIERS = {"default": {}, "paper": {"hyperparameters": "paper", "pause_pure": False}, "half": {"scaling": "half"}}
WAYS = pytest.mark.parametrize("way", ["fit", "partial_fit"])


def regressor(**parameters):
    return MondrianForestRegressor(**{"n_estimators": 12, "random_state": 7, **parameters})


def classifier(**parameters):
    return MondrianForestClassifier(**{"n_estimators": 12, "random_state": 7, **parameters})


@WAYS
@pytest.mark.parametrize("name", REGRESSORS)
def test_regression(name, way):
    model = getattr(regressor(**REGRESSORS[name]), way)(WITH, LABELS)
    assert model.unlearn(OUTLIER.reshape(1, -1), [FAR_LABEL], relearn=True) is model
    never_saw = regressor(**REGRESSORS[name]).fit(X, Y)
    assert bits(model) == bits(never_saw)
    np.testing.assert_array_equal(model.predict_interval(QUERIES), never_saw.predict_interval(QUERIES))
    assert model.n_samples_ == model.n_samples_seen_ == N


@WAYS
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classification(name, way):
    model = getattr(classifier(**CLASSIFIERS[name]), way)(WITH, NAMES)
    model.unlearn_one(OUTLIER, "strange", relearn=True)
    never_saw = classifier(**CLASSIFIERS[name]).fit(X, CLASSES)
    assert bits(model) == bits(never_saw)
    assert model.classes_.tolist() == ["high", "low"]
    np.testing.assert_array_equal(model.predict_proba(QUERIES), never_saw.predict_proba(QUERIES))


@WAYS
def test_without_relearning_what_the_row_has_taught_stays(way):
    model = getattr(regressor(), way)(WITH, LABELS)
    scaling, calibration, noise = model._learner.scaling, model._learner.labels.calibration, model._learner.labels.noise
    rates, smoothing = model.axis_rates_, model.drift_rate_
    model.unlearn_one(OUTLIER, FAR_LABEL)
    never_saw = regressor().fit(X, Y)
    assert never_saw._learner.labels.noise is not None  # or the tests above say less than they seem to
    assert model._learner.scaling is scaling
    assert model._learner.labels.calibration is calibration
    assert model._learner.labels.noise is noise
    assert np.array_equal(model.axis_rates_, rates)
    assert model.drift_rate_ == smoothing
    assert model._learner.scaling.values.max() == 1e6 > never_saw._learner.scaling.values.max()
    width, due = (np.diff(each.predict_interval(QUERIES)).mean() for each in (model, never_saw))
    assert width > 2 * due
    assert model.n_samples_seen_ == N + 1 == model.n_samples_ + 1


def test_labels_of_a_stream_that_are_rounded():
    """They are held from the first label, so they may come back with another last digit."""
    rough = Y + RNG.normal(size=N) / 3
    model = regressor().partial_fit(WITH, np.insert(rough, AT, FAR_LABEL))
    model.unlearn_one(OUTLIER, FAR_LABEL, relearn=True)
    never_saw = regressor().fit(X, rough)
    np.testing.assert_allclose(model.predict(QUERIES), never_saw.predict(QUERIES), rtol=1e-9)


def test_many_rows_of_which_some_are_equal_and_have_weights():
    leaving = np.r_[0:30, 100:200:3, N : N + 5]
    rows = np.concatenate([X, X[:5]])
    labels, weights = np.concatenate([Y, Y[:5]]), np.concatenate([WEIGHTS, WEIGHTS[:5] + 1.0])
    model = regressor().fit(rows, labels, weights)
    model.unlearn(rows[leaving], labels[leaving], weights[leaving], relearn=True)
    kept = np.setdiff1d(np.arange(N + 5), leaving)
    assert bits(model) == bits(regressor().fit(rows[kept], labels[kept], weights[kept]))


def test_weights_that_are_left_all_one():
    model = regressor().fit(WITH, LABELS, np.where(np.arange(N + 1) == AT, 5.0, 1.0))
    model.unlearn_one(OUTLIER, FAR_LABEL, relearn=True)
    np.testing.assert_array_equal(model.predict(QUERIES), regressor().fit(X, Y).predict(QUERIES))


@WAYS
def test_it_goes_on_like_one_that_never_saw_the_row(way, tmp_path):
    """Reviews come when they would, and rows are found again, after files too."""
    model = getattr(regressor(), way)(WITH[:150], LABELS[:150]).learn_one(OUTLIER, FAR_LABEL)
    model.unlearn_one(OUTLIER, FAR_LABEL, relearn=True)
    never_saw = regressor().fit(X[:150], Y[:150])
    model.save(tmp_path / "model")
    for each in (model, loaded := load(tmp_path / "model"), never_saw):
        each.partial_fit(X[150:310], Y[150:310]).unlearn(X[140:160], Y[140:160])
    assert bits(model) == bits(loaded) == bits(never_saw)
    assert model.check_structure() == []


def test_a_window_goes_on_with_its_oldest_row():
    parameters = {"window": 60, "n_estimators": 5}
    model = regressor(**parameters).partial_fit(X[:100], Y[:100]).unlearn(X[50:52], Y[50:52], relearn=True)
    kept = np.setdiff1d(np.arange(40, 100), [50, 51])
    never_saw = regressor(**parameters).fit(X[kept], Y[kept])
    for each in (model, never_saw):
        each.partial_fit(X[100:103], Y[100:103])
        with pytest.raises(ValueError, match="not among those learned"):  # it was the oldest
            each.unlearn_one(X[40], Y[40])
    assert bits(model) == bits(never_saw)
    assert model.n_samples_ == 60


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize(
    ("module", "step"), [(_sowing, "choose_scaling"), (_sowing, "learn_units"), (_learner, "grow")], ids=str
)
def test_relearning_that_fails_changes_nothing(module, step, error, monkeypatch):
    def fail(*_):
        raise error

    for model, label in ((regressor().fit(WITH, LABELS), FAR_LABEL), (classifier().fit(WITH, NAMES), "strange")):
        before = bits(model)
        with monkeypatch.context() as patch:
            patch.setattr(module, step, fail)
            with pytest.raises(error):
                model.unlearn_one(OUTLIER, label, relearn=True)
        assert bits(model) == before
        assert model.unlearn_one(OUTLIER, label, relearn=True).n_samples_ == N


def test_parameters_that_have_changed_are_refused():
    model = classifier(class_weight={"low": 2.0}).fit(WITH, NAMES)
    before = bits(model)
    for name, value in (("n_estimators", 3), ("class_weight", {"low": 3.0})):
        kept = model.get_params()[name]
        with pytest.raises(ValueError, match=f"{name} was .* call fit to begin anew, or set it back"):
            model.set_params(**{name: value}).unlearn_one(OUTLIER, "strange", relearn=True)
        assert bits(model.set_params(**{name: kept})) == before


@pytest.mark.parametrize("relearn", [False, True])
def test_the_last_row(relearn):
    model = regressor().learn_one({"a": 1e9, "b": 2.0}, 5.0).learn_one({"a": 1.0, "b": 2.0}, 6.0)
    model.unlearn_one({"a": 1e9, "b": 2.0}, 5.0, relearn=relearn)
    model.unlearn_one({"a": 1.0, "b": 2.0}, 6.0, relearn=relearn)
    with pytest.raises(NotFittedError):
        _ = model.n_samples_
    if relearn:  # as before its first row: other columns may come, and nothing is known
        assert vars(model).keys() == vars(regressor()).keys()
        assert model.predict_one([1.0]) == 0.0
        assert bits(model.partial_fit(X, Y)) == bits(regressor().partial_fit(X, Y))
    else:
        model.learn_one({"b": 3.0, "a": 4.0}, 7.0)
        assert (model.n_samples_, model.n_samples_seen_) == (1, 3)


def test_weights_of_classes_are_made_anew():
    """All rows of a class go: those left are balanced among themselves."""
    third = np.insert(CLASSES.astype("<U8"), [10, 20, 300], "third")
    rows = np.insert(X, [10, 20, 300], X[:3] + 0.25, axis=0)
    is_third = third == "third"
    for weight in ("balanced", {"low": 3.0, "third": 9.0}):
        model = classifier(class_weight=weight).fit(rows, third)
        model.unlearn(rows[is_third], third[is_third], relearn=True)
        expected = classifier(class_weight=weight if weight == "balanced" else {"low": 3.0}).fit(X, CLASSES)
        np.testing.assert_array_equal(model.predict_proba(QUERIES), expected.predict_proba(QUERIES))
        np.testing.assert_array_equal(model._learner.core.row_weights(), expected._learner.core.row_weights())
        assert model.classes_.tolist() == ["high", "low"]


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing(n_jobs):
    one, more = (
        regressor(n_jobs=n).fit(WITH, LABELS).unlearn_one(OUTLIER, FAR_LABEL, relearn=True) for n in (1, n_jobs)
    )
    assert one._learner.core.archive().keys() == more._learner.core.archive().keys()
    for left, right in zip(one._learner.core.archive().values(), more._learner.core.archive().values(), strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("new", [regressor, classifier])
def test_reviews_look_at_the_rows_held(new):
    """An outlier that a window has pushed out has no part in the units after the next review."""
    labels = LABELS if new is regressor else NAMES
    model = new(window=50, scaling="range", hyperparameters="paper", n_estimators=3)
    model.partial_fit(np.concatenate([[OUTLIER], X]), np.concatenate([labels[[AT]], np.delete(labels, AT)]))
    held = model._learner.core.row_values()
    assert not (held == OUTLIER).all(axis=1).any()
    lengths = np.ptp(held, axis=0) * model._learner.scaling.slopes
    assert (lengths > 0.5).all()
    assert (lengths < 2.0).all()


@pytest.mark.parametrize("scaling", ["range", "half", "rank", "none"])
def test_reviews_do_not_round_rows(scaling):
    """Values that are equal stay equal, whenever they came: ranks and copies depend on it."""
    rows = np.column_stack([RNG.integers(0, 24, size=N) / 7, X[:, 0] - 1e6])
    model = regressor(scaling=scaling, n_estimators=3).partial_fit(rows, Y)
    np.testing.assert_array_equal(model._learner.core.row_values(), rows)
