"""Scorers of distributions and intervals: the `scoring` of scikit-learn's `cross_val_score`, `GridSearchCV` and others.

Larger is better, as scikit-learn expects: scores of which smaller is better are negated, and their names begin with
``neg_``. Every regressor of this library can be scored, also inside a `Pipeline`, a `TransformedTargetRegressor` or a
search; see `hedgerow.predict_dist`. For classifiers scikit-learn has ``scoring="neg_log_loss"``.

Examples
--------
>>> import numpy as np
>>> from sklearn.model_selection import cross_val_score
>>> from hedgerow import MondrianForestRegressor
>>> from hedgerow.metrics import scorers
>>> rng = np.random.default_rng(0)
>>> X = rng.uniform(size=(300, 2))
>>> y = X[:, 0] + 0.1 * rng.normal(size=300)
>>> forest = MondrianForestRegressor(n_estimators=10, random_state=0)
>>> cross_val_score(forest, X, y, cv=3, scoring=scorers.neg_crps).round(3)
array([-0.055, -0.061, -0.043])
>>> cross_val_score(forest, X, y, cv=3, scoring=scorers.coverage_at(0.5)).round(2)
array([0.48, 0.4 , 0.62])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.metrics._checks import check_confidence
from hedgerow.metrics._distributions import crps, nlpd
from hedgerow.metrics._intervals import interval_score, mean_error_rate
from hedgerow.predictive import predict_dist, predict_interval

__all__ = ["Scorer", "coverage", "coverage_at", "log_score", "neg_crps", "neg_interval_score", "neg_interval_score_at"]

LEVELS = (np.arange(100) + 0.5) / 100
"""Of the quantiles for the CRPS: a search scores many models, and the closed form of mixtures is slow."""


@dataclass(frozen=True)
class Scorer:
    """One of the scorers: called with a fitted model, rows and their targets, it returns a number.

    Parameters
    ----------
    name : str
        How it is called in this module.
    rule : callable
        The score of a model, rows, targets and weights.
    confidence : float, optional
        Of intervals, for the scorers of these.
    """

    name: str
    rule: Callable[..., float]
    confidence: float | None = None

    def __call__(self, estimator: Any, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the score of a fitted model on rows and their targets, with weights if there are."""
        if self.confidence is None:
            return self.rule(estimator, X, y, sample_weight)
        return self.rule(estimator, X, y, sample_weight, self.confidence)

    def __repr__(self) -> str:
        return f"scorers.{self.name}" + ("" if self.confidence is None else f"_at({self.confidence:g})")


def _neg_crps(model: Any, X: Any, y: Any, weights: Any) -> float:
    dist = predict_dist(model, X)
    quantiles = dist.ppf(LEVELS)
    if not np.isfinite(quantiles).all():  # those of a conformal regressor that has scored few rows
        return -crps(y, dist, sample_weight=weights)
    return -crps(y, quantiles, levels=LEVELS, sample_weight=weights)


def _log_score(model: Any, X: Any, y: Any, weights: Any) -> float:
    return -nlpd(y, predict_dist(model, X), sample_weight=weights)


def _neg_interval_score(model: Any, X: Any, y: Any, weights: Any, confidence: float) -> float:
    return -interval_score(y, predict_interval(model, X, confidence), confidence, sample_weight=weights)


def _coverage(model: Any, X: Any, y: Any, weights: Any, confidence: float) -> float:
    return 1.0 - mean_error_rate(y, predict_interval(model, X, confidence), sample_weight=weights)


def neg_interval_score_at(confidence: float) -> Scorer:
    """Return the scorer that is minus `hedgerow.metrics.interval_score` of central intervals of a confidence."""
    return Scorer("neg_interval_score", _neg_interval_score, check_confidence(confidence))


def coverage_at(confidence: float) -> Scorer:
    """Return the scorer that is the share of targets in central intervals of a confidence.

    It should be near the confidence, not large: report it, and select models by another.
    """
    return Scorer("coverage", _coverage, check_confidence(confidence))


neg_crps = Scorer("neg_crps", _neg_crps)
"""Minus `hedgerow.metrics.crps`, in units of the target; from 100 quantiles, which is fast and right to about 0.1 %."""
log_score = Scorer("log_score", _log_score)
"""Mean log density of the targets, in nats: minus `hedgerow.metrics.nlpd`."""
neg_interval_score = neg_interval_score_at(0.9)
"""Minus `hedgerow.metrics.interval_score` of 90 % intervals."""
coverage = coverage_at(0.9)
"""Share of targets in 90 % intervals. It should be near 0.9: report it, and select models by another."""
