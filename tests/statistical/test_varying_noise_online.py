"""Noise that varies: intervals of online models cover the quiet rows and the noisy ones about as often."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor, OnlineConformalRegressor, OnlineQuantileForestRegressor
from thorough import THOROUGH

pytestmark = pytest.mark.statistical

# From stream to stream the coverage of a third varies with a standard deviation of up to 0.02 (the quantile of 1000
# scores alone: 0.01), and its mean over four streams with 0.01. At the means measured over other streams, 0.90 to 0.94
# in the quietest third and 0.87 to 0.92 in the noisiest, such a mean lies outside LEAST to MOST with a probability of
# at most 0.03: the false alarms of a test with new seeds. The plain quantile forest has 0.952 and 0.896, with
# deviations of 0.007, and 0.01 false alarms. Seeds are fixed, so a test that passes goes on passing.
LEAST, MOST = 0.84, 0.96
N_STREAMS, N_TEST = 4, 6000


def normalised(base=None, **options):
    return OnlineConformalRegressor(base, normalised=True, random_state=0, **options)


def mondrian(hyperparameters):
    return MondrianForestRegressor(10, hyperparameters=hyperparameters, random_state=0)


MODELS = {
    "exact": lambda: normalised(),
    "approximate": lambda: normalised(mode="approximate"),
    "exact, Mondrian": lambda: normalised(mondrian("learned")),
    "approximate, Mondrian of the paper": lambda: normalised(mondrian("paper"), mode="approximate"),
    "quantile": lambda: OnlineQuantileForestRegressor(random_state=0),
    "quantile, conformal": lambda: OnlineQuantileForestRegressor(conformal=True, random_state=0),
}
NOISES = {
    "in a column of its own": lambda X: 0.2 + 2.0 * X[:, 2],
    "where the mean changes": lambda X: 0.2 + 2.0 * X[:, 0],
}


def draw(noise, n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 4))
    scale = noise(X)
    return X, 4 * np.sin(3 * X[:, 0]) + 2 * X[:, 1] + scale * rng.normal(size=n), scale


def coverage_by_noise(new, noise, n, n_streams=N_STREAMS):
    """Share of labels inside 90 % intervals: all, the third with the least noise, and that with the most."""
    found = []
    for seed in range(n_streams):
        X, y, _ = draw(noise, n, 100 + seed)
        X_new, y_new, scale = draw(noise, N_TEST, 200 + seed)
        low, high = new().partial_fit(X, y).predict_interval(X_new, 0.9).T
        inside, by_noise = (low <= y_new) & (y_new <= high), np.argsort(scale)
        thirds = by_noise[: N_TEST // 3], by_noise[-N_TEST // 3 :]
        found.append([inside.mean(), *(inside[third].mean() for third in thirds)])
    return np.mean(found, axis=0)


# Each model with one kind of noise; with both in the thorough run.
PAIRS = [
    (model, noise)
    for i, model in enumerate(MODELS)
    for j, noise in enumerate(NOISES)
    if THOROUGH or (i + i // 2 + j) % 2 == 0
]


@pytest.mark.parametrize(("model", "noise"), PAIRS)
def test_quiet_and_noisy_thirds_are_covered(model, noise):
    everywhere, quiet, noisy = coverage_by_noise(MODELS[model], NOISES[noise], 3000 if "Mondrian" in model else 8000)
    assert 0.87 < everywhere < 0.94
    assert LEAST < quiet < MOST
    assert LEAST < noisy < MOST


def test_one_radius_for_all_rows_does_not_see_noise():
    """What pages say of plain conformal intervals: right on average, and nowhere in particular."""
    everywhere, quiet, noisy = coverage_by_noise(
        lambda: OnlineConformalRegressor(random_state=0), NOISES["in a column of its own"], 3000, n_streams=2
    )
    assert 0.87 < everywhere < 0.94
    assert quiet > 0.98
    assert noisy < 0.84


@pytest.mark.parametrize("mode", ["exact", "approximate"])
def test_constant_noise_costs_little_width(mode):
    """Next to one radius for all rows, which is best there. Measured: 1 to 2 % wider at about the same coverage."""
    widths = {}
    for is_normalised in (False, True):
        found = []
        for seed in range(N_STREAMS):
            X, y, _ = draw(lambda X: np.ones(len(X)), 8000, 300 + seed)
            model = OnlineConformalRegressor(normalised=is_normalised, mode=mode, random_state=0).partial_fit(X, y)
            found.append(np.diff(model.predict_interval(X[:2000], 0.9)).mean())
        widths[is_normalised] = np.mean(found)
    assert widths[True] < 1.05 * widths[False]
