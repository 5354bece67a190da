"""Chapter 5, Table 5.1: how deep Mondrian trees are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.papers.lakshminarayanan_thesis.forests import mondrian
from benchmarks.papers.lakshminarayanan_thesis.reported import DEPTHS
from benchmarks.shared.data import Split
from benchmarks.shared.page import Page
from hedgerow import MondrianForestClassifier


def depths(page: Page, splits: Sequence[Split], n_trees: int) -> None:
    """Show depths of paused trees, and of trees that split blocks of one class too."""
    rows = []
    for data in splits:
        paused, grown = (
            of_forest(mondrian(0, pause_pure=pause).fit(data.X, data.y), n_trees) for pause in (True, False)
        )
        mean, sd = DEPTHS.get(data.name, (0, math.nan, math.nan))[1:]
        rows.append((
            data.name, f"{data.y.size:,}", f"{math.log2(data.y.size):.1f}", f"{mean:.1f} ± {sd:.1f}",
            f"{paused.mean():.1f} ± {paused.std():.1f}", f"{grown.mean():.1f} ± {grown.std():.1f}",
        ))  # fmt: skip
    headings = ("", "rows", "log2 of rows", "thesis", "`pause_pure=True`", "`pause_pure=False`")
    words = (
        f"Mean depth of the leaf of a row to learn; mean and standard deviation over {n_trees} trees. Blocks of one "
        "class are paused in the first column, and split like all others in the second. The thesis' depths are those "
        "of paused trees. On usps ours are less deep; neither learning in mini-batches nor columns as they are changes "
        "that, so it is not explained."
    )
    page.table("Table 5.1: depth", headings, rows, words)


def of_forest(forest: MondrianForestClassifier, n_trees: int) -> np.ndarray:
    """Return the depth of each tree: that of its leaves, weighted by their rows."""
    return np.array([of_tree(forest, k) for k in range(n_trees)])


def of_tree(forest: MondrianForestClassifier, k: int) -> float:
    """Return the depth of one tree; children come after their parents."""
    tree = forest.tree(k)
    depth = np.zeros(tree.feature.size)
    for node in np.flatnonzero(tree.feature >= 0):
        depth[tree.left[node]] = depth[tree.right[node]] = depth[node] + 1
    is_leaf = tree.feature < 0
    assert tree.n_node_samples is not None
    return float(np.average(depth[is_leaf], weights=tree.n_node_samples[is_leaf]))
