"""
Random features for any linear model
====================================

`MondrianFeatures` turns rows into sparse indicators whose inner products approximate the Laplace kernel. A logistic
regression on these separates two moons.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from hedgerow import MondrianFeatures

X, y = make_moons(400, noise=0.2, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
for ax, n_estimators in zip(axes, (1, 10, 100)):
    model = make_pipeline(
        MondrianFeatures(n_estimators, lifetime=10.0, random_state=0), LogisticRegression(max_iter=500)
    )
    model.fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        model, X, response_method="predict_proba", grid_resolution=60, cmap="RdBu", vmin=0, vmax=1, ax=ax
    )
    ax.scatter(*X.T, c=y, s=6, cmap="RdBu", edgecolors="black", linewidths=0.2)
    ax.set_title("1 tree" if n_estimators == 1 else f"{n_estimators} trees")
plt.show()
