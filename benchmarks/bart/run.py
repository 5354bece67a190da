"""BART: speed and accuracy next to stochtree, bartz and PyMC-BART, and how well its samplers mix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from statistics import median

from benchmarks.bart import peers
from benchmarks.bart.mixing import CUBE_DECAYS, STUCK, Mixing, hypercube, mix
from benchmarks.papers.lakshminarayanan_thesis.reported import ESS_ON_CUBES
from benchmarks.shared.data import friedman, friedman_mean, regression_sets
from benchmarks.shared.page import Options, Page
from benchmarks.shared.timing import interleave
from hedgerow import BARTRegressor

SAMPLERS = ("cgm", "grow_prune", "pg", "auto")
"""Those of Lakshminarayanan (2016), and the default."""
REAL_SETS = ("cal_housing", "bank32nh", "qsar_chembl240")
MOST_SEEDS = {"pymc-bart": 1}
"""Seeds of peers that take minutes."""
COLUMNS = (
    "data", "sampler", "start", "ESS log-lik.", "ESS noise", "least ESS", "s a chain", "ESS / s", "R-hat log-lik.",
    "R-hat noise", "R-hat leaves", "leaves", "root changes", "stuck", "test error",
)  # fmt: skip
INTRODUCTION = f"""\
Times are processor time on one thread. The effective sample size (ESS) is that of single chains (Geyer's initial \
positive sequence), the median over chains and data sets, and least over data sets of log-likelihood and noise; R-hat \
is rank-normalised, split and folded, over four chains, the worst of the data sets. Chains start each from a draw of \
the prior, or, as is the default, from single leaves. A chain on a hypercube is stuck if its mean squared error on the \
rows it has learned exceeds {STUCK}; the variance of the noise is 0.0001. *Root changes* is the share of sweeps after \
which a tree has another rule at its root, *test error* the mean squared error of a chain's mean, the median over \
chains.

Tables 4.1 and 4.4 of Lakshminarayanan (2016) are the column *ESS log-lik.*; 4.2 and 4.5, *ESS / s*. That column alone \
misleads: chains of particle Gibbs that sit still in a poor tree with too much noise have a high effective sample size \
of the log-likelihood. R-hat, stuck chains and the test error show it."""


def run(page: Page, options: Options) -> None:
    """Next to peers first, then how samplers mix."""
    page.begin("BART", INTRODUCTION, "numpy")
    next_to_peers(page, options.pick(200, 2000), options.pick(1, 5))
    cost_of_rows(page, options.pick((500, 1000), (1000, 10_000, 100_000)))
    cubes(page, options.pick((2,), tuple(CUBE_DECAYS)), options.pick(1, 3), options.pick(100, 1000))
    real_sets(page, options)
    rows = [(f"{dimension}", *(f"{value:g}" for value in values)) for dimension, values in ESS_ON_CUBES.items()]
    page.table("Lakshminarayanan (2016), Table 4.1: ESS of the log-likelihood", ("D", "CGM", "GrowPrune", "PG"), rows)


def next_to_peers(page: Page, n_rows: int, n_seeds: int) -> None:
    """Time ours and those of others on Friedman's function, seed by seed in turn; test targets are true means."""
    contestants = {"hedgerow": peers.ours("auto"), "hedgerow, `grow_prune`": peers.ours("grow_prune")}
    contestants |= {name: draw for name, draw in peers.PEERS.items() if page.has(name)}
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in contestants}
    for seed in range(n_seeds):
        data = friedman(n_rows, seed=seed, n_test=500)
        data = replace(data, y_test=friedman_mean(data.X_test))
        for name, draw in contestants.items():
            if seed < MOST_SEEDS.get(name, n_seeds):
                drawn = draw(data, seed)
                rates = (drawn.ess_means / drawn.seconds, drawn.ess_noise / drawn.seconds)
                found[name].append((drawn.seconds, *rates, drawn.error(data), drawn.coverage(data)))
                page.tell(f"{name}: {drawn.seconds:.1f} s")
    rows = []
    for name, runs in found.items():
        seconds, means, noise, error, coverage = (median(column) for column in zip(*runs, strict=True))
        numbers = (f"{seconds:.2f}", f"{means:.2f}", f"{noise:.2f}", f"{error:.3f}", f"{coverage:.3f}")
        rows.append((name, *numbers, f"{len(runs)}"))
    headings = (
        "", "seconds", "effective draws of predictions a second", "of the noise a second",
        "error to the true function", "its 90 % covers", "seeds",
    )  # fmt: skip
    words = (
        f"Friedman's first function, {n_rows:,} rows, {peers.N_TREES} trees, {peers.N_BURN_IN} + {peers.N_DRAWS:,} "
        "sweeps, one chain; medians over seeds. PyMC-BART's effective draws are those of rows it has learned. It and "
        "bartz compile before they are timed."
    )
    page.table("Next to stochtree, bartz and PyMC-BART", headings, rows, words)


