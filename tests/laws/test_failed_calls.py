"""Bad input gets a sentence that helps, and a failed call leaves the model as it was."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError

from models import bits, every, make_sense, numbers, questions

pytestmark = pytest.mark.filterwarnings("ignore")
N = 30


def spoiled(values, value):
    values = np.array(values, dtype=object if isinstance(value, str) else float)
    values[3] = value
    return values


def bad_rows(case):
    """Yield rows, targets and weights that cannot be, and what is said of them."""
    X, y = case.data(N)
    yield spoiled(X, np.inf), y, None, "infinity"
    yield X + 1j, y, None, "Complex data"
    yield X[:, 0], y, None, "1D array"
    yield 1.0, y, None, "scalar"
    yield X.reshape(N // 2, 2, 3), y[: N // 2], None, "dim 3"
    yield X[:0], y[:0], None, "0 sample"
    yield X[:, :0], y, None, "0 feature"
    if case.predicts:
        yield X, None, None, "y"
        yield X, y[:-1], None, "inconsistent numbers of samples"
        too_many = np.stack([y, y], axis=1)
        yield X, too_many[..., None] if case.takes_several else too_many, None, "1d array|1 dimension|shape|dim [34]"
    if case.weighs:
        yield X, y, spoiled(np.ones(N), -1.0), "1 negative"
        yield X, y, spoiled(np.ones(N), np.nan), "sample_weight contains NaN"
        yield X, y, spoiled(np.ones(N), np.inf), "sample_weight contains NaN or infinity"
        yield X, y, np.ones(N - 1), "expected .30,."
        yield X, y, np.ones((N, 1)), "1D array or scalar"
    if case.classes:
        yield X, [*y[:-1].tolist(), None], None, "missing|None"
        yield X, X[:, 0], None, "continuous"
        if case.weighs:
            yield X, [*y[:-1].tolist(), "white"], spoiled(np.ones(N), -1.0), "1 negative"
    if case.regresses:
        yield X, spoiled(y, np.nan), None, "NaN"
        yield X, spoiled(y, -np.inf), None, "infinity"
        yield X, spoiled(y, "blue"), None, "targets must be numbers, got .blue. in row"


def calls(case, fitted):
    yield "fit"
    if case.online:
        yield "partial_fit"
    if case.unlearns and fitted:
        yield "unlearn"


@every()
@pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])
def test_bad_rows(case, fitted):
    model = case.fitted(N) if fitted else case.new()
    before, attributes = bits(model), set(vars(model))
    for X, y, weights, message in bad_rows(case):
        for call in calls(case, fitted):
            more = {} if weights is None else {"sample_weight": weights}
            with pytest.raises((ValueError, TypeError), match=message):
                getattr(model, call)(X, y, **more)
            assert set(vars(model)) == attributes
        assert bits(model) == before, message
    if case.can("check_structure") and fitted:
        assert model.check_structure() == []


@every()
def test_a_failed_first_frame_leaves_no_names(case):
    X, y = case.data(N)
    frame = pandas.DataFrame(spoiled(X, np.inf), columns=["a", "b", "c"])
    for call in calls(case, False):
        model = case.new()
        with pytest.raises(ValueError, match="infinity: feature 'a' is inf"):
            getattr(model, call)(frame, y)
        assert set(vars(model)) == set(vars(case.new()))
        assert make_sense(numbers(model.fit(X[:, :2], y), X[:, :2]))


@every()
def test_bad_questions(case):
    X, y = case.data(N)
    model = case.fitted(N)
    before = bits(model)
    asked = [ask for ask in ("predict", "predict_proba", "transform", "predict_dist", "apply") if case.can(ask)]
    for ask in asked:
        for rows, message in (
            (X[:, :1], "X has 1 features, but"),
            (spoiled(X, -np.inf), "infinity"),
            (spoiled(X, "blue"), "taken for numbers when learning began, and now holds"),
            (X[:0], "0 sample"),
            (X[0], "1D array"),
        ):
            with pytest.raises(ValueError, match=message):
                getattr(model, ask)(rows)
    if case.regresses:
        for levels in ([0.5, 1.1], np.nan, -0.1):
            with pytest.raises(ValueError, match="between 0 and 1"):
                model.predict_quantiles(X, levels)
        for confidence in (0, 1, 1.5, -1, np.nan):
            with pytest.raises(ValueError, match="confidence"):
                model.predict_interval(X, confidence)
        with pytest.raises(ValueError, match=r"inconsistent|shape|30"):
            model.log_density(X, y[:-1])
        with pytest.raises(ValueError, match="NaN"):
            model.log_density(X, spoiled(y, np.nan))
    assert bits(model) == before


@every("learns_rows")
@pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])
def test_bad_single_rows(case, fitted):
    X, y = case.data(N)
    model = case.fitted(N) if fitted else case.new()
    before, attributes = bits(model), set(vars(model))
    bad = [[], {}, [[1.0, 2.0, 3.0]], 3.0, [1.0, 2.0, -np.inf], {"a": np.inf}]
    bad += [["a", "b", "c"], {"a": "b"}, [1.0, 2.0], [1.0, 2.0, 3.0, 4.0]] * fitted
    for x in bad:
        for call in (lambda x: model.learn_one(x, y[0]), *[model.predict_one] * fitted):
            with pytest.raises(ValueError):
                call(x)
    several = [[[1.0, 2.0]]] + [[1.0, 2.0, 3.0]] * fitted if case.takes_several else [[1.0, 2.0]]
    for label in [*several, np.nan] + ["late", None, np.inf] * case.regresses:
        for x in (X[0], dict(zip("abc", X[0], strict=True))):
            with pytest.raises((ValueError, TypeError)):
                model.learn_one(x, label)
    assert bits(model) == before
    assert set(vars(model)) == attributes


@every("regresses")
def test_a_target_whose_square_is_no_number(case):
    X, y = case.data(N)
    for model in (case.new(), case.fitted(N)):
        before = bits(model)
        for call in calls(case, False):
            with pytest.raises(ValueError, match=r"divide y by a constant|whole numbers"):
                getattr(model, call)(X, spoiled(y, 1e200))
        if case.learns_rows:
            with pytest.raises(ValueError, match=r"1e100|whole numbers"):
                model.learn_one(X[0], 1e200)
        assert bits(model) == before


@every()
def test_not_fitted(case):
    X, y = case.data(N)
    model = case.new()
    assert not model.__sklearn_is_fitted__()
    for name, ask in questions(model, X, y):
        if name not in ("one", "proba_one"):
            with pytest.raises((NotFittedError, AttributeError), match=r"not fitted yet|exists only with"):
                print(name, ask())
    for name in ("n_samples_seen_", "n_samples_", "classes_", "feature_importances_", "n_nodes_", "n_stages_"):
        assert not hasattr(model, name)
    if case.unlearns:
        with pytest.raises(NotFittedError):
            model.unlearn(X, y)
    assert bits(model) == bits(case.new())
