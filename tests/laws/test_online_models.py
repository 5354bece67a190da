"""Online regressors: units, the first forecasts, memory, importances, drifts."""

from __future__ import annotations

import numpy as np
import pytest

from models import draw_numbers, every
from models import online_forest as forest

X, Y = draw_numbers()


def test_weights_draw_predictions():
    """A leaf's mean is weighted: with nothing to split by, so is the prediction."""
    flat = np.zeros((300, 1))
    y = np.tile([0.0, 1.0], 150)
    weights = np.tile([3.0, 1.0], 150)
    model = forest(n_estimators=200).fit(flat, y, weights)
    assert abs(model.predict([[0.0]])[0] - 0.25) < 0.01


@every("only_online")
def test_units_do_not_matter(case):
    """Powers of two move no bit, and neither does a constant that leaves differences exact."""
    rows = np.round(X * 64) / 64
    scaled = case.new().fit(rows * 4.0, Y * 2.0)
    plain = case.new().fit(rows, Y)
    np.testing.assert_allclose(scaled.predict(rows * 4.0), 2.0 * plain.predict(rows), rtol=1e-9, atol=1e-9)
    moved = case.new().fit(rows + 2.0**20, Y)
    np.testing.assert_allclose(moved.predict(rows + 2.0**20), plain.predict(rows), rtol=1e-9, atol=1e-9)


def test_the_first_rows_are_forecast_by_the_mean_of_all_labels():
    model = forest()
    forecasts = model.predict_then_learn(X[:30], Y[:30])
    for i in range(1, 20):
        assert forecasts.mean()[i] == pytest.approx(Y[:i].mean())
        assert forecasts.std()[i] == pytest.approx(Y[:i].std(), abs=1e-6)
    assert forecasts.mean()[25] != pytest.approx(Y[:25].mean())  # bagged by now


def test_memory_is_bounded_by_max_nodes():
    rng = np.random.default_rng(0)
    rows = rng.uniform(size=(30_000, 4))
    labels = np.sin(9 * rows[:, 0]) + 5 * rows[:, 1]
    model, sizes = forest(max_nodes=21), []
    for begin in range(0, 30_000, 5000):
        model.partial_fit(rows[begin : begin + 5000], labels[begin : begin + 5000])
        sizes.append(model.__sizeof__())
    assert max(sizes) == sizes[0]
    assert model.n_nodes_ == 4 * 21
    assert model.depth_ <= 10


def test_features_that_matter_are_important():
    rng = np.random.default_rng(0)
    rows = rng.uniform(size=(3000, 5))
    labels = 4 * rows[:, 1] + 2 * rows[:, 3] + rng.normal(scale=0.1, size=3000)
    shares = forest().fit(rows, labels).feature_importances_
    assert shares.sum() == pytest.approx(1.0)
    assert shares[1] > shares[3] > shares[[0, 2, 4]].max()
    np.testing.assert_array_equal(forest().fit(rows[:5], labels[:5]).feature_importances_, np.full(5, 0.2))


def test_a_drift_is_noticed_and_unlearned():
    rng = np.random.default_rng(0)
    rows = rng.uniform(size=(8000, 3))
    labels = 5.0 * (rows[:, 0] > 0.5) * np.where(np.arange(8000) < 4000, 1, -1)
    model, blind = forest(), forest(drift_detection=False)
    errors = np.abs(model.predict_then_learn(rows, labels).mean() - labels)
    blind_errors = np.abs(blind.predict_then_learn(rows, labels).mean() - labels)
    assert model.n_warnings_ >= model.n_drifts_ >= 4
    assert errors[6000:].mean() < 0.2 * blind_errors[6000:].mean()
