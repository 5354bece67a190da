"""
The width of a kernel, chosen in one sweep
==========================================

The Mondrian kernel is the Laplace kernel by random features. Its lifetime is the inverse width: one sweep over all
lifetimes gives the error at each.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_friedman1

from hedgerow import MondrianKernelRidge
from hedgerow.plot import LifetimePathDisplay

X, y = make_friedman1(500, n_features=5, noise=1.0, random_state=0)
model = MondrianKernelRidge(random_state=0).fit(X, y)
figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
LifetimePathDisplay.from_estimator(model, ax=ax)
plt.show()
