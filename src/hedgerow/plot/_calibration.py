"""Nominal against observed coverage."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.plot.style import BLUE, GREY, axes_or_new

LEVELS = np.linspace(0.05, 0.95, 19)


class CalibrationDisplay:
    """How often targets fall into central intervals that promise a given confidence.

    On the diagonal the promise is kept; below it the model is too sure, above it not sure enough.

    Parameters
    ----------
    nominal, observed : arrays of shape (n,)
        Promised confidence, and the fraction of targets that was covered.
    name : str, optional
        Name of the model in the legend.

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

    def __init__(self, nominal: Floats, observed: Floats, *, name: str | None = None) -> None:
        self.nominal = nominal
        self.observed = observed
        self.name = name

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
        """Predict the distribution of every target and draw.

        Parameters
        ----------
        estimator : fitted model with `predict_dist`
            What predicts.
        X : array or frame of shape (n_samples, n_features)
            Rows that the model has not learned.
        y : array of shape (n_samples,)
            Their targets.
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
        labels = np.asarray(y, dtype=np.float64)
        probability = estimator.predict_dist(X).cdf(labels)
        return cls.from_probabilities(probability, name=name or type(estimator).__name__, ax=ax, **style)

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
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        if not any(line.get_gid() == "diagonal" for line in self.ax_.lines):
            self.ax_.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=(0, (4, 3)), gid="diagonal", zorder=1)
            self.ax_.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
            self.ax_.set(xlabel="promised coverage", ylabel="observed coverage")
        given = {
            "color": BLUE,
            "marker": "o",
            "markersize": 3.5,
            "linewidth": 1.6,
            "label": self.name,
        } | style
        (self.line_,) = self.ax_.plot(self.nominal, self.observed, **given)
        if given["label"] is not None:
            self.ax_.legend(frameon=False, loc="upper left")
        return self