def cost_of_rows(page: Page, sizes: Iterable[int]) -> None:
    """Time short fits of more and more rows."""
    rows = []
    model = BARTRegressor(n_chains=1, n_draws=20, n_burn_in=20, n_jobs=1, random_state=0)
    for n in sizes:
        data = friedman(n, n_test=0)
        timing = interleave({"ours": lambda data=data: lambda: model.fit(data.X, data.y)}, 3)["ours"]
        kilobytes = model.diagnostics().bytes_per_draw / 1000
        rows.append((f"{n:,}", str(timing), f"{timing.best / n / 40 * 1e6:.2f}", f"{kilobytes:.1f}"))
    headings = ("rows", "fit", "µs a row and sweep", "kB a draw")
    page.table("What rows cost", headings, rows, "Friedman's first function, 200 trees, 20 + 20 sweeps.")


def cubes(page: Page, dimensions: Iterable[int], n_sets: int, n_sweeps: int) -> None:
    """Tables 4.1 and 4.2 of Lakshminarayanan (2016), and the default sampler."""
    rows = []
    for dimension in dimensions:
        sets = [hypercube(dimension, seed) for seed in range(n_sets)]
        parameters = {"split_decay": CUBE_DECAYS[dimension], "n_burn_in": n_sweeps, "n_draws": n_sweeps}
        for sampler in SAMPLERS:
            for start in ("prior", "leaves") if sampler == "auto" else ("prior",):
                found = mix(f"{dimension}", sampler, sets, start, n_estimators=1, **parameters)
                page.tell(found)
                rows.append(cells(found))
    words = f"One tree, {n_sweeps:,} + {n_sweeps:,} sweeps, four chains, data sets: {n_sets}; data is the dimension."
    page.table("Hypercubes", COLUMNS, rows, words)


def real_sets(page: Page, options: Options) -> None:
    """Tables 4.4 and 4.5 of Lakshminarayanan (2016) on sets that can be had, and the default sampler."""
    tables = regression_sets(options.data, 4000, REAL_SETS)
    n_rows, n_sweeps = options.pick(200, 2000), options.pick(20, 250)
    rows = []
    for table in tables[: options.pick(1, 3)]:
        for sampler in SAMPLERS:
            split = table.split(0, n_rows, 2000)
            found = mix(table.name, sampler, [split], "prior", n_burn_in=n_sweeps, n_draws=2 * n_sweeps)
            page.tell(found)
            rows.append(cells(found))
    words = f"200 trees, {n_rows:,} rows at most, {n_sweeps} + {2 * n_sweeps} sweeps, four chains."
    page.table("Other sets", COLUMNS, rows, words)


def cells(found: Mixing) -> tuple[str, ...]:
    """One line of a table."""
    return (
        found.data,
        found.sampler,
        found.start,
        f"{found.ess_log_likelihood:.0f}",
        f"{found.ess_noise:.0f}",
        f"{found.least_ess:.0f}",
        f"{found.seconds:.2f}",
        f"{found.ess_log_likelihood / found.seconds:.3g}",
        f"{found.r_hat_log_likelihood:.2f}",
        f"{found.r_hat_noise:.2f}",
        f"{found.r_hat_leaves:.2f}",
        f"{found.n_leaves:.3g}",
        f"{found.root_change_rate:.1%}",
        f"{found.n_stuck} of {found.n_chains}" if found.data.isdigit() else "",
        f"{found.test_error:.3g}",
    )
