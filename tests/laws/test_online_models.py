"""Online regressors keep their bits: for any chunks, any number of threads, and when forecasts are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from online_models import EVERY_MODEL, bits, draw_stream, forest

X, Y = draw_stream()


@EVERY_MODEL
@pytest.mark.parametrize("sizes", [[1] * 400, [7, 93, 300], [399, 1]], ids=["rows", "pieces", "two"])
def test_any_chunks(new, sizes):
    whole, chunked = new().partial_fit(X, Y), new()
    begin = 0
    for size in sizes:
        chunked.partial_fit(X[begin : begin + size], Y[begin : begin + size])
        begin += size
    assert bits(chunked) == bits(whole)
    one_by_one = new()
    for row, label in zip(X, Y, strict=True):
        one_by_one.learn_one(row, label)
    assert bits(one_by_one) == bits(whole)
    assert bits(new().fit(X, Y)) == bits(whole)


@EVERY_MODEL
def test_any_number_of_threads(new):
    one, many = new().fit(X, Y), new().set_params(**_jobs(new(), 3)).fit(X, Y)
    np.testing.assert_array_equal(one.predict_interval(X), many.predict_interval(X))
    np.testing.assert_array_equal(one.predict(X), many.predict(X))


def _jobs(model, n):
    return {"n_jobs": n} if "n_jobs" in model.get_params(deep=False) else {"base__n_jobs": n}


@EVERY_MODEL
def test_weight_one_is_no_weight_and_zero_is_no_row(new):
    weights = np.ones(400)
    assert bits(new().fit(X, Y, weights)) == bits(new().fit(X, Y))
    weights[::3] = 0
    kept = weights > 0
    assert bits(new().fit(X, Y, weights)) == bits(new().fit(X[kept], Y[kept]))


def test_weights_draw_predictions():
    """A leaf's mean is weighted: with nothing to split by, so is the prediction."""
    flat = np.zeros((300, 1))
    y = np.tile([0.0, 1.0], 150)
    weights = np.tile([3.0, 1.0], 150)
    model = forest(n_estimators=200).fit(flat, y, weights)
    assert abs(model.predict([[0.0]])[0] - 0.25) < 0.01


@EVERY_MODEL
def test_units_do_not_matter(new):
    """Powers of two move no bit, and neither does a constant that leaves differences exact."""
    rows = np.round(X * 64) / 64
    scaled = new().fit(rows * 4.0, Y * 2.0)
    plain = new().fit(rows, Y)
    np.testing.assert_allclose(scaled.predict(rows * 4.0), 2.0 * plain.predict(rows), rtol=1e-9, atol=1e-9)
    moved = new().fit(rows + 2.0**20, Y)
    np.testing.assert_allclose(moved.predict(rows + 2.0**20), plain.predict(rows), rtol=1e-9, atol=1e-9)


def test_the_first_rows_are_forecast_by_the_mean_of_all_labels():
    model = forest()
    forecasts = model.predict_then_learn(X[:30], Y[:30])
    for i in range(1, 20):
        assert forecasts.mean()[i] == pytest.approx(Y[:i].mean())
        assert forecasts.std()[i] == pytest.approx(Y[:i].std(), abs=1e-6)
    assert forecasts.mean()[25] != pytest.approx(Y[:25].mean())  # bagged by now


def test_forecasts_are_those_of_the_loop():
    model, loop = forest(), forest()
    forecasts = model.predict_then_learn(X, Y)
    assert len(forecasts) == 400
    loop.learn_one(X[0], Y[0])
    for i in range(1, 400):
        one, own = loop.predict_dist(X[i : i + 1]), slice(4 * i, 4 * i + 4)
        np.testing.assert_array_equal(forecasts.means[own], one.means)
        np.testing.assert_array_equal(forecasts.variances[own], one.variances)
        loop.learn_one(X[i], Y[i])
    assert bits(model) == bits(loop)
    pieces = forest()
    pieces.predict_then_learn(X[:70], Y[:70])
    assert len(pieces.predict_then_learn(X[70:], Y[70:])) == 330
    assert bits(pieces) == bits(model)


def test_forecasts_have_the_bits_of_predict():
    mean, std, interval = forest().predict_then_learn(X, Y, returns="interval", confidence=0.8)
    same_mean, same_std = forest().predict_then_learn(X, Y, returns="std")
    loop = forest().fit(X[:300], Y[:300])
    one_mean, one_std = loop.predict(X[300:301], return_std=True)
    assert (mean[300], std[300]) == (one_mean[0], one_std[0]) == (same_mean[300], same_std[300])
    np.testing.assert_array_equal(interval[300], loop.predict_interval(X[300:301], 0.8)[0])
    with pytest.raises(ValueError, match="returns must be"):
        loop.predict_then_learn(X, Y, returns="quantiles")


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
