"""The Mondrian kernel next to exact solutions, random Fourier features and random binning."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy import linalg
from threadpoolctl import threadpool_limits

from benchmarks.kernel.baselines import RandomBinning, RandomFourier
from benchmarks.kernel.search import ALPHAS, Thirds, binning, fourier, laplace, relative_error, search
from benchmarks.shared.data import Floats, regression_sets
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.pictures import BLUE, GREEN, ORANGE, subplots
from benchmarks.shared.timing import HOW_TIMED, interleave
from hedgerow import MondrianFeatures, MondrianKernelRidge

LIFETIME = 10.0
OURS, FOURIER, BINNING = "Mondrian kernel", "random Fourier features", "random binning"
COLOURS = {OURS: BLUE, FOURIER: ORANGE, BINNING: GREEN, "joint": BLUE, "independent": ORANGE}
KERNELS: dict[str, Callable[[int, Floats, int], Floats]] = {
    OURS: lambda m, X, seed: MondrianFeatures(m, LIFETIME, random_state=seed).fit(X).kernel(X),
    FOURIER: lambda m, X, seed: RandomFourier(m, LIFETIME, X.shape[1], np.random.default_rng(seed)).kernel(X),
    BINNING: lambda m, X, seed: RandomBinning(m, LIFETIME, X.shape[1], np.random.default_rng(seed)).kernel(X),
}
Times = dict[str, list[tuple[float, float]]]
"""Of each scheme, seconds spent and the test error of what was chosen by then."""
INTRODUCTION = f"""\
MondrianFeatures and MondrianKernelRidge, and the experiments of Balog and others (2016). {HOW_TIMED} Times are \
processor time on one thread."""


def run(page: Page, options: Options) -> None:
    """Measure everything, one part after another."""
    page.begin("The Mondrian kernel", INTRODUCTION, "scikit-learn", "numpy", "scipy")
    tables = regression_sets(options.data, options.pick(300, 8192), ("cpu_act",))
    table = tables[0] if options.data else next(each for each in tables if each.name == "friedman1")
    data = Thirds.of(table.stream(300) if options.quick else table)
    with threadpool_limits(1):
        transform(page, options.pick(2000, 100_000), options.pick(2, 5))
        sweep(page, options.pick(150, 1000), options.pick(1, 3))
        recovery(page, options.pick(100, 1000), options.pick(1, 5))
        approximation = kernel_errors(page, options.pick([10, 40], [10, 30, 100, 300, 1000, 3000]))
        curves = widths(page, table.name, data, options.pick(20, 350), options.pick(4, 12))
        fits = leaf_fits(page, table.name, data, options.pick(2, 9))
    draw(page, approximation, curves, fits, table.name)


def transform(page: Page, n_rows: int, rounds: int) -> None:
    """Our features against the trees that scikit-learn offers for the purpose, fitted on the same rows."""
    from sklearn.ensemble import RandomTreesEmbedding

    X = np.random.default_rng(0).uniform(size=(n_rows, 10))
    ours = MondrianFeatures(100, 1.0, random_state=0).fit(X)
    theirs = RandomTreesEmbedding(100, random_state=0).fit(X)
    found = interleave(
        {"ours": lambda: lambda: ours.transform(X), "theirs": lambda: lambda: theirs.transform(X)}, rounds
    )
    cells = (str(found["ours"]), str(found["theirs"]), ratio(found["theirs"].best / found["ours"].best))
    headings = ("", "MondrianFeatures, lifetime 1", "RandomTreesEmbedding", "times as fast")
    page.table("Transform", headings, [(f"{n_rows:,} rows of 10 columns, 100 trees", *cells)])


def drawn(n: int, seed: int) -> tuple[Floats, Floats]:
    """Rows in the unit square, targets drawn with the Laplace kernel of lifetime 10, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    kernel = np.exp(-LIFETIME * np.abs(X[:, None] - X[None]).sum(axis=2))
    return X, np.linalg.cholesky(kernel + 1e-10 * np.eye(n)) @ rng.normal(size=n) + 0.1 * rng.normal(size=n)


