"""
The minimum of an expensive function
====================================

Sixty evaluations of Branin's function, and the mean and standard deviation that the forest predicts elsewhere.
"""

import math

import matplotlib.pyplot as plt

from hedgerow.optimize import minimize
from hedgerow.plot import ConvergenceDisplay, SliceDisplay


def branin(x):
    a, b = x
    hill = (b - 5.1 / (4 * math.pi**2) * a**2 + 5 / math.pi * a - 6) ** 2
    return hill + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


result = minimize(branin, [(-5, 10), (0, 15)], n_calls=60, random_state=0)
print(f"least value {result.fun:.4f} at {result.x.round(2)}; the minimum is 0.3979")
SliceDisplay.from_result(result, (0, 1), resolution=80)

# %%
# How fast the least value falls, next to points that are spread evenly.

spread = minimize(branin, [(-5, 10), (0, 15)], n_calls=60, n_initial=60, random_state=1)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ConvergenceDisplay.from_results(result, spread, labels=["hedgerow", "spread evenly"], optimum=0.397887, ax=ax)
plt.show()
