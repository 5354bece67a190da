"""The hierarchical Gaussian of one tree as one dense Gaussian: slow, and too simple to be wrong.

Two means have the covariance that their common way from the root has gathered,
Cov(mu_i, mu_j) = gamma_1 (sigma(gamma_2 t) - 1/2), where t is the time of their last common ancestor; or, by the clock
that hyperparameters="learned" goes by, gamma_1 (1 - exp(-gamma_2 t)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad
from scipy.special import expit


@dataclass
class Hyperparameters:
    prior_mean: float
    drift_variance: float
    drift_rate: float
    noise_variance: float
    exponential: bool = False

    @classmethod
    def of(cls, forest):
        numbers = forest.prior_mean_, forest.drift_variance_, forest.drift_rate_, forest.noise_variance_
        return cls(*numbers, forest.hyperparameters == "learned")

    def gathered(self, time: float) -> float:
        if self.exponential:
            return -self.drift_variance * np.expm1(-self.drift_rate * time)
        return self.drift_variance * (expit(self.drift_rate * time) - 0.5)


class DenseTree:
    """Joint Gaussian of the means at all nodes of a tree and of the labels of its rows."""

    def __init__(self, root, labels, weights, hyper: Hyperparameters, lifetime: float):
        self.hyper, self.lifetime = hyper, lifetime
        self.nodes = list(root.preorder())
        self.place = {id(node): i for i, node in enumerate(self.nodes)}
        self.rows = [row for node in self.nodes if node.is_leaf for row in node.rows]
        self.leaf_of_row = [i for i, node in enumerate(self.nodes) if node.is_leaf for _ in node.rows]
        self.ancestors = {}
        self._climb(root, [])
        self.prior = np.array([[hyper.gathered(self._meeting_time(i, j)) for j in range(len(self.nodes))]
                               for i in range(len(self.nodes))])  # fmt: skip
        self.y = np.asarray(labels)[self.rows]
        self.w = np.asarray(weights)[self.rows]
        # N(y; mu, s)^w is, as a function of mu, proportional to N(y; mu, s / w).
        among_labels = self.prior[np.ix_(self.leaf_of_row, self.leaf_of_row)]
        self.label_covariance = among_labels + np.diag(hyper.noise_variance / self.w)

    def _climb(self, node, above):
        chain = [*above, self.place[id(node)]]
        self.ancestors[self.place[id(node)]] = chain
        if not node.is_leaf:
            self._climb(node.left, chain)
            self._climb(node.right, chain)

    def _meeting_time(self, i, j):
        common = [a for a, b in zip(self.ancestors[i], self.ancestors[j], strict=False) if a == b]
        return self.nodes[common[-1]].time

    def condition(self, covariance_with_nodes, own_variance):
        """Posterior mean and variance of a Gaussian with these prior covariances with the nodes' means."""
        cross = np.asarray(covariance_with_nodes)[self.leaf_of_row]
        gain = np.linalg.solve(self.label_covariance, cross)
        return self.hyper.prior_mean + gain @ (self.y - self.hyper.prior_mean), own_variance - gain @ cross

    def without(self, row, others=()):
        """Posterior of the mean of a row's leaf when its label is struck out, and those of others with it."""
        kept = [k for k in range(len(self.rows)) if self.rows[k] != row and self.rows[k] not in others]
        leaf = self.leaf_of_row[self.rows.index(row)]
        if not kept:
            return self.hyper.prior_mean, self.prior[leaf, leaf]
        cross = self.prior[leaf][[self.leaf_of_row[k] for k in kept]]
        gain = np.linalg.solve(self.label_covariance[np.ix_(kept, kept)], cross)
        return self.hyper.prior_mean + gain @ (self.y - self.hyper.prior_mean)[kept], self.prior[
            leaf, leaf
        ] - gain @ cross

    def belief(self, node):
        i = self.place[id(node)]
        return self.condition(self.prior[i], self.prior[i, i])

    def branch_belief(self, node, time):
        """Of a new leaf whose way parts, at `time`, from the edge that ends in `node`."""
        i = self.place[id(node)]
        below = {j for j, chain in self.ancestors.items() if i in chain}
        shared = [self.hyper.gathered(time if j in below else self._meeting_time(i, j)) for j in range(len(self.nodes))]
        return self.condition(shared, self.hyper.gathered(self.lifetime))

    def components(self, x):
        """Weights, means and variances of the predictive mixture at x (forest units)."""
        found, stay = [], 1.0
        for node in self.nodes[0].path(x):
            outside = node.outside(x)
            if outside > 0:
                length = node.time - node.above
                leaving = -stay * np.expm1(-outside * length)
                expected, _ = self.branch_belief(node, node.above + expected_wait(outside, length))
                quartiles = [
                    self.branch_belief(node, node.above + wait_quantile(p, outside, length)) for p in QUARTILES
                ]
                middle = np.mean([mean for mean, _ in quartiles])
                for mean, variance in quartiles:
                    found.append((0.5 * leaving, expected + mean - middle, variance + self.hyper.noise_variance))
                stay *= np.exp(-outside * length)
        mean, variance = self.belief(node)
        found.append((stay, mean, variance + self.hyper.noise_variance))
        return tuple(np.array(part) for part in zip(*found, strict=True))

    def log_evidence(self):
        noise = self.hyper.noise_variance
        gap = self.y - self.hyper.prior_mean
        sign, log_determinant = np.linalg.slogdet(2 * np.pi * self.label_covariance)
        assert sign == 1
        power = -0.5 * self.w * np.log(2 * np.pi * noise) + 0.5 * np.log(2 * np.pi * noise / self.w)
        return -0.5 * (log_determinant + gap @ np.linalg.solve(self.label_covariance, gap)) + power.sum()


QUARTILES = (0.25, 0.75)


def wait_quantile(probability: float, rate: float, length: float) -> float:
    """Quantile of an exponential waiting time, given that it is at most `length`."""
    return -np.log1p(probability * np.expm1(-rate * length)) / rate


def expected_wait(rate: float, length: float) -> float:
    """Mean of an exponential waiting time, given that it is at most `length`, by quadrature."""
    if np.isinf(length) or rate * length > 700:
        return 1 / rate
    # In units of the length or of 1 / rate, whichever is shorter, the integrand is smooth.
    scale = min(length, 1 / rate)
    hazard, end = rate * scale, length / scale
    points = [p for p in (1.0, 5.0, 20.0, 40.0) if p < end] or None
    options = {"epsabs": 0, "epsrel": 1e-13, "limit": 500, "points": points}
    above = quad(lambda t: t * np.exp(-hazard * t), 0, end, **options)[0]
    below = quad(lambda t: np.exp(-hazard * t), 0, end, **options)[0]
    return scale * above / below
