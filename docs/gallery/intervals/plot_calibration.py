"""
Is 90 % really 90 %?
====================

For each level, how many targets of held-out rows were in the intervals of that level? A calibrated model is on the
diagonal. Friedman's first function with noise 1, 600 rows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split

from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor, MondrianKernelRidge
from hedgerow.metrics import crps
from hedgerow.plot import CalibrationDisplay

X, y = make_friedman1(1600, noise=1.0, random_state=0)
X, X_new, y, y_new = train_test_split(X, y, train_size=600, random_state=0)

models = {
    "forest": MondrianForestRegressor(random_state=0),
    "boosting": MondrianBoostingRegressor(n_estimators=30, random_state=0),
    "kernel": MondrianKernelRidge(random_state=0),
}
figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items()):
    model.fit(X, y)
    CalibrationDisplay.from_estimator(model, X_new, y_new, ax=ax)
    ax.label_outer()
    ax.set_title(f"{name}, CRPS {crps(y_new, model.predict_dist(X_new)):.2f}")
plt.show()
