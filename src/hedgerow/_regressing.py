"""What all regressors share: everything that follows from the predictive distribution."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

Floats = npt.NDArray[np.float64]


class Regressing(RegressorMixin):  # type: ignore[misc]
    """The part of a regressor that asks its predictive distribution. It comes before the class that knows how to learn.

    A model that knows a quicker way to one of these takes it.
    """

    @abstractmethod
    def predict_dist(self, X: Any) -> Any:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws."""

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean and, if asked, standard deviation of each row's label."""
        dist = self.predict_dist(X)
        return (dist.mean(), dist.std()) if return_std else dist.mean()

    def predict_interval(self, X: Any, confidence: float = 0.9) -> Floats:
        """Central prediction interval of each row: shape (n_samples, 2)."""
        interval: Floats = self.predict_dist(X).interval(confidence)
        return interval

    def predict_quantiles(self, X: Any, quantiles: npt.ArrayLike) -> Floats:
        """Quantiles of each row's label: shape (n_samples, n_quantiles)."""
        found: Floats = self.predict_dist(X).ppf(np.atleast_1d(np.asarray(quantiles, dtype=np.float64)))
        return found

    def log_density(self, X: Any, y: npt.ArrayLike) -> Floats:
        """Log of the predictive density of each label: shape (n_samples,)."""
        self._check_learned()
        X, labels = validate_data(self, X, y, reset=False, dtype=np.float64, order="C", y_numeric=True)
        found: Floats = self.predict_dist(X).logpdf(np.asarray(labels, dtype=np.float64))
        return found
