"""How well samplers of BART mix: Tables 4.1, 4.2, 4.4 and 4.5 of Lakshminarayanan (2016), and what they leave out.

The thesis ranks samplers by the effective sample size of the log-likelihood. A chain that is stuck in one place has a
high one, so R-hat between chains and the error on rows held back stand next to it.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np

from benchmarks.shared.data import Floats, Split
from hedgerow import BARTRegressor

STUCK = 0.3
"""Mean squared error on the rows of a hypercube, of noise 0.0001, above which a chain counts as stuck."""
CUBE_DECAYS = {2: 1.0, 3: 0.5, 4: 0.4, 5: 0.3, 7: 0.25}
"""split_decay for each dimension: Lakshminarayanan (2016), chapter 4, footnote 6."""


@dataclass(frozen=True)
class Mixing:
    """One sampler on one problem: medians over chains and data sets, R-hat the worst of the data sets."""

    data: str
    sampler: str
    start: str
    ess_log_likelihood: float
    ess_noise: float
    seconds: float
    r_hat_log_likelihood: float
    r_hat_noise: float
    r_hat_leaves: float
    n_leaves: float
    test_error: float
    n_stuck: int
    n_chains: int
    root_change_rate: float
    least_ess: float
    """Of log-likelihood and noise, over all data sets: the median chain's."""

    def __str__(self) -> str:
        return (
            f"{self.data}, {self.sampler} from {self.start}: ESS {self.ess_log_likelihood:.0f}, R-hat "
            f"{self.r_hat_log_likelihood:.2f}, test error {self.test_error:.3g}, {self.seconds:.2f} s a chain"
        )


def effective_size(draws: Floats) -> float:
    """Of one chain: Geyer's initial positive sequence."""
    centred = draws - draws.mean()
    n = centred.size
    spectrum = np.fft.rfft(centred, 2 * n)
    covariance = np.fft.irfft(spectrum * spectrum.conj())[:n]
    if covariance[0] <= 0.0:
        return 1.0
    pairs = (covariance / covariance[0])[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    total = 2.0 * pairs[: negative[0] if negative.size else None].sum() - 1.0
    return float(n / max(total, 1.0 / n))


def hypercube(dimension: int, seed: int) -> Split:
    """Ten rows about each corner of a cube, each corner with a value of its own: Lakshminarayanan (2016), 4.4.1."""
    rng = np.random.default_rng([dimension, seed])
    corners = np.stack(np.meshgrid(*[[-1.0, 1.0]] * dimension), axis=-1).reshape(-1, dimension)
    values = np.repeat(rng.normal(scale=3.0, size=len(corners)), 10)
    repeated = np.repeat(corners, 10, axis=0)
    X = repeated + rng.normal(scale=0.1, size=repeated.shape)
    y = values + rng.normal(scale=0.01, size=values.size)
    return Split(f"{dimension}", X, y, repeated + rng.normal(scale=0.1, size=repeated.shape), values)


def mix(name: str, sampler: str, sets: list[Split], start: str, n_chains: int = 4, **parameters: object) -> Mixing:
    """Fit some chains to each data set, one after another, and sum up how they did."""
    rows = []
    for seed, data in enumerate(sets):
        model = BARTRegressor(
            sampler=sampler, start=start, n_chains=n_chains, n_jobs=1, random_state=seed, **parameters
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # chains that disagree are what is measured here
            begin = time.process_time()
            model.fit(data.X, data.y)
            seconds = (time.process_time() - begin) / model.n_chains
        trace, found = model.trace_, model.diagnostics()
        by_chain = model.predict_draws(data.X).reshape(n_chains, -1, len(data.y)).mean(axis=1)
        tested = model.predict_draws(data.X_test).reshape(n_chains, -1, len(data.y_test)).mean(axis=1)
        ess = {key: np.median([effective_size(chain) for chain in trace[key]]) for key in ("log_likelihood", "noise")}
        rows.append(
            (
                ess["log_likelihood"],
                ess["noise"],
                seconds,
                found.r_hat["log_likelihood"],
                found.r_hat["noise"],
                found.r_hat["n_leaves"],
                found.mean["n_leaves"],
                np.median(((tested - data.y_test) ** 2).mean(axis=1)),
                (((by_chain - data.y) ** 2).mean(axis=1) > STUCK).sum(),
                found.root_change_rate,
            )
        )
    columns = np.array(rows, dtype=np.float64).T
    medians, worst = np.median(columns, axis=1), columns.max(axis=1)
    return Mixing(
        data=name,
        sampler=sampler,
        start=start,
        ess_log_likelihood=float(medians[0]),
        ess_noise=float(medians[1]),
        seconds=float(medians[2]),
        r_hat_log_likelihood=float(worst[3]),
        r_hat_noise=float(worst[4]),
        r_hat_leaves=float(worst[5]),
        n_leaves=float(medians[6]),
        test_error=float(medians[7]),
        n_stuck=int(columns[8].sum()),
        n_chains=n_chains * len(sets),
        root_change_rate=float(medians[9]),
        least_ess=float(columns[:2].min()),
    )
