"""Boosting on exact leave-one-out residuals."""

from hedgerow.boosting._classifier import MondrianBoostingClassifier
from hedgerow.boosting._regressor import MondrianBoostingRegressor

__all__ = ["MondrianBoostingClassifier", "MondrianBoostingRegressor"]
