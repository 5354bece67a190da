"""Every predictive distribution is asked in the same way."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from hedgerow.predictive import (
    Counts,
    Distribution,
    Forecasts,
    LabelMixture,
    LocationScale,
    Mapped,
    NormalMixture,
    Reshaped,
    StudentMixture,
)
from hedgerow.predictive._shapes import NormalShape, StudentShape
from hedgerow.targets import Cells, Straightened
from models import BY_NAME

N = 3
MEANS, SCALES = np.array([0.5, 1.0, 2.0]), np.array([0.3, 1.0, 0.2])


def normal():
    return NormalMixture([0, 1, 3, 4], [1.0, 0.5, 0.5, 1.0], [0.5, 1.0, 2.0, 3.0], [0.1, 0.4, 0.2, 1.0])


def location_scale():
    return LocationScale(MEANS, SCALES, StudentShape(5.0, 0.8))


DISTRIBUTIONS = {
    "normal": normal,
    "student": lambda: StudentMixture([0, 1, 3, 4], [1.0, 0.5, 0.5, 1.0], np.full(4, 4.0), np.arange(4.0), np.ones(4)),
    "targets": lambda: LabelMixture([0, 2, 3, 6], [1.0, 3.0, 1.0, 1.0, 1.0, 2.0], [2.0, 1.0, 4.0, 0.0, 9.0, 5.0]),
    "location and scale": location_scale,
    "reshaped": lambda: Reshaped(
        MEANS, SCALES, NormalShape(), np.array([0.0, 0.5, 1.0]), np.array([[0, 0.5, 1], [0, 0.3, 1], [0, 0.8, 1.0]])
    ),
    "mapped": lambda: Mapped(normal(), Straightened("log", knee=0.5)),
    "counts": lambda: Counts(normal(), Cells(Straightened("log", knee=0.5))),
    "forecasts": lambda: Forecasts([location_scale(), normal()]),
}
EVERY = pytest.mark.parametrize("new", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)


@EVERY
def test_shapes(new):
    dist = new()
    n = len(dist)
    assert isinstance(dist, Distribution)
    assert f"{type(dist).__name__} of {n} rows" in repr(dist)
    assert dist.mean().shape == dist.std().shape == dist.rvs(random_state=0).shape == (n,)
    for function in (dist.logpdf, dist.pdf, dist.cdf):
        assert function(1.0).shape == function(np.ones(n)).shape == (n,)
        assert function(np.ones((1, 4))).shape == function(np.ones((n, 4))).shape == (n, 4)
    assert dist.ppf(0.3).shape == (n,)
    assert dist.ppf([0.3, 0.4]).shape == dist.interval(0.8).shape == (n, 2)
    assert dist.rvs(5, random_state=0).shape == (n, 5)
    assert dist.rvs(0).shape == (n, 0)
    np.testing.assert_array_equal(dist.rvs(1, random_state=0)[:, 0], dist.rvs(random_state=0))
    np.testing.assert_array_equal(dist.interval(0.8), dist.ppf([(1 - 0.8) / 2, (1 + 0.8) / 2]))
    np.testing.assert_array_equal(dist.pdf(1.5), np.exp(dist.logpdf(1.5)))


@EVERY
def test_what_cannot_be_asked(new):
    dist = new()
    for call, message in [
        (lambda: dist.ppf(1.5), "between 0 and 1"),
        (lambda: dist.ppf([0.2, np.nan]), "between 0 and 1"),
        (lambda: dist.ppf([[0.5]]), "1-D"),
        (lambda: dist.interval(1.0), "confidence"),
        (lambda: dist.interval(np.nan), "confidence"),
        (lambda: dist.rvs(-1), "whole number from 0"),
        (lambda: dist.logpdf(np.zeros(len(dist) + 1)), "shape"),
        (lambda: dist.cdf(np.zeros((len(dist) + 1, 2))), "shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_quantiles_of_weighted_targets():
    dist = DISTRIBUTIONS["targets"]()
    np.testing.assert_array_equal(dist.ppf([0.0, 0.25, 0.75, 0.76, 1.0])[0], [1.0, 1.0, 1.0, 2.0, 2.0])
    np.testing.assert_array_equal(dist.ppf([0.0, 0.25, 0.26, 0.75, 0.76, 1.0])[2], [0.0, 0.0, 5.0, 5.0, 9.0, 9.0])


def test_quantiles_of_calibrated_targets():
    """Half of the intervals' levels as wide as they claim; beyond all targets a spread for each unit of level."""
    reach = {0.2: 0.1, 0.6: 0.5, 0.8: 0.75, 0.98: np.inf}
    dist = LabelMixture(
        [0, 4],
        np.ones(4),
        [1.0, 2.0, 3.0, 4.0],
        lambda levels: np.array([reach[level] for level in levels]),
        np.ones(1),
    )
    found = dist.ppf([0.01, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.99])[0]
    np.testing.assert_allclose(found, [-np.inf, 0.75, 1.0, 2.0, 3.0, 4.0, 4.25, np.inf])


@pytest.mark.parametrize(
    "name",
    [
        "forest",
        "forest, counts",
        "forest, two targets",
        "boosting",
        "Bayesian tree",
        "BART",
        "kernel ridge",
        "online forest",
        "conformal",
        "quantile forest, conformal",
    ],
)
def test_distributions_can_be_copied_and_pickled(name):
    case = BY_NAME[name]
    model, X = case.fitted(), case.data(5, seed=1)[0]
    dist = model.predict_dist(X)
    for same in (copy.deepcopy(dist), pickle.loads(pickle.dumps(dist))):
        np.testing.assert_array_equal(same.ppf([0.2, 0.7]), dist.ppf([0.2, 0.7]))
