"""Promised against observed: coverage of intervals, or how often classes come."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier

from hedgerow.numeric.arrays import Floats
from hedgerow.plot.style import COLOURS, GREY, axes_or_new, explain_lines

LEVELS = np.linspace(0.05, 0.95, 19)
N_GROUPS = 10
"""Groups of rows with like probabilities."""
MARKERS = "os^Dv*"
COVERAGE = ("nominal coverage", "observed coverage")
CLASSES = ("mean predicted probability", "how often it was so")


class CalibrationDisplay:
    """Observed coverage of central intervals against their confidence, or frequencies of classes against probabilities.

    A calibrated model is on the diagonal. Below it intervals are too narrow, above it too wide.

    Parameters
    ----------
    nominal, observed : arrays of shape (n,)
        Nominal confidence and the fraction of targets that was covered; or predicted probabilities of a class and its
        observed frequencies.
    name : str, optional
        Name of the model in the legend.
    labels : pair of str, optional
        Of the axes; by default those of coverage.

    Attributes
    ----------
    ax_, figure_, line_
        Where it was drawn, and the line.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.plot import CalibrationDisplay
    >>> rng = np.random.default_rng(0)
    >>> display = CalibrationDisplay.from_probabilities(rng.uniform(size=10_000))  # doctest: +SKIP
    """

    def __init__(
        self, nominal: Floats, observed: Floats, *, name: str | None = None, labels: tuple[str, str] = COVERAGE
    ) -> None:
        self.nominal = nominal
        self.observed = observed
        self.name = name
        self.labels = labels

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: npt.ArrayLike,
        *,
        name: str | None = None,
        ax: Any = None,
        **style: Any,
    ) -> Self:
        """Predict the distribution of every target, or the probability of classes, and draw.

        Of two classes the probability of the second is looked at, of more that of the most probable one, in ten groups
        of rows with like probabilities.

        Parameters
        ----------
        estimator : fitted model with `predict_dist`, or classifier
            What predicts.
        X : array or frame of shape (n_samples, n_features)
            Rows that the model has not learned.
        y : array of shape (n_samples,)
            Their targets, or labels.
        name : str, optional
            Name in the legend; by default the class.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            Passed to `plot`.

        Returns
        -------
        display : CalibrationDisplay
        """
        name = name or type(estimator).__name__
        if is_classifier(estimator):
            predicted, came = _predicted_and_observed(estimator.predict_proba(X), estimator.classes_, np.asarray(y))
            groups = np.array_split(np.argsort(predicted, kind="stable"), min(N_GROUPS, predicted.size))
            means = [np.array([part[group].mean() for group in groups]) for part in (predicted, came)]
            return cls(*means, name=name, labels=CLASSES).plot(ax=ax, **style)
        probability = estimator.predict_dist(X).cdf(np.asarray(y, dtype=np.float64))
        return cls.from_probabilities(probability, name=name, ax=ax, **style)

    @classmethod
    def from_probabilities(
        cls, probability: npt.ArrayLike, *, name: str | None = None, ax: Any = None, **style: Any
    ) -> Self:
        """Draw from the predicted probabilities of a target below the one that came.

        Parameters
        ----------
        probability : array of shape (n_samples,)
            The predictive distribution function of each row, at its target.
        name, ax, **style
            As for `from_estimator`.

        Returns
        -------
        display : CalibrationDisplay
        """
        centred = np.abs(2 * np.asarray(probability, dtype=np.float64) - 1)
        observed = np.array([np.mean(centred <= level) for level in LEVELS])
        return cls(LEVELS, observed, name=name).plot(ax=ax, **style)

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw the curve, and the diagonal if nobody has drawn it yet.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            For the line, as matplotlib's `plot` takes it.

        Returns
        -------
        self
        """
        is_own, self.ax_ = ax is None, axes_or_new(ax)
        self.figure_ = self.ax_.figure
        before = [line.get_label() for line in self.ax_.lines if line.get_gid() == "model"]
        n_before, n_alike = len(before), sum(label.partition(" (")[0] == self.name for label in before)
        if not any(line.get_gid() == "diagonal" for line in self.ax_.lines):
            self.ax_.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=(0, (4, 3)), gid="diagonal", zorder=1)
            self.ax_.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
            self.ax_.set(xlabel=self.labels[0], ylabel=self.labels[1])
        given = {
            "color": COLOURS[n_before % len(COLOURS)],
            "marker": MARKERS[n_before % len(MARKERS)],
            "gid": "model",
            "markersize": 3.5,
            "linewidth": 1.6,
            "label": f"{self.name} ({n_alike + 1})" if n_alike else self.name,
        } | style
        (self.line_,) = self.ax_.plot(self.nominal, self.observed, **given)
        if given["label"] is not None:
            explain_lines(self.ax_, is_own)
        return self


def _predicted_and_observed(probabilities: Floats, classes: Any, y: Any) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the probability of a class for each row, and whether that class came."""
    best = np.full(len(y), 1) if len(classes) == 2 else probabilities.argmax(axis=1)
    return probabilities[np.arange(len(y)), best], np.asarray(classes[best] == y)
