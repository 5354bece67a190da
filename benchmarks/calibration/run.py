"""Calibration: every sampler of trees against what its labels were simulated from, by ranks and by a joint test."""

from __future__ import annotations

import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.calibration.pictures import draw_differences, draw_ranks
from benchmarks.shared.page import Options, Page

N_DRAWS, N_PROCESSES = 19, 2
FALSE_ALARMS = 0.01
"""Of all ranks together, and of all differences together."""
FAMILIES = {"sums": "BART", "trees": "Bayesian trees"}
INTRODUCTION = """\
Two tests of the samplers of BART and of Bayesian trees that find wrong acceptance ratios, weights and conditional \
distributions, and need no known posterior.

- **Simulation-based calibration** (Talts, Betancourt, Simpson, Vehtari and Gelman 2018). Trees, leaves and noise \
are drawn from the prior by a short reference in Python, labels are drawn given these, and the sampler draws given \
the labels. The rank of the truth among {n_draws} draws is then uniform. Ranks of {n_runs} such runs are compared \
with uniform ones: their distribution function must stay within simultaneous bands (Säilynoja, Bürkner and Vehtari \
2022), which are computed exactly here. The log likelihood is among the quantities, since those that do not depend \
on the labels cannot tell a posterior from the prior (Modrák and others 2023).
- **The joint distribution test** of Geweke (2004). Draws of trees and labels from the prior are compared with a \
chain that makes one sweep given the labels, draws new labels given its state, and so on. Both have the same \
distribution, and so the same means of any function. Chains start at draws from the prior and are independent, so \
the mean over a chain of {n_steps} sweeps is one observation, and its autocorrelation needs no estimate.

A particle filter is no Markov chain; its joint test uses that the estimate of the evidence is unbiased. Labels of \
eight rows come from a known density, and evidence over density times the mean of a function over the weighted trees \
of a filter with ten particles must have the mean of the function over the prior. This is exact for any number of \
particles. Ranks are not: those of trees drawn from a filter are biased by about the relative variance of its \
evidence, which is listed and far below the width of the bands."""
ELSEWHERE = """\
- Each move of a tree, and both expansions, resampling schemes and all proposals of the filter are compared with the \
list of all trees on a few rows: `tests/statistical/test_bart.py`, `test_bart_noise.py`, `test_bayesian_trees.py` \
and `cpp/tests/posterior_tree/enumeration_test.cpp`.
- The chain of Bayesian trees (`sampler="cgm"`) cannot be continued with other labels from Python. Its joint test, \
and that of other moves of single trees, is `cpp/tests/posterior_tree/joint_test.cpp`.
- Mondrian trees do not depend on the targets, so there is nothing to calibrate in them: that trees learned online, \
or after unlearning, have the distribution of those learned in batch is tested in \
`tests/statistical/test_online_is_batch.py` and `test_unlearned_is_never_seen.py`, and their distribution in \
`test_closed_forms.py`. Given a tree, the posterior of a Mondrian forest's means is not sampled but computed; \
`tests/oracle/test_belief_propagation.py` compares it with dense algebra.
- Models learn some parameters of their priors, such as the scale of the noise, from the targets, which no prior \
knows. Here they are given. That is all that differs from `BARTRegressor` and the others."""


class Sizes(NamedTuple):
    """Simulated sets of labels, chains of the joint test, and sets by which draws are described."""

    n_runs: int
    n_chains: int
    n_noted: int


def run(page: Page, options: Options) -> None:
    """Ranks and differences of all samplers; both are kept next to the page."""
    modules = families()
    sizes = Sizes(options.pick(100, 300, 2000), options.pick(40, 150, 800), options.pick(2, 6, 20))
    steps = modules["sums"].STEPS_A_CHAIN
    page.begin(
        "Calibration of samplers", INTRODUCTION.format(n_draws=N_DRAWS, n_runs=f"{sizes.n_runs:,}", n_steps=steps)
    )
    ranks, differences, notes = {}, {}, {}
    work = [(family, seed, sizes) for family, module in modules.items() for seed in range(len(module.CASES))]
    with ProcessPoolExecutor(N_PROCESSES) as pool:
        for key, of_ranks, of_means, words in pool.map(examined, *zip(*work, strict=True)):
            ranks[key], notes[key] = of_ranks, words
            if of_means:
                differences[key] = of_means
            page.tell(f"{key[1]}: {words}")
    verdict(page, ranks, differences)
    for family in FAMILIES.values():
        of_family = {name: found for (where, name), found in ranks.items() if where == family}
        page.text(f"## Ranks: {family}")
        level = FALSE_ALARMS / sum(len(found) for found in ranks.values())
        words = f"Distribution functions of ranks minus the uniform one, {family}"
        page.picture(draw_ranks(of_family, N_DRAWS, level), f"{family.lower().replace(' ', '_')}.png", words)
        table(page, family, of_family, notes)
    page.text("## Joint distribution test")
    page.picture(draw_differences(differences, FALSE_ALARMS), "joint.png", "Differences of means in standard errors")
    page.text(f"## What is tested elsewhere\n\n{ELSEWHERE}")
    archive(page.folder, ranks, differences)


