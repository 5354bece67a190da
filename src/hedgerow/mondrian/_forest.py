"""What Mondrian forests for regression and for classification have in common: attributes, and how they unlearn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from hedgerow.base.decision_tree import DecisionTree, leaf_words, tree_number
from hedgerow.base.guard import guards_itself
from hedgerow.base.rows import Floats
from hedgerow.base.unlearning import Unlearning
from hedgerow.base.work import all_or_nothing, compute_in_pieces
from hedgerow.mondrian._isolation import isolation_scores
from hedgerow.mondrian._merging import Part, join, part_of
from hedgerow.mondrian._sowing import SownModel
from hedgerow.mondrian._tree_view import view_of_tree

KEPT = ("_chosen", "_classes", "_balanced")
"""Attributes of a forest that one with wider rows has, too."""


class MondrianForest(Unlearning):
    """The part of an estimator that is a Mondrian forest, whatever is learned."""

    def unlearn(self: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, *, relearn: bool = False) -> Any:
        """Take rows out of the trees, or forget them altogether.

        Given the units of the columns and the hyper-parameters, the trees become trees that have never seen the rows,
        in distribution. What the rows have taught units and hyper-parameters stays. With `relearn` that goes too: the
        result is what `fit` on the rows left, in the order in which they are held, would give with the same seed.

        Ctrl-C, or memory that runs out, leaves a model that has unlearned the first rows; `n_samples_` shows how many
        it holds. With `relearn` the model is as it was.

        Parameters
        ----------
        X, y : as given when the rows were learned
            Each row must have been learned, and not unlearned since. If one is not found, none is unlearned.
        sample_weight : array of shape (n_samples,), optional
            Tells rows apart that differ in weight only.
        relearn : bool, default=False
            Learn everything anew from the rows left: ranges and ranks of the columns, how fast they are cut, smoothing,
            intervals, classes. Costs a `fit`. `n_samples_seen_` then counts the rows left only; if none is, the model
            is as it was before its first row.

        Returns
        -------
        self
        """
        return self._unlearn(X, y, sample_weight, relearn)

    def unlearn_one(self: Any, x: Any, y: Any, *, relearn: bool = False) -> Any:
        """Forget one row; see `unlearn`."""
        return self._unlearn_one(x, y, relearn)

    @guards_itself
    def merge(self: Any, other: Any) -> Any:
        """Learn all rows that another forest holds: as if this one had been fitted to the rows of both.

        Both have ``cuts="keyed"``, the same parameters and the same integer as `random_state`, and have learned
        different rows; see `hedgerow.merge` for more than two. Merging is associative and commutative: neither the
        order nor how rows were divided makes a difference to the trees or to what is predicted. Where units of
        columns or hyper-parameters are learned from rows, they are learned anew, which costs a `fit`.

        A part whose rows have been merged before is refused. If anything fails, both forests are as they were.

        Parameters
        ----------
        other : forest of the same class
            It stays as it is.

        Returns
        -------
        self
        """
        part = part_of(type(self), other)  # before this forest is held: two may be merged into each other at once
        with self._changing:
            return self._join([part])

    def apply(self: Any, X: Any) -> npt.NDArray[np.uint32]:
        """Return the number of the leaf in which each row falls, per tree: shape (n_samples, n_estimators)."""
        X = self._query_rows(X)
        core, n_threads = self._learner.core, self._current.query.n_threads
        return np.asarray(compute_in_pieces(lambda rows: core.leaves(rows, n_threads), X, core.n_trees))

    def tree(self: Any, index: int) -> DecisionTree:
        """Return a tree to be looked at: arrays in scikit-learn's shape, with times and boxes; ``to_text`` draws it.

        Thresholds and boxes are in the user's units, on the axes of `axis_names_`. Predictions are more than what a
        leaf predicts: they mix all nodes of a path. Costs a copy of the forest.
        """
        self._check_learned()
        number = tree_number(index, self._learner.core.n_trees)
        return view_of_tree(self._learner, number, self._node_values, self._leaf_words, self.axis_names_)

    def cells(self: Any, X: Any) -> Floats:
        """Return the cell of each row in each tree: shape (n_samples, n_estimators, n_axes, 2).

        A cell lies between the last cuts below and above the row on its way to a leaf; where nothing was cut its bound
        is infinite. Rows in the open interior of one cell fall in the same leaf. Axes are those of `axis_names_`.
        """
        X = self._query_rows(X)
        core, n_threads = self._learner.core, self._current.query.n_threads
        return np.asarray(compute_in_pieces(lambda rows: core.cells(rows, n_threads), X, 5 * core.n_trees))  # slower

    def score_samples(self: Any, X: Any) -> Floats:
        """Score how much rows are like the data: the lower, the more of an outlier; as scikit-learn's IsolationForest.

        A row is an outlier if few cuts separate it from all rows held. Given a tree, the Mondrian process gives the
        probability that a new row is cut off at each node of its path, and so the expected depth of the leaf that it
        would have of its own; a row that is held has one. The mean depth over the trees is related to that of n rows in
        a random search tree, c(n), as in Liu, Ting and Zhou (2008): ``-2 ** (-depth / c(n))``.

        Trees cut the columns that labels depend on more often, so it is in these that rows must differ. Labels of the
        rows do not matter otherwise; if there are none, fit a regressor to zeros, and all columns count. Blocks that a
        classifier has left whole because they are of one class show less: set ``pause_pure=False``.

        Costs a copy of the forest, so score many rows at once. `n_jobs` makes no difference.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Any rows, learned or not.

        Returns
        -------
        scores : array of shape (n_samples,)
            Between -1 and 0.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import MondrianForestRegressor
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> forest = MondrianForestRegressor(random_state=0).fit(X, np.zeros(300))
        >>> forest.score_samples([[0, 0], [3, -3], [6, -6]]).round(1).tolist()
        [-0.5, -0.7, -0.8]
        """
        X = self._query_rows(X)
        return isolation_scores(self._learner, X)

    @property
    def axis_rates_(self: Any) -> Floats:
        """How fast each axis is cut, per unit of its scaled length; the fastest at 1. All 1 unless learned.

        A column of numbers is one axis; `axis_names_` has those of others.
        """
        self._check_learned()
        rates: Floats = self._learner.scaling.rates
        return rates if rates.size else np.ones(self._columns.width)

    @property
    def feature_importances_(self: Any) -> Floats:
        """Share of each column in how much labels change across the cuts of the trees, less what noise explains."""
        self._check_learned()
        shares: Floats = self._columns.by_column(self._learner.importances(self._learner.groups))
        return shares

    @property
    def n_nodes_(self: Any) -> int:
        """Number of nodes in all trees together."""
        self._check_learned()
        return int(self._learner.core.n_nodes)

    @property
    def depth_(self: Any) -> int:
        """Length of the longest way from a root to a leaf."""
        self._check_learned()
        return int(self._learner.core.depth)

    @property
    def n_samples_(self: Any) -> int:
        """Number of rows held now: learned, not unlearned, within the window."""
        self._check_learned()
        return int(self._learner.core.n_rows)

    def check_structure(self: Any) -> list[str]:
        """Check every tree against the definition of a Mondrian tree.

        Returns
        -------
        broken : list of str
            A sentence for each rule that is broken. Always empty, or there is a bug.
        """
        self._check_learned()
        return list(self._learner.core.broken_rules())

    def _node_values(self, y: Floats) -> Floats:
        """What is averaged over the rows of a node: their targets."""
        return y.reshape(len(y), -1)

    def _leaf_words(self, value: Floats, n_rows: int) -> str:
        """Say what the rows of a leaf have."""
        return leaf_words(value, n_rows)

    @all_or_nothing
    def _join(self: Any, parts: list[Part]) -> Any:
        return join(self, parts)

    def _described(self: Any) -> dict[str, Any]:
        axes = self._columns.category_axes
        return {"category_axes": axes} if axes else {}

    # For adapters to other libraries.

    def _sown(self: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> SownModel:
        """Return what `fit` to these rows grows trees from, so that these can be grown apart."""
        return SownModel.of(self, X, y, sample_weight)

    def _widened(self: Any, values: Floats) -> Any:
        """Return a forest for wider rows: the same trees; in the added columns, all rows held have `values`.

        For forests that know their columns by number. This one stays as it is.
        """
        if not self.__sklearn_is_fitted__() or hasattr(self, "feature_names_in_"):
            raise ValueError("only a forest that has learned rows without names can be widened")
        wider: Any = clone(self)
        vars(wider).update({name: value for name, value in vars(self).items() if name in KEPT})
        wider.n_features_in_ = self.n_features_in_ + values.size
        wider._columns = self._columns.with_numbers(values)
        wider._learner = self._learner.widened(values)
        return wider

    def _review(self: Any) -> None:
        """Look at the units of the columns now."""
        self._learner.review(self._current.query)