def sweep(page: Page, n: int, rounds: int) -> None:
    """Time `fit`, which follows all changes of the kernel, next to solving it from scratch at some lifetimes."""
    X, y = drawn(n, 0)
    settings = {"max_lifetime": 11.0, "length_scale": 1.0, "n_jobs": 1, "random_state": 1}
    models = {
        "exact, one ridge": MondrianKernelRidge(50, solver="exact", alpha=0.03, **settings),
        "exact, lifetime and ridge jointly": MondrianKernelRidge(50, solver="exact", **settings),
        "iterative, lifetime and ridge jointly": MondrianKernelRidge(50, solver="iterative", **settings),
    }

    def from_scratch(n_ridges: int) -> None:
        centred = y - y.mean()
        for lifetime in np.linspace(0.4, 11.0, 30):
            kernel = MondrianFeatures(50, lifetime, length_scale=1.0, random_state=1).fit(X).kernel(X)
            if n_ridges == 1:
                linalg.cho_solve(linalg.cho_factor(kernel + 0.03 * np.eye(n), check_finite=False), centred)
            else:
                values, vectors = linalg.eigh(kernel, check_finite=False)
                vectors @ ((vectors.T @ centred)[:, None] / (values.clip(min=0.0)[:, None] + ALPHAS))

    works = {name: lambda model=model: lambda: model.fit(X, y) for name, model in models.items()}
    works["from scratch at 30 lifetimes, one ridge"] = lambda: lambda: from_scratch(1)
    works[f"from scratch at 30 lifetimes, {ALPHAS.size} ridges"] = lambda: lambda: from_scratch(ALPHAS.size)
    timings = interleave(works, rounds)
    n_known = len(models["exact, one ridge"].path_)
    rows = [(name, str(timing)) for name, timing in timings.items()]
    words = f"{n:,} rows of two columns, 50 trees. The sweep judges {n_known:,} lifetimes exactly."
    page.table("Choose the lifetime in one sweep", ("", "time"), rows, words)


def recovery(page: Page, n: int, n_samples: int) -> None:
    """Figure 7: the lifetime that is chosen where the true one is known."""
    rows = []
    for selection in ("marginal_likelihood", "loo", "validation"):
        lifetimes = []
        for seed in range(n_samples):
            model = MondrianKernelRidge(
                50, selection=selection, max_lifetime=100.0, length_scale=1.0, n_jobs=1, random_state=seed
            )
            lifetimes.append(model.fit(*drawn(n, seed)).lifetime_)
        rows.append((selection, f"{np.median(lifetimes):.1f}", f"{min(lifetimes):.1f}", f"{max(lifetimes):.1f}"))
    words = f"{n:,} rows, targets drawn with the Laplace kernel, {n_samples} samples."
    page.table("The lifetime chosen where 10 is true (Figure 7)", ("selection", "median", "least", "most"), rows, words)


def kernel_errors(page: Page, sizes: list[int], n_repeats: int = 5) -> dict[str, tuple[list[int], Floats]]:
    """Figure 5: mean over repeats of the largest error of the kernel over all pairs of rows."""
    rng = np.random.default_rng(0)
    found = {name: np.zeros((len(sizes), n_repeats)) for name in KERNELS}
    for repeat in range(n_repeats):
        X = rng.uniform(size=(100, 2))
        true = np.exp(-LIFETIME * np.abs(X[:, None] - X[None]).sum(axis=2))
        for place, size in enumerate(sizes):
            for name, kernel in KERNELS.items():
                found[name][place, repeat] = np.abs(kernel(size, X, repeat) - true).max()
    means = {name: each.mean(axis=1) for name, each in found.items()}
    rows = [(name, *(f"{error:.3f}" for error in errors)) for name, errors in means.items()]
    words = "Lifetime 10, 100 rows in the unit square, by the number of features a row; means over five repeats."
    page.table("Largest error of the kernel (Figure 5)", ("", *(f"{size:,}" for size in sizes)), rows, words)
    return {name: (sizes, errors) for name, errors in means.items()}


