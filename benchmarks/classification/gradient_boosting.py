"""Gradient boosting of classes: CatBoost and LightGBM at their defaults, and LightGBM tuned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.accuracy.gradient_boosting import LightGBM
from benchmarks.classification.scores import log_loss
from benchmarks.shared.data import Floats, Labels
from benchmarks.shared.peers import cat_boost, light_gbm, stop_light_gbm

CATBOOST, LIGHTGBM, TUNED = "CatBoost", "LightGBM", "LightGBM, tuned"
N_TRIED, MOST_ROUNDS, PATIENCE = 5, 1000, 50
"""Settings that are drawn, rounds of each at most, and rounds without a lower log loss after which it ends."""


class TunedLightGBM:
    """The best of random settings by log loss on a fifth of the rows, fitted to all of them."""

    def fit(self, X: Floats, y: Labels) -> Self:
        """Rows of classes that are met once only are learned, and not held out."""
        is_met_again = (np.bincount(y)[y] > 1).nonzero()[0]
        kept, held = train_test_split(is_met_again, test_size=0.2, random_state=0, stratify=y[is_met_again])
        kept = np.concatenate([kept, np.setdiff1d(np.arange(y.size), is_met_again)])
        rng, tried = np.random.default_rng(0), []
        for _ in range(N_TRIED):
            settings = LightGBM().draw(rng)
            model = light_gbm(classes=True, n_estimators=MOST_ROUNDS, **settings)
            n_rounds = stop_light_gbm(model, X[kept], y[kept], X[held], y[held], PATIENCE)
            places = np.searchsorted(model.classes_, y[held])
            tried.append((log_loss(model.predict_proba(X[held]), places), settings | {"n_estimators": n_rounds}))
        best = min(tried, key=lambda each: each[0])[1]
        self.model = light_gbm(classes=True, **best).fit(X, y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return the probabilities of the classes learned."""
        found: Floats = self.model.predict_proba(X)
        return found


NEW: dict[str, tuple[str, Callable[[], Any]]] = {
    CATBOOST: ("catboost", lambda: cat_boost(classes=True)),
    LIGHTGBM: ("lightgbm", lambda: light_gbm(classes=True)),
    TUNED: ("lightgbm", TunedLightGBM),
}
"""The library that each is of, and how to make it."""
