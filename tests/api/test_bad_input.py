"""Bad input gets a sentence that helps, and a failed call leaves the model as it was."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import (
    BARTRegressor,
    BayesianTreeRegressor,
    MondrianBoostingRegressor,
    MondrianForestRegressor,
    MondrianKernelRidge,
    OnlineForestRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = RNG.normal(size=30)


def new(**parameters):
    return MondrianForestRegressor(**{"n_estimators": 3, "random_state": 0, **parameters})


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
    ({"smoothing": "median"}, "smoothing must be one of 'hierarchy', 'moments'"),
    ({"scaling": None}, "scaling must be one of 'auto', 'range', 'half', 'rank', 'none'"),
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


NO_TARGET = r"Input y contains NaN: the targets of 2 of 30 rows are missing, the first in row 4; leave these rows out"
NO_NUMBER = r"targets must be numbers, got 'b' in row 4; classes are learned by a classifier"


def spoiled(value, kind):
    """Targets of which the fifth and the last are something else."""
    return kind([value if row in (4, 29) else float(row) for row in range(30)])


BAD_TARGETS = {
    "NaN": (spoiled(np.nan, np.array), NO_TARGET),
    "None": (spoiled(None, list), NO_TARGET),
    "NA": (spoiled(None, lambda given: pd.array(given, dtype="Int64")), NO_TARGET),
    "null": (spoiled(None, pl.Series), NO_TARGET),
    "words": (spoiled("b", lambda given: np.array(given, dtype=object)), NO_NUMBER),
    "only words": (list("aaaab" * 6), NO_NUMBER.replace("'b' in row 4", "'a' in row 0")),
    "categories": (pd.Series(list("aaaab" * 6), dtype="category"), NO_NUMBER.replace("'b' in row 4", "'a' in row 0")),
}


@pytest.mark.parametrize("name", BAD_TARGETS)
@pytest.mark.parametrize(
    "model",
    [
        MondrianForestRegressor(3),
        MondrianBoostingRegressor(3),
        MondrianKernelRidge(3),
        BARTRegressor(3, n_draws=5, n_burn_in=5, progress=False),
        BayesianTreeRegressor(n_particles=5),
        OnlineForestRegressor(3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_targets_that_are_missing_or_no_numbers(model, name):
    targets, words = BAD_TARGETS[name]
    with pytest.raises(ValueError, match=words):
        model.fit(X, targets)


def test_one_of_two_targets_is_missing():
    both = np.column_stack([Y, np.where(np.isin(np.arange(30), (4, 29)), np.nan, Y)])
    with pytest.raises(ValueError, match=NO_TARGET):
        new().fit(X, both)
    with pytest.raises(ValueError, match=NO_TARGET):
        new().fit(X, Y).unlearn(X, both[:, 1])


@pytest.mark.parametrize(
    ("table", "advice"),
    [
        (pl.LazyFrame({"size": [1.0, 2.0]}), r"got LazyFrame, whose rows X\.collect\(\) computes"),
        (
            pd.DataFrame({"month": pd.period_range("2026-01", periods=2, freq="M")}),
            "feature 'month' .* convert the column",
        ),
    ],
    ids=["lazy", "periods"],
)
def test_tables_that_must_be_converted(table, advice):
    with pytest.raises(TypeError, match=advice):
        MondrianForestRegressor().fit(table, [1.0, 2.0])
