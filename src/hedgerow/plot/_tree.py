"""A decision tree, drawn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow.bayesian import DecisionTree
from hedgerow.plot.style import BLUE, GREY, paler, pyplot

FONT_SIZE = 8.0
SMALLEST, LARGEST, MARGIN = (4.0, 3.0), (24.0, 16.0), 0.3
"""Of a new figure, in inches."""
ROOM = 1.12
"""How much more room a box has than it needs."""


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
    def from_estimator(cls, estimator: Any, *, tree: int | None = None, ax: Any = None, **style: Any) -> Self:
        """Draw a tree of a fitted model: by default the most probable one of a Bayesian tree, or else the first.

        Other draws of BART, or stages of a boosting: ``TreeDisplay(model.tree(0, draw=3)).plot()``.

        Parameters
        ----------
        estimator : fitted model with `tree` or `most_probable_tree`
            Whose tree is drawn.
        tree : int, optional
            Number of the tree.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            For the texts, as matplotlib's `text` takes it.

        Returns
        -------
        display : TreeDisplay
        """
        is_best = tree is None and hasattr(estimator, "most_probable_tree")
        chosen = estimator.most_probable_tree() if is_best else estimator.tree(tree or 0)
        return cls(chosen).plot(ax=ax, **style)

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw the tree, rows for which a question is answered with yes on the left.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure, as large as the tree needs. On given axes, and where a figure would
            be larger than a wall, texts are made smaller.
        **style
            For the texts, as matplotlib's `text` takes it. With a `fontsize` they keep it, and may overlap.

        Returns
        -------
        self
        """
        across, down = self._places()
        self.ax_ = ax if ax is not None else pyplot().subplots(figsize=SMALLEST, layout="constrained")[1]
        self.figure_ = self.ax_.figure
        self.texts_ = []
        for node in range(self.tree.feature.size):
            is_leaf = self.tree.feature[node] < 0
            for child in () if is_leaf else (self.tree.left[node], self.tree.right[node]):
                ends = ([across[node], across[child]], [-down[node], -down[child]])
                self.ax_.plot(*ends, color=GREY, linewidth=1, zorder=1)
            box = {"boxstyle": "round", "facecolor": paler(BLUE, 0.8) if is_leaf else "white", "edgecolor": GREY}
            given = {"ha": "center", "va": "center", "fontsize": FONT_SIZE, "bbox": box, "zorder": 2} | style
            words = self.tree.question(node).replace(", ", "\n") if is_leaf else self.tree.question(node)
            self.texts_.append(self.ax_.text(across[node], -down[node], words, **given))
        self.ax_.set(xlim=(-0.6, self.tree.n_leaves - 0.4), ylim=(-down.max() - 0.5, 0.5))
        self.ax_.set_axis_off()
        self._make_room(down.max() + 1, is_new=ax is None, may_shrink="fontsize" not in style)
        return self

    def _make_room(self, n_levels: float, is_new: bool, may_shrink: bool) -> None:
        """Enlarge a figure that is new until boxes do not overlap; where it cannot grow, shrink what is written.

        Leaves are one slot apart, and inner nodes of one level two: each lies above the middle of its children.
        """
        boxes = [text.get_bbox_patch().get_window_extent(self._renderer()) for text in self.texts_]
        is_leaf = self.tree.feature < 0
        of_leaves, of_inner = (
            max((box.width for box, leaf in zip(boxes, is_leaf, strict=True) if leaf == kind), default=0.0)
            for kind in (True, False)
        )
        slot = max(of_leaves, of_inner / 2, (of_leaves + of_inner) / 3) * ROOM
        level = max(box.height for box in boxes) * 2 * ROOM
        needed = np.array([slot * self.tree.n_leaves, level * n_levels]) / self.figure_.dpi  # in inches
        if is_new:
            self.figure_.set_size_inches(np.clip(needed + MARGIN, SMALLEST, LARGEST))
        area = self.ax_.get_window_extent(self._renderer())
        fits = float(np.min(np.array([area.width, area.height]) / self.figure_.dpi / needed))
        if may_shrink and fits < 1.0:
            for text in self.texts_:
                text.set_fontsize(text.get_fontsize() * fits)

    def _renderer(self) -> Any:
        self.figure_.draw_without_rendering()
        return self.figure_.canvas.get_renderer()

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
