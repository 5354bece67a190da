"""One decision tree, to be looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class DecisionTree:
    """One tree out of a sample, as plain arrays; ``str`` draws it as text.

    Attributes
    ----------
    feature : array of int
        Axis that each node splits; -1 for a leaf. Node 0 is the root.
    threshold : array of float
        Rows with ``x[feature] <= threshold`` go left.
    left, right : arrays of int
        Children of each node; -1 for a leaf.
    words : list of str
        What each leaf predicts, in words; empty for the others.
    feature_names : list of str
        Names of the axes, as `axis_names_` of the model has them: columns, parts of dates, places of categories.
    log_probability : float
        Logarithm of the prior probability of the tree's partition of the rows times the likelihood of their labels.
    """

    feature: npt.NDArray[np.int64]
    threshold: npt.NDArray[np.float64]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    words: list[str]
    feature_names: list[str]
    log_probability: float

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.feature < 0).sum())

    @property
    def depth(self) -> int:
        """Splits on the longest way from the root to a leaf."""
        depth = np.zeros(self.feature.size, dtype=np.int64)
        for node in np.flatnonzero(self.feature >= 0):  # parents come before their children
            depth[[self.left[node], self.right[node]]] = depth[node] + 1
        return int(depth.max())

    def question(self, node: int) -> str:
        """Return what an inner node asks, or what a leaf says."""
        if self.feature[node] < 0:
            return self.words[node]
        return f"{self.feature_names[self.feature[node]]} <= {self.threshold[node]:.6g}"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        pending = [(0, "", "")]
        while pending:
            node, indent, branch = pending.pop()
            yield f"{indent}{branch}{self.question(node)}"
            if self.feature[node] < 0:
                continue
            below = indent + {"": "", "├ yes: ": "│ ", "└ no:  ": "  "}[branch]
            pending += [(int(self.right[node]), below, "└ no:  "), (int(self.left[node]), below, "├ yes: ")]
