"""
Three reasons to be uncertain about a class
===========================================

The entropy of a prediction has three parts: noise, where classes overlap; disagreement between the trees, where more
rows would help; and distance, where no rows are near. Noise can be separated from disagreement only if leaves hold
several rows, hence ``min_samples_split=20``.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from hedgerow import MondrianForestClassifier
from hedgerow.plot import ClassDisplay

X, y = make_moons(300, noise=0.25, random_state=0)
forest = MondrianForestClassifier(min_samples_split=20, random_state=0).fit(X, y)

figure, axes = plt.subplots(2, 2, figsize=(9, 7.5), layout="constrained")
for ax, part in zip(axes.flat, (None, "noise", "disagreement", "distance")):
    ClassDisplay.from_estimator(forest, X, y, part=part, margin=0.5, resolution=80, ax=ax)
    ax.set_title(part or "classes")
plt.show()
