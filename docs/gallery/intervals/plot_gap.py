"""
Uncertain where there are no data
=================================

The intervals of a Mondrian forest widen with the distance from the training rows, in a gap and beyond the data. The
spread between the trees of a random forest does not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from hedgerow import MondrianForestRegressor
from hedgerow.plot import IntervalDisplay

rng = np.random.default_rng(0)
x = np.concatenate([rng.uniform(0, 3.5, 150), rng.uniform(6.5, 10, 150)])
y = np.sin(1.3 * x) + 0.25 * x + rng.normal(scale=0.25, size=x.size)
X = x.reshape(-1, 1)
grid = np.linspace(-2, 12, 400)

forest = MondrianForestRegressor(random_state=0).fit(X, y)
peer = RandomForestRegressor(random_state=0).fit(X, y)

# %%
# On the left the intervals of the Mondrian forest; on the right the mean of the random forest and 1.64 standard
# deviations between its trees.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
IntervalDisplay.from_estimator(forest, X, y, grid=grid, confidence=0.9, ax=left)
left.set(title="MondrianForestRegressor", xlabel="x", ylabel="y")
trees = np.array([tree.predict(grid.reshape(-1, 1)) for tree in peer.estimators_])
mean, half = trees.mean(axis=0), 1.64 * trees.std(axis=0)
right.fill_between(grid, mean - half, mean + half, color="tab:gray", alpha=0.3, linewidth=0)
right.plot(grid, mean, color="tab:gray")
right.scatter(x, y, s=7, color="black", linewidths=0)
right.set(title="RandomForestRegressor", xlabel="x")
plt.show()
