"""
Noise that varies
=================

Targets are noisier on the right (heteroscedastic noise). `MondrianBoostingRegressor` learns where, so its intervals
cover 90 % of the rows in both halves; intervals of constant width would cover too many on one side and too few on the
other.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianBoostingRegressor
from hedgerow.plot import IntervalDisplay

rng = np.random.default_rng(1)


def rows(n):
    x = rng.uniform(0, 10, n)
    return x.reshape(-1, 1), np.sin(x) + rng.normal(scale=np.where(x < 5, 0.1, 0.6))


X, y = rows(800)
X_new, y_new = rows(4000)
model = MondrianBoostingRegressor(n_estimators=30, random_state=0).fit(X, y)

low, high = model.predict_interval(X_new, confidence=0.9).T
width = np.quantile(np.abs(y_new - model.predict(X_new)), 0.9)
for name, half in (("left", X_new[:, 0] < 5), ("right", X_new[:, 0] >= 5)):
    own = np.mean((low <= y_new)[half] & (y_new <= high)[half])
    one = np.mean(np.abs(y_new - model.predict(X_new))[half] <= width)
    print(f"{name:>5} half: {own:.0%} in intervals of the model, {one:.0%} in those of one width")

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
IntervalDisplay.from_estimator(model, X, y, confidence=(0.5, 0.9), ax=ax)
ax.set(xlabel="x", ylabel="y")
plt.show()
