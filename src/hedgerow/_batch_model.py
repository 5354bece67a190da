"""What models that learn all rows at once have in common: reading rows, and the columns' names in files."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from hedgerow._persistence import Saveable
from hedgerow._validation import RowReader

Floats = npt.NDArray[np.float64]


class BatchModel(Saveable, BaseEstimator):  # type: ignore[misc]
    """Base of models without `partial_fit`. A subclass says in `__sklearn_is_fitted__` whether it has learned."""

    _Y_CHECKS: ClassVar[dict[str, Any]] = {}

    def _validated(self, X: Any, y: Any, reset: bool) -> tuple[Floats, Any]:
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", **self._Y_CHECKS)
        return X, y

    def _check_learned(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call fit first.")

    def _query_rows(self, X: Any) -> Floats:
        self._check_learned()
        rows: Floats = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        return rows

    def _one_row(self, x: Any) -> Floats:
        self._check_learned()
        return RowReader(self.n_features_in_, getattr(self, "feature_names_in_", None))(x).reshape(1, -1)

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    # Files.

    def _columns(self) -> dict[str, Any]:
        """Return numbers for the JSON text."""
        has_names = hasattr(self, "feature_names_in_")
        return {"width": self.n_features_in_, "feature_names": self._feature_names() if has_names else None}

    def _restore_columns(self, numbers: dict[str, Any]) -> None:
        """Take back what `_columns` gave."""
        width, names = int(numbers["width"]), numbers["feature_names"]
        if width < 1:
            raise ValueError("its width is out of range")
        if names is not None:
            if len(names) != width:
                raise ValueError("it names another number of features than it has")
            self.feature_names_in_ = np.asarray([str(name) for name in names], dtype=object)
        self.n_features_in_ = width
