"""Class probabilities of one tree, word for word by Lakshminarayanan (2016), chapter 5: plain recursion, slow."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad

GAUSS = np.polynomial.legendre.leggauss(24)


class SmoothedTree:
    """Counts by Algorithm 5.3, beliefs by equation 5.5, predictions by Algorithm 5.8.

    Equal rows are one customer. Where rows have weights, what a node says of a class is multiplied by the mean weight
    of its customers, in units of the mean over the whole forest, so that beliefs do not add up to one. A leaf keeps the
    share `leaf_discount` of what its discount could be; that is not in the document.
    """

    def __init__(self, root, features, labels, weights, rate, base, unit, leaf_discount=0.0):
        self.root, self.rate, self.base, self.unit = root, rate, np.asarray(base), unit
        self.leaf_discount = leaf_discount
        self.labels, self.weights = np.asarray(labels).astype(int), np.asarray(weights)
        self.features = np.asarray(features)
        self.counts: dict[int, np.ndarray] = {}
        self.masses: dict[int, np.ndarray] = {}
        self.beliefs: dict[int, np.ndarray] = {}
        self.parent_belief: dict[int, np.ndarray] = {}
        self._count(root)
        self._believe(root, self.base)

    def _count(self, node):
        if node.is_leaf:
            rows = node.rows
            places = {(*self.features[row].tolist(), self.labels[row]) for row in rows}
            counts = np.bincount([place[-1] for place in places], minlength=self.base.size)
            masses = np.bincount(self.labels[rows], self.weights[rows], self.base.size)
        else:
            self._count(node.left), self._count(node.right)
            counts = sum(np.minimum(self.counts[id(child)], 1) for child in (node.left, node.right))
            masses = self.mean_weights(node.left) + self.mean_weights(node.right)
        self.counts[id(node)], self.masses[id(node)] = counts, masses

    def mean_weights(self, node):
        """Of the customers of each class; 0 where there is none."""
        return self.masses[id(node)] / np.maximum(self.counts[id(node)], 1)

    def _smoothed(self, node, counts, discount, above):
        return smoothed(counts, discount, above, self.mean_weights(node) / self.unit)

    def _believe(self, node, above):
        discount = np.exp(-self.rate * (node.time - node.above))
        discount += self.leaf_discount * (1 - discount) if node.is_leaf else 0.0
        self.parent_belief[id(node)] = above
        self.beliefs[id(node)] = self._smoothed(node, self.counts[id(node)], discount, above)
        if not node.is_leaf:
            self._believe(node.left, self.beliefs[id(node)])
            self._believe(node.right, self.beliefs[id(node)])

    def leaf_belief(self, x):
        *_, leaf = self.root.path(x)
        return self.beliefs[id(leaf)]

    def predict(self, x):
        """The votes, and the probability that x never branches off."""
        found, stay = np.zeros(self.base.size), 1.0
        for node in self.root.path(x):
            outside, length = node.outside(x), node.time - node.above
            if outside > 0:
                tables = np.minimum(self.counts[id(node)], 1)
                discount = expected_discount(self.rate, outside, length)
                if node.is_leaf:
                    discount += self.leaf_discount * tables.sum() / self.counts[id(node)].sum() * (1 - discount)
                belief = self._smoothed(node, tables, discount, self.parent_belief[id(node)])
                found += stay * -np.expm1(-outside * length) * belief
                stay *= np.exp(-outside * length)
        return found + stay * self.beliefs[id(node)], stay


def smoothed(counts, discount, above, weights):
    """Equation 5.5, where customers of each class weigh so much."""
    tables = np.minimum(counts, 1)
    return ((counts - discount * tables) * weights + discount * tables.sum() * above) / counts.sum()


def normalised(votes):
    """Probabilities from votes of one tree, or from the mean over trees."""
    return votes / votes.sum()


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


def held_rows(stored):
    return np.delete(np.arange(stored.labels.size), stored.arrays["rows.freed"].astype(int))


def base_of(forest, stored):
    """The distribution above the root, from the rows that the file holds."""
    n_classes = len(forest.classes_)
    if forest.base == "uniform":
        return np.full(n_classes, 1 / n_classes)
    held = held_rows(stored)
    weights = np.bincount(stored.labels[held].astype(int), stored.weights[held], n_classes)
    return (weights + 1 / n_classes) / (weights.sum() + 1)


def smoothed_trees(forest, stored):
    rate = forest.discount * stored.features.shape[1]
    base, held = base_of(forest, stored), held_rows(stored)
    places = np.unique(np.column_stack([stored.features[held], stored.labels[held]]), axis=0)
    unit = stored.weights[held].sum() / len(places)
    rows = stored.features, stored.labels, stored.weights
    discount = forest._learner.labels.calibration.leaf_discount
    return [SmoothedTree(root, *rows, rate, base, unit, discount) for root in stored.plain_trees()]


def column_order(forest):
    """Class numbers in the order of `classes_`."""
    numbers = {label: number for number, label in enumerate(forest._classes.numbers)}
    return [numbers[label] for label in forest.classes_.tolist()]
