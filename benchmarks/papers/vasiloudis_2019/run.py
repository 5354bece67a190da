"""Vasiloudis and others (2019), by Burns' report: intervals of online forests, Figures 1 to 5 and Table 1."""

from __future__ import annotations

from benchmarks.papers.vasiloudis_2019.drift import drift
from benchmarks.papers.vasiloudis_2019.run_times import run_times, thresholds
from benchmarks.papers.vasiloudis_2019.small_sets import small_sets
from benchmarks.shared.page import Options, Page

INTRODUCTION = """\
Burns' report reproduces Vasiloudis, De Francisci Morales and Boström, *Quantifying Uncertainty in Online Regression \
Forests* (2019), in Python. This page reproduces his figures and his table. Each row is forecast, then learned.

The methods of the report are these settings, `base` being \
`OnlineForestRegressor(10, grace_period=50, split_confidence=0.01, split_test="hoeffding")`, which has the parameters \
of river's adaptive forest with mean leaves:

- CPExact: `OnlineConformalRegressor(base, mode="exact", calibration_size=1000, update_every=50)`
- CPApprox: `OnlineConformalRegressor(base, mode="approximate", calibration_size=1000)`
- OnlineQRF: `OnlineQuantileForestRegressor(base, sketch_size=200)`
- MondrianForest: `MondrianForestRegressor(10, hyperparameters="paper", smoothing="moments", scaling="none", \
min_samples_split=2, noise_variance=1e-12)`, mean and 1.645 standard deviations on either side

The last has the rules of scikit-garden, of which the report takes a fork: blocks are split down to single rows, and \
there is no noise.

Differences remain: conformal intervals take the score of rank ceil(0.9 (n + 1)) of n, not floor(0.9 n); children of a \
leaf inherit the targets of its rows instead of an empty sketch; the trees of OnlineQRF look for splits that separate \
spreads, too; rows before the first interval count as covered and \
have no size.

Two slips of the report are not followed. Its formula of the mean error rate counts rows *inside* the interval; text \
and figures mean rows outside. Its Algorithm 5 prints the lower quantile as alpha, where alpha/2 is meant."""


def run(page: Page, options: Options) -> None:
    """Small sets first, then the drift, then run times."""
    page.begin("Quantifying uncertainty in online regression forests", INTRODUCTION, "numpy")
    small = small_sets(page, options)
    n_rows, window = options.pick((8_000, 200), (1_000_000, 10_000))
    large = drift(page, n_rows, window, options.pick(1, 1, 3))
    run_times(page, small, large, n_rows, options.pick(200, 2_000))
    thresholds(page, options.pick(4_000, 100_000), (1, 10, 50, 200))
