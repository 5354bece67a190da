"""
Delete a customer
=================

A customer asks that her rows be removed. `unlearn` removes them from every tree. With ``cuts="keyed"`` and fixed
hyper-parameters the forest is then, bit for bit, the forest that never saw her; with learned ones, `relearn=True` does
the same for what was learned.
"""

import copy

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianForestRegressor
from hedgerow.plot import IntervalDisplay

rng = np.random.default_rng(0)
customers = rng.integers(0, 40, 400)
customers[:25] = 99
x = rng.uniform(0, 10, 400)
x[:25] = rng.uniform(4, 5, 25)
y = np.sin(x) + rng.normal(scale=0.2, size=400)
y[:25] += 1.5
X, hers = x.reshape(-1, 1), customers == 99


def new_forest():
    return MondrianForestRegressor(n_estimators=50, cuts="keyed", random_state=0)


# %%
# Her rows are unlearned in a copy, which is compared with a forest that was fitted to the other rows only.

forest = new_forest().fit(X, y)
without = copy.deepcopy(forest).unlearn(X[hers], y[hers], relearn=True)
never = new_forest().fit(X[~hers], y[~hers])
new = np.linspace(0, 10, 300).reshape(-1, 1)
print("the same bits:", bool((without.predict_interval(new) == never.predict_interval(new)).all()))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
IntervalDisplay.from_estimator(forest, X, y, grid=new[:, 0], confidence=0.9, ax=left, legend=False)
left.scatter(x[hers], y[hers], s=12, color="#D55E00", zorder=4, label="her rows")
left.legend(frameon=False, fontsize="small")
left.set(title="with her rows", xlabel="x", ylabel="y")
IntervalDisplay.from_estimator(without, X[~hers], y[~hers], grid=new[:, 0], confidence=0.9, ax=right)
right.set(title="after unlearning", xlabel="x", ylabel="")
plt.show()
