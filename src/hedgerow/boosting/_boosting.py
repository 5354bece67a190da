"""What boosted regressors and classifiers have in common: attributes, and how they unlearn."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy.typing as npt

from hedgerow.base.decision_tree import DecisionTree
from hedgerow.base.rows import Floats
from hedgerow.base.unlearning import Unlearning
from hedgerow.boosting._tree_view import view_of_stage


class MondrianBoosting(Unlearning):
    """The part of an estimator that is a boosting, whatever is learned."""

    def unlearn(self: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Forget rows: everything is learned anew from the others, with the bits of `fit` on these. Costs a `fit`.

        Parameters
        ----------
        X, y : as given when the rows were learned
            Each row must have been learned, and not unlearned since. If one is not found, none is unlearned.
        sample_weight : array of shape (n_samples,), optional
            Tells rows apart that differ in weight only.

        Returns
        -------
        self
        """
        return self._unlearn(X, y, sample_weight, relearn=True)

    def unlearn_one(self: Any, x: Any, y: Any) -> Any:
        """Forget one row; see `unlearn`."""
        return self._unlearn_one(x, y, relearn=True)

    def tree(self: Any, index: int, *, stage: int | None = None, chain: int = 0) -> DecisionTree:
        """Return a tree of a stage to be looked at: arrays in scikit-learn's shape; ``to_text`` draws it.

        Thresholds are in the user's units. Categories and sums of columns are seen by stages as axes of their own,
        named in `feature_names`. A stage learns what those before leave over: `value` has means of that, on the scale
        on which stages learn, which is that of the target, or of its map or its standard units; of classes, scores less
        the shares of all rows. The mean over the trees of a greedy stage is what the stage adds; Mondrian trees mix all
        nodes of a path. Costs a copy of the stage.

        Parameters
        ----------
        index : int
            Number of the tree.
        stage : int, optional
            Number of the stage within its chain, as `stages_` lists them; by default the first that has trees, which
            are those called "mondrian" and "greedy".
        chain : int, default=0
            Number of the chain.

        Returns
        -------
        tree : DecisionTree
        """
        self._check_learned()
        return view_of_stage(self._learner, index, chain, stage, self.axis_names_)

    @property
    def n_stages_(self: Any) -> int:
        """Stages in use, whatever they are made of."""
        self._check_learned()
        return sum(len(chain.stages) for chain in self._learner.stages.chains)

    @property
    def stages_(self: Any) -> list[dict[str, Any]]:
        """The stages of each chain in use, the number of trees of each stage, and the weight of the chain.

        Its `error` is the root mean square of its leave-one-out residuals.
        """
        self._check_learned()
        blend = self._learner.stages
        return [
            {
                "stages": list(chain.kinds),
                "n_trees": [stage.n_trees for stage in chain.stages],
                "weight": weight,
                "error": math.sqrt(chain.error),
            }
            for chain, weight in zip(blend.chains, blend.weights, strict=True)
        ]

    @property
    def feature_importances_(self: Any) -> Floats:
        """Share of each column in what is explained, by each stage."""
        self._check_learned()
        shares: Floats = self._columns.by_column(self._learner.importances())
        return shares

    # Below: private. Stages learn what to see of categories, so the door gives each one place only.

    _N_PLACES: ClassVar[int] = 1

    def _described(self: Any) -> dict[str, Any]:
        return {"category_axes": self._columns.categories}
