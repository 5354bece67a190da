"""A ridge regression whose leave-one-out residuals come with it, as the prior mean of a boosting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

PENALTIES = 10.0 ** np.arange(-4, 5)
"""Penalties tried, in units of a row's share of the sum of squares."""


@dataclass(frozen=True)
class Ridge:
    """A linear function of standardised columns. Outside the range of the rows it keeps the value at the border."""

    centre: Floats
    scale: Floats
    lower: Floats
    upper: Floats
    slopes: Floats
    intercept: float

    def __call__(self, X: Floats) -> Floats:
        """Values at rows."""
        inside = np.clip(X, self.lower, self.upper)
        values: Floats = self.intercept + ((inside - self.centre) / self.scale) @ self.slopes
        return values

    def arrays(self) -> dict[str, Floats]:
        """Return what it is made from, for a file."""
        intercept = np.array([self.intercept])
        return {**{name: value for name, value in vars(self).items() if name != "intercept"}, "intercept": intercept}


def fit_ridge(X: Floats, y: Floats, weights: Floats) -> tuple[Ridge, Floats]:
    """Return the ridge regression whose leave-one-out error is smallest, and its leave-one-out residuals.

    With the singular values of the standardised columns every penalty costs little, and leaving row i out costs
    nothing: its residual is the plain one over 1 - h_i, h the diagonal of the hat matrix. A row of weight w is w equal
    rows, of which one is left out.
    """
    share = weights / weights.sum()
    centre, lower, upper = share @ X, X.min(axis=0), X.max(axis=0)
    scale = np.sqrt(share @ (X - centre) ** 2)
    scale = np.where(scale > 0, scale, 1.0)
    mean = float(share @ y)
    root = np.sqrt(weights)
    U, singular, Vt = np.linalg.svd(root[:, None] * ((X - centre) / scale), full_matrices=False)
    projected = U.T @ (root * (y - mean))
    best = (np.inf, Ridge(centre, scale, lower, upper, np.zeros(X.shape[1]), mean), y - mean)
    for penalty in PENALTIES * weights.sum() / 100.0:
        kept = singular**2 / (singular**2 + penalty)
        fitted = (U * kept) @ projected / root
        leverage = np.minimum(((U**2) @ kept + share) / np.maximum(weights, 1.0), 0.999)
        residuals = (y - mean - fitted) / (1.0 - leverage)
        error = float(share @ residuals**2)
        if error < best[0]:
            slopes = Vt.T @ (np.divide(kept, singular, out=np.zeros_like(kept), where=singular > 0) * projected)
            best = (error, Ridge(centre, scale, lower, upper, slopes, mean), residuals)
    return best[1], best[2]
