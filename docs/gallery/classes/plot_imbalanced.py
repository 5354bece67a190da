"""
A rare class
============

Four in a hundred rows belong to the rare class. With calibrated probabilities, the best decision for a row follows from
the costs of the two kinds of mistakes, not from which class is more probable.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import precision_recall_curve
from sklearn.model_selection import train_test_split

from hedgerow import MondrianBoostingClassifier

X, y = make_classification(6000, 8, n_informative=5, weights=[0.96], flip_y=0.01, class_sep=1.2, random_state=2)
X, X_new, y, y_new = train_test_split(X, y, train_size=1500, random_state=0, stratify=y)
model = MondrianBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
rare = model.predict_proba(X_new)[:, 1]
print(f"{y_new.mean():.1%} are rare, {rare.mean():.1%} expected")

# %%
# If a rare row that is missed costs ten times as much as a false alarm, the best threshold is 1/11. It can be read off
# the probabilities, because these are calibrated: no threshold is tuned, no row is drawn twice.

thresholds = np.linspace(0.01, 0.9, 90)
costs = [np.mean(10 * (y_new == 1) * (rare < t) + (y_new == 0) * (rare >= t)) for t in thresholds]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(thresholds, costs, color="#0072B2")
left.axvline(1 / 11, color="#D55E00", linestyle="--", label="1 / 11")
left.set(xlabel="threshold of the probability", ylabel="mean cost of a row", title="a miss costs ten false alarms")
left.legend(frameon=False)
precision, recall, _ = precision_recall_curve(y_new, rare)
right.plot(recall, precision, color="#0072B2")
right.axhline(y_new.mean(), color="black", linewidth=0.8)
right.annotate("share of the rare class", (0.02, y_new.mean() + 0.02))
right.set(xlabel="recall", ylabel="precision", ylim=(0, 1.02))
plt.show()
