"""Parameters of the trees of an online forest, checked, as the core takes them."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from hedgerow import _core
from hedgerow._validation import check_integer, check_positive

DETECTORS = {
    True: _core.DetectorKind.adwin,
    False: _core.DetectorKind.none,
    "adwin": _core.DetectorKind.adwin,
    "page_hinkley": _core.DetectorKind.page_hinkley,
}
SPLIT_TESTS = {"gain": _core.SplitTest.gain, "hoeffding": _core.SplitTest.hoeffding}
TREE_PARAMETERS = (
    "n_estimators",
    "grace_period",
    "split_confidence",
    "tie_threshold",
    "max_features",
    "bagging_rate",
    "drift_detection",
    "max_nodes",
    "split_test",
    "leaf_model",
    "min_samples_leaf",
    "leaf_capacity",
)


def check_tree_parameters(forest: Any) -> None:
    """Raise ValueError for parameters that cannot be."""
    for name, least in (("n_estimators", 1), ("grace_period", 1), ("min_samples_leaf", 1), ("leaf_capacity", 4)):
        check_integer(name, getattr(forest, name), least=least)
    if forest.max_nodes is not None:
        check_integer("max_nodes", forest.max_nodes, least=1)
    for name in ("split_confidence", "tie_threshold", "bagging_rate"):
        check_positive(name, getattr(forest, name))
    if forest.split_confidence >= 1:
        raise ValueError(f"split_confidence must lie between 0 and 1, got {forest.split_confidence!r}")
    if forest.bagging_rate > 100:
        raise ValueError(f"bagging_rate must be at most 100, got {forest.bagging_rate!r}")
    for name, allowed in (
        ("drift_detection", tuple(DETECTORS)),
        ("split_test", tuple(SPLIT_TESTS)),
        ("leaf_model", ("mean", "linear")),
    ):
        value = getattr(forest, name)
        if not isinstance(value, str | bool) or value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    n_candidates(forest.max_features, 1)


def n_candidates(max_features: Any, width: int) -> int:
    """``max_features`` as a number of features, as in scikit-learn's forests."""
    if max_features is None:
        return width
    if max_features == "sqrt":
        return max(1, round(math.sqrt(width)))
    if max_features == "log2":
        return max(1, round(math.log2(width)))
    is_count = isinstance(max_features, Integral) and not isinstance(max_features, bool)
    if is_count and int(max_features) >= 1:
        return min(width, int(max_features))
    if isinstance(max_features, Real) and not isinstance(max_features, Integral) and 0 < float(max_features) <= 1:
        return max(1, int(float(max_features) * width))
    raise ValueError(
        f"max_features must be 'sqrt', 'log2', None, a number of features or a share of them, got {max_features!r}"
    )


def growth_of(forest: Any, width: int) -> _core.OnlineGrowth:
    """Return the parameters as the core takes them."""
    growth = _core.OnlineGrowth()
    growth.width = width
    growth.grace_period = int(forest.grace_period)
    growth.n_candidates = n_candidates(forest.max_features, width)
    growth.max_nodes = 0 if forest.max_nodes is None else int(forest.max_nodes)
    growth.min_samples_leaf = int(forest.min_samples_leaf)
    growth.leaf_capacity = int(forest.leaf_capacity)
    growth.split_confidence = float(forest.split_confidence)
    growth.tie_threshold = float(forest.tie_threshold)
    growth.bagging_rate = float(forest.bagging_rate)
    growth.split_test = SPLIT_TESTS[forest.split_test]
    growth.detector = DETECTORS[forest.drift_detection]
    growth.linear = forest.leaf_model == "linear"
    return growth
