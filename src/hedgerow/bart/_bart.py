"""What BART for numbers and for classes has in common: chains, how they went, which columns they split."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from hedgerow.bart._diagnostics import Diagnostics, complaint
from hedgerow.bart._learner import ChainLearner, Probes
from hedgerow.bart._settings import BARTQuery, checked_draws
from hedgerow.bart._tree_view import DrawnTrees, view_of_tree
from hedgerow.base.decision_tree import DecisionTree, tree_number
from hedgerow.base.estimator import Estimator
from hedgerow.base.rows import Floats
from hedgerow.base.settings import check_within
from hedgerow.base.work import all_or_nothing


def shares_of(counts: npt.NDArray[np.uint32]) -> Floats:
    """Return each row of counts divided by its sum; zeros stay."""
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True, dtype=np.float64), 1.0)
    return shares


class BART(Estimator):
    """Base of both. A subclass defines what sums of trees predict."""

    _QUERY: ClassVar[Any] = BARTQuery
    _LEARNER: ClassVar[Any] = ChainLearner
    _learner: ChainLearner

    @abstractmethod
    def _draws_at(self, X: Floats) -> dict[str, Floats]:
        """Each draw's values at each row, by name, draws first: "predictions", and "noise_of_rows" if that varies."""

    @abstractmethod
    def _log_likelihoods_at(self, X: Floats, y: Any) -> Floats:
        """Logarithm of the density of each target, or probability of each label: shape (draws, rows)."""

    @abstractmethod
    def _trees_of(self, what: Any) -> DrawnTrees:
        """Where the trees of a draw are that have a value; ValueError if there are none."""

    # Learning.

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Draw sums of trees from their posterior given all rows, forgetting whatever was learned before.

        Ctrl-C ends it. Before the first draw the model stays as it was; after that the draws so far are kept, and
        `continue_sampling` goes on.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : array of shape (n_samples,)
            Targets, or labels of classes.
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts as w equal rows. Rows of weight zero are ignored. For classes weights must be whole
            numbers.

        Returns
        -------
        self
        """
        super().fit(X, y, sample_weight)
        self._report(stacklevel=5)
        return self

    def continue_sampling(self, n_draws: int | str = 1000) -> Self:
        """Draw more, from where the chains are: the same bits as if `fit` had drawn all of them.

        Settings are those of `fit`. Ctrl-C keeps the draws so far.

        Parameters
        ----------
        n_draws : int or "auto", default=1000
            Draws that each chain adds; "auto" adds them until they are enough, 1000 at most.

        Returns
        -------
        self
        """
        self._check_learned()
        self._learner.draw(checked_draws("n_draws", n_draws), self._current.query)
        self._report(stacklevel=4)
        return self

    # Diagnostics of the chains.

    @property
    def n_draws_(self) -> int:
        """Draws that each chain has kept."""
        self._check_learned()
        return self._learner.n_draws

    @property
    def trace_(self) -> dict[str, Floats]:
        """What was noted down of each draw, by name, each of shape (n_chains, n_draws).

        "noise" (for numbers; its standard deviation), "log_likelihood" of all targets or labels, "n_leaves" (mean over
        trees) and "root_changes" (share of trees whose root changed in the last sweep). Of trees of the mean, if noise
        varies.
        """
        self._check_learned()
        return self._learner.trace

    def diagnostics(self) -> Diagnostics:
        """Say how well the chains have mixed: R-hat, effective sample sizes, and a warning in words where they differ.

        Returns
        -------
        diagnostics : Diagnostics
            ``print`` it.
        """
        self._check_learned()
        return self._learner.diagnostics(self._draws_at(self._learner.probes.X))

    def to_arviz(self, X: Any = None, y: Any = None) -> Any:
        """Return the draws as ArviZ's ``InferenceData``; needs the extra ``hedgerow[arviz]``.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), optional
            Rows whose predictions are to be among the variables. Default: the rows that `diagnostics` follows.
        y : array of shape (n_samples,), optional
            Targets or labels of these rows: adds their log likelihood, row by row, for ``arviz.loo``.

        Returns
        -------
        data : arviz.InferenceData
        """
        from hedgerow.integrations.arviz import to_arviz

        return to_arviz(self, X, y)

    def tree(self, index: int, *, draw: int = -1, chain: int = 0, of: Any = None) -> DecisionTree:
        """Return a tree of a draw to be looked at: arrays in scikit-learn's shape; ``to_text`` draws it.

        The trees of a draw predict little each: what their leaves add, in `value`, is summed over all of them, each
        with its share of what is the same for all rows. Thresholds are on the axes of `axis_names_`. Costs a copy of
        all draws.

        Parameters
        ----------
        index : int
            Number of the tree, from 0 to ``n_estimators - 1``.
        draw : int, default=-1
            Which of the draws that a chain has kept; the last by default.
        chain : int, default=0
            Which of the chains.
        of : optional
            For numbers "mean", the default, or "noise" if that varies: its trees add up to the logarithm of its
            variance. For more than two classes, the class to whose utility trees add up; for two they add up to the
            probit of the second.

        Returns
        -------
        tree : DecisionTree
        """
        self._check_learned()
        learner, trees = self._learner, self._trees_of(of)
        number = tree_number(index, trees.n_trees)
        chain = tree_number(chain, learner.settings.n_chains, "chain")
        draw = tree_number(draw, learner.n_draws, "draw")
        return view_of_tree(learner.sampler.archive(), trees, number, (chain, draw), self.axis_names_)

    # Which columns matter.

    @property
    def split_inclusion_(self) -> Floats:
        """Mean over draws of the share of all splits that fall on each column (Chipman et al. 2010, section 3.2).

        `split_inclusion_bands` has its posterior bands.
        """
        shares = self._split_shares().mean(axis=0)
        by_column: Floats = self._columns.by_column(shares)
        return by_column

    def split_inclusion_bands(self, confidence: float = 0.9) -> Floats:
        """Central posterior interval of the share of splits on each column: shape (n_features, 2)."""
        check_within("confidence", confidence, 1e-12, 1.0 - 1e-12, "between 0 and 1")
        tail = 0.5 - 0.5 * confidence
        shares = np.array([self._columns.by_column(draw) for draw in self._split_shares()])
        bands: Floats = np.quantile(shares, [tail, 1.0 - tail], axis=0).T
        return bands

    @property
    def feature_importances_(self) -> Floats:
        """Share of all splits of all draws that fall on each column; zeros if there is none."""
        self._check_learned()
        counts = self._learner.sampler.split_counts().sum(axis=0, dtype=np.float64)
        shares: Floats = self._columns.by_column(counts / max(counts.sum(), 1.0))
        return shares

    # Below: private.

    def _report(self, stacklevel: int) -> None:
        """Warn if sampling was cut short, if it ended before there was enough, or if the chains disagree."""
        n_draws, wanted = self.n_draws_, self._learner.n_wanted
        if n_draws < wanted:
            warnings.warn(
                f"interrupted: {n_draws} of {wanted} draws of each chain were kept. The model can be used; "
                f"continue_sampling({wanted - n_draws}) goes on from here.",
                UserWarning,
                stacklevel=stacklevel,
            )
        words = complaint(self.trace_) if self._learner.settings.n_chains > 1 else ""
        if self._learner.complaints and n_draws >= wanted:
            words = "\n".join([f"n_draws='auto' ended with {n_draws} draws of each chain.", *self._learner.complaints])
        if words:
            warnings.warn(words, ConvergenceWarning, stacklevel=stacklevel)

    def _followed(self, X: Any) -> Probes:
        """Rows of a query, and their places; those that `diagnostics` follows if there are none."""
        if X is None:
            return self._learner.probes
        X = self._query_rows(X)
        return Probes(X, list(range(X.shape[0])))

    def _split_shares(self) -> Floats:
        """Share of the splits of each draw that fall on each column: shape (n_chains * n_draws, n_features)."""
        self._check_learned()
        return shares_of(self._learner.sampler.split_counts())
