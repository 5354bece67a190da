"""Sums of trees and noise from the prior, labels given these, and the chains of BART given the labels.

Settings are given, not learned from the labels as `BARTRegressor` does: only then is a prior a prior. What runs is the
sampler of the models.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtr

from calibration.means import differences
from calibration.reference import draw_rows, draw_sum
from calibration.uniformity import rank
from hedgerow.bart._convergence import bulk_ess
from hedgerow.bart._moves import moves_for
from oracle.sums_of_trees import sampler

BASE, DECAY, DEVIATION = 0.95, 1.0, 0.7
NOISE_DF, NOISE_SCALE = 5.0, 0.5
VARYING = {"n_trees": 2, "leaf_shape": 2.5, "leaf_scale": 2.0, "floor": 0.0}
OFFSETS = {"normal": [0.0], "probit": [0.3], "classes": [0.3, 0.0, -0.4]}
UNIT = 2.0**-40
"""Of values of leaves and of utilities, where rows are few."""
N_ROWS, ROW, OTHER = 16, 0, 9
"""Of which two are looked at."""
DESIGN, STEPS_A_CHAIN, DIRECT_A_CHAIN = 11, 100, 20
"""Of the joint test: the seed of its rows, and how many direct draws there are for each chain."""
POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


@dataclass(frozen=True)
class Model:
    """What sums of trees stand for."""

    kind: str = "normal"
    n_trees: int = 3
    varies: bool = False
    weighted: bool = False


@dataclass(frozen=True)
class Case:
    """A sampler, a model for it, and how long chains must be for their draws to be nearly independent."""

    name: str
    sampler: str | dict
    model: Model
    thin: int
    n_burn_in: int

    def chain(self, X, y, weights, **more):
        """One chain given labels."""
        model = self.model
        moves, n_rounds = moves_for(self.sampler, model.n_trees, DECAY)
        settings = {"n_trees": model.n_trees, "base": BASE, "decay": DECAY, "leaf_deviation": DEVIATION}
        settings |= {"df": NOISE_DF, "scale": NOISE_SCALE, "kind": model.kind, "offsets": OFFSETS[model.kind]}
        settings |= {"varying": VARYING} if model.varies else {}
        return sampler(X, y, moves, n_rounds=n_rounds, weights=weights, **settings, **more)


NUMBERS, WEIGHTED, VARYING_NOISE = Model(), Model(weighted=True), Model(varies=True)
TWO_CLASSES, THREE_CLASSES = Model("probit"), Model("classes", n_trees=2)
CASES = [
    Case("auto", "auto", NUMBERS, 4, 40),
    Case("auto, weighted rows", "auto", WEIGHTED, 4, 40),
    Case("auto, 12 trees", "auto", Model(n_trees=12), 15, 100),
    Case("pg", "pg", NUMBERS, 40, 200),
    Case("pg, weighted rows", "pg", WEIGHTED, 40, 200),
    Case("cgm", "cgm", NUMBERS, 300, 2000),
    Case("grow_prune", "grow_prune", NUMBERS, 300, 2000),
    Case("perturb", {"grow_prune": 1, "perturb": 1}, NUMBERS, 100, 1000),
    Case("change, swap", {"grow_prune": 1, "change": 1, "swap": 1}, NUMBERS, 150, 1000),
    Case("heat_bath, exchange", {"grow_prune": 1, "heat_bath": 1, "exchange": 1}, NUMBERS, 100, 500),
    Case("graft", {"graft": 1}, NUMBERS, 150, 1000),
    Case("graft_alike", {"graft_alike": 1}, NUMBERS, 300, 2000),
    Case("subtree_pg", {"subtree_pg": 1, "rounds": 2}, NUMBERS, 15, 100),
    Case("varying noise, auto", "auto", VARYING_NOISE, 4, 40),
    Case("varying noise, pg", "pg", VARYING_NOISE, 40, 200),
    Case("varying noise, cgm", "cgm", VARYING_NOISE, 150, 1000),
    Case("varying noise, grow_prune", "grow_prune", VARYING_NOISE, 150, 1000),
    Case("two classes, auto", "auto", TWO_CLASSES, 3, 30),
    Case("two classes, pg", "pg", TWO_CLASSES, 25, 150),
    Case("two classes, cgm", "cgm", TWO_CLASSES, 100, 500),
    Case("two classes, grow_prune", "grow_prune", TWO_CLASSES, 100, 500),
    Case("three classes, auto", "auto", THREE_CLASSES, 2, 20),
    Case("three classes, pg", "pg", THREE_CLASSES, 25, 150),
    Case("three classes, cgm", "cgm", THREE_CLASSES, 80, 400),
    Case("three classes, grow_prune", "grow_prune", THREE_CLASSES, 80, 400),
]


class States(NamedTuple):
    """Draws of all that a model has: the first axis counts them."""

    sums: np.ndarray  # draws, sums, rows
    log_variances: np.ndarray  # draws, rows
    noise: np.ndarray  # draws: the root of the mean variance over rows
    n_splits: np.ndarray  # draws, columns: of all trees; at last, those in the wide gap of the first column
    log_likelihood: np.ndarray  # draws

    def at(self, row):
        """What a label depends on at a row: for several classes a difference of utilities, which have no level."""
        return self.sums[:, 0, row] - (self.sums[:, 1, row] if self.sums.shape[1] > 1 else 0.0)


def draw_prior(model, X, weights, rng):
    """One state and labels, independent of the library."""

    def normal(n):
        return DEVIATION * rng.normal(size=n)

    def log_factors(n):
        return np.log(VARYING["leaf_scale"] / rng.gamma(VARYING["leaf_shape"], size=n))

    found = [draw_sum(X, model.n_trees, BASE, DECAY, normal, rng) for _ in OFFSETS[model.kind]]
    sums, n_splits = np.array([total for total, _ in found]), sum(splits for _, splits in found)
    log_variances = np.full(len(X), np.log(NOISE_DF * NOISE_SCALE / rng.chisquare(NOISE_DF)))
    if model.varies:
        log_variances = log_variances + draw_sum(X, VARYING["n_trees"], BASE, DECAY, log_factors, rng)[0]
    y, _ = draw_labels(model, sums, log_variances, weights, rng)
    noise = np.sqrt(np.average(np.exp(log_variances), weights=weights if weights.size else None))
    states = (sums, log_variances, noise, n_splits, log_likelihood(model, sums, log_variances, y, weights))
    return States(*(np.array(part)[None] for part in states)), y


def draw_labels(model, sums, log_variances, weights, rng):
    """Labels given a state; for classes, utilities without their offsets too."""
    if model.kind == "normal":
        deviations = np.exp(0.5 * log_variances) / (np.sqrt(weights) if weights.size else 1.0)
        return sums[0] + deviations * rng.normal(size=sums.shape[1]), None
    utilities = sums + rng.normal(size=sums.shape)
    shifted = utilities + np.array(OFFSETS[model.kind])[:, None]
    y = shifted[0] > 0 if model.kind == "probit" else shifted.argmax(axis=0)
    return y.astype(float), utilities


def log_likelihood(model, sums, log_variances, y, weights):
    """Of labels given a state. A row of weight w counts as w rows."""
    if model.kind == "normal":
        squares = (y - sums[0]) ** 2 / np.exp(log_variances)
        return -0.5 * float(((np.log(2 * np.pi) + log_variances + squares) * (weights if weights.size else 1.0)).sum())
    shifted = sums + np.array(OFFSETS[model.kind])[:, None]
    if model.kind == "probit":
        return float(log_ndtr(np.where(y > 0.5, shifted[0], -shifted[0])).sum())
    own = shifted[y.astype(int), np.arange(y.size)]
    chances = [ndtr(POINTS[:, None] + own - other) for other in shifted]
    # The own class is among the others by a factor of Phi(t), which is taken out again.
    integrand = np.prod(chances, axis=0) / ndtr(POINTS)[:, None]
    return float(np.log(WEIGHTS @ integrand / np.sqrt(2 * np.pi)).sum())


def states_of(model, chain, X):
    """All draws of a chain."""
    notes, sums = chain.notes()[0], chain.predict(X, 1).transpose(1, 2, 0)
    constant = np.repeat(2.0 * np.log(notes[:, :1].clip(1e-300)), len(X), axis=1)
    log_variances = chain.predict_noise(X, 1)[:, :, 0].T if model.varies else constant
    return States(sums, log_variances, notes[:, 0], _n_splits(model, chain, X), notes[:, 1])


def _n_splits(model, chain, X):
    arrays = chain.archive()
    n_nodes = np.diff(arrays["chain0.draws.first_node"].astype(int))
    draw = np.repeat(np.arange(n_nodes.size), (n_nodes - model.n_trees * len(OFFSETS[model.kind])) // 2)
    in_gap = arrays["chain0.draws.rules"] == len(np.unique(X[:, 0])) - 2  # of the first column, the last cut
    return np.column_stack([chain.split_counts(), np.bincount(draw, in_gap, n_nodes.size)])


def quantities(model, states):
    """What is ranked, by name: an array each."""
    found = {"first row": states.at(ROW), "other row": states.at(OTHER)}
    if model.kind == "normal":
        found["noise"] = states.noise
    if model.varies:
        found["noise of a row"] = states.log_variances[:, ROW]
    return found | {"splits": states.n_splits[:, :3].sum(axis=1), "log likelihood": states.log_likelihood}


def draw_weights(model, rng):
    """Weights of mean one: only then do they count as many rows as there are, as a likelihood must."""
    if not model.weighted:
        return np.zeros(0)
    weights = rng.uniform(0.2, 2.0, size=N_ROWS)
    return weights / weights.mean()


def ranks(case, n_runs, n_draws, seed=0):
    """Simulation-based calibration (Talts et al. 2018): ranks of the truth among draws, by quantity.

    The log likelihood depends on the labels too, which finds samplers that ignore them (Modrák et al. 2023).
    """
    rng, model = np.random.default_rng(seed), case.model
    found: dict = {}
    for run in range(n_runs):
        X, weights = draw_rows(N_ROWS, rng), draw_weights(model, rng)
        truth, y = draw_prior(model, X, weights, rng)
        chain = case.chain(X, y, weights, seed=seed * 1_000_000 + run)
        chain.run(case.n_burn_in, 0, 1)
        chain.run(n_draws * case.thin, case.thin, 1)
        true, drawn = quantities(model, truth), quantities(model, states_of(model, chain, X))
        for name, values in drawn.items():
            found.setdefault(name, []).append(rank(true[name][0], values, rng))
    return {name: np.array(of_name) for name, of_name in found.items()}


def effective_share(case, n_runs, n_draws=100, seed=0):
    """Independent draws that a draw is worth: the median over labels of the least of all quantities."""
    rng, model, shares = np.random.default_rng(seed), case.model, []
    for run in range(n_runs):
        X, weights = draw_rows(N_ROWS, rng), draw_weights(model, rng)
        chain = case.chain(X, draw_prior(model, X, weights, rng)[1], weights, seed=run)
        chain.run(case.n_burn_in, 0, 1)
        chain.run(n_draws * case.thin, case.thin, 1)
        drawn = quantities(model, states_of(model, chain, X)).values()
        shares.append(np.nanmin([bulk_ess(values[None]) / n_draws for values in drawn]))
    return float(np.median(shares))


def features(model, states, y):
    """What Geweke's test compares the means of: functions of a state and its labels, by name."""
    first, other = states.at(ROW), states.at(OTHER)
    label = y[:, ROW] if model.kind == "normal" else (y[:, ROW] == 0) - 0.5
    found = {
        "f": first,
        "f^2": first**2,
        "f f'": first * other,
        "f y": first * label,
        "f' y": other * label,
        "splits": states.n_splits[:, :3].sum(axis=1),
        "splits^2": states.n_splits[:, :3].sum(axis=1) ** 2,
        "first column": states.n_splits[:, 0],
        "last column": states.n_splits[:, 2],
        "wide gap": states.n_splits[:, 3],
        "log likelihood": states.log_likelihood,
    }
    if model.kind == "normal":
        noise = states.log_variances
        found |= {
            "noise": noise[:, ROW],
            "noise^2": noise[:, ROW] ** 2,
            "noise noise'": noise[:, ROW] * noise[:, OTHER],
        }
    return found


