"""Comparing the laws of trees. Given its rows, each tree of a forest is an independent draw.

The false-alarm rate of the whole suite, over the choice of seeds, is below 1e-3: at most 90 tests make at
most 60 comparisons each (`LawTest` counts them), each at 1.8e-7 (Bonferroni).
"""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2_contingency, chisquare, ks_2samp, kstest

from hedgerow import MondrianForestRegressor
from paper import paper_regressor
from thorough import THOROUGH
from trees import StoredForest

LEVEL = 1.8e-7
COMPARISONS_PER_TEST = 60
N_TREES = 20_000 if THOROUGH else 4_000

FIXED = {"prior_mean": 0.0, "drift_variance": 4.0, "drift_rate": 0.5, "noise_variance": 0.2}


def forest(seed, **parameters) -> MondrianForestRegressor:
    """Many trees in the user's own units, with fixed hyper-parameters: only the trees' law is at stake."""
    settings = {"min_samples_split": 2, "scaling": "none", **FIXED, **parameters}
    return paper_regressor(N_TREES, random_state=seed, **settings)


class LawTest:
    """Collects p-values under names, and fails with the names of those that are too small."""

    def __init__(self):
        self.p_values: dict[str, float] = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            return
        assert 0 < len(self.p_values) <= COMPARISONS_PER_TEST
        alarms = {name: p for name, p in self.p_values.items() if not p >= LEVEL}
        assert not alarms, f"laws differ: {alarms}"

    def has_law(self, name, sample, cdf):
        """One sample against a distribution function."""
        self._note(name, kstest(sample, cdf).pvalue)

    def has_probabilities(self, name, categories, probabilities):
        """Categories 0, 1, ... against their probabilities."""
        probabilities = np.asarray(probabilities)
        counts = np.bincount(categories, minlength=probabilities.size)
        assert counts.size == probabilities.size
        self._note(name, chisquare(counts, probabilities * counts.sum()).pvalue)

    def same_numbers(self, name, first, second):
        """Numbers that agree to nine digits are the same, so that rounding does not tear atoms apart."""
        if not len(first) and not len(second):
            return
        self._note(name, ks_2samp(np.round(first, 9), np.round(second, 9), method="asymp").pvalue)

    def same_categories(self, name, first, second):
        """Categories of any kind; those too rare to say something are put together."""
        values, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
        table = np.stack([np.bincount(part, minlength=values.size) for part in np.split(codes, [len(first)])])
        rare = table.sum(axis=0) < 20
        table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
        table = table[:, table.sum(axis=0) > 0]
        self._note(name, 1.0 if table.shape[1] == 1 else chi2_contingency(table).pvalue)

    def independent(self, name, first, second):
        """Two real columns, by a table of their thirds."""
        thirds = [np.searchsorted(np.quantile(part, [1 / 3, 2 / 3]), part) for part in (first, second)]
        table = np.histogram2d(*thirds, bins=3)[0]
        self._note(name, chi2_contingency(table).pvalue)

    def _note(self, name, p):
        assert name not in self.p_values
        self.p_values[name] = float(p)


