"""Class probabilities, or where their uncertainty comes from, over two features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.plot._features import feature_names, named_like_training, two_numbers
from hedgerow.plot.style import BLUE, GREEN, GREY, ORANGE, PURPLE, axes_or_new

PARTS = ("total", "noise", "disagreement", "distance")
FEW = (BLUE, ORANGE, GREEN, PURPLE, GREY)


class ClassDisplay:
    """The plane in the colours of the classes, the paler the less sure; or one part of the uncertainty.

    Parameters
    ----------
    horizontal, vertical : arrays of shape (n,) and (m,)
        The grid.
    classes : array of shape (k,)
        Labels of the classes.
    probabilities : array of shape (m, n, k)
        Probability of each class on the grid.
    uncertainty : array of shape (m, n), optional
        Entropy in nats, or a part of it; if given, it is drawn instead of the classes.
    part : str, optional
        What `uncertainty` is.
    feature_names : pair of str
        Labels of the axes.
    rows : pair of arrays of shapes (r, 2) and (r,), optional
        Rows to show as points, and their labels.

    Attributes
    ----------
    ax_, figure_, image_
        Where it was drawn, and the coloured plane.
    """

    def __init__(
        self,
        horizontal: Floats,
        vertical: Floats,
        classes: npt.NDArray[Any],
        probabilities: Floats,
        *,
        uncertainty: Floats | None = None,
        part: str | None = None,
        feature_names: tuple[str, str] = ("x0", "x1"),
        rows: tuple[Floats, npt.NDArray[Any]] | None = None,
    ) -> None:
        self.horizontal = horizontal
        self.vertical = vertical
        self.classes = classes
        self.probabilities = probabilities
        self.uncertainty = uncertainty
        self.part = part
        self.feature_names = feature_names
        self.rows = rows

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        part: str | None = None,
        margin: float = 0.05,
        resolution: int = 200,
        ax: Any = None,
        **style: Any,
    ) -> Self:
        """Ask a classifier of two features over the range of X, and draw.

        Parameters
        ----------
        estimator : fitted classifier of two features, both numbers
            With `predict_proba`; and with `predict_uncertainty` if a part of the uncertainty is to be drawn.
        X : array or frame of shape (n_samples, 2)
            Rows that give the ranges.
        y : array of shape (n_samples,), optional
            Labels; if given, the rows are shown as points.
        part : {"total", "noise", "disagreement", "distance"}, optional
            The part of the uncertainty to draw. By default the classes are drawn.
        margin : float, default=0.05
            How far to look beyond the rows, as a share of their range.
        resolution : int, default=200
            Points of the grid in each direction.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            Passed to `plot`.

        Returns
        -------
        display : ClassDisplay
        """
        matrix = two_numbers(estimator, X, "classes are")
        if part is not None and part not in PARTS:
            raise ValueError(f"part must be one of {', '.join(PARTS)}, got {part!r}")
        lower, upper = np.nanmin(matrix, axis=0), np.nanmax(matrix, axis=0)
        beyond = margin * (upper - lower)
        across, up = np.linspace(lower - beyond, upper + beyond, resolution).T
        grid = named_like_training(estimator, np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2))
        shape = (resolution, resolution)
        names = feature_names(estimator)
        display = cls(
            across,
            up,
            estimator.classes_,
            estimator.predict_proba(grid).reshape(*shape, -1),
            uncertainty=None if part is None else getattr(estimator.predict_uncertainty(grid), part).reshape(shape),
            part=part,
            feature_names=(names[0], names[1]),
            rows=None if y is None else (matrix, np.asarray(y)),
        )
        return display.plot(ax=ax, **style)

    def colours(self) -> Floats:
        """Return a colour for each class: those that colour-blind readers can tell apart, while there are few."""
        from matplotlib import colormaps
        from matplotlib.colors import to_rgb

        n = len(self.classes)
        if n <= len(FEW):
            return np.array([to_rgb(colour) for colour in FEW[:n]])
        return np.asarray(colormaps["turbo"](np.linspace(0, 1, n)))[:, :3]

    def plot(self, ax: Any = None, *, cmap: str = "magma", legend: bool = True) -> Self:
        """Draw the classes, or the part of the uncertainty, and the rows over it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        cmap : str, default="magma"
            Colours of the uncertainty.
        legend : bool, default=True
            Whether to name the classes, or to show what the colours of the uncertainty mean.

        Returns
        -------
        self
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        colours = self.colours()
        extent = (self.horizontal[0], self.horizontal[-1], self.vertical[0], self.vertical[-1])
        given = {"origin": "lower", "extent": extent, "aspect": "auto", "interpolation": "nearest"}
        if self.uncertainty is None:
            self.image_ = self.ax_.imshow(self._blend(colours), **given)
        else:
            most = np.log(len(self.classes)) or None
            self.image_ = self.ax_.imshow(self.uncertainty, cmap=cmap, vmin=0, vmax=most, **given)
            if legend:
                self.figure_.colorbar(self.image_, ax=self.ax_, label=f"{self.part}, nats")
        for label, colour in zip(self.classes, colours, strict=True):
            at = np.empty((0, 2)) if self.rows is None else self.rows[0][self.rows[1] == label]
            self.ax_.scatter(*at.T, s=12, color=[colour], edgecolors="white", linewidths=0.5, label=str(label))
        if legend and self.uncertainty is None:
            self.ax_.legend(frameon=True, framealpha=0.8)
        self.ax_.set(xlabel=self.feature_names[0], ylabel=self.feature_names[1], xlim=extent[:2], ylim=extent[2:])
        return self

    def _blend(self, colours: Floats) -> Floats:
        """The colour of the most probable class, mixed with white: all white where every class is as probable."""
        best = np.argmax(self.probabilities, axis=-1)
        chance = 1 / len(self.classes)
        top = np.take_along_axis(self.probabilities, best[..., None], axis=-1)
        sure = (top - chance) / (1 - chance) if chance < 1 else top
        blended: Floats = 1 - 0.85 * sure * (1 - colours[best])
        return np.clip(blended, 0, 1)
