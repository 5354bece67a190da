"""What regressors share that learn one target or several: which learner it takes, and that it stays that number."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import column_or_1d

from hedgerow.base.columns import Cells
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.targets import read_target, read_targets
from hedgerow.files import Stored

MOST_TARGETS = 2**31 - 1


class SeveralTargets:
    """The part of a regressor that looks at how many targets a row has."""

    _Y_CHECKS: ClassVar[dict[str, Any]] = {"y_numeric": True, "multi_output": True}
    _LEARNER: ClassVar[Any]
    _JOINT_LEARNER: ClassVar[Any]  # of several targets
    _learner: Any

    @property
    def noise_covariance_(self: Any) -> Floats:
        """Covariance of the noise of several targets: shape (n_targets, n_targets)."""
        self._check_learned()
        if self._n_targets == 1:
            raise AttributeError("noise_covariance_ exists only where y has several columns")
        covariance: Floats = self._learner.noise_covariance
        return covariance

    def __sklearn_tags__(self) -> Any:
        """Return to scikit-learn whether y may have several columns."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        try:
            self._check_several()
        except ValueError:
            return tags
        tags.target_tags.multi_output = True
        return tags

    # Below: private.

    @property
    def _n_targets(self) -> int:
        """How many there are; 1 before the first row."""
        return int(getattr(getattr(self, "_learner", None), "n_targets", 1))

    def _check_several(self: Any) -> None:
        """Raise ValueError if a parameter is for one target."""
        if not isinstance(self.target, str) or self.target not in ("auto", "real"):
            raise ValueError(
                f"several targets are real numbers: target must be 'auto' or 'real', got {self.target!r}; fit one "
                "model for each target, or transform y"
            )

    def _learner_of(self, rows: Rows) -> Any:
        if rows.y.ndim == 1:
            return self._LEARNER
        self._check_several()
        return self._JOINT_LEARNER

    def _learner_in(self, stored: Stored) -> Any:
        if "n_targets" not in stored:
            return self._LEARNER
        stored.integer("n_targets", 2, MOST_TARGETS)
        return self._JOINT_LEARNER

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Cells, Any]:
        if issparse(y):
            raise ValueError("y is a sparse matrix; targets are an array, such as y.toarray()")
        cells, y = super()._read(X, y, reset)  # type: ignore[misc]
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        if not reset:
            self._check_number(y)
        return cells, y

    def _check_number(self: Any, y: Any) -> None:
        """Raise ValueError unless targets are as many as those that were learned."""
        n_targets = y.shape[1] if y.ndim == 2 else 1
        if self.__sklearn_is_fitted__() and n_targets != self._n_targets:
            words = ["one number a row" if n == 1 else f"{n} numbers a row" for n in (n_targets, self._n_targets)]
            raise ValueError(f"y has {words[0]}, and the model has learned {words[1]}; call fit to begin anew")

    def _encode_one(self, y: Any) -> tuple[Any, float]:
        if np.ndim(y) == 0 or np.size(y) < 2:
            target: Any = self._encode_number(y)
        else:
            target = read_targets(y)
            if target.ndim != 1:
                raise ValueError(f"the targets of a row must be a vector, got shape {target.shape}")
        if np.ndim(target) != (self._n_targets > 1) or np.size(target) != self._n_targets:
            self._check_number(np.reshape(target, (1, -1)))
        return target, 1.0

    def _encode_number(self, y: Any) -> float:
        """One target that is a number, or ValueError."""
        return read_target(y)
