"""`set_params` while a model learns: what shapes learning is refused by the next call that learns, the rest works."""

from __future__ import annotations

import re

import pytest

from models import CASES, bits, every, online_forest

pytestmark = pytest.mark.filterwarnings("ignore")
CALLS = {
    "partial_fit": lambda model, X, y: model.partial_fit(X[40:], y[40:]),
    "learn_one": lambda model, X, y: model.learn_one(X[40], y[40]),
    "relearn": lambda model, X, y: model.unlearn(X[:2], y[:2], relearn=True),
    "unlearn": lambda model, X, y: model.unlearn(X[:2], y[:2]),
}


# What else parameters can be, while the variant of each class that comes first learns; a new parameter is a line here.
OTHER_VALUES = {
    "adaptation_rate": 0.1,
    "adaptive": True,
    "alpha": 0.5,
    "bagging_rate": 2.0,
    "base": None,  # see `other_value`
    "calibration_size": 33,
    "cuts": "keyed",
    "categorical_features": [0],
    "class_weight": {"red": 3.0},
    "conformal": True,
    "discount": 5.0,
    "drift_detection": False,
    "drift_rate": 0.3,
    "drift_variance": 2.0,
    "grace_period": 11,
    "hyperparameters": "paper",
    "leaf_capacity": 90,
    "leaf_fit": "independent",
    "leaf_model": "linear",
    "length_scale": 2.0,
    "lifetime": 3.5,
    "linear": False,
    "max_features": None,
    "max_lifetime": 4.0,
    "max_nodes": 9,
    "max_stages": 1,
    "min_samples_leaf": 3,
    "min_samples_split": 6,
    "mode": "approximate",
    "n_estimators": 6,
    "n_spare": 9,
    "noise_variance": 0.5,
    "normalised": True,
    "pause_pure": False,
    "prior_mean": 1.0,
    "prior_weight": 2.0,
    "scaling": "rank",
    "selection": "loo",
    "shape": "common",
    "signal_to_noise": 4.0,
    "size_matched": True,
    "sketch_size": 50,
    "smoothing": "moments",
    "solver": "iterative",
    "split_confidence": 0.01,
    "split_test": "hoeffding",
    "stages": ("linear", "mondrian"),
    "tail": "normal",
    "target": "real",
    "tie_threshold": 0.2,
    "update_every": 3,
    "validation_fraction": 0.4,
    "window": 50,
}
# These shape nothing that was learned: threads, the seed, which was drawn when learning began, and what queries use.
FREE_PARAMETERS = {"n_jobs", "random_state", "discount", "prior_weight", "prior_mean", "drift_rate", "drift_variance"}
FREE_PARAMETERS |= {"noise_variance", "signal_to_noise"}


def other_value(case, name):
    if name == "base":
        return "empirical" if case.classes else online_forest(n_estimators=5)
    return OTHER_VALUES[name]


def shapes_learning(case, name):
    return name not in FREE_PARAMETERS and (case.classes, name) != (True, "base")


def calls_of(case):
    """Names of the calls that learn; `unlearn` does where it learns everything anew."""
    yield "partial_fit"
    if case.learns_rows:
        yield "learn_one"
    if case.takes("unlearn", "relearn"):
        yield "relearn"
    elif case.unlearns:
        yield "unlearn"


def changes():
    """Yield the first variant of every class that learns online, with each of its parameters and calls."""
    for case in {case.kind: case for case in reversed(CASES) if case.online}.values():
        for parameter in case.new().get_params(deep=False):
            for call in calls_of(case) if shapes_learning(case, parameter) else ():
                kind = case.kind.__name__
                yield pytest.param(case, parameter, call, id=f"{kind}.{parameter}, {call}")


@pytest.mark.parametrize(("case", "parameter", "call"), changes())
def test_what_shapes_learning_may_not_change(case, parameter, call):
    X, y = case.data(60)
    model = case.new().fit(X[:40], y[:40])
    before, old = bits(model), model.get_params(deep=False)[parameter]
    new = other_value(case, parameter)
    model.set_params(**{parameter: new})
    with pytest.raises(ValueError) as refusal:
        CALLS[call](model, X, y)
    for word in (parameter, repr(old), repr(new)):
        assert word in re.sub(r"\s+", " ", str(refusal.value)) or word.startswith("Online")  # a model may be shortened
    assert bits(model.set_params(**{parameter: old})) == before
    CALLS[call](model, X, y)


@every("online", one_a_class=True)
def test_fit_begins_anew(case):
    X, y = case.data(60)
    for parameter in case.new().get_params(deep=False).keys() - {"n_jobs", "random_state"}:
        changed = {parameter: other_value(case, parameter)}
        assert bits(case.fitted(30).set_params(**changed).fit(X, y)) == bits(case.new().set_params(**changed).fit(X, y))


@every("online", one_a_class=True)
def test_what_shapes_nothing_takes_effect(case):
    X, y = case.data(60)
    expected = case.new().fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    free = dict.fromkeys({"n_jobs", "random_state"} & case.parameters.keys(), 2)
    model = case.new().fit(X[:40], y[:40]).set_params(**free).partial_fit(X[40:], y[40:])
    assert bits(model.set_params(**{name: case.parameters[name] for name in free})) == bits(expected)
