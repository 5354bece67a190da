"""Class probabilities of one tree by document 004, chapter 5, word for word: dense vectors, plain recursion, slow."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad

GAUSS = np.polynomial.legendre.leggauss(24)


class SmoothedTree:
    """Counts by Algorithm 5.3, beliefs by equation 5.5, predictions by Algorithm 5.8."""

    def __init__(self, root, labels, weights, rate, base):
        self.root, self.rate, self.base = root, rate, np.asarray(base)
        self.labels, self.weights = np.asarray(labels).astype(int), np.asarray(weights)
        self.counts: dict[int, np.ndarray] = {}
        self.beliefs: dict[int, np.ndarray] = {}
        self.parent_belief: dict[int, np.ndarray] = {}
        self._count(root)
        self._believe(root, self.base)

    def _count(self, node):
        if node.is_leaf:
            counts = np.bincount(self.labels[node.rows], self.weights[node.rows], self.base.size)
        else:
            counts = np.minimum(self._count(node.left), 1) + np.minimum(self._count(node.right), 1)
        self.counts[id(node)] = counts
        return counts

    def _believe(self, node, above):
        discount = np.exp(-self.rate * (node.time - node.above))
        self.parent_belief[id(node)] = above
        self.beliefs[id(node)] = smoothed(self.counts[id(node)], discount, above)
        if not node.is_leaf:
            self._believe(node.left, self.beliefs[id(node)])
            self._believe(node.right, self.beliefs[id(node)])

    def leaf_belief(self, x):
        *_, leaf = self.root.path(x)
        return self.beliefs[id(leaf)]

    def predict(self, x):
        """The prediction, and the probability that x never branches off."""
        found, stay = np.zeros(self.base.size), 1.0
        for node in self.root.path(x):
            outside, length = node.outside(x), node.time - node.above
            if outside > 0:
                tables = np.minimum(self.counts[id(node)], 1)
                discount = expected_discount(self.rate, outside, length)
                belief = smoothed(tables, discount, self.parent_belief[id(node)])
                found += stay * -np.expm1(-outside * length) * belief
                stay *= np.exp(-outside * length)
        return found + stay * self.beliefs[id(node)], stay


def smoothed(counts, discount, above):
    """Equation 5.5."""
    tables = np.minimum(counts, 1)
    return (counts - discount * tables + discount * tables.sum() * above) / counts.sum()


def expected_discount(rate, outside, length):
    """Mean of exp(-rate * wait), the wait exponential with rate `outside` and cut off at `length`: by quadrature."""
    if length == 0:
        return 1.0
    scale = min(length, 1 / outside)
    end, hazard, decay = length / scale, outside * scale, rate * scale
    return _integral(hazard + decay, end) / _integral(hazard, end)


def _integral(rate, end):
    """Of exp(-rate t) over [0, end], in pieces short enough for quadrature to be exact."""
    if rate * end > 800:
        end = 800 / rate
    edges = np.linspace(0, end, int(np.ceil(rate * end / 4)) + 1)
    if edges.size < 2:
        edges = np.array([0.0, end])
    nodes, weights = GAUSS
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    return float(np.sum(half[:, None] * weights * np.exp(-rate * (middle[:, None] + half[:, None] * nodes))))


def by_adaptive_quadrature(rate, outside, length):
    """The same number by another road, to check the checker."""
    options = {"epsabs": 0, "epsrel": 1e-13, "limit": 500}
    above = quad(lambda t: np.exp(-(rate + outside) * t), 0, length, **options)[0]
    return above / quad(lambda t: np.exp(-outside * t), 0, length, **options)[0]


def base_of(forest, stored):
    """The distribution above the root, from the rows that the file holds."""
    n_classes = len(forest.classes_)
    if forest.base == "uniform":
        return np.full(n_classes, 1 / n_classes)
    held = np.delete(np.arange(stored.labels.size), stored.arrays["rows.freed"].astype(int))
    weights = np.bincount(stored.labels[held].astype(int), stored.weights[held], n_classes)
    return (weights + 1 / n_classes) / (weights.sum() + 1)


def smoothed_trees(forest, stored):
    rate = forest.discount * stored.features.shape[1]
    base = base_of(forest, stored)
    return [SmoothedTree(root, stored.labels, stored.weights, rate, base) for root in stored.plain_trees()]


def column_order(forest):
    """Class numbers in the order of `classes_`."""
    numbers = {label: number for number, label in enumerate(forest._classes.numbers)}
    return [numbers[label] for label in forest.classes_.tolist()]
