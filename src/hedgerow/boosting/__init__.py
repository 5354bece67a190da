"""Boosting on exact leave-one-out residuals."""

from hedgerow.boosting._regressor import MondrianBoostingRegressor

__all__ = ["MondrianBoostingRegressor"]
