"""Every decision tree on a handful of rows, with its prior probability and the likelihood of the labels.

Slow and obvious: the definition of Lakshminarayanan (2016), section 3.2, as a recursion. A tree is named by how it
splits the rows: ``("leaf", rows)`` or ``(feature, left, right)``. Where in a gap between two rows a cut lies changes no
label, so the location is integrated out; a query point in the gap goes left with the probability that the cut lies
beyond it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp
from scipy.stats import multivariate_t


def class_likelihood(n_classes, concentration):
    """Polya's urn, row by row: equation (3.2) as a product of predictive probabilities."""

    def log_marginal(labels):
        counts, total = np.zeros(n_classes), 0.0
        for label in labels:
            total += math.log((counts[int(label)] + concentration / n_classes) / (counts.sum() + concentration))
            counts[int(label)] += 1
        return total

    return log_marginal


def real_likelihood(mean, mean_weight, df, scale):
    """The labels of a leaf are jointly Student's t: mean and variance of the leaf integrated out."""

    def log_marginal(labels):
        n = len(labels)
        shape = scale * (np.eye(n) + np.full((n, n), 1.0 / mean_weight))
        return float(multivariate_t.logpdf(labels, np.full(n, mean), shape, df=df))

    return log_marginal


@dataclass
class Enumeration:
    """All trees on rows X with labels y."""

    X: np.ndarray
    y: np.ndarray
    log_marginal: Any
    base: float = 0.95
    decay: float = 0.5
    _marginals: dict = field(default_factory=dict)

    def marginal(self, rows):
        if rows not in self._marginals:
            self._marginals[rows] = self.log_marginal(self.y[list(rows)])
        return self._marginals[rows]

    def varying(self, rows):
        return [d for d in range(self.X.shape[1]) if np.ptp(self.X[list(rows), d]) > 0]

    def gaps(self, rows, feature):
        """Cuts along a feature: share of the range, ends of the gap, rows left and right of it."""
        values = np.unique(self.X[list(rows), feature])
        for lower, upper in pairwise(values):
            left = tuple(row for row in rows if self.X[row, feature] <= lower)
            right = tuple(row for row in rows if self.X[row, feature] > lower)
            yield (upper - lower) / (values[-1] - values[0]), (lower, upper), left, right

    def subtrees(self, rows, depth):
        """Yield (name, log prior) of every tree on these rows."""
        varying = self.varying(rows)
        if not varying:
            yield ("leaf", rows), 0.0
            return
        split = self.base / (1 + depth) ** self.decay
        yield ("leaf", rows), math.log1p(-split)
        for feature in varying:
            for share, _, left, right in self.gaps(rows, feature):
                rule = math.log(split * share / len(varying))
                rights = list(self.subtrees(right, depth + 1))
                for left_name, left_prior in self.subtrees(left, depth + 1):
                    for right_name, right_prior in rights:
                        yield (feature, left_name, right_name), rule + left_prior + right_prior

    def log_likelihood(self, name):
        if name[0] == "leaf":
            return self.marginal(name[1])
        return self.log_likelihood(name[1]) + self.log_likelihood(name[2])

    @cached_property
    def prior(self):
        return dict(self.subtrees(tuple(range(len(self.y))), 0))

    @cached_property
    def log_evidence(self):
        return float(logsumexp([prior + self.log_likelihood(name) for name, prior in self.prior.items()]))

    @cached_property
    def posterior(self):
        return {
            name: math.exp(prior + self.log_likelihood(name) - self.log_evidence) for name, prior in self.prior.items()
        }

    def predict(self, x, leaf_prediction):
        """Posterior mean of what the leaf of x predicts; ``leaf_prediction(labels)``."""
        return sum(p * self._at(name, x, leaf_prediction) for name, p in self.posterior.items())

    def _at(self, name, x, leaf_prediction):
        if name[0] == "leaf":
            return leaf_prediction(self.y[list(name[1])])
        feature, left, right = name
        lower = max(self.X[row, feature] for row in rows_of(left))
        upper = min(self.X[row, feature] for row in rows_of(right))
        goes_left = min(1.0, max(0.0, (upper - x[feature]) / (upper - lower)))
        total = 0.0
        if goes_left > 0:
            total = total + goes_left * self._at(left, x, leaf_prediction)
        if goes_left < 1:
            total = total + (1 - goes_left) * self._at(right, x, leaf_prediction)
        return total


def rows_of(name):
    """Rows below a node."""
    return name[1] if name[0] == "leaf" else tuple(sorted(rows_of(name[1]) + rows_of(name[2])))


def n_leaves(name):
    return 1 if name[0] == "leaf" else n_leaves(name[1]) + n_leaves(name[2])


def sampled_trees(model, X):
    """Names and weights of the trees of a fitted model, found by sending the rows down each of them."""
    arrays = model._learner.trees.archive()
    begins = arrays["trees.first_node"].astype(int)
    features, links = arrays["nodes.feature"].tolist(), arrays["nodes.link"].tolist()
    locations = arrays["nodes.location"].tolist()
    rows = X.tolist()

    def name(begin, node, inside):
        feature = features[begin + node]
        if feature == 2**32 - 1:
            return ("leaf", inside)
        location, link = locations[begin + node], links[begin + node]
        left = tuple(row for row in inside if rows[row][feature] <= location)
        right = tuple(row for row in inside if rows[row][feature] > location)
        assert left
        assert right
        return (feature, name(begin, link, left), name(begin, link + 1, right))

    everyone = tuple(range(len(rows)))
    found: dict = {}
    for begin, weight in zip(begins, arrays["trees.weight"], strict=False):
        key = name(begin, 0, everyone)
        found[key] = found.get(key, 0.0) + float(weight)
    return found


def log_gamma_form(counts, concentration):
    """Equation (3.2) as it is printed."""
    share = concentration / len(counts)
    return float(
        gammaln(concentration)
        - len(counts) * gammaln(share)
        + gammaln(np.asarray(counts) + share).sum()
        - gammaln(np.sum(counts) + concentration)
    )
