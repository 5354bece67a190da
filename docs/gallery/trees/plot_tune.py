"""
Tune another model
==================

Two settings of a support vector machine on digits, by cross-validation: 30 evaluations by Bayesian optimisation, and 30
spread evenly over the space.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from hedgerow.optimize import minimize

X, y = load_digits(return_X_y=True)
X, y = X[:300], y[:300]


def error(settings):
    return 1.0 - cross_val_score(SVC(**settings), X, y, cv=3).mean()


space = {"C": (1e-3, 1e3, "log"), "gamma": (1e-7, 1.0, "log")}
guided = minimize(error, space, n_calls=30, random_state=0)
print(f"error {guided.fun:.1%} with C = {guided.x['C']:.3g}, gamma = {guided.x['gamma']:.2g}")
spread = minimize(error, space, n_calls=30, n_initial=30, random_state=1)

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, result, title in zip(axes, (guided, spread), ("suggested by the forest", "spread evenly")):
    C, gamma = ([point[name] for point in result.points] for name in ("C", "gamma"))
    dots = ax.scatter(C, gamma, c=result.values, cmap="viridis_r", vmin=0, vmax=0.9, edgecolors="black")
    ax.set(title=f"{title}: best {result.fun:.1%}", xlabel="C", xscale="log", yscale="log")
axes[0].set_ylabel("gamma")
figure.colorbar(dots, ax=axes, label="error by cross-validation")
plt.show()
