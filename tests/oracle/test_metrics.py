"""Scores next to their definitions: loops over rows, and integrals taken numerically."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from hedgerow import metrics
from hedgerow.metrics._crps import mean_distance
from hedgerow.predictive import Forecasts, LocationScale, NormalMixture, Reshaped
from hedgerow.predictive._shapes import EmpiricalShape, NormalShape, StudentShape

RNG = np.random.default_rng(0)


@pytest.fixture(params=["narrow", "wide", "some infinite"])
def rows(request):
    y = RNG.normal(size=40)
    half = {"narrow": 0.3, "wide": 8.0, "some infinite": 0.7}[request.param]
    centre = RNG.normal(size=40)
    interval = np.column_stack([centre - half, centre + half * RNG.uniform(0.5, 2, size=40)])
    if request.param == "some infinite":
        interval[:5] = -np.inf, np.inf
        interval[5, 1] = np.inf
        interval[6, 0] = y[6] + 1.0  # half infinite, and still a miss
        interval[6, 1] = np.inf
    return y, interval, RNG.uniform(size=40)


def by_hand(y, interval, weights, confidence):
    """Section 3.2 of Burns (n.d.), row by row, in plain Python."""
    alpha = 1 - confidence
    n = misses = n_finite = length = distance = 0.0
    for label, (lower, upper), weight in zip(y.tolist(), interval.tolist(), weights.tolist(), strict=True):
        n += weight
        misses += weight * (not lower <= label <= upper)
        if math.isfinite(lower) and math.isfinite(upper):
            n_finite += weight
            length += weight * (upper - lower)
            nearest = min(max(label, lower), upper)
            distance += weight * abs(label - nearest)
    mer, span = misses / n, max(y) - min(y)
    ris = length / n_finite / span
    return {
        "mean_error_rate": mer,
        "relative_interval_size": ris,
        "quantile_loss": alpha * ris + distance / n_finite / span,
        "utility": (1 - min(ris, 1)) * (1 if mer <= alpha else math.exp(-2 * math.log(2) / alpha * (mer - alpha))),
        "interval_score": length / n_finite + 2 / alpha * distance / n_finite,
    }


@pytest.mark.parametrize("confidence", [0.9, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_intervals(rows, confidence, weighted):
    y, interval, weights = rows
    given = {"sample_weight": weights} if weighted else {}
    expected = by_hand(y, interval, weights if weighted else np.ones(y.size), confidence)
    tally = metrics.IntervalTally(confidence).update(y, interval, **given).scores()
    assert tally.pop("n_infinite") == (~np.isfinite(interval).all(axis=1)).sum()
    assert tally == pytest.approx(expected, rel=1e-12)
    for name, value in expected.items():
        extra = given if name in ("mean_error_rate", "relative_interval_size") else given | {"confidence": confidence}
        assert getattr(metrics, name)(y, interval, **extra) == pytest.approx(value, rel=1e-12)


def test_half_of_the_utility_is_left_at_one_and_a_half_times_alpha():
    y = np.arange(100.0)
    interval = np.column_stack([y - 5, y + 5])
    interval[:15] += 1000  # 15 misses where 10 were allowed
    assert metrics.utility(y, interval, 0.9) == pytest.approx(0.5 * (1 - 10 / 99))
    assert metrics.utility(y, interval, 0.8) == pytest.approx(1 - 10 / 99)


def test_intervals_wider_than_the_range_are_worth_nothing_however_they_miss():
    y = np.array([0.0, 1.0])
    assert metrics.utility(y, [[-9.0, 9.0], [-9.0, 9.0]]) == 0.0
    assert metrics.utility(y, [[5.0, 9.0], [5.0, 9.0]]) == 0.0


def test_sizes_can_be_relative_to_a_range_that_is_given():
    interval = [[0.0, 2.0], [0.0, 4.0]]
    assert metrics.relative_interval_size([1.0, 1.0], interval, label_range=6.0) == pytest.approx(0.5)
    assert metrics.quantile_loss([1.0, 7.0], interval, 0.9, label_range=10.0) == pytest.approx(0.03 + 0.15)


def integral(cdf, y):
    """The definition of CRPS, by quadrature on both sides of the label, in pieces."""
    pieces = [-np.inf, *(y + np.arange(-12.0, 12.5)), np.inf]
    return sum(
        integrate.quad(lambda t: (cdf(t) - (t >= y)) ** 2, begin, end, epsabs=1e-11)[0]
        for begin, end in pairwise(pieces)
    )


def crps_by_row(y, dist):
    return [metrics.crps([label], _one(dist, row)) for row, label in enumerate(y)]


def _one(dist, row):
    if isinstance(dist, LocationScale):
        return LocationScale(dist.location[row : row + 1], dist.scale[row : row + 1], dist.shape)
    own = slice(dist.first[row], dist.first[row + 1])
    return NormalMixture([0, own.stop - own.start], dist.weights[own], dist.means[own], dist.variances[own])


@pytest.mark.parametrize("narrowest", [1.0, 0.3, 1e-3, 0.0])
def test_crps_of_many_components_is_that_of_their_pairs(narrowest):
    """Wide ones are integrated, mixtures with a very narrow one summed over pairs: the same number by both ways."""
    sizes = np.array([60, 1, 200])
    first = np.concatenate([[0], sizes.cumsum()])
    weights = np.concatenate([RNG.dirichlet(np.ones(size)) for size in sizes])
    variances = RNG.uniform(1.0, 4.0, size=sizes.sum())
    variances[first[:-1]] = narrowest**2
    mixture = NormalMixture(first, weights, 100.0 + RNG.normal(scale=2.0, size=sizes.sum()), variances)
    y = np.array([100.0, 98.0, 103.0])
    expected = []
    for label, one in zip(y, (_one(mixture, row) for row in range(3)), strict=True):
        pairs = mean_distance(np.subtract.outer(one.means, one.means), np.add.outer(one.variances, one.variances))
        alone = mean_distance(label - one.means, one.variances)
        expected.append(one.weights @ alone - 0.5 * one.weights @ pairs @ one.weights)
    np.testing.assert_allclose(crps_by_row(y, mixture), expected, rtol=1e-11)
    assert metrics.crps(y, mixture) == np.mean(crps_by_row(y, mixture))


def test_crps_of_mixtures_is_the_integral():
    first = np.array([0, 1, 4, 9])
    weights = np.concatenate([RNG.dirichlet(np.ones(size)) for size in np.diff(first)])
    mixture = NormalMixture(first, weights, RNG.normal(size=9), RNG.uniform(0.01, 1, size=9))
    y = np.array([0.3, -2.0, 1.0])
    alone = [_one(mixture, row) for row in range(3)]
    expected = [integral(lambda t, one=one: float(one.cdf(t)[0]), y[row]) for row, one in enumerate(alone)]
    np.testing.assert_allclose(crps_by_row(y, mixture), expected, rtol=1e-7)
    assert metrics.crps(y, mixture) == pytest.approx(np.mean(expected), rel=1e-7)
    weighted = metrics.crps(y, mixture, sample_weight=[1.0, 0.0, 3.0])
    assert weighted == pytest.approx((expected[0] + 3 * expected[2]) / 4, rel=1e-7)


@pytest.mark.parametrize(
    "shape",
    [NormalShape(), StudentShape(2.5, 0.7), StudentShape(9.0, 1.0), EmpiricalShape(np.sort(RNG.normal(size=12)), 0.2)],
    ids=lambda shape: type(shape).__name__,
)
def test_crps_of_shapes_is_the_integral(shape):
    y = np.array([0.0, 1.3, -2.2])
    dist = LocationScale(np.array([0.0, 1.0, -1.0]), np.array([1.0, 0.5, 2.0]), shape)
    for row in range(3):
        one = _one(dist, row)
        expected = integral(lambda t, one=one: float(one.cdf(np.array([t]))[0]), y[row])
        assert metrics.crps(y[row : row + 1], one) == pytest.approx(expected, rel=1e-7)


def test_crps_of_reshaped_distributions_comes_close_and_of_parts_is_that_of_each():
    """They are of the kind LocationScale, whose closed form does not hold for them."""
    knots = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    levels = np.array([[0.0, 0.1, 0.3, 0.5, 1.0], [0.0, 0.4, 0.5, 0.6, 1.0]])
    dist = Reshaped(np.zeros(2), np.array([1.0, 2.0]), NormalShape(), knots, levels)
    y = np.array([0.4, -1.0])
    alone = [Reshaped(np.zeros(1), dist.scale[[row]], dist.shape, knots, levels[[row]]) for row in range(2)]
    expected = [integral(lambda t, one=one: float(one.cdf(np.array([t]))[0]), y[row]) for row, one in enumerate(alone)]
    assert metrics.crps(y, dist) == pytest.approx(np.mean(expected), rel=1e-3)
    assert metrics.crps(y, LocationScale(dist.location, dist.scale, dist.shape)) != pytest.approx(
        np.mean(expected), rel=0.05
    )
    assert metrics.crps(y, Forecasts(alone)) == metrics.crps(y, dist)


def test_crps_of_gaussians_is_that_of_a_mixture_of_one():
    y, mean, std = RNG.normal(size=5), RNG.normal(size=5), RNG.uniform(0.1, 2, size=5)
    mixture = NormalMixture(np.arange(6), np.ones(5), mean, std**2)
    assert metrics.crps(y, (mean, std)) == pytest.approx(metrics.crps(y, mixture), rel=1e-12)
    assert metrics.crps(y, LocationScale(mean, std, NormalShape())) == pytest.approx(metrics.crps(y, mixture))


def test_crps_of_samples_is_the_mean_over_all_pairs():
    y, samples = RNG.normal(size=4), RNG.normal(size=(4, 7))
    pairs = np.abs(samples[:, :, None] - samples[:, None, :]).mean(axis=(1, 2))
    expected = np.abs(samples - y[:, None]).mean(axis=1) - pairs / 2
    assert metrics.crps(y, samples) == pytest.approx(expected.mean(), rel=1e-12)
    assert metrics.crps(y, y[:, None] + 2.0) == pytest.approx(2.0)  # one sample: the absolute error


def test_a_sample_is_its_own_quantiles():
    y, samples = RNG.normal(size=4), np.sort(RNG.normal(size=(4, 7)), axis=1)
    levels = (np.arange(7) + 0.5) / 7
    assert metrics.crps(y, samples, levels=levels) == pytest.approx(metrics.crps(y, samples), rel=1e-12)


def test_crps_of_many_quantiles_and_of_foreign_distributions_comes_close():
    y, mean, std = RNG.normal(size=6), RNG.normal(size=6), RNG.uniform(0.5, 1, size=6)
    exact = metrics.crps(y, (mean, std))
    levels = np.array([0.005, 0.02, *np.linspace(0.05, 0.95, 91), 0.98, 0.995])
    quantiles = stats.norm.ppf(levels, mean[:, None], std[:, None])
    assert metrics.crps(y, quantiles, levels=levels) == pytest.approx(exact, rel=0.01)

    class Foreign:
        def ppf(self, levels):
            return stats.norm.ppf(levels, mean[:, None], std[:, None])

    assert metrics.crps(y, Foreign()) == pytest.approx(exact, rel=1e-3)


def test_nlpd_of_gaussians_of_distributions_and_of_log_densities():
    y, mean, std = RNG.normal(size=5), RNG.normal(size=5), RNG.uniform(0.1, 2, size=5)
    logs = stats.norm.logpdf(y, mean, std)
    assert metrics.nlpd(y, (mean, std)) == pytest.approx(-logs.mean(), rel=1e-12)
    assert metrics.nlpd(y, NormalMixture(np.arange(6), np.ones(5), mean, std**2)) == pytest.approx(-logs.mean())
    weights = np.array([0.0, 1.0, 2.0, 0.0, 0.0])
    assert metrics.nlpd(y, logs, sample_weight=weights) == pytest.approx(-(logs[1] + 2 * logs[2]) / 3)


def test_calibration_counts_labels_in_central_intervals():
    y, mean, std = RNG.normal(size=300), RNG.normal(size=300) / 3, RNG.uniform(0.5, 2, size=300)
    table = metrics.calibration_table(y, (mean, std))
    assert table.confidence.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    intervals = {level: np.column_stack(stats.norm.interval(level, mean, std)) for level in (0.3, 0.9)}
    for level, at in ((0.3, 2), (0.9, 8)):
        inside = (y >= intervals[level][:, 0]) & (y <= intervals[level][:, 1])
        assert table.observed[at] == pytest.approx(inside.mean())
        assert table.difference[at] == pytest.approx(inside.mean() - level)
    by_interval = metrics.calibration_table(y, intervals)
    np.testing.assert_allclose(by_interval.observed, table.observed[[2, 8]])
    assert str(by_interval).splitlines()[0] == "confidence   0.30   0.90"


@pytest.mark.parametrize("a", [0.0, 0.5, 3.0])
def test_two_readings_of_calibration_by_their_closed_forms(a):
    """Labels are the quantiles of the mixture of N(-a, 1) and N(a, 1), so shares are exact up to 1 / n."""
    n, levels = 4001, np.array([0.05, 0.3, 0.5, 0.8, 0.99])
    one = NormalMixture(np.array([0, 2]), np.full(2, 0.5), np.array([-a, a]), np.ones(2))
    y = one.ppf((np.arange(n) + 0.5) / n)[0]
    dist = NormalMixture(2 * np.arange(n + 1), np.full(2 * n, 0.5), np.tile([-a, a], n), np.ones(2 * n))
    whole = metrics.calibration_table(y, dist, levels)
    np.testing.assert_allclose(whole.observed, levels, atol=1.5 / n)
    ends = stats.norm.ppf((1 + levels) / 2) * math.sqrt(1 + a**2)
    expected = stats.norm.cdf(ends - a) - stats.norm.cdf(-ends - a)
    gaussian = metrics.calibration_table(y, dist, levels, reading="gaussian")
    np.testing.assert_allclose(gaussian.observed, expected, atol=1.5 / n)
    assert (np.abs(gaussian.difference).max() > 0.1) == (a > 1)
    pair = np.zeros(n), np.full(n, math.sqrt(1 + a**2))
    for reading in ("gaussian", "distribution"):  # of Gaussians the two are one
        assert np.array_equal(metrics.calibration_table(y, pair, levels, reading=reading).observed, gaussian.observed)


def test_the_gaussian_reading_counts_labels_within_z_standard_deviations():
    y, mean, std = np.array([0.0, 1.0, 2.0, 5.0]), np.array([0.1, 0.0, 0.0, 0.0]), np.array([0.1, 1.0, 1.0, 2.0])
    weights = [1.0, 2.0, 4.0, 8.0]
    # 1, 1, 2 and 2.5 standard deviations; one is 68.27 %, two are 95.45 %
    table = metrics.calibration_table(y, (mean, std), [0.68, 0.69, 0.96], reading="gaussian", sample_weight=weights)
    np.testing.assert_allclose(table.observed, [0, 3 / 15, 7 / 15])


def test_a_reading_that_cannot_be():
    y = np.zeros(2)
    intervals = {0.9: np.array([[-1.0, 1.0]] * 2)}
    with pytest.raises(ValueError, match="reading must be 'distribution' or 'gaussian', got 'normal'"):
        metrics.calibration_table(y, (y, y + 1), reading="normal")
    for forecast in (intervals, np.zeros(2)):
        with pytest.raises(ValueError, match="reading='gaussian' needs mean and standard deviation"):
            metrics.calibration_table(y, forecast, reading="gaussian")


def test_classes_and_errors():
    tally = metrics.ClassTally().update(["a", "b", "c"], ["a", "a", None], [0.5, 0.25, 0.0], sample_weight=[1, 2, 1])
    assert tally.accuracy == 0.25
    eps = np.finfo(float).eps
    assert tally.log_loss == pytest.approx(-(math.log(0.5) + 2 * math.log(0.25) + math.log(eps)) / 4)
    assert tally.n_unforeseen == 1
    errors = metrics.ErrorTally().update([1.0, 2.0], [3.0, 2.0], sample_weight=[1.0, 3.0])
    assert errors.mean_absolute_error == 0.5
    assert errors.root_mean_squared_error == 1.0
    whole = metrics.DistributionTally().update([-1.0, np.nan, -3.0], [0.5, np.nan, 0.7])
    assert whole.scores() == pytest.approx({"nlpd": 2.0, "crps": 0.6})
