"""
Counts
======

Targets 0, 1, 2, ... are recognised as counts. Intervals end at whole numbers and never go below zero, and each count
has a probability.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianBoostingRegressor

rng = np.random.default_rng(0)
X = rng.uniform(size=(1200, 3))
rate = np.exp(2 * np.sin(5 * X[:, 0]) + X[:, 1] - 0.5)
y = rng.poisson(rate).astype(float)
model = MondrianBoostingRegressor(n_estimators=30, random_state=0).fit(X[:1000], y[:1000])

low, high = model.predict_interval(X[1000:], confidence=0.9).T
print(f"{np.mean((low <= y[1000:]) & (y[1000:] <= high)):.0%} of 200 new counts are in their intervals")

# %%
# The distribution of three rows: a low, a middle and a high rate. Dots are the Poisson probabilities that the rows were
# drawn from.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), sharey=True, layout="constrained")
new = np.array([[0.93, 0.1, 0.5], [0.0, 0.5, 0.5], [0.3, 0.9, 0.5]])
k = np.arange(30.0)
probabilities = model.predict_dist(new).pmf(np.tile(k, (3, 1)))
for ax, row, probability in zip(axes, new, probabilities):
    true = np.exp(2 * np.sin(5 * row[0]) + row[1] - 0.5)
    factorial = np.cumsum(np.log(np.maximum(k, 1)))
    ax.bar(k, probability, color="#0072B2", alpha=0.5, label="predicted")
    ax.scatter(k, np.exp(k * np.log(true) - true - factorial), s=14, color="black", label="true", zorder=3)
    ax.set(title=f"true rate {true:.1f}", xlabel="count", xlim=(-1, 1.2 * true + 10))
axes[0].set_ylabel("probability")
axes[0].legend(frameon=False)
plt.show()
