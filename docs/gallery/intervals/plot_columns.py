"""
Which columns matter
====================

How often each column is cut is learned from the leave-one-out error of the forest. Of ten columns of Friedman's first
function five explain the target, and five are noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor

X, y = make_friedman1(800, n_features=10, noise=1.0, random_state=0)
names = [f"column {j}" for j in range(10)]

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True, layout="constrained")
for ax, kind in zip(axes, (MondrianForestRegressor, MondrianBoostingRegressor)):
    model = kind(n_estimators=30, random_state=0).fit(X, y)
    colors = np.where(np.arange(10) < 5, "#0072B2", "#BBBBBB")
    ax.barh(names, model.feature_importances_, color=colors)
    ax.set(title=kind.__name__, xlabel="share of the importance")
axes[0].invert_yaxis()
plt.show()
