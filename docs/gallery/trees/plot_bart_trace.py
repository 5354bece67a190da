"""
Have the chains of BART converged?
==================================

Four short chains from different starts. If their traces overlap and R-hat is near one, they sample from the same
distribution.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_friedman1

from hedgerow import BARTRegressor
from hedgerow.plot import TraceDisplay

X, y = make_friedman1(200, n_features=6, noise=1.0, random_state=0)
model = BARTRegressor(n_estimators=50, n_chains=4, n_burn_in=500, n_draws=500, random_state=0, progress=False)
model.fit(X, y)
print(model.diagnostics())
TraceDisplay.from_estimator(model)
plt.show()
