"""How much each column matters: by the model itself, or by how predictions change when the column is shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

N_ROWS = 300
OWN = "Importances of the model, as shares of their sum."
SHUFFLED = "Mean squared change of predictions when the values of a column are shuffled, as shares of the sum."


@dataclass(frozen=True)
class Importances:
    """Columns with their shares, the largest first, and how these were found."""

    ranked: list[tuple[str, float]]
    about: str


def importances_of(model: Any, X: Any, task: str) -> Importances:
    """Return importances of the columns."""
    names = [str(name) for name in X.columns]
    own = own_importances(model, names)
    if own is not None:
        return Importances(own, OWN)
    return Importances(_ranked(_by_shuffling(model, X, task), names), SHUFFLED)


def own_importances(model: Any, names: Sequence[str]) -> list[tuple[str, float]] | None:
    """Return importances by the model itself; None if it has none."""
    values = getattr(model, "feature_importances_", None)
    return None if values is None else _ranked(np.asarray(values, dtype=float), names)


def _ranked(values: Any, names: Sequence[str]) -> list[tuple[str, float]]:
    total = values.sum()
    shares = values / total if total > 0 else values
    order = np.argsort(-shares, kind="stable")
    return [(names[place], float(shares[place])) for place in order]


def _by_shuffling(model: Any, X: Any, task: str) -> Any:
    rng = np.random.default_rng(0)
    rows = X.iloc[rng.permutation(len(X))[:N_ROWS]].reset_index(drop=True)
    predict = model.predict_proba if task == "classification" else model.predict
    predicted, changes = predict(rows), []
    for name in rows.columns:
        shuffled = rows.assign(**{name: rows[name].iloc[rng.permutation(len(rows))].reset_index(drop=True)})
        changes.append(float(np.mean((predict(shuffled) - predicted) ** 2)))
    return np.array(changes)
