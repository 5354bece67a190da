"""Chapter 4, Tables 4.1 to 4.5: how samplers of BART mix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks.bart.mixing import CUBE_DECAYS, STUCK, Mixing, hypercube, mix
from benchmarks.bart.run import REAL_SETS as SETS
from benchmarks.papers.lakshminarayanan_thesis.reported import (
    ESS_A_SECOND_ON_CUBES,
    ESS_A_SECOND_ON_REAL_SETS,
    ESS_ON_CUBES,
    ESS_ON_REAL_SETS,
    REAL_SETS,
)
from benchmarks.papers.lakshminarayanan_thesis.traces import traces
from benchmarks.shared.data import regression_sets
from benchmarks.shared.page import Options, Page
from benchmarks.shared.timing import on_all_cores

SAMPLERS = {"cgm": "CGM", "grow_prune": "GrowPrune", "pg": "PG"}
STARTS = ("leaves", "prior")
INTRODUCTION = f"""\
`BARTRegressor(sampler=...)` with "cgm", "grow_prune" and "pg" (10 particles); "auto" is the library's default. ESS is \
the effective sample size of the log-likelihood of a chain, by Geyer's initial positive sequence where the thesis has \
R's coda; R-hat of the same is rank-normalised, split and folded, the worst of the data sets; a chain is stuck if its \
mean squared error on the rows it has learned exceeds {STUCK}, where the noise has variance 0.0001. Times are \
processor time of all sweeps on one thread; the thesis' samplers are written in Python."""


def bart(page: Page, options: Options) -> None:
    """Cubes, then other sets."""
    page.text(f"## Chapter 4: BART\n\n{INTRODUCTION}")
    traces(page, options, SAMPLERS | {"auto": "the default"})
    dimensions = options.pick((2, 3), tuple(CUBE_DECAYS))
    cubes(page, dimensions, options.pick(1, 10), options.pick(1, 3), options.pick(50, 1000))
    real_sets(page, options)


def cubes(page: Page, dimensions: Sequence[int], n_sets: int, n_default: int, n_sweeps: int) -> None:
    """Tables 4.1 and 4.2; the default sampler on fewer data sets."""
    found: dict[tuple[int, str, str], Mixing] = {}
    for dimension in dimensions:
        sets = [hypercube(dimension, seed) for seed in range(n_sets)]
        parameters = {"split_decay": CUBE_DECAYS[dimension], "n_burn_in": n_sweeps, "n_draws": n_sweeps}
        for sampler in (*SAMPLERS, "auto"):
            for start in STARTS:
                chosen = sets[:n_default] if sampler == "auto" else sets
                found[dimension, sampler, start] = mix(
                    f"{dimension}", sampler, chosen, start, n_estimators=1, **parameters
                )
                page.tell(found[dimension, sampler, start])
    words = (
        f"One tree, {n_sweeps:,} sweeps after {n_sweeps:,} that are discarded, as in the thesis; medians over four "
        f"chains a data set; data sets: {n_sets}, for the default {n_default}. Chains begin with a single leaf or "
        "with a draw from the prior; the thesis does not say which."
    )
    ess_table(
        page, "Tables 4.1 and 4.2: hypercubes, effective sample size and the same a second", found, dimensions, words
    )
    rows = []
    for dimension in dimensions:
        for sampler in (*SAMPLERS, "auto"):
            each = [found[dimension, sampler, start] for start in STARTS]
            rows.append((
                f"{dimension}", SAMPLERS.get(sampler, "the default"),
                " / ".join(f"{m.r_hat_log_likelihood:.2f}" for m in each),
                " / ".join(f"{m.n_stuck} of {m.n_chains}" for m in each),
                " / ".join(f"{m.root_change_rate:.1%}" for m in each),
                " / ".join(f"{m.n_leaves:.3g} of {2**dimension}" for m in each),
                " / ".join(f"{m.test_error:.2g}" for m in each),
            ))  # fmt: skip
    headings = ("D", "", "R-hat", "stuck chains", "sweeps that change the root", "leaves", "test error")
    page.table(
        "What the effective sample size hides", headings, rows, "From single leaves / from the prior. " + verdict(found)
    )


def verdict(found: Mapping[tuple[int, str, str], Mixing]) -> str:
    """Say in numbers what the ranking of the thesis is worth."""
    deep = [m for (dimension, sampler, _), m in found.items() if sampler == "pg" and dimension >= 4]
    if not deep:
        return ""
    stuck, chains = sum(m.n_stuck for m in deep), sum(m.n_chains for m in deep)
    ess = [m.ess_log_likelihood for m in deep]
    of_leaves = {
        dimension: {sampler: found[dimension, sampler, "leaves"].ess_log_likelihood for sampler in SAMPLERS}
        for dimension in dict.fromkeys(dimension for dimension, _, _ in found)
    }
    led = [f"{dimension}" for dimension, sizes in of_leaves.items() if max(sizes, key=lambda each: sizes[each]) == "pg"]
    return (
        f"Begun from single leaves, PG has the largest effective sample size of the three in {', '.join(led)} "
        "dimensions; in the thesis it has it in 4, 5 and 7. That says little about mixing: from four dimensions on, "
        f"{stuck} of {chains} chains of PG are stuck in a poor tree, with R-hat up to "
        f"{max(m.r_hat_log_likelihood for m in deep):.1f}. A chain that fluctuates about a wrong tree looks well "
        f"mixed, and how large its effective sample size is, here {min(ess):.0f} to {max(ess):.0f}, depends on which "
        "tree that is. So ours differs from the thesis' where chains are stuck."
    )


def ess_table(
    page: Page, title: str, found: Mapping[tuple[int, str, str], Mixing], dimensions: Sequence[int], words: str
) -> None:
    """Show the effective sample size and that a second, next to those of the thesis."""
    rows = []
    for dimension in dimensions:
        for place, (sampler, name) in enumerate([*SAMPLERS.items(), ("auto", "the default")]):
            ours = [found[dimension, sampler, start] for start in STARTS]
            theirs = ("", "") if sampler == "auto" else (
                f"{ESS_ON_CUBES[dimension][place]:g}", f"{ESS_A_SECOND_ON_CUBES[dimension][place]:g}",
            )  # fmt: skip
            sizes = [f"{m.ess_log_likelihood:.0f}" for m in ours]
            rates = [significant(m.ess_log_likelihood / m.seconds) for m in ours]
            rows.append((f"{dimension}", name, theirs[0], *sizes, theirs[1], *rates))
    headings = (
        "D", "", "ESS, thesis", "from leaves", "from the prior", "ESS/s, thesis", "from leaves", "from the prior",
    )  # fmt: skip
    page.table(title, headings, rows, words)


def significant(value: float) -> str:
    """Return three significant digits, without a power of ten."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"


