"""
Two hospitals, one forest
=========================

Each fits a forest to its own rows. With one random seed and keyed cuts the merged forest is the one that all rows
together would give.
"""

import matplotlib.pyplot as plt
import numpy as np

import hedgerow
from hedgerow import MondrianForestRegressor
from hedgerow.plot import IntervalDisplay

rng = np.random.default_rng(0)


def rows(lower, upper, n=150):
    x = rng.uniform(lower, upper, n)
    return x.reshape(-1, 1), np.sin(x) + 0.2 * x + rng.normal(scale=0.2, size=n)


def new_forest():
    return MondrianForestRegressor(cuts="keyed", random_state=7)


north, south = rows(0, 6), rows(4, 10)
forests = [new_forest().fit(*part) for part in (north, south)]
merged = hedgerow.merge(forests)
together = new_forest().fit(*(np.concatenate(parts) for parts in zip(north, south)))
grid = np.linspace(0, 10, 300)
same = (merged.predict(grid.reshape(-1, 1)) == together.predict(grid.reshape(-1, 1))).all()
print("merged is as fitted together, bit for bit:", bool(same))

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
both = tuple(np.concatenate(parts) for parts in zip(north, south))
for ax, forest, (X, y), title in zip(axes, [*forests, merged], (north, south, both), ("north", "south", "merged")):
    IntervalDisplay.from_estimator(forest, X, y, grid=grid, confidence=0.9, ax=ax, legend=False)
    ax.set(title=title, xlabel="x", ylabel="y" if title == "north" else "")
plt.show()
