"""Reading a forest from its save file, so that tests see trees without asking the core."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from stored import Stored

LEAF, FREED = 0xFFFFFFFF, 0xFFFFFFFE
ONE_ROW, FIRST_COLUMN = 0, 2


@dataclass
class Node:
    """One node of a plain tree. Features are in forest units."""

    rows: list[int]  # all rows below
    lower: np.ndarray
    upper: np.ndarray
    time: float  # of the split; the lifetime for a leaf
    above: float  # time of the parent's split, 0 above the root
    feature: int = -1
    location: float = np.nan
    left: Node | None = None
    right: Node | None = None
    number: int = -1

    @property
    def is_leaf(self) -> bool:
        return self.left is None

    def outside(self, x) -> float:
        return float(np.sum(np.maximum(self.lower - x, 0) + np.maximum(x - self.upper, 0)))

    def preorder(self):
        yield self
        if not self.is_leaf:
            yield from self.left.preorder()
            yield from self.right.preorder()

    def path(self, x):
        """Nodes from this one to the leaf in which x falls."""
        node = self
        while not node.is_leaf:
            yield node
            node = node.right if x[node.feature] > node.location else node.left
        yield node


@dataclass
class StoredForest:
    """The arrays of a save file. Labels are as the user gave them; freed rows and nodes are still there."""

    header: dict
    arrays: dict[str, np.ndarray]
    features: np.ndarray = field(init=False)
    labels: np.ndarray = field(init=False)
    weights: np.ndarray = field(init=False)

    def __post_init__(self):
        learned = self.header["learned"]
        self.lifetime = float(self.header["parameters"]["lifetime"])
        self.features = self.arrays["rows.features"].reshape(-1, learned["columns"]["width"]).astype(np.float64)
        self.shifted_labels = self.arrays["rows.labels"]
        self.labels = self.shifted_labels + learned["learner"]["labels"].get("origin", 0.0)
        weights = self.arrays["rows.weights"]
        self.weights = weights if weights.size else np.ones(self.labels.size)
        n_cuts, n_freed = (self.arrays[f"trees.{name}"].astype(np.int64) for name in ("n_cuts", "n_freed"))
        sizes = 1 + 2 * (n_cuts + n_freed) if self.arrays["nodes.kind"].size else 0 * n_cuts
        self.n_trees = sizes.size
        self.roots = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.tree = np.repeat(np.arange(self.n_trees), sizes)  # of each node
        self._read_nodes(n_cuts)
        self.is_leaf = self.split_feature == LEAF
        self.is_inner = (self.split_feature != LEAF) & (self.split_feature != FREED)

    def _read_nodes(self, n_cuts):
        """Place the nodes, which are in the file from the root down, left before right, where their numbers say."""
        n = self.tree.size
        self.split_feature, self.left = np.full(n, FREED), np.full(n, -1)
        self.time, self.location = np.zeros(n), np.full(n, np.nan)  # of inner nodes
        self._leaf_rows: list[tuple[int, int]] = []
        names = ("nodes.kind", "cuts.location", "cuts.time", "cuts.children", "leaves.n_rows", "leaves.rows")
        kinds, locations, times, children, n_rows, rows = (iter(self.arrays[name].tolist()) for name in names)
        for b, root in enumerate(self.roots if n else []):
            pending, in_order = [int(root)], iter(range(1, 2 * int(n_cuts[b]) + 1, 2))
            links = in_order if self.arrays["trees.in_order"][b] else children
            while pending:
                at, kind = pending.pop(), next(kinds)
                if kind < FIRST_COLUMN:
                    self.split_feature[at] = LEAF
                    self._leaf_rows += [(at, next(rows)) for _ in range(1 if kind == ONE_ROW else next(n_rows))]
                    continue
                self.split_feature[at], self.left[at] = kind - FIRST_COLUMN, root + next(links)
                self.time[at], self.location[at] = next(times), next(locations)
                pending += [int(self.left[at]) + 1, int(self.left[at])]
        assert all(next(left_over, None) is None for left_over in (kinds, locations, times, children, n_rows, rows))

    @classmethod
    def of(cls, forest) -> StoredForest:
        stored, core = Stored.of(forest), "learned/learner/core/"
        own = {name.removeprefix(core): array for name, array in stored.arrays.items() if name.startswith(core)}
        return cls(stored.header, own)

    def scaled(self, X) -> np.ndarray:
        """User's points in forest units, for straight scalings."""
        values, slopes = self.arrays["scaling.values"], self.arrays["scaling.slopes"]
        assert values.size == slopes.size, "only for one knot a column"
        return ((np.asarray(X) - values) * slopes).astype(np.float32).astype(np.float64)

    def user_location(self) -> np.ndarray:
        """Split locations in the user's units, for scaling="none"; NaN at leaves."""
        located = self.location + self.arrays["scaling.values"][np.where(self.is_inner, self.split_feature, 0)]
        return np.where(self.is_inner, located, np.nan)

    def levels(self):
        """Global numbers of the nodes of all trees, level by level, with those of their parents."""
        nodes, parents = self.roots, np.full(self.n_trees, -1)
        while nodes.size:
            yield nodes, parents
            inner = nodes[self.is_inner[nodes]]
            parents = np.repeat(inner, 2)
            nodes = np.stack([self.left[inner], self.left[inner] + 1], axis=1).ravel()

    def leaf_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs (leaf, row): the global number of each leaf once for each of its rows."""
        leaves, rows = np.array(self._leaf_rows, dtype=np.int64).reshape(-1, 2).T
        return leaves, rows

    def plain_trees(self) -> list[Node]:
        """Every tree as linked nodes with measured boxes."""
        rows_of: dict[int, list[int]] = {}
        for leaf, row in zip(*(part.tolist() for part in self.leaf_rows()), strict=True):
            rows_of.setdefault(leaf, []).append(row)
        return [self._plain(int(root), 0.0, rows_of) for root in self.roots]

    def _plain(self, at: int, above: float, rows_of: dict[int, list[int]]) -> Node:
        number = at - int(self.roots[self.tree[at]])
        if self.is_leaf[at]:
            rows = rows_of[at]
            box = self.features[rows]
            return Node(rows, box.min(axis=0), box.max(axis=0), self.lifetime, above, number=number)
        time = float(self.time[at])
        left, right = (self._plain(int(self.left[at]) + side, time, rows_of) for side in (0, 1))
        lower, upper = np.minimum(left.lower, right.lower), np.maximum(left.upper, right.upper)
        feature, location = int(self.split_feature[at]), float(self.location[at])
        return Node(left.rows + right.rows, lower, upper, time, above, feature, location, left, right, number)
