"""
Outlier scores on a stream
==========================

`score_samples` measures how early a row would be isolated in the trees, as isolation forests do: lower scores are more
abnormal. On the left, a forest has learned two groups of rows; white lines are contours of the score. On the right it
has also learned ten rows from elsewhere, and that region is no longer abnormal. Outlier detection needs no targets, so
these are zeros.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianForestRegressor

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal((-2, -2), 0.7, size=(150, 2)), rng.normal((2, 0), (0.4, 1.2), size=(150, 2))])
new = rng.normal((-2, 3), 0.3, size=(10, 2))
forest = MondrianForestRegressor(n_estimators=100, random_state=0).fit(X, np.zeros(300))

across, up = np.meshgrid(np.linspace(-5, 5, 60), np.linspace(-5, 5, 60))
places = np.column_stack([across.ravel(), up.ravel()])
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), sharex=True, sharey=True, layout="constrained")
for ax, title in zip(axes, ("300 rows", "and ten elsewhere")):
    if title != "300 rows":
        forest.partial_fit(new, np.zeros(10))
        ax.scatter(*new.T, s=9, color="#D55E00", zorder=3)
    scores = forest.score_samples(places).reshape(across.shape)
    levels = np.linspace(-0.9, -0.3, 13)
    shades = ax.contourf(across, up, scores, levels, cmap="viridis", extend="both")
    ax.contour(across, up, scores, levels[::3], colors="white", linewidths=0.7, linestyles="solid")
    ax.scatter(*X.T, s=5, color="black", linewidths=0)
    ax.set(title=title, xlabel="x0")
axes[0].set_ylabel("x1")
figure.colorbar(shades, ax=axes, label="score")
plt.show()
