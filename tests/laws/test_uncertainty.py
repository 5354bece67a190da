"""Where the uncertainty of predictions comes from: parts that add up, and that are what they are called."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.predictive import Uncertainty
from models import BY_NAME, every, forest

pytestmark = pytest.mark.filterwarnings("ignore")
HAVE_NO_PARTS = (hr.OnlineConformalRegressor, hr.OnlineQuantileForestRegressor)


@every(
    "predict_uncertainty", one_a_class=True, also=("forest, two targets", "boosting, two targets", "forest, moments")
)
def test_parts_add_up(case):
    X, _ = case.data(30, seed=1)
    X[20:] *= 3.0
    model = case.fitted(120)
    if isinstance(model, HAVE_NO_PARTS):
        assert not hasattr(model, "predict_uncertainty")
        with pytest.raises(AttributeError, match="are not told apart"):
            model.predict_uncertainty(X)
        return
    found = model.predict_uncertainty(X)
    if not case.classes:
        np.testing.assert_allclose(found.total, model.predict(X, return_std=True)[1] ** 2, rtol=1e-12)
    assert all((part >= 0).all() for part in found)
    np.testing.assert_allclose(found.noise + found.disagreement + found.distance, found.total, rtol=1e-9, atol=1e-12)
    assert "uncertain because" in found.sentence(3)


@pytest.mark.parametrize("name", ["forest", "forest, moments", "BART", "BART, varying noise", "online forest"])
def test_parts_are_known_where_nothing_comes_after_them(name):
    """Before they are brought to the total they add up to it already."""
    case = BY_NAME[name]
    X, _ = case.data(30, seed=1)
    model = case.fitted(250)
    parts = model._variance_parts(X)
    np.testing.assert_allclose(sum(parts), model.predict_uncertainty(X).total, rtol=1e-9)


@pytest.mark.parametrize("kind", [hr.MondrianForestRegressor, hr.MondrianBoostingRegressor, hr.MondrianKernelRidge])
def test_parts_are_what_they_are_called(kind):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(700, 1))
    y = np.sin(3 * X[:, 0]) + 0.5 * rng.normal(size=700)
    model = kind(20, random_state=0).fit(X, y)
    near, far = (model.predict_uncertainty(rows) for rows in (np.linspace(-0.8, 0.8, 40)[:, None], [[4.0]]))
    assert 0.18 < near.noise.mean() < 0.32
    assert near.distance.mean() < 0.1 * near.noise.mean()
    assert far.distance[0] > 5 * near.distance.mean()


def test_noise_that_varies():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1000, 1))
    y = np.where(X[:, 0] < 0.5, 0.1, 1.0) * rng.normal(size=1000)
    quiet, loud = forest(n_estimators=20).fit(X, y).predict_uncertainty([[0.25], [0.75]]).noise
    assert loud > 10 * quiet


def test_sentences():
    row = np.ones(1)
    say = Uncertainty(10 * row, 2 * row, 7 * row, row).sentence
    assert say(0) == (
        "The prediction is uncertain because the trees disagree (disagreement 70 %, noise 20 %, distance 10 %)."
    )
    assert Uncertainty(row, row, 0 * row, 0 * row).sentence(0).endswith("vary (noise 100 %).")
    assert Uncertainty(0 * row, 0 * row, 0 * row, 0 * row).sentence(0) == "There is no uncertainty."
    assert "no bound" in Uncertainty(np.inf * row, np.inf * row, row, row).sentence(0)


def test_an_endless_variance_is_noise():
    found = Uncertainty.of_parts(np.array([np.inf, 4.0]), (np.array([np.inf, 1.0]), np.ones(2), np.zeros(2)))
    np.testing.assert_array_equal(found.noise, [np.inf, 2.0])
    np.testing.assert_array_equal(found.disagreement, [1.0, 2.0])


def test_parts_of_classes_where_the_truth_is_known():
    """Coins are noise, and a gap is not, as is told where leaves hold several rows or rows coincide.

    With one class a leaf, the total is right, and noise is not told from the other two where rows differ: the guide
    says so.
    """
    rng = np.random.default_rng(0)
    coins, flipped = rng.uniform(size=(2000, 2)), rng.integers(0, 2, 2000)
    apart, side = np.r_[rng.normal(0, 1, (1000, 2)), rng.normal(8, 1, (1000, 2))], np.repeat([0, 1], 1000)
    inside, gap, outside = rng.uniform(0.2, 0.8, (200, 2)), rng.normal(4, 0.3, (200, 2)), np.full((1, 2), 40.0)

    def shares(X, y, at, least):
        forest = hr.MondrianForestClassifier(20, min_samples_split=least, random_state=0).fit(X, y)
        said = forest.predict_uncertainty(at)
        return said.total.mean(), *(part.mean() / said.total.mean() for part in said[1:])

    total, noise, disagreement, distance = shares(coins, flipped, inside, 50)
    assert total == pytest.approx(np.log(2), rel=0.01)
    assert noise > 0.75
    assert shares(apart, side, gap, 50)[1] < 0.35
    assert shares(coins, flipped, outside, 50)[3] > 0.95
    total, noise, disagreement, distance = shares(coins, flipped, inside, 2)
    assert total == pytest.approx(np.log(2), rel=0.02)
    assert noise < 0.05
    assert min(disagreement, distance) > 0.3
    assert shares(coins, flipped, outside, 2)[3] > 0.95
    booleans = rng.integers(0, 2, size=(2000, 5)).astype(float)
    assert shares(booleans, flipped, booleans[:100], 2)[1] > 0.95
