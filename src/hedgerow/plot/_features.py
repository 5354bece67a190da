"""Which columns a picture is about, and what they are called."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from hedgerow.base.columns.table import NUMBERS, is_missing, is_plain, python_columns
from hedgerow.numeric.arrays import Floats


def columns_of(X: Any) -> list[Any]:
    """Columns of an array or a frame: vectors of numbers, NaN where one is missing, or lists of Python values."""
    if not is_plain(X):
        return python_columns(X)
    matrix: Floats = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    return list(matrix.T)


def two_numbers(estimator: Any, X: Any, what: str) -> Floats:
    """Rows of the two features, both numbers, of which a plane can be drawn."""
    kinds = list(feature_kinds(estimator).items())
    if len(kinds) != 2:
        raise ValueError(f"{what} drawn over two features, this model has {len(kinds)}")
    for name, kind in kinds:
        if kind not in NUMBERS:
            raise ValueError(f"{what} drawn over two features that are numbers; {name!r} was taken for a {kind}")
    columns = [np.array(column, dtype=np.float64) for column in columns_of(X)]
    if len(columns) != 2:
        raise ValueError(f"{what} drawn over two features, X has {len(columns)}")
    return np.column_stack(columns)


def present(column: Any) -> list[Any]:
    """Values of a column that are not missing."""
    found = [value for value in column if not is_missing(value)]
    if not found:
        raise ValueError("a column of X has no value; pass rows that have some")
    return found


def middle(column: Any, kind: str) -> Any:
    """Return the median of numbers and dates, the most frequent of categories."""
    values = present(column)
    if kind in NUMBERS:
        return float(np.median(values))
    return Counter(values).most_common(1)[0][0] if kind == "category" else sorted(values)[len(values) // 2]


def feature_kinds(estimator: Any) -> dict[str, str]:
    """What the estimator took each feature for; numbers, if that is unknown."""
    return getattr(estimator, "column_kinds_", None) or dict.fromkeys(feature_names(estimator), "number")


def feature_names(estimator: Any) -> list[str]:
    """Names the estimator learned, or x0, x1, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{i}" for i in range(estimator.n_features_in_)] if names is None else [str(name) for name in names]


def feature_index(estimator: Any, feature: int | str) -> int:
    """Turn a feature's name or number into its number."""
    names = feature_names(estimator)
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"there is no feature {feature!r}; the model knows {names}")
        return names.index(feature)
    if not -len(names) <= feature < len(names):
        raise ValueError(f"feature must be less than {len(names)}, the number of features, got {feature}")
    return int(feature) % len(names)


def named_like_training(estimator: Any, X: Any) -> Any:
    """Rows as the estimator expects them: a frame if it learned from a frame, so that it does not warn."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return X
    try:
        import pandas as pd
    except ImportError:
        return X
    return pd.DataFrame(X, columns=names)
