"""
Leave-one-out without refitting
===============================

The leave-one-out predictions of a Mondrian forest are exact and cost one pass over its trees. Their error estimates
that on new rows, as cross-validation does; the error on the training rows is far too optimistic.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_predict

from hedgerow import MondrianForestRegressor

X, y = load_diabetes(return_X_y=True)
forest = MondrianForestRegressor(random_state=0).fit(X, y)
predictions = {
    "of the training rows": forest.predict(X),
    "leave-one-out": forest.loo_predict().mean,
    "3-fold cross-validation": cross_val_predict(MondrianForestRegressor(random_state=0), X, y, cv=3),
}

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharex=True, sharey=True, layout="constrained")
for ax, (name, mean) in zip(axes, predictions.items()):
    ax.scatter(mean, y, s=7, color="#0072B2", linewidths=0, alpha=0.7)
    ax.axline((150, 150), slope=1, color="black", linewidth=0.8)
    ax.set(title=f"{name}\nRMSE {np.sqrt(np.mean((mean - y) ** 2)):.1f}", xlabel="prediction")
axes[0].set_ylabel("disease progression")
plt.show()
