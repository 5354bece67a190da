"""One tree of a stage as plain arrays: of Mondrian forests, or of greedy trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.base.decision_tree import (
    NO_CHILD,
    NO_FEATURE,
    NO_THRESHOLD,
    DecisionTree,
    leaf_words,
    leaves_of,
    mean_below,
    summed_below,
    tree_number,
)
from hedgerow.base.rows import Floats
from hedgerow.boosting._greedy_stage import GreedyStage
from hedgerow.boosting._learner import BoostingLearner
from hedgerow.mondrian._tree_view import view_of_tree

WITH_TREES = ("mondrian", "greedy")


def view_of_stage(
    learner: BoostingLearner, index: int, chain: int, stage: int | None, names: list[str]
) -> DecisionTree:
    """Return a tree of a stage; `names` are those of the axes that the model sees."""
    chains = learner.stages.chains
    if not chains:
        raise ValueError("there are no stages: all rows have the same label")
    chain = tree_number(chain, len(chains), "chain")
    kinds = chains[chain].kinds
    with_trees = [number for number, kind in enumerate(kinds) if kind in WITH_TREES]
    number = (with_trees or [0])[0] if stage is None else tree_number(stage, len(kinds), "stage")
    if number not in with_trees:
        others = f"stages {with_trees} of this chain have" if with_trees else "none of this chain has"
        raise ValueError(
            f"stage {number} of chain {chain} is {kinds[number]!r} and has no trees; {others}, see stages_"
        )
    chosen = chains[chain].stages[number]
    of_axes, of_plain = learner.view.names(names)
    if chosen.kind == "greedy":
        n_learned = learner.stages.residuals.shape[0]
        return _greedy_tree(chosen, index, learner.view(learner.rows.arrays[0][:n_learned]).plain, of_plain)
    number = tree_number(index, chosen.forest.core.n_trees)
    return view_of_tree(chosen.forest, number, lambda y: y.reshape(len(y), -1), leaf_words, of_axes)


def _greedy_tree(stage: GreedyStage, index: int, X: Floats, names: list[str]) -> DecisionTree:
    """Return a greedy tree, with all rows that the model holds counted at its nodes, as stages see them."""
    arrays: dict[str, Any] = stage.forest.core.archive()
    number = tree_number(index, stage.forest.core.n_trees)
    ends = np.concatenate([[0], np.cumsum(arrays["greedy.n_nodes"].astype(np.int64))])
    own = slice(int(ends[number]), int(ends[number + 1]))
    child, code = (arrays[f"greedy.{part}"][own].astype(np.int64) for part in ("children", "codes"))
    is_leaf = child == np.arange(child.size)  # a leaf is its own child
    left, right = np.where(is_leaf, NO_CHILD, child), np.where(is_leaf, NO_CHILD, child + 1)
    feature = np.where(is_leaf, NO_FEATURE, code >> 8)
    first_cut = np.concatenate([[0], np.cumsum(arrays["greedy.n_cuts"].astype(np.int64))])
    inner = np.flatnonzero(~is_leaf)
    threshold = np.full(child.size, NO_THRESHOLD)
    threshold[inner] = arrays["greedy.cuts"][first_cut[feature[inner]] + (code[inner] & 0xFF)]
    n_outputs = int(arrays["greedy.shape"][1])
    of_leaves = arrays["greedy.values"].reshape(-1, n_outputs)[(own.start + number) // 2 :]
    value = np.zeros((child.size, n_outputs))
    value[is_leaf] = stage.centre.reshape(-1) + stage.forest.unit * of_leaves[code[is_leaf]].astype(np.float64)
    counts = np.bincount(leaves_of(feature, threshold, left, right, X), minlength=child.size)
    value, counts = mean_below(left, right, counts, value), summed_below(left, right, counts)
    words = [leaf_words(value[node], int(counts[node])) if is_leaf[node] else "" for node in range(child.size)]
    return DecisionTree(feature, threshold, left, right, words, names, n_node_samples=counts, value=value)
