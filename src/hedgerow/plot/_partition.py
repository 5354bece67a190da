"""The blocks of one tree of a forest over two features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.plot._features import feature_names, named_like_training, two_numbers
from hedgerow.plot.style import axes_or_new


class PartitionDisplay:
    """The plane as one tree cuts it, over the mean that the whole forest predicts.

    Parameters
    ----------
    horizontal, vertical : arrays of shape (n,) and (m,)
        The grid.
    mean : array of shape (m, n)
        Predicted mean on the grid.
    leaves : array of shape (m, n)
        Number of the tree's leaf on the grid.
    feature_names : pair of str
        Labels of the axes.

    Attributes
    ----------
    ax_, figure_, image_
        Where it was drawn, and the coloured mean.
    """

    def __init__(
        self,
        horizontal: Floats,
        vertical: Floats,
        mean: Floats,
        leaves: npt.NDArray[np.uint32],
        *,
        feature_names: tuple[str, str] = ("x0", "x1"),
    ) -> None:
        self.horizontal = horizontal
        self.vertical = vertical
        self.mean = mean
        self.leaves = leaves
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, tree: int = 0, resolution: int = 400, ax: Any = None, **style: Any
    ) -> Self:
        """Ask a forest of two features over the range of X, and draw.

        Parameters
        ----------
        estimator : fitted forest of two features, both numbers, with `apply` and `predict`
            The forest.
        X : array or frame of shape (n_samples, 2)
            Rows that give the ranges.
        tree : int, default=0
            The tree whose leaves are outlined.
        resolution : int, default=400
            Points of the grid in each direction. A block thinner than a step of the grid may be missed.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            Passed to `plot`.

        Returns
        -------
        display : PartitionDisplay
        """
        matrix = two_numbers(estimator, X, "a partition is")
        if not 0 <= tree < estimator.n_estimators:
            raise ValueError(f"tree must be at least 0 and less than {estimator.n_estimators}, got {tree}")
        across, up = np.linspace(np.nanmin(matrix, axis=0), np.nanmax(matrix, axis=0), resolution).T
        grid = named_like_training(estimator, np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2))
        shape = (resolution, resolution)
        names = feature_names(estimator)
        display = cls(
            across,
            up,
            estimator.predict(grid).reshape(shape),
            estimator.apply(grid)[:, tree].reshape(shape),
            feature_names=(names[0], names[1]),
        )
        return display.plot(ax=ax, **style)

    def borders(self) -> tuple[list[Floats], list[Floats]]:
        """Return the segments, each (2, 2), between grid points of different leaves: upright, then level."""
        x_between = (self.horizontal[1:] + self.horizontal[:-1]) / 2
        y_between = (self.vertical[1:] + self.vertical[:-1]) / 2
        x_edges = np.concatenate([self.horizontal[:1], x_between, self.horizontal[-1:]])
        y_edges = np.concatenate([self.vertical[:1], y_between, self.vertical[-1:]])
        upright = [
            np.array([[x, y_edges[begin]], [x, y_edges[end]]])
            for x, differs in zip(x_between, (self.leaves[:, 1:] != self.leaves[:, :-1]).T, strict=True)
            for begin, end in _runs(differs)
        ]
        level = [
            np.array([[x_edges[begin], y], [x_edges[end], y]])
            for y, differs in zip(y_between, self.leaves[1:] != self.leaves[:-1], strict=True)
            for begin, end in _runs(differs)
        ]
        return upright, level

    def plot(self, ax: Any = None, *, cmap: str = "viridis", color: str = "white") -> Self:
        """Draw the mean in colours and the leaves' borders over it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        cmap : str, default="viridis"
            Colours of the mean.
        color : colour, default="white"
            Of the borders.

        Returns
        -------
        self
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        from matplotlib.collections import LineCollection

        self.image_ = self.ax_.pcolormesh(self.horizontal, self.vertical, self.mean, cmap=cmap, rasterized=True)
        upright, level = self.borders()
        self.ax_.add_collection(LineCollection([*upright, *level], colors=color, linewidths=0.7))
        self.ax_.set(xlabel=self.feature_names[0], ylabel=self.feature_names[1])
        self.figure_.colorbar(self.image_, ax=self.ax_, label="mean")
        return self


def _runs(differs: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Stretches of True: where each begins, and where the first False after it stands."""
    steps = np.diff(np.concatenate([[0], differs.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True))
