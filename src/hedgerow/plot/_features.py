"""Which columns a picture is about, and what they are called."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from hedgerow.numeric.arrays import Floats


def as_matrix(X: Any) -> Floats:
    """Rows of numbers from an array or a frame."""
    matrix: Floats = check_array(X, dtype=np.float64)
    return matrix


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


def named_like_training(estimator: Any, X: Floats) -> Any:
    """Rows as the estimator expects them: a frame if it learned from a frame, so that it does not warn."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return X
    try:
        import pandas as pd
    except ImportError:
        return X
    return pd.DataFrame(X, columns=names)
