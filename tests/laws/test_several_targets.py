"""Several targets: what is special to them. What holds for all models is tested on the registry's variants."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import DataConversionWarning

import hedgerow
from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor
from hedgerow.predictive import Distribution, Joint
from models import bits, boosting, forest

RNG = np.random.default_rng(0)
N = 150
X = RNG.random((N, 4))
Y = np.column_stack([5.0 * X[:, 0] + X[:, 1], 3.0 * X[:, 1] - X[:, 2], 2.0 * X[:, 0]])
Y += RNG.multivariate_normal(np.zeros(3), 0.1 * (0.2 * np.eye(3) + 0.8), size=N)
ASKED = RNG.random((40, 4)) * 1.5 - 0.25

both = pytest.mark.parametrize("new", [forest, boosting], ids=["forest", "boosting"])
CLASSES = [MondrianForestRegressor, MondrianBoostingRegressor]


@both
def test_shapes_of_answers(new):
    model = new().fit(X, Y)
    mean, std = model.predict(ASKED, return_std=True)
    assert mean.shape == std.shape == (40, 3)
    assert model.predict_interval(ASKED, 0.8).shape == (40, 3, 2)
    assert model.predict_quantiles(ASKED, [0.1, 0.5, 0.7, 0.9]).shape == (40, 3, 4)
    assert model.log_density(X, Y).shape == (N,)
    assert model.predict_one(ASKED[0]).shape == (3,)
    dist = model.predict_dist(ASKED)
    assert isinstance(dist, Joint)
    assert dist.covariance().shape == (40, 3, 3)
    assert dist.rvs(5, random_state=0).shape == (40, 5, 3)
    one = dist.marginal(1)
    assert isinstance(one, Distribution)
    np.testing.assert_array_equal(one.mean(), mean[:, 1])
    np.testing.assert_array_equal(one.interval(0.8), model.predict_interval(ASKED, 0.8)[:, 1])
    loo = model.loo_predict()
    assert loo.mean.shape == loo.std.shape == (N, 3)
    assert loo.log_density.shape == (N,)
    assert model.noise_covariance_.shape == (3, 3)
    assert np.linalg.eigvalsh(model.noise_covariance_).min() > 0
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[3] < 0.05
    assert model.target_ == "real"
    assert model.score(X, Y) > 0.8
    forecasts = new().predict_then_learn(X, Y)
    assert forecasts.mean().shape == (N, 3)
    mean, std, interval = new().predict_then_learn(X, Y, returns="interval")
    assert mean.shape == std.shape == (N, 3)
    assert interval.shape == (N, 3, 2)


@both
def test_one_column_is_one_target(new):
    with pytest.warns(DataConversionWarning):
        model = new().fit(X, Y[:, :1])
    assert bits(model) == bits(new().fit(X, Y[:, 0]))
    assert model.predict(ASKED).shape == (40,)
    with pytest.raises(AttributeError, match="several columns"):
        _ = model.noise_covariance_


@both
def test_their_number_does_not_change_in_a_stream(new):
    two, one = new().fit(X, Y[:, :2]), new().fit(X, Y[:, 0])
    for model, wrong, message in ((two, Y, "3 numbers a row"), (two, Y[:, 0], "one number"), (one, Y, "learned one")):
        before = bits(model)
        for call in (model.partial_fit, model.unlearn, model.predict_then_learn, model.log_density):
            with pytest.raises(ValueError, match=message):
                call(X, wrong)
        with pytest.raises(ValueError, match=message):
            model.learn_one(X[0], wrong[0])
        assert bits(model) == before
        assert model.fit(X, wrong).predict(X).shape == wrong.shape
    assert new().learn_one(X[0], Y[0]).learn_one(X[1], list(Y[1])).predict(X).shape == Y.shape


@both
def test_targets_that_are_none(new):
    model = new()
    for wrong, message in ((csr_matrix(Y), "sparse"), (Y[:, :0], "0 feature"), (Y[:, :, None], "dim 3")):
        with pytest.raises(ValueError, match=message):
            model.fit(X, wrong)
    model.fit(X, Y)
    before = bits(model)
    for wrong in ([1.0], [1.0, np.nan, 2.0], [1.0, "a", 2.0], [1e200, 1.0, 1.0], [[1.0, 2.0, 3.0]], None):
        with pytest.raises(ValueError, match="target"):
            model.learn_one(X[0], wrong)
    assert bits(model) == before


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("target", ["positive", "count", (np.arcsinh, np.sinh, np.cos)])
def test_they_are_real(kind, target):
    model = kind(5, target=target)
    for call in (lambda: model.fit(X, Y), lambda: model.partial_fit(X, Y), lambda: model.learn_one(X[0], Y[0])):
        with pytest.raises(ValueError, match="several targets are real numbers"):
            call()
    assert not hasattr(model, "n_samples_seen_")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hyperparameters": "paper"}, "'learned'"),
        ({"smoothing": "moments"}, "'hierarchy'"),
        ({"prior_mean": 1.0}, "prior_mean is in the units of one target"),
        ({"noise_variance": 1.0}, "noise_variance is in the units of one target"),
    ],
)
def test_parameters_of_one_target(given, message):
    with pytest.raises(ValueError, match=message):
        MondrianForestRegressor(5, **given).fit(X, Y)
    model = forest(drift_rate=0.7, signal_to_noise=50.0).fit(X, Y)
    assert model.drift_rate_ == 0.7
    for name in ("prior_mean_", "drift_variance_", "noise_variance_", "log_marginal_likelihood_"):
        with pytest.raises(AttributeError, match="only where there is one target"):
            getattr(model, name)


@both
def test_their_order_and_units_do_not_matter(new):
    """Powers of two change no digit; others change the last of single precision."""
    model, order = new().fit(X, Y), [2, 0, 1]
    turned = new().fit(X, Y[:, order])
    np.testing.assert_allclose(turned.predict_interval(ASKED), model.predict_interval(ASKED)[:, order], rtol=1e-9)
    np.testing.assert_allclose(turned.log_density(X, Y[:, order]), model.log_density(X, Y), rtol=1e-9)
    units = np.array([2.0**30, 2.0**-30, 1.0])
    scaled = new().fit(X, Y * units)
    np.testing.assert_allclose(scaled.predict_interval(ASKED), model.predict_interval(ASKED) * units[:, None])
    np.testing.assert_allclose(scaled.log_density(X, Y * units), model.log_density(X, Y), rtol=1e-6)
    moved = new().fit(X, Y * [1e9, 1e-9, 1.0] + [1e12, 0.0, -7.0])
    np.testing.assert_allclose(moved.predict(ASKED)[:, 0], model.predict(ASKED)[:, 0] * 1e9 + 1e12, rtol=1e-6)
    np.testing.assert_allclose(moved.predict(ASKED)[:, 1], model.predict(ASKED)[:, 1] * 1e-9, rtol=1e-2, atol=1e-11)


@both
def test_a_target_that_is_a_copy_or_constant(new):
    """Finite densities, and what is said of the others stays."""
    constant, y = np.full(N, 3.0), Y[:, 0]
    for other, expected in ((y, y), (-2.0 * y + 1.0, -2.0 * y + 1.0), (constant, constant), (0.0 * y, 0.0 * y)):
        model = new().fit(X, np.column_stack([y, other]))
        dist = model.predict_dist(X)
        assert np.isfinite(dist.logpdf(np.column_stack([y, expected]))).all()
        assert np.isfinite(dist.logpdf(np.column_stack([y, expected + 1.0]))).all()
        assert np.isfinite(dist.covariance()).all()
        assert np.isfinite(dist.rvs(20, random_state=0)).all()
        assert np.isfinite(model.loo_predict().log_density).all()
        assert np.corrcoef(dist.mean()[:, 0], y)[0, 1] > 0.9
    copied = new().fit(X, np.column_stack([y, y])).predict_dist(X)
    draws = copied.rvs(100, random_state=0)
    assert np.abs(np.diff(draws)).mean() < 0.05 * copied.std().mean()
    np.testing.assert_allclose(*copied.mean().T, rtol=1e-6)


@both
@pytest.mark.parametrize("n", [1, 2, 3, 7, 15])
def test_few_rows(new, n):
    for model in (new().fit(X[:n], Y[:n]), new().partial_fit(X[:n], Y[:n])):
        dist = model.predict_dist(ASKED)
        assert np.isfinite(dist.logpdf(np.tile(Y[:1], (40, 1)))).all()
        assert (dist.std() > 0).all()
        if n == 1:
            np.testing.assert_allclose(dist.mean(), np.tile(Y[:1], (40, 1)))
    ranges = [interval.mean() for interval in np.moveaxis(np.diff(dist.interval(0.9)), 1, 0)]
    assert min(ranges) > (0.0 if n < 3 else 0.2 * np.ptp(Y[:n], axis=0).min())


def test_rows_are_told_apart_by_all_targets():
    same = np.tile(X[:1], (6, 1))
    targets = np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 1.0], [0.0, 1.0], [5.0, 5.0], [6.0, 6.0]])
    model = forest().fit(np.concatenate([X, same]), np.concatenate([Y[:, :2], targets]))
    model.unlearn(same[:2], targets[[1, 0]])
    held = model._learner.labels.given(model._learner.core.row_labels())
    np.testing.assert_array_equal(held, np.concatenate([Y[:, :2], targets[[2, 3, 4, 5]]]))
    before = bits(model)
    with pytest.raises(ValueError, match="row 1 of the 2"):
        model.unlearn(same[:2], targets[[2, 1]])
    assert bits(model) == before
    model.unlearn(same[:4], targets[2:])
    assert model.check_structure() == []
    assert model.n_samples_ == N
    with pytest.raises(ValueError, match="not among those learned"):
        model.unlearn(same[:1], targets[:1])


def test_relearning_is_a_fit_on_the_rest():
    model = forest().fit(X, Y).unlearn(X[100:], Y[100:], relearn=True)
    assert bits(model) == bits(forest().fit(X[:100], Y[:100]))


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_nothing_is_left_of_a_row_that_was_unlearned(way):
    secret = np.array([[12345.678, -87654.321, 0.5]])
    model = getattr(forest(), way)(np.concatenate([X, X[:1]]), np.concatenate([Y, secret]))
    labels = model._learner.labels
    assert (labels.targets.array == secret).any()
    far = np.abs(labels.vectors.to_array()).max()
    model.unlearn(X[:1], secret)
    assert not (labels.targets.array == secret).any()
    assert np.abs(labels.vectors.to_array()).max() < far / 2
    assert not (model._learner.state()["labels"]["targets"] == secret).any()


def test_summaries_after_unlearning_are_those_of_a_file(tmp_path):
    """A file keeps leaves only, and the rest follows."""
    model = forest().fit(X, Y).unlearn(X[::3], Y[::3]).partial_fit(X[:30], Y[:30])
    model.save(tmp_path / "model")
    again = hedgerow.load(tmp_path / "model")
    np.testing.assert_allclose(again.predict(ASKED), model.predict(ASKED), rtol=1e-5)
    np.testing.assert_array_equal(again.partial_fit(X, Y).predict(ASKED), model.partial_fit(X, Y).predict(ASKED))


def test_a_window_keeps_few_targets():
    model = forest(window=20)
    for begin in range(0, N, 7):
        model.partial_fit(X[begin : begin + 7], Y[begin : begin + 7])
        assert len(model._learner.labels.targets) <= 2 * 20 + 7
    assert model.n_samples_ == 20
    np.testing.assert_array_equal(model._learner.labels.given(model._learner.core.row_labels()), Y[-20:])
    np.testing.assert_allclose(model.loo_predict().mean.mean(axis=0), Y[-20:].mean(axis=0), atol=0.5)


def test_targets_stay_with_their_rows_after_an_interrupt():
    model, other = forest().fit(X, Y), forest().fit(X, Y)
    model._learner.labels.targets.append(Y[:2] + 9.0)  # as Ctrl-C may leave them, before their vectors are kept
    for each in (model, other):
        each.partial_fit(X[:40] + 0.01, Y[:40]).unlearn(X[:20] + 0.01, Y[:20])
    assert bits(model) == bits(other)


def test_everything_can_be_unlearned():
    model = forest().fit(X, Y).unlearn(X, Y)
    assert model.predict_one(X[0]) == 0.0
    model.partial_fit(X[:40], Y[:40])
    assert model.n_samples_ == 40
    assert np.isfinite(model.predict(ASKED)).all()
    with pytest.raises(ValueError, match="2 numbers a row"):
        model.partial_fit(X, Y[:, :2])


@both
def test_scikit_learn_knows(new):
    from sklearn.utils import get_tags

    assert get_tags(new()).target_tags.multi_output
    assert not get_tags(new(target="count")).target_tags.multi_output
