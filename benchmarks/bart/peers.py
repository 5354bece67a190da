"""BART elsewhere: stochtree, bartz and PyMC-BART, asked for the same as ours."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.bart.mixing import effective_size
from benchmarks.shared.data import Floats, Split
from hedgerow import BARTRegressor

N_TREES, N_BURN_IN, N_DRAWS = 200, 200, 1000


@dataclass(frozen=True)
class Drawn:
    """Draws of the mean at test rows and of the noise, and the processor time that they took."""

    means: Floats
    noise: Floats
    seconds: float
    in_order: Floats | None = None
    """Draws of means at other rows in the order of the chain, where those at test rows come in none."""

    @property
    def ess_means(self) -> float:
        """Median over rows."""
        draws = self.means if self.in_order is None else self.in_order
        return float(np.median([effective_size(of_row) for of_row in draws.T]))

    @property
    def ess_noise(self) -> float:
        return effective_size(self.noise)

    def error(self, data: Split) -> float:
        """Root of the mean squared distance of the posterior mean from the true function."""
        return float(np.sqrt(((self.means.mean(axis=0) - data.y_test) ** 2).mean()))

    def coverage(self, data: Split) -> float:
        """Share of test rows whose true mean lies in the central 90 % of its draws."""
        low, high = np.quantile(self.means, [0.05, 0.95], axis=0)
        return float(((low <= data.y_test) & (data.y_test <= high)).mean())


Contestant = Callable[[Split, int], Drawn]


def ours(sampler: str) -> Contestant:
    """Return our sampler of this name as a contestant."""

    def draw(data: Split, seed: int) -> Drawn:
        model = BARTRegressor(
            N_TREES, sampler=sampler, n_chains=1, n_draws=N_DRAWS, n_burn_in=N_BURN_IN, n_jobs=1, random_state=seed
        )
        begin = time.process_time()
        model.fit(data.X, data.y)
        means = model.predict_draws(data.X_test)
        return Drawn(means, model.noise_draws_[0], time.process_time() - begin)

    return draw


def stochtree(data: Split, seed: int) -> Drawn:
    """One chain of local moves, from single leaves, one thread; test rows predicted on the way."""
    from stochtree import BARTModel

    model = BARTModel()
    begin = time.process_time()
    model.sample(
        X_train=data.X,
        y_train=data.y,
        X_test=data.X_test,
        num_gfr=0,
        num_burnin=N_BURN_IN,
        num_mcmc=N_DRAWS,
        general_params={"random_seed": seed + 1, "num_threads": 1},
        mean_forest_params={"num_trees": N_TREES},
    )
    seconds = time.process_time() - begin
    return Drawn(np.asarray(model.y_hat_test).T, np.sqrt(np.asarray(model.global_var_samples)), seconds)


def bartz(data: Split, seed: int) -> Drawn:
    """One chain of local moves to all trees at once, by JAX; test rows predicted on the way, compiled beforehand."""
    from bartz.BART import gbart

    options = {"x_test": data.X_test, "ntree": N_TREES, "nskip": N_BURN_IN, "ndpost": N_DRAWS, "printevery": None}
    np.asarray(gbart(data.X, data.y, seed=seed + 1000, **options).yhat_test)  # compiles
    begin = time.process_time()
    model = gbart(data.X, data.y, seed=seed, **options)
    means, noise = np.asarray(model.yhat_test), np.asarray(model.sigma)[-N_DRAWS:]
    return Drawn(means, noise, time.process_time() - begin)


def pymc_bart(data: Split, seed: int) -> Drawn:
    """One chain of its particle sampler; the time to predict test rows counts, that to compile does not.

    It predicts new rows with trees drawn anew from those that it has kept, so only means of learned rows tell how the
    chain mixes: one row in four is followed.
    """
    import pymc as pm
    import pymc_bart as pmb

    with pm.Model() as model:
        rows = pm.Data("rows", data.X)
        noise = pm.HalfNormal("noise", 5.0)
        mean = pmb.BART("mean", rows, data.y, m=N_TREES)
        pm.Normal("label", mean, noise, observed=data.y, shape=mean.shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            options = {"chains": 1, "cores": 1, "progressbar": False, "compute_convergence_checks": False}
            pm.sample(draws=2, tune=2, random_seed=seed, **options)  # compiles
            begin = time.process_time()
            trace = pm.sample(draws=N_DRAWS, tune=N_BURN_IN, random_seed=seed, **options)
            pm.set_data({"rows": data.X_test})
            told = pm.sample_posterior_predictive(
                trace, var_names=["mean"], random_seed=seed, progressbar=False, predictions=True
            )
            seconds = time.process_time() - begin
    del model
    learned = trace.posterior["mean"].to_numpy()[0, :, ::4]
    return Drawn(told.predictions["mean"].to_numpy()[0], trace.posterior["noise"].to_numpy()[0], seconds, learned)


PEERS: dict[str, Contestant] = {"stochtree": stochtree, "bartz": bartz, "pymc-bart": pymc_bart}
"""By the name of the library."""
