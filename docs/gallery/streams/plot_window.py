"""
A forest that forgets
=====================

`window=300` keeps the latest 300 rows: learning a row unlearns the oldest exactly. The level of the target jumps
twice. A forest that keeps all rows averages over the levels. One with a window recovers as soon as the rows before the
jump are gone. Dots are targets; bars are the 90 % intervals of every fifth row.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianForestRegressor

rng = np.random.default_rng(0)
n = 3000
X = rng.uniform(size=(n, 2))
level = np.where(np.arange(n) < 1000, 0.0, np.where(np.arange(n) < 2000, 4.0, 1.0))
y = level + np.sin(6 * X[:, 0]) + rng.normal(scale=0.3, size=n)

figure, axes = plt.subplots(2, 1, figsize=(9, 5), sharex=True, sharey=True, layout="constrained")
for ax, window in zip(axes, (None, 300)):
    forest = MondrianForestRegressor(n_estimators=20, window=window, random_state=0)
    forecasts = forest.predict_then_learn(X, y)
    low, high = forecasts.interval(0.9).T
    covered = np.mean((low <= y)[200:] & (y <= high)[200:])
    ax.vlines(np.arange(n)[::5], low[::5], high[::5], color="#0072B2", alpha=0.35, linewidth=0.8)
    ax.scatter(np.arange(n)[::5], y[::5], s=4, color="black", linewidths=0)
    ax.set(title=f"window={window}: {covered:.0%} in 90 % intervals", ylabel="y", ylim=(-4, 8))
axes[-1].set_xlabel("row")
plt.show()