class TreeStatistics:
    """Numbers of each tree of a forest, in the user's units. Rows are told apart by their labels."""

    def __init__(self, model):
        stored = StoredForest.of(model)
        self.stored, self.model = stored, model
        self.n_trees = stored.n_trees
        in_tree = np.zeros(stored.tree.size, dtype=bool)
        depth_of = np.zeros(stored.tree.size, dtype=int)
        self.parent = np.full(stored.tree.size, -1)
        for level, (nodes, parents) in enumerate(stored.levels()):
            in_tree[nodes] = True
            depth_of[nodes] = level
            self.parent[nodes] = parents
        inner = stored.is_inner & in_tree
        self.time = np.where(inner, stored.time, stored.lifetime)
        self.n_nodes = np.bincount(stored.tree[in_tree], minlength=self.n_trees)
        self.depth = np.zeros(self.n_trees, dtype=int)
        np.maximum.at(self.depth, stored.tree[in_tree], depth_of[in_tree])
        self.last_time = np.zeros(self.n_trees)
        np.maximum.at(self.last_time, stored.tree[inner], stored.time[inner])
        roots = stored.roots
        self.root_time = self.time[roots]
        self.root_feature = np.where(stored.is_inner[roots], stored.split_feature[roots], -1)
        self.root_location = stored.user_location()[roots]
        width = stored.features.shape[1]
        self.feature_counts = [
            np.bincount(stored.tree[inner], stored.split_feature[inner] == d, self.n_trees) for d in range(width)
        ]
        leaves, rows = stored.leaf_rows()
        labels = np.round(self.row_names(stored), 9)
        self.row_labels = np.unique(labels[rows])
        self.leaf = np.empty((self.row_labels.size, self.n_trees), dtype=int)
        self.leaf[np.searchsorted(self.row_labels, labels[rows]), stored.tree[leaves]] = leaves

    def row_names(self, stored):
        """A number for each row that no other row has."""
        return stored.labels

    def partitions(self):
        """How each tree deals the rows to leaves: for each row the first row of its leaf, as a string."""
        firsts = np.stack([(self.leaf == row).argmax(axis=0) for row in self.leaf], axis=1)
        return np.array([" ".join(map(str, row)) for row in firsts])

    def separation_times(self, i, j):
        """When rows i and j (in the order of their labels) were separated; the lifetime if never."""
        times = np.full(self.n_trees, self.stored.lifetime)
        for first, second in zip(self._chain(self.leaf[i]), self._chain(self.leaf[j]), strict=False):
            parted = (first != second) & (first >= 0) & (second >= 0)
            siblings = parted & (self.parent[first] == self.parent[second])
            times[siblings] = self.time[self.parent[first[siblings]]]
        return times

    def _chain(self, nodes):
        """Ancestors of a node of each tree, root first, -1 below the node."""
        ways = [nodes]
        while (ways[-1] >= 0).any():
            ways.append(np.where(ways[-1] >= 0, self.parent[ways[-1]], -1))
        table = np.stack(ways[-2::-1])  # the root's row first for the deepest, later for others
        aligned = np.full_like(table, -1)
        start = (table >= 0).argmax(axis=0)
        for level in range(table.shape[0]):
            source = start + level
            valid = source < table.shape[0]
            aligned[level, valid] = table[source[valid], np.flatnonzero(valid)]
        return aligned

    def predictions(self, X):
        """Mean and standard deviation that each tree predicts at each point: two arrays (points, trees)."""
        dist = self.model.predict_dist(X)
        point = np.repeat(np.arange(len(dist)), np.diff(dist.first))
        total = np.cumsum(dist.weights) - point
        tree = np.clip(((total - 0.5 * dist.weights) * self.n_trees).astype(int), 0, self.n_trees - 1)
        place = point * self.n_trees + tree
        size = len(dist) * self.n_trees
        mean = np.bincount(place, dist.weights * dist.means, size) * self.n_trees
        square = np.bincount(place, dist.weights * (dist.means**2 + dist.variances), size) * self.n_trees
        return mean.reshape(len(dist), -1), np.sqrt(square - mean**2).reshape(len(dist), -1)


def compare_laws(laws: LawTest, one, other, queries):
    """Everything that can be seen of the trees of two forests on the same rows."""
    a, b = TreeStatistics(one), TreeStatistics(other)
    compare_shapes(laws, a, b)
    (mean_a, std_a), (mean_b, std_b) = a.predictions(queries), b.predictions(queries)
    for k in range(len(queries)):
        laws.same_numbers(f"mean at point {k}", mean_a[k], mean_b[k])
        laws.same_numbers(f"std at point {k}", std_a[k], std_b[k])


def compare_shapes(laws: LawTest, a: TreeStatistics, b: TreeStatistics):
    """Times, places and columns of splits, and how rows are dealt to leaves."""
    np.testing.assert_array_equal(a.row_labels, b.row_labels)
    laws.same_numbers("root time", a.root_time, b.root_time)
    laws.same_numbers("last time", a.last_time, b.last_time)
    laws.same_categories("root feature", a.root_feature, b.root_feature)
    for d in range(len(a.feature_counts)):
        chosen = [part.root_location[part.root_feature == d] for part in (a, b)]
        laws.same_numbers(f"root location in column {d}", *chosen)
        laws.same_categories(f"cuts of column {d}", a.feature_counts[d], b.feature_counts[d])
    laws.same_categories("number of nodes", a.n_nodes, b.n_nodes)
    laws.same_categories("depth", a.depth, b.depth)
    laws.same_categories("partition", a.partitions(), b.partitions())
    rng = np.random.default_rng(0)
    for i, j in {tuple(sorted(rng.choice(a.row_labels.size, 2, replace=False).tolist())) for _ in range(6)}:
        laws.same_numbers(f"separation of {i} and {j}", a.separation_times(i, j), b.separation_times(i, j))
