"""Which hyper-parameters the marginal likelihood and leave-one-out would choose."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.shared.data import Split, friedman, regression_sets
from benchmarks.shared.page import Options, Page
from hedgerow import MondrianForestRegressor

SETS = ("kin8nm", "cal_housing")
RATIOS, FACTORS = (2.0, 5.0, 20.0, 100.0, 2000.0), (1.0, 10.0)
MOST_TRAIN, MOST_TEST, N_TREES = 2000, 2000, 25
WORDS = """\
The paper sets its hyper-parameters by a heuristic, and says that one might maximise the marginal likelihood instead. \
hedgerow by default chooses what smooths best by the exact leave-one-out error, and then variances by leave-one-out \
residuals. What would each choose? Forests of {n_trees} trees with the other settings of the paper, {rows:,} rows \
learned at most, in random order: K is the ratio of drift to noise variance, which the heuristic sets to \
min(2000, 2 N), and the drift rate is the heuristic's, D / (20 log2 N), or ten times that. Of the {tried} pairs each \
criterion chooses one. Scores are of test rows, targets in units of their standard deviation."""
DEFAULT = "hedgerow's default, not of these pairs"
EACH_TREE = "the same, learned by each tree for itself"
CRITERIA = {
    "the paper's heuristic": "heuristic",
    "marginal likelihood": "likelihood",
    "leave-one-out density": "density",
    "leave-one-out error": "error",
    "the test rows themselves, by NLPD": "nlpd",
}


def each_tree(data: Split) -> tuple[float, float]:
    """Average trees, each of which has learned hyper-parameters of its own: RMSE and NLPD."""
    means, densities = [], []
    for seed in range(N_TREES):
        said = MondrianForestRegressor(1, n_jobs=1, random_state=seed).fit(data.X, data.y).predict_dist(data.X_test)
        means.append(said.mean())
        densities.append(said.logpdf(data.y_test))
    log_density = np.logaddexp.reduce(densities, axis=0) - np.log(N_TREES)
    return data.rmse(np.mean(means, axis=0)), -float(np.mean(log_density))


def criteria(page: Page, options: Options) -> None:
    """Fit the grid of hyper-parameters on each set, and show what each criterion chooses."""
    n = options.pick(500, MOST_TRAIN)
    splits = [friedman(n, n_test=MOST_TEST)]
    if options.data is not None:
        splits += [table.split(0, n, MOST_TEST) for table in regression_sets(options.data, names=SETS)]
    rows = []
    for data in (each.in_target_units() for each in splits):
        heuristic = data.X.shape[1] / (20 * np.log2(data.y.size))
        tried: list[dict[str, float]] = []
        for ratio in RATIOS:
            for factor in FACTORS:
                forest: Any = MondrianForestRegressor(
                    N_TREES,
                    hyperparameters="paper",
                    signal_to_noise=ratio,
                    drift_rate=factor * heuristic,
                    n_jobs=1,
                    random_state=0,
                ).fit(data.X, data.y)
                left_out = forest.loo_predict()
                tried.append(
                    {
                        "ratio": ratio,
                        "factor": factor,
                        "heuristic": float((ratio, factor) != (RATIOS[-1], FACTORS[0])),
                        "likelihood": -forest.log_marginal_likelihood_,
                        "density": -float(np.mean(left_out.log_density)),
                        "error": float(np.mean((left_out.mean - data.y) ** 2)),
                        "rmse": data.rmse(forest.predict(data.X_test)),
                        "nlpd": -float(np.mean(forest.log_density(data.X_test, data.y_test))),
                    }
                )
        page.tell(f"{data.name}, {len(tried)} pairs")
        for name, key in CRITERIA.items():
            best = min(tried, key=lambda each: each[key])
            numbers = (f"{best['ratio']:g}", f"{best['factor']:g}x", f"{best['rmse']:.3f}", f"{best['nlpd']:.2f}")
            rows.append((data.name, name, *numbers))
        default: Any = MondrianForestRegressor(N_TREES, n_jobs=1, random_state=0).fit(data.X, data.y)
        nlpd = -float(np.mean(default.log_density(data.X_test, data.y_test)))
        rows.append((data.name, DEFAULT, "", "", f"{data.rmse(default.predict(data.X_test)):.3f}", f"{nlpd:.2f}"))
        rows.append((data.name, EACH_TREE, "", "", *(f"{score:.3g}" for score in each_tree(data))))
    headings = ("", "chosen by", "K", "drift rate", "RMSE", "NLPD")
    words = WORDS.format(n_trees=N_TREES, rows=n, tried=len(RATIOS) * len(FACTORS))
    page.table("Marginal likelihood or leave-one-out", headings, rows, words)
