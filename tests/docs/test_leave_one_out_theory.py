"""The formulas of docs/theory/leave_one_out.md, evaluated as the page writes them."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from hedgerow import MondrianForestRegressor
from hedgerow.base.copies import NO_GROUPS
from stored import Stored

MEAN, RATE, RATIO = 0.3, 0.7, 20.0
LABELS = np.array([-1.0, 1.5])


def phi(z):
    return (1 - math.exp(-z)) / z


def mean_share(h, x):
    return (phi(h) / phi(x) - math.exp(-h)) / ((h + x) * phi(h))


@pytest.mark.parametrize(("eta", "g", "length"), [(0.5, 2.0, 3.0), (4.0, 0.3, 0.5), (1.0, 1.0, 1.0)])
def test_moments_of_the_share_of_an_edge(eta, g, length):
    def expected(power):
        def share(t):
            return ((1 - math.exp(-g * t)) / (1 - math.exp(-g * length))) ** power

        return quad(lambda t: share(t) * eta * math.exp(-eta * t), 0, length)[0] / (1 - math.exp(-eta * length))

    h, x = eta * length, g * length
    q = 1 - math.exp(-x)
    assert mean_share(h, x) == pytest.approx(expected(1), rel=1e-9)
    square = (2 * mean_share(h, x) - (2 - q) * mean_share(h, 2 * x)) / q
    assert square == pytest.approx(expected(2), rel=1e-8)


def test_cavity_of_a_leaf_is_the_dense_gaussian_without_the_row(tmp_path):
    fixed = {"prior_mean": MEAN, "drift_rate": RATE, "signal_to_noise": RATIO, "scaling": "none"}
    forest = MondrianForestRegressor(1, hyperparameters="learned", random_state=0, **fixed)
    forest.fit([[0.0], [1.0]], LABELS).save(tmp_path / "forest")
    split = float(Stored.read(tmp_path / "forest").array("cuts.time")[0])
    shared = 1 - math.exp(-RATE * split)  # of the two leaves' variances, which are 1
    page = MEAN + shared / (1 + 1 / RATIO) * (LABELS[::-1] - MEAN)
    np.testing.assert_allclose(forest.loo_predict().mean, page, rtol=1e-6)


def test_contrasts_of_labels_that_do_not_depend_on_columns_are_zero_on_average():
    rng = np.random.default_rng(0)
    gains = []
    for seed in range(60):
        X, y = rng.uniform(size=(64, 2)), rng.normal(size=64)
        forest = MondrianForestRegressor(4, scaling="range", hyperparameters="paper", random_state=seed).fit(X, y)
        gains.append(forest._learner.core.contrasts(8.0, NO_GROUPS)[0].sum())
    assert abs(np.mean(gains)) < 4 * np.std(gains) / math.sqrt(len(gains))