def joint(case, n_chains, seed=0):
    """Geweke's (2004) joint distribution test: how means of features differ, by name, as (z, p).

    Chains start at draws from the prior and are independent, so the mean over a chain is one observation and its
    autocorrelation needs no estimate (as in Gandy and Scott 2020).
    """
    rng = np.random.default_rng(DESIGN)
    X, weights = draw_rows(N_ROWS, rng), draw_weights(case.model, rng)
    direct = _direct_draws(case.model, DIRECT_A_CHAIN * n_chains)
    chains = [_joint_chain(case, X, weights, seed * 1_000_000 + chain) for chain in range(n_chains)]
    means = {name: np.array([chain[name].mean() for chain in chains]) for name in direct}
    return differences(means, direct)


@lru_cache
def _direct_draws(model, n_draws):
    """The marginal-conditional simulator: features of independent draws."""
    rng = np.random.default_rng(DESIGN)
    X, weights = draw_rows(N_ROWS, rng), draw_weights(model, rng)
    drawn = [draw_prior(model, X, weights, rng) for _ in range(n_draws)]
    return features(model, _joined(state for state, _ in drawn), np.array([y for _, y in drawn]))


def _joint_chain(case, X, weights, seed):
    """The successive-conditional simulator: new labels, one sweep given these, and so on, from a draw of the prior.

    Each state with the labels that it was drawn given is a draw from the joint distribution, if the sampler is right.
    """
    rng, model = np.random.default_rng(seed), case.model
    begun = case.chain(X, np.zeros(len(X)), weights, seed=seed, start="prior").archive()
    chain = case.chain(X, np.zeros(len(X)), weights, seed=seed, arrays=_with_state_as_draw(begun))
    log_variances = np.log(NOISE_DF * NOISE_SCALE / rng.chisquare(NOISE_DF)) + np.zeros(len(X))
    if model.varies:
        log_variances += chain.predict_noise(X, 1)[:, -1, 0]
    found, labels = [], []
    for _ in range(STEPS_A_CHAIN):
        y, utilities = draw_labels(model, chain.predict(X, 1)[:, -1].T, log_variances, weights, rng)
        labels.append(y)
        arrays = _with_state_as_draw(chain.archive())
        if utilities is not None:
            arrays["chain0.state.utilities"] = np.round(utilities.ravel() / UNIT).astype(np.int64)
        chain = case.chain(X, y, weights, seed=seed, arrays=arrays)
        chain.run(1, 1, 1)
        found.append(States(*(part[-1:] for part in states_of(model, chain, X))))
        log_variances = found[-1].log_variances[0]
    return features(model, _joined(found), np.array(labels))


def _joined(states):
    return States(*(np.concatenate(parts) for parts in zip(*states, strict=True)))


def _with_state_as_draw(arrays):
    """A file of a chain whose only draw is the state that it is in."""
    arrays = dict(arrays)
    for prefix in ("chain0.", "chain0.noise."):
        if prefix + "state.shape" not in arrays:
            continue
        for part in ("shape", "rules"):
            arrays[f"{prefix}draws.{part}"] = arrays[f"{prefix}state.{part}"]
        arrays[prefix + "draws.values"] = (arrays[prefix + "state.values"] * UNIT).astype(np.float32)
        arrays[prefix + "draws.first_node"] = np.array([0, arrays[prefix + "state.counts"][0]], dtype=np.uint64)
    return arrays | {"chain0.draws.notes": np.zeros(4)}
