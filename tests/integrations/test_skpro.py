"""skpro's own checks of regressors and distributions, and the same numbers through it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hedgerow import BARTRegressor, MondrianForestRegressor

skpro_checks = pytest.importorskip("skpro.utils")
from hedgerow.integrations.skpro import Predicted, SkproRegressor  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.uniform(size=(60, 2)), columns=["a", "b"], index=range(100, 160))
Y = pd.DataFrame({"target": X["a"] + 0.1 * RNG.normal(size=60)})
MODEL = MondrianForestRegressor(n_estimators=5, random_state=0)


@pytest.mark.parametrize("kind", [SkproRegressor, Predicted])
def test_passes_the_checks_of_skpro(kind):
    results = skpro_checks.check_estimator(kind, raise_exceptions=False, verbose=False)
    assert {name: found for name, found in results.items() if found != "PASSED"} == {}
    assert len(results) > 20


def test_the_numbers_are_those_of_the_model():
    model = SkproRegressor(MODEL).fit(X[:40], Y[:40])
    alone = MondrianForestRegressor(n_estimators=5, random_state=0).fit(X[:40], Y["target"][:40])
    said, new = model.predict_proba(X[40:]), X[40:]
    mean, std = alone.predict(new, return_std=True)
    np.testing.assert_array_equal(model.predict(new)["target"], mean)
    np.testing.assert_allclose(said.mean()["target"], mean, rtol=1e-12)
    np.testing.assert_allclose(said.var()["target"], std**2)
    np.testing.assert_array_equal(model.predict_interval(new, coverage=0.9), alone.predict_interval(new, 0.9))
    np.testing.assert_array_equal(said.log_pdf(Y[40:])["target"], alone.log_density(new, Y["target"][40:]))
    assert said.mean().index.tolist() == list(range(140, 160))


def test_parts_and_repeated_rows():
    said = SkproRegressor(MODEL).fit(X, Y).predict_proba(X)
    some = said.loc[[150, 101, 150]]
    np.testing.assert_array_equal(some.mean(), said.mean().loc[[150, 101, 150]])
    values = pd.DataFrame({"target": [0.2, 0.5, 0.9]}, index=some.index)
    expected = [said.iat[row, 0].cdf(value) for row, value in zip([50, 1, 50], [0.2, 0.5, 0.9], strict=True)]
    np.testing.assert_array_equal(some.cdf(values.to_numpy())["target"], expected)
    np.testing.assert_allclose(said.cdf(said.ppf(0.3)), 0.3, rtol=1e-6)


def test_draws_follow_the_distribution():
    said = SkproRegressor(MODEL).fit(X, Y).predict_proba(X[:3])
    np.random.seed(0)  # noqa: NPY002 (skpro draws from the global generator)
    draws = said.sample(4000)
    assert draws.shape == (12000, 1)
    levels = said.dist.cdf(draws["target"].to_numpy().reshape(4000, 3).T)
    np.testing.assert_allclose(levels.mean(axis=1), 0.5, atol=6 / np.sqrt(12 * 4000))  # six standard deviations
    assert said.sample().shape == (3, 1)
    assert np.isscalar(said.iat[0, 0].sample())


def test_update_learns_more_rows():
    model = SkproRegressor(MODEL).fit(X[:30], Y[:30])
    model.update(X[30:], Y[30:])
    assert model.model_.n_samples_seen_ == 60
    assert not SkproRegressor(BARTRegressor()).get_tag("capability:update")