def span(values: Sequence[float], digits: int) -> str:
    """Return the least and the greatest, in words."""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def real_sets(page: Page, options: Options) -> None:
    """Tables 4.3 to 4.5 on sets that can be had: three training sets of each, one chain on each."""
    tables = regression_sets(options.data, 4000, SETS)[: options.pick(1, 3)]
    page.skipped(SETS, [table.name for table in tables])
    n_rows, n_sweeps, n_sets = options.pick((200, 20, 1), (2000, 1000, 3))
    rows, characteristics, slower = [], [], []
    for name, (n_train, n_test, width) in REAL_SETS.items():
        ess, rate = ESS_ON_REAL_SETS[name], ESS_A_SECOND_ON_REAL_SETS[name]
        characteristics.append((f"{name}, thesis", f"{n_train:,}", f"{n_test:,}", f"{width}"))
        rows.append(
            (f"{name}, thesis", *(f"{value:.3g}" for value in ess), "", *(f"{value:.2g}" for value in rate), "", "")
        )
    splits = {table.name: [table.split(seed, n_rows, 2000) for seed in range(n_sets)] for table in tables}
    chain = partial(mix, n_chains=1, n_burn_in=n_sweeps, n_draws=n_sweeps)
    samplers = (*SAMPLERS, "auto")
    measured = {}
    for one in on_all_cores(
        chain, ((name, s, sets, "leaves") for s in reversed(samplers) for name, sets in splits.items())
    ):
        measured[one.data, one.sampler] = one
        page.tell(one)
    for table in tables:
        data, found = splits[table.name][0], [measured[table.name, sampler] for sampler in samplers]
        characteristics.append((table.name, f"{data.y.size:,}", f"{data.y_test.size:,}", f"{table.X.shape[1]}"))
        slower.append(found[2].seconds / found[0].seconds)
        least = min(m.test_error for m in found)
        rows.append((
            table.name, *(f"{m.ess_log_likelihood:.3g}" for m in found),
            *(f"{m.ess_log_likelihood / m.seconds:.2g}" for m in found),
            " / ".join(f"{m.test_error / least:.3f}" for m in found),
        ))  # fmt: skip
    page.table("Table 4.3: sets", ("", "rows to learn", "rows to test", "columns"), characteristics)
    faster = [
        (ESS_ON_REAL_SETS[name][0] / ESS_A_SECOND_ON_REAL_SETS[name][0])
        / (ESS_ON_REAL_SETS[name][2] / ESS_A_SECOND_ON_REAL_SETS[name][2])
        for name in REAL_SETS
    ]
    names = (*SAMPLERS.values(), "default")
    headings = ("", *(f"ESS {name}" for name in names), *(f"ESS/s {name}" for name in names), "test error")
    words = (
        f"200 trees, {n_sweeps:,} sweeps after {n_sweeps:,} that are discarded, as on the hypercubes; the thesis does "
        f"not say how many here. Medians over {n_sets} training sets, where the thesis has means. YearPredictionMSD "
        "and CTslices were not at hand, and of CaliforniaHouses the thesis has 6 columns; the other two sets stand in "
        "for sets with more columns. *Test error* is the mean squared error of the four samplers in turn, relative to "
        "the least.\n\n"
        "In the thesis PG has the largest sample of the three on each set, and on two the largest a second. By its two "
        f"tables a chain of CGM takes {span(faster, 1)} times as long there as one of PG; here one of PG takes "
        f"{span(slower, 0)} times as long as one of CGM, for it grows ten trees where CGM looks at the rows of one "
        "node."
    )
    page.table("Tables 4.4 and 4.5: real sets, effective sample size and the same a second", headings, rows, words)
