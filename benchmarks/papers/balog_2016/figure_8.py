"""Figure 8: how long it takes to find the width of the kernel, by stochastic gradients and exactly."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.linear_model import SGDRegressor

from benchmarks.kernel.baselines import RandomBinning, RandomFourier
from benchmarks.kernel.run import BINNING, COLOURS, FOURIER, OURS
from benchmarks.kernel.search import Curve, Errors, Thirds, binning, fourier, relative_error, search
from benchmarks.papers.balog_2016.figure_6 import mondrian
from benchmarks.shared.data import Floats
from benchmarks.shared.page import Page
from benchmarks.shared.pictures import subplots
from hedgerow import MondrianFeatures

RIDGE, N_PASSES = 1e-4, 5
FIRST, N_LIFETIMES = 0.1, 10
"""The sweep of the Mondrian kernel begins where so many cuts are expected; each lifetime is twice the one before."""

WHY = """\
How soon a search ends depends on how far from 1 the best lifetime is. As columns are, it is near a millionth: some \
twenty halvings away, each a training from scratch, while the sweep of the Mondrian process needs to know no unit. On \
the way Fourier features are noise, and whether a search turns the right way is a matter of chance. Divided \
by their ranges it is two to five halvings away, and a search from 1 has an easy task."""


def learner(data: Thirds, n_passes: int = N_PASSES) -> SGDRegressor:
    """Return least squares by stochastic gradients, with the ridge of the paper."""
    return SGDRegressor(
        alpha=RIDGE / data.y.size, max_iter=n_passes, tol=None, eta0=0.5, power_t=0.25, random_state=0
    )  # features of a row have length 1, so a step below 1 is stable


def errors_of(data: Thirds, model: Any, behind: Any, ahead: Any) -> Errors:
    """Validation and test error of a learner of standardised targets."""
    centre, scale = data.y.mean(), data.y.std()
    pairs = ((behind, data.y_validation), (ahead, data.y_test))
    first, second = (relative_error(centre + scale * model.predict(rows), y) for rows, y in pairs)
    return first, second


def restarted(data: Thirds, transform: Callable[[Floats], Any]) -> Errors:
    """Learn from scratch in some features of all rows."""
    ends = np.cumsum([data.y.size, data.y_validation.size])
    features = transform(np.concatenate([data.X, data.X_validation, data.X_test]))
    model = learner(data).fit(features[: ends[0]], (data.y - data.y.mean()) / data.y.std())
    return errors_of(data, model, features[ends[0] : ends[1]], features[ends[1] :])


def lifetimes(data: Thirds) -> Floats:
    """Return those of the sweep."""
    found: Floats = data.lifetime(FIRST) * 2.0 ** np.arange(N_LIFETIMES)
    return found


def swept(data: Thirds, n_trees: int) -> Curve:
    """Let the partitions grow finer; a cell begins with the weight of the cell that it was cut from (section 4.2.2)."""
    begin = time.process_time()
    curve: Curve = []
    columns: Any = None
    model: Any = None
    y = (data.y - data.y.mean()) / data.y.std()
    largest = float(lifetimes(data)[-1])
    for lifetime in lifetimes(data):
        features = MondrianFeatures(n_trees, float(lifetime), max_lifetime=largest, random_state=0).fit(data.X)
        Z = features.transform(data.X)
        start: dict[str, Any] = {}
        if columns is not None:
            weights = np.zeros(Z.shape[1])
            weights[Z.indices] = model.coef_[columns]
            start = {"coef_init": weights, "intercept_init": model.intercept_}
        model, columns = learner(data).fit(Z, y, **start), Z.indices
        found = errors_of(data, model, features.transform(data.X_validation), features.transform(data.X_test))
        curve.append((time.process_time() - begin, float(lifetime), *found))
    return curve


def grid(data: Thirds, n_trees: int) -> Curve:
    """Solve at the same lifetimes, over the same partitions."""
    begin = time.process_time()
    curve: Curve = []
    largest = float(lifetimes(data)[-1])
    for lifetime in lifetimes(data):
        features = MondrianFeatures(n_trees, float(lifetime), max_lifetime=largest, random_state=0)
        found = mondrian(data, features)
        curve.append((time.process_time() - begin, float(lifetime), *found))
    return curve


def add(page: Page, units: Mapping[str, Thirds], n_features: int, n_steps: Mapping[str, int]) -> None:
    """Add a table and a row of panels for each unit: gradients as in the paper, and solutions."""
    rows = []
    figure, panels = subplots(len(units), 2, figsize=(9, 6.6), sharey="row")
    for line, (unit, data) in zip(panels, units.items(), strict=True):
        for ax, (solver, curves) in zip(line, searches(data, n_features, n_steps[unit]).items(), strict=True):
            for name, curve in curves.items():
                seconds, widths, validation, test = (np.array(each) for each in zip(*curve, strict=True))
                best = int(validation.argmin())
                near = int(np.argmax(validation < 1.1 * validation[best]))
                cells = f"{widths[best]:.2g}", f"{validation[best]:.2f}", f"{test[best]:.2f}"
                trained = f"{near + 1} of {seconds.size}"
                rows.append((unit, f"{name}, {solver}", *cells, f"{seconds[near]:.1f}", trained))
                so_far = np.minimum.accumulate(validation)
                ax.semilogx(seconds, so_far, "o-", color=COLOURS[name], label=name, markersize=3)
            ax.set_title(f"columns {unit}, {solver}", fontsize=10)
        line[0].set_ylabel("validation error so far, %")
    for ax in panels[-1]:
        ax.set_xlabel("seconds")
    panels[0, 0].legend(frameon=False, fontsize=8)
    words = (
        f"{n_features} features a row. Gradients: {N_PASSES} passes over the rows at each lifetime. The Mondrian "
        f"kernel goes once through {N_LIFETIMES} lifetimes, each twice the one before, over one growing partition, "
        "whose cells inherit weights; the others begin at 1, double or halve, then look between neighbours, from "
        "scratch each. Solved: the same without inheritance, by Lanczos' iteration or an eigenvalue decomposition, for "
        "29 ridges of which the validation rows choose. *Seconds* and *trainings* are those until the validation error "
        "is within a tenth of the least. In the paper the Mondrian kernel finds a suitable width at least ten times as "
        f"fast, and Fourier features end lower.\n\n{WHY}"
    )
    headings = ("columns", "", "lifetime", "validation error, %", "test error, %", "seconds", "trainings")
    page.table("Figure 8: looking for the width", headings, rows, words)
    page.picture(figure, "figure_8.png", "Validation error by time, by stochastic gradients and solved")


def searches(data: Thirds, n_features: int, n_steps: int) -> dict[str, dict[str, Curve]]:
    """Look for the width by all schemes, with both solvers."""
    width = data.X.shape[1]

    def drawn(kind: Any) -> Callable[[float], Errors]:
        def errors(lifetime: float) -> Errors:
            return restarted(data, kind(n_features, lifetime, width, np.random.default_rng(0)).transform)

        return errors

    return {
        "stochastic gradients": {
            OURS: swept(data, n_features),
            FOURIER: search(drawn(RandomFourier), n_steps),
            BINNING: search(drawn(RandomBinning), n_steps),
        },
        "solved": {
            OURS: grid(data, n_features),
            FOURIER: search(lambda lifetime: fourier(data, n_features, lifetime), n_steps),
            BINNING: search(lambda lifetime: binning(data, n_features, lifetime), n_steps),
        },
    }