def examined(family: str, seed: int, sizes: Sizes) -> tuple[tuple[str, str], dict, dict, str]:
    """Return ranks and differences of one sampler, and words about its draws."""
    module = families()[family]
    case = module.CASES[seed]
    ranks = module.ranks(case, sizes.n_runs, N_DRAWS, seed)
    is_chain = family == "sums"
    means = module.joint(case, sizes.n_chains * (1 if is_chain else 5), seed) if is_chain or case.is_filter else {}
    return (FAMILIES[family], case.name), ranks, means, note(module, case, sizes.n_noted)


def families() -> dict[str, Any]:
    """Return the tests of these samplers, which are not installed."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
    from calibration import sums, trees

    return {"sums": sums, "trees": trees}


def note(module: Any, case: Any, n_runs: int) -> str:
    """Say how nearly independent, or how nearly unbiased, the draws are."""
    if hasattr(case, "model"):
        share = module.effective_share(case, n_runs)
        return f"{case.thin} sweeps apart, worth {share:.2f} independent draws"
    if case.is_filter:
        variance = module.evidence_variance(case, n_runs)
        return f"{case.n_particles // case.n_islands:,} particles, relative variance of the evidence {variance:.2g}"
    return f"{case.thin} steps apart"


def verdict(page: Page, ranks: dict, differences: dict) -> None:
    """Say what was found, in two rows."""
    of_ranks = sorted(p_of(values) for found in ranks.values() for values in found.values())
    of_means = sorted(p for found in differences.values() for _, p in found.values())
    rows = []
    for what, ps in (("ranks", of_ranks), ("joint test", of_means)):
        level = FALSE_ALARMS / len(ps)
        rows.append((what, f"{len(ps)}", f"{ps[0]:.2g}", f"{level:.1g}", f"{sum(p < level for p in ps)}"))
    words = (
        f"An alarm is a p-value below {FALSE_ALARMS} divided by the number of comparisons, so that right samplers "
        f"raise one with a probability of at most {FALSE_ALARMS:.0%} in each of the two tests. All ranks are in "
        "[ranks.csv](ranks.csv), a letter each from a for 0 to t for 19, and all differences in [joint.csv](joint.csv)."
    )
    page.table("Result", ("", "comparisons", "smallest p", "alarm below", "alarms"), rows, words)


def table(page: Page, family: str, ranks: dict, notes: dict) -> None:
    """Show the p-value of each quantity of each sampler."""
    names = list(dict.fromkeys(name for found in ranks.values() for name in found))
    rows = [
        (sampler, notes[family, sampler], *(f"{p_of(found[name]):.2g}" if name in found else "" for name in names))
        for sampler, found in ranks.items()
    ]
    page.table("", ("p-values", "draws", *names), rows)


def p_of(ranks: Any) -> float:
    """Return how improbable it is that uniform ranks deviate as much."""
    from calibration.uniformity import p_value

    return float(p_value(ranks, N_DRAWS))


def archive(folder: Path, ranks: dict, differences: dict) -> None:
    """Write all numbers, as text."""
    with (folder / "ranks.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("model", "sampler", "quantity", "ranks"))
        for key, found in ranks.items():
            for name, values in found.items():
                writer.writerow((*key, name, "".join(chr(ord("a") + value) for value in values)))
    with (folder / "joint.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("model", "sampler", "function", "z", "p"))
        for key, found in differences.items():
            for name, (z, p) in found.items():
                writer.writerow((*key, name, f"{z:.3f}", f"{p:.4g}"))
