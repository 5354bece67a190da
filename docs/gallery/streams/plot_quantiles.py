"""
Quantiles of a stream in bounded memory
=======================================

`OnlineQuantileForestRegressor` keeps a sketch of the targets in each leaf. Here the spread of the target depends on the
column.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import OnlineForestRegressor, OnlineQuantileForestRegressor

rng = np.random.default_rng(0)
x = rng.uniform(0, 10, 20_000)
y = np.sin(x) + rng.exponential(0.1 + 0.08 * x)
forest = OnlineQuantileForestRegressor(OnlineForestRegressor(n_estimators=20), random_state=0)
forest.partial_fit(x.reshape(-1, 1), y)

grid = np.linspace(0, 10, 300)
levels = [0.05, 0.25, 0.5, 0.75, 0.95]
quantiles = forest.predict_quantiles(grid.reshape(-1, 1), levels)
figure, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
ax.scatter(x[-1500:], y[-1500:], s=4, color="#BBBBBB", linewidths=0, label="the last 1,500 rows")
for level, line in zip(levels, quantiles.T):
    true = np.sin(grid) - np.log(1 - level) * (0.1 + 0.08 * grid)
    ax.plot(grid, line, color="#0072B2", linewidth=1.2, label="quantiles of the forest" if level == 0.5 else None)
    ax.plot(grid, true, color="#D55E00", linewidth=1, linestyle="--", label="true" if level == 0.5 else None)
ax.set(xlabel="x", ylabel="y", ylim=(-1.5, 5))
ax.legend(frameon=False, loc="upper left", ncols=3)
plt.show()
