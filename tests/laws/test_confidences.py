"""Intervals of several confidences at once are those of each by itself."""

import numpy as np
import pytest

import hedgerow as hr
from models import BY_NAME, every

LEVELS = [0.9, 0.5, 0.99]


@every("predict_interval", one_a_class=True)
def test_a_list_is_each_by_itself(case):
    model, X = case.fitted(), case.data(5, seed=1)[0]
    found = model.predict_interval(X, LEVELS)
    each = [model.predict_interval(X, level) for level in LEVELS]
    assert found.shape == (*each[0].shape, 3)
    np.testing.assert_allclose(found, np.stack(each, axis=-1), rtol=1e-12)
    np.testing.assert_array_equal(model.predict_interval(X, np.array([0.5]))[..., 0], each[1])


@pytest.mark.parametrize("name", ["forest", "conformal", "BART"])
@pytest.mark.parametrize("wrong", [[], [0.5, 1.0], [[0.5]], ["0.5"]])
def test_what_is_refused(name, wrong):
    model, X = BY_NAME[name].fitted(), BY_NAME[name].data(5)[0]
    with pytest.raises(ValueError, match="confidence"):
        model.predict_interval(X, wrong)


def test_intervals_of_means_and_of_several_targets():
    model, X = BY_NAME["BART"].fitted(), BY_NAME["BART"].data(5)[0]
    means = [model.predict_interval(X, level, kind="mean") for level in LEVELS]
    np.testing.assert_array_equal(model.predict_interval(X, LEVELS, kind="mean"), np.stack(means, axis=-1))
    case = BY_NAME["forest, two targets"]
    assert case.fitted().predict_interval(case.data(5)[0], LEVELS).shape == (5, 2, 2, 3)


def test_through_a_transformed_target():
    from sklearn.compose import TransformedTargetRegressor

    X = np.linspace(1, 2, 60).reshape(-1, 1)
    model = TransformedTargetRegressor(BY_NAME["forest"].new(), func=np.log, inverse_func=np.exp).fit(X, X[:, 0])
    each = [hr.predict_interval(model, X, level) for level in LEVELS]
    np.testing.assert_allclose(hr.predict_interval(model, X, LEVELS), np.stack(each, axis=-1), rtol=1e-12)
