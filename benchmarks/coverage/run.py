"""Coverage of 90 % intervals by group, in gaps, after shifts, under weights and on copies, for every regressor."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.coverage.situations import SITUATIONS, Situation, thirds
from benchmarks.shared.page import Options, Page
from benchmarks.shared.pictures import subplots
from benchmarks.shared.timing import on_all_cores
from hedgerow import (
    BARTRegressor,
    BayesianTreeRegressor,
    MondrianBoostingRegressor,
    MondrianForestRegressor,
    MondrianKernelRidge,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)

CONFIDENCE = 0.9
N_TEST = 5000

MODELS: dict[str, Callable[[int], Any]] = {
    "MondrianForestRegressor": lambda seed: MondrianForestRegressor(random_state=seed),
    "MondrianBoostingRegressor": lambda seed: MondrianBoostingRegressor(random_state=seed),
    "MondrianKernelRidge": lambda seed: MondrianKernelRidge(random_state=seed),
    "BARTRegressor": lambda seed: BARTRegressor(random_state=seed),
    "BARTRegressor, varying noise": lambda seed: BARTRegressor(noise="varying", random_state=seed),
    "BayesianTreeRegressor": lambda seed: BayesianTreeRegressor(random_state=seed),
    "OnlineForestRegressor": lambda seed: OnlineForestRegressor(random_state=seed),
    "OnlineConformalRegressor": lambda seed: OnlineConformalRegressor(random_state=seed),
    "OnlineConformalRegressor, normalised": lambda seed: OnlineConformalRegressor(normalised=True, random_state=seed),
    "OnlineQuantileForestRegressor": lambda seed: OnlineQuantileForestRegressor(random_state=seed),
}
GROUPS = {
    "overall": "all rows, noise the same everywhere",
    "narrowest third": "of the predicted intervals",
    "widest third": "of the predicted intervals",
    "lowest third of x0": "x0 is the column that explains most",
    "highest third of x0": "",
    "quietest third": "noise grows eleven-fold along a column",
    "noisiest third": "",
    "in the gap": "no rows in 30 % of the range of x0",
    "beyond the rows": "x0 up to 0.7 learned, up to 1 predicted",
    "after a shift": "x0 was mostly small, and is now mostly large",
    "weights 0.5 to 2": "sample weights",
    "a bootstrap sample": "rows that come several times",
    "columns explain nothing": "exponential targets",
    "ratings on a grid": "targets 1 to 10, columns 0 to 5",
    "x0 is missing": "in a fifth of the rows",
    "noise is flagged": "15 % of the rows, told by a column of zeros and ones, have five times the noise of others",
    "a new category": "40 others were learned; effects with standard deviation 2, noise 1",
}
"""What is shown, in this order, with a word on each."""
INTRODUCTION = """\
Share of targets, in percent, inside their {confidence:.0%} interval. {n_rows:,} rows of four columns are learned and \
{n_test:,} others predicted, in {draws}, models at their defaults. The standard error of an entry from the rows \
predicted is 0.4, in a third of them 0.7; another draw of the rows learned moves it by 1 or 2."""


class Count(NamedTuple):
    """How often intervals covered their targets in one group."""

    model: str
    group: str
    coverage: float


def run(page: Page, options: Options) -> None:
    """Count everything, then show it as a table and as a picture."""
    n_rows, n_test, n_seeds = options.pick((100, 200, 1), (1000, N_TEST, 1), (1000, N_TEST, 5))
    draws = "1 draw" if n_seeds == 1 else f"{n_seeds} draws"
    words = INTRODUCTION.format(confidence=CONFIDENCE, n_rows=n_rows, n_test=n_test, draws=draws)
    page.begin("Coverage", words, "numpy")
    situations = options.pick(["plain"], list(SITUATIONS))
    tasks = [(model, name, n_rows, n_test, n_seeds) for model in MODELS for name in situations]
    found: dict[tuple[str, str], float] = {}
    for counts in on_all_cores(count, tasks):
        found |= {(one.model, one.group): one.coverage for one in counts}
        page.tell(", ".join(f"{one.model}, {one.group}: {one.coverage:.1%}" for one in counts))
    letters = "abcdefghijklmnopqrstuvwxyz"[: len(GROUPS)]
    rows = [
        (model, *(f"{100 * found[model, group]:.0f}" if (model, group) in found else "" for group in GROUPS))
        for model in MODELS
    ]
    page.table("", ("", *(f"({letter})" for letter in letters)), rows)
    legend = zip(letters, GROUPS.items(), strict=True)
    page.text("\n".join(f"- ({letter}) {group}" + (f": {word}" if word else "") for letter, (group, word) in legend))
    draw(page, found)


def count(model: str, name: str, n_rows: int, n_test: int, n_seeds: int) -> list[Count]:
    """Count in one situation; nothing where the model cannot learn it."""
    found: dict[str, list[float]] = {}
    for seed in range(n_seeds):
        situation: Situation = SITUATIONS[name](np.random.default_rng([seed, 7]), n_rows, n_test)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                low, high = intervals(MODELS[model](seed), situation).T
            except ValueError:  # such as weights that are no whole numbers
                return []
        covered = (low <= situation.y_test) & (situation.y_test <= high)
        groups = dict(situation.groups)
        if name == "plain":
            narrow, _, wide = thirds(high - low)
            groups |= {"overall": np.ones(n_test, dtype=bool), "narrowest third": narrow, "widest third": wide}
        for group, rows in groups.items():
            found.setdefault(group, []).append(float(covered[rows].mean()))
    return [Count(model, group, float(np.mean(shares))) for group, shares in found.items() if group in GROUPS]


def intervals(model: Any, situation: Situation) -> Any:
    """Learn the rows of a situation, and return the intervals of the others."""
    learn = model.fit if hasattr(model, "fit") else model.partial_fit
    learn(situation.X, situation.y, situation.weights)
    return model.predict_interval(situation.X_test, confidence=CONFIDENCE)


def draw(page: Page, found: dict[tuple[str, str], float]) -> None:
    """A cell for each model and group, the darker the further coverage is from what was asked for."""
    shares = np.array([[found.get((model, group), np.nan) for group in GROUPS] for model in MODELS])
    figure, axes = subplots(figsize=(12.5, 5.2))
    image = axes.imshow(shares - CONFIDENCE, cmap="RdBu", vmin=-0.2, vmax=0.2, aspect="auto")
    axes.set_xticks(range(len(GROUPS)), list(GROUPS), rotation=38, ha="right")
    axes.set_yticks(range(len(MODELS)), list(MODELS))
    for (i, k), share in np.ndenumerate(shares):
        if np.isfinite(share):
            dark = abs(share - CONFIDENCE) > 0.12
            axes.text(k, i, f"{100 * share:.0f}", ha="center", va="center", color="white" if dark else "black")
    bar = figure.colorbar(image, ax=axes, shrink=0.8, ticks=[-0.2, -0.1, 0.0, 0.1])
    bar.ax.set_yticklabels([f"{100 * (CONFIDENCE + tick):.0f} %" for tick in (-0.2, -0.1, 0.0, 0.1)])
    bar.ax.set_ylim(-0.2, 1.0 - CONFIDENCE)  # colours are the same on both sides, but no interval covers more
    axes.set_title(f"Targets inside their {CONFIDENCE:.0%} interval, percent")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    page.picture(figure, "coverage.png", "Coverage of 90 % intervals of every regressor, by group and situation")
