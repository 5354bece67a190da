"""What shapes an online forest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from hedgerow import _core
from hedgerow.base.settings import Settings, check_positive, checked, integer, one_of, positive
from hedgerow.numeric.whole import is_whole

DETECTORS = {
    True: _core.DetectorKind.adwin,
    False: _core.DetectorKind.none,
    "adwin": _core.DetectorKind.adwin,
    "page_hinkley": _core.DetectorKind.page_hinkley,
}
SPLIT_TESTS = {"gain": _core.SplitTest.gain, "hoeffding": _core.SplitTest.hoeffding}
MOST_BAGGING = 100.0


def n_candidates(max_features: Any, width: int) -> int:
    """``max_features`` as a number of features, as in scikit-learn's forests."""
    if max_features is None:
        return width
    if isinstance(max_features, str) and max_features in ("sqrt", "log2"):
        return max(1, round(math.sqrt(width) if max_features == "sqrt" else math.log2(width)))
    if is_whole(max_features) and max_features >= 1:
        return min(width, int(max_features))
    if isinstance(max_features, Real) and not isinstance(max_features, Integral) and 0 < float(max_features) <= 1:
        return max(1, int(float(max_features) * width))
    raise ValueError(
        f"max_features must be 'sqrt', 'log2', None, a number of features or a share of them, got {max_features!r}"
    )


def _max_features(name: str, value: Any) -> Any:
    n_candidates(value, 1)
    return value


def _split_confidence(name: str, value: Any) -> float:
    check_positive(name, value)
    if value >= 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}")
    return float(value)


def _bagging_rate(name: str, value: Any) -> float:
    check_positive(name, value)
    if value > MOST_BAGGING:
        raise ValueError(f"{name} must be at most {MOST_BAGGING:g}, got {value!r}")
    return float(value)


@dataclass(frozen=True)
class ForestSettings(Settings):
    """How the trees of an online forest grow."""

    n_estimators: int = integer(1)
    grace_period: int = integer(1)
    split_confidence: float = checked(_split_confidence)
    tie_threshold: float = positive()
    max_features: Any = checked(_max_features)
    bagging_rate: float = checked(_bagging_rate)
    drift_detection: bool | str = one_of(*DETECTORS)
    max_nodes: int | None = integer(1, or_none=True)
    split_test: str = one_of(*SPLIT_TESTS)
    leaf_model: str = one_of("mean", "linear")
    min_samples_leaf: int = integer(1)
    leaf_capacity: int = integer(4)

    def growth(self, width: int) -> _core.OnlineGrowth:
        """Return them as the core takes them."""
        growth = _core.OnlineGrowth()
        growth.width = width
        growth.grace_period = self.grace_period
        growth.n_candidates = n_candidates(self.max_features, width)
        growth.max_nodes = 0 if self.max_nodes is None else self.max_nodes
        growth.min_samples_leaf = self.min_samples_leaf
        growth.leaf_capacity = self.leaf_capacity
        growth.split_confidence = self.split_confidence
        growth.tie_threshold = self.tie_threshold
        growth.bagging_rate = self.bagging_rate
        growth.split_test = SPLIT_TESTS[self.split_test]
        growth.detector = DETECTORS[self.drift_detection]
        growth.linear = self.leaf_model == "linear"
        return growth
