"""
Which rows to label next
========================

Where rows are cheap and labels are expensive, `query` chooses the rows whose targets would reduce the variance of
predictions most. Left: 260 rows of a pool have been labelled at random; the next 60 are chosen together, in gaps
between these and apart from each other. Right: the same from 100 rows on, 40 at a time, and with random rows in their
place; the mean of three pools. The function is almost a plane for x0 < 0.5, and has waves beyond.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianForestRegressor


def truth(X):
    return np.where(X[:, 0] < 0.5, 0.3 * X[:, 0], np.sin(30 * X[:, 0])) + 0.3 * X[:, 1]


def draw(rng):
    X = rng.uniform(size=(1000, 2))
    return X, truth(X) + rng.normal(scale=0.05, size=1000)


def errors(chooses, seed, n_rounds=6):
    """Error on new rows after each round of 40 labels."""
    rng = np.random.default_rng(seed)
    (X, y), new, found = draw(rng), rng.uniform(size=(2000, 2)), []
    labelled = np.arange(100)
    for _ in range(n_rounds):
        forest = MondrianForestRegressor(30, random_state=seed).fit(X[labelled], y[labelled])
        found.append(np.sqrt(np.mean((forest.predict(new) - truth(new)) ** 2)))
        rest = np.setdiff1d(np.arange(1000), labelled)
        picked = forest.query(X[rest], 40) if chooses else rng.choice(rest.size, 40, replace=False)
        labelled = np.append(labelled, rest[picked])
    return found


X, y = draw(np.random.default_rng(0))
forest = MondrianForestRegressor(random_state=0).fit(X[:260], y[:260])
chosen = X[260:][forest.query(X[260:], 60)]

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
axes[0].scatter(*X[:260].T, s=9, color="0.55", linewidths=0, label="labelled, at random")
axes[0].scatter(*chosen.T, s=22, color="#D55E00", linewidths=0, label="chosen next")
axes[0].set(xlabel="x0", ylabel="x1", xlim=(0, 1), ylim=(0, 1))
axes[0].legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, borderaxespad=0.2)
labels = 100 + 40 * np.arange(6)
for chooses, name, color in ((False, "random", "0.45"), (True, "query", "#D55E00")):
    means = np.mean([errors(chooses, seed) for seed in range(3)], axis=0)
    axes[1].plot(labels, means, "o-", color=color, markersize=4, label=name)
    print(f"{name:>6}: error {means[-1]:.3f} with {labels[-1]} labels")
axes[1].set(xlabel="labels", ylabel="error on new rows", ylim=(0, None))
axes[1].legend()
plt.show()
