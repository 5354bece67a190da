"""Which rows to label next: those that lower the variance of predictions most (Cohn, Ghahramani and Jordan 1996).

Cuts of a Mondrian process do not depend on labels. So the query rows are put into a copy of the trees, without
labels. Given a tree, the means of all leaves are then Gaussian, with covariances that follow from the rows that have
labels; a further label changes these whatever it is. The recursions are on the theory page of the forest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from hedgerow import _core
from hedgerow.base.decision_tree import NO_CHILD, Numbers, children_in_order, inner_levels
from hedgerow.base.rows import NO_WEIGHTS, Floats
from hedgerow.base.work import pieces
from hedgerow.files.codec import Arrays
from hedgerow.mondrian._learner import without_summaries
from hedgerow.mondrian._tree_view import FIRST_COLUMN, parts_of_tree

ROUNDING = 1e-10
"""Gains that differ by less, as a share, are equal."""


class QueryRows(NamedTuple):
    """Rows, of which the first may be labelled, and how much the variance of each counts: 0 where it does not."""

    X: Floats
    n_candidates: int
    factors: Floats

    @classmethod
    def of(cls, candidates: Floats, reference: Floats | None, factors: Floats) -> QueryRows:
        """Return candidates whose own variances count, or those of rows of reference."""
        n = candidates.shape[0]
        if reference is None:
            return cls(candidates, n, factors)
        return cls(np.concatenate([candidates, reference]), n, np.concatenate([np.zeros(n), factors]))


class Design(NamedTuple):
    """Rows in the order in which they were picked, and by how much each lowers the variance."""

    picked: npt.NDArray[np.intp]
    gains: Floats


def choose_rows(learner: Any, queries: QueryRows, n: int, n_threads: int) -> Design:
    """Pick n candidates, one after another: each lowers the sum of factor times variance most.

    Variances are those of means given a tree, in units of gamma_1, averaged over the trees. A row that is picked counts
    as labelled from then on, with the mean weight of the rows held. Of rows that are equally good, as all are where
    targets have been found to depend on nothing, a random one is picked, so that these are a sample.
    """
    weights, ratio = learner.core.row_weights(), learner.core.model[1]
    of_label = ratio * (float(weights.mean()) if weights.size else 1.0)
    hierarchy = Hierarchy.with_rows(learner, queries, n_threads)
    leaves, precision = hierarchy.leaf_of[:, : queries.n_candidates], hierarchy.precision.copy()
    left = np.random.default_rng(learner.seed).permutation(queries.n_candidates)
    found = Design(np.empty(n, dtype=np.intp), np.empty(n))
    for k in range(n):
        gains = hierarchy.gains(precision, 1.0 / of_label)[leaves].mean(axis=0)
        best = left[np.argmax(gains[left] >= (1.0 - ROUNDING) * gains[left].max())]
        found.picked[k], found.gains[k], left = best, gains[best], left[left != best]
        precision[leaves[:, best]] += of_label
    return found


class Hierarchy(NamedTuple):
    """The means of all trees, level by level from the roots down; children stand side by side, left before right."""

    levels: list[tuple[Numbers, slice]]  # nodes that have children, and these
    gained: Floats  # variance on the edge above, in units of gamma_1
    precision: Floats  # of the labels of leaves, in the same units
    counted: Floats  # factors of rows in leaves, added up
    leaf_of: Numbers  # (trees, query rows)

    @classmethod
    def with_rows(cls, learner: Any, queries: QueryRows, n_threads: int) -> Hierarchy:
        """Return the hierarchy of trees that have these rows too, without labels."""
        arrays = arrays_with_rows(learner, queries.X, n_threads)
        model, lifetime, is_exponential = learner.core.model, learner.settings.lifetime, learner.settings.learns
        trees = [
            _Tree.of(arrays, b, queries, model, lifetime, is_exponential).pruned() for b in range(learner.core.n_trees)
        ]
        sizes = np.array([tree.gained.size for tree in trees])
        first = np.cumsum(sizes) - sizes
        shifted = [
            np.where(tree.children < 0, NO_CHILD, at + tree.children) for tree, at in zip(trees, first, strict=True)
        ]
        children, levels, order, begin = np.concatenate(shifted), [], [first], 0
        for parents in inner_levels(children, first):
            inner = np.flatnonzero(children[order[-1], 0] >= 0)
            end = begin + order[-1].size
            levels.append((begin + inner, slice(end, end + 2 * inner.size)))
            order.append(children[parents].ravel())
            begin = end
        places = np.concatenate(order)
        rank = np.empty_like(places)
        rank[places] = np.arange(places.size)
        gained, precision, counted = (
            np.concatenate([getattr(tree, name) for tree in trees])[places]
            for name in ("gained", "precision", "counted")
        )
        return cls(
            levels, gained, precision, counted, rank[first[:, None] + np.stack([tree.leaf_of for tree in trees])]
        )

    def gains(self, precision: Floats, noise: Floats | float) -> Floats:
        """By how much the variances that count fall if a label of this noise were added to each leaf.

        Leaves have labels of this precision now. Of nodes that are no leaves, the same of a label of their means.
        """
        messages, counted, kept = precision.copy(), self.counted.copy(), np.empty_like(precision)
        variance, outside = np.empty_like(precision), np.zeros_like(precision)
        for inner, below in self.levels[::-1]:
            kept[below] = 1.0 / (1.0 + messages[below] * self.gained[below])
            messages[inner] = _of_both(messages[below] * kept[below]).sum(axis=1)
            counted[inner] = _of_both(counted[below] * kept[below] ** 2).sum(axis=1)
        roots = slice(self.leaf_of.shape[0])
        variance[roots] = self.gained[roots] / (1.0 + messages[roots] * self.gained[roots])
        for inner, below in self.levels:
            above, farther = np.repeat(variance[inner], 2), np.repeat(outside[inner], 2)
            of_sibling = _of_both(counted[below] * kept[below] ** 2)[:, ::-1].ravel()
            variance[below] = kept[below] * (self.gained[below] + kept[below] * above)
            outside[below] = kept[below] ** 2 * (farther + above**2 * of_sibling)
        found: Floats = (variance**2 * counted + outside) / (variance + noise)
        return found


class _Tree(NamedTuple):
    """One tree; nodes stand from the root down, left before right."""

    children: Numbers  # (nodes, 2); negative for leaves
    gained: Floats
    precision: Floats
    counted: Floats
    leaf_of: Numbers

    @classmethod
    def of(
        cls,
        arrays: Arrays,
        tree: int,
        queries: QueryRows,
        model: tuple[float, float],
        lifetime: float,
        is_exponential: bool,
    ) -> _Tree:
        kinds, _, times, rows_of = parts_of_tree(arrays, tree, arrays["rows.labels"].size - arrays["rows.freed"].size)
        is_inner, n, rows = kinds >= FIRST_COLUMN, kinds.size, np.concatenate(rows_of)
        children = np.column_stack(children_in_order(is_inner))
        time = np.full(n, lifetime)
        time[is_inner] = times
        rate, ratio = model
        # What a path gains after this time; differences of what it has gained until then would cancel.
        after = np.exp(-rate * time) if is_exponential else expit(-rate * time)
        before = np.full(n, 1.0 if is_exponential else 0.5)
        before[children[is_inner]] = after[is_inner, None]
        leaf = np.repeat(np.flatnonzero(~is_inner), [few.size for few in rows_of])
        number = arrays["rows.labels"][rows].astype(np.int64)
        has_label, leaf_of = number == 0, np.empty(queries.X.shape[0], dtype=np.int64)
        leaf_of[number[~has_label] - 1] = leaf[~has_label]
        weights = arrays["rows.weights"][rows] if arrays["rows.weights"].size else np.ones(rows.size)
        precision, counted = np.zeros((2, n))
        np.add.at(precision, leaf, ratio * weights * has_label)
        np.add.at(counted, leaf_of, queries.factors)
        return cls(children, before - after, precision, counted, leaf_of)

    def pruned(self) -> _Tree:
        """Make leaves of nodes without a query row below: what is there is not needed."""
        messages, is_needed = self.precision.copy(), np.zeros(self.gained.size, dtype=bool)
        is_needed[self.leaf_of] = True
        for inner in [*inner_levels(self.children, np.zeros(1, dtype=np.int64))][::-1]:
            below = self.children[inner]
            messages[inner] = (messages[below] / (1.0 + messages[below] * self.gained[below])).sum(axis=1)
            is_needed[inner] = is_needed[below].any(axis=1)
        is_inner, stays = is_needed & (self.children[:, 0] >= 0), np.zeros(self.gained.size, dtype=bool)
        stays[0], stays[self.children[is_inner]] = True, True
        place = np.cumsum(stays) - 1
        children = np.where(is_inner[:, None], place[self.children], NO_CHILD)[stays]
        precision = np.where(is_inner, 0.0, messages)[stays]
        return _Tree(children, self.gained[stays], precision, self.counted[stays], place[self.leaf_of])


def arrays_with_rows(learner: Any, X: Floats, n_threads: int) -> Arrays:
    """Return the trees with these rows too, as a file has them; labels are their numbers from 1 on, and 0 of others.

    Rows enter by free cuts: where cuts are keyed, some of these rows may let trees be grown anew, see `Domain`.
    """
    before, arrays = learner.core, learner.core.archive()
    weight = float(arrays["rows.weights"].sum()) if arrays["rows.weights"].size else float(before.n_rows)
    shape = learner.settings.shape(before.width, before.seed)
    window = shape["window"] and shape["window"] + X.shape[0]  # none goes
    core = _core.MomentsForest(**shape | {"window": window, "keyed": False, "close": False})
    if shape["keyed"]:  # a set has no order, and no history
        arrays = arrays | {"counters": np.array([0, 0, 1], dtype=np.uint64)}
        arrays |= {} if window else {"rows.arrival_order": arrays["rows.arrival_order"][:0]}
    unlabelled = {"rows.labels": np.zeros_like(arrays["rows.labels"]), "seen.labels": np.array([weight, 0.0, 0.0])}
    core.restore_own(without_summaries(arrays | unlabelled))
    numbers = np.arange(1.0, X.shape[0] + 1.0)
    for rows in pieces(X.shape[0], core.n_trees):
        core.learn(np.ascontiguousarray(X[rows]), numbers[rows], NO_WEIGHTS, n_threads)
    return dict(core.archive())


def _of_both(of_children: Floats) -> Floats:
    """Return numbers of children, a row a parent."""
    return of_children.reshape(-1, 2)