def widths(page: Page, name: str, data: Thirds, n_features: int, n_steps: int) -> Times:
    """Figures 6 and 8: how long it takes to choose width and ridge, and how good the choice is."""
    curves = {
        FOURIER: search(lambda lifetime: fourier(data, n_features, lifetime), n_steps),
        BINNING: search(lambda lifetime: binning(data, n_features, lifetime), n_steps),
        "exact Laplace kernel": [(np.nan, lifetime, *laplace(data, lifetime)) for lifetime in (0.05, 0.1, 0.2)],
    }
    rows, ours = [], []
    X, y = np.concatenate([data.X, data.X_validation]), np.concatenate([data.y, data.y_validation])
    for n_trees in (n_features // 7, 2 * n_features // 7, n_features):
        model = MondrianKernelRidge(
            n_trees, selection="validation", validation_fraction=1 / 9, length_scale=1.0, n_jobs=1, random_state=0
        )
        begin = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - begin
        error = relative_error(model.predict(data.X_test), data.y_test)
        ours.append((seconds, error))
        rows.append((f"{OURS}, {n_trees} trees", f"{seconds:.2f}", f"{model.lifetime_:.2g}", f"{error:.2f} %"))
    for scheme, curve in curves.items():
        _, lifetime, _, error = min(curve, key=lambda step: step[2])
        seconds = "" if np.isnan(curve[0][0]) else f"{curve[-1][0]:.2f}"
        label = scheme if scheme.startswith("exact") else f"{scheme}, {n_features}"
        rows.append((label, seconds, f"{lifetime:.2g}", f"{error:.2f} %"))
    headings = ("", "seconds until chosen", "lifetime", "test error, % of the targets")
    words = (
        f"{name}, 80, 10 and 10 percent of the rows to learn, to choose by and to test. Random Fourier features are "
        f"solved exactly, random binning by Lanczos' iteration, both for {ALPHAS.size} ridges at each of {n_steps} "
        "widths: begun at lifetime 1, doubled or halved, then between neighbours."
    )
    page.table("Looking for the width (Figures 6 and 8)", headings, rows, words)
    found = {OURS: ours}
    for scheme in (FOURIER, BINNING):
        best = [min(curves[scheme][: k + 1], key=lambda step: step[2]) for k in range(n_steps)]
        found[scheme] = [(now[0], so_far[3]) for now, so_far in zip(curves[scheme], best, strict=True)]
    return found


def leaf_fits(page: Page, name: str, data: Thirds, n_lifetimes: int) -> dict[str, tuple[Floats, list[float]]]:
    """Figure 9: all trees fitted together, or each alone as in a forest."""
    lifetimes = data.lifetime(1.0) * np.geomspace(0.4, 100.0, n_lifetimes)
    found: dict[str, list[float]] = {"joint": [], "independent": []}
    for lifetime in lifetimes:
        for leaf_fit, errors in found.items():
            model = MondrianKernelRidge(
                50, lifetime=float(lifetime), leaf_fit=leaf_fit, length_scale=1.0, n_jobs=1, random_state=0
            )
            errors.append(relative_error(model.fit(data.X, data.y).predict(data.X_test), data.y_test))
    rows = [(leaf_fit, *(f"{error:.2f}" for error in errors)) for leaf_fit, errors in found.items()]
    words = f"{name}, 50 trees, the ridge by the marginal likelihood."
    headings = ("lifetime", *(f"{lifetime:.2g}" for lifetime in lifetimes))
    page.table("Trees fitted together or each alone, test error in percent (Figure 9)", headings, rows, words)
    return {leaf_fit: (lifetimes, errors) for leaf_fit, errors in found.items()}


def draw(page: Page, approximation: dict, curves: Times, fits: dict, name: str) -> None:
    """Three panels side by side."""
    figure, axes = subplots(1, 3, figsize=(12, 3.6))
    for scheme, (sizes, errors) in approximation.items():
        axes[0].loglog(sizes, errors, "o-", color=COLOURS[scheme], label=scheme, markersize=3)
    axes[0].set(title="error of the kernel", xlabel="features a row", ylabel="largest error")
    for scheme, times in curves.items():
        axes[1].semilogx(*zip(*times, strict=True), "o-", color=COLOURS[scheme], label=scheme, markersize=4)
    axes[1].set(title=f"looking for the width, {name}", xlabel="seconds", ylabel="test error so far, %")
    for leaf_fit, (lifetimes, errors) in fits.items():
        axes[2].semilogx(lifetimes, errors, "o-", color=COLOURS[leaf_fit], label=f"trees fitted: {leaf_fit}")
    axes[2].set(title=f"kernel and forest, same trees, {name}", xlabel="lifetime", ylabel="test error, %")
    for ax in axes:
        ax.legend(frameon=False, fontsize=8)
    page.picture(figure, "kernel.png", "Error of the kernel, looking for the width, and trees fitted together or alone")
