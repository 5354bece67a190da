"""What can be seen of each tree of a classifier: its shape, and the probabilities that it alone gives."""

from __future__ import annotations

import numpy as np

from hedgerow import MondrianForestClassifier
from paper import paper_classifier
from statistical.comparison import N_TREES, TreeStatistics, compare_shapes


def class_forest(seed, **parameters) -> MondrianForestClassifier:
    """Many trees in the user's own units."""
    settings = {"scaling": "none", "prior_weight": 0, "discount": 1.0, **parameters}
    return paper_classifier(N_TREES, random_state=seed, **settings)


def marks(n):
    """Weights that tell rows apart, as labels do in regression; so near to 1 that no threshold is moved."""
    return 1 + np.arange(n) / 2**20


class ClassTreeStatistics(TreeStatistics):
    """Rows are told apart by their weights."""

    def row_names(self, stored):
        return stored.weights

    def predictions(self, X):
        """Probability of the first class, of each tree at each point."""
        votes = self.votes(X)
        return votes[:, :, 0] / votes.sum(axis=2)

    def votes(self, X):
        """Votes of each tree at each point, classes last: Algorithm 5.8 on all trees at once, with weights."""
        stored = self.stored
        leaves, rows = stored.leaf_rows()
        n_nodes, width = stored.tree.size, stored.features.shape[1]
        classes = len(self.model.classes_)
        counts, weights = np.zeros((n_nodes, classes)), np.zeros((n_nodes, classes))
        labels = stored.labels[rows].astype(int)
        np.add.at(weights, (leaves, labels), stored.weights[rows])
        places = np.unique(np.column_stack([leaves, labels, stored.features[rows]]), axis=0)
        np.add.at(counts, tuple(places[:, :2].astype(int).T), 1)
        weights /= np.maximum(counts, 1)
        unit = stored.weights[rows].sum() / len(places)
        lower, upper = np.full((n_nodes, width), np.inf), np.full((n_nodes, width), -np.inf)
        np.minimum.at(lower, leaves, stored.features[rows])
        np.maximum.at(upper, leaves, stored.features[rows])
        for nodes, _ in reversed(list(stored.levels())):
            inner = nodes[stored.is_inner[nodes]]
            left, right = stored.left[inner], stored.left[inner] + 1
            counts[inner] = np.minimum(counts[left], 1) + np.minimum(counts[right], 1)
            weights[inner] = (weights[left] + weights[right]) / np.maximum(counts[inner], 1)
            lower[inner], upper[inner] = np.minimum(lower[left], lower[right]), np.maximum(upper[left], upper[right])
        weights /= unit
        rate = self.model.discount * width
        found = []
        for x in stored.scaled(X):
            at, above = stored.roots.copy(), np.zeros(self.n_trees)
            belief, stay = np.full((self.n_trees, classes), 1 / classes), np.ones(self.n_trees)
            total, on_the_way = np.zeros((self.n_trees, classes)), np.ones(self.n_trees, dtype=bool)
            while on_the_way.any():
                length = self.time[at] - above
                outside = np.sum(np.maximum(lower[at] - x, 0) + np.maximum(x - upper[at], 0), axis=1)
                outside = np.where(on_the_way, outside, 0.0)
                with np.errstate(invalid="ignore", divide="ignore"):
                    pass_on = np.where(outside > 0, np.exp(-outside * length), 1.0)
                    wait = np.expm1(-(outside + rate) * length) / np.expm1(-outside * length)
                    discount = np.where(outside > 0, outside / (outside + rate) * wait, 0.0)
                tables = np.minimum(counts[at], 1)
                branched = _smoothed(tables, discount, belief, weights[at])
                total += np.where(on_the_way & (outside > 0), stay * (1 - pass_on), 0.0)[:, None] * branched
                stay = stay * pass_on
                own = _smoothed(counts[at], np.exp(-rate * np.where(on_the_way, length, 0.0)), belief, weights[at])
                belief = np.where(on_the_way[:, None], own, belief)
                arrived = on_the_way & stored.is_leaf[at]
                total += np.where(arrived, stay, 0.0)[:, None] * belief
                on_the_way &= ~arrived
                above = np.where(on_the_way, self.time[at], above)
                feature = np.where(on_the_way, stored.split_feature[at], 0)
                step = stored.left[at] + (x[feature] > stored.location[at])
                at = np.where(on_the_way, step, at)
            found.append(total[:, self.model._classes.order])
        return np.array(found)


def _smoothed(counts, discount, above, weights):
    tables = np.minimum(counts, 1)
    discount = discount[:, None]
    own = (counts - discount * tables) * weights
    return (own + discount * tables.sum(axis=1, keepdims=True) * above) / counts.sum(axis=1, keepdims=True)


def compare_class_laws(laws, one, other, queries):
    a, b = ClassTreeStatistics(one), ClassTreeStatistics(other)
    compare_shapes(laws, a, b)
    for k, (first, second) in enumerate(zip(a.predictions(queries), b.predictions(queries), strict=True)):
        laws.same_numbers(f"probability at point {k}", first, second)
