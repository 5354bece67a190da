"""Single trees from the prior, labels given these, and the particle filters and chains of Bayesian trees.

Leaves have parameters, mean and variance or probabilities of classes, which the samplers integrate out; here they are
drawn, given a tree, from their conjugate posterior.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, logsumexp

from calibration.means import differences
from calibration.reference import draw_leaves, draw_rows
from calibration.uniformity import rank
from hedgerow import _core
from hedgerow.bayesian._settings import ClassLeaves, RealLeaves

BASE, DECAY = 0.95, 1.0
NO_COLUMN = 2**32 - 1
N_ROWS, ROW, OTHER = 10, 0, 7
DESIGN, FEW_ROWS, FEW_PARTICLES, DIRECT_A_RUN = 11, 8, 10, 4
"""Of the joint test: the seed of its rows, their number, particles of an island, direct draws for each filter."""
N_KNOWN = 400
"""Trees whose mixture its labels are drawn from."""
WORK = 10**9


class Numbers:
    """Labels of a leaf are normal with a mean and a variance of its own: normal-inverse-gamma."""

    mean, mean_weight, df, scale = 0.5, 0.4, 6.0, 0.3
    sampler = _core.RealTreeSampler

    def core(self):
        return RealLeaves(self.mean, self.mean_weight, self.df, self.scale).core(100)

    def posterior(self, labels):
        """Location, weight, degrees of freedom and sum of squares, given the labels of a leaf."""
        n, weight = len(labels), self.mean_weight + len(labels)
        location = (self.mean_weight * self.mean + np.sum(labels)) / weight
        spread = np.sum((labels - np.mean(labels)) ** 2) if n else 0.0
        shift = self.mean_weight * n / weight * (np.mean(labels) - self.mean) ** 2 if n else 0.0
        return location, weight, self.df + n, self.df * self.scale + spread + shift

    def draw_leaf(self, labels, rng):
        """Mean and variance given labels."""
        location, weight, df, squares = self.posterior(np.asarray(labels))
        variance = squares / rng.chisquare(df)
        return location + np.sqrt(variance / weight) * rng.normal(), variance

    def draw_label(self, leaf, rng):
        return leaf[0] + np.sqrt(leaf[1]) * rng.normal()

    def log_marginal(self, labels):
        _, weight, df, squares = self.posterior(labels)
        prior = self.df * self.scale
        return float(
            gammaln(0.5 * df)
            - gammaln(0.5 * self.df)
            + 0.5 * self.df * np.log(prior)
            - 0.5 * df * np.log(squares)
            - 0.5 * len(labels) * np.log(np.pi)
            + 0.5 * np.log(self.mean_weight / weight)
        )

    def expected(self, labels):
        """Mean of the leaf given its labels."""
        return self.posterior(labels)[0]

    def shown(self, label):
        return label


class Classes:
    """Labels of a leaf are classes with probabilities of its own: Dirichlet."""

    n_classes, concentration = 3, 2.0
    sampler = _core.ClassTreeSampler

    def core(self):
        return ClassLeaves(self.n_classes, self.concentration).core(100)

    def weights(self, labels):
        counts = np.bincount(np.asarray(labels, dtype=int), minlength=self.n_classes)
        return counts + self.concentration / self.n_classes

    def draw_leaf(self, labels, rng):
        return rng.dirichlet(self.weights(labels))

    def draw_label(self, leaf, rng):
        return float(rng.choice(self.n_classes, p=leaf))

    def log_marginal(self, labels):
        weights, share = self.weights(labels), self.concentration / self.n_classes
        total = gammaln(self.concentration) - gammaln(self.concentration + len(labels))
        return float(total + (gammaln(weights) - gammaln(share)).sum())

    def expected(self, labels):
        return self.weights(labels)[0] / (self.concentration + len(labels))

    def shown(self, label):
        return float(label == 0)


@dataclass(frozen=True)
class Case:
    """A sampler, and labels for it."""

    name: str
    labels: Numbers | Classes = field(default_factory=Numbers)
    settings: dict | None = None
    n_particles: int = 2000
    thin: int = 300
    n_islands: int = 1

    @property
    def is_filter(self):
        return self.settings is not None

    def trees(self, X, y, seed, n_kept):
        """Archive of weighted trees: those of a filter with so many particles, or kept of a chain."""
        shared = {"model": self.labels.core(), "prior": _core.TreePrior(BASE, DECAY), "seed": seed, "n_threads": 1}
        given = (X, y, np.zeros(0))
        if self.is_filter:
            made = self.labels.sampler.filter(
                *given, **self._growth(), n_particles=n_kept, n_islands=self.n_islands, **shared
            )
        else:
            n_burn_in = 10 * self.thin
            steps = {"n_steps": n_burn_in + n_kept * self.thin, "n_burn_in": n_burn_in}
            made = self.labels.sampler.chain(*given, **steps, n_kept=n_kept, n_chains=1, **shared)
        while not made.is_finished:
            made.work(WORK, 1)
        return made.trees().archive()

    def _growth(self):
        chosen = {"proposal": "prior", "expansion": "node", "resampling": "multinomial", "max_features": 0}
        chosen |= {"ess_threshold": 0.5} | self.settings
        proposal, expansion = getattr(_core.Proposal, chosen["proposal"]), getattr(_core.Expansion, chosen["expansion"])
        resampling = getattr(_core.Resampling, chosen["resampling"])
        return {
            "growth": _core.TreeGrowth(proposal, expansion, chosen["max_features"]),
            "schedule": _core.Schedule(resampling, chosen["ess_threshold"]),
        }


FILTERS = {
    "smc, prior": {},
    "smc, prior, layer": {"expansion": "layer"},
    "smc, prior, systematic": {"resampling": "systematic", "ess_threshold": 0.9},
    "smc, empirical": {"proposal": "empirical"},
    "smc, empirical, layer, systematic": {"proposal": "empirical", "expansion": "layer", "resampling": "systematic"},
    "smc, optimal": {"proposal": "optimal", "ess_threshold": 0.9},
    "smc, optimal, layer": {"proposal": "optimal", "expansion": "layer"},
    "smc, optimal, one column": {"proposal": "optimal", "max_features": 1, "ess_threshold": 0.9},
}
CASES = [
    *(Case(name, Numbers(), settings) for name, settings in FILTERS.items()),
    Case("smc, prior, five islands", Numbers(), {}, n_particles=5000, n_islands=5),
    Case("cgm", Numbers()),
    *(Case(f"{name}, classes", Classes(), settings) for name, settings in FILTERS.items()),
    Case("smc, prior, five islands, classes", Classes(), {}, n_particles=5000, n_islands=5),
    Case("cgm, classes", Classes()),
]


def draw_prior(model, X, rng):
    """The leaf of each row, what leaves have, and labels."""
    leaf, _ = draw_leaves(X, BASE, DECAY, rng)
    has = [model.draw_leaf([], rng) for _ in range(leaf.max() + 1)]
    return leaf, has, np.array([model.draw_label(has[k], rng) for k in leaf])


def log_marginal(model, leaf, y):
    """Of all labels, given a tree."""
    return sum(model.log_marginal(y[leaf == k]) for k in range(leaf.max() + 1))


def leaves_of(arrays, X, chosen):
    """The leaf of each row, numbered without gaps, in some trees of an archive."""
    begins = arrays["trees.first_node"].astype(int)
    features, links = arrays["nodes.feature"].tolist(), arrays["nodes.link"].tolist()
    locations, rows = arrays["nodes.location"].tolist(), X.tolist()
    for begin in begins[chosen]:
        numbers: dict = {}
        leaf = []
        for row in rows:
            node = begin
            while features[node] != NO_COLUMN:
                node = begin + links[node] + (row[features[node]] > locations[node])
            leaf.append(numbers.setdefault(node, len(numbers)))
        yield np.array(leaf)


def quantities(model, leaf, has, y):
    """What is ranked, of a tree and what its leaves have."""
    first = has[leaf[ROW]]
    found = {"first row": first[0], "other row": has[leaf[OTHER]][1], "leaves": leaf.max() + 1}
    return found | {"log likelihood": round(log_marginal(model, leaf, y), 9)}


def ranks(case, n_runs, n_draws, seed=0):
    """Simulation-based calibration: ranks of the truth among trees drawn by their weights, by quantity."""
    rng, model = np.random.default_rng(seed), case.labels
    found: dict = {}
    for run in range(n_runs):
        X = draw_rows(N_ROWS, rng)
        leaf, has, y = draw_prior(model, X, rng)
        arrays = case.trees(X, y, seed * 1_000_000 + run, case.n_particles if case.is_filter else n_draws)
        weights = arrays["trees.weight"]
        if case.is_filter:
            chosen = rng.choice(weights.size, n_draws, p=weights / weights.sum())
        else:
            chosen = np.repeat(np.arange(weights.size), np.round(weights * n_draws).astype(int))
        drawn = []
        for tree in leaves_of(arrays, X, chosen):
            of_leaves = [model.draw_leaf(y[tree == k], rng) for k in range(tree.max() + 1)]
            drawn.append(quantities(model, tree, of_leaves, y))
        for name, true in quantities(model, leaf, has, y).items():
            found.setdefault(name, []).append(rank(true, [each[name] for each in drawn], rng))
    return {name: np.array(of_name) for name, of_name in found.items()}


def evidence_variance(case, n_runs, n_islands=20, seed=0):
    """Relative variance of an island's evidence, the mean over labels: a filter's bias is of this order."""
    rng, found = np.random.default_rng(seed), []
    many = replace(case, n_islands=n_islands)
    for run in range(n_runs):
        X = draw_rows(N_ROWS, rng)
        y = draw_prior(case.labels, X, rng)[2]
        arrays = many.trees(X, y, run, n_islands * case.n_particles // case.n_islands)
        evidence = np.exp(arrays["islands.log_evidence"] - arrays["islands.log_evidence"].max())
        found.append(evidence.var(ddof=1) / evidence.mean() ** 2)
    return float(np.mean(found))


def features(model, leaf, y):
    """What the joint test compares the means of: functions of a tree and labels, by name."""
    n_leaves = leaf.max() + 1
    expected = model.expected(y[leaf == leaf[ROW]])
    return {
        "evidence": 1.0,
        "leaves": n_leaves,
        "leaves^2": n_leaves**2,
        "together": float(leaf[ROW] == leaf[-1]),
        "label": model.shown(y[ROW]),
        "mean label": model.shown(y[ROW]) * expected,
        "mean other": model.shown(y[-1]) * expected,
        "log likelihood": log_marginal(model, leaf, y),
    }


class Mixture:
    """Labels that are drawn given one of some known trees, and their density."""

    def __init__(self, model, X, rng):
        self.model = model
        self.trees = [draw_leaves(X, BASE, DECAY, rng)[0] for _ in range(N_KNOWN)]
        parts = [[tuple(np.flatnonzero(leaf == k)) for k in range(leaf.max() + 1)] for leaf in self.trees]
        self.blocks = sorted({block for tree in parts for block in tree})
        number = {block: i for i, block in enumerate(self.blocks)}
        self.has = np.zeros((N_KNOWN, len(self.blocks)))
        for tree, of_tree in enumerate(parts):
            self.has[tree, [number[block] for block in of_tree]] = 1.0

    def draw(self, rng):
        leaf = self.trees[rng.integers(N_KNOWN)]
        leaves = [self.model.draw_leaf([], rng) for _ in range(leaf.max() + 1)]
        return np.array([self.model.draw_label(leaves[k], rng) for k in leaf])

    def log_density(self, y):
        marginals = np.array([self.model.log_marginal(y[list(block)]) for block in self.blocks])
        return float(logsumexp(self.has @ marginals) - np.log(N_KNOWN))


def joint(case, n_runs, seed=0):
    """Geweke's (2004) joint distribution test for filters: how means of features differ, by name, as (z, p).

    A filter is no Markov chain, so in place of new labels given the last tree there are labels from a known density.
    Evidence over density times the mean of a feature over weighted trees is unbiased for its mean over the joint
    distribution, whatever the number of particles: each run is one such observation.
    """
    rng, model = np.random.default_rng(DESIGN), case.labels
    X = draw_rows(FEW_ROWS, rng)
    mixture, runs = Mixture(model, X, rng), []
    for run in range(n_runs):
        y = mixture.draw(rng)
        arrays = case.trees(X, y, seed * 1_000_000 + run, FEW_PARTICLES * case.n_islands)
        weights = arrays["trees.weight"]
        island = ((weights.cumsum() - 0.5 * weights) * case.n_islands).astype(int)
        shares = weights * np.exp(arrays["islands.log_evidence"][island] - mixture.log_density(y))
        of_trees = [features(model, leaf, y) for leaf in leaves_of(arrays, X, np.arange(weights.size))]
        runs.append({name: shares @ [each[name] for each in of_trees] for name in of_trees[0]})
    direct = _direct_draws(type(model), DIRECT_A_RUN * n_runs)
    return differences({name: [each[name] for each in runs] for name in direct}, direct)


@lru_cache
def _direct_draws(kind, n_draws):
    """Features of independent draws of a tree and labels."""
    rng, model = np.random.default_rng(DESIGN), kind()
    X = draw_rows(FEW_ROWS, rng)
    found = [features(model, leaf, y) for leaf, _, y in (draw_prior(model, X, rng) for _ in range(n_draws))]
    return {name: np.array([each[name] for each in found]) for name in found[0]}
