"""Scores of means, of whole distributions and of classes, over a stream in constant memory."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hedgerow.metrics._checks import checked_vector, checked_weights
from hedgerow.metrics._tally import Tally, ratio

LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
"""A probability of zero counts as this one, as in scikit-learn, so that no single row makes a loss infinite."""


class ErrorTally(Tally):
    """Mean absolute error and root mean squared error of predicted means.

    Examples
    --------
    >>> from hedgerow.metrics import ErrorTally
    >>> ErrorTally().update([1.0, 2.0], [1.0, 4.0])
    <ErrorTally mean_absolute_error=1, root_mean_squared_error=1.41421>
    """

    _N_SUMS: ClassVar[int] = 3

    def update(self, *columns: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Add targets and predictions, both of shape (n,)."""
        y, prediction = columns
        labels = checked_vector("y", y)
        miss = labels - checked_vector("prediction", prediction, labels.size)
        weights = checked_weights(sample_weight, labels.size)
        self._add(weights, weights * np.abs(miss), weights * miss**2)
        return self

    @property
    def mean_absolute_error(self) -> float:
        """``mean(|y - prediction|)``."""
        return ratio(self._sums[1], self._sums[0])

    @property
    def root_mean_squared_error(self) -> float:
        """``sqrt(mean((y - prediction)^2))``."""
        return math.sqrt(ratio(self._sums[2], self._sums[0]))

    def scores(self) -> dict[str, float]:
        """Return both errors by name."""
        return {name: getattr(self, name) for name in ("mean_absolute_error", "root_mean_squared_error")}


class DistributionTally(Tally):
    """NLPD and CRPS from what each row had of them; NaN stands for a row that was not forecast."""

    _N_SUMS: ClassVar[int] = 4

    def update(self, *columns: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Add log densities and CRPS of rows, both of shape (n,)."""
        n_rows = checked_vector("log_density", columns[0], missing=True).size
        weights = checked_weights(sample_weight, n_rows)
        sums = []
        for name, column in zip(("log_density", "crps"), columns, strict=True):
            values = checked_vector(name, column, n_rows, missing=True)
            known = ~np.isnan(values)
            sums += [weights * known, weights * np.where(known, values, 0.0)]
        self._add(*sums)
        return self

    @property
    def nlpd(self) -> float:
        """See `hedgerow.metrics.nlpd`."""
        return -ratio(self._sums[1], self._sums[0])

    @property
    def crps(self) -> float:
        """See `hedgerow.metrics.crps`."""
        return ratio(self._sums[3], self._sums[2])

    def scores(self) -> dict[str, float]:
        """Return both scores by name."""
        return {"nlpd": self.nlpd, "crps": self.crps}


class ClassTally(Tally):
    """Accuracy and log loss of predicted classes.

    A row whose class was given no probability, such as the first of its class, is counted in `n_unforeseen`; its log
    loss is that of the smallest probability that makes a difference next to 1, as in scikit-learn.

    Examples
    --------
    >>> from hedgerow.metrics import ClassTally
    >>> ClassTally().update(["oak", "elm"], ["oak", "oak"], [0.8, 0.2])
    <ClassTally accuracy=0.5, log_loss=0.916291, n_unforeseen=0>
    """

    _N_SUMS: ClassVar[int] = 5
    _COUNT = 4

    def update(self, *columns: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Add labels, predicted labels, and the probability that was given to each label; NaN if there was none."""
        y, predicted, probability = (np.asarray(column) for column in columns)
        if y.ndim != 1 or predicted.shape != y.shape:
            raise ValueError(f"y and predictions must be a label a row, got shapes {y.shape} and {predicted.shape}")
        given = checked_vector("probability", probability, y.shape[0], missing=True)
        if (given < 0).any() or (given > 1 + 1e-9).any():
            raise ValueError("a probability must lie between 0 and 1")
        weights = checked_weights(sample_weight, y.shape[0])
        right = np.array([bool(a == b) for a, b in zip(y.tolist(), predicted.tolist(), strict=True)], dtype=np.float64)
        known = ~np.isnan(given)
        losses = np.where(known, -np.log(np.clip(np.where(known, given, 1.0), LEAST_PROBABILITY, 1.0)), 0.0)
        self._add(weights, weights * right, weights * known, weights * losses, (given == 0).astype(np.float64))
        return self

    @property
    def accuracy(self) -> float:
        """Share of rows whose class was predicted."""
        return ratio(self._sums[1], self._sums[0])

    @property
    def log_loss(self) -> float:
        """``-mean(log(probability of y))``."""
        return ratio(self._sums[3], self._sums[2])

    @property
    def n_unforeseen(self) -> int:
        """Rows whose class was given no probability."""
        return int(self._sums[4])

    def scores(self) -> dict[str, float]:
        """Return all scores by name."""
        return {name: getattr(self, name) for name in ("accuracy", "log_loss", "n_unforeseen")}
