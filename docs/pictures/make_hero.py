"""Draw hero.png, the README's picture: one forest that is fitted, updated, and unlearns rows."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianForestRegressor
from hedgerow.plot import IntervalDisplay
from hedgerow.plot.style import ORANGE

NOISE = 0.25
"""Standard deviation of the noise. It is set, because the rules of the paper assume almost none."""
GRID = np.linspace(-1.5, 11.5, 700)


def rows(rng: np.random.Generator, lower: float, upper: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return noisy rows of a wave in an interval."""
    x = rng.uniform(lower, upper, n)
    return x.reshape(-1, 1), np.sin(1.3 * x) + 0.25 * x + rng.normal(scale=NOISE, size=n)


def panel(ax: plt.Axes, forest: MondrianForestRegressor, X: np.ndarray, y: np.ndarray, title: str) -> None:
    """Draw the forest's predictions and its rows."""
    IntervalDisplay.from_estimator(forest, X, y, grid=GRID, confidence=(0.5, 0.9), ax=ax, legend=False)
    ax.set_title(title, loc="left", fontsize=11, fontweight="bold")
    ax.set(xlabel=None, ylabel=None, xlim=(GRID[0], GRID[-1]), ylim=(-2.3, 4.4), xticks=[], yticks=[])


def main() -> None:
    """Draw."""
    rng = np.random.default_rng(7)
    left, right, gap = rows(rng, 0, 3.4, 150), rows(rng, 6.6, 10, 150), rows(rng, 3.4, 6.6, 120)
    X, y = np.concatenate([left[0], right[0]]), np.concatenate([left[1], right[1]])
    with plt.rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplots(1, 3, figsize=(12, 3.5), sharey=True, layout="constrained", dpi=110)
        forest = MondrianForestRegressor(300, hyperparameters="paper", noise_variance=NOISE**2, random_state=0)
        forest.partial_fit(X, y)
        panel(axes[0], forest, X, y, "Fitted to 300 rows: uncertain in the gap")
        forest.partial_fit(*gap)
        panel(
            axes[1],
            forest,
            np.concatenate([X, gap[0]]),
            np.concatenate([y, gap[1]]),
            "Updated with 120 more rows",
        )
        axes[1].scatter(*(part.ravel() for part in gap), s=7, color=ORANGE, linewidths=0, zorder=4, label="new rows")
        forest.unlearn(*gap)
        panel(axes[2], forest, X, y, "After unlearning them: as before")
        handles, labels = axes[1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, markerscale=2)
        figure.savefig(Path(__file__).with_name("hero.png"))


if __name__ == "__main__":
    main()
