"""A fifth of the rows to learn is held out: to choose settings, and for the residuals of split conformal prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.shared.data import Floats

PATIENCE = 100
"""Rounds without a better prediction of the rows held out, after which no more are added."""


class Peer(Protocol):
    """A model whose settings, such as the number of rounds, may be searched for."""

    def search(self, X: Any, y: Any, X_held: Any, y_held: Any) -> tuple[Any, Any]:
        """Return the best settings, and what is predicted with them for the rows held out."""

    def fit(self, X: Any, y: Any, settings: Any) -> Callable[[Any], Any]:
        """Return a function that predicts: means, means and variances in two columns, or probabilities of classes."""


@dataclass(frozen=True)
class Fitted:
    """A model of all rows, and the errors of one that had not seen the rows held out."""

    predict: Callable[[Any], Any]
    residuals: Floats

    def around(self, mean: Floats, levels: Sequence[float] | Floats) -> Floats:
        """Return quantiles: the mean, and those of the residuals."""
        found: Floats = mean[:, None] + np.quantile(self.residuals, levels)
        return found


def fit(peer: Peer, X: Any, y: Any, seed: int, strata: Any = None) -> Fitted:
    """Search for settings, and fit all rows with them."""
    X_fit, X_held, y_fit, y_held = train_test_split(X, y, test_size=0.2, random_state=seed, stratify=strata)
    settings, held = peer.search(X_fit, y_fit, X_held, y_held)
    return Fitted(peer.fit(X, y, settings), y_held - held if held.ndim == 1 else np.empty(0))
