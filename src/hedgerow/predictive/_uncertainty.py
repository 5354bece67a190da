"""Where the uncertainty of a prediction comes from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.numeric.arrays import Floats

MEANING = {
    "noise": "the targets of similar rows vary",
    "disagreement": "the trees disagree",
    "distance": "few rows are near",
}


class Uncertainty(NamedTuple):
    """Uncertainty of predictions, one number a row: ``total = noise + disagreement + distance``.

    For numbers it is the variance of the target; with several targets, a number for each. For classes it is the entropy
    of the prediction, in nats.

    Attributes
    ----------
    total : array
        Variance of the predictive distribution; or entropy of `predict_proba`, at most ``log(n_classes)``.
    noise : array
        The spread of targets, or the mixture of classes, among similar rows, whether it is in the data or an error of
        the model.
    disagreement : array
        How much the trees disagree.
    distance : array
        What is due to the distance from the training rows. For classes, it grows to ``log(n_classes)`` far away.
    """

    total: Floats
    noise: Floats
    disagreement: Floats
    distance: Floats

    @classmethod
    def of_parts(cls, total: Floats, parts: tuple[Floats, Floats, Floats]) -> Uncertainty:
        """Share out a total in proportion to parts that are known in other units, or before they were calibrated."""
        added = parts[0] + parts[1] + parts[2]
        usable = np.isfinite(added) & (added > 0.0)
        scale = np.divide(total, added, out=np.ones_like(total), where=usable)
        return cls(total, *(scale * part for part in parts))

    def sentence(self, row: int, target: int = 0) -> str:
        """Say in words where the uncertainty about a row comes from.

        Parameters
        ----------
        row : int
            Which of the rows.
        target : int, default=0
            Which of several targets.

        Returns
        -------
        sentence : str
        """
        parts = {name: float(np.atleast_1d(getattr(self, name)[row])[target]) for name in MEANING}
        total = sum(parts.values())
        if not np.isfinite(total) or total <= 0.0:
            return "There is no uncertainty." if total <= 0.0 else "The uncertainty has no bound."
        ranked = sorted(parts, key=lambda name: -parts[name])
        shares = ", ".join(f"{name} {100 * parts[name] / total:.0f} %" for name in ranked if parts[name] > 0.0)
        return f"The prediction is uncertain because {MEANING[ranked[0]]} ({shares})."
