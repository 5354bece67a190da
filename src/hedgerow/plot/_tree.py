"""A decision tree, drawn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow.bayesian import DecisionTree
from hedgerow.plot.style import BLUE, GREY, axes_or_new, paler


class TreeDisplay:
    """The most probable tree of a sample, or any other: questions at the forks, predictions at the leaves.

    Parameters
    ----------
    tree : DecisionTree
        What is drawn.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    texts_ : list
        What is written at each node, in the order of the nodes.

    Examples
    --------
    >>> from hedgerow.plot import TreeDisplay
    >>> display = TreeDisplay.from_estimator(model)  # doctest: +SKIP
    """

    def __init__(self, tree: DecisionTree) -> None:
        self.tree = tree

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **style: Any) -> Self:
        """Draw the most probable tree of a fitted `BayesianTreeClassifier` or `BayesianTreeRegressor`.

        Parameters
        ----------
        estimator : fitted model with `most_probable_tree`
            Whose tree is drawn.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            For the texts, as matplotlib's `text` takes it.

        Returns
        -------
        display : TreeDisplay
        """
        return cls(estimator.most_probable_tree()).plot(ax=ax, **style)

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw the tree, rows for which a question is answered with yes on the left.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            For the texts, as matplotlib's `text` takes it.

        Returns
        -------
        self
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        across, down = self._places()
        self.texts_ = []
        for node in range(self.tree.feature.size):
            is_leaf = self.tree.feature[node] < 0
            for child in () if is_leaf else (self.tree.left[node], self.tree.right[node]):
                ends = ([across[node], across[child]], [-down[node], -down[child]])
                self.ax_.plot(*ends, color=GREY, linewidth=1, zorder=1)
            box = {"boxstyle": "round", "facecolor": paler(BLUE, 0.8) if is_leaf else "white", "edgecolor": GREY}
            given = {"ha": "center", "va": "center", "fontsize": 8, "bbox": box, "zorder": 2} | style
            words = self.tree.question(node).replace(", ", "\n") if is_leaf else self.tree.question(node)
            self.texts_.append(self.ax_.text(across[node], -down[node], words, **given))
        self.ax_.set(xlim=(-0.6, self.tree.n_leaves - 0.4), ylim=(-down.max() - 0.5, 0.5))
        self.ax_.set_axis_off()
        return self

    def _places(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Leaves side by side, a parent above the middle of its children; depth downwards."""
        size = self.tree.feature.size
        across, down = np.zeros(size), np.zeros(size)
        pending, n_leaves = [0], 0
        order = []
        while pending:
            node = pending.pop()
            order.append(node)
            if self.tree.feature[node] < 0:
                across[node] = n_leaves
                n_leaves += 1
                continue
            children = [int(self.tree.right[node]), int(self.tree.left[node])]
            down[children] = down[node] + 1
            pending += children
        for node in reversed(order):
            if self.tree.feature[node] >= 0:
                across[node] = 0.5 * (across[self.tree.left[node]] + across[self.tree.right[node]])
        return across, down
