"""Bad input gets a sentence that helps, and a failed call leaves the model as it was."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import MondrianForestRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = RNG.normal(size=30)


def new(**parameters):
    return MondrianForestRegressor(**{"n_estimators": 3, "random_state": 0, **parameters})


def spoiled(array, value):
    copy = np.array(array, dtype=object if isinstance(value, str) else float)
    copy[3] = value
    return copy


BAD_DATA = {
    "NaN in X": (spoiled(X, np.nan), Y, None, "NaN"),
    "infinity in X": (spoiled(X, np.inf), Y, None, "infinity"),
    "strings in X": (spoiled(X, "blue"), Y, None, "could not convert|numeric"),
    "NaN in y": (X, spoiled(Y, np.nan), None, "NaN"),
    "infinity in y": (X, spoiled(Y, -np.inf), None, "infinity"),
    "strings in y": (X, spoiled(Y, "blue"), None, "could not convert|numeric"),
    "1-D X": (X[:, 0], Y, None, "1D array"),
    "0-D X": (1.0, Y, None, "scalar"),
    "3-D X": (X.reshape(15, 2, 2), Y[:15], None, "dim 3"),
    "2-D y": (X, np.stack([Y, Y], axis=1), None, "1d array"),
    "no rows": (X[:0], Y[:0], None, "0 sample"),
    "no columns": (X[:, :0], Y, None, "0 feature"),
    "fewer labels": (X, Y[:-1], None, "inconsistent numbers of samples"),
    "no labels": (X, None, None, "y"),
    "complex": (X + 1j, Y, None, "Complex data"),
    "negative weight": (X, Y, spoiled(np.ones(30), -1.0), "1 negative"),
    "NaN weight": (X, Y, spoiled(np.ones(30), np.nan), "sample_weight contains NaN"),
    "infinite weight": (X, Y, spoiled(np.ones(30), np.inf), "sample_weight contains NaN or infinity"),
    "fewer weights": (X, Y, np.ones(29), "expected .30,."),
    "2-D weights": (X, Y, np.ones((30, 1)), "1D array or scalar"),
    "huge y": (X, spoiled(Y, 1e200), None, "divide y by a constant"),
    "overflowing y": (X, spoiled(Y, 1.7e308) - 1.7e308, None, "divide y by a constant|infinity"),
}
ALL_BAD_DATA = pytest.mark.parametrize("case", BAD_DATA)


@ALL_BAD_DATA
@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_first_call(call, case):
    bad_X, bad_y, weights, message = BAD_DATA[case]
    forest = new()
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(forest, call)(bad_X, bad_y, weights)
    assert vars(forest) == vars(new())


@ALL_BAD_DATA
@pytest.mark.parametrize("call", ["fit", "partial_fit", "unlearn"])
def test_later_call(call, case):
    bad_X, bad_y, weights, message = BAD_DATA[case]
    forest = new().fit(X, Y)
    before, attributes = forest._to_bytes(), set(vars(forest))
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(forest, call)(bad_X, bad_y, weights)
    assert forest._to_bytes() == before
    assert set(vars(forest)) == attributes
    assert forest.check_structure() == []


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_failed_first_frame_leaves_no_names(call):
    forest = new()
    with pytest.raises(ValueError, match="NaN"):
        getattr(forest, call)(pandas.DataFrame({"a": [1.0, np.nan], "b": [1.0, 2.0]}), [0.0, 1.0])
    assert vars(forest) == vars(new())
    assert forest.learn_one([1.0, 2.0, 3.0], 1.0).predict_one([1.0, 2.0, 3.0]) == 1.0


@pytest.mark.parametrize("call", ["partial_fit", "unlearn", "predict", "predict_dist", "apply", "log_density"])
def test_other_widths(call):
    forest = new().fit(X, Y)
    before = forest._to_bytes()
    arguments = (X[:, :1], Y) if call in ("partial_fit", "unlearn", "log_density") else (X[:, :1],)
    with pytest.raises(ValueError, match="X has 1 features, but"):
        getattr(forest, call)(*arguments)
    assert forest._to_bytes() == before


ASKING = {
    "predict": (X,),
    "predict_dist": (X,),
    "predict_interval": (X,),
    "predict_quantiles": (X, [0.5]),
    "log_density": (X, Y),
    "apply": (X,),
    "unlearn": (X, Y),
    "unlearn_one": (X[0], 0.0),
    "check_structure": (),
}


@pytest.mark.parametrize("call", ASKING)
def test_not_fitted(call):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(new(), call)(*ASKING[call])


@pytest.mark.parametrize("name", ["n_nodes_", "depth_", "n_samples_", "prior_mean_", "log_marginal_likelihood_"])
def test_attributes_of_an_unfitted_forest(name):
    with pytest.raises(NotFittedError):
        getattr(new(), name)


@pytest.mark.parametrize("name", ["log_marginal_likelihood_", "drift_variance_", "drift_rate_"])
def test_attributes_of_the_hierarchy_alone(name):
    forest = new(smoothing="moments").fit(X, Y)
    assert not hasattr(forest, name)
    with pytest.raises(AttributeError, match="smoothing='hierarchy'"):
        getattr(forest, name)


BAD_PARAMETERS = [
    ({"n_estimators": 0}, "n_estimators must be an integer of at least 1"),
    ({"n_estimators": 2.5}, "n_estimators must be an integer"),
    ({"n_estimators": True}, "n_estimators must be an integer"),
    ({"n_estimators": "10"}, "n_estimators must be an integer"),
    ({"min_samples_split": 1}, "min_samples_split must be an integer of at least 2"),
    ({"min_samples_split": 0.5}, "min_samples_split must be an integer"),
    ({"lifetime": 0.0}, "lifetime must be a positive number"),
    ({"lifetime": -1}, "lifetime must be a positive number"),
    ({"lifetime": np.nan}, "lifetime must be a positive number"),
    ({"lifetime": None}, "lifetime must be a positive number"),
    ({"smoothing": "median"}, "smoothing must be 'hierarchy' or 'moments'"),
    ({"scaling": None}, "scaling must be 'auto', 'range', 'half', 'rank' or 'none'"),
    ({"hyperparameters": "mine"}, "hyperparameters must be"),
    ({"window": 0}, "window must be an integer of at least 1"),
    ({"window": 1.5}, "window must be an integer"),
    ({"prior_mean": np.inf}, "prior_mean must be a finite number"),
    ({"prior_mean": "0"}, "prior_mean must be a finite number"),
    ({"drift_variance": 0}, "drift_variance must be a positive number"),
    ({"drift_rate": -1.0}, "drift_rate must be a positive number"),
    ({"noise_variance": np.inf}, "noise_variance must be a positive number"),
    ({"signal_to_noise": "high"}, "signal_to_noise must be a positive number"),
    ({"noise_variance": 1.0, "signal_to_noise": 1.0}, "set one of them"),
    ({"n_jobs": 0}, "n_jobs must be"),
    ({"n_jobs": 1.5}, "n_jobs must be"),
    ({"random_state": "seed"}, "cannot be used to seed"),
]


@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=[str(case[0]) for case in BAD_PARAMETERS])
@pytest.mark.parametrize("call", ["fit", "partial_fit", "learn_one"])
def test_bad_parameters(call, parameters, message):
    forest = new(**parameters)
    before = dict(vars(forest))
    with pytest.raises(ValueError, match=message):
        getattr(forest, call)(*((X[0], 1.0) if call == "learn_one" else (X, Y)))
    assert vars(forest) == before


@pytest.mark.parametrize(
    "change",
    [
        {"n_estimators": 4},
        {"min_samples_split": 5},
        {"lifetime": 2.0},
        {"scaling": "rank"},
        {"smoothing": "moments"},
    ],
    ids=str,
)
def test_the_shape_may_not_change_while_learning(change):
    forest = new().fit(X, Y)
    before = forest.predict(X)
    forest.set_params(**change)
    with pytest.raises(ValueError, match=f"{next(iter(change))} was .* when the forest began"):
        forest.partial_fit(X, Y)
    forest.set_params(**{name: new().get_params()[name] for name in change})
    np.testing.assert_array_equal(forest.predict(X), before)
    forest.set_params(**change).fit(X, Y)
    assert forest.check_structure() == []


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        ("predict_interval", (X, 1.5), "confidence"),
        ("predict_interval", (X, 0), "confidence"),
        ("predict_quantiles", (X, [0.5, 1.1]), "between 0 and 1"),
        ("predict_quantiles", (X, np.nan), "between 0 and 1"),
        ("log_density", (X, Y[:-1]), "inconsistent"),
        ("log_density", (X, spoiled(Y, np.nan)), "NaN"),
        ("predict", (spoiled(X, np.nan),), "NaN"),
        ("predict", (X[:0],), "0 sample"),
        ("predict", (X[0],), "1D array"),
    ],
)
def test_bad_questions(call, arguments, message):
    forest = new().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        getattr(forest, call)(*arguments)


def test_no_weight_at_all():
    with pytest.raises(ValueError, match="every sample_weight is zero"):
        new().fit(X, Y, np.zeros(30))
