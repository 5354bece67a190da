"""
A Mondrian tree in the plane
============================

A Mondrian tree cuts boxes around its rows, at random times; longer sides are cut sooner. Predictions of one tree, and
of fifty.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianForestRegressor
from hedgerow.plot import PartitionDisplay

rng = np.random.default_rng(0)
X = rng.uniform(size=(60, 2))
y = np.sin(5 * X[:, 0]) + X[:, 1]
figure, axes = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
for ax, n_estimators in zip(axes, (1, 50)):
    forest = MondrianForestRegressor(n_estimators, random_state=0).fit(X, y)
    PartitionDisplay.from_estimator(forest, X, ax=ax)
    ax.set_title(f"{n_estimators} {'tree' if n_estimators == 1 else 'trees: the cuts of the first'}")
plt.show()
