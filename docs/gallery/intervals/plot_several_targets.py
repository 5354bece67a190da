"""
Several targets at once
=======================

If `y` has several columns, trees are shared and the prediction is a joint distribution. Here the noise of two targets
has correlation 0.8, so one target of a row is informative about the other.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianBoostingRegressor

rng = np.random.default_rng(0)
X = rng.uniform(size=(900, 3))
noise = rng.multivariate_normal([0, 0], [[0.04, 0.048], [0.048, 0.09]], size=900)
Y = np.column_stack([np.sin(4 * X[:, 0]) + X[:, 1], X[:, 0]]) + noise
model = MondrianBoostingRegressor(n_estimators=30, random_state=0).fit(X, Y)

# %%
# A thousand joint draws for each of three rows.

rows = np.array([[0.1, 0.1, 0.5], [0.5, 0.5, 0.5], [0.9, 0.9, 0.5]])
draws = model.predict_dist(rows).rvs(1000, random_state=0)
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
for row, of_row, color in zip(rows, draws, ("#0072B2", "#D55E00", "#009E73")):
    correlation = np.corrcoef(of_row.T)[0, 1]
    label = f"x = ({row[0]}, {row[1]}), correlation {correlation:.2f}"
    ax.scatter(*of_row.T, s=6, color=color, alpha=0.4, linewidths=0, label=label)
ax.set(xlabel="first target", ylabel="second target")
ax.legend(frameon=False, markerscale=3, loc="lower right")
plt.show()
