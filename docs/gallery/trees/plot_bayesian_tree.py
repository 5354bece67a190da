"""
The most probable decision tree
===============================

A posterior over decision trees for three kinds of wine, drawn by a particle filter; its most probable tree.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from hedgerow import BayesianTreeClassifier
from hedgerow.plot import TreeDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
model = BayesianTreeClassifier(random_state=0).fit(X, y)
print(f"log marginal likelihood {model.log_marginal_likelihood_:.1f}")
for name, share in sorted(zip(X.columns, model.split_inclusion_), key=lambda pair: -pair[1])[:5]:
    print(f"{name:<28} in {share:.0%} of the trees")

figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
TreeDisplay.from_estimator(model, ax=ax)
plt.show()
