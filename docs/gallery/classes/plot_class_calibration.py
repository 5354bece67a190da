"""
Calibrated class probabilities
==============================

Of all rows with a predicted probability of 0.8, eight in ten should belong to that class. Observed frequencies against
predicted probabilities, for three classifiers on the same rows.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from hedgerow import MondrianBoostingClassifier, MondrianForestClassifier

X, y = make_classification(4000, 10, n_informative=6, n_clusters_per_class=3, flip_y=0.1, random_state=0)
X, X_new, y, y_new = train_test_split(X, y, train_size=1000, random_state=0)
models = [
    MondrianBoostingClassifier(n_estimators=20, random_state=0),
    MondrianForestClassifier(random_state=0),
    RandomForestClassifier(random_state=0),
]

figure, axes = plt.subplots(1, 3, figsize=(11, 4), sharey=True, layout="constrained")
for ax, model in zip(axes, models):
    probability = model.fit(X, y).predict_proba(X_new)[:, 1]
    CalibrationDisplay.from_predictions(y_new, probability, n_bins=10, ax=ax)
    ax.set(title=f"{type(model).__name__}\nlog loss {log_loss(y_new, probability):.3f}", xlabel="predicted probability")
    ax.get_legend().remove()
    ax.label_outer()
axes[0].set_ylabel("frequency")
plt.show()
