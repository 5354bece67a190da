"""
A new class in a stream
=======================

A stream of digits, in which eights occur for the first time at row 500. Before any eight has been learned, these rows
stand out by the distance part of their uncertainty. New classes can be learned at any time.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from hedgerow import MondrianForestClassifier

X, y = load_digits(return_X_y=True)
old, eights = np.flatnonzero(y != 8), np.flatnonzero(y == 8)
rng = np.random.default_rng(0)
late = rng.permutation(np.concatenate([old[500:900], eights[:100]]))
forest = MondrianForestClassifier(n_estimators=30, random_state=0).fit(X[old[:500]], y[old[:500]])
distance = forest.predict_uncertainty(X[late]).distance
is_new = y[late] == 8
print(
    f"median distance: {np.median(distance[~is_new]):.3f} of known digits, {np.median(distance[is_new]):.3f} of eights"
)

# %%
# Then the rows are learned, 50 at a time. How many of the eights in the next 50 are recognised?

found = []
for begin in range(0, 500, 50):
    rows = late[begin : begin + 50]
    predicted = forest.predict(X[rows])
    is_eight = y[rows] == 8
    found.append([np.mean(predicted[is_eight] == 8), np.mean(predicted[~is_eight] == y[rows][~is_eight])])
    forest.partial_fit(X[rows], y[rows])

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
bins = np.linspace(0, 0.6, 30)
left.hist(distance[~is_new], bins, density=True, alpha=0.6, color="#0072B2", label="known digits")
left.hist(distance[is_new], bins, density=True, alpha=0.6, color="#D55E00", label="eights")
left.set(xlabel="distance part of the uncertainty", ylabel="density", title="before an eight was learned")
left.legend(frameon=False)
for share, label, color in zip(np.transpose(found), ("eights", "other digits"), ("#D55E00", "#0072B2")):
    right.plot(np.arange(0, 500, 50), share, marker="o", color=color, label=label)
right.set(xlabel="rows learned since eights came", ylabel="recognised in the next 50", ylim=(-0.03, 1.03))
right.legend(frameon=False, loc="lower right")
plt.show()
