"""Sequential Monte Carlo for Bayesian trees in plain NumPy: Lakshminarayanan (2016), Algorithm 3.1.

Written to be read, and as a peer that shares no code with hedgerow: one Python call for each node of each particle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

from benchmarks.shared.data import Floats, Labels

Rows = npt.NDArray[np.intp]


@dataclass
class Model:
    """Rows, labels and hyper-parameters."""

    X: Floats
    y: Labels
    n_classes: int
    concentration: float = 5.0
    base: float = 0.95
    decay: float = 0.5

    def log_marginal(self, rows: Rows) -> float:
        """Return the Dirichlet-multinomial likelihood of the labels, equation (3.2)."""
        counts = np.bincount(self.y[rows], minlength=self.n_classes)
        share = self.concentration / self.n_classes
        constant = gammaln(self.concentration) - self.n_classes * gammaln(share)
        return float(constant + gammaln(counts + share).sum() - gammaln(rows.size + self.concentration))


@dataclass
class Particle:
    """A growing tree: splits and leaves by node number, and nodes that wait with their rows and depth."""

    waiting: list[tuple[int, Rows, int, float]]
    splits: dict[int, tuple[int, float, int]] = field(default_factory=dict)
    leaves: dict[int, Rows] = field(default_factory=dict)
    n_nodes: int = 1

    def copy(self) -> Particle:
        """Return a particle that may grow on its own."""
        return Particle(list(self.waiting), dict(self.splits), dict(self.leaves), self.n_nodes)

    def grow(self, model: Model, rng: np.random.Generator) -> float:
        """Decide the oldest node that waits, and return the logarithm of the likelihood ratio."""
        node, rows, depth, log_marginal = self.waiting.pop(0)
        block = model.X[rows]
        lower, upper = block.min(axis=0), block.max(axis=0)
        varying = np.flatnonzero(lower < upper)
        if varying.size == 0 or rng.random() >= model.base / (1 + depth) ** model.decay:
            self.leaves[node] = rows
            return 0.0
        feature = int(rng.choice(varying))
        location = float(rng.uniform(lower[feature], upper[feature]))
        goes_left = block[:, feature] <= location
        self.splits[node] = (feature, location, self.n_nodes)
        total = 0.0
        for side in (goes_left, ~goes_left):
            part = rows[side]
            value = model.log_marginal(part)
            self.waiting.append((self.n_nodes, part, depth + 1, value))
            self.n_nodes += 1
            total += value
        return total - log_marginal

    def probabilities(self, model: Model, X: Floats) -> Floats:
        """Return the class probabilities of each row."""
        found = np.empty((X.shape[0], model.n_classes))
        pending = [(0, np.arange(X.shape[0]))]
        while pending:
            node, inside = pending.pop()
            if node in self.leaves:
                counts = np.bincount(model.y[self.leaves[node]], minlength=model.n_classes)
                found[inside] = (counts + model.concentration / model.n_classes) / (counts.sum() + model.concentration)
                continue
            feature, location, left = self.splits[node]
            goes_left = X[inside, feature] <= location
            pending += [(left, inside[goes_left]), (left + 1, inside[~goes_left])]
        return found


def run_island(model: Model, n_particles: int, rng: np.random.Generator) -> tuple[list[Particle], Floats]:
    """Return the particles of one filter, and their weights."""
    rows = np.arange(model.y.size)
    root = (0, rows, 0, model.log_marginal(rows))
    particles = [Particle([root]) for _ in range(n_particles)]
    log_weights = np.full(n_particles, root[3])
    while any(particle.waiting for particle in particles):
        for c, particle in enumerate(particles):
            if particle.waiting:
                log_weights[c] += particle.grow(model, rng)
        weights = np.exp(log_weights - logsumexp(log_weights))
        if 1.0 / (weights**2).sum() < 0.1 * n_particles:
            chosen = rng.choice(n_particles, n_particles, p=weights / weights.sum())
            particles = [particles[c].copy() for c in chosen]
            log_weights[:] = logsumexp(log_weights) - math.log(n_particles)
    return particles, np.exp(log_weights - logsumexp(log_weights))


def fit(model: Model, n_particles: int, n_islands: int, seed: int) -> list[tuple[list[Particle], Floats]]:
    """Return the islands."""
    rng = np.random.default_rng(seed)
    return [run_island(model, n_particles // n_islands, rng) for _ in range(n_islands)]


def predict(model: Model, islands: list[tuple[list[Particle], Floats]], X: Floats) -> Floats:
    """Average over particles by weight, and over islands."""
    total = np.zeros((X.shape[0], model.n_classes))
    for particles, weights in islands:
        for particle, weight in zip(particles, weights, strict=True):
            total += weight / len(islands) * particle.probabilities(model, X)
    return total
