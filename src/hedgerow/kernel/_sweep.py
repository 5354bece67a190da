"""The width of the kernel for any learner: features of one Mondrian sample at many lifetimes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier

from hedgerow.base.rows import Floats
from hedgerow.kernel._settings import LIFETIME
from hedgerow.kernel._units import LARGEST, SMALLEST

SHORTEST, LONGEST, N_LIFETIMES = 0.1, 30.0, 12
"""Lifetimes that are tried unless others are given, in units of one over the median distance between rows."""

MOST_COMPARED = 200
"""Rows whose distances are looked at for that."""


@dataclass(frozen=True)
class Sweep:
    """How well a learner does with features of many lifetimes.

    Attributes
    ----------
    lifetimes : array of shape (n_lifetimes,)
        What was tried, rising.
    scores : array of shape (n_lifetimes, n_folds)
        Score on each fold, or on the rows given to validate by.
    estimator : Pipeline
        Features of the best lifetime and the learner, fitted to all rows.
    """

    lifetimes: Floats
    scores: Floats
    estimator: Any

    @property
    def mean_scores(self) -> Floats:
        """Score of each lifetime, in the mean over folds."""
        mean: Floats = self.scores.mean(axis=1)
        return mean

    @property
    def lifetime(self) -> float:
        """The best; of several, the smallest."""
        return float(self.lifetimes[self.mean_scores.argmax()])

    @property
    def score(self) -> float:
        """That of the best lifetime, in the mean over folds."""
        return float(self.mean_scores.max())

    def __repr__(self) -> str:
        return f"<Sweep over {self.lifetimes.size} lifetimes, the best {self.lifetime:.3g} with {self.score:.3g}>"


def sweep_lifetimes(
    features: Any,
    estimator: Any,
    X: Any,
    y: Any,
    held_out: tuple[Any, Any] | None,
    lifetimes: npt.ArrayLike | None,
    cv: Any,
    scoring: Any,
) -> Sweep:
    """Score a learner at each lifetime, in the same folds; then fit the best to all rows."""
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import check_cv, cross_val_score
    from sklearn.pipeline import Pipeline
    from sklearn.utils._param_validation import InvalidParameterError

    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a learner with fit and predict, such as Ridge(), got {estimator!r:.100}")
    tried = usual_lifetimes(features, X) if lifetimes is None else _checked(lifetimes)
    seed = features.random_state
    if seed is None or isinstance(seed, np.random.RandomState):  # or each lifetime would have its own cuts
        seed = int((np.random.mtrand._rand if seed is None else seed).randint(2**31))
    try:
        scorer = check_scoring(estimator, scoring=scoring)
        splits = check_cv(cv, y, classifier=is_classifier(estimator))
    except InvalidParameterError as error:
        raise ValueError(str(error)) from None
    folds = _folds(splits, X, y, cv) if held_out is None else None

    def at(lifetime: float) -> Any:
        own = clone(features).set_params(lifetime=float(lifetime), max_lifetime=float(tried[-1]), random_state=seed)
        return Pipeline([("features", own), ("learner", clone(estimator))])

    def score(lifetime: float) -> Floats:
        if held_out is not None:
            return np.array([float(scorer(at(lifetime).fit(X, y), *held_out))])
        found: Floats = cross_val_score(at(lifetime), X, y, cv=folds, scoring=scorer, error_score="raise")
        return found

    scores = np.stack([score(lifetime) for lifetime in tried])
    return Sweep(tried, scores, at(tried[scores.mean(axis=1).argmax()]).fit(X, y))


def _folds(splits: Any, X: Any, y: Any, cv: Any) -> list[Any]:
    """Return rows to learn and rows to test, fold by fold; ValueError if there are none."""
    try:
        folds = list(splits.split(X, y))
        if folds:
            return folds
    except (TypeError, ValueError) as error:
        if "unpack" not in str(error):
            raise
    raise ValueError(f"cv must be a number of folds, a splitter, or pairs of rows to learn and to test, got {cv!r:.60}")


def usual_lifetimes(features: Any, X: Any) -> Floats:
    """Return lifetimes around one over the median distance between rows, in the units of the kernel."""
    fitted = clone(features).set_params(lifetime=1.0, max_lifetime=None, n_estimators=1).fit(X)
    points = fitted._points(X)
    points = points[np.linspace(0, len(points) - 1, min(MOST_COMPARED, len(points))).astype(np.intp)]
    distances = np.abs(points[:, None] - points).sum(axis=2)
    distances = distances[distances > 0.0]
    middle = float(np.median(distances)) if distances.size else 1.0
    return np.geomspace(SHORTEST, LONGEST, N_LIFETIMES) / middle


def _checked(lifetimes: npt.ArrayLike) -> Floats:
    """Return lifetimes that rise, or ValueError."""
    try:
        tried = np.unique(np.asarray(lifetimes, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        tried = np.empty(0)
    if tried.size == 0 or not ((tried >= SMALLEST) & (tried <= LARGEST)).all():
        raise ValueError(f"lifetimes must be numbers {LIFETIME}, got {lifetimes!r:.100}")
    return tried
